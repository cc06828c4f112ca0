// Lets testthat drive the parts of the core that no R function shows: scalar
// and vector mathematics, random numbers, designs, and the samplers' steps.
#include <algorithm>
#include <functional>
#include <pseudosynth/design/grouped_design.hpp>
#include <pseudosynth/family/normal_mixture.hpp>
#include <pseudosynth/kernel/log_lik.hpp>
#include <pseudosynth/kernel/predictive_quantile.hpp>
#include <pseudosynth/sampler/generalised_inverse_gaussian.hpp>
#include <pseudosynth/sampler/hierarchical_sweep.hpp>
#include <pseudosynth/sampler/mixture_augmentation.hpp>
#include <pseudosynth/sampler/mixture_hamiltonian_move.hpp>
#include <pseudosynth/sampler/mixture_level_move.hpp>
#include <pseudosynth/sampler/mixture_mass_move.hpp>
#include <pseudosynth/sampler/mixture_pair_move.hpp>
#include <pseudosynth/sampler/mixture_slope.hpp>
#include <pseudosynth/sampler/slice.hpp>
#include <string>

#include "rcpp_model.h"

namespace {

namespace ps = pseudosynth;
using ps::Matrix;
using ps::Vector;

ps::Rng to_rng(double seed, double stream = 0) {
  return ps::Rng(static_cast<std::uint64_t>(seed),
                 static_cast<std::uint64_t>(stream));
}

template <int W>
PSEUDOSYNTH_INLINE void exp_array_kernel(int n, double* x) {
  for (int i = 0; i < n; i += W) {
    ps::simd::Real<W> lanes;
    ps::simd::load<W>(x + i, lanes);
    ps::simd::exp_in_place<W>(lanes);
    ps::simd::store<W>(lanes, x + i);
  }
}
PSEUDOSYNTH_DISPATCH(exp_array, (int n, double* x), (n, x))

template <int W>
PSEUDOSYNTH_INLINE void log_array_kernel(int n, double* x) {
  for (int i = 0; i < n; i += W) {
    ps::simd::Real<W> lanes;
    ps::simd::load<W>(x + i, lanes);
    ps::simd::log_in_place<W>(lanes);
    ps::simd::store<W>(lanes, x + i);
  }
}
PSEUDOSYNTH_DISPATCH(log_array, (int n, double* x), (n, x))

ps::MixturePrior to_mixture_prior(const Rcpp::List& spec) {
  const Rcpp::List from = spec["prior"];
  ps::MixturePrior prior;
  prior.sigma_floor = Rcpp::as<double>(spec["sigma_floor"]);
  prior.m0 = binding::to_vector(from["location"]);
  prior.shared = Rcpp::as<std::string>(from["kind"]) == "shared";
  prior.m_scale =
      binding::to_vector(prior.shared ? from["m_scale"] : from["scale"]);
  if (prior.shared) {
    prior.tau_scale = Rcpp::as<double>(from["scale"]);
    prior.tau_df = Rcpp::as<double>(from["df"]);
  }
  return prior;
}

Matrix dense_model_matrix(const ps::Design& design) {
  Matrix x = Matrix::Zero(design.n_rows(), design.n_columns());
  std::vector<int> column;
  std::vector<double> value;
  for (int r = 0; r < design.n_rows(); ++r) {
    design.row_entries(r, column, value);
    for (std::size_t e = 0; e < column.size(); ++e) x(r, column[e]) += value[e];
  }
  return x;
}

}  // namespace

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector test_math_(std::string what, Rcpp::NumericVector x) {
  double (*f)(double) = nullptr;
  if (what == "log1p_exp")
    f = ps::log1p_exp;
  else if (what == "log_gamma")
    f = ps::log_gamma;
  else if (what == "digamma")
    f = ps::digamma;
  else if (what == "normal_cdf")
    f = ps::normal_cdf;
  else
    Rcpp::stop("unknown function");
  Rcpp::NumericVector out(x.size());
  std::transform(x.begin(), x.end(), out.begin(), f);
  return out;
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector test_log_sum_exp_(Rcpp::NumericVector x) {
  const int n = static_cast<int>(x.size());
  Rcpp::NumericVector out(n == 2 ? 2 : 1);
  out[0] = ps::log_sum_exp(x.begin(), n);
  if (n == 2) out[1] = ps::log_sum_exp(x[0], x[1]);
  return out;
}

// lanes: 2, 4, 8, or 0 for what this machine dispatches to. NULL if the machine
// lacks the instructions.
// [[Rcpp::export(rng = false)]]
SEXP test_simd_(std::string what, int lanes, Rcpp::NumericVector x) {
  if (lanes > ps::simd::lanes()) return R_NilValue;
  const int n = static_cast<int>(x.size());
  std::vector<double> y(x.begin(), x.end());
  y.resize(static_cast<std::size_t>((n + 7) / 8 * 8), 1.0);
  const int padded = static_cast<int>(y.size());
  const bool exp = what == "exp";
  if (lanes == 0)
    (exp ? exp_array : log_array)(padded, y.data());
  else if (lanes == 2)
    exp ? exp_array_kernel<2>(padded, y.data())
        : log_array_kernel<2>(padded, y.data());
#if PSEUDOSYNTH_X86
  else if (lanes == 4)
    (exp ? exp_array_avx2 : log_array_avx2)(padded, y.data());
  else if (lanes == 8)
    (exp ? exp_array_avx512 : log_array_avx512)(padded, y.data());
#endif
  else
    Rcpp::stop("unknown lane count");
  return Rcpp::NumericVector(y.begin(), y.begin() + n);
}

// n draws; `bits` come as two columns of 32-bit halves.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector test_rng_(std::string what, double seed, double stream,
                              int n, double a, double b) {
  ps::Rng rng = to_rng(seed, stream);
  if (what == "bits") {
    Rcpp::NumericMatrix halves(n, 2);
    for (int i = 0; i < n; ++i) {
      const std::uint64_t word = rng.bits();
      halves(i, 0) = static_cast<double>(word >> 32);
      halves(i, 1) = static_cast<double>(word & 0xffffffffULL);
    }
    return halves;
  }
  std::function<double()> draw;
  if (what == "uniform")
    draw = [&] { return rng.uniform(); };
  else if (what == "normal")
    draw = [&] { return rng.normal(); };
  else if (what == "exponential")
    draw = [&] { return rng.exponential(); };
  else if (what == "gamma")
    draw = [&] { return rng.gamma(a); };
  else if (what == "log_gamma")
    draw = [&] { return rng.log_gamma_draw(a); };
  else if (what == "beta")
    draw = [&] { return rng.beta(a, b); };
  else if (what == "integer")
    draw = [&] { return rng.integer(static_cast<int>(a)); };
  else
    Rcpp::stop("unknown distribution");
  Rcpp::NumericVector out(n);
  for (double& x : out) x = draw();
  return out;
}

