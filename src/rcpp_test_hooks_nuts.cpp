// Lets testthat drive the parts of the core that no R function shows:
// transforms, priors, log pseudo posteriors and the NUTS sampler.
#include <Rcpp.h>

#include <functional>
#include <memory>
#include <string>

#include "pseudosynth/mixture_posterior.hpp"
#include "pseudosynth/prior/hierarchical_prior.hpp"
#include "pseudosynth/prior/lkj.hpp"
#include "pseudosynth/prior/normal_prior.hpp"
#include "pseudosynth/prior/shared_prior.hpp"
#include "pseudosynth/pseudo_posterior.hpp"
#include "pseudosynth/sampler/run_nuts_chain.hpp"

namespace {

namespace ps = pseudosynth;
using ps::Matrix;
using ps::Vector;

Vector to_vector(Rcpp::NumericVector x) {
  return Eigen::Map<const Vector>(x.begin(), x.size());
}

Rcpp::NumericVector to_r(const Vector& x) {
  return Rcpp::NumericVector(x.data(), x.data() + x.size());
}

Rcpp::NumericMatrix to_r(const Matrix& x) {
  return Rcpp::NumericMatrix(static_cast<int>(x.rows()),
                             static_cast<int>(x.cols()), x.data());
}

std::unique_ptr<ps::CoefficientPrior> read_prior(const Rcpp::List& prior,
                                                 int P) {
  const std::string kind = prior["kind"];
  if (kind == "normal") {
    return std::unique_ptr<ps::CoefficientPrior>(new ps::NormalPrior(
        to_vector(prior["location"]), to_vector(prior["scale"])));
  }
  const double df = prior["df"], scale = prior["scale"];
  if (kind == "shared") {
    return std::unique_ptr<ps::CoefficientPrior>(new ps::SharedPrior(
        df, scale, to_vector(prior["location"]), to_vector(prior["m_scale"])));
  }
  const double lkj = prior["lkj"];
  return std::unique_ptr<ps::CoefficientPrior>(
      new ps::HierarchicalPrior(P, lkj, df, scale));
}

/// Records with a dense design `x` given as numeric columns.
ps::Records read_records(const Rcpp::List& data) {
  const Rcpp::NumericMatrix x = data["x"];
  ps::Predictors predictors;
  predictors.n_records = x.nrow();
  predictors.n_columns = x.ncol();
  predictors.intercept = false;
  predictors.numeric.assign(x.begin(), x.end());
  for (int j = 0; j < x.ncol(); ++j) predictors.numeric_column.push_back(j);
  ps::Censor censor;
  if (data.containsElementNamed("censor")) {
    const Rcpp::List rule = data["censor"];
    censor.active = true;
    censor.lower = rule["lower"];
    censor.upper = rule["upper"];
    censor.centre = Rcpp::as<std::vector<double>>(rule["centre"]);
  }
  return ps::Records(predictors, Rcpp::as<std::vector<double>>(data["y"]),
                     Rcpp::as<std::vector<double>>(data["alpha"]), censor);
}

ps::NutsTuning read_tuning(const Rcpp::List& from) {
  ps::NutsTuning tuning;
  tuning.warmup = from["warmup"];
  tuning.draws = from["draws"];
  tuning.thin = from["thin"];
  tuning.adapt_delta = from["adapt_delta"];
  tuning.max_treedepth = from["max_treedepth"];
  tuning.dense_metric = Rcpp::as<std::string>(from["metric"]) == "dense";
  return tuning;
}

Rcpp::List to_r(const ps::ChainResult& chain) {
  using Rcpp::_;
  return Rcpp::List::create(
      _["draws"] = to_r(Matrix(chain.draws.transpose())),
      _["hyper"] = to_r(Matrix(chain.hyper.transpose())),
      _["state"] = to_r(chain.state), _["divergent"] = chain.divergent,
      _["treedepth"] = chain.treedepth, _["n_leapfrog"] = chain.n_leapfrog,
      _["accept_stat"] = chain.accept_stat, _["energy"] = chain.energy,
      _["log_density"] = chain.log_density, _["stepsize"] = chain.stepsize,
      _["inverse_metric"] = to_r(chain.inverse_metric),
      _["completed"] = chain.completed, _["interrupted"] = chain.interrupted,
      _["n_nonfinite"] = static_cast<double>(chain.n_nonfinite));
}

/// Calls `use` with the pseudo posterior that `data` describes.
template <class Use>
Rcpp::List with_posterior(const Rcpp::List& data, Use use) {
  const ps::Records records = read_records(data);
  const auto prior = read_prior(data["prior"], records.design.n_columns());
  if (Rcpp::as<std::string>(data["family"]) == "gaussian") {
    ps::PseudoPosterior<ps::Gaussian> model(records, *prior);
    return use(model);
  }
  ps::MixturePosterior model(records, *prior, data["K"], data["sigma_floor"]);
  return use(model);
}

template <class Model>
Rcpp::List evaluate(Model& model, const Vector& theta) {
  using Rcpp::_;
  Vector gradient, draw(model.n_draw()), hyper(model.n_hyper());
  const double value = model(theta, gradient);
  model.constrain(theta, draw.data(), hyper.data());
  return Rcpp::List::create(
      _["value"] = value, _["gradient"] = to_r(gradient),
      _["log_lik"] = model.log_lik(theta), _["draw"] = to_r(draw),
      _["hyper"] = to_r(hyper),
      _["back"] = to_r(model.unconstrain(draw.data(), hyper.data())));
}

template <class Model>
Rcpp::List start(Model& model, int seed) {
  using Rcpp::_;
  ps::Rng rng(static_cast<std::uint64_t>(seed), 0);
  const Vector theta = model.initial(rng);
  Vector gradient;
  const double value = model(theta, gradient);
  return Rcpp::List::create(_["theta"] = to_r(theta), _["value"] = value,
                            _["gradient"] = to_r(gradient));
}

/// A target given by functions, so that the sampler is compiled once for all.
struct Target {
  int n = 0, n_constrained = 0;
  std::function<double(const Vector&, Vector&)> log_density;
  std::function<void(const Vector&, double*)> to_draw;
  int size() const { return n; }
  int n_draw() const { return n_constrained; }
  int n_hyper() const { return 0; }
  double operator()(const Vector& theta, Vector& gradient) const {
    gradient.setZero(n);
    return log_density(theta, gradient);
  }
  void constrain(const Vector& theta, double* draw, double*) const {
    to_draw(theta, draw);
  }
  Vector initial(ps::Rng& rng) const {
    Vector theta(n);
    for (int j = 0; j < n; ++j) theta[j] = lowest + 2.0 * rng.uniform();
    return theta;
  }
  double lowest = -2.0;  // of the starts
};

void copy_out(const Vector& theta, double* draw) {
  std::copy(theta.data(), theta.data() + theta.size(), draw);
}

Target normal_target(const Vector& mean, const Matrix& precision) {
  Target t;
  t.n = t.n_constrained = static_cast<int>(mean.size());
  t.log_density = [=](const Vector& x, Vector& gradient) {
    gradient = -precision * (x - mean);
    return 0.5 * gradient.dot(x - mean);
  };
  t.to_draw = copy_out;
  return t;
}

/// Gamma(shape, 1) through u = log x.
Target gamma_target(double shape) {
  Target t;
  t.n = t.n_constrained = 1;
  t.log_density = [=](const Vector& u, Vector& gradient) {
    double x;
    const double log_jacobian = ps::lower_bound_constrain(u[0], 0.0, x);
    gradient[0] = ps::lower_bound_adjoint(u[0], (shape - 1.0) / x - 1.0);
    return (shape - 1.0) * u[0] - x + log_jacobian;
  };
  t.to_draw = [](const Vector& u, double* draw) { draw[0] = std::exp(u[0]); };
  return t;
}

Target dirichlet_target(const Vector& shape) {
  Target t;
  const int K = static_cast<int>(shape.size());
  t.n = K - 1;
  t.n_constrained = K;
  t.log_density = [=](const Vector& u, Vector& gradient) {
    Vector log_pi(K), d_log_pi = shape.array() - 1.0;
    const double log_jacobian =
        ps::simplex_constrain(u.data(), K, log_pi.data());
    ps::simplex_adjoint(u.data(), K, d_log_pi.data(), gradient.data());
    return d_log_pi.dot(log_pi) + log_jacobian;
  };
  t.to_draw = [=](const Vector& u, double* draw) {
    ps::simplex_constrain(u.data(), K, draw);
    for (int k = 0; k < K; ++k) draw[k] = std::exp(draw[k]);
  };
  return t;
}

/// LKJ correlations through Cholesky factor, adjoint and Jacobian, not through
/// the closed form that the prior uses.
Target lkj_target(int P, double shape) {
  Target t;
  t.n = t.n_constrained = ps::n_partial_correlations(P);
  t.log_density = [=](const Vector& u, Vector& gradient) {
    ps::CholeskyCorrelation correlation(P);
    correlation.constrain(u.data());
    const Matrix& L = correlation.L();
    Matrix d_L = Matrix::Zero(P, P);
    for (int i = 1; i < P; ++i)
      d_L(i, i) = (P - i - 1 + 2.0 * (shape - 1.0)) / L(i, i);
    correlation.adjoint_add(d_L, gradient.data());
    correlation.jacobian_adjoint_add(gradient.data());
    return ps::Lkj(P, shape).log_density_cholesky(L) +
           correlation.log_jacobian();
  };
  t.to_draw = [=](const Vector& u, double* draw) {
    ps::CholeskyCorrelation correlation(P);
    correlation.constrain(u.data());
    const Matrix omega = correlation.L() * correlation.L().transpose();
    for (int i = 1; i < P; ++i)
      for (int j = 0; j < i; ++j) *draw++ = omega(i, j);
  };
  return t;
}

Target half_t_target(double df, double scale, double floor) {
  Target t;
  t.n = t.n_constrained = 1;
  t.log_density = [=](const Vector& u, Vector& gradient) {
    return ps::HalfT(df, scale).log_density_above(floor, u[0], gradient[0]);
  };
  t.to_draw = [=](const Vector& u, double* draw) {
    draw[0] = floor + std::exp(u[0]);
  };
  return t;
}

/// A standard normal whose density is NaN below 0 and throws below -1.
Target half_normal_target() {
  Target t;
  t.n = t.n_constrained = 1;
  t.log_density = [](const Vector& x, Vector& gradient) {
    if (x[0] < -1.0) throw std::domain_error("no density here");
    gradient[0] = -x[0];
    return x[0] < 0.0 ? ps::kNaN : -0.5 * x[0] * x[0];
  };
  t.to_draw = copy_out;
  t.lowest = 0.0;
  return t;
}

Target read_target(const Rcpp::List& from) {
  const std::string kind = from["kind"];
  if (kind == "normal") {
    const Vector flat = to_vector(from["precision"]);
    const Vector mean = to_vector(from["mean"]);
    return normal_target(
        mean, Eigen::Map<const Matrix>(flat.data(), mean.size(), mean.size()));
  }
  if (kind == "gamma") return gamma_target(from["shape"]);
  if (kind == "dirichlet") return dirichlet_target(to_vector(from["shape"]));
  if (kind == "lkj") return lkj_target(from["P"], from["shape"]);
  if (kind == "half_t")
    return half_t_target(from["df"], from["scale"], from["floor"]);
  return half_normal_target();
}

}  // namespace

