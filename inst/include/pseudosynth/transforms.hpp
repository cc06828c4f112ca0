// Constrained <-> unconstrained parameters, their log Jacobians and reverse
// mode gradients, written by hand (definitions as in Stan's reference manual,
// "Constraint transforms", so that results can be compared with Stan's).
//
// Naming: u is unconstrained. `*_constrain` maps u to the parameter and
// returns log |J|; `*_adjoint` turns the gradient in the parameter into the
// gradient in u and includes that of log |J|; `*_unconstrain` is the inverse.
#ifndef PSEUDOSYNTH_TRANSFORMS_HPP
#define PSEUDOSYNTH_TRANSFORMS_HPP

#include <cmath>

#include "math.hpp"

namespace pseudosynth {

/// 1 / (1 + exp(-x)), accurate in both tails.
inline double inv_logit(double x) {
  if (x >= 0) return 1.0 / (1.0 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1.0 + e);
}

// --- Lower bound: x = lower + exp(u) ------------------------------------

/// @return log |dx/du| = u.
inline double lower_bound_constrain(double u, double lower, double& x) {
  x = lower + std::exp(u);
  return u;
}

inline double lower_bound_unconstrain(double x, double lower) {
  return std::log(x - lower);
}

/// @param d_x d log density / dx.
inline double lower_bound_adjoint(double u, double d_x) {
  return d_x * std::exp(u) + 1.0;
}

// --- Simplex: stick-breaking, kept on the log scale ---------------------
//
// z_k = inv_logit(u_k - log(K - k)) of what is left of the stick goes to
// component k. Everything is a sum of logs of z_k and 1 - z_k, so components
// down to exp(-700) and below lose no accuracy.

/// @param u K - 1 values. @param log_pi K values, filled.
/// @return log |J| of u -> (pi_1, .., pi_(K-1)).
inline double simplex_constrain(const double* u, int K, double* log_pi) {
  double log_stick = 0.0, log_jacobian = 0.0;
  for (int k = 0; k < K - 1; ++k) {
    const double v = u[k] - std::log(static_cast<double>(K - 1 - k));
    const double log_rest = -log1p_exp(v);
    log_pi[k] = log_stick - log1p_exp(-v);
    log_stick += log_rest;
    log_jacobian += log_pi[k] + log_rest;
  }
  log_pi[K - 1] = log_stick;
  return log_jacobian;
}

/// @param log_pi K values; need not be normalised, only ratios are used.
inline void simplex_unconstrain(const double* log_pi, int K, double* u) {
  double log_rest = log_pi[K - 1];
  for (int k = K - 2; k >= 0; --k) {
    u[k] = log_pi[k] - log_rest + std::log(static_cast<double>(K - 1 - k));
    log_rest = log_sum_exp(log_pi[k], log_rest);
  }
}

/// @param d_log_pi K values: d log density / d log pi_k, each taken as free
///   (the constraint is applied here). @param d_u K - 1 values, filled.
inline void simplex_adjoint(const double* u, int K, const double* d_log_pi,
                            double* d_u) {
  double d_log_stick = d_log_pi[K - 1];
  for (int k = K - 2; k >= 0; --k) {
    const double v = u[k] - std::log(static_cast<double>(K - 1 - k));
    const double z = inv_logit(v);
    const double d_k = d_log_pi[k] + 1.0;  // log |J| holds log pi_k once
    d_u[k] = d_k * inv_logit(-v) - (d_log_stick + 1.0) * z;
    d_log_stick += d_k;
  }
}

// --- Cholesky factor of a correlation matrix ----------------------------
//
// Canonical partial correlations z = tanh(u), row by row (Lewandowski,
// Kurowicka and Joe 2009, section 2.4): with s_ij^2 = prod_(l<j) (1 - z_il^2),
// L_ij = z_ij s_ij for j < i and L_ii = s_ii. The partial correlation of
// (i, j), j < i, is at u[i (i - 1) / 2 + j].

inline int n_partial_correlations(int P) {
  return P * (P - 1) / 2;
}

class CholeskyCorrelation {
 public:
  explicit CholeskyCorrelation(int P)
      : P_(P),
        L_(Matrix::Zero(P, P)),
        u_(n_partial_correlations(P)),
        z_(u_.size()),
        sech_(u_.size()),
        s_(u_.size()),
        column_(P),
        product_(P) {}

