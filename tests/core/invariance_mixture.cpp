// Every move of the mixture's augmentation sampler leaves the pseudo posterior
// as it is, at weights of 1, below 1 and next to 0, and with records far out.
//
//   invariance_mixture            a quick version, in seconds
//   invariance_mixture 1000000    that many moves of each kind

#include <functional>

#include "exact_mixture.hpp"
#include "invariance.hpp"
#include "pseudosynth/mixture_posterior.hpp"
#include "pseudosynth/prior/normal_prior.hpp"
#include "pseudosynth/prior/shared_prior.hpp"
#include "pseudosynth/sampler/metric.hpp"
#include "pseudosynth/sampler/mixture/mixture_augmentation.hpp"
#include "pseudosynth/sampler/mixture/mixture_hamiltonian_move.hpp"
#include "pseudosynth/sampler/mixture/mixture_level_move.hpp"
#include "pseudosynth/sampler/mixture/mixture_mass_move.hpp"
#include "pseudosynth/sampler/mixture/mixture_pair_move.hpp"
#include "pseudosynth/sampler/mixture/mixture_shared_move.hpp"
#include "pseudosynth/sampler/nuts.hpp"

namespace {

using namespace invariance;

constexpr int kMovesPerDraw = 10;

/// The parts of a sweep one at a time, each with indicators drawn for it.
class Parts {
 public:
  explicit Parts(ps::MixtureChain& chain)
      : chain_(&chain), given_(chain), components_(given_), hyper_(given_) {}

  void coefficients() {
    each_component([&](int k) { components_.update_coefficients(k); });
  }
  void scales() {
    each_component([&](int k) { components_.update_sigma(k); });
  }
  void weights() {
    begin();
    hyper_.update_weights();
  }
  void concentration() { hyper_.update_concentration(); }
  void shared_mean() { hyper_.update_shared_mean(); }
  void shared_scale() { hyper_.update_shared_scale(); }

 private:
  void begin() {
    given_.set_corrected(true);
    chain_->refresh_densities();
    given_.draw();
  }
  template <class Update>
  void each_component(Update&& update) {
    begin();
    components_.begin();
    for (int k = 0; k < chain_->state.K; ++k) {
      components_.enter(k);
      update(k);
      components_.leave(k);
    }
  }

