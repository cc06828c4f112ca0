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
      : ValueLikelihood(std::make_shared<const Shared>(records), family,
                        LinearPredictor(records.design)) {}
  ValueLikelihood(const ValueLikelihood& other)
      : ValueLikelihood(other.shared_, other.family_, other.predict_) {}

  double operator()(const double* b, const double* extra) {
    predict_(b, eta_.data());
    return evaluate(extra);
  }

 private:
  double evaluate(const double* extra) {
    const RecordCells& cells = shared_->cells;
    return cells.constant + shared_->density.value(family_, family_.at(extra),
                                                   cells, eta_.data(), work_);
  }

  using Density = std::conditional_t<kHasRowForm<Family>, RowSums<Family>,
                                     CellDensity<Family>>;
  struct Shared {
    explicit Shared(const Records& records) : cells(records), density(cells) {}
    RecordCells cells;
    Density density;
  };

  ValueLikelihood(std::shared_ptr<const Shared> shared, const Family& family,
                  const LinearPredictor& predict)
      : shared_(std::move(shared)),
        family_(family),
        predict_(predict),
        eta_(shared_->density.n_rows()),
        work_(shared_->density, false) {}

  std::shared_ptr<const Shared> shared_;
  Family family_;
  LinearPredictor predict_;
  simd::AlignedBuffer eta_;
  typename Density::Work work_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_VALUE_LIKELIHOOD_HPP
