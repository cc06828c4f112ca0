// What sample_posterior_() and the samplers agree on. Each sampler is compiled
// in a file of its own, which sees nothing of R.
#ifndef PSEUDOSYNTH_SAMPLING_H
#define PSEUDOSYNTH_SAMPLING_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <pseudosynth/any_posterior.hpp>
#include <pseudosynth/records.hpp>
#include <pseudosynth/sampler/chain_length.hpp>
#include <pseudosynth/sampler/chain_result.hpp>
#include <pseudosynth/sampler/mixture/mixture_state.hpp>
#include <pseudosynth/sampler/regression_prior.hpp>
#include <pseudosynth/sampler/surrogate_model.hpp>
#include <string>
#include <utility>
#include <vector>

namespace binding {

namespace ps = pseudosynth;

/// How the chains of one call run.
struct Control {
  /// `thin` is also the number of sweeps of an augmentation draw.
  ps::ChainLength length;
  int chains, threads, max_treedepth;
  /// Of a draw of the surrogate sampler, where pairs of chains tell how many it
  /// takes and `thin` does not count; without a value `thin` does.
  std::optional<int> most_sweeps;
  /// Of the augmentation sampler; without a value its own default.
  std::optional<int> level_moves, shared_moves, hamiltonian_moves, pair_moves;
  double adapt_delta;
  std::string metric;  ///< of NUTS: diagonal, dense or curvature
  bool progress;
  std::uint64_t seed;
  std::vector<ps::Vector> init;

  const ps::Vector* start(int chain) const {
    if (init.empty()) return nullptr;
    return &init[static_cast<std::size_t>(chain) % init.size()];
  }
};

using NamedFigures = std::vector<std::pair<std::string, double>>;

/// What a sampler runs.
struct Sampling {
  std::function<ps::ChainResult(int chain, const ps::ChainHandlers& handlers)>
      run;
  /// Iterations of a chain, as the handlers count them.
  std::int64_t iterations;
  /// Shares of accepted moves by kind, once all chains have run; NaN where none
  /// was proposed. May be empty.
  std::function<NamedFigures()> acceptance = nullptr;
  /// Of the grid: its cells, and the share of mass in unresolved ones. May be
  /// empty.
  std::function<NamedFigures()> grid = nullptr;
};

/// @param clipped are the posterior's records?
Sampling nuts_sampling(const ps::AnyPosterior& posterior, bool clipped,
                       const Control& control);

/// @throw std::invalid_argument for records that are clipped.
Sampling gibbs_sampling(const ps::Records& records,
                        const ps::RegressionPrior& prior,
                        const Control& control);

/// @param should_stop polled while the set-up runs, before any chain.
/// @throw ps::Interrupted once it returns true.
Sampling surrogate_sampling(std::unique_ptr<ps::SurrogateModel> model,
                            const Control& control,
                            const std::function<bool()>& should_stop);

/// As surrogate_sampling(), for a model of up to three parameters.
/// @param records the model's.
Sampling grid_sampling(std::unique_ptr<ps::SurrogateModel> model,
                       const ps::Records& records, const Control& control,
                       const std::function<bool()>& should_stop);

/// @param records must outlive the result.
/// @throw std::invalid_argument for records that are clipped.
Sampling augmentation_sampling(const ps::Records& records, int K,
                               const ps::MixturePrior& prior,
                               const Control& control);

}  // namespace binding

#endif
