// Families whose log density splits by design row,
//   f = sum_k s_k(y) u_k(eta) + v(eta) + A(y),
// s of the response alone, u and v of the linear predictor, A of the response;
// u, v and A also of the extra parameters. What is uncensored then sums up to a
// few numbers per design row and the distinct responses.
//
// A specialisation offers
//   kStatistics                      1 or 2
//   statistics(y, s)
//   rows(n, eta, extra, u0, u1, v)   fills u and v; n is a multiple of 8
//   kTable, table(n, y, extra, A)    where A depends on extra
//   constant(y)                      the part of A that does not
#ifndef PSEUDOSYNTH_LIKELIHOOD_ROW_FORM_HPP
#define PSEUDOSYNTH_LIKELIHOOD_ROW_FORM_HPP

#include <cmath>

#include "../family/bernoulli.hpp"
#include "../family/beta.hpp"
#include "../family/neg_binomial.hpp"
#include "../family/poisson.hpp"
#include "../simd_special.hpp"

namespace pseudosynth {

template <class Family>
struct RowForm {
  static constexpr bool kAvailable = false;
};

namespace detail {

template <int W>
PSEUDOSYNTH_INLINE void poisson_rows_kernel(int n, const double* eta, double* u,
                                            double* v) {
  for (int r = 0; r < n; r += W) {
    simd::Real<W> x;
    simd::load<W>(eta + r, x);
    simd::store<W>(x, u + r);
    // exp_in_place needs x <= 700. This value only accepts or rejects a state,
    // and -e^700 rejects it as surely as what it stands for; bounds and
    // gradients have no such limit.
    simd::Real<W> high;
    simd::fill<W>(700.0, high);
    x = x > high ? high : x;
    simd::exp_in_place<W>(x);
    simd::store<W>(-x, v + r);
  }
}
PSEUDOSYNTH_DISPATCH(poisson_rows,
                     (int n, const double* eta, double* u, double* v),
                     (n, eta, u, v))

/// u = x - L, v = -size L with x = eta - log size, L = log(1 + exp(x)).
template <int W>
PSEUDOSYNTH_INLINE void logistic_rows_kernel(int n, const double* eta,
                                             double log_size, double size,
                                             double* u, double* v) {
  for (int r = 0; r < n; r += W) {
    simd::Real<W> x;
    simd::load<W>(eta + r, x);
    x -= log_size;
    simd::Real<W> soft = x;
    simd::log1p_exp_in_place<W>(soft);
    simd::store<W>(x - soft, u + r);
    simd::store<W>(-size * soft, v + r);
  }
}
PSEUDOSYNTH_DISPATCH(logistic_rows,
                     (int n, const double* eta, double log_size, double size,
                      double* u, double* v),
                     (n, eta, log_size, size, u, v))

/// out = log Gamma(x + shift) - offset.
template <int W>
PSEUDOSYNTH_INLINE void log_gamma_table_kernel(int n, const double* x,
                                               double shift, double offset,
                                               double* out) {
  for (int l = 0; l < n; l += W) {
    simd::Real<W> at;
    simd::load<W>(x + l, at);
    at += shift;
    simd::log_gamma_in_place<W>(at);
    simd::store<W>(at - offset, out + l);
  }
}
PSEUDOSYNTH_DISPATCH(log_gamma_table,
                     (int n, const double* x, double shift, double offset,
                      double* out),
                     (n, x, shift, offset, out))

/// a = lambda m, b = lambda (1 - m): u = a - 1, w = b - 1,
/// v = -log Gamma(a) - log Gamma(b) + log Gamma(lambda).
template <int W>
PSEUDOSYNTH_INLINE void beta_rows_kernel(int n, const double* eta,
                                         double lambda, double log_gamma,
                                         double* u, double* w, double* v) {
  typedef simd::Real<W> R;
  for (int r = 0; r < n; r += W) {
    R x, high;
    simd::load<W>(eta + r, x);
    const R zero{};
    simd::fill<W>(690.0, high);
    R e = x > zero ? -x : x;
    e = e < -high ? -high : e;
    simd::exp_in_place<W>(e);
    const R large = lambda / (1.0 + e), small = large * e;
    R a = x > zero ? large : small, b = x > zero ? small : large;
    simd::store<W>(a - 1.0, u + r);
    simd::store<W>(b - 1.0, w + r);
    simd::log_gamma_in_place<W>(a);
    simd::log_gamma_in_place<W>(b);
    simd::store<W>(log_gamma - a - b, v + r);
  }
}
PSEUDOSYNTH_DISPATCH(beta_rows,
                     (int n, const double* eta, double lambda, double log_gamma,
                      double* u, double* w, double* v),
                     (n, eta, lambda, log_gamma, u, w, v))

}  // namespace detail

template <>
struct RowForm<Poisson> {
  static constexpr bool kAvailable = true, kTable = false;
  static constexpr int kStatistics = 1;
  static void statistics(double y, double* s) { s[0] = y; }
  static double constant(double y) { return -log_gamma(y + 1.0); }
  static void rows(int n, const double* eta, const double*, double* u, double*,
                   double* v) {
    detail::poisson_rows(n, eta, u, v);
  }
  static void table(int, const double*, const double*, double*) {}
};

/// f(1) = eta - L, f(0) = -L with L = log(1 + exp(eta)).
template <>
struct RowForm<Bernoulli> {
  static constexpr bool kAvailable = true, kTable = false;
  static constexpr int kStatistics = 1;
  static void statistics(double y, double* s) { s[0] = y > 0.5 ? 1.0 : 0.0; }
  static double constant(double) { return 0.0; }
  static void rows(int n, const double* eta, const double*, double* u, double*,
                   double* v) {
    detail::logistic_rows(n, eta, 0.0, 1.0, u, v);
    std::copy(eta, eta + n, u);
  }
  static void table(int, const double*, const double*, double*) {}
};

template <>
struct RowForm<NegBinomial> {
  static constexpr bool kAvailable = true, kTable = true;
  static constexpr int kStatistics = 1;
  static void statistics(double y, double* s) { s[0] = y; }
  static double constant(double y) { return -log_gamma(y + 1.0); }
  static void rows(int n, const double* eta, const double* extra, double* u,
                   double*, double* v) {
    detail::logistic_rows(n, eta, std::log(extra[0]), extra[0], u, v);
  }
  static void table(int n, const double* y, const double* extra, double* out) {
    const double size = extra[0];
    if (size < 1e4) {
      detail::log_gamma_table(n, y, size, log_gamma(size), out);
      return;
    }
    // Towards the Poisson limit both terms are huge and nearly the same.
    const double log_size = std::log(size);
    for (int l = 0; l < n; ++l)
      out[l] = (y[l] + size - 0.5) * std::log1p(y[l] / size) - y[l] +
               stirling_remainder(y[l] + size) - stirling_remainder(size) +
               y[l] * log_size;
  }
};

template <>
struct RowForm<Beta> {
  static constexpr bool kAvailable = true, kTable = false;
  static constexpr int kStatistics = 2;
  static void statistics(double y, double* s) {
    s[0] = std::log(y);
    s[1] = std::log1p(-y);
  }
  static double constant(double) { return 0.0; }
  static void rows(int n, const double* eta, const double* extra, double* u,
                   double* w, double* v) {
    detail::beta_rows(n, eta, extra[0], log_gamma(extra[0]), u, w, v);
  }
  static void table(int, const double*, const double*, double*) {}
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_ROW_FORM_HPP
