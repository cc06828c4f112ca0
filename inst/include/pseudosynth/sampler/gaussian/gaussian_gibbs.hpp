// Gibbs sampler of the weighted, uncensored normal regression. Given sigma and
// the hyperparameters the pseudo posterior of b is exactly normal, whatever the
// weights, and touches the data through X'AX and X'Ay only.
//
// A folder in sampler/ bears the name of the one family that its samplers draw
// from; what lies in sampler/ itself serves any family.
#ifndef PSEUDOSYNTH_SAMPLER_GAUSSIAN_GIBBS_HPP
#define PSEUDOSYNTH_SAMPLER_GAUSSIAN_GIBBS_HPP

#include <cmath>

#include "../../cholesky.hpp"
#include "../../count_of.hpp"
#include "../../likelihood/least_squares.hpp"
#include "../../prior/half_t.hpp"
#include "../../records.hpp"
#include "../../rng.hpp"
#include "../chain_length.hpp"
#include "../chain_result.hpp"
#include "../hierarchical_sweep.hpp"
#include "../regression_prior.hpp"
#include "../slice.hpp"

namespace pseudosynth {

class GaussianGibbs {
 public:
  GaussianGibbs(const LeastSquares& sums, const RegressionPrior& prior,
                Rng& rng)
      : sums_(&sums),
        prior_(prior),
        hyper_(count_of(sums.anchor), prior.lkj, prior.tau_df, prior.tau_scale),
        rng_(&rng) {
    const int P = count_of(sums.anchor);
    b = sums.anchor;
    for (int j = 0; j < P; ++j)
      b[j] += 2.0 * sums.standard_error[j] * rng.normal();
    sigma = sums.spread * std::exp(0.5 * rng.normal()) + 1e-10;
    for (int j = 0; j < P; ++j)
      hyper_.tau[j] = 0.5 * prior.tau_scale + std::fabs(b[j]) * rng.uniform();
  }

  Vector b;
  double sigma;

  void sweep() {
    if (prior_.hierarchical) hyper_.update(b, *rng_, ++n_sweeps_ % 2 == 0);
    update_sigma();
    update_b();
    if (prior_.hierarchical) rescale();
  }

  const Vector& tau() const { return hyper_.tau; }

  /// [ b | sigma | tau ]
  Vector pack() const {
    Vector x(b.size() + 1 + tau().size());
    x << b, sigma, tau();
    return x;
  }
  void unpack(const Vector& x) {
    b = x.head(b.size());
    sigma = x[b.size()];
    hyper_.tau = x.tail(b.size());
  }

 protected:
  /// sum_i alpha_i (y_i - x_i'b)^2.
  double squares() const {
    const Vector d = b - sums_->anchor;
    const Vector moment = sums_->gram * d;
    return sums_->residual_squares - 2.0 * d.dot(sums_->residual_moment) +
           d.dot(moment);
  }

  /// sigma ~ half-t(3, 0, 1) times sigma^-sum(alpha) exp(-squares/(2 sigma^2)).
  void update_sigma() {
    const double total = std::max(squares(), 0.0);
    const double n = sums_->total_weight;
    const double u = slice_sample(
        *rng_, std::log(sigma),
        [&](double x) {
          return sigma_prior_.log_density_log(x) - n * x -
                 0.5 * total * std::exp(-2.0 * x);
        },
        n > 4 ? 3.0 / std::sqrt(2.0 * n) : 1.0);
    sigma = std::exp(u);
  }

  void update_b() {
    const double weight = 1.0 / (sigma * sigma);
    Matrix Q = sums_->gram * weight;
    Vector rhs = sums_->gram * sums_->anchor;
    rhs += sums_->residual_moment;
    rhs *= weight;
    if (prior_.hierarchical) {
      Q += hyper_.precision();
    } else {
      const Vector precision = prior_.scale.cwiseAbs2().cwiseInverse();
      Q.diagonal() += precision;
      rhs += precision.cwiseProduct(prior_.location);
    }
    const Cholesky factor(Q);
    Vector noise(b.size());
    for (Eigen::Index j = 0; j < b.size(); ++j) noise[j] = rng_->normal();
    factor.solve_upper(noise.data());
    b = factor.solve(rhs) + noise;
  }

  void rescale() {
    const double weight = 1.0 / (sigma * sigma);
    const Matrix curvature = sums_->gram * weight;
    Vector moment =
        sums_->residual_moment * weight - curvature * (b - sums_->anchor);
    hyper_.rescale(curvature, b, moment, *rng_);
  }

  const LeastSquares* sums_;
  RegressionPrior prior_;
  HalfT sigma_prior_{3.0, 1.0};
  HierarchicalSweep hyper_;
  long n_sweeps_ = 0;
  Rng* rng_;
};

/// One chain. Draws [ b | sigma ], hyper [ tau ] for the hierarchical prior.
/// @param sums sufficient statistics, shared by all chains.
inline ChainResult run_gaussian_gibbs(const LeastSquares& sums,
                                      const RegressionPrior& prior,
                                      const ChainLength& length,
                                      std::uint64_t seed, int chain,
                                      const ChainHandlers& handlers,
                                      const Vector* init) {
  validate(length);
  ChainResult out;
  Rng rng(seed, static_cast<std::uint64_t>(chain));
  GaussianGibbs state(sums, prior, rng);
  if (init != nullptr && init->size() == state.pack().size())
    state.unpack(*init);
  const int P = count_of(sums.anchor);
  out.allocate(P + 1, prior.hierarchical ? P : 0, length.draws);
  for (std::int64_t i = 0; i < length.iterations(); ++i) {
    if (handlers.stop_requested()) {
      out.interrupted = true;
      break;
    }
    state.sweep();
    if (length.keeps(i)) {
      out.draws.col(out.completed).head(P) = state.b;
      out.draws(P, out.completed) = state.sigma;
      if (prior.hierarchical) out.hyper.col(out.completed) = state.tau();
      ++out.completed;
    }
    handlers.iteration_done(i + 1);
  }
  out.state = state.pack();
  out.finish();
  return out;
}

}  // namespace pseudosynth

#endif
