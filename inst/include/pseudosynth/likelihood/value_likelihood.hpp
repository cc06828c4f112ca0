// sum_i clip(alpha_i f_i - a_i) without its gradient, for samplers that only
// accept or reject: by design row where the family splits so, else one
// evaluation per distinct record.
#ifndef PSEUDOSYNTH_LIKELIHOOD_VALUE_LIKELIHOOD_HPP
#define PSEUDOSYNTH_LIKELIHOOD_VALUE_LIKELIHOOD_HPP

#include <memory>
#include <type_traits>
#include <utility>

#include "../design/linear_predictor.hpp"
#include "../math.hpp"
#include "../records.hpp"
#include "../simd.hpp"
#include "cell_log_lik.hpp"
#include "record_cells.hpp"
#include "row_form.hpp"
#include "row_sums.hpp"

namespace pseudosynth {

/// @brief Copies share the compressed records; each has its own work space.
template <class Family>
class ValueLikelihood {
 public:
  /// @param records must outlive this object and its copies.
  ValueLikelihood(const Records& records, const Family& family)
      : ValueLikelihood(std::make_shared<const Shared>(records), family,
                        LinearPredictor(records.design)) {}
  ValueLikelihood(const ValueLikelihood& other)
      : ValueLikelihood(other.shared_, other.family_, other.predict_) {}

  double operator()(const double* b, const double* extra) {
    predict_(b, eta_.data());
    return evaluate(
        extra, std::integral_constant<bool, RowForm<Family>::kAvailable>());
  }

 private:
  using Rows = RowSums<Family>;
  struct Shared {
    explicit Shared(const Records& records)
        : cells(records), rows(records, cells) {}
    RecordCells cells;
    Rows rows;
  };

  ValueLikelihood(std::shared_ptr<const Shared> shared, const Family& family,
                  const LinearPredictor& predict)
      : shared_(std::move(shared)),
        family_(family),
        predict_(predict),
        eta_(padded(static_cast<std::size_t>(shared_->cells.n_rows))),
        work_(shared_->rows),
        f_(padded(shared_->cells.y.size())) {}

  static std::size_t padded(std::size_t n) { return (n + 7) / 8 * 8; }

  double evaluate(const double* extra, std::true_type) {
    const RecordCells& cells = shared_->cells;
    shared_->rows.evaluate(eta_.data(), extra, work_);
    if (!cells.censored) return cells.constant + shared_->rows.sum(work_);
    shared_->rows.fill(cells, work_, f_.data());
    return cells.constant + cells.clipped_sum(f_.data());
  }

  double evaluate(const double* extra, std::false_type) {
    const RecordCells& cells = shared_->cells;
    cell_log_lik(family_, cells, eta_.data(), extra, f_.data());
    return cells.constant + (cells.censored ? cells.clipped_sum(f_.data())
                                            : cells.weighted_sum(f_.data()));
  }

  std::shared_ptr<const Shared> shared_;
  Family family_;
  LinearPredictor predict_;
  simd::AlignedBuffer eta_;
  typename Rows::Work work_;
  simd::AlignedBuffer f_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_VALUE_LIKELIHOOD_HPP
