// Predictors as they come from outside, checked.
#ifndef PSEUDOSYNTH_DESIGN_PREDICTORS_HPP
#define PSEUDOSYNTH_DESIGN_PREDICTORS_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "../count_of.hpp"
#include "values.hpp"

namespace pseudosynth {

/// @brief Codes of levels from 0 on: whole numbers, or a byte each where
/// another holds them so.
class Codes : private Values<int> {
 public:
  using Values<int>::Values;
  using Values<int>::look_at;
  using Values<int>::push_back;

  void look_at(const std::uint8_t* data, std::size_t n) {
    bytes_ = data;
    n_bytes_ = n;
  }

  std::size_t size() const {
    return bytes_ != nullptr ? n_bytes_ : Values<int>::size();
  }
  int operator[](std::size_t i) const {
    return bytes_ != nullptr ? bytes_[i] : Values<int>::operator[](i);
  }
  /// use(codes from `first` on), of whichever type they have.
  template <class Use>
  void from(std::size_t first, Use use) const {
    if (bytes_ != nullptr)
      use(bytes_ + first);
    else
      use(data() + first);
  }

 private:
  const std::uint8_t* bytes_ = nullptr;
  std::size_t n_bytes_ = 0;
};

/// Predictors as they come from outside, one entry per record; matrices are
/// column-major (records x predictors).
struct Predictors {
  int n_records = 0;
  int n_columns = 0;  // P, columns of the design matrix
  bool intercept = true;
  Codes codes;                // n_records x F, 0-based
  std::vector<int> n_levels;  // F, codes of each factor
  std::vector<int>
      factor_column;       // F: code c > 0 sits in factor_column + c - 1
  Values<double> numeric;  // n_records x Q
  std::vector<int> numeric_column;  // Q
  Values<double> offset;  // n_records, what eta starts from; or empty: 0

  /// @throw std::invalid_argument if a code or a column is out of range.
  void check() const {
    const std::size_t N = static_cast<std::size_t>(n_records);
    const std::size_t Q = numeric_column.size();
    const int F = count_of(n_levels);
    if (n_records < 1 || n_columns < 1)
      throw std::invalid_argument("a design needs records and columns");
    if (codes.size() != N * F || numeric.size() != N * Q ||
        factor_column.size() != n_levels.size())
      throw std::invalid_argument("design parts differ in length");
    for (int f = 0; f < F; ++f) {
      const std::int64_t first = factor_column[f];
      if (first < 0 || first + n_levels[f] - 2 >= n_columns)
        throw std::invalid_argument("factor columns out of range");
      codes.from(static_cast<std::size_t>(f) * N, [&](const auto* own) {
        const int levels = n_levels[f];
        bool outside = false;
        for (std::size_t i = 0; i < N; ++i) {
          const int code = own[i];
          outside |= code < 0 || code >= levels;
        }
        if (outside) throw std::invalid_argument("factor code out of range");
      });
    }
    for (int column : numeric_column) {
      if (column < 0 || column >= n_columns)
        throw std::invalid_argument("numeric column out of range");
    }
    if (!offset.empty() && offset.size() != N)
      throw std::invalid_argument("design parts differ in length");
    // Records could not be sorted by what is no number
    for (const auto* values : {&numeric, &offset}) {
      for (double x : *values) {
        if (!std::isfinite(x))
          throw std::invalid_argument("numeric predictors must be finite");
      }
    }
  }
};

}  // namespace pseudosynth

#endif
