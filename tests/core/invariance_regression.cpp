// Every step of the gaussian Gibbs sampler, of the hyperparameters' sweep and
// of NUTS leaves the pseudo posterior as it is.
//
//   invariance_regression            a quick version, in seconds
//   invariance_regression 1000000    that many moves of each kind

#include <functional>

#include "exact_regression.hpp"
#include "invariance.hpp"
#include "pseudosynth/prior/hierarchical_prior.hpp"
#include "pseudosynth/prior/normal_prior.hpp"
#include "pseudosynth/pseudo_posterior.hpp"
#include "pseudosynth/sampler/gaussian/gaussian_gibbs.hpp"
#include "pseudosynth/sampler/metric.hpp"
#include "pseudosynth/sampler/nuts.hpp"

namespace {

using namespace invariance;

constexpr int kMovesPerDraw = 10;
using Draws = std::vector<Draw<RegressionState>>;

/// The sweep of the hyperparameters with all of its state in reach.
class Sweep : public ps::HierarchicalSweep {
 public:
  using ps::HierarchicalSweep::HierarchicalSweep;
  using ps::HierarchicalSweep::update_omega;
  using ps::HierarchicalSweep::update_tau;

  void set(const RegressionState& x) {
    tau = x.tau;
    set_omega(x.omega);
  }
};

class Gibbs : public ps::GaussianGibbs {
 public:
  using ps::GaussianGibbs::GaussianGibbs;
  using ps::GaussianGibbs::rescale;
  using ps::GaussianGibbs::update_b;
  using ps::GaussianGibbs::update_sigma;

  void set(const RegressionState& x, Sweep& hyper) {
    b = x.b;
    sigma = x.sigma;
    hyper.set(x);
    hyper_ = hyper;
  }
  RegressionState get() const { return {b, hyper_.tau, hyper_.omega(), sigma}; }
};

/// `run` makes of a state another one by kMovesPerDraw moves.
void check(const RegressionProblem& problem, const Draws& draws,
           const std::string& name, Report& report,
           const std::function<RegressionState(const RegressionState&)>& run) {
  Differences seen;
  for (const auto& draw : draws) {
    const RegressionState to = run(draw.state);
    seen.add(draw.weight, problem.measure(draw.state), problem.measure(to),
             !(to == draw.state));
  }
  report.add(problem.name, name,
             static_cast<long>(draws.size()) * kMovesPerDraw, seen,
             problem.quantities());
}

void check_hyper(const RegressionProblem& problem, const Draws& draws,
                 ps::Rng& rng, Report& report) {
  const ps::SurrogatePrior prior = problem.prior();
  Sweep sweep(problem.P, prior.lkj, prior.tau_df, prior.tau_scale);
  const auto run =
      [&](const std::string& name,
          const std::function<void(const RegressionState&)>& move) {
        check(problem, draws, name, report, [&](const RegressionState& from) {
          sweep.set(from);
          for (int m = 0; m < kMovesPerDraw; ++m) move(from);
          return RegressionState{from.b, sweep.tau, sweep.omega(), from.sigma};
        });
      };
  run("tau", [&](const RegressionState& x) { sweep.update_tau(x.b, rng); });
  run("Omega", [&](const RegressionState& x) { sweep.update_omega(x.b, rng); });
  run("tau and Omega",
      [&](const RegressionState& x) { sweep.update(x.b, rng); });
}

void check_gibbs(const RegressionProblem& problem, const Draws& draws,
                 ps::Rng& rng, Report& report) {
  const ps::SurrogatePrior prior = problem.prior();
  const ps::LeastSquares sums(problem.records, problem.records.y,
                              ps::Vector::Zero(problem.P));
  Gibbs gibbs(sums, prior, rng);
  Sweep hyper(problem.P, prior.lkj, prior.tau_df, prior.tau_scale);
  const auto run = [&](const std::string& name,
                       const std::function<void()>& move) {
    check(problem, draws, name, report, [&](const RegressionState& from) {
      gibbs.set(from, hyper);
      for (int m = 0; m < kMovesPerDraw; ++m) move();
      return gibbs.get();
    });
  };
  run("Gibbs, sigma", [&] { gibbs.update_sigma(); });
  run("Gibbs, b", [&] { gibbs.update_b(); });
  if (problem.hierarchical) run("Gibbs, scaling", [&] { gibbs.rescale(); });
  run("Gibbs, sweep", [&] { gibbs.sweep(); });
}

void check_nuts(const RegressionProblem& problem, const Draws& draws,
                ps::Rng& rng, Report& report) {
  const ps::SurrogatePrior prior = problem.prior();
  const int P = problem.P;
  const ps::HierarchicalPrior hierarchical(P, prior.lkj, prior.tau_df,
                                           prior.tau_scale);
  const ps::NormalPrior normal(prior.location, prior.scale);
  const ps::CoefficientPrior* of_b = &hierarchical;
  if (!problem.hierarchical) of_b = &normal;
  typedef ps::PseudoPosterior<ps::Gaussian> Model;
  Model model(problem.records, *of_b);
  const ps::ChainHandlers handlers;
  ps::Nuts<Model, ps::DiagonalMetric> nuts(model, model.size(), 4, rng,
                                           handlers);
  nuts.stepsize = 0.4;
  check(problem, draws, "NUTS", report, [&](const RegressionState& from) {
    RegressionState to = from;
    ps::Vector& theta = nuts.state.q;
    theta.head(P) = from.b;
    if (problem.hierarchical) {
      theta.segment(P, P) = from.tau.array().log();
      // Of two coefficients the partial correlation is the correlation.
      theta[2 * P] = std::atanh(from.omega(1, 0));
    }
    theta[theta.size() - 1] = std::log(from.sigma);
    nuts.hamiltonian.evaluate(nuts.state);
    for (int m = 0; m < kMovesPerDraw; ++m) nuts.transition();
    to.b = theta.head(P);
    if (problem.hierarchical) {
      to.tau = theta.segment(P, P).array().exp();
      to.omega(1, 0) = to.omega(0, 1) = std::tanh(theta[2 * P]);
    }
    to.sigma = std::exp(theta[theta.size() - 1]);
    return to;
  });
}

}  // namespace

int main(int argc, char** argv) {
  const long n_moves = moves_asked(argc, argv, 40000);
  const auto normal = [](double y, double eta, double sigma) {
    return ps::normal_log_density(y, eta, sigma);
  };
  const std::vector<double> ones(6, 1.0), small(6, 0.02);
  const auto problem = [&](const std::string& name,
                           const std::vector<double>& alpha,
                           bool hierarchical) {
    return RegressionProblem{name,         two_level_records(kResponses, alpha),
                             hierarchical, 2,
                             true,         normal};
  };
  const std::vector<RegressionProblem> problems{
      problem("weights 1", ones, true),
      problem("weights below 1", kBelow, true),
      problem("weights next to 0", small, true),
      problem("normal prior, below 1", kBelow, false)};
  Report report;
  ps::Rng rng(21, 1);
  for (const RegressionProblem& each : problems) {
    const Draws draws =
        exact_draws<RegressionState>(each, n_moves / kMovesPerDraw, rng);
    if (each.hierarchical) check_hyper(each, draws, rng, report);
    check_gibbs(each, draws, rng, report);
    check_nuts(each, draws, rng, report);
  }
  // More coefficients, whose correlations are known by the prior alone.
  const RegressionProblem three{
      "three coefficients", ps::Records(), true, 3, true, normal};
  check_hyper(three,
              exact_draws<RegressionState>(three, n_moves / kMovesPerDraw, rng),
              rng, report);
  return report.status();
}
