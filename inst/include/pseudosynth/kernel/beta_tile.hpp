// Beta densities over a tile of draws: linear in log y and log(1 - y), so that
// only rows need special functions.
#ifndef PSEUDOSYNTH_KERNEL_BETA_TILE_HPP
#define PSEUDOSYNTH_KERNEL_BETA_TILE_HPP

#include <cmath>
#include <vector>

#include "../family/beta.hpp"
#include "tile_parts.hpp"

namespace pseudosynth {
namespace detail {

/// a - 1, b - 1 and base = log Gamma(lambda) - log Gamma(a) - log Gamma(b) =
/// G(a) + G(b) - G(lambda) - log(2 pi)/2 - a log m - b log(1 - m).
template <int W>
PSEUDOSYNTH_INLINE void beta_row_kernel(const double* eta,
                                        const double* precision,
                                        const double* log_precision,
                                        const double* gamma_part, double* a,
                                        double* b, double* base,
                                        double& outside) {
  typedef simd::Real<W> R;
  R bad{};
  const R nil{};
  for (int l = 0; l < kDrawTile; l += W) {
    R x, lambda, log_lambda, g;
    simd::load<W>(eta + l, x);
    simd::load<W>(precision + l, lambda);
    simd::load<W>(log_precision + l, log_lambda);
    simd::load<W>(gamma_part + l, g);
    mark_outside<W>(x, bad);
    R e = x > nil ? -x : x;
    simd::exp_in_place<W>(e);
    const R large = lambda / (1.0 + e), small = large * e;
    simd::log1p_in_place<W>(e);
    const R log_large = -e, log_small = log_large - (x > nil ? x : -x);
    R d_large = large, d_small = small;
    const R log_of_large = log_lambda + log_large;
    const R log_of_small = log_lambda + log_small;
    stirling_in_place<W>(d_large, log_of_large);
    stirling_in_place<W>(d_small, log_of_small);
    const R sum = 0.5 * (log_of_large + log_of_small) - d_large - d_small - g -
                  kHalfLogTwoPi - large * log_large - small * log_small;
    simd::store<W>((x > nil ? large : small) - 1.0, a + l);
    simd::store<W>((x > nil ? small : large) - 1.0, b + l);
    simd::store<W>(sum, base + l);
    bad += sum - sum;
  }
  outside = simd::sum<W>(bad);
}
PSEUDOSYNTH_DISPATCH(beta_row,
                     (const double* eta, const double* precision,
                      const double* log_precision, const double* gamma_part,
                      double* a, double* b, double* base, double& outside),
                     (eta, precision, log_precision, gamma_part, a, b, base,
                      outside))

template <int W>
PSEUDOSYNTH_INLINE void beta_cell_kernel(double log_y, double log_rest,
                                         const double* a, const double* b,
                                         const double* base, double* f) {
  for (int l = 0; l < kDrawTile; l += W) {
    simd::Real<W> u, v, c;
    simd::load<W>(a + l, u);
    simd::load<W>(b + l, v);
    simd::load<W>(base + l, c);
    simd::store<W>(c + u * log_y + v * log_rest, f + l);
  }
}
PSEUDOSYNTH_DISPATCH(beta_cell,
                     (double log_y, double log_rest, const double* a,
                      const double* b, const double* base, double* f),
                     (log_y, log_rest, a, b, base, f))

}  // namespace detail

template <>
class TileDensity<Beta> : public ScalarTile<Beta> {
 public:
  TileDensity(const Beta& family, const Records& records, CellRange cells)
      : ScalarTile(family, records, cells),
        first_cell_(cells.first),
        precision_(kDrawTile),
        log_precision_(kDrawTile),
        gamma_part_(kDrawTile),
        a_(kDrawTile),
        b_(kDrawTile),
        base_(kDrawTile) {
    for (int c = first_cell_; c < cells.last; ++c) {
      log_y_.push_back(std::log(records.cell_response(c)));
      log_rest_.push_back(std::log1p(-records.cell_response(c)));
    }
  }

  void load(const DrawMatrix& draws, int first) {
    ScalarTile::load(draws, first);
    exact_ = true;
    for (std::size_t l = 0; l < at_.size(); ++l) {
      precision_[l] = at_[l].precision;
      log_precision_[l] = at_[l].log_precision;
      gamma_part_[l] = at_[l].gamma_part;
      exact_ = exact_ && at_[l].precision < kLargest;
    }
  }

  void row(const double* eta) {
    ScalarTile::row(eta);
    if (!exact_) return;
    detail::beta_row(eta, precision_.data(), log_precision_.data(),
                     gamma_part_.data(), a_.data(), b_.data(), base_.data(),
                     outside_);
  }

  void log_lik(int cell, double* f) {
    if (!exact_ || outside_ != 0.0) return ScalarTile::log_lik(cell, f);
    const std::size_t at = static_cast<std::size_t>(cell - first_cell_);
    detail::beta_cell(log_y_[at], log_rest_[at], a_.data(), b_.data(),
                      base_.data(), f);
  }

 private:
  // A sharper density cancels in this form.
  static constexpr double kLargest = 500.0;

  int first_cell_;
  std::vector<double> log_y_, log_rest_;  // of each cell
  simd::AlignedBuffer precision_, log_precision_, gamma_part_, a_, b_, base_;
  bool exact_ = false;
  double outside_ = 0.0;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_KERNEL_BETA_TILE_HPP
