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
#include "cell_density.hpp"
#include "record_cells.hpp"
#include "row_sums.hpp"

namespace pseudosynth {

/// @brief Copies share the compressed records; each has its own work space.
template <class Family>
class ValueLikelihood {
 public:
  /// @param records must outlive this object and its copies.
  ValueLikelihood(const Records& records, const Family& family)
      : ValueLikelihood(records, family,
                        std::make_shared<const RecordCells>(records)) {}
  /// @param cells of the records.
  ValueLikelihood(const Records& records, const Family& family,
                  std::shared_ptr<const RecordCells> cells)
      : ValueLikelihood(std::make_shared<const Shared>(std::move(cells)),
                        family, LinearPredictor(records.design)) {}
  ValueLikelihood(const ValueLikelihood& other)
      : ValueLikelihood(other.shared_, other.family_, other.predict_) {}

  double operator()(const double* b, const double* extra) {
    predict_(b, eta_.data());
    return evaluate(extra);
  }

  /// A line of coefficients, b + t step, on which on_line() then evaluates
  /// without forming linear predictors anew.
  void set_line(const double* b, const double* step) {
    predict_(b, line_.data());
    predict_.times(step, slope_.data());
  }
  double on_line(double t, const double* extra) {
    const std::size_t n = static_cast<std::size_t>(shared_->cells->n_rows);
    for (std::size_t r = 0; r < n; ++r) eta_[r] = line_[r] + t * slope_[r];
    return evaluate(extra);
  }

 private:
  double evaluate(const double* extra) {
    const RecordCells& cells = *shared_->cells;
    return cells.constant + shared_->density.value(family_, family_.at(extra),
                                                   cells, eta_.data(), work_);
  }

  using Density = std::conditional_t<kHasRowForm<Family>, RowSums<Family>,
                                     CellDensity<Family>>;
  struct Shared {
    explicit Shared(std::shared_ptr<const RecordCells> from)
        : cells(std::move(from)), density(*cells) {}
    std::shared_ptr<const RecordCells> cells;
    Density density;
  };

  ValueLikelihood(std::shared_ptr<const Shared> shared, const Family& family,
                  const LinearPredictor& predict)
      : shared_(std::move(shared)),
        family_(family),
        predict_(predict),
        eta_(shared_->density.n_rows()),
        line_(eta_.size()),
        slope_(eta_.size()),
        work_(shared_->density, false) {}

  std::shared_ptr<const Shared> shared_;
  Family family_;
  LinearPredictor predict_;
  simd::AlignedBuffer eta_, line_, slope_;
  typename Density::Work work_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_VALUE_LIKELIHOOD_HPP
