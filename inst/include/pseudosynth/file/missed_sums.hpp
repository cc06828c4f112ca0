// How far the sums that a set of records expects may be from the file's, where
// noisy tables leave unknown how many records the file has of each kind.
#ifndef PSEUDOSYNTH_FILE_MISSED_SUMS_HPP
#define PSEUDOSYNTH_FILE_MISSED_SUMS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "../column_products.hpp"
#include "../simd.hpp"
#include "coded_file.hpp"
#include "told_tables.hpp"

namespace pseudosynth {

/// A noisy table: which columns it crosses, the axes of their levels, and the
/// variance that is left along each product of axes.
struct UnknownTable {
  CrossedColumns columns;
  std::vector<MatrixView> axes;
  const double* variance;
};

/// @brief What some records of a set add to sums: to a few lines each, in every
/// step the same number. Sums over lines are what whole rows of a design would
/// make of them, and far fewer.
class LinePulls {
 public:
  /// @param row the records, from 0.
  /// @param line which lines, from 1: so many numbers for each record; a view.
  /// @param by what a record adds to them, a column for each step; a view.
  LinePulls(std::vector<std::size_t> row, const int* line, std::size_t columns,
            std::size_t lines, const MatrixView& by)
      : row_(std::move(row)),
        columns_(columns),
        lines_(lines),
        steps_(by.columns),
        width_(simd::whole_lanes(lines * by.columns)),
        at_(row_.size() * columns),
        by_(row_.size() * by.columns) {
    for (std::size_t i = 0; i < row_.size(); ++i) {
      for (std::size_t j = 0; j < columns; ++j)
        at_[i * columns + j] = static_cast<std::uint32_t>(
            steps_ * static_cast<std::size_t>(line[i + j * row_.size()] - 1));
      for (std::size_t k = 0; k < steps_; ++k)
        by_[i * steps_ + k] = by.at[i + k * row_.size()];
    }
  }

  std::size_t size() const { return row_.size(); }
  std::size_t row(std::size_t i) const { return row_[i]; }
  /// Numbers of a sum with those that fill it up, which are 0.
  std::size_t width() const { return width_; }
  std::size_t sums() const { return lines_ * steps_; }
  std::size_t lines() const { return lines_; }
  std::size_t steps() const { return steps_; }

  void add(std::size_t i, double* sum) const {
    const std::uint32_t* at = &at_[i * columns_];
    const double* by = &by_[i * steps_];
    if (steps_ == 2) {
      const double first = by[0], second = by[1];
      for (std::size_t j = 0; j < columns_; ++j) {
        sum[at[j]] += first;
        sum[at[j] + 1] += second;
      }
      return;
    }
    for (std::size_t j = 0; j < columns_; ++j) {
      for (std::size_t k = 0; k < steps_; ++k) sum[at[j] + k] += by[k];
    }
  }

 private:
  std::vector<std::size_t> row_;
  std::size_t columns_, lines_, steps_, width_;
  std::vector<std::uint32_t> at_;
  std::vector<double> by_;
};

/// @brief Sums over tables and axes of variance m m', with m the mean of what
/// the cell's records add, along the axes.
class MissedSums {
 public:
  MissedSums(const CodedFile& set, const LinePulls& pulls)
      : set_(set), pulls_(pulls) {}

  /// @brief The sum over some tables.
  /// @return below and on the diagonal; nothing of worth once `should_stop`
  ///   returned true.
  Matrix over(const std::vector<UnknownTable>& tables, std::size_t first,
              std::size_t last,
              const std::function<bool()>& should_stop) const {
    const Eigen::Index q = static_cast<Eigen::Index>(pulls_.sums());
    Matrix total = Matrix::Zero(q, q), waiting = Matrix::Zero(kWaiting, q);
    Eigen::Index filled = 0;
    const auto add = [&] {
      waiting.bottomRows(kWaiting - filled).setZero();
      const ColumnProducts products(waiting, waiting, true);
      for (int g = 0; g < products.groups() && !should_stop(); ++g)
        products.add(g, total);
      filled = 0;
    };
    for (std::size_t t = first; t < last; t += kTogether) {
      if (should_stop()) break;
      const std::size_t end = std::min(last, t + kTogether);
      std::vector<std::vector<double>> sums = cell_sums(tables, t, end);
      for (std::size_t k = t; k < end; ++k) {
        const std::vector<double> along =
            along_axes(tables[k], std::move(sums[k - t]));
        const std::size_t axes = along.size() / pulls_.width();
        for (std::size_t c = 0; c < axes; ++c) {
          put(&along[c * pulls_.width()], std::sqrt(tables[k].variance[c]),
              waiting, filled++);
          if (filled == kWaiting) add();
        }
      }
    }
    if (filled > 0) add();
    return total;
  }

 private:
  /// Tables whose sums are made at once, the records that they read in turn,
  /// and axes that a product waits for
  static constexpr std::size_t kTogether = 4, kRows = 128;
  static constexpr Eigen::Index kWaiting = 256;

  std::size_t cell_of(const CrossedColumns& table, std::size_t i) const {
    std::size_t cell = 0;
    for (std::size_t a = 0; a < table.size(); ++a)
      cell += table.stride[a] *
              static_cast<std::size_t>(set_.column(table.column[a])[i] - 1);
    return cell;
  }

  /// Sums of what records add, by table and cell. Records stay in the cache
  /// while table after table reads them.
  std::vector<std::vector<double>> cell_sums(
      const std::vector<UnknownTable>& tables, std::size_t first,
      std::size_t last) const {
    std::vector<std::vector<double>> sums;
    for (std::size_t t = first; t < last; ++t)
      sums.emplace_back(tables[t].columns.cells * pulls_.width(), 0.0);
    for (std::size_t start = 0; start < pulls_.size(); start += kRows) {
      const std::size_t end = std::min(pulls_.size(), start + kRows);
      for (std::size_t t = first; t < last; ++t) {
        double* sum = sums[t - first].data();
        for (std::size_t i = start; i < end; ++i)
          pulls_.add(i, sum + pulls_.width() *
                                  cell_of(tables[t].columns, pulls_.row(i)));
      }
    }
    return sums;
  }

  /// A cell's mean is over all of its records: others add nothing.
  std::vector<double> along_axes(const UnknownTable& table,
                                 std::vector<double> sums) const {
    std::vector<double> count(table.columns.cells, 0.0);
    for (std::size_t i = 0; i < set_.n; ++i)
      count[cell_of(table.columns, i)] += 1.0;
    const std::size_t width = pulls_.width();
    for (std::size_t c = 0; c < table.columns.cells; ++c) {
      const double by = 1.0 / std::max(count[c], 1.0);
      for (std::size_t j = 0; j < width; ++j) sums[c * width + j] *= by;
    }
    return turned_table(std::move(sums), table.axes, true, width);
  }

  /// Step after step, and not line after line.
  void put(const double* along, double by, Matrix& waiting,
           Eigen::Index row) const {
    const std::size_t steps = pulls_.steps();
    for (std::size_t s = 0; s < pulls_.sums(); ++s)
      waiting(row, static_cast<Eigen::Index>((s % steps) * pulls_.lines() +
                                             s / steps)) = by * along[s];
  }

  const CodedFile& set_;
  const LinePulls& pulls_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_MISSED_SUMS_HPP
