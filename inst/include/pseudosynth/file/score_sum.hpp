// A sum over records of what their amounts miss times a row of numbers of
// each, as two records swap their amounts: a regression's score.
#ifndef PSEUDOSYNTH_FILE_SCORE_SUM_HPP
#define PSEUDOSYNTH_FILE_SCORE_SUM_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "../simd_float.hpp"
#include "line_tiles.hpp"
#include "numbered_levels.hpp"

namespace pseudosynth {

/// @brief Record i's row is a_i times a line for all records plus the line of
/// each of its levels.
struct ScoreRows {
  /// Numbers in a line.
  std::size_t width = 0;
  /// Line after line: the one for all, then those of the levels as they are
  /// numbered.
  std::vector<double> lines;
  /// a_i.
  std::vector<double> weight;
  /// How long each row may be: a_i is smaller where it would be longer. Empty:
  /// as it is.
  std::vector<double> longest;
};

namespace detail {

/// The product of a difference of rows with the sum, and the difference's
/// square.
struct ScoreStep {
  double along = 0.0, squared = 0.0;
};

/// Adds the product and square of 2 W floats.
template <int W>
PSEUDOSYNTH_INLINE void add_step(const float* difference, const double* sum,
                                 simd::Real<W>& along, simd::Real<W>& squared) {
  for (int half = 0; half < 2 * W; half += W) {
    simd::Floats<W> rough;
    simd::load_floats<W>(difference + half, rough);
    const simd::Real<W> x = __builtin_convertvector(rough, simd::Real<W>);
    simd::Real<W> s;
    simd::load<W>(sum + half, s);
    along += x * s;
    squared += x * x;
  }
}

/// Of two rows that are there.
template <int W>
PSEUDOSYNTH_INLINE void kept_step_kernel(const float* one, const float* other,
                                         const double* sum, std::size_t width,
                                         float* difference, ScoreStep& step) {
  simd::Real<W> along{}, squared{};
  for (std::size_t at = 0; at < width; at += 2 * W) {
    simd::Floats<2 * W> x, y;
    simd::load_floats<2 * W>(one + at, x);
    simd::load_floats<2 * W>(other + at, y);
    x -= y;
    simd::store_floats<2 * W>(x, difference + at);
    add_step<W>(difference + at, sum + at, along, squared);
  }
  step.along = simd::sum<W>(along);
  step.squared = simd::sum<W>(squared);
}
PSEUDOSYNTH_DISPATCH(kept_step,
                     (const float* one, const float* other, const double* sum,
                      std::size_t width, float* difference, ScoreStep& step),
                     (one, other, sum, width, difference, step))

/// A row times its weight.
/// @param longest what it is cut to.
/// @param weight[in,out] less where it is cut.
template <int W>
PSEUDOSYNTH_INLINE void weighted_row_kernel(std::size_t width, double longest,
                                            double& weight, float* row) {
  simd::Real<W> squared{};
  for (std::size_t at = 0; at < width; at += W) {
    simd::Floats<W> rough;
    simd::load_floats<W>(row + at, rough);
    const simd::Real<W> y = __builtin_convertvector(rough, simd::Real<W>);
    squared += y * y;
  }
  weight = std::min(weight, longest / std::sqrt(simd::sum<W>(squared)));
  const float factor = static_cast<float>(weight);
  for (std::size_t at = 0; at < width; at += 2 * W) {
    simd::Floats<2 * W> x;
    simd::load_floats<2 * W>(row + at, x);
    x *= factor;
    simd::store_floats<2 * W>(x, row + at);
  }
}
PSEUDOSYNTH_DISPATCH(weighted_row,
                     (std::size_t width, double longest, double& weight,
                      float* row),
                     (width, longest, weight, row))

/// sum <- sum + factor difference; its square.
template <int W>
PSEUDOSYNTH_INLINE void take_step_kernel(const float* difference, double factor,
                                         std::size_t width, double* sum,
                                         double& squared) {
  simd::Real<W> total{}, by;
  simd::broadcast<W>(factor, by);
  for (std::size_t at = 0; at < width; at += W) {
    simd::Floats<W> rough;
    simd::load_floats<W>(difference + at, rough);
    simd::Real<W> s;
    simd::load<W>(sum + at, s);
    s += by * __builtin_convertvector(rough, simd::Real<W>);
    simd::store<W>(s, sum + at);
    total += s * s;
  }
  squared = simd::sum<W>(total);
}
PSEUDOSYNTH_DISPATCH(take_step,
                     (const float* difference, double factor, std::size_t width,
                      double* sum, double& squared),
                     (difference, factor, width, sum, squared))

}  // namespace detail

/// @brief The sum, in doubles; rows of records are floats.
class ScoreSum {
 public:
  /// @param rows with a line for all and one for each level.
  /// @param most_kept numbers of records' rows that are kept; where there are
  ///   more, rows are added up as they are needed. 0: no row is used.
  /// @param room where they are kept.
  ScoreSum(const ScoreRows& rows, const NumberedLevels& levels,
           std::size_t most_kept, simd::FloatBuffer& room)
      : rows_(rows),
        levels_(levels),
        tiles_(levels_of(levels), rows.lines, rows.width),
        width_(tiles_.stride()),
        difference_(width_),
        sum_(width_),
        weight_(rows.weight) {
    if (most_kept == 0) return;
    const bool keeps = weight_.size() * rows.width <= most_kept;
    const std::size_t together = std::min(weight_.size(), kTogether);
    at_.resize(std::max(together, kPair) * levels.n_columns());
    if (keeps) {
      room.make_room(weight_.size() * width_);
      kept_ = room.data();
    } else {
      pair_.assign(kPair * width_);
    }
    if (keeps || !rows.longest.empty()) add_up();
  }

