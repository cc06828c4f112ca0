// The two forms in which a family may write its density so that it runs in
// lanes of a processor's vectors; roles.hpp says what each needs. What a form
// gives back: log_lik() and derivatives().
#ifndef PSEUDOSYNTH_FAMILY_FORMS_HPP
#define PSEUDOSYNTH_FAMILY_FORMS_HPP

#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "../roles.hpp"
#include "../simd.hpp"

namespace pseudosynth {

/// Entry k < S of each array multiplies statistic k, entry S stands alone.
template <int W, int S>
struct RowTerms {
  simd::Real<W> value[S + 1], d_eta[S + 1], d_extra[S + 1];
};

/// One lane of what a form needs, as role::kOffers asks for it.
namespace role {

template <class F>
using LaneDensity = decltype(made<F>().template density<1>(
    1.0, 1.0, made<typename F::At>(), changing<double>(), changing<double>(),
    std::declval<double*>()));

template <class F>
using RowCounts =
    std::enable_if_t<(F::kStatistics == 1 || F::kStatistics == 2) &&
                     F::kResponse >= F::kStatistics && F::kResponse <= 3 &&
                     F::kExtras <= 1>;
template <class F>
using Response = decltype(F::response(1.0, std::declval<double*>()));
template <class F>
using Constant = decltype(F::constant(made<const double*>()));
template <class F>
using Row = decltype(made<F>().template row<1>(
    1.0, made<typename F::At>(), changing<RowTerms<1, F::kStatistics>>()));
template <class F>
using Table = decltype(made<F>().template table<1>(
    made<const double*>(), made<typename F::At>(), changing<double>(),
    changing<double>()));
template <class F>
using Exact = decltype(made<F>().template exact<1>(
    made<const double*>(), 1.0, made<typename F::At>(), made<const double*>(),
    changing<double>()));

template <class F>
struct OfLaneForm {
  static_assert(kOffers<LaneDensity, F>,
                "a LaneForm needs density<W>(y, eta, at, f, d_eta, d_extra) "
                "const (roles.hpp)");
  static constexpr bool kKept = true;
};
template <class F>
struct OfRowForm {
  static_assert(kOffers<RowCounts, F>,
                "a RowForm needs kStatistics of 1 or 2, kResponse of at most 3 "
                "and at most one extra parameter (roles.hpp)");
  static_assert(kOffers<Response, F>,
                "a RowForm needs static response(y, r) (roles.hpp)");
  static_assert(kOffers<Constant, F>,
                "a RowForm needs static constant(r) (roles.hpp)");
  static_assert(kOffers<Row, F>,
                "a RowForm needs row<W>(eta, at, terms) const (roles.hpp)");
  static_assert(!F::kTable || kOffers<Table, F>,
                "a RowForm with kTable needs table<W>(r, at, value, d_extra) "
                "const (roles.hpp)");
  static_assert(!F::kCancels || kOffers<Exact, F>,
                "a RowForm with kCancels needs exact<W>(r, eta, at, value, f) "
                "const (roles.hpp)");
  static constexpr bool kKept = true;
};

}  // namespace role

template <class Family>
struct LaneForm {
  static constexpr bool kLanesCheck = true;

  template <class At>
  double log_lik(double y, double eta, const At& at) const {
    double d_eta, d_extra[Family::kExtras + 1];
    return derivatives(y, eta, at, d_eta, d_extra);
  }

  template <class At>
  double derivatives(double y, double eta, const At& at, double& d_eta,
                     double* d_extra) const {
    static_assert(role::OfLaneForm<Family>::kKept);
    double f;
    static_cast<const Family&>(*this).template density<1>(y, eta, at, f, d_eta,
                                                          d_extra);
    return f;
  }
};

template <class Family>
struct RowForm {
  static constexpr bool kTable = false, kCancels = false;

  static bool response_splits(const double*) { return true; }
  template <class At>
  static bool draw_splits(const At&) {
    return true;
  }

  template <class At>
  double log_lik(double y, double eta, const At& at) const {
    double d_eta, d_extra[2];
    return derivatives(y, eta, at, d_eta, d_extra);
  }

  template <class At>
  double derivatives(double y, double eta, const At& at, double& d_eta,
                     double* d_extra) const {
    static_assert(role::OfRowForm<Family>::kKept);
    double r[Family::kResponse];
    Family::response(y, r);
    return record(r, eta, at, d_eta, d_extra);
  }

  /// derivatives() from the numbers of a response.
  template <class At>
  double record(const double* r, double eta, const At& at, double& d_eta,
                double* d_extra) const {
    constexpr int S = Family::kStatistics;
    const Family& family = static_cast<const Family&>(*this);
    RowTerms<1, S> t;
    family.template row<1>(eta, at, t);
    double f = Family::constant(r), table = 0.0, d_table = 0.0;
    if constexpr (Family::kTable)
      family.template table<1>(r, at, table, d_table);
    f += table;
    const bool splits = Family::response_splits(r) && Family::draw_splits(at) &&
                        (!Family::kTable || std::fabs(f) < kLargestTable);
    f += t.value[S];
    d_eta = t.d_eta[S];
    for (int k = 0; k < S; ++k) {
      f += r[k] * t.value[k];
      d_eta += r[k] * t.d_eta[k];
    }
    if constexpr (Family::kExtras > 0) {
      d_extra[0] = d_table + t.d_extra[S];
      for (int k = 0; k < S; ++k) d_extra[0] += r[k] * t.d_extra[k];
    }
    if constexpr (Family::kCancels)
      if (!splits) family.template exact<1>(r, eta, at, t.value, f);
    return f;
  }

