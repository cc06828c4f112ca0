// The compiler says what a part lacks for its role: a family, a form, a
// likelihood, a posterior or a metric with one member gone is found out by that
// member, and those of the core keep their roles.

#include "pseudosynth/roles.hpp"

#include <cstdio>

#include "pseudosynth/family/categorical.hpp"
#include "pseudosynth/family/registry.hpp"
#include "pseudosynth/make_posterior.hpp"
#include "pseudosynth/sampler/metric.hpp"

namespace {

namespace ps = pseudosynth;
namespace role = pseudosynth::role;

/// A family in no form: what roles.hpp asks for and nothing else.
struct Plain : ps::NoExtras {
  struct At {};
  At at(const double*) const { return {}; }
  double log_lik(double y, double eta, const At&) const {
    return -0.5 * (y - eta) * (y - eta);
  }
  double derivatives(double y, double eta, const At& at, double& d_eta,
                     double*) const {
    d_eta = y - eta;
    return log_lik(y, eta, at);
  }
  double simulate(ps::Rng& rng, double eta, const At&) const {
    return eta + rng.normal();
  }
  double start_scale(double y) const { return y; }
};
static_assert(role::OfFamily<Plain>::kKept);

// A member that is deleted is as good as gone
struct NoAt : Plain {
  At at(const double*) const = delete;
};
struct NoLogLik : Plain {
  double log_lik(double, double, const At&) const = delete;
};
struct NoValue : Plain {
  void log_lik(double, double, const At&) const {}
};
struct NoDerivatives : Plain {
  double derivatives(double, double, const At&, double&,
                     double*) const = delete;
};
struct NoSimulate : Plain {
  double simulate(ps::Rng&, double, const At&) const = delete;
};
struct NotConst : Plain {
  double simulate(ps::Rng& rng, double eta, const At&) {
    return eta + rng.normal();
  }
};
struct NoStart : Plain {
  double start_scale(double) const = delete;
};
struct NoConstrain : Plain {
  void constrain(const double*, double*) const = delete;
};
struct NoUnconstrain : Plain {
  void unconstrain(const double*, double*) const = delete;
};
struct NoPrior : Plain {
  double log_prior(const double*, double*) const = delete;
};
struct NoAdjoint : Plain {
  void adjoint(const double*, const double*, double*) const = delete;
};
struct NoInitial : Plain {
  void initial(double, ps::Rng&, double*) const = delete;
};
struct NoCount {};
static_assert(!role::kOffers<role::At, NoAt>);
static_assert(!role::kOffers<role::LogLik, NoLogLik>);
static_assert(!role::kOffers<role::LogLik, NoValue>);
static_assert(!role::kOffers<role::Derivatives, NoDerivatives>);
static_assert(!role::kOffers<role::Simulate, NoSimulate>);
static_assert(!role::kOffers<role::Simulate, NotConst>);
static_assert(!role::kOffers<role::StartScale, NoStart>);
static_assert(!role::kOffers<role::Constrain, NoConstrain>);
static_assert(!role::kOffers<role::Unconstrain, NoUnconstrain>);
static_assert(!role::kOffers<role::LogPrior, NoPrior>);
static_assert(!role::kOffers<role::Adjoint, NoAdjoint>);
static_assert(!role::kOffers<role::Initial, NoInitial>);
static_assert(!role::kOffers<role::Extras, NoCount>);
// The others are still there: one gap, one message
static_assert(role::kOffers<role::LogLik, NoSimulate>);
static_assert(role::kOffers<role::Derivatives, NoLogLik>);

struct NoDensity : ps::NoExtras, ps::LaneForm<NoDensity> {
  template <int W>
  struct Draw {};
  using At = Draw<1>;
};
struct NoRow : ps::NoExtras, ps::RowForm<NoRow> {
  static constexpr int kStatistics = 1, kResponse = 1;
  static constexpr bool kTable = true, kCancels = true;
  template <int W>
  struct Draw {};
  using At = Draw<1>;
};
struct ThreeStatistics : ps::NoExtras, ps::RowForm<ThreeStatistics> {
  static constexpr int kStatistics = 3, kResponse = 3;
};
static_assert(role::kOffers<role::LaneDensity, ps::Gaussian>);
static_assert(!role::kOffers<role::LaneDensity, NoDensity>);
static_assert(role::kOffers<role::RowCounts, NoRow>);
static_assert(!role::kOffers<role::RowCounts, ThreeStatistics>);
static_assert(!role::kOffers<role::Response, NoRow>);
static_assert(!role::kOffers<role::Constant, NoRow>);
static_assert(!role::kOffers<role::Row, NoRow>);
static_assert(!role::kOffers<role::Table, NoRow>);
static_assert(!role::kOffers<role::Exact, NoRow>);

using Likelihood = ps::LikelihoodOf<ps::Poisson>::Type;
struct NoGradient : Likelihood {
  double gradient(const double*, const double*, double*, double*) = delete;
};
static_assert(role::OfLikelihood<Likelihood>::kKept);
static_assert(!role::kOffers<role::Gradient, NoGradient>);

using Posterior = ps::PseudoPosterior<ps::Poisson>;
struct NoCall : Posterior {
  double operator()(const ps::Vector&, ps::Vector&) = delete;
};
struct NoSize : Posterior {
  int size() const = delete;
};
struct NoSum : Posterior {
  double log_lik(const ps::Vector&) = delete;
};
struct NoPlace : Posterior {
  ps::Vector initial(ps::Rng&) = delete;
};
static_assert(role::OfPosterior<Posterior>::kKept);
static_assert(role::OfPosterior<ps::MixturePosterior>::kKept);
static_assert(!role::kOffers<role::Density, NoCall>);
static_assert(!role::kOffers<role::Sizes, NoSize>);
static_assert(!role::kOffers<role::LogLikOf, NoSum>);
static_assert(!role::kOffers<role::Start, NoPlace>);

struct NoVelocity : ps::DiagonalMetric {
  void velocity(const ps::Vector&, ps::Vector&) const = delete;
};
struct NoAdapt : ps::DiagonalMetric {
  void adapt() = delete;
};
static_assert(role::OfMetric<ps::DiagonalMetric>::kKept);
static_assert(role::OfMetric<ps::DenseMetric>::kKept);
static_assert(!role::kOffers<role::Velocity, NoVelocity>);
static_assert(!role::kOffers<role::Adapt, NoAdapt>);

/// Every family of the registry, by its name.
int n_kept() {
  int kept = 0;
  for (const char* name : {"gaussian", "student_t", "poisson", "neg_binomial",
                           "beta", "bernoulli"}) {
    ps::ModelKind kind;
    kind.name = name;
    ps::visit_family(kind, [&](const auto& family) {
      using Family = std::decay_t<decltype(family)>;
      if constexpr (!std::is_same_v<Family, ps::NormalMixture> &&
                    !std::is_same_v<Family, ps::Categorical>)
        kept += role::OfFamily<Family>::kKept;
    });
  }
  return kept + role::OfExtras<ps::Categorical>::kKept;
}

}  // namespace

int main() {
  std::printf("%d families keep their role\n", n_kept());
  return n_kept() == 7 ? 0 : 1;
}
