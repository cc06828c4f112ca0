// A tile of draws for families with a RowForm (see roles.hpp): special
// functions once per row, or per distinct response where there is a table, and
// one or two products per record.
#ifndef PSEUDOSYNTH_KERNEL_ROW_TILE_HPP
#define PSEUDOSYNTH_KERNEL_ROW_TILE_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "../family/forms.hpp"
#include "../records.hpp"
#include "../simd.hpp"
#include "draw_tile.hpp"
#include "tile_draws.hpp"

namespace pseudosynth {
namespace detail {

// The numbers of a response come by value: GCC broadcasts what it reads from an
// array in halves and by way of the stack.
template <int W>
PSEUDOSYNTH_INLINE void fill_response(double r0, double r1, double r2,
                                      simd::Real<W>* r) {
  simd::broadcast<W>(r0, r[0]);
  simd::broadcast<W>(r1, r[1]);
  simd::broadcast<W>(r2, r[2]);
}

/// u and v of a row, kDrawTile of each; `outside` is not 0 where some eta is
/// beyond the range of lanes.
template <int W, class Family>
PSEUDOSYNTH_INLINE void tile_rows_kernel(const Family& family,
                                         const double* eta, const double* draws,
                                         double* terms, double& outside) {
  constexpr int S = Family::kStatistics;
  typedef simd::Real<W> R;
  R bad{};
  for (int l = 0; l < kDrawTile; l += W) {
    R x;
    typename Family::template Draw<W> at;
    load_draws<W, Family>(draws + l, kDrawTile, at);
    simd::load<W>(eta + l, x);
    mark_outside<W>(x, bad);
    RowTerms<W, S> t;
    family.template row<W>(x, at, t);
    store_numbers<W, S + 1>(t.value, kDrawTile, terms + l);
  }
  outside = simd::sum<W>(bad);
}
PSEUDOSYNTH_DISPATCH_FOR(tile_rows, (class Family), (Family),
                         (const Family& family, const double* eta,
                          const double* draws, double* terms, double& outside),
                         (family, eta, draws, terms, outside))

/// A + constant of one response; `largest` becomes the largest of them in size,
/// NaN if one is not finite.
template <int W, class Family>
PSEUDOSYNTH_INLINE void tile_table_kernel(const Family& family, double r0,
                                          double r1, double r2, double constant,
                                          const double* draws, double* table,
                                          double& largest) {
  typedef simd::Real<W> R;
  R r[3], high{}, check{};
  const R zero{};
  fill_response<W>(r0, r1, r2, r);
  for (int l = 0; l < kDrawTile; l += W) {
    R value, unused;
    typename Family::template Draw<W> at;
    load_draws<W, Family>(draws + l, kDrawTile, at);
    family.template table<W>(r, at, value, unused);
    value += constant;
    check += value - value;
    const R size = value < zero ? -value : value;
    high = size > high ? size : high;
    simd::store<W>(value, table + l);
  }
  alignas(64) double sizes[W];
  simd::store<W>(high, sizes);
  largest = *std::max_element(sizes, sizes + W) + simd::sum<W>(check);
}
PSEUDOSYNTH_DISPATCH_FOR(tile_table, (class Family), (Family),
                         (const Family& family, double r0, double r1, double r2,
                          double constant, const double* draws, double* table,
                          double& largest),
                         (family, r0, r1, r2, constant, draws, table, largest))

/// f = s u + v + A + constant; `table` holds the latter two where there is one.
template <int W, class Family>
PSEUDOSYNTH_INLINE void tile_cell_kernel(double s0, double s1, double constant,
                                         const double* table,
                                         const double* terms, double* f) {
  constexpr int S = Family::kStatistics;
  typedef simd::Real<W> R;
  R s[3], one;
  fill_response<W>(s0, s1, 0.0, s);
  simd::fill<W>(1.0, one);
  for (int l = 0; l < kDrawTile; l += W) {
    R x[S + 1], sum;
    load_numbers<W, S + 1>(terms + l, kDrawTile, x);
    if constexpr (Family::kTable) {
      R fixed;
      simd::load<W>(table + l, fixed);
      x[S] += fixed;
    } else {
      x[S] += constant;
    }
    weighted_sum<W, S>(s, one, x, sum);
    simd::store<W>(sum, f + l);
  }
}
PSEUDOSYNTH_DISPATCH_FOR(tile_cell, (class Family), (Family),
                         (double s0, double s1, double constant,
                          const double* table, const double* terms, double* f),
                         (s0, s1, constant, table, terms, f))

/// f where the split cancels; `unfinite` becomes NaN where some f is not
/// finite.
template <int W, class Family>
PSEUDOSYNTH_INLINE void tile_exact_kernel(
    const Family& family, double r0, double r1, double r2, const double* eta,
    const double* draws, const double* terms, double* f, double& unfinite) {
  constexpr int S = Family::kStatistics;
  typedef simd::Real<W> R;
  R r[3], check{};
  fill_response<W>(r0, r1, r2, r);
  for (int l = 0; l < kDrawTile; l += W) {
    R x, value[S + 1], sum;
    typename Family::template Draw<W> at;
    load_draws<W, Family>(draws + l, kDrawTile, at);
    load_numbers<W, S + 1>(terms + l, kDrawTile, value);
    simd::load<W>(eta + l, x);
    family.template exact<W>(r, x, at, value, sum);
    check += sum - sum;
    simd::store<W>(sum, f + l);
  }
  unfinite = simd::sum<W>(check);
}
PSEUDOSYNTH_DISPATCH_FOR(tile_exact, (class Family), (Family),
                         (const Family& family, double r0, double r1, double r2,
                          const double* eta, const double* draws,
                          const double* terms, double* f, double& unfinite),
                         (family, r0, r1, r2, eta, draws, terms, f, unfinite))

}  // namespace detail

/// @brief As ScalarTile, in lanes over draws.
template <class Family>
class RowTile {
 public:
  RowTile(const Family& family, const Records& records, CellRange cells)
      : family_(family),
        n_columns_(records.design.n_columns()),
        first_cell_(cells.first),
        terms_((Family::kStatistics + 1) * kDrawTile) {
    std::vector<double> y;
    for (int c = cells.first; c < cells.last; ++c)
      y.push_back(records.cell_response(c));
    if constexpr (Family::kTable) {
      std::vector<double> distinct(y);
      std::sort(distinct.begin(), distinct.end());
      distinct.erase(std::unique(distinct.begin(), distinct.end()),
                     distinct.end());
      for (double value : y)
        place_.push_back(static_cast<std::size_t>(
            std::lower_bound(distinct.begin(), distinct.end(), value) -
            distinct.begin()));
      y.swap(distinct);
    }
    for (double value : y) {
      std::array<double, 3> r{};
      Family::response(value, r.data());
      response_.push_back(r);
      constant_.push_back(Family::constant(r.data()));
      splits_.push_back(Family::response_splits(r.data()));
    }
    table_splits_ = splits_;
    table_.assign(Family::kTable ? y.size() * kDrawTile : 0);
  }

