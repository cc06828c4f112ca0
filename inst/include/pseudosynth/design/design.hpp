// Design matrices of categorical and numeric predictors behind one interface.
//
// A categorical predictor is kept as a code per record and its dummy columns
// are gathered, never multiplied: a record touches one coefficient per factor
// instead of one per level. Records that share all predictors share a design
// row ("pattern"), so linear predictors and gradients are formed once per
// pattern. On Consumer Expenditure data 6,208 records have about 2,600.
#ifndef PSEUDOSYNTH_DESIGN_DESIGN_HPP
#define PSEUDOSYNTH_DESIGN_DESIGN_HPP

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "../count_of.hpp"
#include "../math.hpp"
#include "predictors.hpp"

namespace pseudosynth {

class Design {
 public:
  Design() = default;

  /// @throw std::invalid_argument if a code or a column is out of range.
  explicit Design(const Predictors& from)
      : n_records_(from.n_records),
        n_columns_(from.n_columns),
        n_factors_(count_of(from.n_levels)),
        numeric_column_(from.numeric_column),
        intercept_(from.intercept) {
    from.check();
    order_factors(from);
    sort_into_rows(from);
  }

  int n_records() const { return n_records_; }
  int n_rows() const { return n_rows_; }
  int n_columns() const { return n_columns_; }
  int n_factors() const { return n_factors_; }
  int n_numeric() const { return count_of(numeric_column_); }
  // Factors are numbered in sorting order, not in that of the formula.
  int n_levels(int f) const { return n_levels_[f]; }
  int factor_column(int f) const { return factor_column_[f]; }
  bool has_intercept() const { return intercept_; }

  /// Original index of the i-th record in row order.
  const std::vector<int>& order() const { return order_; }
  /// Design row of the i-th record in row order (non-decreasing).
  const std::vector<int>& row() const { return row_; }
  /// First record of each row, n_rows + 1 entries.
  const std::vector<int>& row_start() const { return row_start_; }

  /// Puts the records of row r in another order: original indices.
  template <class Iterator>
  void reorder_row(int r, Iterator order) {
    const int first = row_start_[r];
    const int last = row_start_[static_cast<std::size_t>(r) + 1];
    std::copy_n(order, last - first, order_.begin() + first);
  }

  /// First factor in which row r differs from row r - 1; 0 for the first row.
  /// Rows are sorted, so what neighbours share they share from the left: sums
  /// over factors can go on from here.
  int first_change(int r) const { return first_change_[r]; }

  /// The column that factor f switches on in row r; n_columns() if none.
  int active_column(int r, int f) const {
    return active_[static_cast<std::size_t>(r) * n_factors_ + f];
  }
  const int* active_columns(int r) const {
    return active_.data() + static_cast<std::size_t>(r) * n_factors_;
  }
  const double* numeric_values(int r) const {
    return numeric_.data() + static_cast<std::size_t>(r) * n_numeric();
  }
  int numeric_column(int q) const { return numeric_column_[q]; }
  const std::vector<int>& numeric_columns() const { return numeric_column_; }

  /// What the linear predictor of a row has beside X b.
  double offset(int r) const { return offset_.empty() ? 0.0 : offset_[r]; }
  bool has_offset() const { return !offset_.empty(); }

  /// K coefficient vectors with layout b[j * K + k], and a zero column for
  /// factors at their reference level.
  std::vector<double> padded(const double* b, int K) const {
    std::vector<double> out(b, b + static_cast<std::size_t>(n_columns_) * K);
    out.resize(out.size() + static_cast<std::size_t>(K), 0.0);
    return out;
  }

  /// out (K) = offset + x' b of row r, b as padded() gives it.
  void row_predictor(int r, const double* b, int K, double* out) const {
    const double start = offset(r);
    for (int k = 0; k < K; ++k) out[k] = start + (intercept_ ? b[k] : 0.0);
    const int* active = active_columns(r);
    for (int f = 0; f < n_factors_; ++f) {
      const double* column = b + static_cast<std::size_t>(active[f]) * K;
      for (int k = 0; k < K; ++k) out[k] += column[k];
    }
    const double* x = numeric_values(r);
    for (int q = 0; q < n_numeric(); ++q) {
      const double* column =
          b + static_cast<std::size_t>(numeric_column_[q]) * K;
      for (int k = 0; k < K; ++k) out[k] += x[q] * column[k];
    }
  }

