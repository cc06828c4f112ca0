// A tile of posterior draws, and the log-likelihood of one record at all of
// them: the innermost loops of the streaming kernels, vectorised over draws.
#ifndef PSEUDOSYNTH_KERNEL_DRAW_TILE_HPP
#define PSEUDOSYNTH_KERNEL_DRAW_TILE_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "../family/gaussian.hpp"
#include "../family/normal_mixture.hpp"
#include "../math.hpp"
#include "../records.hpp"
#include "../simd.hpp"

namespace pseudosynth {

/// Draws as a column-major S x D matrix, one draw per row:
/// [ b (P * K) | extras ].
struct DrawMatrix {
  const double* data = nullptr;
  int S = 0;
  int D = 0;
  double operator()(int s, int d) const {
    return data[static_cast<std::size_t>(d) * S + s];
  }
};

/// Draws per tile; a multiple of every lane count.
constexpr int kDrawTile = 32;

namespace detail {

template <int W>
PSEUDOSYNTH_INLINE void add_columns_kernel(int n, const double* a,
                                           const double* b, double* out) {
  for (int l = 0; l < n; l += W) {
    simd::Real<W> x, y;
    simd::load<W>(a + l, x);
    simd::load<W>(b + l, y);
    simd::store<W>(x + y, out + l);
  }
}
PSEUDOSYNTH_DISPATCH(add_columns,
                     (int n, const double* a, const double* b, double* out),
                     (n, a, b, out))

template <int W>
PSEUDOSYNTH_INLINE void gaussian_draws_kernel(double y, const double* eta,
                                              const double* offset,
                                              const double* inv_sigma,
                                              double* f) {
  for (int l = 0; l < kDrawTile; l += W) {
    simd::Real<W> z, c, inverse;
    simd::load<W>(eta + l, z);
    simd::load<W>(offset + l, c);
    simd::load<W>(inv_sigma + l, inverse);
    z = (y - z) * inverse;
    simd::store<W>(c - 0.5 * z * z, f + l);
  }
}
PSEUDOSYNTH_DISPATCH(gaussian_draws,
                     (double y, const double* eta, const double* offset,
                      const double* inv_sigma, double* f),
                     (y, eta, offset, inv_sigma, f))

template <int W>
PSEUDOSYNTH_INLINE void mixture_draws_kernel(int K, double y, const double* eta,
                                             const double* offset,
                                             const double* inv_sigma,
                                             double* scratch, double* f) {
  typedef simd::Real<W> R;
  for (int l = 0; l < kDrawTile; l += W) {
    R high;
    simd::fill<W>(-kInfinity, high);
    for (int k = 0; k < K; ++k) {
      R z, c, inverse;
      simd::load<W>(eta + k * kDrawTile + l, z);
      simd::load<W>(offset + k * kDrawTile + l, c);
      simd::load<W>(inv_sigma + k * kDrawTile + l, inverse);
      z = (y - z) * inverse;
      const R term = c - 0.5 * z * z;
      high = term > high ? term : high;
      simd::store<W>(term, scratch + k * W);
    }
    R sum, zero, nothing;
    simd::fill<W>(0.0, sum);
    simd::fill<W>(0.0, zero);
    simd::fill<W>(-kInfinity, nothing);
    // Where every term is -Inf so is f.
    const R base = high > nothing ? high : zero;
    for (int k = 0; k < K; ++k) {
      R term;
      simd::load<W>(scratch + k * W, term);
      term -= base;
      simd::exp_in_place<W>(term);
      sum += term;
    }
    simd::log_in_place<W>(sum);
    sum = high > nothing ? base + sum : nothing;
    simd::store<W>(sum, f + l);
  }
}
PSEUDOSYNTH_DISPATCH(mixture_draws,
                     (int K, double y, const double* eta, const double* offset,
                      const double* inv_sigma, double* scratch, double* f),
                     (K, y, eta, offset, inv_sigma, scratch, f))

}  // namespace detail

/// @brief f of the records of a block at the draws of a tile, for any family of
/// one linear predictor, by the family's own log_lik().
///
/// Order of calls: load() a tile of draws; row() for each design row with its
/// linear predictors; log_lik() for each cell of that row.
template <class Family>
class ScalarTile {
 public:
  /// @param records must outlive this object. The third argument:
  ///   the cells that it will be asked for.
  ScalarTile(const Family& family, const Records& records, CellRange)
      : family_(family), records_(&records), at_(kDrawTile) {}

