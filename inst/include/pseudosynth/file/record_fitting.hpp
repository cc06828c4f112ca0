// Records whose tables come close to targets: Gibbs moves of one cell of one
// record under exp(-beta sum weight |tables - targets|^2 / 2), beta rising, and
// Metropolis moves of all cells at once that rules tie together.
#ifndef PSEUDOSYNTH_FILE_RECORD_FITTING_HPP
#define PSEUDOSYNTH_FILE_RECORD_FITTING_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "../rng.hpp"
#include "forbidden_cells.hpp"
#include "missed_tables.hpp"
#include "tied_columns.hpp"

namespace pseudosynth {

/// What records are fitted to; the same for all sets.
struct FittingTask {
  std::vector<int> levels;
  /// Columns that no move changes.
  std::vector<char> fixed;
  std::vector<TargetTable> tables;
  ForbiddenCells forbidden;
  std::vector<PooledTable> pooled;
};

/// @brief Records as rows of levels from 0, and how far their tables are from
/// the targets.
class FittedRecords {
 public:
  /// @param rows n x d levels from 0, row by row, none of them forbidden.
  /// @param scale of the targets, which are for `scale` times fewer records.
  FittedRecords(const FittingTask& task, std::vector<std::uint16_t> rows,
                double scale)
      : task_(task),
        d_(task.levels.size()),
        n_(rows.size() / d_),
        rows_(std::move(rows)),
        missed_(task.levels, task.fixed, task.tables, task.pooled, scale),
        to_(d_),
        back_(d_) {
    missed_.count(rows_.data(), n_);
    std::size_t most = 1;
    const std::vector<char> none(d_, 0);
    for (std::size_t j = 0; j < d_; ++j) {
      all_.push_back(missed_.tables_with(j, none));
      most = std::max(most, simd::whole_float_lanes(levels(j)));
    }
    law_.resize(most);
    energy_.resize(most);
    bars_.resize(most);
    barred_.resize(most / ForbiddenCells::kBits + 1);
    own_.resize(barred_.size());
    for (const std::vector<std::size_t>& group :
         tied_groups(task.fixed, task.forbidden)) {
      if (group.size() > 1) add_group(group);
    }
  }

  std::size_t size() const { return n_; }
  const std::vector<std::uint16_t>& rows() const { return rows_; }

  /// sum weight |tables - targets|^2 / 2.
  double energy() const { return missed_.squared() / 2.0; }

  /// Column j of record i from its full conditional at `beta`.
  void move(std::size_t i, std::size_t j, double beta, Rng& rng) {
    std::uint16_t* record = row(i);
    const auto& places = task_.forbidden.places_of(static_cast<int>(j));
    if (!places.empty() && bar(record, j, places) == 1) return;
    missed_.law(record, record, j, all_[j], beta,
                places.empty() ? nullptr : bars(j), law_.data());
    change(record, j, drawn(levels(j), rng));
  }

  /// The columns of a block of a group of record i at once: each is drawn given
  /// those before it, as far as tables and rules tell, and what this leaves out
  /// decides whether the record moves (Metropolis and Hastings).
  ///
  /// With Z the sum of a draw's law, what is proposed has probability
  /// exp(-beta energy) / product of Z: the ratio of the products of Z, of the
  /// new cells and of the old, accepts it. Nothing is proposed where a rule
  /// leaves a column no level.
  void move_block(std::size_t i, std::size_t group, std::size_t block,
                  double beta, Rng& rng) {
    const Block& own = groups_[group][block];
    const std::vector<std::size_t>& column = own.tied.column;
    std::uint16_t* record = row(i);
    std::copy_n(record, d_, to_.begin());
    double gain = 0.0;
    // Up to the first draw that moves both laws are one
    std::size_t moved = 0;
    for (std::size_t k = 0; k < column.size();) {
      const Draw draw = law_of(to_.data(), record, own, k, beta);
      if (draw.size == 0) return;
      to_[column[k]] =
          draw.only ? only_
                    : static_cast<std::uint16_t>(drawn(levels(column[k]), rng));
      follow(to_.data(), own.tied, k, draw.size - 1);
      if (moved > 0) gain += draw.log_sum;
      for (const std::size_t last = k + draw.size; k < last; ++k) {
        if (moved == 0 && to_[column[k]] != record[column[k]]) moved = last;
      }
    }
    if (moved == 0) return;
    std::copy_n(record, d_, back_.begin());
    for (std::size_t k = moved; k < column.size();) {
      const Draw draw = law_of(back_.data(), record, own, k, beta);
      gain -= draw.log_sum;
      for (const std::size_t last = k + draw.size; k < last; ++k)
        back_[column[k]] = record[column[k]];
    }
    if (!(gain >= 0.0 || rng.uniform() < std::exp(gain))) return;
    for (const std::size_t j : column) change(record, j, to_[j]);
  }