  /// Fills L from P (P - 1) / 2 unconstrained values.
  void constrain(const double* u) {
    column_.setZero();
    product_.setOnes();
    int l = 0;
    for (int i = 0; i < P_; ++i) {
      double s = 1.0;
      for (int j = 0; j < i; ++j, ++l) {
        // tanh and sech from one exponential; log sech = log 2 - |u| -
        // log(1 + t^2) is only needed summed by column, so the logarithm is
        // taken of a product.
        const double size = std::fabs(u[l]);
        const double t = std::exp(-size), t2 = t * t,
                     inverse = 1.0 / (1.0 + t2);
        u_[l] = u[l];
        z_[l] = std::copysign((1.0 - t2) * inverse, u[l]);
        sech_[l] = 2.0 * t * inverse;
        column_[j] += kLogTwo - size;
        product_[j] *= 1.0 + t2;
        if (product_[j] > 1e200) take_log(j);
        s_[l] = s;
        L_(i, j) = z_[l] * s;
        s *= sech_[l];
      }
      L_(i, i) = s;
    }
    for (int j = 0; j < P_; ++j) take_log(j);
  }

  /// log |J| of u -> the free elements of L (strict lower triangle):
  /// d L_ij / d z_ij = s_ij and dz/du = sech^2.
  double log_jacobian() const {
    double sum = 0.0;
    int l = 0;
    for (int i = 1; i < P_; ++i) {
      for (int j = 0; j < i; ++j, ++l) sum += (2.0 + (i - 1 - j)) * log_sech(l);
    }
    return sum;
  }

  /// Adds to d_u the gradient of log |J|: log sech(u_ij) enters it twice by
  /// itself and once through each later element of its row.
  void jacobian_adjoint_add(double* d_u) const {
    int l = 0;
    for (int i = 1; i < P_; ++i) {
      for (int j = 0; j < i; ++j, ++l) d_u[l] -= (2.0 + (i - 1 - j)) * z_[l];
    }
  }

  /// Adds to d_u the gradient of a function of L, given its gradient in the
  /// lower triangle of L (without log |J|).
  void adjoint_add(const Matrix& d_L, double* d_u) const {
    for (int i = 1; i < P_; ++i) {
      double d_s = d_L(i, i);
      int l = i * (i - 1) / 2 + i - 1;
      for (int j = i - 1; j >= 0; --j, --l) {
        // d L_ij / du = s sech^2 and d s_(j+1) / du = -s sech z: no division
        // by a sech that may have underflowed.
        d_u[l] += s_[l] * sech_[l] * (d_L(i, j) * sech_[l] - d_s * z_[l]);
        d_s = d_L(i, j) * z_[l] + d_s * sech_[l];
      }
    }
  }

  const Matrix& L() const { return L_; }
  /// log |L|, finite even where a diagonal element underflows.
  double log_determinant() const { return column_.sum(); }
  /// tanh(u_l).
  double z(int l) const { return z_[l]; }
  /// sum of log sech(u_ij) over i, column j.
  double log_sech_column(int j) const { return column_[j]; }

  static void unconstrain(const Matrix& L, double* u) {
    for (Eigen::Index i = 0; i < L.rows(); ++i) {
      double rest = 1.0;
      for (Eigen::Index j = 0; j < i; ++j, ++u) {
        *u = std::atanh(L(i, j) / std::sqrt(rest));
        rest -= L(i, j) * L(i, j);
      }
    }
  }

 private:
  double log_sech(int l) const {
    const double size = std::fabs(u_[l]);
    return kLogTwo - size - std::log1p(std::exp(-2.0 * size));
  }

  void take_log(int j) {
    column_[j] -= std::log(product_[j]);
    product_[j] = 1.0;
  }

  int P_;
  Matrix L_;
  Vector u_, z_, sech_, s_;  // one per partial correlation
  Vector column_, product_;  // one per column
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_TRANSFORMS_HPP
