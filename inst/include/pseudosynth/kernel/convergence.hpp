// Did the chains of one quantity converge? Rank-normalised split R-hat and
// effective sample sizes in bulk and in the tails: Vehtari, Gelman, Simpson,
// Carpenter and Buerkner (2021), with the conventions of the R package
// posterior. One sort serves all of them, and autocovariances are formed only
// up to the lag that Geyer's sequence needs.
#ifndef PSEUDOSYNTH_KERNEL_CONVERGENCE_HPP
#define PSEUDOSYNTH_KERNEL_CONVERGENCE_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "../math.hpp"
#include "../normal_quantile.hpp"
#include "../simd.hpp"

namespace pseudosynth {

namespace detail {

/// sums = x'(x moved by `lag`) and by lag + 1; 2 W zeros follow the n numbers.
template <int W>
PSEUDOSYNTH_INLINE void lagged_products_kernel(int n, int lag, const double* x,
                                               double* sums) {
  typedef simd::Real<W> R;
  R even0{}, even1{}, odd0{}, odd1{};
  for (int i = 0; i < n - lag; i += 2 * W) {
    R a, b, moved;
    simd::load<W>(x + i, a);
    simd::load<W>(x + i + W, b);
    simd::load<W>(x + i + lag, moved);
    even0 += a * moved;
    simd::load<W>(x + i + lag + W, moved);
    even1 += b * moved;
    simd::load<W>(x + i + lag + 1, moved);
    odd0 += a * moved;
    simd::load<W>(x + i + lag + 1 + W, moved);
    odd1 += b * moved;
  }
  sums[0] = simd::sum<W>(even0 + even1);
  sums[1] = simd::sum<W>(odd0 + odd1);
}
PSEUDOSYNTH_DISPATCH(lagged_products,
                     (int n, int lag, const double* x, double* sums),
                     (n, lag, x, sums))

}  // namespace detail

/// NaN where a figure has no value: draws that are not finite or do not move.
struct Convergence {
  double rhat = kNaN, ess_bulk = kNaN, ess_tail = kNaN;
};

/// @brief The figures of one quantity after the other. Holds work space: one
/// object per thread.
class ConvergenceKernel {
 public:
  /// @param length draws of each chain.
  ConvergenceKernel(int chains, int length)
      : chains_(chains),
        length_(length),
        half_(length / 2),
        stride_(half_ + kPadding),
        S_(2 * chains * half_),
        sorted_(static_cast<std::size_t>(chains) * length),
        folded_(sorted_.size()),
        part_(static_cast<std::size_t>(2 * chains) * stride_),
        place_(sorted_.size()) {
    // An odd chain loses the draw in its middle.
    for (int c = 0; c < chains; ++c)
      for (int t = 0; t < length; ++t) {
        const bool first = t < half_, second = t >= length - half_;
        place_[at(c * length + t)] =
            first    ? 2 * c * stride_ + t
            : second ? (2 * c + 1) * stride_ + t - (length - half_)
                     : kDropped;
      }
    // Ties have ranks halfway between two whole numbers: scores of rank k / 2.
    score_.resize(at(2 * S_ + 1));
    for (int k = 2; k <= S_ + 1; ++k) {
      const double z = normal_quantile((0.5 * k - 0.375) / (S_ + 0.25));
      score_[at(k)] = z;
      score_[at(2 * S_ + 2 - k)] = -z;
    }
  }

