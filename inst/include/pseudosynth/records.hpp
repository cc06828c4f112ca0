// The confidential records as the samplers and kernels see them: sorted by
// design row and response, with their privacy weights and the censoring rule.
//
// Records that share design row and response form a cell: f depends on the cell
// alone, so that counts and heaped incomes are evaluated once.
#ifndef PSEUDOSYNTH_RECORDS_HPP
#define PSEUDOSYNTH_RECORDS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "count_of.hpp"
#include "design/design.hpp"

namespace pseudosynth {

/// g_i = clip(alpha_i f_i - a_i, lower, upper); inactive: g_i = alpha_i f_i.
struct Censor {
  bool active = false;
  double lower = -kInfinity;
  double upper = kInfinity;
  std::vector<double> centre;  // a_i, in the order of the records
};

/// Cells first .. last - 1.
struct CellRange {
  int first, last;
};

namespace detail {

/// @brief The records of one design row by response, weight and centre; ties
/// keep the order of the file. What is compared lies side by side.
class RowSort {
 public:
  struct Key {
    double y, alpha, centre;
    int record;
  };

  /// @param records in the order of the file.
  void gather(const int* records, std::size_t n, View<double> y,
              View<double> alpha, const Censor& censor) {
    keys_.clear();
    order_.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = static_cast<std::size_t>(records[k]);
      keys_.push_back(
          {y[i], alpha[i], censor.active ? censor.centre[i] : 0.0, records[k]});
    }
    sort();
    for (std::size_t k = 0; k < n; ++k) order_[k] = keys_[k].record;
  }
  const Key& operator[](std::size_t k) const { return keys_[k]; }
  std::vector<int>::const_iterator order() const { return order_.begin(); }

 private:
  static bool before(const Key& a, const Key& b) {
    if (a.y != b.y) return a.y < b.y;
    if (a.alpha != b.alpha) return a.alpha < b.alpha;
    if (a.centre != b.centre) return a.centre < b.centre;
    return a.record < b.record;
  }

  void sort() {
    if (keys_.size() < 64 || !count_values())
      std::sort(keys_.begin(), keys_.end(), before);
  }

  /// Whole responses of a small range are counted; false for others.
  bool count_values() {
    double least = kInfinity, most = -kInfinity;
    for (const Key& key : keys_) {
      if (std::trunc(key.y) != key.y) return false;
      least = std::min(least, key.y);
      most = std::max(most, key.y);
    }
    if (!(most - least < static_cast<double>(keys_.size()))) return false;
    const std::size_t values = static_cast<std::size_t>(most - least) + 1;
    place_.assign(values + 1, 0);
    const auto value = [&](const Key& key) {
      return static_cast<std::size_t>(key.y - least);
    };
    for (const Key& key : keys_) ++place_[value(key) + 1];
    std::partial_sum(place_.begin(), place_.end(), place_.begin());
    counted_.resize(keys_.size());
    for (const Key& key : keys_) counted_[place_[value(key)]++] = key;
    keys_.swap(counted_);
    // Where a value ends, the next begins; records of one are in the order of
    // the file, which weights may change
    std::size_t first = 0;
    for (std::size_t v = 0; v < values; ++v) {
      const auto from = keys_.begin() + static_cast<std::ptrdiff_t>(first);
      const auto to = keys_.begin() + static_cast<std::ptrdiff_t>(place_[v]);
      if (!std::is_sorted(from, to, before)) std::sort(from, to, before);
      first = place_[v];
    }
    return true;
  }

  std::vector<Key> keys_, counted_;
  std::vector<std::size_t> place_;
  std::vector<int> order_;
};

}  // namespace detail

struct Records {
  Design design;
  std::vector<double> y;        // modelled response, in row order and sorted
                                // within a row, then by weight and centre
  std::vector<double> alpha;    // exponents: privacy weights, times survey
                                // weights if there are any; in row order
  Censor censor;                // centre in row order
  std::vector<int> cell_start;  // first record of each cell, n_cells + 1
  std::vector<int> row_cell;    // first cell of each design row, n_rows + 1

