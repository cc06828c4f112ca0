// Binding of the samplers: chains in parallel, interrupts, progress.

#include <pseudosynth/any_posterior.hpp>
#include <pseudosynth/kernel/log_lik.hpp>
#include <pseudosynth/kernel/predictive_quantile.hpp>
#include <pseudosynth/sampler/gaussian_gibbs.hpp>
#include <pseudosynth/sampler/run_mixture_chain.hpp>
#include <pseudosynth/sampler/run_nuts_chain.hpp>
#include <pseudosynth/sampler/run_surrogate_chain.hpp>

#include "rcpp_model.h"
#include "rcpp_parallel.h"
#include "rcpp_regression_prior.h"

namespace ps = pseudosynth;

namespace {

/// The control list of R.
struct Control {
  std::string sampler;
  int chains, warmup, draws, thin, threads, max_treedepth, level_moves,
      hamiltonian_moves, pair_moves;
  double adapt_delta;
  bool dense_metric, progress;
  std::uint64_t seed;
  std::vector<ps::Vector> init;

  explicit Control(const Rcpp::List& from)
      : sampler(Rcpp::as<std::string>(from["sampler"])),
        chains(Rcpp::as<int>(from["chains"])),
        warmup(Rcpp::as<int>(from["warmup"])),
        draws(Rcpp::as<int>(from["draws"])),
        thin(Rcpp::as<int>(from["thin"])),
        threads(Rcpp::as<int>(from["threads"])),
        max_treedepth(Rcpp::as<int>(from["max_treedepth"])),
        level_moves(from.containsElementNamed("level_moves")
                        ? Rcpp::as<int>(from["level_moves"])
                        : 1),
        hamiltonian_moves(from.containsElementNamed("hamiltonian_moves")
                              ? Rcpp::as<int>(from["hamiltonian_moves"])
                              : ps::MixtureTuning().hamiltonian_moves),
        pair_moves(from.containsElementNamed("pair_moves")
                       ? Rcpp::as<int>(from["pair_moves"])
                       : ps::MixtureTuning().pair_moves),
        adapt_delta(Rcpp::as<double>(from["adapt_delta"])),
        dense_metric(Rcpp::as<std::string>(from["metric"]) == "dense"),
        progress(Rcpp::as<bool>(from["progress"])),
        seed(binding::to_seed(from["seed"])) {
    if (from.containsElementNamed("init") && !Rf_isNull(from["init"])) {
      const Rcpp::List states = from["init"];
      for (int c = 0; c < states.size(); ++c)
        init.push_back(binding::to_vector(states[c]));
    }
  }

  const ps::Vector* start(int chain) const {
    if (init.empty()) return nullptr;
    return &init[static_cast<std::size_t>(chain) % init.size()];
  }
};

/// One line on the console that says how far all chains have come.
class Progress {
 public:
  Progress(int total, bool active)
      : total_(total),
        active_(active),
        start_(std::chrono::steady_clock::now()) {}

  std::atomic<int> done{0};

  void show() {
    if (!active_) return;
    const int percent = static_cast<int>(100.0 * done / total_);
    if (percent == shown_) return;
    shown_ = percent;
    REprintf("\r  sampling %3d%%  %.0f s", percent, elapsed());
  }
  void close() {
    if (active_ && shown_ >= 0)
      REprintf("\r  sampling %3.0f%%  %.1f s\n", 100.0 * done / total_,
               elapsed());
  }

 private:
  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start_)
        .count();
  }
  int total_;
  bool active_;
  int shown_ = -1;
  std::chrono::steady_clock::time_point start_;
};

using RunChain = std::function<ps::ChainResult(
    int chain, const ps::ChainHandlers& handlers)>;

RunChain nuts_chain(const Rcpp::List& spec, const ps::Records& records,
                    const Control& control) {
  ps::NutsTuning tuning;
  tuning.warmup = control.warmup;
  tuning.draws = control.draws;
  tuning.thin = control.thin;
  tuning.adapt_delta = control.adapt_delta;
  tuning.max_treedepth = control.max_treedepth;
  tuning.dense_metric = control.dense_metric;
  const ps::AnyPosterior posterior = ps::make_posterior(
      binding::to_kind(spec), records, *binding::to_prior(spec));
  return [=](int chain, const ps::ChainHandlers& handlers) {
    return ps::run_nuts_chain(posterior, tuning, control.seed, chain, handlers,
                              control.start(chain));
  };
}

