// Lipschitz bounds of the log pseudo likelihood, streaming:
//   Delta_i = max_s |g_i(theta_s)|, Delta(theta_s) = max_i |g_i(theta_s)|,
//   osc_i = max_s g_i - min_s g_i,
// g_i = clip(alpha_i f_i - a_i) (Savitsky, Williams and Hu, section 3.1).
#ifndef PSEUDOSYNTH_KERNEL_LIPSCHITZ_HPP
#define PSEUDOSYNTH_KERNEL_LIPSCHITZ_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "../math.hpp"
#include "../records.hpp"
#include "../simd.hpp"
#include "stream_log_lik.hpp"

namespace pseudosynth {

/// Record bounds come back in the order of the file.
struct LipschitzBounds {
  std::vector<double> max;     // N: max_s g_i
  std::vector<double> min;     // N
  std::vector<double> draw;    // S: max_i |g_i|; Inf where some
                               // f is not finite, weight positive
  std::vector<int> nonfinite;  // N: draws with f not finite, weight positive
};

namespace detail {

struct LipschitzPass {
  const double* f;  // kDrawTile
  double alpha;
  double centre;
  double lower;
  double upper;
  double* draw;     // kDrawTile, running max |g|
  double* high;     // W lanes, running max of f
  double* low;      // W lanes, running min
  double unfinite;  // out: 0 if every f is finite, else NaN
};

template <int W>
PSEUDOSYNTH_INLINE void lipschitz_pass_kernel(LipschitzPass& p) {
  typedef simd::Real<W> R;
  R high, low, lower, upper, check, zero;
  simd::load<W>(p.high, high);
  simd::load<W>(p.low, low);
  simd::broadcast<W>(p.lower, lower);
  simd::broadcast<W>(p.upper, upper);
  simd::fill<W>(0.0, zero);
  check = zero;
  for (int l = 0; l < kDrawTile; l += W) {
    R f, draw;
    simd::load<W>(p.f + l, f);
    simd::load<W>(p.draw + l, draw);
    check += f - f;
    R g = p.alpha * f - p.centre;
    g = g < lower ? lower : g;
    g = g > upper ? upper : g;
    const R size = g < zero ? -g : g;
    draw = size > draw ? size : draw;
    simd::store<W>(draw, p.draw + l);
    high = f > high ? f : high;
    low = f < low ? f : low;
  }
  simd::store<W>(high, p.high);
  simd::store<W>(low, p.low);
  p.unfinite = simd::sum<W>(check);
}
PSEUDOSYNTH_DISPATCH(lipschitz_pass, (LipschitzPass & p), (p))

/// True if record i and the next have the same weight and centre.
inline bool same_rule(const Records& records, int i) {
  const std::size_t at = static_cast<std::size_t>(i);
  return records.alpha[at] == records.alpha[at + 1] &&
         (!records.censor.active ||
          records.censor.centre[at] == records.censor.centre[at + 1]);
}

}  // namespace detail

/// Draws rounded up to whole tiles: the length of `draw` below.
inline int padded_draws(int S) {
  return (S + kDrawTile - 1) / kDrawTile * kDrawTile;
}

/// The bounds of the records of the cells, written to `out` (record entries)
/// and `draw` (padded_draws(S), this block's running maximum). The padding
/// repeats the last draw. Writes of different blocks touch different records,
/// so blocks may run in parallel; maxima do not depend on their order.
template <class Family>
void lipschitz_block(const Records& records, const Family& family,
                     const DrawMatrix& draws, CellRange cells,
                     LipschitzBounds& out, double* draw,
                     const ShouldStop& should_stop) {
  const std::vector<int>& order = records.design.order();
  constexpr int kWidest = 8;
  simd::AlignedBuffer high(static_cast<std::size_t>(cells.last - cells.first) *
                           kWidest);
  simd::AlignedBuffer low(high.size());
  std::fill(high.data(), high.data() + high.size(), -kInfinity);
  std::fill(low.data(), low.data() + low.size(), kInfinity);

  stream_log_lik(
      records, family, draws, cells,
      [&](int c, int s, int count, const double* f) {
        const std::size_t place =
            static_cast<std::size_t>(c - cells.first) * kWidest;
        const int from = records.cell_begin(c), to = records.cell_begin(c + 1);
        bool unfinite = false;
        // Records of one weight and centre have one g; uncensored, the largest
        // weight (the last) has the largest |g|.
        for (int i = records.censor.active ? from : to - 1; i < to; ++i) {
          const std::size_t at = static_cast<std::size_t>(i);
          const double alpha = records.alpha[at];
          if (alpha == 0.0) continue;
          if (i + 1 < to && detail::same_rule(records, i)) continue;
          detail::LipschitzPass pass{
              f,
              alpha,
              records.censor.active ? records.censor.centre[at] : 0.0,
              records.censor.active ? records.censor.lower : -kInfinity,
              records.censor.active ? records.censor.upper : kInfinity,
              draw + s,
              high.data() + place,
              low.data() + place,
              0.0};
          detail::lipschitz_pass(pass);
          unfinite = unfinite || pass.unfinite != 0.0;
        }
        if (!unfinite) return;
        // A record without a finite f bounds nothing: not its draw either,
        // where a NaN has passed every comparison.
        int bad = 0;
        for (int l = 0; l < count; ++l) {
          if (std::isfinite(f[l])) continue;
          ++bad;
          draw[s + l] = kInfinity;
        }
        for (int i = from; i < to; ++i) {
          const std::size_t at = static_cast<std::size_t>(i);
          if (records.alpha[at] != 0.0) out.nonfinite[order[at]] += bad;
        }
      },
      should_stop);

  for (int c = cells.first; c < cells.last; ++c) {
    const std::size_t place =
        static_cast<std::size_t>(c - cells.first) * kWidest;
    double top = -kInfinity, bottom = kInfinity;
    for (int l = 0; l < simd::lanes(); ++l) {
      top = std::max(top, high[place + static_cast<std::size_t>(l)]);
      bottom = std::min(bottom, low[place + static_cast<std::size_t>(l)]);
    }
    for (int i = records.cell_begin(c); i < records.cell_begin(c + 1); ++i) {
      // g is monotone in f, so its extremes are those of f.
      const std::size_t original = static_cast<std::size_t>(order[i]);
      out.max[original] = records.contribution(i, top);
      out.min[original] = records.contribution(i, bottom);
    }
  }
}

}  // namespace pseudosynth

#endif
