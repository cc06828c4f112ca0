// The privacy loss between two posteriors on one grid:
//   r(theta) = log xi(theta | x) - log xi(theta | y).
#ifndef PSEUDOSYNTH_KERNEL_GRID_LOSS_HPP
#define PSEUDOSYNTH_KERNEL_GRID_LOSS_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "grid_posterior.hpp"

namespace pseudosynth {

struct GridLoss {
  double everywhere = 0.0;    // max |r| over all cells
  double highest = 0.0;       // max r
  double lowest = 0.0;        // min r
  double bulk = 0.0;          // max |r| over the bulk of x
  std::vector<double> delta;  // at each claim, the larger of both directions
};

/// @brief Losses of two posteriors.
/// @param x,y log masses of the cells, up to a constant each; a cell of mass 0
///   under both takes no part, one of mass 0 under one of them has infinite
///   loss
/// @param bulk the cells that draws of x are seen in
/// @param claims epsilons at which
///   delta(epsilon) = sum_g max(0, xi(g | x) - e^epsilon xi(g | y))
///   is taken, and the same with x and y exchanged
inline GridLoss grid_loss(const double* x, const double* y, int G,
                          const std::vector<int>& bulk,
                          const std::vector<double>& claims) {
  const double norm_x = grid_log_sum(x, G);
  const double norm_y = grid_log_sum(y, G);
  GridLoss out;
  out.delta.assign(claims.size(), 0.0);
  std::vector<double> back(claims.size(), 0.0);
  for (int g = 0; g < G; ++g) {
    const double log_p = x[g] - norm_x;
    const double log_q = y[g] - norm_y;
    if (!(log_p > -INFINITY) && !(log_q > -INFINITY)) continue;
    const double r = log_p - log_q;
    out.highest = std::max(out.highest, r);
    out.lowest = std::min(out.lowest, r);
    for (std::size_t c = 0; c < claims.size(); ++c) {
      // p (1 - e^(epsilon - r)), free of cancellation
      if (r > claims[c])
        out.delta[c] -= std::exp(log_p) * std::expm1(claims[c] - r);
      if (-r > claims[c])
        back[c] -= std::exp(log_q) * std::expm1(claims[c] + r);
    }
  }
  for (std::size_t c = 0; c < claims.size(); ++c)
    out.delta[c] = std::max(out.delta[c], back[c]);
  out.everywhere = std::max(out.highest, -out.lowest);
  for (const int g : bulk) {
    const double size = std::fabs((x[g] - norm_x) - (y[g] - norm_y));
    if (size > out.bulk) out.bulk = size;
  }
  return out;
}

}  // namespace pseudosynth

#endif