  Records() = default;

  /// y, alpha and censor.centre come in the order of the file.
  Records(const Predictors& predictors, const std::vector<double>& response,
          const std::vector<double>& weights, Censor rule = Censor())
      : Records(predictors, View<double>(response), View<double>(weights),
                std::move(rule)) {}
  Records(const Predictors& predictors, View<double> response,
          View<double> weights, Censor rule = Censor())
      : design(predictors), censor(std::move(rule)) {
    const std::size_t N = static_cast<std::size_t>(design.n_records());
    if (response.size != N || weights.size != N ||
        (censor.active && censor.centre.size() != N))
      throw std::invalid_argument(
          "response, weights and design differ in length");
    for (double a : weights) {
      if (!(a >= 0.0 && a < kInfinity))
        throw std::invalid_argument("exponents must be finite, at least 0");
    }
    for (double value : response) {
      if (std::isnan(value))
        throw std::invalid_argument("the response has no value somewhere");
    }
    y.resize(N);
    alpha.resize(N);
    std::vector<double> centre(censor.active ? N : 0);
    RowSort sort;
    for (int r = 0; r < design.n_rows(); ++r) {
      const std::size_t first = static_cast<std::size_t>(design.row_start()[r]);
      const std::size_t last = static_cast<std::size_t>(
          design.row_start()[static_cast<std::size_t>(r) + 1]);
      sort.gather(design.order().data() + first, last - first, response,
                  weights, censor);
      design.reorder_row(r, sort.order());
      for (std::size_t k = 0; k < last - first; ++k) {
        y[first + k] = sort[k].y;
        alpha[first + k] = sort[k].alpha;
        if (censor.active) centre[first + k] = sort[k].centre;
      }
    }
    censor.centre = std::move(centre);
    find_cells();
  }

  /// First record of cell c; of cell n_cells(): one past the last record.
  int cell_begin(int c) const { return cell_start[c]; }
  int row_of_cell(int c) const { return design.row()[cell_begin(c)]; }
  CellRange all_cells() const { return CellRange{0, n_cells()}; }

  /// The response that the records of a cell share.
  double cell_response(int cell) const { return y[cell_begin(cell)]; }
  int n_cells() const { return count_of(cell_start) - 1; }

  int size() const { return design.n_records(); }

  /// The contribution of the i-th record (row order) with log-likelihood f. A
  /// weight of 0 contributes exactly 0, whatever f is. Where f has no value the
  /// contribution is the lower end: no record may take a draw out of play.
  double contribution(int i, double f) const {
    const double a = alpha[i];
    double g = a == 0.0 ? 0.0 : a * f;
    if (censor.active) {
      g -= censor.centre[i];
      g = g >= censor.lower ? g : censor.lower;
      g = g > censor.upper ? censor.upper : g;
    }
    return g;
  }

 private:
  using RowSort = detail::RowSort;

  void find_cells() {
    const auto starts = [&](std::size_t i) { return y[i] != y[i - 1]; };
    std::size_t n = static_cast<std::size_t>(design.n_rows());
    for (std::size_t i = 1; i < y.size(); ++i) n += starts(i) ? 1 : 0;
    // Rows may start where the response stays what it is
    cell_start.reserve(n + 1);
    row_cell.reserve(static_cast<std::size_t>(design.n_rows()) + 1);
    for (int r = 0; r < design.n_rows(); ++r) {
      row_cell.push_back(count_of(cell_start));
      const int first = design.row_start()[r];
      const int last = design.row_start()[static_cast<std::size_t>(r) + 1];
      for (int i = first; i < last; ++i) {
        if (i == first || starts(static_cast<std::size_t>(i)))
          cell_start.push_back(i);
      }
    }
    row_cell.push_back(count_of(cell_start));
    cell_start.push_back(size());
  }
};

}  // namespace pseudosynth

#endif
