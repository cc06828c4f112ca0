// X b for one coefficient vector: factors merged into a few groups whose cells
// hold the sum of their coefficients, one look-up per row and group.
#ifndef PSEUDOSYNTH_DESIGN_LINEAR_PREDICTOR_HPP
#define PSEUDOSYNTH_DESIGN_LINEAR_PREDICTOR_HPP

#include <algorithm>
#include <memory>
#include <vector>

#include "design.hpp"
#include "factor_group.hpp"

namespace pseudosynth {

/// @brief Copies share the index and have their own work space.
class LinearPredictor {
 public:
  /// @param design must outlive this object and its copies.
  explicit LinearPredictor(const Design& design)
      : LinearPredictor(design,
                        std::max(16, std::min(512, design.n_rows() / 4))) {}

  /// @param max_cells of a group.
  LinearPredictor(const Design& design, int max_cells)
      : design_(&design),
        groups_(std::make_shared<const std::vector<FactorGroup>>(
            group_factors(design, max_cells))),
        cells_(groups_->size()) {}

  const std::vector<FactorGroup>& groups() const { return *groups_; }

  /// eta (n_rows) = X b.
  void operator()(const double* b, double* eta) {
    const Design& design = *design_;
    const int rows = design.n_rows();
    const double intercept = design.has_intercept() ? b[0] : 0.0;
    for (std::size_t g = 0; g < groups_->size(); ++g)
      fill_cells((*groups_)[g], b, g == 0 ? intercept : 0.0, cells_[g]);
    std::size_t g = 0;
    // Three look-ups at a time: fewer passes over eta.
    if (groups_->size() >= 3) {
      const double *c0 = cells_[0].data(), *c1 = cells_[1].data(),
                   *c2 = cells_[2].data();
      const int *i0 = (*groups_)[0].cell.data(),
                *i1 = (*groups_)[1].cell.data(),
                *i2 = (*groups_)[2].cell.data();
      for (int r = 0; r < rows; ++r) eta[r] = c0[i0[r]] + c1[i1[r]] + c2[i2[r]];
      g = 3;
    } else {
      std::fill(eta, eta + rows, groups_->empty() ? intercept : 0.0);
    }
    for (; g < groups_->size(); ++g) {
      const double* c = cells_[g].data();
      const int* index = (*groups_)[g].cell.data();
      for (int r = 0; r < rows; ++r) eta[r] += c[index[r]];
    }
    for (int q = 0; q < design.n_numeric(); ++q) {
      const double slope = b[design.numeric_column(q)];
      for (int r = 0; r < rows; ++r)
        eta[r] += design.numeric_values(r)[q] * slope;
    }
  }

 private:
  /// Cell values, `base` plus the coefficients that the cell switches on.
  void fill_cells(const FactorGroup& group, const double* b, double base,
                  std::vector<double>& cells) {
    cells.assign(1, base);
    for (std::size_t f = 0; f < group.factors.size(); ++f) {
      wider_.clear();
      for (double sum : cells) {
        wider_.push_back(sum);
        for (int code = 1; code < group.levels[f]; ++code)
          wider_.push_back(sum + b[group.first[f] + code - 1]);
      }
      cells.swap(wider_);
    }
  }

  const Design* design_;
  std::shared_ptr<const std::vector<FactorGroup>> groups_;
  std::vector<std::vector<double>> cells_;
  std::vector<double> wider_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_DESIGN_LINEAR_PREDICTOR_HPP