RunChain gibbs_chain(const Rcpp::List& spec, const ps::Records& records,
                     const Control& control) {
  if (Rcpp::as<std::string>(spec["family"]) != "gaussian")
    Rcpp::stop("The Gibbs sampler is for the gaussian family.");
  ps::GaussianGibbsPrior from;
  if (!binding::read_regression_prior(spec, from))
    Rcpp::stop("The Gibbs sampler knows normal and hierarchical priors.");
  if (records.censor.active)
    Rcpp::stop("The Gibbs sampler is for uncensored models.");
  const auto sums =
      std::make_shared<ps::LeastSquares>(records, records.y, from.location);
  const ps::GibbsTuning tuning{control.warmup, control.draws, control.thin};
  return [=](int chain, const ps::ChainHandlers& handlers) {
    return ps::run_gaussian_gibbs(*sums, from, tuning, control.seed, chain,
                                  handlers, control.start(chain));
  };
}

RunChain surrogate_chain(const Rcpp::List& spec, const ps::Records& records,
                         const ps::ModelKind& kind, const Control& control) {
  const ps::SurrogatePrior prior = binding::to_surrogate_prior(spec);
  const ps::GibbsTuning tuning{control.warmup, control.draws, control.thin};
  return ps::visit_family(kind, [&](const auto& family) -> RunChain {
    using Family = std::decay_t<decltype(family)>;
    if constexpr (std::is_same_v<Family, ps::NormalMixture>) {
      Rcpp::stop("The surrogate sampler is not for mixtures.");
    } else {
      const auto setup = std::make_shared<const ps::SurrogateSetup<Family>>(
          records, family, prior, control.seed, control.start(0));
      return [=](int chain, const ps::ChainHandlers& handlers) {
        return ps::run_surrogate_chain(*setup, tuning, control.seed, chain,
                                       handlers, control.start(chain));
      };
    }
  });
}

RunChain augmentation_chain(const Rcpp::List& spec, const ps::Records& records,
                            const Control& control,
                            std::vector<ps::MixtureAcceptance>& acceptance) {
  const Rcpp::List prior = spec["prior"];
  const int K = binding::n_components(spec);
  if (K == 0) Rcpp::stop("The augmentation sampler is for the normal mixture.");
  const std::string kind = Rcpp::as<std::string>(prior["kind"]);
  ps::MixturePrior from;
  from.sigma_floor = Rcpp::as<double>(spec["sigma_floor"]);
  from.m0 = binding::to_vector(prior["location"]);
  from.shared = kind == "shared";
  if (from.shared) {
    from.m_scale = binding::to_vector(prior["m_scale"]);
    from.tau_scale = Rcpp::as<double>(prior["scale"]);
    from.tau_df = Rcpp::as<double>(prior["df"]);
  } else if (kind == "normal") {
    from.m_scale = binding::to_vector(prior["scale"]);
  } else {
    Rcpp::stop("The augmentation sampler knows shared and normal priors.");
  }
  if (records.censor.active)
    Rcpp::stop("The augmentation sampler is for uncensored models.");
  ps::MixtureTuning tuning;
  tuning.warmup = control.warmup;
  tuning.draws = control.draws;
  tuning.sweeps = control.thin;
  tuning.level_moves = control.level_moves;
  tuning.hamiltonian_moves = control.hamiltonian_moves;
  tuning.pair_moves = control.pair_moves;
  acceptance.resize(static_cast<std::size_t>(control.chains));
  return
      [=, &records, &acceptance](int chain, const ps::ChainHandlers& handlers) {
        return ps::run_mixture_chain(
            records, K, from, tuning, control.seed, chain, handlers,
            control.start(chain), &acceptance[static_cast<std::size_t>(chain)]);
      };
}

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

