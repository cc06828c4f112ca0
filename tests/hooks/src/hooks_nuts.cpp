// NUTS on targets whose moments are known.
#include <Rcpp.h>

#include <functional>
#include <pseudosynth/prior/half_t.hpp>
#include <pseudosynth/prior/lkj.hpp>
#include <pseudosynth/sampler/run_nuts_chain.hpp>
#include <pseudosynth/transforms.hpp>
#include <string>

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

// stop_after: ask the chain to stop once this many iterations are done.
// [[Rcpp::export(rng = false)]]
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
// [[Rcpp::export(rng = false)]]
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
// [[Rcpp::export(rng = false)]]
double test_dual_averaging_(double target, double rate, int n) {
  ps::DualAveraging averaging(target);
  averaging.restart(1.0);
  double stepsize = 1.0;
  for (int i = 0; i < n; ++i)
    stepsize = averaging.update(std::exp(-rate * stepsize));
  return averaging.averaged();
}
