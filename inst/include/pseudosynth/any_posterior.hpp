// The log pseudo posterior of any family behind one type, so that a sampler is
// compiled once for all of them.
#ifndef PSEUDOSYNTH_ANY_POSTERIOR_HPP
#define PSEUDOSYNTH_ANY_POSTERIOR_HPP

#include <memory>
#include <utility>

#include "math.hpp"
#include "rng.hpp"
#include "roles.hpp"

namespace pseudosynth {

/// @brief Holds a PseudoPosterior<Family> or a MixturePosterior. Copies are
/// independent: one object serves one chain.
class AnyPosterior {
 public:
  template <class Posterior>
  explicit AnyPosterior(Posterior posterior)
      : model_(std::make_unique<Holder<Posterior>>(std::move(posterior))) {}

  AnyPosterior(const AnyPosterior& other) : model_(other.model_->clone()) {}
  AnyPosterior(AnyPosterior&&) = default;
  AnyPosterior& operator=(const AnyPosterior&) = delete;

  int size() const { return model_->size(); }
  int n_draw() const { return model_->n_draw(); }
  int n_hyper() const { return model_->n_hyper(); }
  double operator()(const Vector& theta, Vector& gradient) {
    return model_->evaluate(theta, gradient);
  }
  double log_lik(const Vector& theta) { return model_->log_lik(theta); }
  void constrain(const Vector& theta, double* draw, double* hyper) const {
    model_->constrain(theta, draw, hyper);
  }
  Vector unconstrain(const double* draw, const double* hyper) const {
    return model_->unconstrain(draw, hyper);
  }
  Vector initial(Rng& rng) { return model_->initial(rng); }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual int size() const = 0;
    virtual int n_draw() const = 0;
    virtual int n_hyper() const = 0;
    virtual double evaluate(const Vector& theta, Vector& gradient) = 0;
    virtual double log_lik(const Vector& theta) = 0;
    virtual void constrain(const Vector& theta, double* draw,
                           double* hyper) const = 0;
    virtual Vector unconstrain(const double* draw,
                               const double* hyper) const = 0;
    virtual Vector initial(Rng& rng) = 0;
    virtual std::unique_ptr<Interface> clone() const = 0;
  };

  template <class Posterior>
  struct Holder final : Interface {
    static_assert(role::OfPosterior<Posterior>::kKept);
    explicit Holder(Posterior from) : posterior(std::move(from)) {}
    int size() const override { return posterior.size(); }
    int n_draw() const override { return posterior.n_draw(); }
    int n_hyper() const override { return posterior.n_hyper(); }
    double evaluate(const Vector& theta, Vector& gradient) override {
      return posterior(theta, gradient);
    }
    double log_lik(const Vector& theta) override {
      return posterior.log_lik(theta);
    }
    void constrain(const Vector& theta, double* draw,
                   double* hyper) const override {
      posterior.constrain(theta, draw, hyper);
    }
    Vector unconstrain(const double* draw, const double* hyper) const override {
      return posterior.unconstrain(draw, hyper);
    }
    Vector initial(Rng& rng) override { return posterior.initial(rng); }
    std::unique_ptr<Interface> clone() const override {
      return std::make_unique<Holder>(*this);
    }
    Posterior posterior;
  };

  std::unique_ptr<Interface> model_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_ANY_POSTERIOR_HPP
