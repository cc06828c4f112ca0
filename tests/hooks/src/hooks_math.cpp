// Scalar and vector mathematics, random numbers, slices.
#include <Rcpp.h>

#include <algorithm>
#include <functional>
#include <pseudosynth/math.hpp>
#include <pseudosynth/rng.hpp>
#include <pseudosynth/sampler/generalised_inverse_gaussian.hpp>
#include <pseudosynth/sampler/slice.hpp>
#include <pseudosynth/simd.hpp>
#include <string>

namespace {

namespace ps = pseudosynth;

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