  // A + constant(y) beyond which f has lost digits to the split.
  static constexpr double kLargestTable = 1000.0;
};

template <class Family>
constexpr bool kHasRowForm = std::is_base_of_v<RowForm<Family>, Family>;
template <class Family>
constexpr bool kHasLaneForm = std::is_base_of_v<LaneForm<Family>, Family>;

template <class Family, class = void>
constexpr bool kHasLeastSquares = false;
template <class Family>
constexpr bool
    kHasLeastSquares<Family, std::void_t<decltype(Family::kLeastSquares)>> =
        Family::kLeastSquares;

/// Linear predictors per record: one, unless a family says otherwise.
template <class Family>
constexpr int n_predictors(const Family&) {
  return 1;
}

/// Beyond this |eta|, and where eta is not a number, one lane takes over.
constexpr double kLaneRange = 600.0;

namespace detail {

/// Turns `bad` to 1 in the lanes whose |eta| is beyond kLaneRange or NaN.
template <int W>
PSEUDOSYNTH_INLINE void mark_outside(const simd::Real<W>& eta,
                                     simd::Real<W>& bad) {
  simd::Real<W> one, range;
  simd::fill<W>(1.0, one);
  simd::fill<W>(kLaneRange * kLaneRange, range);
  bad = eta * eta <= range ? bad : one;
}

template <class Family>
constexpr std::size_t kDrawFields = std::is_empty_v<typename Family::At>
                                        ? 0
                                        : sizeof(typename Family::At) /
                                              sizeof(double);

/// Is a Draw<W> so many simd::Real<W>, one after the other, and nothing else?
/// Its fields are read and written as such an array.
template <int W, class Draw, std::size_t n>
constexpr bool kIsArray =
    std::is_standard_layout_v<Draw>&& std::is_trivially_copyable_v<Draw> &&
    (n == 0 ? std::is_empty_v<Draw>
            : sizeof(Draw) == n * sizeof(simd::Real<W>));

/// Field k of a Draw<W> from W doubles or, kAlike, from one for all lanes.
template <int W, bool kAlike, class Draw>
PSEUDOSYNTH_INLINE void load_field(const double* from, std::size_t k,
                                   Draw& at) {
  simd::Real<W> value;
  if constexpr (kAlike)
    simd::broadcast<W>(*from, value);
  else
    simd::load<W>(from, value);
  std::memcpy(reinterpret_cast<char*>(&at) + k * sizeof(value), &value,
              sizeof(value));
}
template <int W, bool kAlike, class Draw, std::size_t... K>
PSEUDOSYNTH_INLINE void load_fields(const double* from, std::size_t stride,
                                    Draw& at, std::index_sequence<K...>) {
  (load_field<W, kAlike>(from + K * stride, K, at), ...);
}

/// W draws whose fields lie `stride` apart; kAlike: one draw in all lanes.
template <int W, class Family, bool kAlike = false>
PSEUDOSYNTH_INLINE void load_draws(const double* from, std::size_t stride,
                                   typename Family::template Draw<W>& at) {
  static_assert(kIsArray<1, typename Family::At, kDrawFields<Family>>);
  static_assert(
      kIsArray<W, typename Family::template Draw<W>, kDrawFields<Family>>);
  if constexpr (kDrawFields < Family >> 0)
    load_fields<W, kAlike>(from, stride, at,
                           std::make_index_sequence<kDrawFields<Family>>());
}
template <int W, class Family>
PSEUDOSYNTH_INLINE void fill_draw(const typename Family::At& from,
                                  typename Family::template Draw<W>& at) {
  load_draws<W, Family, true>(reinterpret_cast<const double*>(&from), 1, at);
}

/// n numbers, `stride` apart.
template <int W, int n>
PSEUDOSYNTH_INLINE void load_numbers(const double* from, std::size_t stride,
                                     simd::Real<W>* to) {
  simd::load<W>(from, to[0]);
  if constexpr (n > 1) load_numbers<W, n - 1>(from + stride, stride, to + 1);
}
template <int W, int n>
PSEUDOSYNTH_INLINE void store_numbers(const simd::Real<W>* from,
                                      std::size_t stride, double* to) {
  simd::store<W>(from[0], to);
  if constexpr (n > 1) store_numbers<W, n - 1>(from + 1, stride, to + stride);
}
/// sum_k s_k x_k + weight x_S.
template <int W, int S>
PSEUDOSYNTH_INLINE void weighted_sum(const simd::Real<W>* s,
                                     const simd::Real<W>& weight,
                                     const simd::Real<W>* x,
                                     simd::Real<W>& out) {
  static_assert(S == 1 || S == 2);
  out = weight * x[S] + s[0] * x[0];
  if constexpr (S > 1) out += s[1] * x[1];
}

}  // namespace detail
}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FAMILY_FORMS_HPP
