// The prior and the likelihood of a small mixture, for exact draws from its
// pseudo posterior; see invariance.hpp.
#ifndef PSEUDOSYNTH_TESTS_CORE_EXACT_MIXTURE_HPP
#define PSEUDOSYNTH_TESTS_CORE_EXACT_MIXTURE_HPP

#include <cmath>
#include <string>
#include <vector>

#include "pseudosynth/records.hpp"
#include "pseudosynth/rng.hpp"
#include "pseudosynth/sampler/mixture/mixture_state.hpp"

namespace invariance {

namespace ps = pseudosynth;

/// |t| with `df` degrees of freedom, times scale.
inline double draw_half_t(ps::Rng& rng, double df, double scale) {
  return scale * std::fabs(rng.normal()) /
         std::sqrt(rng.gamma(0.5 * df) / (0.5 * df));
}

/// An intercept and a factor of two levels that alternate.
inline ps::Records two_level_records(const std::vector<double>& y,
                                     const std::vector<double>& alpha,
                                     const ps::Censor& censor = ps::Censor()) {
  ps::Predictors x;
  x.n_records = static_cast<int>(y.size());
  x.n_columns = 2;
  x.n_levels = {2};
  x.factor_column = {1};
  for (int i = 0; i < x.n_records; ++i) x.codes.push_back(i % 2);
  return ps::Records(x, y, alpha, censor);
}

struct MixtureProblem {
  std::string name;
  ps::Records records;
  ps::MixturePrior prior;
  int K;

  MixtureProblem(const std::string& its_name, const std::vector<double>& y,
                 const std::vector<double>& alpha, int components, bool shared,
                 double floor)
      : name(its_name), records(two_level_records(y, alpha)), K(components) {
    prior.shared = shared;
    prior.m0 = ps::Vector::Zero(2);
    prior.m_scale = ps::Vector::Constant(2, shared ? 1.0 : 1.2);
    prior.tau_scale = 0.7;
    prior.sigma_floor = floor;
  }

  void draw_prior(ps::Rng& rng, ps::MixtureState& state) const {
    const int P = 2;
    state.K = K;
    state.P = P;
    state.m = prior.m0;
    state.tau = ps::Vector::Ones(P);
    state.b.resize(P, K);
    state.log_pi.resize(K);
    state.sigma.resize(K);
    for (int j = 0; j < P; ++j) {
      double centre = prior.m0[j], spread = prior.m_scale[j];
      if (prior.shared) {
        state.tau[j] = draw_half_t(rng, prior.tau_df, prior.tau_scale);
        state.m[j] = centre + spread * rng.normal();
        centre = state.m[j];
        spread = state.tau[j];
      }
      for (int k = 0; k < K; ++k)
        state.b(j, k) = centre + spread * rng.normal();
    }
    state.gamma = rng.exponential();
    for (int k = 0; k < K; ++k) {
      state.log_pi[k] = rng.log_gamma_draw(state.gamma / K);
      do state.sigma[k] = draw_half_t(rng, 3.0, 1.0);
      while (state.sigma[k] < prior.sigma_floor);
    }
    state.log_pi.array() -= ps::log_sum_exp(state.log_pi.data(), K);
  }

  double log_lik(const ps::MixtureState& state) const {
    std::vector<double> term(static_cast<std::size_t>(K));
    double total = 0.0;
    for (int i = 0; i < records.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(i);
      if (records.alpha[at] == 0.0) continue;
      const int row = records.design.row()[at];
      const bool second = records.design.active_column(row, 0) == 1;
      for (int k = 0; k < K; ++k) {
        const double eta = state.b(0, k) + (second ? state.b(1, k) : 0.0);
        term[static_cast<std::size_t>(k)] =
            state.log_pi[k] +
            ps::normal_log_density(records.y[at], eta, state.sigma[k]);
      }
      total += records.alpha[at] * ps::log_sum_exp(term.data(), K);
    }
    return total;
  }

  std::vector<std::string> quantities() const {
    return {"log sigma of the larger",
            "log sigma of the smaller",
            "smallest log sigma",
            "largest log sigma",
            "mean log sigma",
            "mean",
            "last coefficient",
            "sum of squared pi",
            "largest pi above .9",
            "log gap",
            "location and scale",
            "log likelihood",
            "log gamma",
            "pi of the first",
            "log sigma of the first",
            "b of the first",
            "log pi of the smallest",
            "m",
            "log tau",
            "log tau, last"};
  }
  /// Functions of a draw, of finite variance under the prior alone.
  std::vector<double> measure(const ps::MixtureState& x) const {
    int large = 0, small = 0;
    for (int k = 1; k < K; ++k) {
      if (x.log_pi[k] > x.log_pi[large]) large = k;
      if (x.log_pi[k] <= x.log_pi[small]) small = k;
    }
    const ps::Vector pi = x.log_pi.array().exp();
    const ps::Vector log_sigma = x.sigma.array().log();
    const double lowest = x.b.row(0).minCoeff(),
                 highest = x.b.row(0).maxCoeff();
    std::vector<double> out{log_sigma[large],
                            log_sigma[small],
                            log_sigma.minCoeff(),
                            log_sigma.maxCoeff(),
                            pi.dot(log_sigma),
                            std::tanh(0.5 * x.b.row(0).dot(pi)),
                            std::tanh(0.5 * x.b.row(1).dot(pi)),
                            pi.squaredNorm(),
                            pi[large] > 0.9 ? 1.0 : 0.0,
                            std::log(highest - lowest + 1e-10),
                            std::tanh(x.b(0, large)) * log_sigma[large],
                            std::atan(0.1 * log_lik(x)),
                            std::log(x.gamma),
                            pi[0],
                            log_sigma[0],
                            std::tanh(x.b(0, 0)),
                            std::log(1.0 - x.log_pi[small])};
    if (prior.shared) {
      out.push_back(x.m[0]);
      out.push_back(std::log(x.tau[0]));
      out.push_back(std::log(x.tau[1]));
    }
    return out;
  }
};

}  // namespace invariance

#endif
