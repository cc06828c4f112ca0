// The confidential records as the samplers and kernels see them: sorted by
// design row and response, with their privacy weights and the censoring rule.
//
// Records that share design row and response form a cell: f depends on the cell
// alone, so that counts and heaped incomes are evaluated once.
#ifndef PSEUDOSYNTH_RECORDS_HPP
#define PSEUDOSYNTH_RECORDS_HPP

#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

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
      : design(predictors), censor(std::move(rule)) {
    const std::size_t N = static_cast<std::size_t>(design.n_records());
    if (response.size() != N || weights.size() != N ||
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
    design.sort_within_rows([&](int a, int b) {
      const std::size_t i = static_cast<std::size_t>(a);
      const std::size_t j = static_cast<std::size_t>(b);
      if (response[i] != response[j]) return response[i] < response[j];
      if (weights[i] != weights[j]) return weights[i] < weights[j];
      return censor.active && censor.centre[i] < censor.centre[j];
    });
    y = sorted(response);
    alpha = sorted(weights);
    if (censor.active) censor.centre = sorted(censor.centre);
    find_cells();
  }

  /// First record of cell c; of cell n_cells(): one past the last record.
  int cell_begin(int c) const {
    return cell_start[static_cast<std::size_t>(c)];
  }
  int row_of_cell(int c) const {
    return design.row()[static_cast<std::size_t>(cell_begin(c))];
  }
  CellRange all_cells() const { return CellRange{0, n_cells()}; }

  /// The response that the records of a cell share.
  double cell_response(int cell) const {
    return y[static_cast<std::size_t>(cell_begin(cell))];
  }
  int n_cells() const { return static_cast<int>(cell_start.size()) - 1; }

  int size() const { return design.n_records(); }

  /// The contribution of the i-th record (row order) with log-likelihood f. A
  /// weight of 0 contributes exactly 0, whatever f is. Where f has no value the
  /// contribution is the lower end: no record may take a draw out of play.
  double contribution(int i, double f) const {
    const double a = alpha[static_cast<std::size_t>(i)];
    double g = a == 0.0 ? 0.0 : a * f;
    if (censor.active) {
      g -= censor.centre[static_cast<std::size_t>(i)];
      g = g >= censor.lower ? g : censor.lower;
      g = g > censor.upper ? censor.upper : g;
    }
    return g;
  }

 private:
  void find_cells() {
    for (int r = 0; r < design.n_rows(); ++r) {
      row_cell.push_back(static_cast<int>(cell_start.size()));
      const int first = design.row_start()[static_cast<std::size_t>(r)];
      const int last = design.row_start()[static_cast<std::size_t>(r) + 1];
      for (int i = first; i < last; ++i) {
        const std::size_t at = static_cast<std::size_t>(i);
        if (i == first || y[at] != y[at - 1]) cell_start.push_back(i);
      }
    }
    row_cell.push_back(static_cast<int>(cell_start.size()));
    cell_start.push_back(size());
  }

  std::vector<double> sorted(const std::vector<double>& x) const {
    std::vector<double> out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      out[i] = x[static_cast<std::size_t>(design.order()[i])];
    return out;
  }
};

}  // namespace pseudosynth

#endif
