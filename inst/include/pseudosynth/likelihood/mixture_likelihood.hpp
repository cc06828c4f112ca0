// sum_i g_i and its gradient for the mixture of normal regressions. The privacy
// weight multiplies the log of the sum over components, so the pseudo
// likelihood raises the marginal density to alpha_i, not the complete-data
// density.
#ifndef PSEUDOSYNTH_LIKELIHOOD_MIXTURE_LIKELIHOOD_HPP
#define PSEUDOSYNTH_LIKELIHOOD_MIXTURE_LIKELIHOOD_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "../math.hpp"
#include "../records.hpp"
#include "../simd.hpp"
#include "mixture_likelihood_pass.hpp"

namespace pseudosynth {

/// sum_i g_i and its gradient for the mixture. Holds the work space, so one
/// object serves one thread.
class NormalMixtureLikelihood {
 public:
  NormalMixtureLikelihood(const Records& records, int K)
      : records_(&records), K_(K), Kp_((K + 7) / 8 * 8) {
    const std::size_t P = static_cast<std::size_t>(records.design.n_columns());
    const std::size_t rows = static_cast<std::size_t>(records.design.n_rows());
    const std::size_t lanes = static_cast<std::size_t>(K) * detail::kTile;
    b_.assign((P + 1) * static_cast<std::size_t>(Kp_));
    d_b_.assign(b_.size());
    partial_.assign(static_cast<std::size_t>(records.design.n_factors() + 1) *
                    detail::kWidest);
    eta_.assign(rows * static_cast<std::size_t>(Kp_));
    d_eta_.assign(eta_.size());
    residual_.assign(lanes);
    scratch_.assign(lanes);
    weight_sum_.assign(lanes);
    square_sum_.assign(lanes);
    offset_.assign(static_cast<std::size_t>(K));
    inv_sigma_.assign(static_cast<std::size_t>(K));
  }

  /// sum_i g_i at (b, log_pi, sigma); b[j * K + k].
  double value(const double* b, const double* log_pi, const double* sigma) {
    return evaluate(b, log_pi, sigma, false);
  }

  /// The same, and adds the gradient to d_b (P x K), d_log_pi (K, with pi taken
  /// as free weights: sum_i alpha_i r_ik) and d_sigma (K).
  double gradient(const double* b, const double* log_pi, const double* sigma,
                  double* d_b, double* d_log_pi, double* d_sigma) {
    const double total = evaluate(b, log_pi, sigma, true);
    const int P = records_->design.n_columns();
    const int lanes = simd::lanes();
    for (int j = 0; j < P; ++j) {
      for (int k = 0; k < K_; ++k) {
        d_b[static_cast<std::size_t>(j) * K_ + k] +=
            d_b_[static_cast<std::size_t>(j) * Kp_ + k];
      }
    }
    for (int k = 0; k < K_; ++k) {
      for (int l = 0; l < lanes; ++l) {
        d_log_pi[k] += weight_sum_[k * lanes + l];
        d_sigma[k] += square_sum_[k * lanes + l] * inv_sigma_[k];
      }
    }
    return total;
  }

 private:
  double evaluate(const double* b, const double* log_pi, const double* sigma,
                  bool with_gradient) {
    const Records& records = *records_;
    const Design& design = records.design;
    const int P = design.n_columns(), N = records.size();
    for (int j = 0; j < P; ++j) {
      for (int k = 0; k < K_; ++k) {
        b_[static_cast<std::size_t>(j) * Kp_ + k] =
            b[static_cast<std::size_t>(j) * K_ + k];
      }
    }
    for (int k = 0; k < K_; ++k) {
      const std::size_t at = static_cast<std::size_t>(k);
      inv_sigma_[at] = 1.0 / sigma[k];
      offset_[at] = log_pi[k] - std::log(sigma[k]) - kHalfLogTwoPi;
    }
    detail::mixture_rows(design, b_.data(), Kp_, partial_.data(), eta_.data());
    if (with_gradient) {
      d_eta_.zero();
      d_b_.zero();
      weight_sum_.zero();
      square_sum_.zero();
    }

    alignas(64) double alpha[detail::kTile], f[detail::kTile],
        lower[detail::kTile], upper[detail::kTile], weight[detail::kTile];
    std::fill(lower, lower + detail::kTile, -kInfinity);
    std::fill(upper, upper + detail::kTile, kInfinity);
    detail::MixtureTile tile{K_,
                             offset_.data(),
                             inv_sigma_.data(),
                             residual_.data(),
                             scratch_.data(),
                             alpha,
                             lower,
                             upper,
                             f,
                             weight,
                             weight_sum_.data(),
                             square_sum_.data()};
    const std::vector<int>& row = design.row();
    double total = 0.0;
    for (int first = 0; first < N; first += detail::kTile) {
      const int n = std::min(detail::kTile, N - first);
      for (int l = 0; l < detail::kTile; ++l) {
        // Padding repeats the last record at weight 0.
        const std::size_t i =
            static_cast<std::size_t>(first + std::min(l, n - 1));
        const double* eta =
            eta_.data() + static_cast<std::size_t>(row[i]) * Kp_;
        const double y = records.y[i];
        alpha[l] = l < n ? records.alpha[i] : 0.0;
        double* residual = residual_.data() + l;
        if (alpha[l] == 0.0) {
          // Whatever f is there, the record contributes exactly 0.
          for (int k = 0; k < K_; ++k) residual[k * detail::kTile] = 0.0;
        } else {
          for (int k = 0; k < K_; ++k) residual[k * detail::kTile] = y - eta[k];
        }
        if (records.censor.active) {
          lower[l] = records.censor.lower + records.censor.centre[i];
          upper[l] = records.censor.upper + records.censor.centre[i];
        }
      }
      detail::mixture_tile(tile, with_gradient);
      for (int l = 0; l < n; ++l) {
        if (alpha[l] == 0.0) {
          total += records.contribution(first + l, 0.0);
        } else if (records.censor.active) {
          // A comparison with NaN is false: it becomes the lower end
          double bounded = f[l] >= lower[l] ? f[l] : lower[l];
          bounded = bounded > upper[l] ? upper[l] : bounded;
          total += bounded - records.censor.centre[first + l];
        } else {
          total += f[l];
        }
      }
      if (!with_gradient) continue;
      for (int l = 0; l < n; ++l) {
        if (alpha[l] == 0.0) continue;
        double* d_eta =
            d_eta_.data() + static_cast<std::size_t>(row[first + l]) * Kp_;
        for (int k = 0; k < K_; ++k)
          d_eta[k] += residual_[k * detail::kTile + l];
      }
    }
    if (with_gradient)
      detail::mixture_rows_back(design, d_eta_.data(), Kp_, partial_.data(),
                                d_b_.data());
    return total;
  }

  const Records* records_;
  int K_;
  int Kp_;  // components padded to a multiple of every lane count
  simd::AlignedBuffer b_, d_b_, partial_, eta_, d_eta_, residual_, scratch_;
  simd::AlignedBuffer weight_sum_, square_sum_, offset_, inv_sigma_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_MIXTURE_LIKELIHOOD_HPP
