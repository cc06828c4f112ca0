// Laplace errors: f = -log(2 s) - |y - eta| / s.
#ifndef LAPLACE_HPP
#define LAPLACE_HPP

#include <algorithm>
#include <cmath>
#include <pseudosynth/prior/half_t.hpp>
#include <pseudosynth/rng.hpp>

struct Laplace {
  static constexpr int kExtras = 1;  // the scale s

  // What depends on the draw alone.
  struct At {
    double scale, inverse, offset;
  };
  At at(const double* extra) const {
    return At{extra[0], 1.0 / extra[0], -std::log(2.0 * extra[0])};
  }

  // f of one record, unweighted and uncensored.
  double log_lik(double y, double eta, const At& at) const {
    return at.offset - std::abs(y - eta) * at.inverse;
  }

  // f, and its derivatives in eta and s.
  double derivatives(double y, double eta, const At& at, double& d_eta,
                     double* d_extra) const {
    const double distance = y - eta;
    d_eta = distance > 0 ? at.inverse : distance < 0 ? -at.inverse : 0.0;
    const double z = std::abs(distance) * at.inverse;
    d_extra[0] = (z - 1.0) * at.inverse;
    return at.offset - z;
  }

  double simulate(pseudosynth::Rng& rng, double eta, const At& at) const {
    const double distance = at.scale * rng.exponential();
    return rng.uniform() < 0.5 ? eta - distance : eta + distance;
  }

  // The sampler moves u = log s.
  void constrain(const double* u, double* extra) const {
    extra[0] = std::exp(u[0]);
  }
  void unconstrain(const double* extra, double* u) const {
    u[0] = std::log(extra[0]);
  }
  // d f / du = d f / ds * ds / du
  void adjoint(const double* u, const double* d_extra, double* d_u) const {
    d_u[0] += d_extra[0] * std::exp(u[0]);
  }
  // s ~ half-t(3, 0, 1): the log density of u, Jacobian included.
  double log_prior(const double* u, double* d_u) const {
    return prior.log_density_log(u[0], d_u[0]);
  }

  // Where chains start: around a least squares fit of start_scale(y).
  double start_scale(double y) const { return y; }
  void initial(double spread, pseudosynth::Rng& rng, double* u) const {
    u[0] = std::log(std::max(spread, 1e-3)) + rng.uniform() - 0.5;
  }

  pseudosynth::HalfT prior{3.0, 1.0};
};

#endif