  ps::MixtureChain* chain_;
  ps::MixtureIndicators given_;
  ps::MixtureComponents components_;
  ps::MixtureHyper hyper_;
};

using Draws = std::vector<Draw<ps::MixtureState>>;

/// `move` acts on chain.state; what depends on the state is fresh before it.
void check(const MixtureProblem& problem, const Draws& draws,
           const std::string& name, ps::MixtureChain& chain, Report& report,
           const std::function<void()>& move) {
  Differences seen;
  for (const auto& draw : draws) {
    const ps::MixtureState& from = draw.state;
    chain.state = from;
    chain.state_changed();
    for (int m = 0; m < kMovesPerDraw; ++m) {
      chain.refresh_densities();
      move();
    }
    seen.add(draw.weight, problem.measure(from), problem.measure(chain.state),
             from.pack() != chain.state.pack());
  }
  report.add(problem.name, name,
             static_cast<long>(draws.size()) * kMovesPerDraw, seen,
             problem.quantities());
}

/// theta of MixturePosterior; its draws would lose the smallest weights.
ps::Vector to_theta(const MixtureProblem& problem, const ps::MixtureState& x) {
  const int P = 2, K = problem.K;
  std::vector<double> theta;
  for (int j = 0; j < P; ++j)
    for (int k = 0; k < K; ++k) theta.push_back(x.b(j, k));
  if (problem.prior.shared) {
    for (int j = 0; j < P; ++j) theta.push_back(x.m[j]);
    for (int j = 0; j < P; ++j) theta.push_back(std::log(x.tau[j]));
  }
  const std::size_t stick = theta.size();
  theta.resize(stick + static_cast<std::size_t>(K) - 1);
  ps::simplex_unconstrain(x.log_pi.data(), K, theta.data() + stick);
  theta.push_back(std::log(x.gamma));
  for (int k = 0; k < K; ++k)
    theta.push_back(std::log(x.sigma[k] - problem.prior.sigma_floor));
  return Eigen::Map<const ps::Vector>(theta.data(),
                                      static_cast<Eigen::Index>(theta.size()));
}

void from_theta(const MixtureProblem& problem, const ps::Vector& theta,
                ps::MixtureState& x) {
  const int P = 2, K = problem.K;
  const double* at = theta.data();
  for (int j = 0; j < P; ++j)
    for (int k = 0; k < K; ++k) x.b(j, k) = *at++;
  if (problem.prior.shared) {
    for (int j = 0; j < P; ++j) x.m[j] = *at++;
    for (int j = 0; j < P; ++j) x.tau[j] = std::exp(*at++);
  }
  ps::simplex_constrain(at, K, x.log_pi.data());
  at += K - 1;
  x.gamma = std::exp(*at++);
  for (int k = 0; k < K; ++k)
    x.sigma[k] = problem.prior.sigma_floor + std::exp(*at++);
}

/// The mixture under NUTS.
void check_nuts(const MixtureProblem& problem, const Draws& draws, ps::Rng& rng,
                Report& report) {
  const ps::SharedPrior shared(problem.prior.tau_df, problem.prior.tau_scale,
                               problem.prior.m0, problem.prior.m_scale);
  const ps::NormalPrior normal(problem.prior.m0, problem.prior.m_scale);
  const ps::CoefficientPrior* prior = &shared;
  if (!problem.prior.shared) prior = &normal;
  ps::MixturePosterior model(problem.records, *prior, problem.K,
                             problem.prior.sigma_floor);
  const ps::ChainHandlers handlers;
  ps::Nuts<ps::MixturePosterior, ps::DiagonalMetric> nuts(model, model.size(),
                                                          6, rng, handlers);
  nuts.stepsize = 0.4 * std::fmin(1.0, problem.prior.m_scale.minCoeff());
  Differences seen;
  ps::MixtureState to;
  for (const auto& draw : draws) {
    nuts.state.q = to_theta(problem, draw.state);
    nuts.hamiltonian.evaluate(nuts.state);
    for (int m = 0; m < kMovesPerDraw; ++m) nuts.transition();
    to = draw.state;
    from_theta(problem, nuts.state.q, to);
    seen.add(draw.weight, problem.measure(draw.state), problem.measure(to),
             draw.state.b != to.b);
  }
  report.add(problem.name, "NUTS",
             static_cast<long>(draws.size()) * kMovesPerDraw, seen,
             problem.quantities());
}

/// The steps of the pair move go from the first component to the second, so
/// that the order may not depend on the weights.
void check_choice(Report& report) {
  ps::Rng rng(6, 0);
  ps::Vector pi(3);
  pi << 0.1, 0.2, 0.7;
  constexpr int kChoices = 100000;
  int seen[3][3] = {};
  for (int n = 0; n < kChoices; ++n) {
    const std::pair<int, int> pair = ps::MixturePairMove::choose(pi, rng);
    ++seen[pair.first][pair.second];
  }
  double worst = 0.0;
  for (int j = 0; j < 3; ++j)
    for (int k = 0; k < 3; ++k) {
      const double p = j < k ? 0.5 * (pi[j] + pi[k]) : 0.0;
      const double gap = seen[j][k] - kChoices * p;
      // What cannot be must not be at all.
      worst = std::fmax(
          worst, p > 0.0 ? std::fabs(gap) / std::sqrt(kChoices * p * (1.0 - p))
                         : 100.0 * std::fabs(gap));
    }
  report.add_z("choice of a pair", "pair", worst);
}

void check_problem(const MixtureProblem& problem, long n_moves,
                   Report& report) {
  ps::Rng rng(20, static_cast<std::uint64_t>(problem.name.size()));
  const Draws draws =
      exact_draws<ps::MixtureState>(problem, n_moves / kMovesPerDraw, rng);

  ps::MixtureChain chain(problem.records, problem.K, problem.prior, rng);
  ps::MixtureAugmentation augmentation(chain);
  Parts parts(chain);
  ps::MixtureLevelMove level(chain);
  ps::MixtureHamiltonianMove hamiltonian(chain, problem.records);
  ps::MixturePairMove pair(chain);
  ps::MixtureMassMove mass(chain);
  auto run = [&](const std::string& name, const std::function<void()>& move) {
    check(problem, draws, name, chain, report, move);
  };
  run("pair", [&] { pair.move(); });
  run("mass", [&] { mass.move(); });
  run("level", [&] { level.move(); });
  run("Hamiltonian", [&] { hamiltonian.move(); });
  run("sweep", [&] { augmentation.sweep(); });
  run("coefficients", [&] { parts.coefficients(); });
  run("scales", [&] { parts.scales(); });
  run("weights", [&] { parts.weights(); });
  run("concentration", [&] { parts.concentration(); });
  if (problem.prior.shared) {
    run("shared mean", [&] { parts.shared_mean(); });
    run("shared scale", [&] { parts.shared_scale(); });
    ps::MixtureSharedMove shared(chain, problem.records);
    run("shared", [&] { shared.move(); });
  }
  check_nuts(problem, draws, rng, report);
}

}  // namespace

int main(int argc, char** argv) {
  const long n_moves = moves_asked(argc, argv, 20000);
  const std::vector<double> y{-1.3, 1.1, 0.2, 1.9};
  const std::vector<double> y8{-1.3, 1.1, 0.2, 1.9, 4.0, -0.7, 1.6, 0.4};
  std::vector<MixtureProblem> problems{
      {"weights 1", y, {1, 1, 1, 1}, 2, true, 0.3},
      {"weights below 1", y8, {.9, .2, .5, 1, 0, .35, .7, .6}, 3, true, 0.3},
      {"weights next to 0", y8, std::vector<double>(8, 0.05), 3, true, 0.2},
      {"normal prior", y8, {.9, .2, .5, 1, 0, .35, .7, .6}, 2, false, 0.3},
      {"120 sd out",
       {-1.3, 1.1, 0.2, 1.9, 120.0},
       {.9, .2, .5, .8, 1e-3},
       2,
       true,
       0.3},
      {"1,000 and 1e6 sd out",
       {-1.3, 1.1, 0.2, 1.9, 1e3, -1e6},
       {.9, .2, .5, .8, 1e-5, 1e-11},
       3,
       false,
       0.3}};
  // One component serves the record apart and one the others, and which of
  // them is which ties their scales to each other.
  problems.push_back(
      {"a narrow and a wide one", {0, 0, 0, 2}, {1, 1, 1, 1}, 2, false, 0.1});
  problems.back().prior.m_scale = ps::Vector::Constant(2, 0.05);
  Report report;
  check_choice(report);
  for (const MixtureProblem& problem : problems)
    check_problem(problem, n_moves, report);
  return report.status();
}
