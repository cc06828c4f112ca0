// A mixture of multivariate t distributions: a proposal that covers several
// modes and plateaus, with heavy tails.
#ifndef PSEUDOSYNTH_SAMPLER_STUDENT_MIXTURE_HPP
#define PSEUDOSYNTH_SAMPLER_STUDENT_MIXTURE_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../cholesky.hpp"
#include "../count_of.hpp"
#include "../dense.hpp"
#include "../math.hpp"
#include "../rng.hpp"
#include "surrogate_constants.hpp"

namespace pseudosynth {

class StudentMixture {
 public:
  bool empty() const { return components_.empty(); }
  int size() const { return count_of(components_); }

  /// @return false, leaving the mixture as it is, unless `covariance` is
  ///   positive definite.
  bool add(double weight, const Vector& mean, const Matrix& covariance) {
    Component one;
    if (!one.root.compute(covariance) || !mean.allFinite()) return false;
    const double n = static_cast<double>(mean.size());
    one.mean = mean;
    one.log_scale = log_gamma(0.5 * (StudentMixtureConstants::kDf + n)) -
                    log_gamma(0.5 * StudentMixtureConstants::kDf) -
                    0.5 * n * std::log(StudentMixtureConstants::kDf * kPi) -
                    one.root.log_root_determinant();
    one.weight = weight;
    if (!std::isfinite(one.log_scale)) return false;
    components_.push_back(std::move(one));
    normalise();
    return true;
  }

  /// Takes in the components of another, which get a share of all weight.
  void append(const StudentMixture& other, double share) {
    double own = 0.0, others = 0.0;
    for (const Component& one : components_) own += one.weight;
    for (const Component& one : other.components_) others += one.weight;
    if (own > 0.0)
      for (Component& one : components_) one.weight *= (1.0 - share) / own;
    for (Component one : other.components_) {
      one.weight *= (own > 0.0 ? share : 1.0) / others;
      components_.push_back(std::move(one));
    }
    normalise();
  }

  double log_density(const Vector& x) const {
    double top = -kInfinity, sum = 0.0;
    for (const Component& one : components_) {
      const double at = one.log_weight + one.log_density(x);
      if (at > top) {
        sum = sum * std::exp(top - at) + 1.0;
        top = at;
      } else {
        sum += std::exp(at - top);
      }
    }
    return top + std::log(sum);
  }

  Vector draw(Rng& rng) const {
    double p = rng.uniform();
    std::size_t k = 0;
    while (k + 1 < components_.size() &&
           p > std::exp(components_[k].log_weight)) {
      p -= std::exp(components_[k].log_weight);
      ++k;
    }
    const Component& one = components_[k];
    Vector z(one.mean.size());
    for (Eigen::Index j = 0; j < z.size(); ++j) z[j] = rng.normal();
    const double scale =
        std::sqrt(0.5 * StudentMixtureConstants::kDf /
                  rng.gamma(0.5 * StudentMixtureConstants::kDf));
    return one.mean + scale * one.root.lower_times(z);
  }

  /// Fits at most `most` components to points by expectation maximisation.
  void fit(const std::vector<Vector>& points, int most, Rng& rng) {
    components_.clear();
    const int n = count_of(points.front());
    const std::size_t S = points.size();
    Vector mean = Vector::Zero(n);
    for (const Vector& x : points) mean += x / static_cast<double>(S);
    Matrix covariance = Matrix::Zero(n, n);
    for (const Vector& x : points) {
      const Vector d = x - mean;
      add_outer(1.0 / static_cast<double>(S), d, d, covariance);
    }
    for (int j = 0; j < n; ++j)
      covariance(j, j) +=
          StudentMixtureConstants::kAlike +
          StudentMixtureConstants::kNearlyAlike * covariance(j, j);
    const std::vector<Vector> centres =
        spread_centres(points, covariance, most, rng);
    for (const Vector& centre : centres)
      add(1.0, centre, covariance / square(static_cast<double>(most)));
    for (int round = 0; round < StudentMixtureConstants::kRounds && !empty();
         ++round)
      improve(points, covariance);
  }

