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
template <int L>
PSEUDOSYNTH_INLINE void widen_lanes(const FactorGroup& group, const float* b,
                                    int Kp, float* table) {
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
template <int W>
PSEUDOSYNTH_INLINE void widen_cells_kernel(const FactorGroup& group,
                                           const float* b, int Kp,
                                           float* table) {
  if (W < 4 || Kp == 4)
    widen_lanes<4>(group, b, Kp, table);
  else
    widen_lanes<8>(group, b, Kp, table);
}
PSEUDOSYNTH_DISPATCH(widen_cells,
                     (const FactorGroup& group, const float* b, int Kp,
                      float* table),
                     (group, b, Kp, table))

/// The transpose: d_b += what the cells hold. Leaves the sum of all cells in
/// the first and destroys the others.
template <int L>
PSEUDOSYNTH_INLINE void collapse_lanes(const FactorGroup& group, float* table,
                                       int Kp, float* d_b) {
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
template <int W>
PSEUDOSYNTH_INLINE void collapse_cells_kernel(const FactorGroup& group,
                                              float* table, int Kp,
                                              float* d_b) {
  if (W < 4 || Kp == 4)
    collapse_lanes<4>(group, table, Kp, d_b);
  else
    collapse_lanes<8>(group, table, Kp, d_b);
}
PSEUDOSYNTH_DISPATCH(collapse_cells,
                     (const FactorGroup& group, float* table, int Kp,
                      float* d_b),
                     (group, table, Kp, d_b))

struct MixtureSlopePass {
  int Kp;
  int n_blocks;
  const int* block;  // first row of each block, n_blocks + 1
  // First entry of each row, rows + 1. A block's are whole vectors of entries;
  // its last row has further ones of weight 0.
  const int* start;
  // Of the entries; those of few components Kp times over.
  const float* y;
  const float* alpha;
  int n_groups;
  const int* cell;     // rows x n_groups: where a row's cells begin in
  const float* table;  // the linear predictors of all groups' cells, and
  float* slope;        // their slopes, added to
  int n_numeric;
  const float* numeric;    // rows x n_numeric
  const float* numeric_b;  // n_numeric x Kp
  float* numeric_slope;    // added to
  // log2(pi_k / sigma_k), far below 0 in the padding, and u by residual, 0 in
  // the padding; each over as many lanes as a vector may have.
  const float* offset;
  const float* scale;
  // Sums over records of shares r, out: alpha r, alpha r u^2. Slopes are sums
  // of alpha r u.
  float* weight_sum;
  float* square_sum;
  // Of a block: the linear predictors of its entries, then what they add to the
  // slopes.
  float* eta;
  float* product;
};

/// A sum of densities as small as this has lost its digits: what is far out
/// takes densities relative to the largest.
constexpr float kSmallestShares = 1e-30f;

// What a loop reads of the pass is copied first: for all that the compiler
// knows, a store of a float may change it.

/// eta of a block's entries; `Kp` is known when this is compiled, or else p.Kp.
template <int L>
PSEUDOSYNTH_INLINE void slope_predictors(const MixtureSlopePass& p, int block,
                                         const int Kp) {
  const int n_groups = p.n_groups, n_numeric = p.n_numeric;
  const int* const start = p.start;
  const float* const table = p.table;
  const int end = p.block[block + 1];
  float* eta = p.eta;
  for (int row = p.block[block]; row < end; ++row) {
    const int* cell = p.cell + static_cast<std::size_t>(row) * n_groups;
    const int times = start[row + 1] - start[row];
    for (int l = 0; l < Kp; l += L) {
      simd::Floats<L> total, x;
      simd::load_floats<L>(table + cell[0] + l, total);
      for (int g = 1; g < n_groups; ++g) {
        simd::load_floats<L>(table + cell[g] + l, x);
        total += x;
      }
      const float* numeric =
          p.numeric + static_cast<std::size_t>(row) * n_numeric;
      for (int q = 0; q < n_numeric; ++q) {
        simd::load_floats<L>(p.numeric_b + q * Kp + l, x);
        total += numeric[q] * x;
      }
      simd::store_floats<L>(total, eta + l);
      for (int i = 1; i < times; ++i)
        simd::store_floats<L>(total, eta + i * Kp + l);
    }
    eta += times * Kp;
  }
}

/// From the products of a block's entries to the slopes of their cells.
template <int L>
PSEUDOSYNTH_INLINE void slope_sums(const MixtureSlopePass& p, int block,
                                   const int Kp) {
  const int n_groups = p.n_groups, n_numeric = p.n_numeric;
  const int* const start = p.start;
  float* const slope = p.slope;
  const int end = p.block[block + 1];
  const float* product = p.product;
  for (int row = p.block[block]; row < end; ++row) {
    const int* cell = p.cell + static_cast<std::size_t>(row) * n_groups;
    const int times = start[row + 1] - start[row];
    for (int l = 0; l < Kp; l += L) {
      simd::Floats<L> total, x;
      simd::load_floats<L>(product + l, total);
      for (int i = 1; i < times; ++i) {
        simd::load_floats<L>(product + i * Kp + l, x);
        total += x;
      }
      for (int g = 0; g < n_groups; ++g) {
        float* to = slope + cell[g] + l;
        simd::load_floats<L>(to, x);
        simd::store_floats<L>(x + total, to);
      }
      const float* numeric =
          p.numeric + static_cast<std::size_t>(row) * n_numeric;
      for (int q = 0; q < n_numeric; ++q) {
        float* to = p.numeric_slope + q * Kp + l;
        simd::load_floats<L>(to, x);
        simd::store_floats<L>(x + numeric[q] * total, to);
      }
    }
    product += times * Kp;
  }
}

/// Products and sums of one entry at a time, any number of components.
template <int L>
PSEUDOSYNTH_INLINE void slope_entries(const MixtureSlopePass& p, int block) {
  typedef simd::Floats<L> R;
  const int n = p.Kp, times = n <= 8 ? n : 1;
  const int first = p.start[p.block[block]];
  const int end = p.start[p.block[block + 1]];
  for (int i = first; i < end; ++i) {
    const float y = p.y[static_cast<std::size_t>(i) * times];
    const float* eta = p.eta + (i - first) * n;
    float* product = p.product + (i - first) * n;
    R x, u, scale, term, share;
    float sum = 0.0f, high = 0.0f;
    for (int l = 0; l < n; l += L) {
      simd::load_floats<L>(eta + l, x);
      simd::load_floats<L>(p.scale + l, scale);
      simd::load_floats<L>(p.offset + l, term);
      u = (y - x) * scale;
      term -= u * u;
      simd::exp2_floats<L>(term);
      simd::store_floats<L>(term, product + l);
      sum += simd::sum_floats<L>(term);
    }
    if (sum < kSmallestShares) {
      high = -3e38f;
      for (int k = 0; k < n; ++k) {
        const float z = (y - eta[k]) * p.scale[k];
        const float log_density = p.offset[k] - z * z;
        product[k] = log_density;
        high = log_density > high ? log_density : high;
      }
      sum = 0.0f;
      for (int l = 0; l < n; l += L) {
        simd::load_floats<L>(product + l, term);
        term -= high;
        simd::exp2_floats<L>(term);
        simd::store_floats<L>(term, product + l);
        sum += simd::sum_floats<L>(term);
      }
    }
    const float weight = p.alpha[static_cast<std::size_t>(i) * times] / sum;
    for (int l = 0; l < n; l += L) {
      simd::load_floats<L>(eta + l, x);
      simd::load_floats<L>(p.scale + l, scale);
      simd::load_floats<L>(product + l, share);
      u = (y - x) * scale;
      share *= weight;
      term = share * u;
      simd::store_floats<L>(term, product + l);
      simd::load_floats<L>(p.weight_sum + l, x);
      simd::store_floats<L>(x + share, p.weight_sum + l);
      simd::load_floats<L>(p.square_sum + l, x);
      simd::store_floats<L>(x + term * u, p.square_sum + l);
    }
  }
}

/// The same for as many entries as fit a vector of L, C components each.
/// @return false, and nothing added, if an entry is far out.
template <int L, int C>
PSEUDOSYNTH_INLINE bool slope_vectors(const MixtureSlopePass& p, int block,
                                      simd::Floats<L>& weight_sum,
                                      simd::Floats<L>& square_sum) {
  typedef simd::Floats<L> R;
  const int first = p.start[p.block[block]];
  const int n = (p.start[p.block[block + 1]] - first) * C;
  const float *y = p.y, *alpha = p.alpha;
  if (C <= 8) {
    y += static_cast<std::size_t>(first) * C;
    alpha += static_cast<std::size_t>(first) * C;
  } else {
    y += first;
    alpha += first;
  }
  const float* const eta = p.eta;
  float* const product = p.product;
  R offset, scale, least = 1.0f - R{}, weights{}, squares{};
  simd::load_floats<L>(p.offset, offset);
  simd::load_floats<L>(p.scale, scale);
  for (int l = 0; l < n; l += L) {
    R u, share, sum, weight;
    simd::load_floats<L>(eta + l, u);
    if constexpr (C <= 8) {
      simd::load_floats<L>(y + l, share);
      u = (share - u) * scale;
    } else {
      u = (y[l / C] - u) * scale;
    }
    share = offset - u * u;
    simd::exp2_floats<L>(share);
    sum = share;
    simd::sum_parts<L, C>(sum);
    least = sum < least ? sum : least;
    if constexpr (C <= 8) {
      simd::load_floats<L>(alpha + l, weight);
      share *= weight / sum;
    } else {
      share *= alpha[l / C] / sum[0];
    }
    weights += share;
    sum = share * u;
    squares += sum * u;
    simd::store_floats<L>(sum, product + l);
  }
  for (int lane = 0; lane < L; ++lane)
    if (least[lane] < kSmallestShares) return false;
  weight_sum += weights;
  square_sum += squares;
  return true;
}

template <int L, int C>
PSEUDOSYNTH_INLINE void slope_of_vectors(const MixtureSlopePass& p) {
  constexpr int kPart = C < L ? C : L;
  simd::Floats<L> weight_sum{}, square_sum{};
  for (int block = 0; block < p.n_blocks; ++block) {
    slope_predictors<kPart>(p, block, C);
    if (!slope_vectors<L, C>(p, block, weight_sum, square_sum))
      slope_entries<kPart>(p, block);
    slope_sums<kPart>(p, block, C);
  }
  for (int l = 0; l < L; ++l) {
    p.weight_sum[l % C] += weight_sum[l];
    p.square_sum[l % C] += square_sum[l];
  }
}

template <int L>
PSEUDOSYNTH_INLINE void slope_of_entries(const MixtureSlopePass& p) {
  for (int block = 0; block < p.n_blocks; ++block) {
    slope_predictors<L>(p, block, p.Kp);
    slope_entries<L>(p, block);
    slope_sums<L>(p, block, p.Kp);
  }
}

template <int W>
PSEUDOSYNTH_INLINE void mixture_slope_kernel(const MixtureSlopePass& p) {
  constexpr int L = 2 * W;
  if (p.Kp == 4)
    slope_of_vectors<L, 4>(p);
  else if (L >= 8 && p.Kp == 8)
    slope_of_vectors<(L < 8 ? 8 : L), 8>(p);
  else if (L == 16 && p.Kp == 16)
    slope_of_vectors<16, 16>(p);
  else
    slope_of_entries<L>(p);
}
PSEUDOSYNTH_DISPATCH(mixture_slope, (const MixtureSlopePass& p), (p))

}  // namespace detail
}  // namespace pseudosynth

#endif
