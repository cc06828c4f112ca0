// The families by name. Adding one: a header like gaussian.hpp (roles.hpp says
// what it offers), one line here.
#ifndef PSEUDOSYNTH_FAMILY_REGISTRY_HPP
#define PSEUDOSYNTH_FAMILY_REGISTRY_HPP

#include <stdexcept>
#include <string>

#include "bernoulli.hpp"
#include "beta.hpp"
#include "categorical.hpp"
#include "forms.hpp"
#include "gaussian.hpp"
#include "neg_binomial.hpp"
#include "normal_mixture.hpp"
#include "poisson.hpp"
#include "student_t.hpp"

namespace pseudosynth {

/// @brief A family by its name and public constants.
struct ModelKind {
  std::string name;
  int K = 1;                 // components of a mixture, levels of a category
  double df = 3.0;           // degrees of freedom of student_t
  double sigma_floor = 0.0;  // of a mixture's scales
};

/// Parameters of a draw beside the coefficients.
template <class Family>
constexpr int n_extras(const Family&) {
  return Family::kExtras;
}
inline int n_extras(const NormalMixture& family) {
  return 2 * family.K;
}

/// Calls use(family) with the family object that `kind` names; every call must
/// return the same type.
/// @throw std::invalid_argument for a name that is not known.
template <class Use>
auto visit_family(const ModelKind& kind, Use&& use) {
  if (kind.name == "normal_mixture")
    return use(NormalMixture{kind.K, kind.sigma_floor});
  if (kind.name == "categorical") return use(Categorical{kind.K});
  if (kind.name == "student_t") return use(StudentT(kind.df));
  if (kind.name == "poisson") return use(Poisson());
  if (kind.name == "neg_binomial") return use(NegBinomial());
  if (kind.name == "beta") return use(Beta());
  if (kind.name == "bernoulli") return use(Bernoulli());
  if (kind.name == "gaussian") return use(Gaussian());
  throw std::invalid_argument("unknown family '" + kind.name + "'");
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FAMILY_REGISTRY_HPP
