// Updates the hyperparameters of the papers' prior given one coefficient
// vector, without the data:
//   b ~ N(0, diag(tau) Omega diag(tau)), tau_j ~ half-t, Omega ~ LKJ(eta).
//
// With u = b / tau, Omega is the correlation matrix of a Wishart matrix:
// Sigma = D Omega D ~ Wishart(nu, I) with nu = 2 eta + P - 1, and the d_j^2 are
// independent chi-square(nu) and independent of Omega. Then v = D u given Sigma
// is N(0, Sigma), and Sigma given v can be drawn exactly: Sigma = Y'Y, v = Y'w
// with standard normal Y (nu x P) and w, so given v and q = |w|^2
//   Sigma = v v' / q + Wishart(nu - 1, I),
//   q ~ generalised inverse Gaussian(eta - 1/2, |v|^2).
// b and v stay fixed, so tau = b / u moves along with D; only the prior of tau
// enters the acceptance, which stays near .6 at any P.
#ifndef PSEUDOSYNTH_SAMPLER_HIERARCHICAL_SWEEP_HPP
#define PSEUDOSYNTH_SAMPLER_HIERARCHICAL_SWEEP_HPP

#include <cmath>

#include "../math.hpp"
#include "../rng.hpp"
#include "../simd.hpp"
#include "generalised_inverse_gaussian.hpp"
#include "slice.hpp"

namespace pseudosynth {

namespace detail {

/// out = A'A, n x n, of a lower triangular A.
template <int W>
PSEUDOSYNTH_INLINE void lower_gram_kernel(int n, const double* a, double* out) {
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      const double *x = a + i * n, *y = a + j * n;
      simd::Real<W> sum{}, u, v;
      int k = n;
      // Whole lanes from below: what they reach above the diagonal is 0.
      while (k > i && k >= W) {
        k -= W;
        simd::load<W>(x + k, u);
        simd::load<W>(y + k, v);
        sum += u * v;
      }
      double total = simd::sum<W>(sum);
      while (--k >= i) total += x[k] * y[k];
      out[i * n + j] = out[j * n + i] = total;
    }
  }
}
PSEUDOSYNTH_DISPATCH(lower_gram, (int n, const double* a, double* out),
                     (n, a, out))

}  // namespace detail

class HierarchicalSweep {
 public:
  /// @param eta shape of the LKJ prior, above 1/2.
  HierarchicalSweep(int P, double eta, double df, double scale)
      : P_(P),
        eta_(eta),
        df_(df),
        scale_(scale),
        nu_(2.0 * eta + P - 1.0),
        omega_factor_(Matrix::Identity(P, P)),
        precision_(Matrix::Identity(P, P)),
        factor_(Matrix::Zero(P, P)),
        inverse_(Matrix::Zero(P, P)) {
    tau = Vector::Constant(P, scale);
  }

  Vector tau;

  bool is_where(const HierarchicalSweep& other) const {
    return tau == other.tau && omega_factor_ == other.omega_factor_;
  }
  Matrix omega() const { return omega_factor_ * omega_factor_.transpose(); }

  /// One update of tau given b, and of Omega where asked for: its update costs
  /// most of a sweep, and one coefficient vector says little about it.
  void update(const Vector& b, Rng& rng, bool with_omega = true) {
    if (with_omega) {
      update_omega(b, rng);
    }
    update_tau(b, rng);
  }

  /// tau_j and b_j scaled together (interweaving, Yu and Meng 2011): with
  /// u_j = b_j / tau_j fixed only the prior of tau_j and the likelihood move.
  /// The log-likelihood of a step d in b is moment'd - d'curvature d / 2; b and
  /// moment are brought up to date. One j after the other, each reversibly, so
  /// that `backwards` undoes what forwards does.
  void rescale(const Matrix& curvature, Vector& b, Vector& moment, Rng& rng,
               bool backwards = false) {
    for (int step = 0; step < P_; ++step) {
      const int j = backwards ? P_ - 1 - step : step;
      const double u = b[j] / tau[j];
      const double before = tau[j];
      tau[j] = rescaled(before, u * moment[j], u * u * curvature(j, j), rng);
      const double d = u * (tau[j] - before);
      b[j] += d;
      moment -= curvature.col(j) * d;
    }
  }

  /// log half-t density of tau, up to a constant.
  double log_prior(double t) const {
    const double z = t / scale_;
    return -0.5 * (df_ + 1.0) * std::log(1.0 + z * z / df_);
  }

  /// @param omega positive definite.
  void set_omega(const Matrix& omega) {
    omega_factor_ = omega.llt().matrixL();
    precision_ = omega.llt().solve(Matrix::Identity(P_, P_));
  }
  const Matrix& omega_precision() const { return precision_; }

  /// The precision of b: diag(1/tau) Omega^-1 diag(1/tau).
  Matrix precision() const {
    const Vector inverse = tau.cwiseInverse();
    return inverse.asDiagonal() * precision_ * inverse.asDiagonal();
  }

 protected:
  double log_prior_ratio(double to, double from) const {
    const double f = df_ * square(scale_);
    return 0.5 * (df_ + 1.0) * std::log((f + from * from) / (f + to * to));
  }

