// Sums of whole numbers over records, exact: what a score release adds noise
// to.
#ifndef PSEUDOSYNTH_SYNTH_SCORE_SUMS_HPP
#define PSEUDOSYNTH_SYNTH_SCORE_SUMS_HPP

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace pseudosynth {

/// @brief sum_i q_i z_{r(i)} for public whole vectors z and clipped scores q.
///
/// Records of one design row have the same z, so that their scores are added
/// first.
/// @param z n_rows x n_columns, column-major.
/// @param row 0-based design row of each record.
/// @param limit no |q_i| is larger.
/// @throw std::invalid_argument for a score above its limit or a row that is
///   not there; std::overflow_error where a sum could leave 2^52, above which
///   a double is no longer exact.
inline std::vector<std::int64_t> score_sums(const std::vector<std::int64_t>& z,
                                            int n_rows, int n_columns,
                                            const std::vector<int>& row,
                                            const std::vector<std::int64_t>& q,
                                            std::int64_t limit) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 52;
  const std::size_t R = static_cast<std::size_t>(n_rows);
  if (z.size() != R * static_cast<std::size_t>(n_columns) ||
      row.size() != q.size() || limit < 1 || limit > kLargest)
    throw std::invalid_argument("parts of a sum differ in length");
  std::int64_t widest = 1;
  for (std::int64_t x : z) {
    if (x > kLargest || x < -kLargest)
      throw std::overflow_error("a public vector is too long");
    widest = x > widest ? x : -x > widest ? -x : widest;
  }
  // No sum, whole or in part, is larger than all |q| times the longest vector
  std::int64_t left = kLargest / widest;
  std::vector<std::int64_t> by_row(R, 0);
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (q[i] > limit || q[i] < -limit)
      throw std::invalid_argument("a score exceeds its limit");
    if (row[i] < 0 || row[i] >= n_rows)
      throw std::invalid_argument("there is no such design row");
    left -= q[i] < 0 ? -q[i] : q[i];
    if (left < 0) throw std::overflow_error("the sums could leave 2^52");
    by_row[row[i]] += q[i];
  }
  std::vector<std::int64_t> sums(static_cast<std::size_t>(n_columns), 0);
  for (int j = 0; j < n_columns; ++j) {
    const std::int64_t* column = z.data() + static_cast<std::size_t>(j) * R;
    std::int64_t sum = 0;
    for (std::size_t r = 0; r < R; ++r) sum += column[r] * by_row[r];
    sums[j] = sum;
  }
  return sums;
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SYNTH_SCORE_SUMS_HPP
