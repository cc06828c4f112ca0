// What sample_posterior_() and the samplers' own files agree on: each sampler
// is compiled in a file of its own.
#ifndef PSEUDOSYNTH_RCPP_SAMPLE_H
#define PSEUDOSYNTH_RCPP_SAMPLE_H

#include <cstdint>
#include <functional>
#include <optional>
#include <pseudosynth/sampler/chain_length.hpp>
#include <pseudosynth/sampler/chain_result.hpp>
#include <string>
#include <vector>

#include "rcpp_model.h"

namespace binding {

/// The control list of R.
struct Control {
  std::string sampler;
  /// `thin` is also the number of sweeps of an augmentation draw.
  ps::ChainLength length;
  int chains, threads, max_treedepth;
  /// Of the augmentation sampler; without a value its own default.
  std::optional<int> level_moves, hamiltonian_moves, pair_moves;
  double adapt_delta;
  bool dense_metric, progress;
  std::uint64_t seed;
  std::vector<ps::Vector> init;

  explicit Control(const Rcpp::List& from)
      : sampler(Rcpp::as<std::string>(from["sampler"])),
        length{Rcpp::as<int>(from["warmup"]), Rcpp::as<int>(from["draws"]),
               Rcpp::as<int>(from["thin"])},
        chains(Rcpp::as<int>(from["chains"])),
        threads(Rcpp::as<int>(from["threads"])),
        max_treedepth(Rcpp::as<int>(from["max_treedepth"])),
        level_moves(optional_count(from, "level_moves")),
        hamiltonian_moves(optional_count(from, "hamiltonian_moves")),
        pair_moves(optional_count(from, "pair_moves")),
        adapt_delta(Rcpp::as<double>(from["adapt_delta"])),
        dense_metric(Rcpp::as<std::string>(from["metric"]) == "dense"),
        progress(Rcpp::as<bool>(from["progress"])),
        seed(to_seed(from["seed"])) {
    if (from.containsElementNamed("init") && !Rf_isNull(from["init"])) {
      const Rcpp::List states = from["init"];
      for (int c = 0; c < states.size(); ++c)
        init.push_back(to_vector(states[c]));
    }
  }

  const ps::Vector* start(int chain) const {
    if (init.empty()) return nullptr;
    return &init[static_cast<std::size_t>(chain) % init.size()];
  }

 private:
  static std::optional<int> optional_count(const Rcpp::List& from,
                                           const char* name) {
    if (!from.containsElementNamed(name)) return std::nullopt;
    return Rcpp::as<int>(from[name]);
  }
};

using RunChain = std::function<ps::ChainResult(
    int chain, const ps::ChainHandlers& handlers)>;

/// What a sampler runs.
struct Sampling {
  RunChain run;
  /// Iterations of a chain, as the handlers count them.
  std::int64_t iterations;
  /// Shares of accepted moves by kind, once all chains have run; may be empty.
  std::function<Rcpp::NumericVector()> acceptance;
  /// Of the grid sampler: its cells and the share of mass in unresolved ones.
  std::function<Rcpp::NumericVector()> grid;
};

// `records` must outlive what these return.
Sampling nuts_sampling(const Rcpp::List& spec, const ps::Records& records,
                       const Control& control);
Sampling gibbs_sampling(const Rcpp::List& spec, const ps::Records& records,
                        const Control& control);
/// @throw ps::Interrupted if the user interrupts the set-up.
Sampling surrogate_sampling(const Rcpp::List& spec, const ps::Records& records,
                            const Control& control);
/// @throw ps::Interrupted if the user interrupts the set-up.
Sampling grid_sampling(const Rcpp::List& spec, const ps::Records& records,
                       const Control& control);
Sampling augmentation_sampling(const Rcpp::List& spec,
                               const ps::Records& records,
                               const Control& control);

/// Quantities that do not depend on the labels of components, per draw:
/// sum_i g_i and, for a mixture, quantiles of the predictive distribution.
Rcpp::NumericMatrix monitor(const ps::Records& records,
                            const ps::ModelKind& kind,
                            const Rcpp::NumericMatrix& draws, int threads);

}  // namespace binding

#endif
