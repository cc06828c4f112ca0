// Every move of the surrogate sampler leaves the pseudo posterior as it is,
// however poor the stand-in for the likelihood: the student_t family, clipped
// and not.
//
//   invariance_surrogate            a quick version, in seconds
//   invariance_surrogate 1000000    that many moves of each kind

#include <functional>

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

using Move = std::function<void(ps::SurrogateChain&)>;

// Six records have no small groups
constexpr double kAnyGroup = 1.0;

/// Explored badly: two components, one of them far off.
ps::CrossingMoves poor_crossing(const ps::PriorReference& reference, int size) {
  ps::CrossingMoves out;
  out.reference = &reference;
  const ps::Matrix unit = ps::Matrix::Identity(size, size);
  out.mixture.add(0.7, ps::Vector::Constant(size, 0.3), 0.8 * unit);
  out.mixture.add(0.3, ps::Vector::Constant(size, -2.0), 0.1 * unit);
  out.prior_weight = 0.3;
  out.mixture_weight = 0.4;
  for (int k = 0; k < 4; ++k) {
    out.points.push_back(ps::Vector::Constant(size, 0.2 * k));
    out.points.back()[k % size] = 1.5;
  }
  return out;
}

/// Some moves from each draw, in a chain of its own.
void check(const RegressionProblem& problem, const Draws& draws,
           const std::string& name, const ps::SurrogateProposal& proposal,
           const ps::CrossingMoves* crossing, const Move& move, int n_moves,
           ps::Rng& rng, Report& report) {
  ps::FamilySurrogateModel<ps::StudentT> model(problem.records, ps::StudentT(),
                                               problem.prior(), kAnyGroup);
  const int P = problem.P;
  ps::Vector theta(P + 1);
  Differences seen;
  RegressionState to;
  for (const auto& draw : draws) {
    ps::SurrogateChain chain(model, proposal, rng, crossing);
    theta << draw.state.b, std::log(draw.state.sigma);
    chain.at.place(theta);
    chain.at.set_tau(draw.state.tau);
    chain.at.set_omega(draw.state.omega);
    for (int m = 0; m < n_moves; ++m) move(chain);
    to = draw.state;
    to.b = chain.at.theta.head(P);
    to.sigma = std::exp(chain.at.theta[P]);
    to.tau = chain.at.tau();
    to.omega = chain.at.omega();
    seen.add(draw.weight, problem.measure(draw.state), problem.measure(to),
             to.b != draw.state.b || to.sigma != draw.state.sigma);
  }
  report.add(problem.name, name, static_cast<long>(draws.size()) * n_moves,
             seen, problem.quantities());
}

constexpr int kMoves = 5;  // from each draw
const Move kSweep = [](ps::SurrogateChain& chain) { chain.sweep(); };

/// The moves of clipped targets, which are exact for any.
void check_crossing(const RegressionProblem& problem,
                    const ps::SurrogateProposal& proposal, const Draws& draws,
                    ps::Rng& rng, Report& report) {
  ps::FamilySurrogateModel<ps::StudentT> model(problem.records, ps::StudentT(),
                                               problem.prior());
  const ps::PriorReference reference(model);
  const ps::CrossingMoves crossing = poor_crossing(reference, problem.P + 1);
  const auto run = [&](const std::string& name, const Move& move) {
    check(problem, draws, name, proposal, &crossing, move, kMoves, rng, report);
  };
  run("jumps", [](ps::SurrogateChain& chain) { chain.jumps.jump(); });
  run("wide slices",
      [](ps::SurrogateChain& chain) { chain.slices.wide_slice(); });
  run("ellipses", [](ps::SurrogateChain& chain) { chain.jumps.ellipse(); });
  if (problem.hierarchical) {
    run("joint jumps",
        [](ps::SurrogateChain& chain) { chain.jumps.joint_jump(); });
    run("scales",
        [](ps::SurrogateChain& chain) { chain.slices.scale_slice(); });
    run("common scale",
        [](ps::SurrogateChain& chain) { chain.slices.common_slice(); });
    run("redrawn", [](ps::SurrogateChain& chain) { chain.jumps.redraw(); });
  }
  if (problem.records.censor.active && problem.P > 1) {
    run("reference level, all of it",
        [](ps::SurrogateChain& chain) { chain.slices.reference_slice(); });
    run("exchanged level",
        [](ps::SurrogateChain& chain) { chain.jumps.exchange_level(); });
    run("one level",
        [](ps::SurrogateChain& chain) { chain.slices.group_slice(1); });
    run("reference level",
        [](ps::SurrogateChain& chain) { chain.slices.group_slice(0); });
  }
  run("all that cross", kSweep);
}

void check_problem(const RegressionProblem& problem, long n_moves, ps::Rng& rng,
                   Report& report) {
  const Draws draws =
      exact_draws<RegressionState>(problem, n_moves / kMoves, rng);
  ps::SurrogateProposal proposal;
  proposal.lhat = poor_quadratic(problem.P + 1);
  proposal.flat = proposal.lhat.power(0.5);
  auto run = [&](const std::string& name, double flat_share, double keep,
                 double slice_share) {
    proposal.flat_share = flat_share;
    proposal.keep = keep;
    proposal.slice_share = slice_share;
    check(problem, draws, name, proposal, nullptr, kSweep, kMoves, rng, report);
  };
  run("proposals", 0.0, 0.0, 0.0);
  run("flat", 1.0, 0.0, 0.0);
  run("kept in part", 0.0, 0.7, 0.0);
  run("across the mean", 0.0, -0.5, 0.0);
  run("all", 0.25, 0.5, 0.5);
  run("all, across the mean", 0.25, -0.5, 0.5);
  check(
      problem, draws, "slices", proposal, nullptr,
      [](ps::SurrogateChain& chain) { chain.slices.slice(); }, kMoves, rng,
      report);
  check_crossing(problem, proposal, draws, rng, report);
}

}  // namespace

int main(int argc, char** argv) {
  const long n_moves = moves_asked(argc, argv, 30000);
  const std::vector<double> ones(6, 1.0);
  const ps::Censor censor = clip_of_responses();
  const auto problem = [&](const std::string& name,
                           const std::vector<double>& alpha, bool hierarchical,
                           const ps::Censor& rule) {
    return RegressionProblem{
        name,         two_level_records(kResponses, alpha, rule),
        hierarchical, 2,
        true,         student_density};
  };
  ps::Predictors intercept;
  intercept.n_records = 6;
  intercept.n_columns = 1;
  const RegressionProblem one{"one coefficient, below 1",
                              ps::Records(intercept, kResponses, kBelow),
                              true,
                              1,
                              false,
                              student_density};
  Report report;
  ps::Rng rng(23, 1);
  const ps::Censor none;
  for (const RegressionProblem& each :
       {problem("weights 1", ones, true, none),
        problem("weights below 1", kBelow, true, none),
        problem("normal prior, below 1", kBelow, false, none),
        problem("clipped, below 1", kBelow, true, censor),
        problem("clipped, normal prior, below 1", kBelow, false, censor), one})
    check_problem(each, n_moves, rng, report);
  return report.status();
}