/// Quantities that do not depend on the labels of components, per draw:
/// sum_i g_i and, for a mixture, quantiles of the predictive distribution.
Rcpp::NumericMatrix monitor(const ps::Records& records,
                            const ps::ModelKind& kind,
                            const Rcpp::NumericMatrix& draws, int threads) {
  static const std::vector<double> kProbabilities{.01, .05, .25, .5,
                                                  .75, .95, .99};
  const ps::DrawMatrix view{draws.begin(), draws.nrow(), draws.ncol()};
  const int n_quantiles = kind.name == "normal_mixture"
                              ? static_cast<int>(kProbabilities.size())
                              : 0;
  Rcpp::NumericMatrix out(view.S, 1 + n_quantiles);
  double* column = out.begin();
  std::atomic<bool> stop{false};
  const auto blocks = binding::cut_cells(records, 1024);
  std::vector<std::vector<double>> part(blocks.size());
  binding::run_tasks(
      static_cast<int>(part.size()), threads, stop, [&](int block) {
        const std::size_t at = static_cast<std::size_t>(block);
        part[at].assign(static_cast<std::size_t>(view.S), 0.0);
        ps::visit_family(kind, [&](const auto& family) {
          ps::sum_contributions(records, family, view, blocks[at],
                                part[at].data(), [&] { return stop.load(); });
        });
      });
  for (const auto& sums : part)
    for (int s = 0; s < view.S; ++s)
      column[s] += sums[static_cast<std::size_t>(s)];
  if (n_quantiles == 0) return out;
  const std::vector<int> cut_draws = binding::cut_range(view.S, 64);
  binding::run_tasks(
      static_cast<int>(cut_draws.size()) - 1, threads, stop, [&](int block) {
        ps::PredictiveQuantile quantile(records.design, kind.K);
        std::vector<double> draw(static_cast<std::size_t>(view.D));
        std::vector<double> last(kProbabilities.size(), ps::kNaN);
        for (int s = cut_draws[static_cast<std::size_t>(block)];
             s < cut_draws[static_cast<std::size_t>(block) + 1] && !stop; ++s) {
          for (int d = 0; d < view.D; ++d)
            draw[static_cast<std::size_t>(d)] = view(s, d);
          quantile.set(draw.data());
          for (int q = 0; q < n_quantiles; ++q) {
            const std::size_t at = static_cast<std::size_t>(q);
            last[at] = quantile(kProbabilities[at], last[at]);
            column[static_cast<std::size_t>(1 + q) * view.S + s] = last[at];
          }
        }
      });
  return out;
}

double share(const std::vector<ps::MixtureAcceptance>& chains,
             long (ps::MixtureAcceptance::*kind)[2]) {
  double accepted = 0.0, proposed = 0.0;
  for (const auto& chain : chains) {
    accepted += static_cast<double>((chain.*kind)[0]);
    proposed += static_cast<double>((chain.*kind)[1]);
  }
  return proposed > 0 ? accepted / proposed : NA_REAL;
}

Rcpp::NumericVector acceptance_shares(
    const std::vector<ps::MixtureAcceptance>& chains) {
  using Rcpp::_;
  return Rcpp::NumericVector::create(
      _["coefficients"] = share(chains, &ps::MixtureAcceptance::coefficients),
      _["sigma"] = share(chains, &ps::MixtureAcceptance::sigma),
      _["pi"] = share(chains, &ps::MixtureAcceptance::pi),
      _["translation"] = share(chains, &ps::MixtureAcceptance::translation),
      _["scaling"] = share(chains, &ps::MixtureAcceptance::scaling),
      _["level"] = share(chains, &ps::MixtureAcceptance::level),
      _["hamiltonian"] = share(chains, &ps::MixtureAcceptance::hamiltonian));
}

}  // namespace

// [[Rcpp::export(rng = false)]]
Rcpp::List sample_posterior_(Rcpp::List spec, Rcpp::List control) {
  using Rcpp::_;
  const Control settings(control);
  const ps::Records records = binding::to_records(spec);
  const ps::ModelKind kind = binding::to_kind(spec);
  std::vector<ps::MixtureAcceptance> acceptance;
  RunChain run;
  if (settings.sampler == "nuts")
    run = nuts_chain(spec, records, settings);
  else if (settings.sampler == "gibbs")
    run = gibbs_chain(spec, records, settings);
  else if (settings.sampler == "augmentation")
    run = augmentation_chain(spec, records, settings, acceptance);
  else if (settings.sampler == "surrogate")
    run = surrogate_chain(spec, records, kind, settings);
  else
    Rcpp::stop("Unknown sampler '%s'.", settings.sampler);

  const int C = settings.chains;
  const int per_chain_iterations =
      settings.warmup +
      settings.draws * (settings.sampler == "augmentation" ? 1 : settings.thin);
  Progress progress(C * per_chain_iterations, settings.progress);
  std::vector<ps::ChainResult> chains(static_cast<std::size_t>(C));
  std::atomic<bool> stop{false};
  ps::ChainHandlers handlers;
  handlers.should_stop = [&] { return stop.load(std::memory_order_relaxed); };
  handlers.on_iteration = [&](int) { ++progress.done; };
  const bool interrupted = binding::run_tasks(
      C, settings.threads, stop,
      [&](int chain) {
        chains[static_cast<std::size_t>(chain)] = run(chain, handlers);
      },
      [&] { progress.show(); });
  progress.close();

  int per_chain = settings.draws;
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
                    : monitor(records, kind, draws, settings.threads);
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
          _["acceptance"] = acceptance_shares(acceptance)),
      _["seconds"] = seconds, _["interrupted"] = interrupted,
      _["completed"] = per_chain);
}
