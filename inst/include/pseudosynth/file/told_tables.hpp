// What noisy tables tell along the axes of their columns' levels: of many
// tables at once, since a wide file has tens of thousands of pairs.
#ifndef PSEUDOSYNTH_FILE_TOLD_TABLES_HPP
#define PSEUDOSYNTH_FILE_TOLD_TABLES_HPP

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "../add_row.hpp"

namespace pseudosynth {

/// @brief A matrix, column by column. A view.
struct MatrixView {
  const double* at = nullptr;
  std::size_t rows = 0, columns = 0;
};

/// @brief A table multiplied by a matrix (or its transpose) along each of its
/// columns.
/// @param table the first column's level runs fastest.
/// @param before of so many tables at once, whose number runs faster still.
inline std::vector<double> turned_table(std::vector<double> table,
                                        const std::vector<MatrixView>& by,
                                        bool transposed,
                                        std::size_t before = 1) {
  for (const MatrixView& one : by) {
    const std::size_t from = transposed ? one.rows : one.columns;
    const std::size_t to = transposed ? one.columns : one.rows;
    const std::size_t step = before * from;
    const std::size_t after = step == 0 ? 0 : table.size() / step;
    std::vector<double> turned(before * to * after, 0.0);
    for (std::size_t c = 0; c < after; ++c) {
      for (std::size_t v = 0; v < to; ++v) {
        double* out = turned.data() + before * (v + to * c);
        for (std::size_t u = 0; u < from; ++u) {
          const double factor =
              transposed ? one.at[u + one.rows * v] : one.at[v + one.rows * u];
          const double* in = table.data() + before * (u + from * c);
          if (simd::whole_lanes(before) == before) {
            detail::add_row(in, before, factor, out);
          } else {
            for (std::size_t b = 0; b < before; ++b) out[b] += factor * in[b];
          }
        }
      }
    }
    table = std::move(turned);
    before *= to;
  }
  return table;
}

/// @brief The likeliest t of normal numbers of variance t varies + noise: on a
/// grid in steps of 2, from where it can be at most; 0 where nothing is
/// likelier.
inline double likeliest_size(const std::vector<double>& squares,
                             const std::vector<double>& varies, double noise) {
  double all = 0.0, sizes = 0.0;
  for (const double x : squares) all += x;
  for (const double x : varies) sizes += x;
  const double most = 8.0 * all / sizes;
  double best = 0.0, highest = -std::numeric_limits<double>::infinity();
  for (int k = -1; k <= 30; ++k) {
    const double t = k < 0 ? 0.0 : std::ldexp(most, -k);
    double fit = 0.0;
    for (std::size_t c = 0; c < squares.size(); ++c) {
      const double variance = t * varies[c] + noise;
      fit -= std::log(variance) + squares[c] / variance;
    }
    if (!(fit > highest)) continue;
    highest = fit;
    best = t;
  }
  return best;
}

/// @brief Directions among a column's levels, and how much interactions vary
/// along each.
struct LevelAxes {
  MatrixView axes;
  const double* size = nullptr;
};

/// @brief What a noisy interaction tells along the axes of its columns: how
/// much it varies, the share of signal, and the posterior.
struct ToldTable {
  double t;
  std::vector<double> kept, mean, variance;
};

/// @param residual noisy and centred, of as many cells as the levels have.
inline ToldTable told_table(const std::vector<double>& residual,
                            const std::vector<LevelAxes>& axes, double noise) {
  std::vector<MatrixView> by;
  std::vector<double> varies{1.0};
  for (const LevelAxes& one : axes) {
    by.push_back(one.axes);
    std::vector<double> more;
    for (std::size_t v = 0; v < one.axes.columns; ++v) {
      for (const double x : varies) more.push_back(x * one.size[v]);
    }
    varies = std::move(more);
  }
  ToldTable told{0.0, {}, turned_table(residual, by, true), {}};
  std::vector<double> squares;
  for (const double x : told.mean) squares.push_back(x * x);
  told.t = likeliest_size(squares, varies, noise);
  for (std::size_t c = 0; c < varies.size(); ++c) {
    const double signal = told.t * varies[c];
    const double kept = signal / (signal + noise);
    told.kept.push_back(kept);
    told.mean[c] *= kept;
    told.variance.push_back(noise * kept);
  }
  return told;
}

/// @brief The table without what is only noise.
inline std::vector<double> shrunk_table(const std::vector<double>& residual,
                                        const std::vector<LevelAxes>& axes,
                                        double noise) {
  ToldTable told = told_table(residual, axes, noise);
  if (told.t == 0.0) return std::vector<double>(residual.size(), 0.0);
  std::vector<MatrixView> by;
  for (const LevelAxes& one : axes) by.push_back(one.axes);
  return turned_table(std::move(told.mean), by, false);
}

/// @brief What is expected of the covariance of one side's levels, given a
/// pair: second moments of the posterior along the axes, each column of the
/// other side divided by its size.
/// @param[in,out] sum l x l numbers for the side's l axes.
inline void add_moments(const ToldTable& told, const LevelAxes& own,
                        const LevelAxes& other, bool first, double* sum) {
  const std::size_t l = own.axes.columns, m = other.axes.columns;
  const auto at = [&](std::size_t a, std::size_t b) {
    return first ? a + l * b : b + m * a;
  };
  for (std::size_t b = 0; b < m; ++b) {
    const double by = 1.0 / (other.size[b] * told.t);
    for (std::size_t a = 0; a < l; ++a) {
      const double mean = told.mean[at(a, b)] * by;
      for (std::size_t c = 0; c < l; ++c)
        sum[c + l * a] += mean * told.mean[at(c, b)];
      sum[a + l * a] += told.variance[at(a, b)] * by;
    }
  }
}

/// @brief Residuals of a table times the product of its levels: it is centred
/// along every column. Whole and exact for whole counts.
inline std::vector<double> whole_residual(std::vector<double> counts,
                                          const std::vector<int>& levels) {
  std::size_t before = 1;
  std::vector<double> sum;
  for (const int level : levels) {
    const std::size_t l = static_cast<std::size_t>(level);
    const std::size_t after = counts.size() / (before * l);
    for (std::size_t c = 0; c < after; ++c) {
      double* own = counts.data() + before * l * c;
      sum.assign(before, 0.0);
      for (std::size_t v = 0; v < l; ++v) {
        for (std::size_t b = 0; b < before; ++b) sum[b] += own[b + before * v];
      }
      for (std::size_t v = 0; v < l; ++v) {
        for (std::size_t b = 0; b < before; ++b)
          own[b + before * v] = level * own[b + before * v] - sum[b];
      }
    }
    before *= l;
  }
  return counts;
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_TOLD_TABLES_HPP
