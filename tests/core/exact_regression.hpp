// Exact, independent draws from the pseudo posterior of a small regression with
// a scale, as exact_mixture.hpp has them for the mixture.
#ifndef PSEUDOSYNTH_TESTS_CORE_EXACT_REGRESSION_HPP
#define PSEUDOSYNTH_TESTS_CORE_EXACT_REGRESSION_HPP

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "exact_mixture.hpp"
#include "pseudosynth/family/student_t.hpp"
#include "pseudosynth/sampler/surrogate_model.hpp"

namespace invariance {

struct RegressionState {
  ps::Vector b, tau;
  ps::Matrix omega;
  double sigma;

  bool operator==(const RegressionState& to) const {
    return b == to.b && tau == to.tau && omega == to.omega && sigma == to.sigma;
  }
};

/// b ~ N(0, diag(tau) Omega diag(tau)), tau half-t, Omega ~ LKJ(1); or b
/// normal, tau and Omega idle. sigma ~ half-t(3, 0, 1).
struct RegressionProblem {
  std::string name;
  ps::Records records;
  bool hierarchical;
  int P;
  bool correlated = true;  // else Omega is the identity
  // log density of a record given its linear predictor and sigma
  std::function<double(double y, double eta, double sigma)> log_density;

  ps::SurrogatePrior prior() const {
    ps::SurrogatePrior out;
    out.hierarchical = hierarchical;
    out.location = ps::Vector::Constant(P, hierarchical ? 0.0 : 0.3);
    out.scale = ps::Vector::Constant(P, 1.2);
    return out;
  }

  void draw_prior(ps::Rng& rng, RegressionState& x) const {
    const ps::SurrogatePrior from = prior();
    x.tau = ps::Vector::Ones(P);
    x.omega = ps::Matrix::Identity(P, P);
    x.b.resize(P);
    for (int j = 0; j < P; ++j) x.b[j] = rng.normal();
    x.sigma = draw_half_t(rng, 3.0, 1.0);
    if (!hierarchical) {
      x.b = from.location + from.scale.cwiseProduct(x.b);
      return;
    }
    for (int j = 0; j < P; ++j)
      x.tau[j] = draw_half_t(rng, from.tau_df, from.tau_scale);
    if (correlated && P > 1) {
      // The correlations of a Wishart matrix of P + 1 degrees of freedom.
      ps::Matrix normals(P + 1, P);
      for (int j = 0; j < P; ++j)
        for (int i = 0; i <= P; ++i) normals(i, j) = rng.normal();
      const ps::Matrix sigma = normals.transpose() * normals;
      const ps::Vector inverse = sigma.diagonal().cwiseSqrt().cwiseInverse();
      x.omega = inverse.asDiagonal() * sigma * inverse.asDiagonal();
    }
    x.b = x.tau.cwiseProduct(x.omega.llt().matrixL() * x.b);
  }

  double log_lik(const RegressionState& x) const {
    double total = 0.0;
    std::vector<double> eta(static_cast<std::size_t>(records.design.n_rows()));
    if (records.size() > 0)
      records.design.linear_predictor(x.b.data(), 1, eta.data());
    for (int i = 0; i < records.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(i);
      const std::size_t row =
          static_cast<std::size_t>(records.design.row()[at]);
      total += records.contribution(
          i, log_density(records.y[at], eta[row], x.sigma));
    }
    return total;
  }

  std::vector<std::string> quantities() const {
    std::vector<std::string> out{"log sigma", "log likelihood"};
    for (int j = 0; j < P; ++j) {
      const std::string at = std::to_string(j);
      for (const char* what :
           {"b ", "log tau ", "ratio of b to tau ", "b and scale "})
        out.push_back(what + at);
      for (int k = 0; k < j; ++k) {
        out.push_back("correlation " + at);
        out.push_back("product of b " + at);
      }
    }
    return out;
  }
  std::vector<double> measure(const RegressionState& x) const {
    const double log_sigma = std::log(x.sigma);
    std::vector<double> out{log_sigma, std::atan(0.1 * log_lik(x))};
    for (int j = 0; j < P; ++j) {
      const double place = std::tanh(0.5 * x.b[j]);
      out.push_back(place);
      out.push_back(std::log(x.tau[j]));
      out.push_back(std::tanh(std::fabs(x.b[j]) / x.tau[j]));
      out.push_back(place * log_sigma);
      for (int k = 0; k < j; ++k) {
        out.push_back(x.omega(j, k));
        out.push_back(std::tanh(x.b[j] * x.b[k]));
      }
    }
    return out;
  }
};

/// What the programs of regressions share: six responses, weights below 1, a
/// clip, and a density with heavy tails.
inline const std::vector<double> kResponses{-1.3, 1.1, 0.2, 1.9, -0.7, 1.6};
inline const std::vector<double> kBelow{.9, .2, .5, 1, .35, .7};

inline ps::Censor clip_of_responses() {
  ps::Censor clip;
  clip.active = true;
  clip.lower = -0.5;
  clip.upper = 0.5;
  clip.centre.assign(kResponses.size(), -0.8);
  return clip;
}

inline double student_density(double y, double eta, double sigma) {
  static const ps::StudentT family;
  return family.log_lik(y, eta, family.at(&sigma));
}

}  // namespace invariance

#endif