  /// eta (n_rows x K, k fastest): row_predictor() of all rows.
  void linear_predictor(const double* b, int K, double* eta) const {
    const std::vector<double> with_zero = padded(b, K);
    for (int r = 0; r < n_rows_; ++r)
      row_predictor(r, with_zero.data(), K,
                    eta + static_cast<std::size_t>(r) * K);
  }

  /// d_b += X' d_eta, layouts as in linear_predictor().
  void add_gradient(const double* d_eta, int K, double* d_b) const {
    std::vector<double> unused(K, 0.0);
    for (int r = 0; r < n_rows_; ++r) {
      const double* in = d_eta + static_cast<std::size_t>(r) * K;
      if (intercept_) {
        for (int k = 0; k < K; ++k) d_b[k] += in[k];
      }
      const int* active = active_columns(r);
      for (int f = 0; f < n_factors_; ++f) {
        double* out = active[f] < n_columns_
                          ? d_b + static_cast<std::size_t>(active[f]) * K
                          : unused.data();
        for (int k = 0; k < K; ++k) out[k] += in[k];
      }
      const double* x = numeric_values(r);
      for (int q = 0; q < n_numeric(); ++q) {
        double* out = d_b + static_cast<std::size_t>(numeric_column_[q]) * K;
        for (int k = 0; k < K; ++k) out[k] += x[q] * in[k];
      }
    }
  }

  /// Non-zero entries of row r: columns and values.
  void row_entries(int r, std::vector<int>& column,
                   std::vector<double>& x) const {
    column.clear();
    x.clear();
    if (intercept_) {
      column.push_back(0);
      x.push_back(1.0);
    }
    const int* active = active_columns(r);
    for (int f = 0; f < n_factors_; ++f) {
      if (active[f] < n_columns_) {
        column.push_back(active[f]);
        x.push_back(1.0);
      }
    }
    const double* values = numeric_values(r);
    for (int q = 0; q < n_numeric(); ++q) {
      if (values[q] != 0.0) {
        column.push_back(numeric_column_[q]);
        x.push_back(values[q]);
      }
    }
  }

 private:
  /// Factors with few levels first: neighbouring rows then share the most.
  void order_factors(const Predictors& from) {
    factor_.resize(static_cast<std::size_t>(n_factors_));
    std::iota(factor_.begin(), factor_.end(), 0);
    std::stable_sort(factor_.begin(), factor_.end(), [&](int a, int b) {
      return from.n_levels[a] < from.n_levels[b];
    });
    for (int f : factor_) {
      n_levels_.push_back(from.n_levels[f]);
      factor_column_.push_back(from.factor_column[f]);
    }
  }

  /// The first number that no record's codes are packed into; 0 where 64 bits
  /// do not hold them.
  std::uint64_t packed_size() const {
    std::uint64_t size = 1;
    for (int levels : n_levels_) {
      if (size > (std::uint64_t{1} << 62) / static_cast<std::uint64_t>(levels))
        return 0;
      size *= static_cast<std::uint64_t>(levels);
    }
    return size;
  }

  /// All codes of a record in one number, in sorting order.
  template <class Number>
  std::vector<Number> pack_codes(const Predictors& from) const {
    const std::size_t N = static_cast<std::size_t>(n_records_);
    std::vector<Number> packed(N, 0);
    for (int f = 0; f < n_factors_; ++f) {
      const Number levels = static_cast<Number>(n_levels_[f]);
      from.codes.from(factor_[f] * N, [&](const auto* codes) {
        for (std::size_t i = 0; i < N; ++i)
          packed[i] = packed[i] * levels + static_cast<Number>(codes[i]);
      });
    }
    return packed;
  }

