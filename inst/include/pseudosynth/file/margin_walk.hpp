// Draws of a margin without noise, given the noisy one: a walk over the log
// ratios of its bins to a law by slices of ellipses (Murray, Adams and MacKay
// 2010), through draws of the normal approximation at the mode: far bins are
// skew.
#ifndef PSEUDOSYNTH_FILE_MARGIN_WALK_HPP
#define PSEUDOSYNTH_FILE_MARGIN_WALK_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../rng.hpp"

namespace pseudosynth {

/// What is known of a margin of K bins. Matrices are K x K, columns one after
/// the other.
struct KnownMargin {
  std::size_t bins;
  const double* noisy;      // counts
  const double* known;      // inverse covariance of their noise
  const double* log_law;    // of the bins' shares
  const double* precision;  // of the log ratios, before counts are looked at
  const double* mode;       // of the log ratios
  const double* factor;     // upper triangle R, R'R the precision at the mode
};

/// Places are d, ratios less the mode. Their density is a normal one, that of
/// the approximation, times exp(beside).
class MarginWalk {
 public:
  /// The first place is a draw of the normal approximation.
  MarginWalk(const KnownMargin& margin, std::uint64_t seed)
      : margin_(margin),
        rng_(seed),
        share_(margin.bins),
        miss_(margin.bins),
        weighed_(margin.bins),
        pull_of_mode_(margin.bins),
        here_(margin.bins),
        other_(margin.bins),
        next_(margin.bins) {
    for (std::size_t j = 0; j < margin.bins; ++j) total_ += margin.noisy[j];
    multiply(margin.precision, margin.mode, pull_of_mode_);
    near(here_);
    beside_ = beside(here_.d, own_terms(here_));
  }

  void advance(int steps) {
    for (int k = 0; k < steps; ++k) step();
  }

  /// The bins' shares at the place where the walk is.
  const std::vector<double>& shares() {
    set_shares(here_.d);
    return share_;
  }

 private:
  /// A place, with what its density needs of it: both are linear in d.
  struct Place {
    explicit Place(std::size_t n) : d(n), z(n), pull(n) {}
    std::vector<double> d;
    std::vector<double> z;     // R d
    std::vector<double> pull;  // P d, P the prior's precision
  };

  void multiply(const double* matrix, const double* x,
                std::vector<double>& to) const {
    const std::size_t n = margin_.bins;
    std::fill(to.begin(), to.end(), 0.0);
    std::size_t j = 0;
    // Four columns at a time: sums are stored a quarter as often
    for (; j + 4 <= n; j += 4) {
      const double* a = matrix + j * n;
      const double* b = a + n;
      const double* c = b + n;
      const double* d = c + n;
      for (std::size_t i = 0; i < n; ++i)
        to[i] +=
            a[i] * x[j] + b[i] * x[j + 1] + (c[i] * x[j + 2] + d[i] * x[j + 3]);
    }
    for (; j < n; ++j) {
      const double* a = matrix + j * n;
      for (std::size_t i = 0; i < n; ++i) to[i] += a[i] * x[j];
    }
  }

  static double dot(const std::vector<double>& a,
                    const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }

  /// A draw of the normal approximation.
  void near(Place& to) {
    for (double& z : to.z) z = rng_.normal();
    to.d = to.z;
    for (std::size_t j = margin_.bins; j-- > 0;) {
      const double* column = margin_.factor + j * margin_.bins;
      const double value = to.d[j] /= column[j];
      for (std::size_t i = 0; i < j; ++i) to.d[i] -= column[i] * value;
    }
    multiply(margin_.precision, to.d.data(), to.pull);
  }

  void set_shares(const std::vector<double>& d) {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < margin_.bins; ++j) {
      share_[j] = margin_.log_law[j] + margin_.mode[j] + d[j];
      largest = std::max(largest, share_[j]);
    }
    double sum = 0.0;
    for (double& p : share_) sum += p = std::exp(p - largest);
    for (double& p : share_) p /= sum;
  }

  /// Of what is normal: |R d|^2 - (mode + d)' P (mode + d), but for a constant.
  double own_terms(const Place& at) const {
    return dot(at.z, at.z) - 2.0 * dot(pull_of_mode_, at.d) -
           dot(at.d, at.pull);
  }

  /// The log density at d less that of the approximation, but for a constant.
  /// @throw std::domain_error if it is no number: the walk would stay for ever.
  double beside(const std::vector<double>& d, double terms) {
    set_shares(d);
    for (std::size_t j = 0; j < margin_.bins; ++j)
      miss_[j] = margin_.noisy[j] - total_ * share_[j];
    multiply(margin_.known, miss_.data(), weighed_);
    const double value = (terms - dot(miss_, weighed_)) / 2.0;
    if (std::isnan(value)) throw std::domain_error("a margin has no density");
    return value;
  }

  static void turn(const std::vector<double>& a, const std::vector<double>& b,
                   double cosine, double sine, std::vector<double>& to) {
    for (std::size_t i = 0; i < a.size(); ++i)
      to[i] = cosine * a[i] + sine * b[i];
  }

  /// To a place of the ellipse through here and a draw nearby that lies in the
  /// slice. The bracket of angles shrinks towards here; beyond 38 angles the
  /// walk stays.
  void step() {
    static const double kTurn = 6.283185307179586476925;
    near(other_);
    const double least = beside_ + std::log(rng_.uniform());
    double angle = kTurn * rng_.uniform();
    double low = angle - kTurn, high = angle;
    for (int k = 0; k < 38; ++k) {
      const double cosine = std::cos(angle), sine = std::sin(angle);
      turn(here_.d, other_.d, cosine, sine, next_.d);
      turn(here_.z, other_.z, cosine, sine, next_.z);
      turn(here_.pull, other_.pull, cosine, sine, next_.pull);
      const double found = beside(next_.d, own_terms(next_));
      if (found > least) {
        std::swap(here_, next_);
        beside_ = found;
        return;
      }
      (angle > 0 ? high : low) = angle;
      angle = low + rng_.uniform() * (high - low);
    }
  }

  const KnownMargin margin_;
  Rng rng_;
  double total_ = 0.0, beside_ = 0.0;
  std::vector<double> share_, miss_, weighed_, pull_of_mode_;
  Place here_, other_, next_;
};

}  // namespace pseudosynth

#endif
