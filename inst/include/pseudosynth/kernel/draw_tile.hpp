// A tile of posterior draws, and the log-likelihood of one record at all of
// them.
#ifndef PSEUDOSYNTH_KERNEL_DRAW_TILE_HPP
#define PSEUDOSYNTH_KERNEL_DRAW_TILE_HPP

#include <algorithm>
#include <vector>

#include "../records.hpp"

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
      at_[l] = family_.at(extra);
    }
  }

  /// eta (n_eta x kDrawTile) must live until the next row.
  void row(const double* eta) { eta_ = eta; }

  /// f (kDrawTile) of the records of a cell.
  void log_lik(int cell, double* f) {
    const double y = records_->cell_response(cell);
    for (int l = 0; l < kDrawTile; ++l)
      f[l] = family_.log_lik(y, eta_[l], at_[l]);
  }

 private:
  Family family_;
  const Records* records_;
  std::vector<typename Family::At> at_;
  const double* eta_ = nullptr;
};

}  // namespace pseudosynth

#endif
