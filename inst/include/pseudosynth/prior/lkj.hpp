// The LKJ distribution of correlation matrices, |Omega|^(shape - 1)
// (Lewandowski, Kurowicka and Joe 2009).
#ifndef PSEUDOSYNTH_PRIOR_LKJ_HPP
#define PSEUDOSYNTH_PRIOR_LKJ_HPP

#include <cmath>

#include "../math.hpp"
#include "../rng.hpp"
#include "../transforms.hpp"

namespace pseudosynth {

class Lkj {
 public:
  /// @param P rows of the matrix. @param shape positive; 1 is uniform.
  Lkj(int P, double shape) : P_(P), shape_(shape) {
    for (int k = 1; k < P; ++k) {
      // Equation 16 of the paper, written with gamma functions.
      log_constant_ += log_gamma(shape + 0.5 * (P - 1)) -
                       0.5 * k * std::log(kPi) -
                       log_gamma(shape + 0.5 * (P - 1 - k));
    }
  }

  /// log density of Omega = L L'.
  double log_density(const Matrix& L) const {
    double log_root = 0.0;
    for (int i = 0; i < P_; ++i) log_root += std::log(L(i, i));
    return log_constant_ + 2.0 * (shape_ - 1.0) * log_root;
  }

  /// log density of the Cholesky factor L (its free elements).
  double log_density_cholesky(const Matrix& L) const {
    double sum = log_constant_;
    for (int i = 1; i < P_; ++i)
      sum += (P_ - i - 1 + 2.0 * (shape_ - 1.0)) * std::log(L(i, i));
    return sum;
  }

  /// log density of the unconstrained partial correlations u, all Jacobians
  /// included; adds d/du to d_u. Density and Jacobians collapse: the partial
  /// correlations are independent, 2 Beta(a, a) - 1 with
  /// a = shape + (P - 2 - j) / 2 in column j = 0, 1, .. (section 2.4).
  double log_density_unconstrained(const CholeskyCorrelation& correlation,
                                   double* d_u) const {
    double sum = log_constant_;
    for (int j = 0; j < P_ - 1; ++j)
      sum += 2.0 * concentration(j) * correlation.log_sech_column(j);
    int l = 0;
    for (int i = 1; i < P_; ++i) {
      for (int j = 0; j < i; ++j, ++l)
        d_u[l] -= 2.0 * concentration(j) * correlation.z(l);
    }
    return sum;
  }

  /// The unconstrained partial correlations of a draw: tanh(u) = 2 x - 1 with
  /// x ~ Beta(a, a).
  void draw(Rng& rng, double* u) const {
    for (int i = 1; i < P_; ++i) {
      for (int j = 0; j < i; ++j, ++u) {
        const double a = concentration(j), above = rng.log_gamma_draw(a);
        *u = 0.5 * (above - rng.log_gamma_draw(a));
      }
    }
  }

 private:
  double concentration(int j) const { return shape_ + 0.5 * (P_ - 2 - j); }

  int P_;
  double shape_;
  double log_constant_ = 0.0;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_PRIOR_LKJ_HPP
