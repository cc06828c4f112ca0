// Steps of the mixture's sampler.
#include <pseudosynth/sampler/mixture/mixture_augmentation.hpp>
#include <pseudosynth/sampler/mixture/mixture_hamiltonian_move.hpp>
#include <pseudosynth/sampler/mixture/mixture_level_move.hpp>
#include <pseudosynth/sampler/mixture/mixture_mass_move.hpp>
#include <pseudosynth/sampler/mixture/mixture_pair_move.hpp>
#include <pseudosynth/sampler/mixture/mixture_shared_move.hpp>
#include <pseudosynth/sampler/mixture/mixture_slope.hpp>

#include "rcpp_model.h"

namespace ps = pseudosynth;
using ps::Matrix;
using ps::Vector;

// Joint-distribution test of the mixture sampler (Geweke 2004): alternates
// y ~ p(y | theta) and one sweep with its level (each with a shared one),
// Hamiltonian, pair and mass moves, so that all unknowns must follow their
// prior. Weights are 1. Columns:
// draw [ b | pi | sigma ], then [ tau | m | gamma ] or [ gamma ].
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix test_mixture_joint_(Rcpp::List spec, int n, int thin,
                                        double seed, int level_moves,
                                        int hamiltonian_moves, int pair_moves) {
  ps::Rng rng(static_cast<std::uint64_t>(seed), 0);
  const int K = binding::n_components(spec);
  const ps::MixturePrior prior = binding::to_mixture_prior(spec);
  Rcpp::List data = Rcpp::clone(spec);
  const int N =
      static_cast<int>(Rcpp::as<Rcpp::NumericVector>(spec["y"]).size());
  data["alpha"] = Rcpp::NumericVector(N, 1.0);
  const ps::Records outline = binding::to_records(data);
  const int P = outline.design.n_columns();
  const int D = P * K + 2 * K, H = ps::MixtureState::n_hyper(prior.shared, P);
  ps::Records records = outline;
  ps::MixtureChain first(records, K, prior, rng);
  ps::MixtureAugmentation start(first);
  Vector state = first.state.pack();
  Vector draw(D), hyper(H);
  std::vector<double> eta(static_cast<std::size_t>(outline.design.n_rows()) *
                          K);
  first.state.write_draw(draw.data());
  Rcpp::NumericMatrix out(n, D + H);
  for (int s = 0; s < n; ++s) {
    for (int t = 0; t < thin; ++t) {
      records.design.linear_predictor(draw.data(), K, eta.data());
      for (int i = 0; i < N; ++i) {
        const std::size_t at = static_cast<std::size_t>(i);
        records.y[at] = ps::normal_mixture_simulate(
            rng, eta.data() + records.design.row()[at] * K, draw.data() + P * K,
            draw.data() + P * K + K, K);
      }
      ps::MixtureChain chain(records, K, prior, rng);
      ps::MixtureAugmentation augmentation(chain);
      chain.state.unpack(state);
      chain.state_changed();
      augmentation.sweep();
      ps::MixtureLevelMove level_move(chain);
      ps::MixtureSharedMove shared_move(chain, records);
      for (int move = 0; move < level_moves; ++move) {
        level_move.move();
        shared_move.move();
      }
      ps::MixtureHamiltonianMove hamiltonian_move(chain, records);
      for (int move = 0; move < hamiltonian_moves; ++move)
        hamiltonian_move.move();
      chain.refresh_densities();
      ps::MixturePairMove pair_move(chain);
      ps::MixtureMassMove mass_move(chain);
      for (int move = 0; move < pair_moves; ++move) {
        pair_move.move();
        mass_move.move();
      }
      state = chain.state.pack();
      chain.state.write_draw(draw.data());
      chain.state.write_hyper(prior.shared, hyper.data());
    }
    for (int d = 0; d < D; ++d) out(s, d) = draw[d];
    for (int h = 0; h < H; ++h) out(s, D + h) = hyper[h];
  }
  return out;
}

// The gradient of sum_i alpha_i f_i that trajectories follow: in b[j * K + k],
// log pi (as free weights) and log sigma.
// [[Rcpp::export(rng = false)]]
Rcpp::List test_mixture_slope_(Rcpp::List spec, Rcpp::NumericVector draw) {
  const int K = binding::n_components(spec);
  const ps::Records records = binding::to_records(spec);
  const int P = records.design.n_columns();
  Matrix b(P, K), d_b(P, K);
  Vector log_pi(K), log_sigma(K), d_log_pi(K), d_log_sigma(K);
  for (int k = 0; k < K; ++k) {
    for (int j = 0; j < P; ++j) b(j, k) = draw[j * K + k];
    log_pi[k] = std::log(draw[P * K + k]);
    log_sigma[k] = std::log(draw[P * K + K + k]);
  }
  ps::MixtureSlope slope(records, K);
  slope(b, log_pi, log_sigma, d_b, d_log_pi, d_log_sigma);
  const Matrix by_column = d_b.transpose();
  return Rcpp::List::create(
      Rcpp::_["b"] =
          Rcpp::NumericVector(by_column.data(), by_column.data() + P * K),
      Rcpp::_["log_pi"] =
          Rcpp::NumericVector(d_log_pi.data(), d_log_pi.data() + K),
      Rcpp::_["log_sigma"] =
          Rcpp::NumericVector(d_log_sigma.data(), d_log_sigma.data() + K));
}
