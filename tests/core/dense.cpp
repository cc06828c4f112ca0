// Factors, products and eigenvectors of small matrices against what defines
// them. Built and run by `make core`; exit status 1 if a check fails.

#include "pseudosynth/dense.hpp"

#include <cmath>
#include <cstdio>
#include <functional>

#include "pseudosynth/cholesky.hpp"
#include "pseudosynth/sampler/climb.hpp"
#include "pseudosynth/sampler/hierarchical_sweep.hpp"
#include "pseudosynth/sampler/surrogate_fit.hpp"
#include "pseudosynth/stop.hpp"

namespace ps = pseudosynth;
using ps::Matrix;
using ps::Vector;

namespace {

int failures = 0;

void expect(const char* what, int n, bool good) {
  if (!good) {
    ++failures;
    std::printf("FAIL %s, %d columns\n", what, n);
  }
}

Matrix random_matrix(int n, ps::Rng& rng) {
  Matrix out(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) out(i, j) = rng.normal();
  return out;
}

Matrix transpose(Matrix a) {
  a.transposeInPlace();
  return a;
}

bool close(const Matrix& a, const Matrix& b, double error = 1e-11) {
  return (a - b).cwiseAbs().maxCoeff() <= error;
}

void check_cholesky(int n, ps::Rng& rng) {
  const Matrix unit = Matrix::Identity(n, n), z = random_matrix(n, rng);
  const Matrix a = ps::product(z, transpose(z)) + unit;
  ps::Cholesky factor;
  expect("positive", n, factor.compute(a));
  const Matrix l = factor.lower();
  expect("L L'", n, close(ps::product(l, transpose(l)), a));
  bool triangular = true;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i) triangular = triangular && l(i, j) == 0.0;
  expect("zeros above the diagonal", n, triangular);
  expect("inverse", n, close(ps::product(a, factor.inverse()), unit));
  expect("solve", n, close(factor.solve(ps::product(a, z)), z, 1e-9));
  Vector x = z.col(0), lower = x, upper = x;
  factor.solve_lower(lower.data());
  factor.solve_upper(upper.data());
  for (int j = 0; j < n; ++j) {
    double forward = 0.0, backward = 0.0;
    for (int k = 0; k <= j; ++k) forward += l(j, k) * lower[k];
    for (int k = j; k < n; ++k) backward += l(k, j) * upper[k];
    expect("L^-1 x", n, std::fabs(forward - x[j]) < 1e-11);
    expect("L'^-1 x", n, std::fabs(backward - x[j]) < 1e-11);
  }
  // The same object once more: nothing of the last matrix is left.
  expect("identity", n, factor.compute(unit) && close(factor.lower(), unit));

  Matrix bad = a;
  bad(n - 1, n - 1) = -1.0;
  expect("an indefinite matrix is refused", n, !factor.compute(bad));
  bad(n - 1, n - 1) = ps::kNaN;
  expect("NaN is refused", n, !factor.compute(bad));
  bad(n - 1, n - 1) = ps::kInfinity;
  expect("infinity is refused", n, !factor.compute(bad));
  expect("zeros are refused", n, !factor.compute(Matrix::Zero(n, n)));

  Matrix gram(n, n);
  ps::detail::lower_gram(n, l.data(), gram.data());
  expect("L'L", n, close(gram, ps::product(transpose(l), l)));
}

void check_eigenvectors(int n, ps::Rng& rng) {
  const Matrix unit = Matrix::Identity(n, n);
  const Matrix rotation = ps::random_rotation(n, rng);
  expect("rotation", n,
         close(ps::product(transpose(rotation), rotation), unit));
  // Negative, zero and repeated eigenvalues
  Matrix a = Matrix::Zero(n, n);
  for (int j = 0; j < n; ++j)
    ps::add_outer(j % 3 - 1.0, rotation.col(j), rotation.col(j), a);
  Vector values;
  const Matrix v = ps::symmetric_eigenvectors(a, values);
  Matrix back = Matrix::Zero(n, n);
  for (int j = 0; j < n; ++j)
    ps::add_outer(values[j], v.col(j), v.col(j), back);
  expect("eigenvectors are orthogonal", n,
         close(ps::product(transpose(v), v), unit));
  expect("V diag(values) V'", n, close(back, a));

  Matrix lifted = Matrix::Zero(n, n);
  for (int j = 0; j < n; ++j)
    ps::add_outer(std::max(j % 3 - 1.0, 0.25), rotation.col(j), rotation.col(j),
                  lifted);
  expect("curvature is lifted to the floor", n,
         close(ps::detail::floor_curvature(a, unit, 0.25), lifted));
  const Matrix high = a + 2.0 * unit;
  expect("curvature above the floor stays", n,
         close(ps::detail::floor_curvature(high, unit, 0.25), high));
}

/// Whether `work` gives up once its host asks to stop, soon after that.
template <class Work>
void check_stop(const char* what, int n, bool asks, Work&& work) {
  int questions = 0;
  const std::function<bool()> stop = [&] { return ++questions > 2; };
  bool stopped = false;
  try {
    const ps::StopScope scope(stop);
    work();
  } catch (const ps::Interrupted&) {
    stopped = true;
  }
  expect(what, n, stopped == asks && questions == (asks ? 3 : 0));
  // Nobody asks for more
  work();
  expect("without a scope nothing is asked", n, questions == (asks ? 3 : 0));
}

void check_stops(int n, bool asks) {
  ps::Rng rng(2, 0);
  const Matrix unit = Matrix::Identity(n, n);
  check_stop("a factor is given up", n, asks, [&] { ps::Cholesky root(unit); });
  const ps::Cholesky root(unit);
  check_stop("an inverse is given up", n, asks, [&] { root.inverse(); });
  check_stop("a solution is given up", n, asks, [&] { root.solve(unit); });
  check_stop("a product is given up", n, asks,
             [&] { ps::product(unit, unit); });
  check_stop("a rotation is given up", n, asks,
             [&] { ps::random_rotation(n, rng); });
  Vector values;
  check_stop("eigenvectors are given up", n, asks,
             [&] { ps::symmetric_eigenvectors(unit, values); });
}

/// A normal log density, far from its centre at the start.
struct Normal {
  Matrix precision;
  Vector centre;
  Vector initial(ps::Rng&) const {
    return Vector::Constant(centre.size(), 50.0);
  }
  double operator()(const Vector& theta, Vector& gradient) const {
    gradient = precision * (centre - theta);
    return 0.5 * gradient.dot(theta - centre);
  }
};

void check_mode(int n, ps::Rng& rng) {
  const Matrix z = random_matrix(n, rng);
  const Matrix covariance =
      ps::product(z, transpose(z)) + 0.1 * Matrix::Identity(n, n);
  Normal model{ps::Cholesky(covariance).inverse(), z.col(0)};
  const Matrix found = ps::covariance_at_mode(model);
  expect("covariance at the mode", n,
         found.size() > 0 && close(found, covariance, 1e-5));
  // Without a mode there is no covariance
  model.precision = -model.precision;
  expect("no covariance", n, ps::covariance_at_mode(model).size() == 0);
}

}  // namespace

int main() {
  ps::Rng rng(1, 0);
  for (const int n : {1, 2, 3, 4, 7, 8, 9, 16, 23, 40}) {
    check_cholesky(n, rng);
    check_eigenvectors(n, rng);
    check_mode(n, rng);
  }
  check_stops(40, false);
  check_stops(300, true);
  if (failures == 0) std::printf("ok   every check\n");
  return failures > 0;
}
