// sum_i clip(alpha_i f_i - a_i) and its gradient for families that split by
// design row: O(rows) special functions per evaluation, and O(cells) products
// where censored.
#ifndef PSEUDOSYNTH_LIKELIHOOD_ROW_LIKELIHOOD_HPP
#define PSEUDOSYNTH_LIKELIHOOD_ROW_LIKELIHOOD_HPP

#include <memory>
#include <utility>

#include "../records.hpp"
#include "../simd.hpp"
#include "record_cells.hpp"
#include "row_sums.hpp"

namespace pseudosynth {

/// @brief Copies share the sums; each has its own work space.
template <class Family>
class RowLikelihood {
 public:
  /// @param records must outlive this object and its copies.
  RowLikelihood(const Records& records, const Family& family)
      : RowLikelihood(records.design, family,
                      std::make_shared<const Shared>(records)) {}
  RowLikelihood(const RowLikelihood& other)
      : RowLikelihood(*other.design_, other.family_, other.shared_) {}

  /// sum_i g_i; adds the gradient to d_b (P) and d_extra (E).
  double gradient(const double* b, const double* extra, double* d_b,
                  double* d_extra) {
    const RecordCells& cells = shared_->cells;
    const RowSums<Family>& rows = shared_->rows;
    design_->linear_predictor(b, 1, eta_.data());
    const auto at = family_.at(extra);
    const double sum =
        cells.censored ? rows.clipped_gradient(family_, at, cells, eta_.data(),
                                               work_, d_eta_.data(), d_extra)
                       : rows.gradient(family_, at, eta_.data(), work_,
                                       d_eta_.data(), d_extra);
    design_->add_gradient(d_eta_.data(), 1, d_b);
    return cells.constant + sum;
  }

 private:
  struct Shared {
    explicit Shared(const Records& records) : cells(records), rows(cells) {}
    RecordCells cells;
    RowSums<Family> rows;
  };

  RowLikelihood(const Design& design, const Family& family,
                std::shared_ptr<const Shared> shared)
      : design_(&design),
        family_(family),
        shared_(std::move(shared)),
        work_(shared_->rows, true),
        eta_(shared_->rows.n_rows()),
        d_eta_(eta_.size()) {}

  const Design* design_;
  Family family_;
  std::shared_ptr<const Shared> shared_;
  typename RowSums<Family>::Work work_;
  simd::AlignedBuffer eta_, d_eta_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_ROW_LIKELIHOOD_HPP
