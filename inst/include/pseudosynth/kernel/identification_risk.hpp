// Identification risk: how many values of a record's pattern M_i lie in the
// ball B(y_i, r_i) around its true value, in the file itself (count weights;
// Savitsky, Hu and Williams, Algorithm 2) or in synthetic sets, where record
// i's own synthetic value must lie in it, too (Hu and Savitsky, equation 8):
//   IR_i = T_i (|M_i| - c_i) / |M_i|,
//   c_i = number of j in M_i with |y*_j - y_i| <= r_i,
//   T_i = 1 if |y*_i - y_i| <= r_i, else 0.
// Sorting within the pattern and bisection make it O(N log N) per set.
#ifndef PSEUDOSYNTH_KERNEL_IDENTIFICATION_RISK_HPP
#define PSEUDOSYNTH_KERNEL_IDENTIFICATION_RISK_HPP

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

namespace pseudosynth {

/// Records by pattern: pattern p holds order[start[p]], .., in file order.
struct PatternIndex {
  std::vector<int> start;  // n_patterns + 1
  std::vector<int> order;  // N

  /// @param pattern (N) 0-based pattern of each record.
  PatternIndex(const std::vector<int>& pattern, int n_patterns)
      : start(static_cast<std::size_t>(n_patterns) + 1, 0),
        order(pattern.size()) {
    for (const int p : pattern) {
      if (p < 0 || p >= n_patterns)
        throw std::invalid_argument("a record's pattern does not exist");
      ++start[static_cast<std::size_t>(p) + 1];
    }
    std::partial_sum(start.begin(), start.end(), start.begin());
    std::vector<int> next(start.begin(), start.end() - 1);
    for (std::size_t i = 0; i < pattern.size(); ++i)
      order[next[pattern[i]]++] = static_cast<int>(i);
  }

  int size(int p) const {
    return start[static_cast<std::size_t>(p) + 1] - start[p];
  }
};

/// The values of each pattern in ascending order, patterns one after another.
inline std::vector<double> sort_within(const PatternIndex& index,
                                       const double* value) {
  std::vector<double> sorted(index.order.size());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    sorted[i] = value[index.order[i]];
  for (std::size_t p = 0; p + 1 < index.start.size(); ++p)
    std::sort(sorted.begin() + index.start[p],
              sorted.begin() + index.start[p + 1]);
  return sorted;
}

/// Is `value` in the closed ball? Rounding is monotone, so that bisection with
/// this very test counts what a loop over all values counts.
inline bool in_ball(double value, double centre, double radius) {
  const double distance = value - centre;
  return distance >= -radius && distance <= radius;
}

/// Which of the ascending values [first, last) lie in the closed ball.
inline std::pair<const double*, const double*> close_values(const double* first,
                                                            const double* last,
                                                            double centre,
                                                            double radius) {
  const double* low = std::partition_point(
      first, last, [=](double v) { return v - centre < -radius; });
  return {low, std::partition_point(
                   low, last, [=](double v) { return v - centre <= radius; })};
}

inline int count_in_ball(const double* first, const double* last, double centre,
                         double radius) {
  const auto close = close_values(first, last, centre, radius);
  return static_cast<int>(close.second - close.first);
}

/// Sums over the records of one synthetic set (Hornby and Hu 2021).
struct MatchSums {
  double risk = 0.0;          // sum of IR_i
  double expected = 0.0;      // sum of T_i / c_i
  long long unique = 0;       // records with c_i = 1
  long long true_unique = 0;  // those with T_i = 1 among them

