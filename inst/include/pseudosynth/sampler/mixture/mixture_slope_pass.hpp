// The passes of MixtureSlope, in single precision with the components in lanes:
// arrays of components are padded to Kp, a multiple of every lane count used,
// and padded components have density 0. Residuals come in units that make the
// density a power of 2, u = z sqrt(log2(e) / 2): 2^(offset - u^2).
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_SLOPE_PASS_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_SLOPE_PASS_HPP

#include "../../count_of.hpp"
#include "../../design/factor_group.hpp"
#include "../../simd_float.hpp"

namespace pseudosynth {
namespace detail {

/// From the first cell of a group's table (the base) to all of them: the base
/// plus the coefficients that a cell switches on. Works from the last cell to
/// the first, so that a factor widens the table in place.
template <int W>
PSEUDOSYNTH_INLINE void widen_cells_kernel(const FactorGroup& group,
                                           const float* b, int Kp,
                                           float* table) {
  constexpr int L = W < 4 ? 4 : 8;
  int n = 1;
  for (std::size_t f = 0; f < group.factors.size(); ++f) {
    const int levels = group.levels[f];
    // The first code switches no column on.
    const float* first = b + group.first[f] * Kp;
    for (int c = n - 1; c >= 0; --c) {
      for (int l = 0; l < Kp; l += L) {
        simd::Floats<L> base, x;
        simd::load_floats<L>(table + c * Kp + l, base);
        float* to = table + c * levels * Kp + l;
        for (int code = levels - 1; code > 0; --code) {
          simd::load_floats<L>(first + (code - 1) * Kp + l, x);
          simd::store_floats<L>(base + x, to + code * Kp);
        }
        simd::store_floats<L>(base, to);
      }
    }
    n *= levels;
  }
}
PSEUDOSYNTH_DISPATCH(widen_cells,
                     (const FactorGroup& group, const float* b, int Kp,
                      float* table),
                     (group, b, Kp, table))

/// The transpose: d_b += what the cells hold. Leaves the sum of all cells in
/// the first and destroys the others.
template <int W>
PSEUDOSYNTH_INLINE void collapse_cells_kernel(const FactorGroup& group,
                                              float* table, int Kp,
                                              float* d_b) {
  constexpr int L = W < 4 ? 4 : 8;
  int n = group.n_cells;
  for (int f = count_of(group.factors) - 1; f >= 0; --f) {
    const int levels = group.levels[f];
    float* first = d_b + group.first[f] * Kp;
    n /= levels;
    for (int c = 0; c < n; ++c) {
      for (int l = 0; l < Kp; l += L) {
        simd::Floats<L> sum, x, total;
        const float* from = table + c * levels * Kp + l;
        simd::load_floats<L>(from, sum);
        for (int code = 1; code < levels; ++code) {
          simd::load_floats<L>(from + code * Kp, x);
          simd::load_floats<L>(first + (code - 1) * Kp + l, total);
          sum += x;
          simd::store_floats<L>(total + x, first + (code - 1) * Kp + l);
        }
        simd::store_floats<L>(sum, table + c * Kp + l);
      }
    }
  }
}
PSEUDOSYNTH_DISPATCH(collapse_cells,
                     (const FactorGroup& group, float* table, int Kp,
                      float* d_b),
                     (group, table, Kp, d_b))

struct MixtureSlopePass {
  int n_rows;
  int Kp;
  const int* start;  // first entry of each row, n_rows + 1
  const float* y;    // of the entries
  const float* alpha;
  int n_groups;
  const int* const* cell;  // of each row, by group
  float* const* table;     // linear predictors of the cells
  float* const* slope;     // their slopes, added to
  int n_numeric;
  const float* numeric;    // n_rows x n_numeric
  const float* numeric_b;  // n_numeric x Kp
  float* numeric_slope;    // added to
  const float* offset;     // log2(pi_k / sigma_k), far below 0 in the padding
  const float* scale;      // u by residual, 0 in the padding
  // Sums over records of shares r, out: alpha r, alpha r u^2. Slopes are sums
  // of alpha r u.
  float* weight_sum;
  float* square_sum;
  float* scratch;  // 6 Kp
};

/// A number per component: in a register where one vector holds them all, else
/// in memory.
template <int L, bool Single>
struct PerComponent {
  simd::Floats<L> x;
  PSEUDOSYNTH_INLINE explicit PerComponent(float*) : x{} {}
  PSEUDOSYNTH_INLINE void get(int, simd::Floats<L>& to) const { to = x; }
  PSEUDOSYNTH_INLINE void put(const simd::Floats<L>& from, int) { x = from; }
};
template <int L>
struct PerComponent<L, false> {
  float* at;
  PSEUDOSYNTH_INLINE explicit PerComponent(float* where) : at(where) {}
  PSEUDOSYNTH_INLINE void get(int l, simd::Floats<L>& to) const {
    simd::load_floats<L>(at + l, to);
  }
  PSEUDOSYNTH_INLINE void put(const simd::Floats<L>& from, int l) {
    simd::store_floats<L>(from, at + l);
  }
};

template <int L, bool Single>
PSEUDOSYNTH_INLINE void mixture_slope_rows(const MixtureSlopePass& p) {
  typedef simd::Floats<L> R;
  const int n = Single ? L : p.Kp;
  PerComponent<L, Single> eta(p.scratch), slope(p.scratch + n),
      u(p.scratch + 2 * n), r(p.scratch + 3 * n), offset(p.scratch + 4 * n),
      scale(p.scratch + 5 * n), weight_sum(p.weight_sum),
      square_sum(p.square_sum);
  R x, y;
  for (int l = 0; l < n; l += L) {
    simd::load_floats<L>(p.offset + l, x);
    offset.put(x, l);
    simd::load_floats<L>(p.scale + l, x);
    scale.put(x, l);
    weight_sum.put(R{}, l);
    square_sum.put(R{}, l);
  }
  for (int row = 0; row < p.n_rows; ++row) {
    const float* numeric =
        p.numeric + static_cast<std::size_t>(row) * p.n_numeric;
    for (int l = 0; l < n; l += L) {
      R total{};
      for (int g = 0; g < p.n_groups; ++g) {
        simd::load_floats<L>(p.table[g] + p.cell[g][row] * n + l, x);
        total += x;
      }
      for (int q = 0; q < p.n_numeric; ++q) {
        simd::load_floats<L>(p.numeric_b + q * n + l, x);
        total += numeric[q] * x;
      }
      eta.put(total, l);
      slope.put(R{}, l);
    }
    for (int i = p.start[row]; i < p.start[row + 1]; ++i) {
      float sum = 0.0f;
      for (int l = 0; l < n; l += L) {
        R scaled, term;
        eta.get(l, x);
        scale.get(l, y);
        offset.get(l, term);
        scaled = (p.y[i] - x) * y;
        term -= scaled * scaled;
        simd::exp2_floats<L>(term);
        u.put(scaled, l);
        r.put(term, l);
        sum += simd::sum_floats<L>(term);
      }
      if (sum < 1e-30f) {
        // Far out: densities relative to the largest.
        float high = -3e38f;
        for (int l = 0; l < n; l += L) {
          R term;
          offset.get(l, term);
          u.get(l, x);
          term -= x * x;
          r.put(term, l);
          for (int lane = 0; lane < L; ++lane)
            high = term[lane] > high ? term[lane] : high;
        }
        sum = 0.0f;
        for (int l = 0; l < n; l += L) {
          R term;
          r.get(l, term);
          term -= high;
          simd::exp2_floats<L>(term);
          r.put(term, l);
          sum += simd::sum_floats<L>(term);
        }
      }
      const float weight = p.alpha[i] / sum;
      for (int l = 0; l < n; l += L) {
        R share, scaled;
        r.get(l, share);
        u.get(l, scaled);
        share *= weight;
        const R product = share * scaled;
        slope.get(l, x);
        slope.put(x + product, l);
        weight_sum.get(l, x);
        weight_sum.put(x + share, l);
        square_sum.get(l, x);
        square_sum.put(x + product * scaled, l);
      }
    }
    for (int l = 0; l < n; l += L) {
      slope.get(l, y);
      for (int g = 0; g < p.n_groups; ++g) {
        float* to = p.slope[g] + p.cell[g][row] * n + l;
        simd::load_floats<L>(to, x);
        simd::store_floats<L>(x + y, to);
      }
      for (int q = 0; q < p.n_numeric; ++q) {
        float* to = p.numeric_slope + q * n + l;
        simd::load_floats<L>(to, x);
        simd::store_floats<L>(x + numeric[q] * y, to);
      }
    }
  }
  for (int l = 0; l < n; l += L) {
    weight_sum.get(l, x);
    simd::store_floats<L>(x, p.weight_sum + l);
    square_sum.get(l, x);
    simd::store_floats<L>(x, p.square_sum + l);
  }
}

template <int W>
PSEUDOSYNTH_INLINE void mixture_slope_kernel(const MixtureSlopePass& p) {
  constexpr int L = 2 * W;
  if (p.Kp == L)
    mixture_slope_rows<L, true>(p);
  else if (L == 16 && p.Kp == 8)
    mixture_slope_rows<8, true>(p);
  else
    mixture_slope_rows<L, false>(p);
}
PSEUDOSYNTH_DISPATCH(mixture_slope, (const MixtureSlopePass& p), (p))

}  // namespace detail
}  // namespace pseudosynth

#endif
