// Weighted least squares: sufficient statistics of the gaussian family and the
// place where chains start.
#ifndef PSEUDOSYNTH_LIKELIHOOD_LEAST_SQUARES_HPP
#define PSEUDOSYNTH_LIKELIHOOD_LEAST_SQUARES_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "../cholesky.hpp"
#include "../design/grouped_design.hpp"
#include "../math.hpp"
#include "../records.hpp"
#include "../stop.hpp"

namespace pseudosynth {

/// @brief sum_i alpha_i (y_i - o_i - x_i'b)^2, o the offset, as an exact
/// quadratic around an anchor near its minimum. With d = b - anchor it is
///   residual_squares - 2 d' residual_moment + d' gram d,
/// sums of residuals, so that nothing cancels however large y is.
struct LeastSquares {
  Vector anchor;           ///< ridge fit; need not be the exact minimum
  Matrix gram;             ///< X'AX
  Vector residual_moment;  ///< X'A e at the anchor, near 0
  double residual_squares = 0.0;
  double total_weight = 0.0;  ///< sum_i alpha_i
  double spread = 1.0;        ///< residual standard deviation at the anchor
  Vector standard_error;      ///< spread sqrt of diag((gram + I)^-1)

  /// @param y one value per record, in the order of `records`.
  /// @param centre where columns without information stay; P values.
  LeastSquares(const Records& records, const std::vector<double>& y,
               const Vector& centre)
      : anchor(centre),
        residual_moment(Vector::Zero(centre.size())),
        standard_error(Vector::Ones(centre.size())) {
    const Eigen::Index P = centre.size();
    residuals_at_anchor(records, y);
    // The ridge keeps every column determined; small, so that it is a fit.
    const Matrix information = gram + Matrix::Identity(P, P);
    const Cholesky ridge(information);
    for (int step = 0; step < kSteps && ridge.positive(); ++step) {
      // Repeated ridge steps converge to least squares and refine rounding.
      anchor += ridge.solve(residual_moment);
      residuals_at_anchor(records, y);
    }
    if (total_weight > 0.0) {
      spread = std::sqrt(residual_squares / total_weight);
    }
    if (ridge.positive()) {
      const Matrix inverse = ridge.inverse();
      for (Eigen::Index j = 0; j < P; ++j)
        standard_error[j] = spread * std::sqrt(std::max(inverse(j, j), 0.0));
    }
  }

 private:
  static constexpr int kSteps = 3;

  void residuals_at_anchor(const Records& records,
                           const std::vector<double>& y) {
    const Design& design = records.design;
    const std::size_t rows = static_cast<std::size_t>(design.n_rows());
    std::vector<double> eta(rows), weight(rows, 0.0), moment(rows, 0.0);
    design.linear_predictor(anchor.data(), 1, eta.data());
    residual_squares = total_weight = 0.0;
    for (std::size_t r = 0; r < rows; ++r) {
      for (int i = design.row_start()[r]; i < design.row_start()[r + 1]; ++i) {
        const double a = records.alpha[i];
        if (a == 0.0) continue;
        const double e = y[i] - eta[r];
        weight[r] += a;
        moment[r] += a * e;
        residual_squares += a * e * e;
      }
      total_weight += weight[r];
    }
    if (gram.size() == 0) set_gram(design, weight);
    residual_moment.setZero();
    design.add_gradient(moment.data(), 1, residual_moment.data());
  }

  /// X'WX from the non-zero entries of each row.
  void set_gram(const Design& design, const std::vector<double>& weight) {
    gram.setZero(design.n_columns(), design.n_columns());
    std::vector<int> column;
    std::vector<double> x;
    for (int r = 0; r < design.n_rows(); ++r) {
      const double w = weight[r];
      if (w == 0.0) continue;
      StopScope::poll(design.n_columns());
      design.row_entries(r, column, x);
      for (std::size_t a = 0; a < column.size(); ++a) {
        for (std::size_t c = 0; c < column.size(); ++c)
          gram(column[c], column[a]) += w * x[a] * x[c];
      }
    }
  }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_LEAST_SQUARES_HPP
