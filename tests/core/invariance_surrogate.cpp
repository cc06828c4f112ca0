// Every move of the surrogate sampler leaves the pseudo posterior as it is,
// however poor the stand-in for the likelihood: the student_t family, clipped
// and not.
//
//   invariance_surrogate            a quick version, in seconds
//   invariance_surrogate 1000000    that many moves of each kind

#include "exact_regression.hpp"
#include "invariance.hpp"
#include "pseudosynth/family/student_t.hpp"
#include "pseudosynth/sampler/family_surrogate_model.hpp"
#include "pseudosynth/sampler/surrogate_chain.hpp"

namespace {

using namespace invariance;

using Draws = std::vector<Draw<RegressionState>>;

/// Off in place, too narrow in one direction and too wide in another.
ps::SurrogateQuadratic poor_quadratic(int size) {
  ps::SurrogateQuadratic out;
  out.centre = ps::Vector::Constant(size, 0.1);
  out.gradient = ps::Vector::Constant(size, 0.2);
  out.curvature = ps::Matrix::Constant(size, size, 0.3);
  for (int j = 0; j < size; ++j) out.curvature(j, j) = 0.8 + 0.7 * j;
  return out;
}

/// One move from each draw, in a chain of its own: the first sweep of a chain
/// leaves Omega at the identity.
void check(const RegressionProblem& problem, const Draws& draws,
           const std::string& name, const ps::SurrogateProposal& proposal,
           bool slices, int n_moves, ps::Rng& rng, Report& report) {
  ps::FamilySurrogateModel<ps::StudentT> model(problem.records, ps::StudentT(),
                                               problem.prior());
  const int P = problem.P;
  ps::Vector theta(P + 1);
  Differences seen;
  RegressionState to;
  for (const auto& draw : draws) {
    ps::SurrogateChain chain(model, proposal, rng);
    theta << draw.state.b, std::log(draw.state.sigma);
    chain.place(theta);
    chain.set_tau(draw.state.tau);
    for (int m = 0; m < n_moves; ++m) {
      if (slices)
        chain.slice();
      else
        chain.sweep();
    }
    to = draw.state;
    to.b = chain.theta.head(P);
    to.sigma = std::exp(chain.theta[P]);
    to.tau = chain.tau();
    seen.add(draw.weight, problem.measure(draw.state), problem.measure(to),
             to.b != draw.state.b);
  }
  report.add(problem.name, name, static_cast<long>(draws.size()) * n_moves,
             seen, problem.quantities());
}

void check_problem(const RegressionProblem& problem, long n_moves, ps::Rng& rng,
                   Report& report) {
  // Of several coefficients Omega moves from the second sweep on.
  const int n_sweeps = problem.hierarchical && problem.P > 1 ? 1 : 5;
  constexpr int kSlices = 5;
  const Draws draws =
      exact_draws<RegressionState>(problem, n_moves / n_sweeps, rng);
  ps::SurrogateProposal proposal;
  proposal.lhat = poor_quadratic(problem.P + 1);
  proposal.flat = proposal.lhat.power(0.5);
  auto run = [&](const std::string& name, double flat_share, double keep,
                 double slice_share) {
    proposal.flat_share = flat_share;
    proposal.keep = keep;
    proposal.slice_share = slice_share;
    check(problem, draws, name, proposal, false, n_sweeps, rng, report);
  };
  run("proposals", 0.0, 0.0, 0.0);
  run("flat", 1.0, 0.0, 0.0);
  run("kept in part", 0.0, 0.7, 0.0);
  run("across the mean", 0.0, -0.5, 0.0);
  run("all", 0.25, 0.5, 0.5);
  run("all, across the mean", 0.25, -0.5, 0.5);
  check(problem, draws, "slices", proposal, true, kSlices, rng, report);
}

}  // namespace

int main(int argc, char** argv) {
  const long n_moves = moves_asked(argc, argv, 30000);
  const ps::StudentT family;
  const auto student = [&](double y, double eta, double sigma) {
    return family.log_lik(y, eta, family.at(&sigma));
  };
  const std::vector<double> y{-1.3, 1.1, 0.2, 1.9, -0.7, 1.6};
  const std::vector<double> ones(6, 1.0), below{.9, .2, .5, 1, .35, .7};
  ps::Censor censor;
  censor.active = true;
  censor.lower = -0.5;
  censor.upper = 0.5;
  censor.centre.assign(6, -0.8);
  const auto problem = [&](const std::string& name,
                           const std::vector<double>& alpha, bool hierarchical,
                           const ps::Censor& rule) {
    return RegressionProblem{name,         two_level_records(y, alpha, rule),
                             hierarchical, 2,
                             false,        student};
  };
  ps::Predictors intercept;
  intercept.n_records = 6;
  intercept.n_columns = 1;
  const RegressionProblem one{"one coefficient, below 1",
                              ps::Records(intercept, y, below),
                              true,
                              1,
                              false,
                              student};
  Report report;
  ps::Rng rng(22, 1);
  const ps::Censor none;
  for (const RegressionProblem& each :
       {problem("weights 1", ones, true, none),
        problem("weights below 1", below, true, none),
        problem("normal prior, below 1", below, false, none),
        problem("clipped, below 1", below, true, censor), one})
    check_problem(each, n_moves, rng, report);
  return report.status();
}