  /// Every cell that is not fixed, once, and cells that rules tie.
  /// @return false where it was stopped.
  bool sweep(double beta, Rng& rng, const std::function<bool()>& should_stop) {
    // Some records at a time, column by column: what a column's moves compare
    // stays in the processor's first cache
    for (std::size_t first = 0; first < n_; first += kTogether) {
      if (should_stop && should_stop()) return false;
      const std::size_t last = std::min(n_, first + kTogether);
      for (std::size_t j = 0; j < d_; ++j) {
        if (task_.fixed[j]) continue;
        for (std::size_t i = first; i < last; ++i) move(i, j, beta, rng);
      }
      for (std::size_t i = first; i < last && !groups_.empty(); ++i)
        move_groups(i, beta, rng);
    }
    return true;
  }

 private:
  // Of a level that is forbidden: its exponential is 0
  static constexpr double kNone = 1e300;
  // Records that move between two questions whether to stop
  static constexpr std::size_t kTogether = 64;
  // Columns that move as one in each sweep, at most
  static constexpr std::size_t kOften = 4;

  /// Columns that move at once, and the tables that each is drawn by: those of
  /// columns that are set before it.
  struct Block {
    TiedColumns tied;
    std::vector<MissedTables::Tables> tables;
    /// Does a rule tie a column to the one set before it?
    std::vector<char> led;
  };

  /// How many columns are drawn at once, 0 where rules leave none a level; the
  /// logarithm of the sum of exp(-beta energy); and whether there is one level.
  struct Draw {
    std::size_t size;
    double log_sum;
    bool only;
  };

