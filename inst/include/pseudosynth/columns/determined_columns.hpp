// Columns of a design that other columns determine. The dense design is never
// formed: factors are counted, numbers multiplied in blocks of records.
#ifndef PSEUDOSYNTH_COLUMNS_DETERMINED_COLUMNS_HPP
#define PSEUDOSYNTH_COLUMNS_DETERMINED_COLUMNS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "../count_of.hpp"
#include "../design/design.hpp"
#include "../math.hpp"

namespace pseudosynth {

// A squared multiple correlation within this of 1 counts as exact
constexpr double kExactlyDetermined = 1e-10;

/// X'X. `poll()` is called now and then.
template <class Poll>
Matrix inner_products(const Predictors& x, Poll poll) {
  const std::size_t N = static_cast<std::size_t>(x.n_records);
  const std::size_t F = x.n_levels.size();
  const int P = x.n_columns;
  std::vector<int> dense = x.numeric_column;
  if (x.intercept) dense.push_back(0);
  const int D = count_of(dense);
  // Each pair of columns once; the extra column takes the reference levels
  Matrix half = Matrix::Zero(P + 1, P + 1);
  const std::size_t size = std::max(1000000 / (P + 1), 256);
  std::vector<std::vector<int>> column(F);
  for (std::size_t start = 0; start < N; start += size) {
    poll();
    const std::size_t n = std::min(size, N - start);
    Matrix values = Matrix::Ones(static_cast<Eigen::Index>(n), D);
    for (std::size_t q = 0; q < x.numeric_column.size(); ++q)
      std::copy_n(x.numeric.data() + q * N + start, n, values.data() + q * n);
    for (int a = 0; a < D; ++a) {
      for (int b = 0; b <= a; ++b)
        half(dense[a], dense[b]) += values.col(a).dot(values.col(b));
    }
    for (std::size_t f = 0; f < F; ++f) {
      column[f].resize(n);
      for (std::size_t i = 0; i < n; ++i) {
        const int code = x.codes[f * N + start + i];
        column[f][i] = code == 0 ? P : x.factor_column[f] + code - 1;
      }
      for (int d = 0; d < D; ++d) {
        const double* from = values.col(d).data();
        double* to = half.col(dense[d]).data();
        for (std::size_t i = 0; i < n; ++i) to[column[f][i]] += from[i];
      }
      for (std::size_t g = 0; g <= f; ++g) {
        for (std::size_t i = 0; i < n; ++i)
          half(column[f][i], column[g][i]) += 1.0;
      }
    }
  }
  const auto inner = half.topLeftCorner(P, P);
  Matrix gram = inner + inner.transpose();
  gram.diagonal() -= inner.diagonal();
  return gram;
}

/// Cholesky's factor, a panel of columns at a time; rows that are 0 in a panel,
/// as those of the levels of one factor are, cost nothing.
/// @param left inner products; used up.
/// @return which columns those before them determine; none of length 0.
template <class Poll>
std::vector<char> sweep(Matrix& left, Poll poll) {
  const int n = static_cast<int>(left.cols());
  const Vector whole = left.diagonal();
  const Vector length = (whole.array() > 0.0).select(whole, 1.0).cwiseSqrt();
  for (int j = 0; j < n; ++j) left.col(j).array() /= length.array() * length[j];
  std::vector<char> determined(static_cast<std::size_t>(n), 0);
  for (int first = 0; first < n; first += 64) {
    const int end = std::min(n, first + 64);
    for (int k = first; k < end; ++k) {
      poll();
      const double pivot = left(k, k);
      auto own = left.col(k).tail(n - k);
      if (!(pivot > kExactlyDetermined)) {
        determined[k] = whole[k] > 0.0;
        own.setZero();
        continue;
      }
      own /= std::sqrt(pivot);
      for (int j = k + 1; j < end; ++j) {
        if (left(j, k) != 0.0)
          left.col(j).tail(n - j) -= left(j, k) * left.col(k).tail(n - j);
      }
    }
    const auto panel = left.middleCols(first, end - first);
    std::vector<int> rows;
    for (int r = end; r < n; ++r) {
      if ((panel.row(r).array() != 0.0).any()) rows.push_back(r);
    }
    Matrix kept(end - first, rows.size());
    for (std::size_t a = 0; a < rows.size(); ++a)
      kept.col(a) = panel.row(rows[a]).transpose();
    for (std::size_t b = 0; b < rows.size(); ++b) {
      if (b % 64 == 0) poll();
      for (std::size_t a = b; a < rows.size(); ++a)
        left(rows[a], rows[b]) -= kept.col(a).dot(kept.col(b));
    }
  }
  return determined;
}

/// The columns (0-based) that those before them determine. The factor with the
/// most levels goes first: its columns are orthogonal to each other, so that
/// thousands of levels take no cube of them.
template <class Poll>
std::vector<int> determined_columns(const Predictors& x, Poll poll) {
  std::vector<int> order(static_cast<std::size_t>(x.n_columns));
  std::iota(order.begin(), order.end(), 0);
  const auto largest = std::max_element(x.n_levels.begin(), x.n_levels.end());
  if (largest != x.n_levels.end()) {
    const int first = x.factor_column[largest - x.n_levels.begin()];
    std::rotate(order.begin(), order.begin() + first,
                order.begin() + first + *largest - 1);
  }
  const Matrix gram = inner_products(x, poll);
  Matrix ordered(gram.rows(), gram.cols());
  for (Eigen::Index j = 0; j < gram.cols(); ++j) {
    for (Eigen::Index i = 0; i < gram.rows(); ++i)
      ordered(i, j) = gram(order[i], order[j]);
  }
  const std::vector<char> found = sweep(ordered, poll);
  std::vector<int> columns;
  for (std::size_t j = 0; j < found.size(); ++j) {
    if (found[j] != 0) columns.push_back(order[j]);
  }
  std::sort(columns.begin(), columns.end());
  return columns;
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_COLUMNS_DETERMINED_COLUMNS_HPP
