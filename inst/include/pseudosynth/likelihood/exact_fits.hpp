// Coefficients that fit a few records exactly: where clipped likelihoods may
// have narrow modes that no smooth path leads to, such as those of clones.
// As the elemental sets of robust regression (Rousseeuw and Leroy 1987).
#ifndef PSEUDOSYNTH_LIKELIHOOD_EXACT_FITS_HPP
#define PSEUDOSYNTH_LIKELIHOOD_EXACT_FITS_HPP

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../count_of.hpp"
#include "../math.hpp"
#include "../records.hpp"
#include "../rng.hpp"

namespace pseudosynth {

class ExactFits {
 public:
  /// @param y one value per record on the scale of eta, in the order of
  ///   `records`.
  /// @param centre where columns that are left out stay; P values.
  ExactFits(const Records& records, const std::vector<double>& y,
            const Vector& centre)
      : centre_(centre) {
    const Design& design = records.design;
    const int P = design.n_columns();
    std::vector<int> column;
    std::vector<double> x;
    rows_.setZero(design.n_rows(), P);
    for (int r = 0; r < design.n_rows(); ++r) {
      design.row_entries(r, column, x);
      for (std::size_t a = 0; a < column.size(); ++a)
        rows_(r, column[a]) += x[a];
    }
    for (int i = 0; i < records.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(i);
      if (!(records.alpha[at] > 0.0)) continue;
      row_.push_back(design.row()[at]);
      y_.push_back(y[at] - design.offset(row_.back()));
    }
  }

  bool empty() const { return row_.empty(); }

  /// The first column and some of the others, through as many records. Of many
  /// columns a few: records that share a value are rarely drawn together.
  Vector draw(Rng& rng) const {
    const int P = count_of(centre_);
    const int size = 1 + rng.integer(P > kManyColumns ? kFewOfMany : P);
    std::vector<int> columns;
    for (int j = 0; j < P; ++j) columns.push_back(j);
    for (int j = 1; j < size; ++j)
      std::swap(columns[j], columns[j + rng.integer(P - j)]);
    Matrix system(size, size);
    Vector gap(size);
    for (int k = 0; k < size; ++k) {
      const std::size_t i =
          static_cast<std::size_t>(rng.integer(count_of(row_)));
      gap[k] = y_[i] - rows_.row(row_[i]).dot(centre_);
      for (int j = 0; j < size; ++j) system(k, j) = rows_(row_[i], columns[j]);
    }
    const Vector step = shortest_step(system, gap);
    Vector b = centre_;
    for (int j = 0; j < size; ++j) b[columns[j]] += step[j];
    return b;
  }

  /// The shortest step that closes the gap, where the records do not determine
  /// one: rows are made orthogonal, those that depend on others left out.
  static Vector shortest_step(Matrix rows, Vector gap) {
    const Eigen::Index n = rows.rows();
    Vector step = Vector::Zero(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      const double length = rows.row(k).norm();
      // Twice, so that rounding leaves them orthogonal
      for (int pass = 0; pass < 2; ++pass) {
        for (Eigen::Index i = 0; i < k; ++i) {
          const double along = rows.row(k).dot(rows.row(i));
          rows.row(k) -= along * rows.row(i);
          gap[k] -= along * gap[i];
        }
      }
      const double rest = rows.row(k).norm();
      if (!(rest > 1e-10 * length)) {
        rows.row(k).setZero();
        gap[k] = 0.0;
        continue;
      }
      rows.row(k) /= rest;
      gap[k] /= rest;
      step += gap[k] * rows.row(k).transpose();
    }
    return step;
  }

 private:
  static constexpr int kManyColumns = 12, kFewOfMany = 4;

  Vector centre_;
  Matrix rows_;
  std::vector<int> row_;
  std::vector<double> y_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_EXACT_FITS_HPP
