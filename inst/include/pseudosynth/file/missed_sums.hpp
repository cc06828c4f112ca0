// How far the sums that a set of records expects may be from the file's, where
// noisy tables leave unknown how many records the file has of each kind.
#ifndef PSEUDOSYNTH_FILE_MISSED_SUMS_HPP
#define PSEUDOSYNTH_FILE_MISSED_SUMS_HPP

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "../simd.hpp"
#include "coded_file.hpp"
#include "told_tables.hpp"

namespace pseudosynth {

namespace detail {

/// sum <- sum + row
/// @param width a whole number of lanes.
template <int W>
PSEUDOSYNTH_INLINE void add_row_kernel(const double* row, std::size_t width,
                                       double* sum) {
  for (std::size_t p = 0; p < width; p += W) {
    simd::Real<W> x, total;
    simd::load<W>(row + p, x);
    simd::load<W>(sum + p, total);
    total += x;
    simd::store<W>(total, sum + p);
  }
}
PSEUDOSYNTH_DISPATCH(add_row,
                     (const double* row, std::size_t width, double* sum),
                     (row, width, sum))

}  // namespace detail

/// A noisy table: which columns it crosses, the axes of their levels, and the
/// variance that is left along each product of axes.
struct UnknownTable {
  CrossedColumns columns;
  std::vector<MatrixView> axes;
  const double* variance;
};

/// @brief Sums over tables and axes of variance m m', with m the mean of what
/// the cell's records add, along the axes.
class MissedSums {
 public:
  static constexpr std::size_t kLanes = 8;

  /// @param row records of the set that add anything, from 0.
  /// @param pulls what each of these adds, column by column; a view.
  MissedSums(const CodedFile& set, std::vector<std::size_t> row,
             const MatrixView& pulls)
      : set_(set),
        row_(std::move(row)),
        q_(pulls.columns),
        width_((q_ + kLanes - 1) / kLanes * kLanes),
        pulls_(row_.size() * width_, 0.0) {
    for (std::size_t j = 0; j < q_; ++j) {
      const double* from = pulls.at + j * pulls.rows;
      for (std::size_t i = 0; i < row_.size(); ++i)
        pulls_[i * width_ + j] = from[i];
    }
  }

  /// @brief The sum over some tables.
  /// @return a matrix of which the lower half counts; nothing of worth once
  ///   `should_stop` returned true.
  Eigen::MatrixXd over(const std::vector<UnknownTable>& tables,
                       std::size_t first, std::size_t last,
                       const std::function<bool()>& should_stop) const {
    const Eigen::Index q = static_cast<Eigen::Index>(q_);
    Eigen::MatrixXd total = Eigen::MatrixXd::Zero(q, q);
    std::vector<double> waiting;
    const auto add = [&] {
      const Eigen::Map<const Eigen::MatrixXd> along(
          waiting.data(), q, static_cast<Eigen::Index>(waiting.size()) / q);
      total.selfadjointView<Eigen::Lower>().rankUpdate(along);
      waiting.clear();
    };
    for (std::size_t t = first; t < last; t += kTogether) {
      if (should_stop()) break;
      const std::size_t end = std::min(last, t + kTogether);
      const std::vector<std::vector<double>> sums = cell_sums(tables, t, end);
      for (std::size_t k = t; k < end; ++k) {
        append_along(tables[k], sums[k - t], waiting);
        if (waiting.size() > kWaiting * q_) add();
      }
    }
    if (!waiting.empty()) add();
    return total;
  }

 private:
  /// Tables whose sums are made at once, and columns that a product waits for
  static constexpr std::size_t kTogether = 16, kRows = 128, kWaiting = 256;

  std::size_t cell_of(const CrossedColumns& table, std::size_t i) const {
    std::size_t cell = 0;
    for (std::size_t a = 0; a < table.size(); ++a)
      cell += table.stride[a] *
              static_cast<std::size_t>(set_.column(table.column[a])[i] - 1);
    return cell;
  }

  /// Sums of what records add, by table and cell. Rows stay in the cache while
  /// table after table reads them.
  std::vector<std::vector<double>> cell_sums(
      const std::vector<UnknownTable>& tables, std::size_t first,
      std::size_t last) const {
    std::vector<std::vector<double>> sums;
    for (std::size_t t = first; t < last; ++t)
      sums.emplace_back(tables[t].columns.cells * width_, 0.0);
    for (std::size_t start = 0; start < row_.size(); start += kRows) {
      const std::size_t end = std::min(row_.size(), start + kRows);
      for (std::size_t t = first; t < last; ++t) {
        double* sum = sums[t - first].data();
        for (std::size_t i = start; i < end; ++i)
          detail::add_row(pulls_.data() + i * width_, width_,
                          sum + width_ * cell_of(tables[t].columns, row_[i]));
      }
    }
    return sums;
  }

  /// A cell's mean is over all of its records: others add nothing.
  void append_along(const UnknownTable& table, const std::vector<double>& sums,
                    std::vector<double>& waiting) const {
    std::vector<double> count(table.columns.cells, 0.0);
    for (std::size_t i = 0; i < set_.n; ++i)
      count[cell_of(table.columns, i)] += 1.0;
    std::vector<double> mean(table.columns.cells * q_);
    for (std::size_t c = 0; c < table.columns.cells; ++c) {
      const double by = 1.0 / std::max(count[c], 1.0);
      for (std::size_t j = 0; j < q_; ++j)
        mean[c * q_ + j] = by * sums[c * width_ + j];
    }
    const std::vector<double> along =
        turned_table(std::move(mean), table.axes, true, q_);
    for (std::size_t c = 0; c < along.size() / q_; ++c) {
      const double by = std::sqrt(table.variance[c]);
      for (std::size_t j = 0; j < q_; ++j)
        waiting.push_back(by * along[c * q_ + j]);
    }
  }

  const CodedFile& set_;
  std::vector<std::size_t> row_;
  std::size_t q_, width_;
  std::vector<double> pulls_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_MISSED_SUMS_HPP
