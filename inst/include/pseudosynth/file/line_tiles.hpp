// Rows of records from lines of their levels, which are laid out for many rows.
#ifndef PSEUDOSYNTH_FILE_LINE_TILES_HPP
#define PSEUDOSYNTH_FILE_LINE_TILES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "../aligned_array.hpp"
#include "../simd_float.hpp"

namespace pseudosynth {

namespace detail {

/// Adds some columns' lines to rows of records: `tile` numbers of each row and
/// so few lines that they stay in the fastest cache.
struct LineTile {
  const float* lines;
  const std::uint32_t* at;  // of the first column
  std::size_t records, columns, at_stride, tile;
  float* rows;
  std::size_t stride;
};

/// Of n records at a time: one after the other each sum waits for the one
/// before. Of V vectors at a time: where a line is is read once for all.
template <int L, std::size_t n, std::size_t V>
PSEUDOSYNTH_INLINE void add_lines_of(const LineTile& p, std::size_t first) {
  const std::uint32_t* at = p.at + first * p.at_stride;
  float* rows = p.rows + first * p.stride;
  for (std::size_t k = 0; k < p.tile; k += V * L) {
    simd::Floats<L> sum[n][V], line;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < n; ++i) {
#pragma GCC unroll 4
      for (std::size_t v = 0; v < V; ++v)
        simd::load_floats<L>(rows + i * p.stride + k + v * L, sum[i][v]);
    }
    for (std::size_t j = 0; j < p.columns; ++j) {
#pragma GCC unroll 4
      for (std::size_t i = 0; i < n; ++i) {
        const float* from = p.lines + at[i * p.at_stride + j] + k;
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) {
          simd::load_floats<L>(from + v * L, line);
          sum[i][v] += line;
        }
      }
    }
#pragma GCC unroll 4
    for (std::size_t i = 0; i < n; ++i) {
#pragma GCC unroll 4
      for (std::size_t v = 0; v < V; ++v)
        simd::store_floats<L>(sum[i][v], rows + i * p.stride + k + v * L);
    }
  }
}

template <int W>
PSEUDOSYNTH_INLINE void add_lines_kernel(const LineTile& p) {
  std::size_t i = 0;
  if (p.tile > 16) {
    for (; i + 4 <= p.records; i += 4) add_lines_of<2 * W, 4, 2>(p, i);
  }
  for (; i + 4 <= p.records; i += 4) add_lines_of<2 * W, 4, 1>(p, i);
  for (; i + 2 <= p.records; i += 2) add_lines_of<2 * W, 2, 1>(p, i);
  for (; i < p.records; ++i) add_lines_of<2 * W, 1, 1>(p, i);
}
PSEUDOSYNTH_DISPATCH(add_lines, (const LineTile& p), (p))

}  // namespace detail

/// @brief A line for all records, and one for each level of all columns.
///
/// A row is the first plus the line of each of a record's levels, column by
/// column: sums of floats, which depend on the record alone, and on no
/// instruction set. Lines lie in tiles of 32 numbers, tile after tile, in each
/// line after line: what some columns' lines have of one tile stays in the
/// processor's first cache.
class LineTiles {
 public:
  /// @param levels of each column.
  /// @param lines of `width` numbers, line after line: the one for all first.
  LineTiles(const std::vector<int>& levels, const std::vector<double>& lines,
            std::size_t width)
      : tile_(width > kTile / 2 ? kTile : kTile / 2),
        stride_((width + tile_ - 1) / tile_ * tile_),
        columns_(levels.size()) {
    std::size_t n_lines = 1, together = 0;
    for (std::size_t j = 0; j < columns_; ++j) {
      const std::size_t own = static_cast<std::size_t>(levels[j]);
      together += own;
      if (tile_ * together > kTogether) {
        cut_.push_back(j);
        together = own;
      }
      n_lines += own;
    }
    cut_.push_back(columns_);
    if (lines.size() != n_lines * width)
      throw std::invalid_argument("a level has no line, or a line no level");
    if (n_lines > std::numeric_limits<std::uint32_t>::max() / tile_)
      throw std::overflow_error("there are too many levels");
    tile_size_ = tile_ * n_lines;
    tiles_.assign(stride_ * n_lines);
    for (std::size_t g = 0; g < n_lines; ++g) {
      for (std::size_t p = 0; p < width; ++p)
        tiles_[p / tile_ * tile_size_ + g * tile_ + p % tile_] =
            static_cast<float>(lines[g * width + p]);
    }
  }

  /// Numbers of a row with those that fill it up, which are 0.
  std::size_t stride() const { return stride_; }

  /// Where the g-th line is in a tile; the one for all is the 0-th.
  std::uint32_t at(std::size_t g) const {
    return static_cast<std::uint32_t>(tile_ * g);
  }

  /// @param at of the lines of n records, a number a column of each.
  /// @param[out] rows `stride` numbers of each.
  void add_up(const std::uint32_t* at, std::size_t n, float* rows) const {
    const float* lines = tiles_.data();
    for (std::size_t p = 0; p < stride_; p += tile_, lines += tile_size_) {
      for (std::size_t i = 0; i < n; ++i)
        std::copy(lines, lines + tile_, rows + i * stride_ + p);
      for (std::size_t c = 0; c + 1 < cut_.size(); ++c)
        detail::add_lines({lines, at + cut_[c], n, cut_[c + 1] - cut_[c],
                           columns_, tile_, rows + p, stride_});
    }
  }

 private:
  /// Numbers of a line that lie together, of short lines half as many, and of
  /// all lines that are read in turn
  static constexpr std::size_t kTile = 32, kTogether = 5120;

  std::size_t tile_, stride_, columns_, tile_size_ = 0;
  simd::FloatBuffer tiles_;
  std::vector<std::size_t> cut_{0};
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_LINE_TILES_HPP