// The uniform number that the lowest and the highest 64 bits give.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector test_rng_extremes_() {
  return Rcpp::NumericVector::create(ps::Rng::open_unit(0),
                                     ps::Rng::open_unit(UINT64_MAX));
}

// A chain of n slice updates of a normal(0, 1), gamma(a) or uniform(0, a).
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector test_slice_(std::string what, int n, double seed, double a,
                                double start, double width, double lower,
                                double upper) {
  std::function<double(double)> log_density;
  if (what == "normal")
    log_density = [](double x) { return -0.5 * x * x; };
  else if (what == "gamma")
    log_density = [=](double x) {
      return x > 0 ? (a - 1.0) * std::log(x) - x : -ps::kInfinity;
    };
  else if (what == "two_normals")
    log_density = [=](double x) {
      return ps::log_sum_exp(-0.5 * x * x, -0.5 * (x - a) * (x - a));
    };
  else
    log_density = [=](double x) {
      return x > 0 && x < a ? 0.0 : -ps::kInfinity;
    };
  ps::Rng rng = to_rng(seed);
  Rcpp::NumericVector out(n);
  double x = start;
  for (double& kept : out)
    kept = x = ps::slice_sample(rng, x, log_density, width, lower, upper);
  return out;
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector test_generalised_inverse_gaussian_(int n, double seed,
                                                       double lambda,
                                                       double chi) {
  ps::Rng rng = to_rng(seed);
  Rcpp::NumericVector out(n);
  for (double& q : out)
    q = ps::draw_generalised_inverse_gaussian(rng, lambda, chi);
  return out;
}

// Joint-distribution test of the hierarchical prior's sweep: alternates
// data ~ N(b, curvature^-1), b given data and hyperparameters, and one sweep,
// so that all unknowns must follow their prior. `curvature` of 0 rows: b is
// drawn from its prior. Columns: tau, b, correlations (rows of the lower
// triangle).
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix test_hierarchical_sweep_(int P, double eta, double df,
                                             double scale, int n, int thin,
                                             double seed,
                                             Rcpp::NumericMatrix curvature) {
  ps::Rng rng = to_rng(seed);
  const bool with_data = curvature.nrow() == P;
  const Matrix C = Rcpp::as<Matrix>(curvature);
  ps::HierarchicalSweep sweep(P, eta, df, scale);
  auto standard_normals = [&] {
    Vector z(P);
    for (int j = 0; j < P; ++j) z[j] = rng.normal();
    return z;
  };
  Vector b = sweep.tau.cwiseProduct(standard_normals());
  Rcpp::NumericMatrix out(n, 2 * P + P * (P - 1) / 2);
  for (int s = 0; s < n; ++s) {
    for (int t = 0; t < thin; ++t) {
      if (with_data) {
        const Eigen::LLT<Matrix> noise(C);
        const Vector data = b + noise.matrixU().solve(standard_normals());
        const Eigen::LLT<Matrix> posterior(sweep.precision() + C);
        b = posterior.solve(C * data) +
            posterior.matrixU().solve(standard_normals());
        sweep.update(b, rng);
        Vector moment = C * (data - b);
        sweep.rescale(C, b, moment, rng);
      } else {
        const Eigen::LLT<Matrix> omega(sweep.omega());
        b = sweep.tau.cwiseProduct(omega.matrixL() * standard_normals());
        sweep.update(b, rng);
      }
    }
    int column = 0;
    for (int j = 0; j < P; ++j) out(s, column++) = sweep.tau[j];
    for (int j = 0; j < P; ++j) out(s, column++) = b[j];
    for (int i = 1; i < P; ++i)
      for (int j = 0; j < i; ++j) out(s, column++) = sweep.omega()(i, j);
  }
  return out;
}

// Everything a design does, beside its dense matrix. b is P x K, d_eta is
// n_rows x K; `row` (0-based, ascending) and `weight` pick rows for the sums.
// [[Rcpp::export(rng = false)]]
Rcpp::List test_design_(Rcpp::List spec, Rcpp::NumericMatrix b,
                        Rcpp::NumericMatrix d_eta, Rcpp::IntegerVector row,
                        Rcpp::NumericVector weight) {
  using Rcpp::_;
  const ps::Records records = binding::to_records(spec);
  const ps::Design& design = records.design;
  const ps::GroupedDesign grouped(design);
  const int K = b.ncol(), P = design.n_columns(), R = design.n_rows();
  const int n = static_cast<int>(row.size());
  // b[j * K + k]
  const Matrix flat_b = Rcpp::as<Matrix>(b).transpose();
  Matrix eta(K, R), gradient = Matrix::Zero(K, P), xwx;
  design.linear_predictor(flat_b.data(), K, eta.data());
  if (d_eta.nrow() == R) {
    const Matrix flat_eta = Rcpp::as<Matrix>(d_eta).transpose();
    design.add_gradient(flat_eta.data(), K, gradient.data());
  }
  Matrix grouped_eta(R, K);
  for (int k = 0; k < K; ++k)
    grouped.linear_predictor(b.begin() + static_cast<std::size_t>(k) * P,
                             grouped_eta.col(k).data());
  Vector xv(P);
  grouped.transpose_times(n, row.begin(), weight.begin(), xv.data());
  grouped.cross_products(n, row.begin(), weight.begin(), xwx);
  return Rcpp::List::create(
      _["matrix"] = dense_model_matrix(design), _["order"] = design.order(),
      _["row"] = design.row(), _["row_start"] = design.row_start(),
      _["eta"] = Matrix(eta.transpose()),
      _["gradient"] = Matrix(gradient.transpose()),
      _["grouped_eta"] = grouped_eta, _["transpose_times"] = xv,
      _["cross_products"] = xwx);
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector test_screen_series_(Rcpp::NumericVector x, int chains) {
  double rhat, ess;
  ps::screen_series(x.begin(), chains, static_cast<int>(x.size()) / chains,
                    rhat, ess);
  return Rcpp::NumericVector::create(rhat, ess);
}

// S x length(p).
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix test_predictive_quantile_(Rcpp::List spec,
                                              Rcpp::NumericMatrix draws,
                                              Rcpp::NumericVector p) {
  const ps::Records records = binding::to_records(spec);
  ps::PredictiveQuantile quantile(records.design, binding::n_components(spec));
  Rcpp::NumericMatrix out(draws.nrow(), static_cast<int>(p.size()));
  for (int s = 0; s < draws.nrow(); ++s) {
    const Rcpp::NumericVector draw = draws(s, Rcpp::_);
    quantile.set(draw.begin());
    for (int q = 0; q < out.ncol(); ++q) out(s, q) = quantile(p[q], ps::kNaN);
  }
  return out;
}

// f of records with response y at one set of linear predictors.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector test_normal_mixture_log_lik_(Rcpp::NumericVector y,
                                                 Rcpp::NumericVector eta,
                                                 Rcpp::NumericVector log_pi,
                                                 Rcpp::NumericVector sigma) {
  Rcpp::NumericVector out(y.size());
  for (R_xlen_t i = 0; i < y.size(); ++i)
    out[i] =
        ps::normal_mixture_log_lik(y[i], eta.begin(), log_pi.begin(),
                                   sigma.begin(), static_cast<int>(eta.size()));
  return out;
}

// Joint-distribution test of the mixture sampler (Geweke 2004): alternates
// y ~ p(y | theta) and one sweep with its level, Hamiltonian, pair and mass
// moves, so that all unknowns must follow their prior. Weights are 1. Columns:
// draw [ b | pi | sigma ], then [ tau | m | gamma ] or [ gamma ].
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix test_mixture_joint_(Rcpp::List spec, int n, int thin,
                                        double seed, int level_moves,
                                        int hamiltonian_moves, int pair_moves) {
  ps::Rng rng = to_rng(seed);
  const int K = binding::n_components(spec);
  const ps::MixturePrior prior = to_mixture_prior(spec);
  Rcpp::List data = Rcpp::clone(spec);
  const int N =
      static_cast<int>(Rcpp::as<Rcpp::NumericVector>(spec["y"]).size());
  data["alpha"] = Rcpp::NumericVector(N, 1.0);
  const ps::Records outline = binding::to_records(data);
  const int P = outline.design.n_columns();
  const int D = P * K + 2 * K, H = ps::MixtureState::n_hyper(prior.shared, P);
  ps::Records records = outline;
  ps::MixtureAugmentation first(records, K, prior, rng);
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
      ps::MixtureAugmentation chain(records, K, prior, rng);
      chain.state.unpack(state);
      chain.state_changed();
      chain.sweep();
      ps::MixtureLevelMove level_move(chain);
      for (int move = 0; move < level_moves; ++move) level_move.move();
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