  /// Cells of record i that rules tie: of each group all columns, or some,
  /// whatever their levels are. Large ones, which take as long as all cells
  /// alone, move in half of all sweeps.
  void move_groups(std::size_t i, double beta, Rng& rng) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::vector<Block>& blocks = groups_[g];
      if (rng.uniform() < 0.5) continue;
      const std::size_t parts = blocks.size() - 1;
      const bool whole = parts == 0 || rng.uniform() < 0.5;
      const int part = whole ? 0 : rng.integer(static_cast<int>(parts)) + 1;
      move_block(i, g, static_cast<std::size_t>(part), beta, rng);
    }
  }

  /// A group of tied columns as one block and, where it is large, the blocks
  /// around each of its columns, which are accepted more often.
  void add_group(const std::vector<std::size_t>& group) {
    std::vector<Block> blocks{block_of(group)};
    std::vector<std::vector<std::size_t>> parts;
    for (const std::size_t j : group) {
      if (group.size() <= kOften) break;
      std::vector<std::size_t> part =
          tied_around(j, task_.fixed, task_.forbidden);
      if (part.size() > 1 && part.size() < group.size() &&
          std::find(parts.begin(), parts.end(), part) == parts.end()) {
        blocks.push_back(block_of(part));
        parts.push_back(std::move(part));
      }
    }
    groups_.push_back(std::move(blocks));
  }

  Block block_of(const std::vector<std::size_t>& columns) const {
    Block block{in_order(task_.forbidden, columns, d_), {}, {0}};
    std::vector<char> later(d_, 0);
    for (const std::size_t j : columns) later[j] = 1;
    for (const std::size_t j : block.tied.column) {
      later[j] = 0;
      block.tables.push_back(missed_.tables_with(j, later));
    }
    for (std::size_t k = 1; k < block.tied.size(); ++k) {
      const auto& places = block.tied.decided[k];
      const int before = static_cast<int>(block.tied.column[k - 1]);
      block.led.push_back(std::any_of(
          places.begin(), places.end(), [&](const ForbiddenCells::Place& at) {
            const std::vector<int>& all = task_.forbidden.columns_of(at.rule);
            return std::find(all.begin(), all.end(), before) != all.end();
          }));
    }
    return block;
  }

  /// The law of column k of a block, and of those after it that rules say
  /// whatever its level is.
  /// @param cells set before k; what comes after is overwritten.
  /// @param own what the tables count the record as.
  Draw law_of(std::uint16_t* cells, const std::uint16_t* own,
              const Block& block, std::size_t k, double beta) {
    const std::size_t j = block.tied.column[k], L = levels(j);
    const std::size_t open = bar(cells, j, block.tied.decided[k]);
    if (open == 0) return {0, 0.0, false};
    if (open == 1) {
      cells[j] = only_;
      return {1, -beta * missed_.energy_at(cells, own, j, block.tables[k]),
              true};
    }
    const double* const bars_of_j = bars(j);
    const std::size_t said = said_after(cells, block.tied, block.led, k);
    double least;
    if (said == 0) {
      least = missed_.law(cells, own, j, block.tables[k], beta, bars_of_j,
                          law_.data());
    } else {
      std::fill_n(energy_.begin(), L, 0.0);
      for (std::size_t v = 0; v < L; ++v) {
        if (is_barred(own_, v)) {
          energy_[v] = kNone;
          continue;
        }
        cells[j] = static_cast<std::uint16_t>(v);
        if (!follow(cells, block.tied, k, said)) {
          energy_[v] = kNone;
          continue;
        }
        for (std::size_t a = k; a <= k + said; ++a)
          energy_[v] += missed_.energy_at(cells, own, block.tied.column[a],
                                          block.tables[a]);
      }
      least = *std::min_element(
          energy_.begin(), energy_.begin() + static_cast<std::ptrdiff_t>(L));
      if (!(least < kNone)) return {0, 0.0, false};
      double total = 0.0;
      for (std::size_t v = 0; v < L; ++v)
        law_[v] = total += std::exp(-beta * (energy_[v] - least));
    }
    return {1 + said, std::log(law_[L - 1]) - beta * least, false};
  }

  /// Of how many columns after the k-th rules say the level, whatever the k-th
  /// one's is, which `barred_` bars, and then `own_`.
  std::size_t said_after(std::uint16_t* cells, const TiedColumns& tied,
                         const std::vector<char>& led, std::size_t k) {
    if (k + 1 == tied.size() || !led[k + 1]) return 0;
    std::size_t said = tied.size() - k - 1;
    own_.swap(barred_);
    for (std::size_t v = 0; v < levels(tied.column[k]) && said > 0; ++v) {
      if (is_barred(own_, v)) continue;
      cells[tied.column[k]] = static_cast<std::uint16_t>(v);
      for (std::size_t a = 1; a <= said; ++a) {
        const std::size_t j = tied.column[k + a];
        const std::size_t open = bar(cells, j, tied.decided[k + a]);
        if (open == 0) break;
        if (open > 1) said = a - 1;
        cells[j] = only_;
      }
    }
    return said;
  }

  /// Sets so many columns after the k-th as rules say them.
  /// @return false where they leave one no level.
  bool follow(std::uint16_t* cells, const TiedColumns& tied, std::size_t k,
              std::size_t said) {
    for (std::size_t a = k + 1; a <= k + said; ++a) {
      if (bar(cells, tied.column[a], tied.decided[a]) == 0) return false;
      cells[tied.column[a]] = only_;
    }
    return true;
  }

  std::uint16_t* row(std::size_t i) { return rows_.data() + i * d_; }
  std::size_t levels(std::size_t j) const {
    return static_cast<std::size_t>(task_.levels[j]);
  }

  using Bits = std::vector<std::uint64_t>;
  static bool is_barred(const Bits& barred, std::size_t v) {
    constexpr std::size_t bits = ForbiddenCells::kBits;
    return (barred[v / bits] >> v % bits & 1) != 0;
  }

  /// Finds the levels of column j that would break a rule: `barred_`.
  /// @return how many are left, 2 if more are; `only_` is the only one.
  std::size_t bar(const std::uint16_t* record, std::size_t j,
                  const std::vector<ForbiddenCells::Place>& places) {
    constexpr std::size_t bits = ForbiddenCells::kBits;
    const std::size_t L = levels(j), words = (L + bits - 1) / bits;
    std::fill_n(barred_.begin(), words, 0);
    for (const ForbiddenCells::Place& at : places)
      task_.forbidden.bar(at, record, barred_.data());
    std::size_t open = 0;
    for (std::size_t w = 0; w < words && open < 2; ++w) {
      std::uint64_t left = ~barred_[w];
      if (L < (w + 1) * bits) left &= (std::uint64_t{1} << L % bits) - 1;
      if (left == 0) continue;
      open += (left & (left - 1)) == 0 ? 1 : 2;
      only_ = static_cast<std::uint16_t>(
          w * bits + static_cast<std::size_t>(__builtin_ctzll(left)));
    }
    return std::min<std::size_t>(open, 2);
  }

  /// The bars of `barred_` as energies of column j's levels; null where there
  /// is none.
  const double* bars(std::size_t j) {
    const std::size_t L = levels(j);
    bool any = false;
    for (std::size_t v = 0; v < L; ++v) {
      const bool barred = is_barred(barred_, v);
      bars_[v] = barred ? kNone : 0.0;
      any = any || barred;
    }
    return any ? bars_.data() : nullptr;
  }

  /// One of n levels, from the cumulative law.
  std::size_t drawn(std::size_t n, Rng& rng) const {
    const double u = rng.uniform() * law_[n - 1];
    std::size_t chosen = 0;
    for (std::size_t v = 0; v + 1 < n; ++v) chosen += law_[v] <= u;
    return chosen;
  }

  void change(std::uint16_t* record, std::size_t j, std::size_t to) {
    if (to != record[j])
      missed_.change(record, j, static_cast<std::uint16_t>(to));
  }

  const FittingTask& task_;
  std::size_t d_, n_;
  std::vector<std::uint16_t> rows_;
  MissedTables missed_;
  /// All tables of each column.
  std::vector<MissedTables::Tables> all_;
  std::vector<std::vector<Block>> groups_;
  std::vector<double> law_, energy_, bars_;
  Bits barred_, own_;
  std::vector<std::uint16_t> to_, back_;
  std::uint16_t only_ = 0;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_RECORD_FITTING_HPP