// x, log |J|, the way back, and h(u) = sum(weight * x) + log |J| with its
// gradient. x is log pi for the simplex, L by column for correlations.
// [[Rcpp::export]]
Rcpp::List test_transform_(std::string kind, Rcpp::NumericVector u,
                           Rcpp::NumericVector weight, double lower) {
  using Rcpp::_;
  const Vector w = to_vector(weight), at = to_vector(u);
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

// [[Rcpp::export]]
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

// [[Rcpp::export]]
Rcpp::List test_lkj_(int P, double shape, Rcpp::NumericVector u) {
  using Rcpp::_;
  const Vector at = to_vector(u);
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
// [[Rcpp::export]]
Rcpp::List test_coefficient_prior_(Rcpp::List prior, int P, int K,
                                   Rcpp::NumericVector b,
                                   Rcpp::NumericVector u) {
  using Rcpp::_;
  const auto p = read_prior(prior, P);
  const Vector at = to_vector(u);
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

// [[Rcpp::export]]
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

// data: list(family, K, sigma_floor, x, y, alpha, prior, [censor]).
// [[Rcpp::export]]
Rcpp::List test_posterior_(Rcpp::List data, Rcpp::NumericVector theta) {
  const Vector at = to_vector(theta);
  return with_posterior(data, [&](auto& model) {
    if (at.size() != model.size())
      Rcpp::stop("theta has %d values, not %d", at.size(), model.size());
    return evaluate(model, at);
  });
}

// [[Rcpp::export]]
Rcpp::List test_posterior_start_(Rcpp::List data, int seed) {
  return with_posterior(data, [&](auto& model) { return start(model, seed); });
}

// init: an unconstrained state, or of length 0 for a start of the model's own.
// [[Rcpp::export]]
Rcpp::List test_nuts_posterior_(Rcpp::List data, Rcpp::List tuning, int seed,
                                int chain, Rcpp::NumericVector init) {
  const Vector state = to_vector(init);
  return with_posterior(data, [&](auto& model) {
    return to_r(ps::run_nuts_chain(
        model, read_tuning(tuning), static_cast<std::uint64_t>(seed),
        static_cast<std::uint64_t>(chain), ps::ChainHandlers(),
        state.size() > 0 ? &state : nullptr));
  });
}

// stop_after: ask the chain to stop once this many iterations are done.
// [[Rcpp::export]]
Rcpp::List test_nuts_target_(Rcpp::List target, Rcpp::List tuning, int seed,
                             int chain, int stop_after) {
  int done = 0;
  ps::ChainHandlers handlers;
  handlers.on_iteration = [&](int iteration) { done = iteration; };
  handlers.should_stop = [&]() { return done >= stop_after; };
  Rcpp::List out =
      to_r(ps::run_nuts_chain(read_target(target), read_tuning(tuning),
                              static_cast<std::uint64_t>(seed),
                              static_cast<std::uint64_t>(chain), handlers));
  out["iterations"] = done;
  return out;
}

// The iterations (from 0) at whose end the metric is updated.
// [[Rcpp::export]]
Rcpp::IntegerVector test_warmup_windows_(int n_warmup) {
  ps::WarmupSchedule schedule(n_warmup);
  std::vector<int> ends;
  for (int i = 0; i < n_warmup; ++i) {
    if (schedule.ends_window(i)) ends.push_back(i);
  }
  return Rcpp::wrap(ends);
}

// The averaged step size after n updates where one step of size e is accepted
// with probability exp(-rate e).
// [[Rcpp::export]]
double test_dual_averaging_(double target, double rate, int n) {
  ps::DualAveraging averaging(target);
  averaging.restart(1.0);
  double stepsize = 1.0;
  for (int i = 0; i < n; ++i)
    stepsize = averaging.update(std::exp(-rate * stepsize));
  return averaging.averaged();
}
