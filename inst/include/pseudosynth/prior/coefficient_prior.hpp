// What a prior of the regression coefficients must offer.
#ifndef PSEUDOSYNTH_PRIOR_COEFFICIENT_PRIOR_HPP
#define PSEUDOSYNTH_PRIOR_COEFFICIENT_PRIOR_HPP

#include <memory>

#include "../math.hpp"
#include "../rng.hpp"

namespace pseudosynth {

/// @brief Prior of K coefficient vectors b_k with layout b[j * K + k], and of
/// its own hyperparameters, which it keeps unconstrained as u.
///
/// An object may hold scratch memory: one per chain, made by clone().
class CoefficientPrior {
 public:
  virtual ~CoefficientPrior() = default;

  virtual int n_columns() const = 0;        ///< P
  virtual int n_unconstrained() const = 0;  ///< length of u
  virtual int n_stored() const = 0;         ///< hyperparameters kept per draw

  /// log p(b | u) + log p(u) with all log Jacobians and every constant that
  /// involves a hyperparameter; adds gradients to d_b (P K) and d_u.
  virtual double log_density(const double* b, int K, const double* u,
                             double* d_b, double* d_u) = 0;

  /// Hyperparameters as stored.
  virtual void constrain(const double* u, double* stored) const = 0;
  /// Back from what is stored; what is not stored starts at its centre.
  virtual void unconstrain(const double* stored, double* u) const = 0;

  /// A coefficient's prior centre, where a start may fall back to.
  virtual double centre(int j) const = 0;
  /// A start for u that suits the coefficients b.
  virtual void initial(const double* b, int K, Rng& rng, double* u) const = 0;
  /// A draw of u, and of b given it.
  virtual void draw(int K, Rng& rng, double* b, double* u) = 0;

  virtual std::unique_ptr<CoefficientPrior> clone() const = 0;
};

/// @brief Copies a prior with its owner, so that every chain has its own.
class PriorCopy {
 public:
  explicit PriorCopy(const CoefficientPrior& prior) : prior_(prior.clone()) {}
  PriorCopy(const PriorCopy& other) : prior_(other.prior_->clone()) {}
  PriorCopy& operator=(const PriorCopy& other) {
    prior_ = other.prior_->clone();
    return *this;
  }
  PriorCopy(PriorCopy&&) = default;
  PriorCopy& operator=(PriorCopy&&) = default;

  CoefficientPrior* operator->() const { return prior_.get(); }

 private:
  std::unique_ptr<CoefficientPrior> prior_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_PRIOR_COEFFICIENT_PRIOR_HPP
