// Transitions of NUTS, and its jumps on clipped targets, leave the pseudo
// posterior as it is: the student_t family, weights below 1, clipped and not.
//
//   invariance_nuts            a quick version, in seconds
//   invariance_nuts 1000000    that many moves of each kind

#include <functional>

#include "exact_regression.hpp"
#include "invariance.hpp"
#include "pseudosynth/family/student_t.hpp"
#include "pseudosynth/prior/normal_prior.hpp"
#include "pseudosynth/pseudo_posterior.hpp"
#include "pseudosynth/sampler/run_nuts_chain.hpp"

namespace {

using namespace invariance;

using Model = ps::PseudoPosterior<ps::StudentT>;
using Sampler = ps::Nuts<Model, ps::DiagonalMetric>;
using Draws = std::vector<Draw<RegressionState>>;
using Move = std::function<void(Sampler&)>;

/// Found badly: too narrow, and far off.
ps::StudentMixture poor_mixture(int size) {
  ps::StudentMixture out;
  const ps::Matrix unit = ps::Matrix::Identity(size, size);
  out.add(0.7, ps::Vector::Constant(size, 0.3), 0.4 * unit);
  out.add(0.3, ps::Vector::Constant(size, -2.0), 0.1 * unit);
  return out;
}

void check(const RegressionProblem& problem, const Draws& draws,
           const std::string& name, int n_moves, const Move& move, ps::Rng& rng,
           Report& report) {
  const ps::SurrogatePrior prior = problem.prior();
  Model model(problem.records, ps::NormalPrior(prior.location, prior.scale),
              ps::StudentT());
  const int P = problem.P;
  const ps::ChainHandlers handlers;
  Sampler nuts(model, P + 1, 6, rng, handlers);
  nuts.stepsize = 0.5;
  Differences seen;
  RegressionState to;
  for (const auto& draw : draws) {
    nuts.state.q << draw.state.b, std::log(draw.state.sigma);
    nuts.hamiltonian.evaluate(nuts.state);
    for (int m = 0; m < n_moves; ++m) move(nuts);
    to = draw.state;
    to.b = nuts.state.q.head(P);
    to.sigma = std::exp(nuts.state.q[P]);
    seen.add(draw.weight, problem.measure(draw.state), problem.measure(to),
             to.b != draw.state.b);
  }
  report.add(problem.name, name, static_cast<long>(draws.size()) * n_moves,
             seen, problem.quantities());
}

}  // namespace

int main(int argc, char** argv) {
  const long n_moves = moves_asked(argc, argv, 30000);
  const ps::StudentMixture found = poor_mixture(3);
  Report report;
  ps::Rng rng(23, 1);
  for (const ps::Censor& rule : {ps::Censor(), clip_of_responses()}) {
    const RegressionProblem problem{
        rule.active ? "clipped, below 1" : "weights below 1",
        two_level_records(kResponses, kBelow, rule),
        false,
        2,
        true,
        student_density};
    constexpr int kMoves = 2;
    const Draws draws =
        exact_draws<RegressionState>(problem, n_moves / kMoves, rng);
    check(
        problem, draws, "transitions", kMoves,
        [](Sampler& nuts) { nuts.transition(); }, rng, report);
    check(
        problem, draws, "jumps", kMoves,
        [&](Sampler& nuts) { ps::detail::jump(nuts, found, rng); }, rng,
        report);
  }
  return report.status();
}