  /// An update of t under its prior times exp(slope d - precision d^2 / 2),
  /// d = t - before.
  double rescaled(double before, double slope, double precision, Rng& rng) {
    if (precision * square(scale_) > kTight) {
      // The likelihood, normal in t, is narrower than the prior: propose it.
      const double t =
          before + slope / precision + rng.normal() / std::sqrt(precision);
      const bool accepted =
          t > 0.0 &&
          (t < before || -rng.exponential() < log_prior_ratio(t, before));
      return accepted ? t : before;
    }
    return std::exp(slice_sample(
        rng, std::log(before),
        [&](double x) {
          const double t = std::exp(x), d = t - before;
          return log_prior(t) + x + (slope - 0.5 * precision * d) * d;
        },
        1.0));
  }

  void update_omega(const Vector& b, Rng& rng) {
    Vector d(P_);
    for (int j = 0; j < P_; ++j) d[j] = std::sqrt(2.0 * rng.gamma(0.5 * nu_));
    const Vector v = b.cwiseQuotient(tau).cwiseProduct(d);
    const double q =
        draw_generalised_inverse_gaussian(rng, eta_ - 0.5, v.squaredNorm());
    // Bartlett's factor of Wishart(nu - 1, I).
    for (int i = 0; i < P_; ++i) {
      factor_(i, i) = std::sqrt(2.0 * rng.gamma(0.5 * (nu_ - 1.0 - i)));
      for (int j = 0; j < i; ++j) factor_(i, j) = rng.normal();
    }
    // The decision needs the diagonal of Sigma only.
    double log_ratio = 0.0;
    Vector fresh_d(P_), fresh_tau(P_);
    for (int j = 0; j < P_; ++j) {
      fresh_d[j] =
          std::sqrt(factor_.row(j).head(j + 1).squaredNorm() + v[j] * v[j] / q);
      fresh_tau[j] = tau[j] * fresh_d[j] / d[j];
      log_ratio +=
          log_prior_ratio(fresh_tau[j], tau[j]) + std::log(fresh_d[j] / d[j]);
    }
    if (!(std::log(rng.uniform()) < log_ratio)) return;
    Vector last = v / std::sqrt(q);
    add_rank_one(last);
    // Omega = L L' with L = D^-1 times the factor of Sigma.
    factor_ = fresh_d.cwiseInverse().asDiagonal() * factor_;
    invert_factor();
    if (!inverse_.allFinite()) return;
    detail::lower_gram(P_, inverse_.data(), precision_.data());
    omega_factor_ = factor_;
    tau = fresh_tau;
  }

  /// inverse_ = factor_^-1, lower triangular as well.
  void invert_factor() {
    for (int j = 0; j < P_; ++j) {
      auto column = inverse_.col(j).tail(P_ - j);
      column.setZero();
      column[0] = 1.0 / factor_(j, j);
      for (int i = j; i < P_ - 1; ++i) {
        // Forward substitution by columns: what is solved leaves the rest.
        column.tail(P_ - i - 1) -=
            column[i - j] * factor_.col(i).tail(P_ - i - 1);
        column[i + 1 - j] /= factor_(i + 1, i + 1);
      }
    }
  }

  /// The Cholesky factor of L L' + x x' from L, by rotations; x is used up.
  void add_rank_one(Vector& x) {
    for (int j = 0; j < P_; ++j) {
      const double r = std::sqrt(square(factor_(j, j)) + square(x[j]));
      const double c = factor_(j, j) / r, s = x[j] / r;
      factor_(j, j) = r;
      for (int i = j + 1; i < P_; ++i) {
        const double l = factor_(i, j);
        factor_(i, j) = c * l + s * x[i];
        x[i] = c * x[i] - s * l;
      }
    }
  }

  /// Is log(1 + v) < c, v >= 0? The two sides of 2v / (2 + v) <= log(1 + v) <=
  /// v (6 + v) / (6 + 4v) mostly tell, without a logarithm.
  static bool log_of_one_plus_is_below(double v, double c) {
    if (v * (6.0 + v) < c * (6.0 + 4.0 * v)) return true;
    if (2.0 * v >= c * (2.0 + v)) return false;
    return std::log(1.0 + v) < c;
  }

  /// tau_j given b, Omega and the others, on t = log tau_j.
  void update_tau(const Vector& b, Rng& rng) {
    const double f = df_ * square(scale_), power = 0.5 * (df_ + 1.0);
    Vector u = b.cwiseQuotient(tau);
    Vector pull = precision_ * u;
    for (int j = 0; j < P_; ++j) {
      const double own = precision_(j, j);
      const double others = pull[j] - own * u[j];
      // The Jacobian of the log and the 1/tau of the normal cancel.
      const auto log_normal = [&](double t) {
        const double scaled = b[j] / t;
        return -scaled * (0.5 * own * scaled + others);
      };
      const double level =
          log_prior(tau[j]) + log_normal(tau[j]) - rng.exponential();
      const double t = slice_sample_above(
          rng, std::log(tau[j]),
          [&](double x) {
            const double t = std::exp(x);
            return log_of_one_plus_is_below(square(t) / f,
                                            (log_normal(t) - level) / power);
          },
          1.5);
      tau[j] = std::exp(t);
      const double fresh = b[j] / tau[j];
      pull += precision_.col(j) * (fresh - u[j]);
      u[j] = fresh;
    }
  }

  // Of the prior's precision: where proposals from the likelihood are accepted
  // nearly always.
  static constexpr double kTight = 4.0;

  int P_;
  double eta_, df_, scale_, nu_;
  Matrix omega_factor_;      // lower triangular
  Matrix precision_;         // Omega^-1
  Matrix factor_, inverse_;  // work space
};

}  // namespace pseudosynth

#endif
