// Negative binomial densities over a tile of draws. With
//   R = log Gamma(y + phi) - log Gamma(phi) - log y!   (count and draw),
//   A = log(mu/(mu + phi)), B = phi log(phi/(mu + phi))  (row and draw),
// f = R + y A + B: a table over the distinct counts of the block, two
// logarithms per row and one multiplication per record.
#ifndef PSEUDOSYNTH_KERNEL_NEG_BINOMIAL_TILE_HPP
#define PSEUDOSYNTH_KERNEL_NEG_BINOMIAL_TILE_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "../family/neg_binomial.hpp"
#include "tile_parts.hpp"

namespace pseudosynth {
namespace detail {

/// R for one count y > 0 with D(y) + log(2 pi y)/2 = -constant; `largest`
/// becomes the largest |R|, NaN if one is not finite.
template <int W>
PSEUDOSYNTH_INLINE void neg_binomial_table_kernel(
    double y, double constant, const double* size, const double* log_size,
    const double* remainder, double* table, double& largest) {
  typedef simd::Real<W> R;
  R high{}, check{};
  for (int l = 0; l < kDrawTile; l += W) {
    R phi, log_phi, d_phi;
    simd::load<W>(size + l, phi);
    simd::load<W>(log_size + l, log_phi);
    simd::load<W>(remainder + l, d_phi);
    R over_phi = y / phi, over_y = phi / y;
    simd::log1p_in_place<W>(over_phi);
    simd::log1p_in_place<W>(over_y);
    R n = phi + y;
    const R log_n = log_phi + over_phi;
    stirling_in_place<W>(n, log_n);
    const R r = y * over_y + (phi - 0.5) * over_phi + n - d_phi + constant;
    check += r - r;
    const R size_of_r = r < R{} ? -r : r;
    high = size_of_r > high ? size_of_r : high;
    simd::store<W>(r, table + l);
  }
  largest = simd::sum<W>(check);
  for (int l = 0; l < W; ++l) largest = high[l] > largest ? high[l] : largest;
}
PSEUDOSYNTH_DISPATCH(neg_binomial_table,
                     (double y, double constant, const double* size,
                      const double* log_size, const double* remainder,
                      double* table, double& largest),
                     (y, constant, size, log_size, remainder, table, largest))

/// A and B of a row.
template <int W>
PSEUDOSYNTH_INLINE void neg_binomial_row_kernel(const double* eta,
                                                const double* size, double* a,
                                                double* b, double& outside) {
  typedef simd::Real<W> R;
  R bad{};
  for (int l = 0; l < kDrawTile; l += W) {
    R mu, phi;
    simd::load<W>(eta + l, mu);
    simd::load<W>(size + l, phi);
    mark_outside<W>(mu, bad);
    simd::exp_in_place<W>(mu);
    R over_mu = phi / mu, over_phi = mu / phi;
    simd::log1p_in_place<W>(over_mu);
    simd::log1p_in_place<W>(over_phi);
    simd::store<W>(-over_mu, a + l);
    simd::store<W>(-phi * over_phi, b + l);
    // A mean that is not a number beside the size.
    bad += over_mu - over_mu;
    bad += over_phi - over_phi;
  }
  outside = simd::sum<W>(bad);
}
PSEUDOSYNTH_DISPATCH(neg_binomial_row,
                     (const double* eta, const double* size, double* a,
                      double* b, double& outside),
                     (eta, size, a, b, outside))

/// f = table + y a + b.
template <int W>
PSEUDOSYNTH_INLINE void neg_binomial_cell_kernel(double y, const double* table,
                                                 const double* a,
                                                 const double* b, double* f) {
  for (int l = 0; l < kDrawTile; l += W) {
    simd::Real<W> r, x, c;
    simd::load<W>(table + l, r);
    simd::load<W>(a + l, x);
    simd::load<W>(b + l, c);
    simd::store<W>(r + y * x + c, f + l);
  }
}
PSEUDOSYNTH_DISPATCH(neg_binomial_cell,
                     (double y, const double* table, const double* a,
                      const double* b, double* f),
                     (y, table, a, b, f))

}  // namespace detail

template <>
class TileDensity<NegBinomial> : public ScalarTile<NegBinomial> {
 public:
  TileDensity(const NegBinomial& family, const Records& records,
              CellRange cells)
      : ScalarTile(family, records, cells),
        first_cell_(cells.first),
        size_(kDrawTile),
        log_size_(kDrawTile),
        remainder_(kDrawTile),
        a_(kDrawTile),
        b_(kDrawTile) {
    for (int c = first_cell_; c < cells.last; ++c)
      count_.push_back(records.cell_response(c));
    std::sort(count_.begin(), count_.end());
    count_.erase(std::unique(count_.begin(), count_.end()), count_.end());
    for (int c = first_cell_; c < cells.last; ++c)
      place_.push_back(
          static_cast<int>(std::lower_bound(count_.begin(), count_.end(),
                                            records.cell_response(c)) -
                           count_.begin()));
    for (double y : count_)
      constant_.push_back(y == 0 ? 0.0 : count_constant(y));
    table_.assign(count_.size() * kDrawTile);
    exact_.assign(count_.size(), 0);
  }

  void load(const DrawMatrix& draws, int first) {
    ScalarTile::load(draws, first);
    for (std::size_t l = 0; l < at_.size(); ++l) {
      size_[l] = at_[l].size;
      log_size_[l] = at_[l].log_size;
      remainder_[l] = at_[l].remainder;
    }
    for (std::size_t c = 0; c < count_.size(); ++c) {
      double* table = table_.data() + c * kDrawTile;
      double largest = 0.0;
      if (count_[c] == 0)
        std::fill(table, table + kDrawTile, 0.0);
      else
        detail::neg_binomial_table(count_[c], constant_[c], size_.data(),
                                   log_size_.data(), remainder_.data(), table,
                                   largest);
      exact_[c] = largest < kLargest;
    }
  }

  void row(const double* eta) {
    ScalarTile::row(eta);
    detail::neg_binomial_row(eta, size_.data(), a_.data(), b_.data(), outside_);
  }

  void log_lik(int cell, double* f) {
    const std::size_t c = static_cast<std::size_t>(
        place_[static_cast<std::size_t>(cell - first_cell_)]);
    if (outside_ != 0.0 || !exact_[c]) return ScalarTile::log_lik(cell, f);
    detail::neg_binomial_cell(count_[c], table_.data() + c * kDrawTile,
                              a_.data(), b_.data(), f);
  }

 private:
  // A, B <= 0, so what cancels in f is no larger than |R|.
  static constexpr double kLargest = 1000.0;

  int first_cell_;
  std::vector<double> count_, constant_;  // distinct counts
  std::vector<int> place_;                // cell -> its count
  std::vector<char> exact_;               // the table is accurate enough
  simd::AlignedBuffer size_, log_size_, remainder_, a_, b_, table_;
  double outside_ = 0.0;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_KERNEL_NEG_BINOMIAL_TILE_HPP
