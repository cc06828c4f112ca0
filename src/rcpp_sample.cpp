// Binding of the samplers: chains in parallel, interrupts, progress.

#include "rcpp_sample.h"

#include <limits>

#include "rcpp_parallel.h"

namespace ps = pseudosynth;

namespace {

/// One line on the console that says how far all chains have come.
class Progress {
 public:
  Progress(double total, bool active)
      : total_(total),
        active_(active),
        start_(std::chrono::steady_clock::now()) {}

  std::atomic<std::int64_t> done{0};

  void show() {
    if (!active_) return;
    const int percent =
        static_cast<int>(100.0 * static_cast<double>(done) / total_);
    if (percent == shown_) return;
    shown_ = percent;
    REprintf("\r  sampling %3d%%  %.0f s", percent, elapsed());
  }
  void close() {
    if (active_ && shown_ >= 0)
      REprintf("\r  sampling %3.0f%%  %.1f s\n",
               100.0 * static_cast<double>(done) / total_, elapsed());
  }

 private:
  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start_)
        .count();
  }
  double total_;
  bool active_;
  int shown_ = -1;
  std::chrono::steady_clock::time_point start_;
};

/// Chains stacked one after the other, S x D; `part` picks a matrix of the
/// result, one draw per column there.
Rcpp::NumericMatrix stack(const std::vector<ps::ChainResult>& chains,
                          int per_chain, ps::Matrix ps::ChainResult::*part) {
  const int D = static_cast<int>((chains[0].*part).rows());
  const int C = static_cast<int>(chains.size());
  Rcpp::NumericMatrix out(per_chain * C, D);
  for (int c = 0; c < C; ++c) {
    const ps::Matrix& from = chains[static_cast<std::size_t>(c)].*part;
    for (int d = 0; d < D; ++d)
      for (int s = 0; s < per_chain; ++s)
        out(c * per_chain + s, d) = from(d, s);
  }
  return out;
}

template <class T>
std::vector<T> stack(const std::vector<ps::ChainResult>& chains, int per_chain,
                     std::vector<T> ps::ChainResult::*part) {
  std::vector<T> out;
  for (const auto& chain : chains) {
    const std::vector<T>& from = chain.*part;
    if (static_cast<int>(from.size()) < per_chain) return {};
    out.insert(out.end(), from.begin(), from.begin() + per_chain);
  }
  return out;
}

binding::Sampling prepare(const Rcpp::List& spec, const ps::Records& records,
                          const binding::Control& control) {
  if (control.sampler == "nuts")
    return binding::nuts_sampling(spec, records, control);
  if (control.sampler == "gibbs")
    return binding::gibbs_sampling(spec, records, control);
  if (control.sampler == "surrogate")
    return binding::surrogate_sampling(spec, records, control);
  if (control.sampler == "grid")
    return binding::grid_sampling(spec, records, control);
  if (control.sampler == "augmentation")
    return binding::augmentation_sampling(spec, records, control);
  Rcpp::stop("Unknown sampler '%s'.", control.sampler);
}

}  // namespace

// [[Rcpp::export(rng = false)]]
Rcpp::List sample_posterior_(Rcpp::List spec, Rcpp::List control) {
  using Rcpp::_;
  const binding::Control settings(control);
  const ps::Records records = binding::to_records(spec);
  const ps::ModelKind kind = binding::to_kind(spec);
  const int C = settings.chains;
  if (static_cast<double>(settings.length.draws) * C >
      std::numeric_limits<int>::max())
    Rcpp::stop("There are more draws than R's matrices have rows.");
  binding::Sampling sampling;
  try {
    sampling = prepare(spec, records, settings);
  } catch (const ps::Interrupted&) {
    return Rcpp::List::create(_["interrupted"] = true, _["completed"] = 0);
  }

  Progress progress(static_cast<double>(sampling.iterations) * C,
                    settings.progress);
  std::vector<ps::ChainResult> chains(static_cast<std::size_t>(C));
  std::atomic<bool> stop{false};
  ps::ChainHandlers handlers;
  handlers.should_stop = [&] { return stop.load(std::memory_order_relaxed); };
  handlers.on_iteration = [&](std::int64_t) { ++progress.done; };
  const bool interrupted = binding::run_tasks(
      C, settings.threads, stop,
      [&](int chain) {
        chains[static_cast<std::size_t>(chain)] = sampling.run(chain, handlers);
      },
      [&] { progress.show(); });
  progress.close();

  int per_chain = settings.length.draws;
  Rcpp::List state(C);
  Rcpp::NumericVector stepsize(C), seconds(C);
  long n_nonfinite = 0;
  for (int c = 0; c < C; ++c) {
    const ps::ChainResult& chain = chains[static_cast<std::size_t>(c)];
    per_chain = std::min(per_chain, chain.completed);
    state[c] = Rcpp::wrap(chain.state);
    stepsize[c] = chain.stepsize;
    seconds[c] = chain.seconds;
    n_nonfinite += chain.n_nonfinite;
  }
  Rcpp::NumericMatrix draws = stack(chains, per_chain, &ps::ChainResult::draws);
  Rcpp::NumericMatrix monitored(0, 0);
  if (per_chain > 0)
    monitored = chains[0].monitor.rows() > 0
                    ? stack(chains, per_chain, &ps::ChainResult::monitor)
                    : binding::monitor(records, kind, draws, settings.threads);
  return Rcpp::List::create(
      _["draws"] = draws,
      _["hyper"] = stack(chains, per_chain, &ps::ChainResult::hyper),
      _["state"] = state, _["monitor"] = monitored,
      _["sampler"] = Rcpp::List::create(
          _["divergent"] =
              stack(chains, per_chain, &ps::ChainResult::divergent),
          _["treedepth"] =
              stack(chains, per_chain, &ps::ChainResult::treedepth),
          _["n_leapfrog"] =
              stack(chains, per_chain, &ps::ChainResult::n_leapfrog),
          _["accept_stat"] =
              stack(chains, per_chain, &ps::ChainResult::accept_stat),
          _["energy"] = stack(chains, per_chain, &ps::ChainResult::energy),
          _["stepsize"] = stepsize,
          _["n_nonfinite"] = static_cast<double>(n_nonfinite),
          _["acceptance"] = sampling.acceptance ? sampling.acceptance()
                                                : Rcpp::NumericVector(0),
          _["grid"] = sampling.grid ? sampling.grid() : Rcpp::NumericVector(0)),
      _["seconds"] = seconds, _["interrupted"] = interrupted,
      _["completed"] = per_chain);
}
