// The unknowns of the mixture and their priors, as the augmentation sampler
// holds them.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_STATE_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_STATE_HPP

#include <vector>

#include "../../math.hpp"

namespace pseudosynth {

/// Priors of the mixture:
///   b_k ~ N(m, diag tau^2), m_j ~ N(m0_j, m_scale_j^2),
///   tau_j ~ half-t(tau_df, 0, tau_scale)                    (shared), or
///   b_k ~ N(m0, diag m_scale^2)                             (not shared);
///   pi ~ Dirichlet(gamma/K, ..), gamma ~ Gamma(1, 1);
///   sigma_k ~ half-t(3, 0, 1) on [sigma_floor, Inf).
struct MixturePrior {
  bool shared = true;
  Vector m0;
  Vector m_scale;
  double tau_scale = 0.25;
  double tau_df = 3.0;
  double sigma_floor = 0.0;
};

struct MixtureState {
  int K = 0;
  int P = 0;
  Matrix b;       // P x K
  Vector log_pi;  // K
  Vector sigma;   // K
  Vector m;       // P
  Vector tau;     // P
  double gamma = 1.0;

  /// One stored draw: [ b[j * K + k] | pi | sigma ].
  void write_draw(double* out) const {
    for (int j = 0; j < P; ++j)
      for (int k = 0; k < K; ++k) *out++ = b(j, k);
    for (int k = 0; k < K; ++k) *out++ = std::exp(log_pi[k]);
    for (int k = 0; k < K; ++k) *out++ = sigma[k];
  }

  /// Hyperparameters: [ tau | m | gamma ]; [ gamma ] without a shared mean.
  static int n_hyper(bool shared, int P) { return shared ? 2 * P + 1 : 1; }
  void write_hyper(bool shared, double* out) const {
    if (shared) {
      for (int j = 0; j < P; ++j) *out++ = tau[j];
      for (int j = 0; j < P; ++j) *out++ = m[j];
    }
    *out = gamma;
  }

  /// All unknowns as one vector, to go on from later.
  Vector pack() const {
    Vector x(P * K + 2 * K + 2 * P + 1);
    x << Eigen::Map<const Vector>(b.data(), P * K), log_pi, sigma, m, tau,
        gamma;
    return x;
  }
  void unpack(const Vector& x) {
    Eigen::Map<Vector>(b.data(), P * K) = x.head(P * K);
    log_pi = x.segment(P * K, K);
    sigma = x.segment(P * K + K, K);
    m = x.segment(P * K + 2 * K, P);
    tau = x.segment(P * K + 2 * K + P, P);
    gamma = x[P * K + 2 * K + 2 * P];
  }
  static int packed_size(int P, int K) { return P * K + 2 * K + 2 * P + 1; }
};

}  // namespace pseudosynth

#endif
