// Binding of the samplers: chains in parallel, interrupts, progress.

#include <cmath>
#include <limits>

#include "posterior.h"
#include "rcpp_monitor.h"
#include "rcpp_parallel.h"
#include "sampling.h"

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
    const ps::Matrix& from = chains[c].*part;
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

ps::Matrix to_matrix(const Rcpp::NumericMatrix& x) {
  return Eigen::Map<const ps::Matrix>(x.begin(), x.nrow(), x.ncol());
}

/// A finished chain as a checkpoint keeps it.
Rcpp::List chain_to_r(const ps::ChainResult& chain) {
  using Rcpp::_;
  return Rcpp::List::create(
      _["draws"] = binding::to_r(chain.draws),
      _["hyper"] = binding::to_r(chain.hyper),
      _["monitor"] = binding::to_r(chain.monitor),
      _["divergent"] = chain.divergent, _["treedepth"] = chain.treedepth,
      _["n_leapfrog"] = chain.n_leapfrog, _["accept_stat"] = chain.accept_stat,
      _["energy"] = chain.energy, _["meeting"] = chain.meeting,
      _["sweeps"] = chain.sweeps, _["stepsize"] = chain.stepsize,
      _["state"] = binding::to_r(chain.state), _["completed"] = chain.completed,
      _["n_nonfinite"] = static_cast<double>(chain.n_nonfinite),
      _["seconds"] = chain.seconds);
}

ps::ChainResult chain_from_r(const Rcpp::List& from) {
  ps::ChainResult chain;
  chain.draws = to_matrix(from["draws"]);
  chain.hyper = to_matrix(from["hyper"]);
  chain.monitor = to_matrix(from["monitor"]);
  chain.divergent = Rcpp::as<std::vector<int>>(from["divergent"]);
  chain.treedepth = Rcpp::as<std::vector<int>>(from["treedepth"]);
  chain.n_leapfrog = Rcpp::as<std::vector<int>>(from["n_leapfrog"]);
  chain.accept_stat = Rcpp::as<std::vector<double>>(from["accept_stat"]);
  chain.energy = Rcpp::as<std::vector<double>>(from["energy"]);
  chain.meeting = Rcpp::as<std::vector<double>>(from["meeting"]);
  chain.sweeps = Rcpp::as<int>(from["sweeps"]);
  chain.stepsize = Rcpp::as<double>(from["stepsize"]);
  chain.state = binding::to_vector(from["state"]);
  chain.completed = Rcpp::as<int>(from["completed"]);
  chain.n_nonfinite = static_cast<long>(Rcpp::as<double>(from["n_nonfinite"]));
  chain.seconds = Rcpp::as<double>(from["seconds"]);
  return chain;
}

void evaluate(void* call) {
  Rf_eval(static_cast<SEXP>(call), R_GlobalEnv);
}

/// Hands chains to R as they finish, on R's own thread, and takes those that
/// an earlier session finished.
class KeptChains {
 public:
  /// @param control `keep`: a function of a chain's number and the chain;
  ///   `kept`: a list of chains, NULL for those to run. Both may be absent.
  KeptChains(const Rcpp::List& control, std::vector<ps::ChainResult>& chains)
      : chains_(chains),
        kept_(chains.size()),
        finished_(chains.size()),
        handed_(chains.size()) {
    if (!control.containsElementNamed("keep")) return;
    keep_ = control["keep"];
    const Rcpp::List kept = control["kept"];
    for (int c = 0; c < kept.size(); ++c) {
      if (Rf_isNull(kept[c])) continue;
      const auto at = static_cast<std::size_t>(c);
      chains_[at] = chain_from_r(kept[c]);
      kept_[at] = handed_[at] = true;
    }
  }
  /// Need the chain not be run?
  bool has(int chain) const { return kept_[chain]; }
  /// Called from the chain's own thread.
  void finish(int chain) {
    const auto at = static_cast<std::size_t>(chain);
    finished_[at] = !chains_[at].interrupted;
  }
  void hand_over() {
    if (Rf_isNull(keep_)) return;
    for (std::size_t c = 0; c < chains_.size(); ++c) {
      if (handed_[c] || !finished_[c]) continue;
      handed_[c] = true;
      const Rcpp::List chain = chain_to_r(chains_[c]);
      const Rcpp::IntegerVector number =
          Rcpp::IntegerVector::create(static_cast<int>(c) + 1);
      const Rcpp::Shield<SEXP> call(Rf_lang3(keep_, number, chain));
      // It must not jump over the chains that run
      R_ToplevelExec(evaluate, static_cast<SEXP>(call));
    }
  }

