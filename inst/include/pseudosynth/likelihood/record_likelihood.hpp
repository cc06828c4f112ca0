// sum_i clip(alpha_i f_i - a_i) and its gradient for any family of one linear
// predictor: by distinct record, or by design row where the family splits so.
#ifndef PSEUDOSYNTH_LIKELIHOOD_RECORD_LIKELIHOOD_HPP
#define PSEUDOSYNTH_LIKELIHOOD_RECORD_LIKELIHOOD_HPP

#include <memory>
#include <utility>

#include "../design/linear_predictor.hpp"
#include "../records.hpp"
#include "../simd.hpp"
#include "cell_density.hpp"
#include "record_cells.hpp"

namespace pseudosynth {

/// @brief O(cells) per evaluation; O(rows) special functions, and O(cells)
/// products where censored, if Density is RowSums. Copies share the compressed
/// records; each has its own work space.
template <class Family, class Density = CellDensity<Family>>
class RecordLikelihood {
 public:
  /// @param records must outlive this object and its copies.
  RecordLikelihood(const Records& records, const Family& family)
      : RecordLikelihood(records, family,
                         std::make_shared<const RecordCells>(records)) {}
  /// @param cells of the records.
  RecordLikelihood(const Records& records, const Family& family,
                   std::shared_ptr<const RecordCells> cells)
      : RecordLikelihood(std::make_shared<const Shared>(std::move(cells)),
                         family, LinearPredictor(records.design)) {}
  RecordLikelihood(const RecordLikelihood& other)
      : RecordLikelihood(other.shared_, other.family_, other.predict_) {}

  /// sum_i g_i; adds the gradient to d_b (P) and d_extra (E).
  double gradient(const double* b, const double* extra, double* d_b,
                  double* d_extra) {
    const RecordCells& cells = *shared_->cells;
    predict_(b, eta_.data());
    const double sum =
        shared_->density.gradient(family_, family_.at(extra), cells,
                                  eta_.data(), work_, d_eta_.data(), d_extra);
    predict_.add_gradient(d_eta_.data(), d_b);
    return cells.constant + sum;
  }

 private:
  struct Shared {
    explicit Shared(std::shared_ptr<const RecordCells> from)
        : cells(std::move(from)), density(*cells) {}
    std::shared_ptr<const RecordCells> cells;
    Density density;
  };

  RecordLikelihood(std::shared_ptr<const Shared> shared, const Family& family,
                   const LinearPredictor& predict)
      : shared_(std::move(shared)),
        family_(family),
        predict_(predict),
        work_(shared_->density, true),
        eta_(shared_->density.n_rows()),
        d_eta_(eta_.size()) {}

  std::shared_ptr<const Shared> shared_;
  Family family_;
  LinearPredictor predict_;
  typename Density::Work work_;
  simd::AlignedBuffer eta_, d_eta_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_RECORD_LIKELIHOOD_HPP
