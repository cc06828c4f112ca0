// Exact pseudo posteriors on a grid of G parameter points, for the audit of
// small models. A database is a vector of counts n_v over V record types (pairs
// of predictors and response), so that clones are evaluated once:
//   log xi(theta_g) = log prior_g + sum_v n_v clip(alpha_v f_v(theta_g) - a_v).
#ifndef PSEUDOSYNTH_KERNEL_GRID_POSTERIOR_HPP
#define PSEUDOSYNTH_KERNEL_GRID_POSTERIOR_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../simd.hpp"

namespace pseudosynth {

/// Log densities of V record types at G grid points, G contiguous.
struct GridDensity {
  const double* f;
  int G;
  int V;
  const double* column(int v) const {
    return f + static_cast<std::size_t>(v) * static_cast<std::size_t>(G);
  }
};

/// What a mechanism makes of one record type.
struct GridMechanism {
  const double* alpha;   // V
  const double* centre;  // V
  double lower;
  double upper;
};

namespace detail {

struct GridTerm {
  const double* f;  // n values
  int n;
  double count;
  double alpha;
  double centre;
  double lower;
  double upper;
  double* sum;  // n values, added to
};

// A non-finite f (a density of 0) becomes the lower end of the interval; NaN
// compares false twice and would pass, so it is caught by the caller.
template <int W>
PSEUDOSYNTH_INLINE void grid_term_kernel(GridTerm& t) {
  typedef simd::Real<W> R;
  R lower, upper;
  simd::fill<W>(t.lower, lower);
  simd::fill<W>(t.upper, upper);
  int g = 0;
  for (; g + W <= t.n; g += W) {
    R f, sum;
    simd::load<W>(t.f + g, f);
    simd::load<W>(t.sum + g, sum);
    f = t.alpha * f - t.centre;
    f = f < lower ? lower : f;
    f = f > upper ? upper : f;
    sum += t.count * f;
    simd::store<W>(sum, t.sum + g);
  }
  for (; g < t.n; ++g) {
    const double c = t.alpha * t.f[g] - t.centre;
    t.sum[g] += t.count * std::min(std::max(c, t.lower), t.upper);
  }
}

PSEUDOSYNTH_DISPATCH(grid_term, (GridTerm & t), (t))

}  // namespace detail

/// @brief sum[g] += sum_v n_v clip(alpha_v f_v(theta_g) - a_v).
/// A type of weight 0 contributes exactly 0, whatever its density. Cost O(G V);
/// in blocks of the grid, so that `sum` stays in the first-level cache.
inline void grid_add_terms(const GridDensity& grid, const double* counts,
                           const GridMechanism& mechanism, double* sum) {
  constexpr int kBlock = 1024;
  for (int from = 0; from < grid.G; from += kBlock) {
    const int n = std::min(kBlock, grid.G - from);
    for (int v = 0; v < grid.V; ++v) {
      if (counts[v] == 0.0 || mechanism.alpha[v] == 0.0) continue;
      detail::GridTerm term{grid.column(v) + from,
                            n,
                            counts[v],
                            mechanism.alpha[v],
                            mechanism.centre[v],
                            mechanism.lower,
                            mechanism.upper,
                            sum + from};
      detail::grid_term(term);
    }
  }
}

/// Log of the sum of exp(x); -Inf where all are.
inline double grid_log_sum(const double* x, int G) {
  const double high = *std::max_element(x, x + G);
  if (!std::isfinite(high)) return high;
  double total = 0.0;
  for (int g = 0; g < G; ++g) total += std::exp(x[g] - high);
  return high + std::log(total);
}

/// @brief The cells of highest mass that together hold at least `mass`.
/// @param x log masses of the cells, up to a constant
/// @param log_volume log of the cells' size: the region is one of highest
///   density, not of heaviest cells
/// Cells within exp(-60) of the peak are binned by density, so that the cost
/// is O(G); the threshold is that of a bin, 1/64 on the log scale.
inline std::vector<int> grid_bulk(const double* x, const double* log_volume,
                                  int G, double mass) {
  constexpr int kBins = 60 * 64;
  double high = -std::numeric_limits<double>::infinity();
  for (int g = 0; g < G; ++g) high = std::max(high, x[g] - log_volume[g]);
  std::vector<double> bin_mass(kBins + 1, 0.0);
  std::vector<int> bin(static_cast<std::size_t>(G));
  const double norm = grid_log_sum(x, G);
  for (int g = 0; g < G; ++g) {
    const double below = (high - (x[g] - log_volume[g])) * 64.0;
    const int b = below < kBins ? static_cast<int>(below) : kBins;
    bin[g] = b;
    bin_mass[b] += std::exp(x[g] - norm);
  }
  int last = 0;
  double held = bin_mass[0];
  while (held < mass && last < kBins) held += bin_mass[++last];
  std::vector<int> region;
  for (int g = 0; g < G; ++g)
    if (bin[g] <= last) region.push_back(g);
  return region;
}

/// @brief Extremes of g_v = clip(alpha_v f_v - a_v) over some cells.
/// @param[out] low,high V values each
inline void grid_extremes(const GridDensity& grid, const GridMechanism& m,
                          const std::vector<int>& cells, double* low,
                          double* high) {
  for (int v = 0; v < grid.V; ++v) {
    if (m.alpha[v] == 0.0) {
      low[v] = high[v] = 0.0;
      continue;
    }
    const double* f = grid.column(v);
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    for (const int g : cells) {
      least = std::min(least, f[g]);
      most = std::max(most, f[g]);
    }
    const auto clip = [&](double value) {
      return std::min(std::max(m.alpha[v] * value - m.centre[v], m.lower),
                      m.upper);
    };
    low[v] = clip(least);
    high[v] = clip(most);
  }
}

}  // namespace pseudosynth

#endif
