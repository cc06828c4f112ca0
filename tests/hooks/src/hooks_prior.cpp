// Transforms, priors, and the sweep of the hierarchical prior.
#include <pseudosynth/prior/dirichlet_prior.hpp>
#include <pseudosynth/prior/lkj.hpp>
#include <pseudosynth/sampler/hierarchical_sweep.hpp>

#include "rcpp_model.h"

namespace {

namespace ps = pseudosynth;
using ps::Matrix;
using ps::Vector;

Rcpp::NumericVector to_r(const Vector& x) {
  return Rcpp::NumericVector(x.data(), x.data() + x.size());
}

}  // namespace

// x, log |J|, the way back, and h(u) = sum(weight * x) + log |J| with its
// gradient. x is log pi for the simplex, L by column for correlations.
// [[Rcpp::export(rng = false)]]
Rcpp::List test_transform_(std::string kind, Rcpp::NumericVector u,
                           Rcpp::NumericVector weight, double lower) {
  using Rcpp::_;
  const Vector w = binding::to_vector(weight), at = binding::to_vector(u);
  Vector x(w.size()), back(at.size()), gradient = Vector::Zero(at.size());
  double log_jacobian = 0;
  if (kind == "lower_bound") {
    log_jacobian = ps::lower_bound_constrain(at[0], lower, x[0]);
    back[0] = ps::lower_bound_unconstrain(x[0], lower);
    gradient[0] = ps::lower_bound_adjoint(at[0], w[0]);
  } else if (kind == "simplex") {
    const int K = static_cast<int>(w.size());
    log_jacobian = ps::simplex_constrain(at.data(), K, x.data());
    ps::simplex_unconstrain(x.data(), K, back.data());
    ps::simplex_adjoint(at.data(), K, w.data(), gradient.data());
  } else {
    const int P = static_cast<int>(std::lround(std::sqrt(w.size())));
    ps::CholeskyCorrelation correlation(P);
    correlation.constrain(at.data());
    log_jacobian = correlation.log_jacobian();
    x = Eigen::Map<const Vector>(correlation.L().data(), P * P);
    ps::CholeskyCorrelation::unconstrain(correlation.L(), back.data());
    correlation.adjoint_add(Eigen::Map<const Matrix>(w.data(), P, P),
                            gradient.data());
    correlation.jacobian_adjoint_add(gradient.data());
  }
  return Rcpp::List::create(_["x"] = to_r(x), _["log_jacobian"] = log_jacobian,
                            _["back"] = to_r(back),
                            _["value"] = w.dot(x) + log_jacobian,
                            _["gradient"] = to_r(gradient));
}

// [[Rcpp::export(rng = false)]]
Rcpp::List test_half_t_(double df, double scale, double x, double floor) {
  using Rcpp::_;
  const ps::HalfT prior(df, scale);
  double d_log = 0, d_above = 0;
  const double log_value = prior.log_density_log(std::log(x), d_log);
  const double above = prior.log_density_above(floor, std::log(x), d_above);
  return Rcpp::List::create(
      _["value"] = prior.log_density(x), _["derivative"] = prior.derivative(x),
      _["log_value"] = log_value, _["log_derivative"] = d_log,
      _["above"] = above, _["above_derivative"] = d_above);
}

// [[Rcpp::export(rng = false)]]
Rcpp::List test_lkj_(int P, double shape, Rcpp::NumericVector u) {
  using Rcpp::_;
  const Vector at = binding::to_vector(u);
  Vector gradient = Vector::Zero(at.size());
  ps::CholeskyCorrelation correlation(P);
  correlation.constrain(at.data());
  const double log_jacobian = correlation.log_jacobian();
  const ps::Lkj prior(P, shape);
  const double value =
      prior.log_density_unconstrained(correlation, gradient.data());
  return Rcpp::List::create(
      _["omega"] = prior.log_density(correlation.L()),
      _["cholesky"] = prior.log_density_cholesky(correlation.L()),
      _["log_jacobian"] = log_jacobian, _["value"] = value,
      _["gradient"] = to_r(gradient));
}

// b is the flat vector b[j * K + k].
// [[Rcpp::export(rng = false)]]
Rcpp::List test_coefficient_prior_(Rcpp::List prior, int P, int K,
                                   Rcpp::NumericVector b,
                                   Rcpp::NumericVector u) {
  using Rcpp::_;
  const auto p = binding::to_prior(
      Rcpp::List::create(_["prior"] = prior, _["n_columns"] = P));
  const Vector at = binding::to_vector(u);
  Vector d_b = Vector::Zero(b.size()), d_u = Vector::Zero(p->n_unconstrained());
  if (at.size() != d_u.size()) Rcpp::stop("wrong length of u");
  const double value =
      p->log_density(b.begin(), K, at.data(), d_b.data(), d_u.data());
  Vector stored(p->n_stored()), back(p->n_unconstrained());
  p->constrain(at.data(), stored.data());
  p->unconstrain(stored.data(), back.data());
  return Rcpp::List::create(_["value"] = value, _["d_b"] = to_r(d_b),
                            _["d_u"] = to_r(d_u), _["stored"] = to_r(stored),
                            _["back"] = to_r(back));
}

// [[Rcpp::export(rng = false)]]
Rcpp::List test_dirichlet_prior_(Rcpp::NumericVector log_pi, double u) {
  using Rcpp::_;
  Vector d_log_pi = Vector::Zero(log_pi.size());
  double d_u = 0;
  const double value =
      ps::DirichletPrior(static_cast<int>(log_pi.size()))
          .log_density(log_pi.begin(), u, d_log_pi.data(), d_u);
  return Rcpp::List::create(_["value"] = value, _["d_log_pi"] = to_r(d_log_pi),
                            _["d_u"] = d_u);
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
  ps::Rng rng(static_cast<std::uint64_t>(seed), 0);
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
