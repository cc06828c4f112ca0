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

/// A record's row, added up from its lines.
/// @param longest what it is cut to.
/// @param weight[in,out] of the row; less where it is cut.
template <int W>
PSEUDOSYNTH_INLINE void summed_row_kernel(const std::uint32_t* levels,
                                          const float* lines,
                                          std::size_t columns,
                                          std::size_t width, double longest,
                                          double& weight, float* row) {
  simd::Real<W> squared{};
  for (std::size_t at = 0; at < width; at += 2 * W) {
    simd::Floats<2 * W> x, line;
    simd::load_floats<2 * W>(lines + at, x);
    const float* of_levels = lines + width + at;
    for (std::size_t t = 0; t < columns; ++t) {
      simd::load_floats<2 * W>(of_levels + width * levels[t], line);
      x += line;
    }
    simd::store_floats<2 * W>(x, row + at);
    for (int half = 0; half < 2 * W; half += W) {
      simd::Floats<W> rough;
      simd::load_floats<W>(row + at + half, rough);
      const simd::Real<W> y = __builtin_convertvector(rough, simd::Real<W>);
      squared += y * y;
    }
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
PSEUDOSYNTH_DISPATCH(summed_row,
                     (const std::uint32_t* levels, const float* lines,
                      std::size_t columns, std::size_t width, double longest,
                      double& weight, float* row),
                     (levels, lines, columns, width, longest, weight, row))

/// The lines of a record, and its weight.
struct ScoreRecord {
  const std::uint32_t* levels;
  float weight;
};

/// Of two rows that are added up from their lines.
template <int W>
PSEUDOSYNTH_INLINE void summed_step_kernel(const ScoreRecord& one,
                                           const ScoreRecord& other,
                                           const float* lines,
                                           std::size_t columns,
                                           const double* sum, std::size_t width,
                                           float* difference, ScoreStep& step) {
  simd::Real<W> along{}, squared{};
  for (std::size_t at = 0; at < width; at += 2 * W) {
    simd::Floats<2 * W> x, y, line;
    simd::load_floats<2 * W>(lines + at, x);
    y = x;
    const float* of_levels = lines + width + at;
    for (std::size_t t = 0; t < columns; ++t) {
      simd::load_floats<2 * W>(of_levels + width * one.levels[t], line);
      x += line;
      simd::load_floats<2 * W>(of_levels + width * other.levels[t], line);
      y += line;
    }
    x = x * one.weight - y * other.weight;
    simd::store_floats<2 * W>(x, difference + at);
    add_step<W>(difference + at, sum + at, along, squared);
  }
  step.along = simd::sum<W>(along);
  step.squared = simd::sum<W>(squared);
}
PSEUDOSYNTH_DISPATCH(summed_step,
                     (const ScoreRecord& one, const ScoreRecord& other,
                      const float* lines, std::size_t columns,
                      const double* sum, std::size_t width, float* difference,
                      ScoreStep& step),
                     (one, other, lines, columns, sum, width, difference, step))

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
  ScoreSum(const ScoreRows& rows, const NumberedLevels& levels,
           std::size_t most_kept)
      : rows_(rows),
        levels_(levels),
        width_((rows.width + 15) / 16 * 16),
        n_lines_(1 + levels.first(levels.n_columns())),
        lines_(n_lines_ * width_),
        difference_(width_),
        sum_(width_),
        weight_(rows.weight) {
    for (std::size_t g = 0; g < n_lines_; ++g) {
      for (std::size_t p = 0; p < rows.width; ++p)
        lines_[g * width_ + p] =
            static_cast<float>(rows.lines[g * rows.width + p]);
    }
    if (most_kept == 0) return;
    const bool keeps = weight_.size() * rows.width <= most_kept;
    if (!keeps && rows.longest.empty()) return;
    if (keeps) kept_.assign(weight_.size() * width_);
    constexpr double any = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < weight_.size(); ++i)
      detail::summed_row(
          levels_.row(i), lines_.data(), levels_.n_columns(), width_,
          rows.longest.empty() ? any : rows.longest[i], weight_[i],
          keeps ? kept_.data() + i * width_ : difference_.data());
  }

  /// Of the records as they are. @param missed of record i.
  template <class Missed>
  void sum_up(Missed missed) {
    // By level first: a record costs its columns, not its columns' lines
    std::vector<double> of_line(n_lines_, 0.0);
    for (std::size_t i = 0; i < weight_.size(); ++i) {
      const double own = weight_[i] * missed(i);
      const std::uint32_t* level = levels_.row(i);
      of_line[0] += own;
      for (std::size_t t = 0; t < levels_.n_columns(); ++t)
        of_line[1 + level[t]] += own;
    }
    sum_.zero();
    for (std::size_t g = 0; g < n_lines_; ++g) {
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
    if (kept_.size() > 0) {
      detail::kept_step(kept_.data() + one * width_,
                        kept_.data() + other * width_, sum_.data(), width_,
                        difference_.data(), step);
    } else {
      detail::summed_step(record(one), record(other), lines_.data(),
                          levels_.n_columns(), sum_.data(), width_,
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
    __builtin_prefetch(levels_.row(i));
    if (kept_.size() == 0) {
      __builtin_prefetch(&weight_[i]);
      return;
    }
    for (std::size_t p = 0; p < width_; p += 16)
      __builtin_prefetch(kept_.data() + i * width_ + p);
  }

 private:
  detail::ScoreRecord record(std::size_t i) const {
    return {levels_.row(i), static_cast<float>(weight_[i])};
  }

  const ScoreRows& rows_;
  const NumberedLevels& levels_;
  /// Of a line, to a whole number of vectors.
  std::size_t width_;
  std::size_t n_lines_;
  simd::FloatBuffer lines_, kept_, difference_;
  simd::AlignedBuffer sum_;
  std::vector<double> weight_;
  double squared_ = 0.0;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_SCORE_SUM_HPP