 private:
  struct Component {
    Vector mean;
    Cholesky root;  // of the scale matrix
    double log_scale, weight, log_weight = 0.0;

    double squared_distance(const Vector& x) const {
      return root.squared_length(x - mean);
    }
    double log_density(const Vector& x) const {
      return log_scale -
             0.5 *
                 (StudentMixtureConstants::kDf +
                  static_cast<double>(mean.size())) *
                 std::log1p(squared_distance(x) / StudentMixtureConstants::kDf);
    }
  };

  void normalise() {
    double total = 0.0;
    for (const Component& each : components_) total += each.weight;
    for (Component& each : components_)
      each.log_weight = std::log(each.weight / total);
  }

  /// Points far from each other: each next one with a probability in proportion
  /// to the squared distance from those there are.
  static std::vector<Vector> spread_centres(const std::vector<Vector>& points,
                                            const Matrix& covariance, int most,
                                            Rng& rng) {
    const Cholesky root(covariance);
    std::vector<Vector> centres{points[rng.integer(count_of(points))]};
    std::vector<double> distance(points.size(), kInfinity);
    while (count_of(centres) < most) {
      double total = 0.0;
      for (std::size_t s = 0; s < points.size(); ++s) {
        distance[s] = std::min(distance[s],
                               root.squared_length(points[s] - centres.back()));
        total += distance[s];
      }
      double p = rng.uniform() * total;
      std::size_t at = 0;
      while (at + 1 < points.size() && (p -= distance[at]) > 0.0) ++at;
      centres.push_back(points[at]);
    }
    return centres;
  }

  void improve(const std::vector<Vector>& points, const Matrix& overall) {
    const Eigen::Index n = overall.rows();
    const std::size_t K = components_.size();
    std::vector<double> mass(K, 0.0), pull(K, 0.0), log_part(K);
    std::vector<Vector> sum(K, Vector::Zero(n));
    std::vector<Matrix> squares(K, Matrix::Zero(n, n));
    for (const Vector& x : points) {
      std::vector<double> distance(K);
      for (std::size_t k = 0; k < K; ++k) {
        const Component& one = components_[k];
        distance[k] = one.squared_distance(x);
        log_part[k] =
            one.log_weight + one.log_scale -
            0.5 * (StudentMixtureConstants::kDf + static_cast<double>(n)) *
                std::log1p(distance[k] / StudentMixtureConstants::kDf);
      }
      const double total = log_sum_exp(log_part.data(), static_cast<int>(K));
      for (std::size_t k = 0; k < K; ++k) {
        const double share = std::exp(log_part[k] - total);
        const double weight =
            share * (StudentMixtureConstants::kDf + static_cast<double>(n)) /
            (StudentMixtureConstants::kDf + distance[k]);
        mass[k] += share;
        pull[k] += weight;
        sum[k] += weight * x;
        const Vector d = x - components_[k].mean;
        add_outer(weight, d, d, squares[k]);
      }
    }
    std::vector<Component> last;
    last.swap(components_);
    const double least =
        StudentMixtureConstants::kLeastPoints * static_cast<double>(n) + 1.0;
    for (std::size_t k = 0; k < K; ++k) {
      if (mass[k] < least) continue;
      const Vector mean = sum[k] / pull[k];
      const Vector shift = mean - last[k].mean;
      Matrix scale = squares[k] / mass[k];
      add_outer(-pull[k] / mass[k], shift, shift, scale);
      // Few points: wider, and a little of what all points have
      scale *= 1.0 + static_cast<double>(n) / mass[k];
      scale.diagonal() +=
          StudentMixtureConstants::kOverall * overall.diagonal();
      add(mass[k] + 1.0, mean, scale);
    }
    if (components_.empty()) components_.swap(last);
  }

  std::vector<Component> components_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_STUDENT_MIXTURE_HPP