 private:
  std::vector<ps::ChainResult>& chains_;
  std::vector<char> kept_;
  std::vector<std::atomic<bool>> finished_;
  // Of R's thread alone
  std::vector<char> handed_;
  Rcpp::RObject keep_ = R_NilValue;
};

std::optional<int> optional_count(const Rcpp::List& from, const char* name) {
  if (!from.containsElementNamed(name)) return std::nullopt;
  return Rcpp::as<int>(from[name]);
}

binding::Control to_control(const Rcpp::List& from) {
  binding::Control out;
  out.length = {Rcpp::as<int>(from["warmup"]), Rcpp::as<int>(from["draws"]),
                Rcpp::as<int>(from["thin"])};
  out.most_sweeps = optional_count(from, "most_sweeps");
  out.chains = Rcpp::as<int>(from["chains"]);
  out.threads = Rcpp::as<int>(from["threads"]);
  out.max_treedepth = Rcpp::as<int>(from["max_treedepth"]);
  out.level_moves = optional_count(from, "level_moves");
  out.shared_moves = optional_count(from, "shared_moves");
  out.hamiltonian_moves = optional_count(from, "hamiltonian_moves");
  out.pair_moves = optional_count(from, "pair_moves");
  out.adapt_delta = Rcpp::as<double>(from["adapt_delta"]);
  out.metric = Rcpp::as<std::string>(from["metric"]);
  out.progress = Rcpp::as<bool>(from["progress"]);
  out.seed = binding::to_seed(from["seed"]);
  if (from.containsElementNamed("init") && !Rf_isNull(from["init"])) {
    const Rcpp::List states = from["init"];
    for (int c = 0; c < states.size(); ++c)
      out.init.push_back(binding::to_vector(states[c]));
  }
  return out;
}

binding::Sampling prepare(const std::string& sampler, const Rcpp::List& spec,
                          const ps::ModelKind& kind, const ps::Records& records,
                          const binding::Control& control) {
  if (sampler == "nuts")
    return binding::nuts_sampling(
        binding::new_posterior(kind, records, *binding::to_prior(spec)),
        records.censor.active, control);
  if (sampler == "gibbs") {
    if (kind.name != "gaussian")
      Rcpp::stop("The Gibbs sampler is for the gaussian family.");
    return binding::gibbs_sampling(records, binding::to_regression_prior(spec),
                                   control);
  }
  const auto model = [&] {
    return binding::new_surrogate_model(kind, records,
                                        binding::to_surrogate_prior(spec));
  };
  if (sampler == "surrogate")
    return binding::surrogate_sampling(model(), control,
                                       binding::InterruptPoll());
  if (sampler == "grid")
    return binding::grid_sampling(model(), records, control,
                                  binding::InterruptPoll());
  if (sampler == "augmentation") {
    if (kind.name != "normal_mixture")
      Rcpp::stop("The augmentation sampler is for the normal mixture.");
    return binding::augmentation_sampling(
        records, kind.K, binding::to_mixture_prior(spec), control);
  }
  Rcpp::stop("Unknown sampler '%s'.", sampler);
}

/// How many draws of each chain are kept of a run that was interrupted: as many
/// as are judged within a second. Who pressed Ctrl-C does not wait for passes
/// over all records at all draws, and no result rests on such a run.
int most_looked_at(const ps::Records& records, const ps::ModelKind& kind,
                   int chains) {
  const double evaluations =
      static_cast<double>(records.size()) * std::max(1, kind.K) * chains;
  return std::max(8, static_cast<int>(std::min(2e7 / evaluations, 1e9)));
}

