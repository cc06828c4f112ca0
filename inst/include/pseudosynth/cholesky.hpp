// L L' = A for symmetric positive definite A, and what follows from it. Plain
// loops in lanes: Eigen's are templates that every file compiles anew, for the
// baseline instruction set alone.
#ifndef PSEUDOSYNTH_CHOLESKY_HPP
#define PSEUDOSYNTH_CHOLESKY_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "math.hpp"
#include "simd.hpp"
#include "stop.hpp"

namespace pseudosynth {

namespace detail {

/// @brief Columns `stride` apart, padded with zeros to whole lanes; above the
/// diagonal zeros as well.
struct Triangle {
  int n;
  std::size_t stride;
  double* a;
  bool positive;  // out: every pivot is
};

/// Vectors of column j from `row` on, less the columns before it times row j.
template <int W, int kVectors>
PSEUDOSYNTH_INLINE void subtract_columns(const Triangle& p, int j, int row) {
  simd::Real<W> sum[kVectors], x, factor;
  double* to = p.a + static_cast<std::size_t>(j) * p.stride + row;
  for (int v = 0; v < kVectors; ++v) simd::load<W>(to + v * W, sum[v]);
  const double* from = p.a + row;
  const double* times = p.a + j;
  for (int k = 0; k < j; ++k, from += p.stride, times += p.stride) {
    simd::broadcast<W>(*times, factor);
    for (int v = 0; v < kVectors; ++v) {
      simd::load<W>(from + v * W, x);
      sum[v] -= factor * x;
    }
  }
  for (int v = 0; v < kVectors; ++v) simd::store<W>(sum[v], to + v * W);
}

/// The lower triangle becomes its Cholesky factor.
template <int W>
PSEUDOSYNTH_INLINE void factorise_kernel(Triangle& p) {
  const int rows = static_cast<int>(p.stride);
  p.positive = true;
  for (int j = 0; j < p.n; ++j) {
    StopScope::poll(p.n);
    double* column = p.a + static_cast<std::size_t>(j) * p.stride;
    int i = j / W * W;
    for (; i + 2 * W <= rows; i += 2 * W) subtract_columns<W, 2>(p, j, i);
    for (; i < rows; i += W) subtract_columns<W, 1>(p, j, i);
    const double pivot = column[j];
    if (!(pivot > 0.0)) {
      p.positive = false;
      return;
    }
    const double root = std::sqrt(pivot), inverse = 1.0 / root;
    for (i = j / W * W; i < rows; i += W) {
      simd::Real<W> x;
      simd::load<W>(column + i, x);
      x *= inverse;
      simd::store<W>(x, column + i);
    }
    // Whole vectors reach above the diagonal.
    for (i = j / W * W; i < j; ++i) column[i] = 0.0;
    column[j] = root;
  }
}
PSEUDOSYNTH_DISPATCH(factorise, (Triangle & p), (p))

/// x <- L^-1 x; x as long as a column.
template <int W>
PSEUDOSYNTH_INLINE void solve_lower_kernel(const Triangle& p, double* x) {
  const int rows = static_cast<int>(p.stride);
  for (int j = 0; j < p.n; ++j) {
    const double* column = p.a + static_cast<std::size_t>(j) * p.stride;
    const double own = x[j] / column[j];
    for (int i = j / W * W; i < rows; i += W) {
      simd::Real<W> l, rest;
      simd::load<W>(column + i, l);
      simd::load<W>(x + i, rest);
      rest -= own * l;
      simd::store<W>(rest, x + i);
    }
    x[j] = own;
  }
}
PSEUDOSYNTH_DISPATCH(solve_lower, (const Triangle& p, double* x), (p, x))

/// The same of four vectors, each as long as a column, one after the other: a
/// column of L is read once for all.
template <int W>
PSEUDOSYNTH_INLINE void solve_lower_four_kernel(const Triangle& p, double* x) {
  const int rows = static_cast<int>(p.stride);
  for (int j = 0; j < p.n; ++j) {
    const double* column = p.a + static_cast<std::size_t>(j) * p.stride;
    double own[4];
    for (std::size_t k = 0; k < 4; ++k)
      own[k] = x[k * p.stride + static_cast<std::size_t>(j)] / column[j];
    for (int i = j / W * W; i < rows; i += W) {
      simd::Real<W> l, rest;
      simd::load<W>(column + i, l);
      for (std::size_t k = 0; k < 4; ++k) {
        simd::load<W>(x + k * p.stride + i, rest);
        rest -= own[k] * l;
        simd::store<W>(rest, x + k * p.stride + i);
      }
    }
    for (std::size_t k = 0; k < 4; ++k)
      x[k * p.stride + static_cast<std::size_t>(j)] = own[k];
  }
}
PSEUDOSYNTH_DISPATCH(solve_lower_four, (const Triangle& p, double* x), (p, x))

/// x <- L'^-1 x.
template <int W>
PSEUDOSYNTH_INLINE void solve_upper_kernel(const Triangle& p, double* x) {
  const int rows = static_cast<int>(p.stride);
  for (int j = p.n; j-- > 0;) {
    const double* column = p.a + static_cast<std::size_t>(j) * p.stride;
    const double own = x[j];
    x[j] = 0.0;
    simd::Real<W> sum{};
    for (int i = j / W * W; i < rows; i += W) {
      simd::Real<W> l, known;
      simd::load<W>(column + i, l);
      simd::load<W>(x + i, known);
      sum += l * known;
    }
    x[j] = (own - simd::sum<W>(sum)) / column[j];
  }
}
PSEUDOSYNTH_DISPATCH(solve_upper, (const Triangle& p, double* x), (p, x))

}  // namespace detail

/// @brief Holds work space: one object, one thread.
class Cholesky {
 public:
  Cholesky() = default;
  /// @param a its lower triangle is read.
  explicit Cholesky(const Matrix& a) { compute(a); }
  Cholesky(const Cholesky& other) { *this = other; }
  Cholesky& operator=(const Cholesky& other) {
    if (this == &other) return *this;
    resize(other.part_.n);
    std::copy(other.factor_.data(),
              other.factor_.data() + part_.stride * size_of(part_.n),
              factor_.data());
    part_.positive = other.part_.positive;
    return *this;
  }

