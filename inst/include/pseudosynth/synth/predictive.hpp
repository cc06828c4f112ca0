// Posterior predictive draws: y*_i ~ p(. | x_i, theta_s) for every record.
#ifndef PSEUDOSYNTH_SYNTH_PREDICTIVE_HPP
#define PSEUDOSYNTH_SYNTH_PREDICTIVE_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../family/categorical.hpp"
#include "../family/forms.hpp"
#include "../family/normal_mixture.hpp"
#include "../records.hpp"
#include "../rng.hpp"

namespace pseudosynth {

enum class Assignment {
  kPrior,     // component from pi, a function of theta alone
  kPosterior  // component given the true y_i: reads the confidential value
};

/// The place in row order of each record of the file. Random numbers are spent
/// in the order of the file: the order within a row follows the confidential
/// response.
/// @param place of all records; those at first .. last - 1 of the rows are set.
inline void fill_places(const Records& records, int first, int last,
                        int* place) {
  const std::vector<int>& order = records.design.order();
  for (int k = first; k < last; ++k) place[order[k]] = k;
}

/// Records of the file that one random stream serves, so that sets are the same
/// at any number of threads.
constexpr int kSynthesisBlock = 65536;

inline int n_synthesis_blocks(const Records& records) {
  return (records.size() + kSynthesisBlock - 1) / kSynthesisBlock;
}

/// The stream of a block of a set; the first block has that of the set.
inline Rng synthesis_stream(std::uint64_t seed, int set, int block) {
  return Rng(seed, static_cast<std::uint64_t>(set) +
                       (static_cast<std::uint64_t>(block) << 32));
}

namespace detail {

/// What simulates a record from its linear predictors: simulate(k, eta), k its
/// place in row order.
template <class Family>
auto simulator(const Records& records, const Family& family, const double* draw,
               Assignment, Rng& rng) {
  return [&rng, family, at = family.at(draw + records.design.n_columns())](
             std::size_t, const double* eta) {
    return family.simulate(rng, eta[0], at);
  };
}

inline auto simulator(const Records&, const Categorical& family, const double*,
                      Assignment, Rng& rng) {
  return [&rng, K = family.K](std::size_t, const double* eta) {
    return categorical_simulate(rng, eta, K);
  };
}

inline auto simulator(const Records& records, const NormalMixture& family,
                      const double* draw, Assignment assignment, Rng& rng) {
  const int K = family.K;
  const double* pi =
      draw + static_cast<std::size_t>(records.design.n_columns()) * K;
  const double* sigma = pi + K;
  return [=, &records, &rng,
          share = std::vector<double>(static_cast<std::size_t>(K))](
             std::size_t at, const double* mean) mutable {
    if (assignment == Assignment::kPrior)
      return normal_mixture_simulate(rng, mean, pi, sigma, K);
    double high = -kInfinity;
    for (int k = 0; k < K; ++k) {
      share[k] = std::log(pi[k]) +
                 normal_log_density(records.y[at], mean[k], sigma[k]);
      high = std::max(high, share[k]);
    }
    double total = 0.0;
    for (double& s : share) total += s = std::exp(s - high);
    for (double& s : share) s /= total;
    return normal_mixture_simulate(rng, mean, share.data(), sigma, K);
  };
}

}  // namespace detail

/// Synthetic responses, on the modelled scale, of a block of the file from one
/// draw [ b | extras ], written to their places in `out` (all records).
/// @param place as fill_places() gives it.
template <class Family>
void synthesize_block(const Records& records, const int* place,
                      const Family& family, const double* draw, Assignment how,
                      int block, Rng& rng, double* out) {
  const Design& design = records.design;
  const int L = n_predictors(family);
  const std::vector<double> b = design.padded(draw, L);
  std::vector<double> eta(static_cast<std::size_t>(L));
  auto simulate = detail::simulator(records, family, draw, how, rng);
  const int first = block * kSynthesisBlock;
  const int last = first + std::min(kSynthesisBlock, records.size() - first);
  for (int i = first; i < last; ++i) {
    const std::size_t at = static_cast<std::size_t>(place[i]);
    design.row_predictor(design.row()[at], b.data(), L, eta.data());
    out[i] = simulate(at, eta.data());
  }
}

/// The same for all records, in the order of the file, from one stream.
template <class Family>
void synthesize(const Records& records, const Family& family,
                const double* draw, Assignment how, Rng& rng, double* out) {
  std::vector<int> place(static_cast<std::size_t>(records.size()));
  fill_places(records, 0, records.size(), place.data());
  for (int block = 0; block < n_synthesis_blocks(records); ++block)
    synthesize_block(records, place.data(), family, draw, how, block, rng, out);
}

}  // namespace pseudosynth

#endif
