// Quantiles of the posterior predictive distribution of the whole file at one
// draw: of (1/N) sum_i sum_k pi_k N(x_i' b_k, sigma_k^2). They do not depend on
// the labels of the components, so chains can be compared on them.
#ifndef PSEUDOSYNTH_KERNEL_PREDICTIVE_QUANTILE_HPP
#define PSEUDOSYNTH_KERNEL_PREDICTIVE_QUANTILE_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "../design/design.hpp"
#include "../math.hpp"

namespace pseudosynth {

class PredictiveQuantile {
 public:
  /// @param K components, 0 for a single normal regression.
  PredictiveQuantile(const Design& design, int K)
      : design_(&design),
        K_(K),
        n_eta_(K == 0 ? 1 : K),
        eta_(static_cast<std::size_t>(design.n_rows()) * n_eta_),
        mass_(static_cast<std::size_t>(n_eta_) * kBins) {}

  /// Prepares a draw [ b | extras ].
  void set(const double* draw) {
    const Design& design = *design_;
    design.linear_predictor(draw, n_eta_, eta_.data());
    const double* extras =
        draw + static_cast<std::size_t>(design.n_columns()) * n_eta_;
    pi_ = K_ == 0 ? nullptr : extras;
    sigma_ = K_ == 0 ? extras : extras + K_;
    low_ = kInfinity;
    double high = -kInfinity, widest = 0.0;
    finite_ = true;
    for (double eta : eta_) {
      finite_ = finite_ && std::isfinite(eta);
      low_ = std::min(low_, eta);
      high = std::max(high, eta);
    }
    // Nothing that is not finite has a bin.
    finite_ = finite_ && std::isfinite(high - low_);
    if (!finite_) return;
    for (int k = 0; k < n_eta_; ++k) widest = std::max(widest, sigma_[k]);
    step_ = std::max((high - low_) / (kBins - 1), 1e-12);
    // Linear binning keeps the mean of every component exact; what it adds to
    // the variance is below step^2 / 4.
    std::fill(mass_.begin(), mass_.end(), 0.0);
    const double unit = 1.0 / design.n_records();
    for (int r = 0; r < design.n_rows(); ++r) {
      const double share =
          unit * (design.row_start()[static_cast<std::size_t>(r) + 1] -
                  design.row_start()[r]);
      for (int k = 0; k < n_eta_; ++k) {
        const double place =
            (eta_[static_cast<std::size_t>(r) * n_eta_ + k] - low_) / step_;
        const int bin = std::min(static_cast<int>(place), kBins - 2);
        const double upper = place - bin;
        double* mass = mass_.data() + static_cast<std::size_t>(k) * kBins + bin;
        const double weight = share * (pi_ == nullptr ? 1.0 : pi_[k]);
        mass[0] += weight * (1.0 - upper);
        mass[1] += weight * upper;
      }
    }
    search_low_ = low_ - 12.0 * widest;
    search_high_ = high + 12.0 * widest;
  }

  /// The p-quantile to within 1e-8 of the range; `start` a first guess. NaN at
  /// a draw whose linear predictors are not finite.
  double operator()(double p, double start) const {
    if (!finite_) return kNaN;
    double low = search_low_, high = search_high_;
    double x = start > low && start < high ? start : 0.5 * (low + high);
    for (int step = 0; step < 100; ++step) {
      double density;
      const double error = cdf(x, density) - p;
      (error > 0 ? high : low) = x;
      const double newton = x - error / density;
      const double next =
          newton > low && newton < high ? newton : 0.5 * (low + high);
      if (std::fabs(next - x) < 1e-9 * (1.0 + std::fabs(x))) return next;
      x = next;
    }
    return x;
  }

 private:
  static constexpr int kBins = 256;

  double cdf(double x, double& density) const {
    double total = 0.0;
    density = 0.0;
    for (int k = 0; k < n_eta_; ++k) {
      if (pi_ != nullptr && pi_[k] < 1e-14) continue;
      const double inverse = 1.0 / sigma_[k];
      const double* mass = mass_.data() + static_cast<std::size_t>(k) * kBins;
      for (int g = 0; g < kBins; ++g) {
        if (mass[g] == 0.0) continue;
        const double z = (x - low_ - g * step_) * inverse;
        if (z > 8.5) {
          total += mass[g];
        } else if (z > -8.5) {
          total += mass[g] * normal_cdf(z);
          density += mass[g] * inverse * std::exp(-0.5 * z * z - kHalfLogTwoPi);
        }
      }
    }
    return total;
  }

  const Design* design_;
  int K_;
  int n_eta_;
  std::vector<double> eta_, mass_;
  const double* pi_ = nullptr;
  const double* sigma_ = nullptr;
  bool finite_ = false;
  double low_ = 0.0, step_ = 1.0, search_low_ = 0.0, search_high_ = 0.0;
};

}  // namespace pseudosynth

#endif
