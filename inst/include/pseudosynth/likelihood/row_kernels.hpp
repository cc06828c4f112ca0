// Loops over design rows and over responses in lanes, at one draw, for families
// with a RowForm (see roles.hpp). n is a multiple of every lane count.
#ifndef PSEUDOSYNTH_LIKELIHOOD_ROW_KERNELS_HPP
#define PSEUDOSYNTH_LIKELIHOOD_ROW_KERNELS_HPP

#include <cstddef>

#include "../family/forms.hpp"
#include "../simd.hpp"

namespace pseudosynth {
namespace detail {

/// Sums by row and what is made of them. Arrays of several numbers a row have
/// one number of all rows first.
struct RowPass {
  std::size_t n;
  const double* eta;
  const double* weight;
  const double* statistic;  // sums of alpha s_k(y)
  const double* anchor;     // kResponse numbers of an anchor response
  const double* residual;   // statistic less weight times the anchor's
  double* d_eta;            // out
  double total = 0.0, d_extra = 0.0;
  double outside = 0.0;  // out: not 0 if some eta is beyond the range of lanes
};

/// What a pass over rows is to find.
enum class Sum {
  kValue,            // sum of alpha f less constants
  kGradient,         // its derivatives, too
  kAnchoredGradient  // the value from f at an anchor of each row, and from what
                     // its records differ from it by: where the split cancels
};

template <int W, class Family, Sum kSum>
PSEUDOSYNTH_INLINE void sum_rows_kernel(const Family& family,
                                        const typename Family::At& draw,
                                        RowPass& p) {
  constexpr int S = Family::kStatistics, n_response = Family::kResponse;
  typedef simd::Real<W> R;
  typename Family::template Draw<W> at;
  fill_draw<W, Family>(draw, at);
  R total{}, d_extra{}, bad{};
  const R zero{};
  for (std::size_t r = 0; r < p.n; r += W) {
    R eta, weight, s[S], sum;
    simd::load<W>(p.eta + r, eta);
    simd::load<W>(p.weight + r, weight);
    // A row of weight 0 is not to make the sum infinite.
    if constexpr (W == 1) eta = weight > zero ? eta : zero;
    mark_outside<W>(eta, bad);
    load_numbers<W, S>(p.statistic + r, p.n, s);
    RowTerms<W, S> t;
    family.template row<W>(eta, at, t);
    if constexpr (kSum == Sum::kAnchoredGradient) {
      R rest[S], anchor[n_response], f;
      load_numbers<W, S>(p.residual + r, p.n, rest);
      load_numbers<W, n_response>(p.anchor + r, p.n, anchor);
      family.template exact<W>(anchor, eta, at, t.value, f);
      weighted_sum<W, S>(rest, zero, t.value, sum);
      sum += weight * f;
    } else {
      weighted_sum<W, S>(s, weight, t.value, sum);
    }
    total += sum;
    if constexpr (kSum != Sum::kValue) {
      weighted_sum<W, S>(s, weight, t.d_eta, sum);
      simd::store<W>(sum, p.d_eta + r);
      if constexpr (Family::kExtras > 0) {
        weighted_sum<W, S>(s, weight, t.d_extra, sum);
        d_extra += sum;
      }
    }
  }
  p.total = simd::sum<W>(total);
  p.d_extra = simd::sum<W>(d_extra);
  p.outside = simd::sum<W>(bad);
}
PSEUDOSYNTH_DISPATCH_FOR(sum_rows, (class Family, Sum kSum), (Family, kSum),
                         (const Family& family, const typename Family::At& draw,
                          RowPass& p),
                         (family, draw, p))

/// Terms of all rows: n numbers for each entry of value and, with kGradient, of
/// d_eta and d_extra. `outside` as in RowPass.
template <int W, class Family, bool kGradient>
PSEUDOSYNTH_INLINE void fill_rows_kernel(const Family& family,
                                         const typename Family::At& draw,
                                         std::size_t n, const double* eta,
                                         double* terms, double& outside) {
  constexpr int S = Family::kStatistics;
  typedef simd::Real<W> R;
  typename Family::template Draw<W> at;
  fill_draw<W, Family>(draw, at);
  R bad{};
  for (std::size_t r = 0; r < n; r += W) {
    R x;
    simd::load<W>(eta + r, x);
    mark_outside<W>(x, bad);
    RowTerms<W, S> t;
    family.template row<W>(x, at, t);
    store_numbers<W, S + 1>(t.value, n, terms + r);
    if constexpr (kGradient)
      store_numbers<W, S + 1>(t.d_eta, n, terms + (S + 1) * n + r);
    if constexpr (kGradient && Family::kExtras > 0)
      store_numbers<W, S + 1>(t.d_extra, n, terms + 2 * (S + 1) * n + r);
  }
  outside = simd::sum<W>(bad);
}
PSEUDOSYNTH_DISPATCH_FOR(fill_rows, (class Family, bool kGradient),
                         (Family, kGradient),
                         (const Family& family, const typename Family::At& draw,
                          std::size_t n, const double* eta, double* terms,
                          double& outside),
                         (family, draw, n, eta, terms, outside))

/// A of n responses and, with kGradient, its derivative; `response` has n
/// numbers for each entry.
template <int W, class Family, bool kGradient>
PSEUDOSYNTH_INLINE void fill_table_kernel(const Family& family,
                                          const typename Family::At& draw,
                                          std::size_t n, const double* response,
                                          double* value, double* d_extra) {
  constexpr int n_response = Family::kResponse;
  typedef simd::Real<W> R;
  typename Family::template Draw<W> at;
  fill_draw<W, Family>(draw, at);
  for (std::size_t y = 0; y < n; y += W) {
    R r[n_response], table, d_table;
    load_numbers<W, n_response>(response + y, n, r);
    family.template table<W>(r, at, table, d_table);
    simd::store<W>(table, value + y);
    if constexpr (kGradient) simd::store<W>(d_table, d_extra + y);
  }
}
PSEUDOSYNTH_DISPATCH_FOR(fill_table, (class Family, bool kGradient),
                         (Family, kGradient),
                         (const Family& family, const typename Family::At& draw,
                          std::size_t n, const double* response, double* value,
                          double* d_extra),
                         (family, draw, n, response, value, d_extra))

/// f of n records at one draw and, with kGradient, its derivatives in eta and
/// each extra parameter: arrays of n in `slope`. `unfinite` becomes NaN where
/// some f is not finite. For families with a LaneForm.
template <int W, class Family, bool kGradient>
PSEUDOSYNTH_INLINE void fill_cells_kernel(const Family& family,
                                          const typename Family::At& draw,
                                          std::size_t n, const double* y,
                                          const double* eta, double* f,
                                          double* slope, double& unfinite) {
  constexpr int E = Family::kExtras;
  typedef simd::Real<W> R;
  typename Family::template Draw<W> at;
  fill_draw<W, Family>(draw, at);
  R check{};
  std::size_t c = 0;
  if constexpr (!kGradient) {
    // Two at once: neither waits for the logarithm of the other
    for (; c + 2 * W <= n; c += 2 * W) {
      R response, x, value, response2, x2, value2, d_eta, d_extra[E + 1];
      simd::load<W>(y + c, response);
      simd::load<W>(eta + c, x);
      simd::load<W>(y + c + W, response2);
      simd::load<W>(eta + c + W, x2);
      family.template density<W>(response, x, at, value, d_eta, d_extra);
      family.template density<W>(response2, x2, at, value2, d_eta, d_extra);
      check += value - value;
      check += value2 - value2;
      simd::store<W>(value, f + c);
      simd::store<W>(value2, f + c + W);
    }
  }
  for (; c < n; c += W) {
    R response, x, value, d_eta, d_extra[E + 1];
    simd::load<W>(y + c, response);
    simd::load<W>(eta + c, x);
    family.template density<W>(response, x, at, value, d_eta, d_extra);
    check += value - value;
    simd::store<W>(value, f + c);
    if constexpr (kGradient) simd::store<W>(d_eta, slope + c);
    if constexpr (kGradient && E > 0)
      store_numbers<W, E>(d_extra, n, slope + n + c);
  }
  unfinite = simd::sum<W>(check);
}
PSEUDOSYNTH_DISPATCH_FOR(fill_cells, (class Family, bool kGradient),
                         (Family, kGradient),
                         (const Family& family, const typename Family::At& draw,
                          std::size_t n, const double* y, const double* eta,
                          double* f, double* slope, double& unfinite),
                         (family, draw, n, y, eta, f, slope, unfinite))

}  // namespace detail
}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_ROW_KERNELS_HPP