  /// @return false, and nothing below may be asked for, unless `a` is finite
  ///   and positive definite.
  bool compute(const Matrix& a) {
    resize(static_cast<int>(a.rows()));
    factor_.zero();
    bool finite = true;
    for (int j = 0; j < part_.n; ++j)
      for (int i = j; i < part_.n; ++i) {
        at(i, j) = a(i, j);
        finite = finite && std::isfinite(a(i, j));
      }
    if (!finite) return part_.positive = false;
    detail::factorise(part_);
    return part_.positive;
  }
  bool positive() const { return part_.positive; }
  int size() const { return part_.n; }

  Matrix lower() const {
    Matrix out(part_.n, part_.n);
    for (int j = 0; j < part_.n; ++j)
      for (int i = 0; i < part_.n; ++i) out(i, j) = at(i, j);
    return out;
  }

  /// L x and L' x.
  Vector lower_times(const Vector& x) const {
    Vector out = Vector::Zero(part_.n);
    for (int j = 0; j < part_.n; ++j)
      for (int i = j; i < part_.n; ++i) out[i] += at(i, j) * x[j];
    return out;
  }
  Vector upper_times(const Vector& x) const {
    Vector out(part_.n);
    for (int j = 0; j < part_.n; ++j) {
      double sum = 0.0;
      for (int i = j; i < part_.n; ++i) sum += at(i, j) * x[i];
      out[j] = sum;
    }
    return out;
  }

  /// log |L|, half of log |A|.
  double log_root_determinant() const {
    double sum = 0.0;
    for (int j = 0; j < part_.n; ++j) sum += std::log(at(j, j));
    return sum;
  }

  /// x' A^-1 x.
  double squared_length(Vector x) const {
    solve_lower(x.data());
    return x.squaredNorm();
  }

  /// x <- L^-1 x, L'^-1 x and A^-1 x.
  void solve_lower(double* x) const { apply(x, true, false); }
  void solve_upper(double* x) const { apply(x, false, true); }
  void solve(double* x) const { apply(x, true, true); }

  /// L^-1 x, four columns at a time.
  Matrix solve_lower(Matrix x) const {
    simd::AlignedBuffer four;
    four.assign(4 * part_.stride);
    for (Eigen::Index j = 0; j < x.cols(); j += 4) {
      StopScope::poll(part_.n);
      const Eigen::Index end = std::min<Eigen::Index>(j + 4, x.cols());
      four.zero();
      for (Eigen::Index k = j; k < end; ++k)
        std::copy(&x(0, k), &x(0, k) + part_.n,
                  four.data() + static_cast<std::size_t>(k - j) * part_.stride);
      detail::solve_lower_four(part_, four.data());
      for (Eigen::Index k = j; k < end; ++k) {
        const double* from =
            four.data() + static_cast<std::size_t>(k - j) * part_.stride;
        std::copy(from, from + part_.n, &x(0, k));
      }
    }
    return x;
  }

  Vector solve(Vector x) const {
    solve(x.data());
    return x;
  }
  Matrix solve(Matrix x) const {
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
      StopScope::poll(part_.n);
      solve(&x(0, j));
    }
    return x;
  }
  Matrix inverse() const {
    Matrix out = Matrix::Zero(part_.n, part_.n);
    for (int j = 0; j < part_.n; ++j) {
      StopScope::poll(part_.n);
      out(j, j) = 1.0;
      solve(&out(0, j));
    }
    return out;
  }

 private:
  static std::size_t size_of(int n) { return static_cast<std::size_t>(n); }

  void resize(int n) {
    if (n == part_.n && part_.a != nullptr) return;
    part_.n = n;
    part_.stride = simd::whole_lanes(size_of(n));
    factor_.assign(part_.stride * size_of(n));
    x_.assign(part_.stride);
    part_.a = factor_.data();
  }

  double& at(int i, int j) const {
    return part_.a[static_cast<std::size_t>(j) * part_.stride +
                   static_cast<std::size_t>(i)];
  }

  void apply(double* x, bool lower, bool upper) const {
    std::copy(x, x + part_.n, x_.data());
    std::fill(x_.data() + part_.n, x_.data() + part_.stride, 0.0);
    if (lower) detail::solve_lower(part_, x_.data());
    if (upper) detail::solve_upper(part_, x_.data());
    std::copy(x_.data(), x_.data() + part_.n, x);
  }

  detail::Triangle part_{0, 0, nullptr, false};
  simd::AlignedBuffer factor_;
  mutable simd::AlignedBuffer x_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_CHOLESKY_HPP