  /// Of the records as they are. @param missed of record i.
  template <class Missed>
  void sum_up(Missed missed) {
    // By level first: a record costs its columns, not its columns' lines
    std::vector<double> of_line(1 + levels_.first(levels_.n_columns()), 0.0);
    for (std::size_t i = 0; i < weight_.size(); ++i) {
      const double own = weight_[i] * missed(i);
      const std::uint32_t* level = levels_.row(i);
      of_line[0] += own;
      for (std::size_t t = 0; t < levels_.n_columns(); ++t)
        of_line[1 + level[t]] += own;
    }
    sum_.zero();
    for (std::size_t g = 0; g < of_line.size(); ++g) {
      for (std::size_t p = 0; p < rows_.width; ++p)
        sum_[p] += of_line[g] * rows_.lines[g * rows_.width + p];
    }
    squared_ = 0.0;
    for (std::size_t p = 0; p < rows_.width; ++p) squared_ += sum_[p] * sum_[p];
  }

  /// |sum|^2.
  double squared() const { return squared_; }

  /// What the square would change by if record `one` got `more`, and `other`
  /// as much less.
  double change(std::size_t one, std::size_t other, double more) {
    detail::ScoreStep step;
    if (kept_ != nullptr) {
      detail::kept_step(kept_ + one * width_, kept_ + other * width_,
                        sum_.data(), width_, difference_.data(), step);
    } else {
      float* both = pair_.data();
      place(one, 0);
      place(other, 1);
      tiles_.add_up(at_.data(), kPair, both);
      weigh(one, kAny, both);
      weigh(other, kAny, both + width_);
      detail::kept_step(both, both + width_, sum_.data(), width_,
                        difference_.data(), step);
    }
    return more * (2.0 * step.along + more * step.squared);
  }

  /// What change() asked about last, done.
  void take(double more) {
    detail::take_step(difference_.data(), more, width_, sum_.data(), squared_);
  }

  /// A record's row is needed soon.
  void fetch(std::size_t i) const {
    levels_.fetch(i);
    if (kept_ == nullptr) {
      __builtin_prefetch(&weight_[i]);
      return;
    }
    for (std::size_t p = 0; p < width_; p += 16)
      __builtin_prefetch(kept_ + i * width_ + p);
  }

 private:
  // Rows that are added up tile by tile, and stay in the second cache meanwhile
  static constexpr std::size_t kTogether = 256, kPair = 2;
  static constexpr double kAny = std::numeric_limits<double>::infinity();

  static std::vector<int> levels_of(const NumberedLevels& levels) {
    std::vector<int> count;
    for (std::size_t t = 0; t < levels.n_columns(); ++t)
      count.push_back(static_cast<int>(levels.first(t + 1) - levels.first(t)));
    return count;
  }

  /// Rows from their lines, and weights of those that are cut.
  void add_up() {
    const std::size_t n = weight_.size();
    const bool keeps = kept_ != nullptr;
    simd::FloatBuffer some(keeps ? 0 : std::min(n, kTogether) * width_);
    for (std::size_t first = 0; first < n; first += kTogether) {
      const std::size_t rows = std::min(n - first, kTogether);
      for (std::size_t i = 0; i < rows; ++i) place(first + i, i);
      float* row = keeps ? kept_ + first * width_ : some.data();
      tiles_.add_up(at_.data(), rows, row);
      for (std::size_t i = first; i < first + rows; ++i, row += width_)
        weigh(i, rows_.longest.empty() ? kAny : rows_.longest[i], row);
    }
  }

  /// Where record i's lines are, as the k-th of some.
  void place(std::size_t i, std::size_t k) {
    const std::size_t columns = levels_.n_columns();
    for (std::size_t t = 0; t < columns; ++t)
      at_[k * columns + t] = tiles_.at(1 + levels_.row(i)[t]);
  }

  void weigh(std::size_t i, double longest, float* row) {
    detail::weighted_row(width_, longest, weight_[i], row);
  }

  const ScoreRows& rows_;
  const NumberedLevels& levels_;
  const LineTiles tiles_;
  /// Of a row, to a whole number of vectors.
  std::size_t width_;
  simd::FloatBuffer difference_, pair_;
  float* kept_ = nullptr;
  std::vector<std::uint32_t> at_;
  simd::AlignedBuffer sum_;
  std::vector<double> weight_;
  double squared_ = 0.0;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_SCORE_SUM_HPP