Rcpp::NumericVector named(
    const std::function<binding::NamedFigures()>& figures) {
  Rcpp::NumericVector out;
  if (!figures) return out;
  for (const auto& [name, value] : figures())
    out.push_back(std::isnan(value) ? NA_REAL : value, name);
  return out;
}

}  // namespace

// [[Rcpp::export(rng = false)]]
Rcpp::List sample_posterior_(Rcpp::List spec, Rcpp::List control) {
  using Rcpp::_;
  const binding::Control settings = to_control(control);
  const ps::Records records = binding::to_records(spec);
  const ps::ModelKind kind = binding::to_kind(spec);
  const int C = settings.chains;
  if (static_cast<double>(settings.length.draws) * C >
      std::numeric_limits<int>::max())
    Rcpp::stop("There are more draws than R's matrices have rows.");
  binding::Sampling sampling;
  const std::function<bool()> poll = binding::InterruptPoll();
  try {
    const ps::StopScope scope(poll);
    sampling = prepare(Rcpp::as<std::string>(control["sampler"]), spec, kind,
                       records, settings);
  } catch (const ps::Interrupted&) {
    return Rcpp::List::create(_["interrupted"] = true, _["completed"] = 0);
  }

  Progress progress(static_cast<double>(sampling.iterations) * C,
                    settings.progress);
  std::vector<ps::ChainResult> chains(static_cast<std::size_t>(C));
  KeptChains kept(control, chains);
  std::atomic<bool> stop{false};
  ps::ChainHandlers handlers;
  handlers.should_stop = [&] { return stop.load(std::memory_order_relaxed); };
  handlers.on_iteration = [&](std::int64_t) { ++progress.done; };
  const bool interrupted = binding::run_tasks(
      C, settings.threads, stop,
      [&](int chain) {
        if (kept.has(chain)) return;
        const ps::StopScope scope(handlers.should_stop);
        ps::ChainResult& out = chains[chain];
        try {
          out = sampling.run(chain, handlers);
        } catch (const ps::Interrupted&) {
          out.interrupted = true;
        }
        kept.finish(chain);
      },
      [&] {
        progress.show();
        kept.hand_over();
      });
  progress.close();
  kept.hand_over();

  int per_chain = settings.length.draws;
  Rcpp::List state(C);
  Rcpp::NumericVector stepsize(C), seconds(C);
  Rcpp::NumericVector meeting;
  Rcpp::IntegerVector sweeps;
  long n_nonfinite = 0;
  for (int c = 0; c < C; ++c) {
    const ps::ChainResult& chain = chains[c];
    per_chain = std::min(per_chain, chain.completed);
    state[c] = binding::to_r(chain.state);
    stepsize[c] = chain.stepsize;
    seconds[c] = chain.seconds;
    n_nonfinite += chain.n_nonfinite;
    for (const double met : chain.meeting) meeting.push_back(met);
    if (chain.sweeps > 0) sweeps.push_back(chain.sweeps);
  }
  if (interrupted)
    per_chain = std::min(per_chain, most_looked_at(records, kind, C));
  Rcpp::NumericMatrix draws = stack(chains, per_chain, &ps::ChainResult::draws);
  Rcpp::NumericMatrix monitored(0, 0);
  if (per_chain > 0)
    monitored = chains[0].monitor.rows() > 0
                    ? stack(chains, per_chain, &ps::ChainResult::monitor)
                    : binding::monitor(records, kind, draws, settings.threads);
  Rcpp::List out = Rcpp::List::create(
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
          _["acceptance"] = named(sampling.acceptance),
          _["grid"] = named(sampling.grid), _["meeting"] = meeting),
      _["seconds"] = seconds, _["interrupted"] = interrupted,
      _["completed"] = per_chain);
  if (sweeps.size() > 0) out["sweeps"] = sweeps;
  return out;
}
