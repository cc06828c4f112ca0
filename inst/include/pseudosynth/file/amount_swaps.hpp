// An amount's values given to records: two of them swap theirs, under
// exp(-beta energy), so that the values stay the same and their relations to
// the columns come close to targets.
#ifndef PSEUDOSYNTH_FILE_AMOUNT_SWAPS_HPP
#define PSEUDOSYNTH_FILE_AMOUNT_SWAPS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../rng.hpp"
#include "binned_tables.hpp"
#include "coded_file.hpp"
#include "group_pairs.hpp"
#include "numbered_levels.hpp"
#include "score_sum.hpp"

namespace pseudosynth {

/// What an amount of n records is fitted to.
struct AmountTask {
  /// The predictors' codes, checked.
  CodedFile file;
  std::size_t bins = 1;
  /// One a column.
  std::vector<BinnedTarget> tables;
  /// Row by row, as the file has its columns.
  ScoreRows rows;
  double score_weight = 0.0;
  /// Of each record.
  std::vector<double> expected;
  std::vector<int> group;
  /// Numbers of records' rows that are kept: 256 MB.
  std::size_t most_kept = std::size_t{1} << 26;
  /// What each record's value may be; empty: anything.
  std::vector<double> low, high;
  /// Of each value where it was first; how hard each record pulls at it, and
  /// how firmly it holds what it pulls at: a normal law of its values. Empty:
  /// none.
  std::vector<double> latent, pull, hold;
};

/// A value as a record holds it.
struct HeldAmount {
  double value;
  std::uint32_t bin;
  /// The record that held it first.
  std::uint32_t from;
};

namespace detail {

/// Columns with a table, then those without.
inline std::vector<std::size_t> tables_first(
    const std::vector<BinnedTarget>& tables) {
  std::vector<std::size_t> order(tables.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(), [&](std::size_t j) {
    return !tables[j].target.empty();
  });
  return order;
}

inline std::vector<BinnedTarget> ordered_targets(
    const std::vector<BinnedTarget>& tables,
    const std::vector<std::size_t>& order) {
  std::vector<BinnedTarget> targets;
  for (const std::size_t j : order) {
    if (!tables[j].target.empty()) targets.push_back(tables[j]);
  }
  return targets;
}

/// The lines of the columns in order.
/// @throw std::invalid_argument where lines are not as many as levels.
inline ScoreRows ordered_rows(const AmountTask& task,
                              const std::vector<std::size_t>& order) {
  const std::vector<int>& levels = task.file.levels;
  const std::size_t n_lines = std::accumulate(
      levels.begin(), levels.end(), std::size_t{1},
      [](std::size_t sum, int L) { return sum + static_cast<std::size_t>(L); });
  if (task.rows.lines.size() != n_lines * task.rows.width)
    throw std::invalid_argument("a level has no line, or a line no level");
  const auto line = [&](std::size_t g) {
    return task.rows.lines.begin() +
           static_cast<std::ptrdiff_t>(g * task.rows.width);
  };
  ScoreRows rows{
      task.rows.width, {line(0), line(1)}, task.rows.weight, task.rows.longest};
  for (const std::size_t j : order) {
    std::size_t first = 1;
    for (std::size_t k = 0; k < j; ++k)
      first += static_cast<std::size_t>(levels[k]);
    rows.lines.insert(rows.lines.end(), line(first),
                      line(first + static_cast<std::size_t>(levels[j])));
  }
  return rows;
}

}  // namespace detail

/// @brief Records and the values they hold. The energy is
/// sum over tables of weight |counts - targets|^2 / 2, plus
/// score weight |sum_i row_i (value_i - expected_i)|^2. Beside exp(-beta
/// energy) their law has exp(sum_i pull_i latent_i - hold_i latent_i^2 / 2),
/// whatever beta is.
class SwappedAmounts {
 public:
  /// @param room where rows are kept: large, and as good for the next part.
  SwappedAmounts(const AmountTask& task, std::vector<HeldAmount> held,
                 simd::FloatBuffer& room)
      : SwappedAmounts(task, std::move(held), room,
                       detail::tables_first(task.tables)) {}

  SwappedAmounts(const SwappedAmounts&) = delete;
  SwappedAmounts& operator=(const SwappedAmounts&) = delete;

  const std::vector<HeldAmount>& held() const { return held_; }

  double energy() const {
    return table_energy_ + score_weight_ * score_.squared();
  }

  /// Tables and sums anew from the records: what moves left of rounding goes.
  void count() {
    tables_.count(
        held_.size(), [&](std::size_t i) { return levels_.row(i); },
        [&](std::size_t i) { return held_[i].bin; });
    table_energy_ = tables_.energy(levels_);
    if (score_weight_ > 0.0)
      score_.sum_up(
          [&](std::size_t i) { return held_[i].value - expected_[i]; });
  }

