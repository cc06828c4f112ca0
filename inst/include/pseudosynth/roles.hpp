// The roles: what a part must offer to take its place in the core. What is a
// template argument is checked below, where it is first used, so that the
// compiler names what is missing; what is an abstract class the compiler checks
// by itself.
//
// A FAMILY of one linear predictor eta is a small copyable type:
//   static constexpr int kExtras      E, extra parameters besides b
//   struct At; At at(extra)           what depends on the draw alone, formed
//                                     once for all records
//   log_lik(y, eta, at)               f of one record, unweighted
//   derivatives(y, eta, at, d_eta, d_extra)
//                                     returns f, sets df/d eta and df/d extra
//   simulate(rng, eta, at)            a draw of y
//   start_scale(y)                    y on the scale of eta, roughly: starts
// and the EXTRAS of any family, of several linear predictors, too:
//   constrain(u, extra), unconstrain(extra, u)
//   log_prior(u, d_u)                 log prior of the extras with log |J|;
//                                     adds its gradient to d_u
//   adjoint(u, d_extra, d_u)          adds d extra / du * d_extra to d_u
//   initial(spread, rng, u)           extras for a start; spread is the sd of
//                                     start_scale(y) around its fit
// No clamps: where f is -inf or NaN, it says so. Samplers, bounds and synthesis
// then work, in this program or in another that includes the headers; a line in
// family/registry.hpp gives the family a name. family/no_extras.hpp and
// family/log_scale.hpp have the extras of most families.
//
// A FORM (family/forms.hpp) is a way to write the density so that it runs in
// lanes of a processor's vectors: over design rows, records or draws. It holds
// the density and its derivatives once; log_lik() and derivatives(), gradients
// and the S x N kernels come from it. Forms are templates in the number of
// lanes W. One lane is a double and must be right for any argument; more lanes
// may assume |eta| <= kLaneRange. Numbers of a draw come as Draw<W>, a struct
// of simd::Real<W> alone; At is Draw<1>.
//   LaneForm<Family>: record by record.
//     density<W>(y, eta, at, f, d_eta, d_extra)
//     kLanesCheck             f may be NaN in lanes where one lane has a value
//   RowForm<Family>: the density splits by design row,
//     f = sum_k s_k(y) u_k(eta) + v(eta) + A(y) + constant(y),
//   u, v and A also of the extra parameters, of which there is at most one.
//   What is uncensored then sums up to a few numbers per design row.
//     kStatistics             1 or 2: how many s
//     kResponse, response(y, r)
//                             what is formed once per response, at most 3
//                             numbers; s comes first
//     constant(r)
//     row<W>(eta, at, terms)  u, v and their derivatives
//     kTable, table<W>(r, at, value, d_extra)
//                             A, where there is one
//   and where large terms of the split cancel (kCancels):
//     response_splits(r), draw_splits(at)
//                             false where they do; they also do where the table
//                             is beyond kLargestTable
//     exact<W>(r, eta, at, value, f)
//                             the density there; `value` is that of row()
//     anchor(mean)            a response with these mean statistics; where
//     there
//                             is no table
//   A family whose one extra parameter is sigma and whose
//     f = -(y - eta)^2/(2 sigma^2) - log sigma - log(2 pi)/2
//   says so by kLeastSquares: its uncensored sum is a quadratic.
//
// A LIKELIHOOD (likelihood/) is the sum over records of clip(alpha f - a):
//   gradient(b, extra, d_b, d_extra)  the sum; adds its gradient. Copies are
//                                     independent: one object, one chain.
//
// A POSTERIOR is what a sampler moves on, a callable: value and gradient.
//   posterior(theta, gradient)        the log density; sets its gradient
//   size()                            of theta, all unconstrained
//   n_draw(), n_hyper()               of what is kept
//   constrain(theta, draw, hyper), unconstrain(draw, hyper)
//   log_lik(theta)                    of the records alone
//   initial(rng)                      a start; its density is finite
// Copies are independent. AnyPosterior holds any.
//
// A METRIC (sampler/metric.hpp) is the kinetic energy of a trajectory:
//   Metric(n), sample(rng, p), velocity(p, out)
//   observe(q), adapt()               what it learns in warmup
//   inverse_diagonal()
//
// Abstract classes, each with its contract: a PRIOR of coefficients is a
// CoefficientPrior (prior/coefficient_prior.hpp), a SURROGATE MODEL, which the
// surrogate sampler expands, a SurrogateModel (sampler/surrogate_model.hpp).
// HANDLERS connect a chain to its host: ChainHandlers
// (sampler/chain_result.hpp) has two functions, which may be empty; both are
// called in the chain's thread. A MOVE of the mixture is an object on a
// MixtureChain, with move(), that leaves the pseudo posterior as it is
// (tests/core/invariance_mixture.cpp shows it).
#ifndef PSEUDOSYNTH_ROLES_HPP
#define PSEUDOSYNTH_ROLES_HPP