  /// @param x the draws, chain after chain.
  Convergence operator()(const double* x) {
    Convergence out;
    const std::size_t n = sorted_.size();
    bool finite = true;
    for (std::size_t i = 0; i < n; ++i) {
      if (std::isnan(x[i])) return out;
      finite = finite && std::isfinite(x[i]);
      sorted_[i] = {x[i], static_cast<int>(i)};
    }
    std::sort(sorted_.begin(), sorted_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    rank_scores(sorted_);
    out.rhat = split_rhat();
    out.ess_bulk = effective_size();
    if (finite && sorted_[n - 1].first - sorted_[0].first >= kEpsilon) {
      const double low = tail_size(x, 0.05), high = tail_size(x, 0.95);
      out.ess_tail =
          std::isnan(low) || std::isnan(high) ? kNaN : std::min(low, high);
    }
    if (!fold()) {
      out.rhat = kNaN;
      return out;
    }
    rank_scores(folded_);
    const double folded = split_rhat();
    out.rhat = std::isnan(out.rhat) || std::isnan(folded)
                   ? kNaN
                   : std::max(out.rhat, folded);
    return out;
  }

 private:
  using Ordered = std::vector<std::pair<double, int>>;
  static constexpr int kDropped = -1;
  static constexpr int kPadding = 16;  // zeros that lagged_products() reads
  static constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int n_parts() const { return 2 * chains_; }
  double* part(int p) { return part_.data() + at(p) * at(stride_); }

  /// Normal scores of the average ranks into the half chains.
  void rank_scores(const Ordered& ordered) {
    int before = 0;
    for (std::size_t i = 0; i < ordered.size();) {
      std::size_t end = i;
      int tied = 0;
      for (; end < ordered.size() && ordered[end].first == ordered[i].first;
           ++end)
        tied += place_[at(ordered[end].second)] != kDropped;
      const double score = tied > 0 ? score_[at(2 * before + tied + 1)] : 0.0;
      for (; i < end; ++i) {
        const int place = place_[at(ordered[i].second)];
        if (place != kDropped) part_[at(place)] = score;
      }
      before += tied;
    }
  }

  /// Distances from the median, in order. @return false if they have no value.
  bool fold() {
    const std::size_t n = sorted_.size();
    // The mean of two neighbours rounded once, as in R.
    const double median =
        n % 2 == 1 ? sorted_[n / 2].first
                   : static_cast<double>(
                         (static_cast<long double>(sorted_[n / 2 - 1].first) +
                          static_cast<long double>(sorted_[n / 2].first)) /
                         2.0L);
    if (!std::isfinite(median)) return false;
    std::size_t above = 0;
    while (above < n && sorted_[above].first <= median) ++above;
    std::size_t below = above;
    for (auto& next : folded_) {
      const bool down =
          above == n || (below > 0 && median - sorted_[below - 1].first <=
                                          sorted_[above].first - median);
      const auto& from = down ? sorted_[--below] : sorted_[above++];
      next = {std::fabs(from.first - median), from.second};
    }
    return true;
  }

  /// R-hat of what is in the half chains.
  double split_rhat() {
    if (half_ < 2 || is_constant()) return kNaN;
    double within = 0.0;
    means_.clear();
    for (int p = 0; p < n_parts(); ++p) {
      const double* x = part(p);
      double sum = 0.0, squares = 0.0;
      for (int t = 0; t < half_; ++t) sum += x[t];
      const double mean = sum / half_;
      for (int t = 0; t < half_; ++t) squares += square(x[t] - mean);
      within += squares / (half_ - 1) / n_parts();
      means_.push_back(mean);
    }
    const double between = half_ * variance_of_means();
    return std::sqrt((between / within + half_ - 1.0) / half_);
  }

  bool is_constant() {
    double low = kInfinity, high = -kInfinity;
    for (int p = 0; p < n_parts(); ++p) {
      const auto ends = std::minmax_element(part(p), part(p) + half_);
      low = std::min(low, *ends.first);
      high = std::max(high, *ends.second);
    }
    return high - low < kEpsilon;
  }

  double variance_of_means() const {
    double sum = 0.0, squares = 0.0;
    for (double mean : means_) sum += mean;
    for (double mean : means_) squares += square(mean - sum / n_parts());
    return squares / (n_parts() - 1);
  }

  /// ESS of the indicator of the draws up to a quantile.
  double tail_size(const double* x, double probability) {
    const double index = probability * static_cast<double>(sorted_.size() - 1);
    const std::size_t low = static_cast<std::size_t>(std::floor(index));
    const std::size_t high = static_cast<std::size_t>(std::ceil(index));
    const double above = index - static_cast<double>(low);
    double quantile = sorted_[low].first;
    if (above > 0.0 && sorted_[high].first != quantile)
      quantile = (1.0 - above) * quantile + above * sorted_[high].first;
    for (std::size_t i = 0; i < place_.size(); ++i)
      if (place_[i] != kDropped)
        part_[at(place_[i])] = x[i] <= quantile ? 1.0 : 0.0;
    return effective_size();
  }

  /// ESS of what is in the half chains, which are centred by it.
  double effective_size() {
    if (half_ < 3 || is_constant()) return kNaN;
    means_.clear();
    for (int p = 0; p < n_parts(); ++p) {
      double* x = part(p);
      double sum = 0.0;
      for (int t = 0; t < half_; ++t) sum += x[t];
      means_.push_back(sum / half_);
      for (int t = 0; t < half_; ++t) x[t] -= means_.back();
    }
    double even = 0.0, odd = 0.0;
    autocovariances(0, even, odd);
    const double mean_variance = even * half_ / (half_ - 1.0);
    const double total = even + variance_of_means();
    const auto correlation = [&](double covariance) {
      return 1.0 - (mean_variance - covariance) / total;
    };
    // Geyer's initial positive sequence, in pairs of lags
    rho_.assign({1.0, correlation(odd)});
    even = 1.0;
    odd = rho_[1];
    int lag = 0;
    while (lag < half_ - 5 && even + odd > 0.0) {
      lag += 2;
      autocovariances(lag, even, odd);
      even = correlation(even);
      odd = correlation(odd);
      const bool positive = even + odd >= 0.0;
      rho_.push_back(positive ? even : 0.0);
      rho_.push_back(positive ? odd : 0.0);
    }
    if (even > 0.0) rho_[at(lag)] = even;
    // .. which must not rise
    for (int t = 2; t <= lag - 2; t += 2) {
      const double last = rho_[at(t - 2)] + rho_[at(t - 1)];
      if (rho_[at(t)] + rho_[at(t + 1)] > last)
        rho_[at(t)] = rho_[at(t + 1)] = 0.5 * last;
    }
    double sum = 0.0;
    for (int t = 0; t < std::max(lag, 1); ++t) sum += rho_[at(t)];
    // Antithetic chains are believed only so far
    const double time = std::max(-1.0 + 2.0 * sum + rho_[at(lag)],
                                 1.0 / std::log10(static_cast<double>(S_)));
    return S_ / time;
  }

  /// Means over the half chains at two lags.
  void autocovariances(int lag, double& even, double& odd) {
    even = odd = 0.0;
    for (int p = 0; p < n_parts(); ++p) {
      double sums[2];
      detail::lagged_products(half_, lag, part(p), sums);
      even += sums[0];
      odd += sums[1];
    }
    even /= static_cast<double>(S_);
    odd /= static_cast<double>(S_);
  }

  int chains_, length_, half_, stride_, S_;
  Ordered sorted_, folded_;    // values or distances, and where they belong
  std::vector<double> part_;   // half chains, zeros between them
  std::vector<int> place_;     // of each draw in part_
  std::vector<double> score_;  // normal score of rank k / 2
  std::vector<double> means_, rho_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_KERNEL_CONVERGENCE_HPP