  /// As many pairs as give each record one turn, on average.
  /// @return false where it was stopped.
  bool sweep(double beta, Rng& rng, const std::function<bool()>& should_stop) {
    const std::size_t turns = (pairs_.n_records() + 1) / 2;
    Turn batch[kBatch];
    for (std::size_t done = 0; done < turns; done += kBatch) {
      if (done % 4096 == 0 && should_stop && should_stop()) return false;
      const std::size_t n = std::min(kBatch, turns - done);
      // Drawn beforehand, records come from memory while others move
      for (std::size_t b = 0; b < n; ++b) {
        const auto pair = pairs_.draw(rng);
        batch[b] = {pair.first, pair.second, rng.exponential()};
        fetch(pair.first);
        fetch(pair.second);
      }
      for (std::size_t b = 0; b < n; ++b) move(batch[b], beta);
    }
    return true;
  }

 private:
  static constexpr std::size_t kBatch = 32;

  /// Two records, and what beta times the energy may rise by if they swap.
  struct Turn {
    std::uint32_t one, other;
    double may_rise;
  };

  SwappedAmounts(const AmountTask& task, std::vector<HeldAmount> held,
                 simd::FloatBuffer& room, const std::vector<std::size_t>& order)
      : held_(std::move(held)),
        expected_(task.expected),
        low_(task.low),
        high_(task.high),
        latent_(task.latent),
        pull_(task.pull),
        hold_(task.hold),
        score_weight_(task.score_weight),
        levels_(task.file, order),
        rows_(detail::ordered_rows(task, order)),
        pairs_(task.group),
        tables_(levels_, detail::ordered_targets(task.tables, order),
                task.bins),
        score_(rows_, levels_, score_weight_ > 0.0 ? task.most_kept : 0, room) {
    count();
  }

  /// Metropolis: the pair's reverse is as probable.
  void move(const Turn& turn, double beta) {
    HeldAmount& own = held_[turn.one];
    HeldAmount& others = held_[turn.other];
    const int fewer = fewer_beyond(turn);
    if (fewer < 0) return;
    const double may_rise = turn.may_rise + pulled(turn);
    const std::uint32_t* one = levels_.row(turn.one);
    const std::uint32_t* other = levels_.row(turn.other);
    const double in_tables = tables_.change(one, own.bin, other, others.bin);
    const double more = others.value - own.value;
    if (fewer > 0) {
      if (score_weight_ > 0.0) {
        score_.change(turn.one, turn.other, more);
        score_.take(more);
      }
    } else if (score_weight_ > 0.0) {
      // A sum can lose no more than all of it, which is soon little
      const double most = score_weight_ * score_.squared();
      if (beta * (in_tables - most) > may_rise) return;
      const double in_score =
          score_weight_ * score_.change(turn.one, turn.other, more);
      if (beta * (in_tables + in_score) > may_rise) return;
      score_.take(more);
    } else if (beta * in_tables > may_rise) {
      return;
    }
    tables_.swap(one, own.bin, other, others.bin);
    table_energy_ += in_tables;
    std::swap(own, others);
  }

  /// How many fewer values lie beyond what their record may have, if two swap.
  /// Above 0 they do, whatever the energy: until none is left, which is for
  /// good, this is no Metropolis move.
  int fewer_beyond(const Turn& turn) const {
    if (low_.empty()) return 0;
    const auto beyond = [&](std::uint32_t i, double value) {
      return static_cast<int>(value < low_[i] || value > high_[i]);
    };
    const double own = held_[turn.one].value;
    const double others = held_[turn.other].value;
    return beyond(turn.one, own) + beyond(turn.other, others) -
           beyond(turn.one, others) - beyond(turn.other, own);
  }

  /// How much more the two records are pulled at their values, if these swap.
  double pulled(const Turn& turn) const {
    if (pull_.empty()) return 0.0;
    const double own = latent_[held_[turn.one].from];
    const double others = latent_[held_[turn.other].from];
    return (others - own) *
           ((pull_[turn.one] - pull_[turn.other]) -
            (hold_[turn.one] - hold_[turn.other]) * (others + own) / 2.0);
  }

  void fetch(std::size_t i) const {
    __builtin_prefetch(&held_[i], 1);
    score_.fetch(i);
  }

  std::vector<HeldAmount> held_;
  const std::vector<double>& expected_;
  const std::vector<double>&low_, &high_, &latent_, &pull_, &hold_;
  double score_weight_;
  NumberedLevels levels_;
  ScoreRows rows_;
  GroupPairs pairs_;
  BinnedTables tables_;
  ScoreSum score_;
  double table_energy_ = 0.0;
};

/// `sweeps` sweeps at each of the inverse temperatures in turn.
/// @param[out] energy after each.
/// @return false where it was stopped.
inline bool anneal(SwappedAmounts& amounts, const std::vector<double>& betas,
                   int sweeps, Rng& rng,
                   const std::function<bool()>& should_stop,
                   std::vector<double>& energy) {
  for (const double beta : betas) {
    amounts.count();
    for (int s = 0; s < sweeps; ++s) {
      if (!amounts.sweep(beta, rng, should_stop)) return false;
    }
    energy.push_back(amounts.energy());
  }
  return true;
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_AMOUNT_SWAPS_HPP