#include <type_traits>
#include <utility>

#include "math.hpp"
#include "rng.hpp"

namespace pseudosynth {
namespace role {

/// Does Member<T> compile? For instance Member<T> = decltype(...).
template <template <class> class Member, class T, class = void>
constexpr bool kOffers = false;
template <template <class> class Member, class T>
constexpr bool kOffers<Member, T, std::void_t<Member<T>>> = true;

template <class T>
const T& made() noexcept;
template <class T>
T& changing() noexcept;

template <class F>
using Extras = std::enable_if_t<(F::kExtras >= 0)>;
template <class F>
using Constrain = decltype(made<F>().constrain(made<const double*>(),
                                               std::declval<double*>()));
template <class F>
using Unconstrain = decltype(made<F>().unconstrain(made<const double*>(),
                                                   std::declval<double*>()));
template <class F>
using LogPrior = std::enable_if_t<
    std::is_convertible_v<decltype(made<F>().log_prior(
                              made<const double*>(), std::declval<double*>())),
                          double>>;
template <class F>
using Adjoint = decltype(made<F>().adjoint(
    made<const double*>(), made<const double*>(), std::declval<double*>()));
template <class F>
using Initial =
    decltype(made<F>().initial(1.0, changing<Rng>(), std::declval<double*>()));

template <class F>
using At = std::enable_if_t<std::is_same_v<
    decltype(made<F>().at(made<const double*>())), typename F::At>>;
template <class F>
using LogLik = std::enable_if_t<std::is_convertible_v<
    decltype(made<F>().log_lik(1.0, 1.0, made<typename F::At>())), double>>;
template <class F>
using Derivatives = std::enable_if_t<
    std::is_convertible_v<decltype(made<F>().derivatives(
                              1.0, 1.0, made<typename F::At>(),
                              changing<double>(), std::declval<double*>())),
                          double>>;
template <class F>
using Simulate = std::enable_if_t<std::is_convertible_v<
    decltype(made<F>().simulate(changing<Rng>(), 1.0, made<typename F::At>())),
    double>>;
template <class F>
using StartScale = std::enable_if_t<
    std::is_convertible_v<decltype(made<F>().start_scale(1.0)), double>>;

template <class L>
using Gradient = std::enable_if_t<std::is_convertible_v<
    decltype(changing<L>().gradient(
        made<const double*>(), made<const double*>(), std::declval<double*>(),
        std::declval<double*>())),
    double>>;

template <class P>
using Density = std::enable_if_t<std::is_convertible_v<
    decltype(changing<P>()(made<Vector>(), changing<Vector>())), double>>;
template <class P>
using Sizes = std::enable_if_t<(
    std::is_convertible_v<decltype(made<P>().size()), int> &&
    std::is_convertible_v<decltype(made<P>().n_draw()), int> &&
    std::is_convertible_v<decltype(made<P>().n_hyper()), int>)>;
template <class P>
using ConstrainDraw = decltype(made<P>().constrain(
    made<Vector>(), std::declval<double*>(), std::declval<double*>()));
template <class P>
using UnconstrainDraw = decltype(Vector(
    made<P>().unconstrain(made<const double*>(), made<const double*>())));
template <class P>
using LogLikOf = std::enable_if_t<std::is_convertible_v<
    decltype(changing<P>().log_lik(made<Vector>())), double>>;
template <class P>
using Start = decltype(Vector(changing<P>().initial(changing<Rng>())));

template <class M>
using Sample = decltype(made<M>().sample(changing<Rng>(), changing<Vector>()));
template <class M>
using Velocity =
    decltype(made<M>().velocity(made<Vector>(), changing<Vector>()));
template <class M>
using Observe = decltype(changing<M>().observe(made<Vector>()));
template <class M>
using Adapt = decltype(changing<M>().adapt());
template <class M>
using InverseDiagonal = decltype(Vector(made<M>().inverse_diagonal()));

/// Instantiated where a part takes its place: kKept, or an error that names
/// what is missing.
template <class F>
struct OfExtras {
  static_assert(std::is_copy_constructible_v<F>, "a family can be copied");
  static_assert(kOffers<Extras, F>,
                "a family needs `static constexpr int kExtras` (roles.hpp)");
  static_assert(kOffers<Constrain, F>,
                "a family needs constrain(u, extra) const (roles.hpp)");
  static_assert(kOffers<Unconstrain, F>,
                "a family needs unconstrain(extra, u) const (roles.hpp)");
  static_assert(kOffers<LogPrior, F>,
                "a family needs double log_prior(u, d_u) const (roles.hpp)");
  static_assert(kOffers<Adjoint, F>,
                "a family needs adjoint(u, d_extra, d_u) const (roles.hpp)");
  static_assert(kOffers<Initial, F>,
                "a family needs initial(spread, rng, u) const (roles.hpp)");
  static constexpr bool kKept = true;
};

template <class F>
struct OfFamily : OfExtras<F> {
  static_assert(kOffers<At, F>,
                "a family needs a type At and At at(extra) const (roles.hpp)");
  static_assert(kOffers<LogLik, F>,
                "a family needs double log_lik(y, eta, at) const, or a form "
                "(roles.hpp)");
  static_assert(kOffers<Derivatives, F>,
                "a family needs double derivatives(y, eta, at, d_eta, d_extra) "
                "const, or a form (roles.hpp)");
  static_assert(kOffers<Simulate, F>,
                "a family needs double simulate(rng, eta, at) const "
                "(roles.hpp)");
  static_assert(kOffers<StartScale, F>,
                "a family needs double start_scale(y) const (roles.hpp)");
};

template <class L>
struct OfLikelihood {
  static_assert(std::is_copy_constructible_v<L>, "a likelihood can be copied");
  static_assert(kOffers<Gradient, L>,
                "a likelihood needs double gradient(b, extra, d_b, d_extra) "
                "(roles.hpp)");
  static constexpr bool kKept = true;
};

template <class P>
struct OfPosterior {
  static_assert(std::is_copy_constructible_v<P>, "a posterior can be copied");
  static_assert(kOffers<Density, P>,
                "a posterior needs double operator()(theta, gradient) "
                "(roles.hpp)");
  static_assert(kOffers<Sizes, P>,
                "a posterior needs int size(), n_draw() and n_hyper() const "
                "(roles.hpp)");
  static_assert(kOffers<ConstrainDraw, P>,
                "a posterior needs constrain(theta, draw, hyper) const "
                "(roles.hpp)");
  static_assert(kOffers<UnconstrainDraw, P>,
                "a posterior needs Vector unconstrain(draw, hyper) const "
                "(roles.hpp)");
  static_assert(kOffers<LogLikOf, P>,
                "a posterior needs double log_lik(theta) (roles.hpp)");
  static_assert(kOffers<Start, P>,
                "a posterior needs Vector initial(rng) (roles.hpp)");
  static constexpr bool kKept = true;
};

template <class M>
struct OfMetric {
  static_assert(std::is_constructible_v<M, int>,
                "a metric is made from a dimension (roles.hpp)");
  static_assert(kOffers<Sample, M>,
                "a metric needs sample(rng, p) const (roles.hpp)");
  static_assert(kOffers<Velocity, M>,
                "a metric needs velocity(p, out) const (roles.hpp)");
  static_assert(kOffers<Observe, M>, "a metric needs observe(q) (roles.hpp)");
  static_assert(kOffers<Adapt, M>, "a metric needs adapt() (roles.hpp)");
  static_assert(kOffers<InverseDiagonal, M>,
                "a metric needs Vector inverse_diagonal() const (roles.hpp)");
  static constexpr bool kKept = true;
};

}  // namespace role
}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_ROLES_HPP
