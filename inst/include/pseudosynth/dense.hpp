// Matrix algebra outside the hot loops, as plain functions on whole matrices:
// expressions of Eigen that need a product or a decomposition cost every file
// that has one more time to compile than all else.
#ifndef PSEUDOSYNTH_DENSE_HPP
#define PSEUDOSYNTH_DENSE_HPP

#include <cmath>

#include "count_of.hpp"
#include "math.hpp"
#include "rng.hpp"
#include "stop.hpp"

namespace pseudosynth {

/// x'y and y <- y + factor x for n numbers.
inline double dot(const double* x, const double* y, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}
inline void add_multiple(const double* x, double factor, double* y, int n) {
  for (int i = 0; i < n; ++i) y[i] += factor * x[i];
}

inline Matrix product(const Matrix& a, const Matrix& b) {
  Matrix out = Matrix::Zero(a.rows(), b.cols());
  for (Eigen::Index j = 0; j < b.cols(); ++j) {
    StopScope::poll(static_cast<int>(a.cols()));
    for (Eigen::Index k = 0; k < a.cols(); ++k)
      add_multiple(&a(0, k), b(k, j), &out(0, j), static_cast<int>(a.rows()));
  }
  return out;
}

/// out <- out + weight x y'.
inline void add_outer(double weight, const Vector& x, const Vector& y,
                      Matrix& out) {
  for (Eigen::Index j = 0; j < y.size(); ++j)
    add_multiple(x.data(), weight * y[j], &out(0, j), count_of(x));
}

inline void symmetrise(Matrix& a) {
  for (Eigen::Index j = 0; j < a.cols(); ++j)
    for (Eigen::Index i = 0; i < j; ++i)
      a(i, j) = a(j, i) = 0.5 * (a(i, j) + a(j, i));
}

/// A rotation that favours no direction: Gram and Schmidt's factor of normal
/// numbers, twice over so that rounding leaves it orthogonal.
inline Matrix random_rotation(int n, Rng& rng) {
  Matrix z(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) z(i, j) = rng.normal();
  for (int j = 0; j < n; ++j) {
    StopScope::poll(n);
    for (int pass = 0; pass < 2; ++pass)
      for (int k = 0; k < j; ++k)
        add_multiple(&z(0, k), -dot(&z(0, k), &z(0, j), n), &z(0, j), n);
    const double length = std::sqrt(dot(&z(0, j), &z(0, j), n));
    for (int i = 0; i < n; ++i) z(i, j) /= length;
  }
  return z;
}

/// The eigenvectors of a symmetric matrix, in columns, by rotations of pairs of
/// columns (one-sided Jacobi). For a few dozen columns.
inline Matrix symmetric_eigenvectors(Matrix a, Vector& values) {
  const int n = static_cast<int>(a.rows());
  double squares = 0.0;
  for (int j = 0; j < n; ++j) squares += dot(&a(0, j), &a(0, j), n);
  // Positive definite, so that columns are eigenvectors once orthogonal.
  const double shift = 2.0 * std::sqrt(squares);
  values.setZero(n);
  if (shift == 0.0) return Matrix::Identity(n, n);
  for (int j = 0; j < n; ++j) a(j, j) += shift;
  bool turned = true;
  for (int sweep = 0; sweep < 60 && turned; ++sweep) {
    turned = false;
    for (int q = 1; q < n; ++q) {
      StopScope::poll(n);
      for (int p = 0; p < q; ++p) {
        double *x = &a(0, p), *y = &a(0, q);
        const double xx = dot(x, x, n), yy = dot(y, y, n), xy = dot(x, y, n);
        if (!(std::fabs(xy) > 1e-14 * std::sqrt(xx * yy))) continue;
        turned = true;
        const double cotangent = (yy - xx) / (2.0 * xy);
        const double t =
            std::copysign(1.0, cotangent) /
            (std::fabs(cotangent) + std::sqrt(1.0 + square(cotangent)));
        const double c = 1.0 / std::sqrt(1.0 + t * t), s = c * t;
        for (int i = 0; i < n; ++i) {
          const double before = x[i];
          x[i] = c * before - s * y[i];
          y[i] = s * before + c * y[i];
        }
      }
    }
  }
  for (int j = 0; j < n; ++j) {
    const double length = std::sqrt(dot(&a(0, j), &a(0, j), n));
    values[j] = length - shift;
    for (int i = 0; i < n; ++i) a(i, j) /= length;
  }
  return a;
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_DENSE_HPP