  static constexpr int n_eta() { return 1; }

  /// `first`: the first draw of the tile; the last draw is repeated beyond S.
  void load(const DrawMatrix& draws, int first) {
    double extra[Family::kExtras + 1] = {};
    const int P = records_->design.n_columns();
    for (int l = 0; l < kDrawTile; ++l) {
      const int s = std::min(first + l, draws.S - 1);
      for (int e = 0; e < Family::kExtras; ++e) extra[e] = draws(s, P + e);
      at_[static_cast<std::size_t>(l)] = family_.at(extra);
    }
  }

  /// eta (n_eta x kDrawTile) must live until the next row.
  void row(const double* eta) { eta_ = eta; }

  /// f (kDrawTile) of the records of a cell.
  void log_lik(int cell, double* f) {
    const double y = records_->cell_response(cell);
    for (int l = 0; l < kDrawTile; ++l)
      f[l] = family_.log_lik(y, eta_[l], at_[static_cast<std::size_t>(l)]);
  }

 protected:
  Family family_;
  const Records* records_;
  std::vector<typename Family::At> at_;
  const double* eta_ = nullptr;
};

/// @brief What stream_log_lik() uses; specialised where vectors over draws pay.
template <class Family>
class TileDensity : public ScalarTile<Family> {
 public:
  using ScalarTile<Family>::ScalarTile;
};

template <>
class TileDensity<NormalMixture> {
 public:
  TileDensity(const NormalMixture& family, const Records& records, CellRange)
      : K_(family.K), records_(&records) {
    const std::size_t size = static_cast<std::size_t>(K_) * kDrawTile;
    offset_.assign(size);
    inv_sigma_.assign(size);
    scratch_.assign(size);
  }

  int n_eta() const { return K_; }

  void load(const DrawMatrix& draws, int first) {
    const int extras = records_->design.n_columns() * K_;
    for (int l = 0; l < kDrawTile; ++l) {
      const int s = std::min(first + l, draws.S - 1);
      for (int k = 0; k < K_; ++k) {
        const double sigma = draws(s, extras + K_ + k);
        const std::size_t at = static_cast<std::size_t>(k) * kDrawTile + l;
        inv_sigma_[at] = 1.0 / sigma;
        offset_[at] =
            std::log(draws(s, extras + k)) - std::log(sigma) - kHalfLogTwoPi;
      }
    }
  }

  void row(const double* eta) { eta_ = eta; }

  void log_lik(int cell, double* f) {
    detail::mixture_draws(K_, records_->cell_response(cell), eta_,
                          offset_.data(), inv_sigma_.data(), scratch_.data(),
                          f);
  }

 private:
  int K_;
  const Records* records_;
  const double* eta_ = nullptr;
  simd::AlignedBuffer offset_, inv_sigma_, scratch_;
};

template <>
class TileDensity<Gaussian> {
 public:
  TileDensity(const Gaussian&, const Records& records, CellRange)
      : records_(&records), offset_(kDrawTile), inv_sigma_(kDrawTile) {}

  static constexpr int n_eta() { return 1; }

  void load(const DrawMatrix& draws, int first) {
    const int P = records_->design.n_columns();
    for (int l = 0; l < kDrawTile; ++l) {
      const double sigma = draws(std::min(first + l, draws.S - 1), P);
      const std::size_t at = static_cast<std::size_t>(l);
      inv_sigma_[at] = 1.0 / sigma;
      offset_[at] = -std::log(sigma) - kHalfLogTwoPi;
    }
  }

  void row(const double* eta) { eta_ = eta; }

  void log_lik(int cell, double* f) {
    detail::gaussian_draws(records_->cell_response(cell), eta_, offset_.data(),
                           inv_sigma_.data(), f);
  }

 private:
  const Records* records_;
  const double* eta_ = nullptr;
  simd::AlignedBuffer offset_, inv_sigma_;
};

}  // namespace pseudosynth

#endif