  static constexpr int n_eta() { return 1; }

  void load(const DrawMatrix& draws, int first) {
    draws_split_ = true;
    draws_.load(family_, draws, first, n_columns_,
                [&](const typename Family::At& at) {
                  draws_split_ = draws_split_ && Family::draw_splits(at);
                });
    if constexpr (Family::kTable) {
      for (std::size_t y = 0; y < constant_.size(); ++y) {
        double largest;
        const std::array<double, 3>& r = response_[y];
        detail::tile_table<Family>(family_, r[0], r[1], r[2], constant_[y],
                                   draws_.data(), table_.data() + y * kDrawTile,
                                   largest);
        table_splits_[y] = splits_[y] && largest < Family::kLargestTable;
      }
    }
  }

  void row(const double* eta) {
    eta_ = eta;
    detail::tile_rows<Family>(family_, eta, draws_.data(), terms_.data(),
                              outside_);
    if (outside_ == 0.0) return;
    double unused;
    detail::tile_rows_kernel<1, Family>(family_, eta, draws_.data(),
                                        terms_.data(), unused);
  }

  void log_lik(int cell, double* f) {
    std::size_t y = static_cast<std::size_t>(cell - first_cell_);
    if constexpr (Family::kTable) y = place_[y];
    const std::array<double, 3>& r = response_[y];
    if constexpr (Family::kCancels) {
      if (!draws_split_ || !table_splits_[y]) {
        double unfinite = outside_;
        if (outside_ == 0.0)
          detail::tile_exact<Family>(family_, r[0], r[1], r[2], eta_,
                                     draws_.data(), terms_.data(), f, unfinite);
        if (unfinite != 0.0)
          detail::tile_exact_kernel<1, Family>(family_, r[0], r[1], r[2], eta_,
                                               draws_.data(), terms_.data(), f,
                                               unfinite);
        return;
      }
    }
    const double* table =
        Family::kTable ? table_.data() + y * kDrawTile : nullptr;
    detail::tile_cell<Family>(r[0], r[1], constant_[y], table, terms_.data(),
                              f);
  }

 private:
  static_assert(Family::kResponse <= 3);

  Family family_;
  int n_columns_, first_cell_;
  detail::TileDraws<Family> draws_;
  bool draws_split_ = true;
  std::vector<std::size_t> place_;  // cell -> its response, where with a table
  std::vector<std::array<double, 3>> response_;
  std::vector<double> constant_;
  std::vector<char> splits_, table_splits_;
  simd::AlignedBuffer table_, terms_;
  const double* eta_ = nullptr;
  double outside_ = 0.0;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_KERNEL_ROW_TILE_HPP
