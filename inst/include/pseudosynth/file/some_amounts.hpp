// Some of the records of an amount, so that parts of many swap apart.
#ifndef PSEUDOSYNTH_FILE_SOME_AMOUNTS_HPP
#define PSEUDOSYNTH_FILE_SOME_AMOUNTS_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "amount_swaps.hpp"
#include "binned_tables.hpp"
#include "coded_file.hpp"

namespace pseudosynth {

/// @brief Records with a value each, of which some are taken. A view.
struct AmountRecords {
  CodedFile file;
  const double* value = nullptr;
  const int* bin = nullptr;
  const double* row_weight = nullptr;
  const double* expected = nullptr;
  const int* group = nullptr;
  /// None: rows may be as long as they are.
  const double* row_longest = nullptr;
  /// None: anything.
  const double* low = nullptr;
  const double* high = nullptr;
  /// None: nothing links a record's values.
  const double* latent = nullptr;
  const double* pull = nullptr;
  const double* hold = nullptr;
};

/// @brief Some of the records: what they are fitted to, a share of the targets
/// of all, and what they hold.
class SomeAmounts {
 public:
  /// @param targets `bins`, `tables`, `rows.width`, `rows.lines`,
  ///   `score_weight` and `most_kept`; those of all records.
  SomeAmounts(const AmountRecords& all, const AmountTask& targets,
              std::vector<std::uint32_t> records)
      : record_(std::move(records)), task_(targets) {
    const std::size_t n = record_.size();
    codes_.reserve(n * all.file.n_columns());
    for (std::size_t j = 0; j < all.file.n_columns(); ++j) {
      const int* column = all.file.column(static_cast<int>(j));
      for (const std::uint32_t i : record_) codes_.push_back(column[i]);
    }
    task_.file = {codes_.data(), n, all.file.levels};
    const double share =
        static_cast<double>(n) / static_cast<double>(all.file.n);
    for (BinnedTarget& table : task_.tables) {
      for (double& cell : table.target) cell *= share;
    }
    take(all.row_weight, task_.rows.weight);
    take(all.row_longest, task_.rows.longest);
    take(all.expected, task_.expected);
    take(all.group, task_.group);
    take(all.low, task_.low);
    take(all.high, task_.high);
    take(all.latent, task_.latent);
    take(all.pull, task_.pull);
    take(all.hold, task_.hold);
    for (std::size_t k = 0; k < n; ++k)
      held_.push_back({all.value[record_[k]],
                       static_cast<std::uint32_t>(all.bin[record_[k]]),
                       static_cast<std::uint32_t>(k)});
  }

  const AmountTask& task() const { return task_; }
  const std::vector<HeldAmount>& held() const { return held_; }
  std::uint32_t record(std::size_t k) const { return record_[k]; }

 private:
  template <class Number>
  void take(const Number* all, std::vector<Number>& own) const {
    if (all == nullptr) return;
    own.reserve(record_.size());
    for (const std::uint32_t i : record_) own.push_back(all[i]);
  }

  std::vector<std::uint32_t> record_;
  std::vector<int> codes_;
  AmountTask task_;
  std::vector<HeldAmount> held_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_SOME_AMOUNTS_HPP
