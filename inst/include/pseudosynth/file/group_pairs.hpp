// Random pairs of records of the same group.
#ifndef PSEUDOSYNTH_FILE_GROUP_PAIRS_HPP
#define PSEUDOSYNTH_FILE_GROUP_PAIRS_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../count_of.hpp"
#include "../rng.hpp"

namespace pseudosynth {

/// @brief A record, and another of its group: both uniform, so that a pair is
/// as probable as its reverse.
class GroupPairs {
 public:
  /// @param group of each record, from 1; records alone in theirs are in no
  ///   pair.
  explicit GroupPairs(const std::vector<int>& group) {
    std::vector<std::vector<std::uint32_t>> members;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::size_t g = static_cast<std::size_t>(group[i]);
      if (g > members.size()) members.resize(g);
      members[g - 1].push_back(static_cast<std::uint32_t>(i));
    }
    for (const auto& own : members) {
      if (own.size() < 2) continue;
      const Range range{record_.size(), count_of(own)};
      record_.insert(record_.end(), own.begin(), own.end());
      range_of_.insert(range_of_.end(), own.size(),
                       static_cast<std::uint32_t>(ranges_.size()));
      ranges_.push_back(range);
    }
  }

  /// Records that have another in their group.
  std::size_t n_records() const { return record_.size(); }

  /// @pre n_records() > 0.
  std::pair<std::uint32_t, std::uint32_t> draw(Rng& rng) const {
    const std::size_t one =
        static_cast<std::size_t>(rng.integer(count_of(record_)));
    const Range& range = ranges_[range_of_[one]];
    std::size_t other =
        range.first + static_cast<std::size_t>(rng.integer(range.size - 1));
    other += other >= one;
    return {record_[one], record_[other]};
  }

 private:
  /// A group's records, which stand together.
  struct Range {
    std::size_t first;
    int size;
  };

  std::vector<std::uint32_t> record_;
  std::vector<std::uint32_t> range_of_;
  std::vector<Range> ranges_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_GROUP_PAIRS_HPP
