// The metric of a Hamiltonian move of the mixture in its coefficients: for each
// component precision_k X'AX + prior precision, near enough, precision_k its
// share of the records over sigma_k^2.
//
// A metric may be any positive definite matrix, so it is formed in single
// precision, all components at once in lanes. What is found is W, the inverse
// of a Cholesky factor with its scaling, and from then on (W' W)^-1 is the
// metric: momenta are drawn and their energy taken in double precision from
// this W. The velocity of a step may be rough again: a step stays reversible
// and keeps volume with any velocity that is an odd function of the momentum.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_METRIC_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_METRIC_HPP

#include <algorithm>

#include "../../math.hpp"
#include "../../rng.hpp"
#include "mixture_metric_pass.hpp"

namespace pseudosynth {

/// Holds its work space, so one object serves one thread.
class MixtureMetric {
 public:
  MixtureMetric(const Matrix& gram, int K)
      : P_(static_cast<int>(gram.rows())), K_(K), Kp_((K + 7) / 8 * 8) {
    inverse_.assign(at(row_start(P_)));
    gram_.assign(row_start(P_));
    for (int i = 0; i < P_; ++i)
      for (int j = 0; j <= i; ++j)
        gram_[row_start(i) + static_cast<std::size_t>(j)] =
            static_cast<float>(gram(i, j));
    prior_.assign(static_cast<std::size_t>(P_));
    precision_.assign(at(1));
    for (auto* buffer : {&scale_, &half_, &x_}) buffer->assign(at(P_));
    scaled_.setZero(P_, K_);
  }

  /// The metric of data of this precision (K) beside a prior of this one (P).
  void compute(const Vector& precision, const Vector& prior_precision) {
    for (int k = 0; k < K_; ++k)
      precision_[at(0, k)] = within_float(precision[k]);
    for (int j = 0; j < P_; ++j) prior_[j] = within_float(prior_precision[j]);
    detail::metric_factor({P_, Kp_, gram_.data(), prior_.data(),
                           precision_.data(), scale_.data(), inverse_.data()});
  }

  /// Fills p (P x K) with a draw of N(0, metric).
  void draw(Rng& rng, Matrix& p) const {
    for (int i = 0; i < P_; ++i) {
      const float* row = inverse_.data() + at(row_start(i));
      for (int k = 0; k < K_; ++k) {
        double x = rng.normal();
        for (int j = 0; j < i; ++j) x -= row[at(j, k)] * p(j, k);
        p(i, k) = x / row[at(i, k)];
      }
    }
    for (int j = 0; j < P_; ++j)
      for (int k = 0; k < K_; ++k) p(j, k) /= scale_[at(j, k)];
  }

  /// p' metric^-1 p over all components.
  double square_norm(const Matrix& p) {
    for (int j = 0; j < P_; ++j)
      for (int k = 0; k < K_; ++k) scaled_(j, k) = p(j, k) * scale_[at(j, k)];
    double total = 0.0;
    for (int i = 0; i < P_; ++i) {
      const float* row = inverse_.data() + at(row_start(i));
      for (int k = 0; k < K_; ++k) {
        double x = 0.0;
        for (int j = 0; j <= i; ++j) x += row[at(j, k)] * scaled_(j, k);
        total += x * x;
      }
    }
    return total;
  }

  /// b += step metric^-1 p, the product rough.
  void drift(double step, const Matrix& p, Matrix& b) {
    for (int j = 0; j < P_; ++j)
      for (int k = 0; k < K_; ++k)
        x_[at(j, k)] = static_cast<float>(p(j, k)) * scale_[at(j, k)];
    detail::metric_apply(P_, Kp_, inverse_.data(), half_.data(), x_.data());
    for (int j = 0; j < P_; ++j)
      for (int k = 0; k < K_; ++k)
        b(j, k) += step * scale_[at(j, k)] * x_[at(j, k)];
  }

 private:
  /// Kept where products neither overflow nor vanish.
  static float within_float(double x) {
    return static_cast<float>(std::min(std::max(x, 1e-25), 1e25));
  }
  /// The first element of row i of a triangle.
  static std::size_t row_start(int i) { return detail::triangle_row(i); }
  template <class Index>
  std::size_t at(Index j, int k = 0) const {
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(Kp_) +
           static_cast<std::size_t>(k);
  }

  int P_, K_, Kp_;
  simd::FloatBuffer gram_, prior_, precision_, scale_, inverse_, half_, x_;
  Matrix scaled_;
};

}  // namespace pseudosynth

#endif