  MatchSums& operator+=(const MatchSums& other) {
    risk += other.risk;
    expected += other.expected;
    unique += other.unique;
    true_unique += other.true_unique;
    return *this;
  }
};

/// What the synthetic sets give away about the records.
struct RecordRisk {
  std::vector<double> risk;     // N: mean over sets of IR_i
  std::vector<double> own;      // N: share of sets with T_i = 1
  std::vector<double> matches;  // N: mean over sets of c_i
};

/// The risks of the records query[first], .., query[last - 1].
///
/// @param query (N) Records by pattern and true value: neighbours in it look
///   at neighbouring values.
/// @param sorted (m) sort_within() of every set.
/// @param synthetic (N x m, column-major) Values in file order.
/// @param[out] out Entries of these records; @param[out] sums (m) are added to.
inline void identification_risk_block(
    const std::vector<int>& query, int first, int last,
    const std::vector<int>& pattern, const PatternIndex& index, const double* y,
    const double* radius, const std::vector<std::vector<double>>& sorted,
    const double* synthetic, RecordRisk& out, MatchSums* sums) {
  const std::size_t n = pattern.size(), m = sorted.size();
  for (int q = first; q < last; ++q) {
    const std::size_t i = static_cast<std::size_t>(query[q]);
    const std::size_t p = static_cast<std::size_t>(pattern[i]);
    const double size = index.size(static_cast<int>(p));
    // Whole numbers, so that the sums are exact in any order
    double outside = 0.0, own = 0.0, matches = 0.0;
    for (std::size_t set = 0; set < m; ++set) {
      const double* values = sorted[set].data();
      const int c = count_in_ball(values + index.start[p],
                                  values + index.start[p + 1], y[i], radius[i]);
      const bool hit = in_ball(synthetic[set * n + i], y[i], radius[i]);
      matches += c;
      if (c == 1) ++sums[set].unique;
      if (!hit) continue;
      own += 1.0;
      outside += size - c;
      sums[set].risk += (size - c) / size;
      sums[set].expected += 1.0 / c;
      if (c == 1) ++sums[set].true_unique;
    }
    const double n_sets = static_cast<double>(m);
    out.risk[i] = outside / (size * n_sets);
    out.own[i] = own / n_sets;
    out.matches[i] = matches / n_sets;
  }
}

/// Records by pattern and, within it, by true value.
inline std::vector<int> query_order(const PatternIndex& index,
                                    const double* y) {
  std::vector<int> query = index.order;
  for (std::size_t p = 0; p + 1 < index.start.size(); ++p)
    std::stable_sort(query.begin() + index.start[p],
                     query.begin() + index.start[p + 1],
                     [y](int i, int j) { return y[i] < y[j]; });
  return query;
}

/// How many records of a pattern are close in every amount: each value lies in
/// the closed ball of its column. Without amounts all of the pattern are.
class CloseRecords {
 public:
  /// @param pattern (N) 0-based.
  /// @param values (N x amounts, column-major)
  CloseRecords(const std::vector<int>& pattern, int n_patterns,
               const double* values, std::size_t n_amounts)
      : index_(pattern, n_patterns),
        order_(n_amounts > 0 ? query_order(index_, values) : index_.order),
        n_amounts_(n_amounts),
        sorted_(order_.size() * n_amounts) {
    const std::size_t n = order_.size();
    for (std::size_t k = 0; k < n_amounts; ++k)
      for (std::size_t j = 0; j < n; ++j)
        sorted_[k * n + j] =
            values[k * n + static_cast<std::size_t>(order_[j])];
  }

  /// @param centre, radius Of each amount, `stride` apart.
  int count(int p, const double* centre, const double* radius,
            std::size_t stride) const {
    if (n_amounts_ == 0) return index_.size(p);
    const double* first = sorted_.data() + index_.start[to_size(p)];
    const double* last = sorted_.data() + index_.start[to_size(p) + 1];
    // Only those that are close in the first amount are looked at
    const auto near = close_values(first, last, *centre, *radius);
    if (n_amounts_ == 1) return static_cast<int>(near.second - near.first);
    int close = 0;
    for (const double* v = near.first; v != near.second; ++v) {
      std::size_t k = 1;
      while (k < n_amounts_ && in_ball(v[k * order_.size()], centre[k * stride],
                                       radius[k * stride]))
        ++k;
      close += k == n_amounts_;
    }
    return close;
  }

 private:
  static std::size_t to_size(int p) { return static_cast<std::size_t>(p); }

  PatternIndex index_;
  std::vector<int> order_;
  std::size_t n_amounts_;
  std::vector<double> sorted_;  // by amount, as order_
};

}  // namespace pseudosynth

#endif