  /// Rows by counting the numbers that codes are packed into, all below `size`:
  /// ties keep the order of the file.
  void count_into_rows(const Predictors& from, std::size_t size) {
    const std::vector<std::uint32_t> packed = pack_codes<std::uint32_t>(from);
    std::vector<int> place(size + 1, 0);
    for (const std::uint32_t number : packed) ++place[number + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    std::vector<int> next(place.begin(), place.end() - 1);
    for (std::size_t i = 0; i < packed.size(); ++i)
      order_[next[packed[i]]++] = static_cast<int>(i);
    for (std::size_t number = 0; number < size; ++number)
      if (place[number + 1] > place[number])
        add_row(from, place[number], place[number + 1]);
  }

  /// The row of the records at first .. last - 1 of the order.
  void add_row(const Predictors& from, int first, int last) {
    const std::size_t N = static_cast<std::size_t>(n_records_);
    const std::size_t own = static_cast<std::size_t>(order_[first]);
    const auto code = [&](int f, std::size_t i) {
      return from.codes[factor_[f] * N + i];
    };
    int change = 0;
    if (first > 0) {
      const std::size_t before =
          static_cast<std::size_t>(order_[static_cast<std::size_t>(first) - 1]);
      while (change < n_factors_ && code(change, before) == code(change, own))
        ++change;
    }
    first_change_.push_back(change);
    for (int f = 0; f < n_factors_; ++f) {
      const int level = code(f, own);
      active_.push_back(level == 0 ? n_columns_
                                   : factor_column_[f] + level - 1);
    }
    for (int q = 0; q < n_numeric(); ++q)
      numeric_.push_back(from.numeric[q * N + own]);
    if (!from.offset.empty()) offset_.push_back(from.offset[own]);
    std::fill(row_.begin() + first, row_.begin() + last, count_of(row_start_));
    row_start_.push_back(first);
  }

  void sort_into_rows(const Predictors& from) {
    const std::size_t N = static_cast<std::size_t>(n_records_);
    const int F = n_factors_;
    const int Q = n_numeric();
    const std::uint64_t size = packed_size();
    order_.resize(N);
    row_.resize(N);
    if (Q == 0 && from.offset.empty() && size > 0 && size <= 4 * (N + 256)) {
      count_into_rows(from, static_cast<std::size_t>(size));
      n_rows_ = count_of(row_start_);
      row_start_.push_back(n_records_);
      return;
    }
    std::vector<std::uint64_t> packed;
    if (size > 0) packed = pack_codes<std::uint64_t>(from);
    auto code = [&](int f, int i) { return from.codes[factor_[f] * N + i]; };
    // Ties keep the order of the file, so that sorting is reproducible.
    auto compare = [&](int a, int b) {
      if (size > 0) {
        const std::uint64_t x = packed[a], y = packed[b];
        if (x != y) return x < y ? -1 : 1;
      }
      for (int f = 0; size == 0 && f < F; ++f) {
        const int difference = code(f, a) - code(f, b);
        if (difference != 0) return difference;
      }
      for (int q = 0; q < Q; ++q) {
        const double x = from.numeric[q * N + a], y = from.numeric[q * N + b];
        if (x != y) return x < y ? -1 : 1;
      }
      if (!from.offset.empty()) {
        const double x = from.offset[a], y = from.offset[b];
        if (x != y) return x < y ? -1 : 1;
      }
      return 0;
    };
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](int a, int b) { return compare(a, b) < 0; });
    std::size_t first = 0;
    for (std::size_t i = 1; i <= N; ++i) {
      if (i < N && compare(order_[i - 1], order_[i]) == 0) continue;
      add_row(from, static_cast<int>(first), static_cast<int>(i));
      first = i;
    }
    n_rows_ = count_of(row_start_);
    row_start_.push_back(n_records_);
  }

  int n_records_ = 0;
  int n_rows_ = 0;
  int n_columns_ = 0;
  int n_factors_ = 0;
  std::vector<int> factor_;  // sorted position -> factor of the formula
  std::vector<int> n_levels_, factor_column_, first_change_;
  std::vector<int> order_, row_, row_start_;
  std::vector<int> active_;      // n_rows x F
  std::vector<double> numeric_;  // n_rows x Q
  std::vector<int> numeric_column_;
  std::vector<double> offset_;  // n_rows, or empty
  bool intercept_ = true;
};

}  // namespace pseudosynth

#endif
