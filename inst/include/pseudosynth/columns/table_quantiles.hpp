// Quantiles of discrete laws from tables of their cumulative shares: one search
// a record where the law's own function would be evaluated many times.
#ifndef PSEUDOSYNTH_COLUMNS_TABLE_QUANTILES_HPP
#define PSEUDOSYNTH_COLUMNS_TABLE_QUANTILES_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pseudosynth {

/// The smallest k with p <= share[k]; -1 beyond the table, and where p is as
/// near to a share as rounding: the law's own function decides there.
inline int table_quantile(const double* share, std::size_t n, double p) {
  constexpr double kNear = 1e-10;
  const double* at = std::lower_bound(share, share + n, p);
  if (at == share + n) return -1;
  const auto near = [p](double value) {
    return std::fabs(value - p) <= kNear * std::max(value, 1e-300) ||
           std::fabs(value - p) <= kNear * (1.0 - value);
  };
  if (near(*at) || (at != share && near(at[-1]))) return -1;
  return static_cast<int>(at - share);
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_COLUMNS_TABLE_QUANTILES_HPP
