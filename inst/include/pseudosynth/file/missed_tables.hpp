// How far the tables of records are from their targets, laid out for moves of
// one cell of one record.
#ifndef PSEUDOSYNTH_FILE_MISSED_TABLES_HPP
#define PSEUDOSYNTH_FILE_MISSED_TABLES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "../simd.hpp"
#include "coded_file.hpp"
#include "level_law.hpp"
#include "pooled_tables.hpp"

namespace pseudosynth {

/// A table that records are fitted to.
struct TargetTable {
  CrossedColumns columns;
  std::vector<double> target;
  /// Of its squares in the energy, positive.
  double weight;
};

/// @brief Counts less targets of all tables that a move can change, each times
/// its table's weight.
///
/// Each is kept once for each of its columns that move, with that column's
/// levels running fastest: what a move compares are neighbouring numbers.
class MissedTables {
 public:
  /// @param fixed columns that no move changes.
  /// @param scale of the targets.
  MissedTables(const std::vector<int>& levels, const std::vector<char>& fixed,
               const std::vector<TargetTable>& tables,
               const std::vector<PooledTable>& pooled, double scale)
      : levels_(levels.begin(), levels.end()),
        pairs_(levels.size()),
        views_(levels.size()),
        mirrors_(levels.size()),
        pooled_(levels, pooled, scale) {
    for (const TargetTable& table : tables) lay_out(table, fixed, scale);
    // Lanes are read beyond the last level
    miss_.resize(miss_.size() + simd::whole_lanes(1));
  }

  /// Sum over tables of weight |counts - targets|^2.
  double squared() const {
    double sum = pooled_.squared();
    for (const Block& block : blocks_) {
      for (std::size_t c = 0; c < block.cells; ++c)
        sum += miss_[block.start + c] * miss_[block.start + c] / block.weight;
    }
    return sum;
  }

  /// A record, levels from 0, comes in.
  void count(const std::uint16_t* record) {
    for (std::size_t j = 0; j < levels_.size(); ++j) {
      for (const Pair& pair : pairs_[j])
        miss_[pair.start + levels_[j] * record[pair.other] + record[j]] +=
            pair.weight;
      for (const View& view : views_[j])
        miss_[view.start + offset(view, record) + record[j]] += view.weight;
    }
    pooled_.count(record);
  }

  /// Tables with a column, by their places.
  struct Tables {
    std::vector<std::size_t> pair, view, pooled;
  };

  /// Those that have column j and none of some others.
  /// @param without by column: such another one?
  Tables tables_with(std::size_t j, const std::vector<char>& without) const {
    Tables found;
    for (std::size_t a = 0; a < pairs_[j].size(); ++a)
      if (!without[pairs_[j][a].other]) found.pair.push_back(a);
    for (std::size_t a = 0; a < views_[j].size(); ++a) {
      const std::vector<int>& all = views_[j][a].column;
      if (std::none_of(all.begin(), all.end(),
                       [&](int column) { return without[column] != 0; }))
        found.view.push_back(a);
    }
    for (std::size_t a = 0; a < pooled_.spots(j); ++a)
      if (!pooled_.among(j, a, without)) found.pooled.push_back(a);
    return found;
  }

  /// What column j of a record is drawn from: the cumulative exp(-beta energy)
  /// of its levels, where level v costs the sum over tables of weight (miss +
  /// 1 / 2) without the record.
  /// @param record its other columns are where it goes; `own` is what the
  ///   tables count it as.
  /// @param bars added to the energies of levels, or null.
  /// @param energy room for whole lanes.
  /// @param[out] law numbers for the levels, and room for whole lanes.
  /// @return the least energy: the law's exponentials are beside it.
  double law(const std::uint16_t* record, const std::uint16_t* own,
             std::size_t j, const Tables& tables, double beta,
             const double* bars, double* energy, double* law) const {
    const double* run[kMost + 2];
    std::size_t runs = 0;
    double self = 0.0;
    const bool few = tables.pair.size() <= kMost, still = record == own;
    if (!few || !tables.view.empty() || !tables.pooled.empty()) {
      std::fill_n(energy, levels_[j], 0.0);
      run[runs++] = energy;
    }
    for (const std::size_t a : tables.pair) {
      const Pair& pair = pairs_[j][a];
      const double* miss = at_pair(pair, record, j);
      if (still || record[pair.other] == own[pair.other]) self += pair.weight;
      if (few) {
        run[runs++] = miss;
      } else {
        for (std::size_t v = 0; v < levels_[j]; ++v) energy[v] += miss[v];
      }
    }
    for (const std::size_t a : tables.view) {
      const View& view = views_[j][a];
      const std::size_t at = offset(view, record);
      if (still || at == offset(view, own)) self += view.weight;
      const double* miss = miss_.data() + view.start + at;
      for (std::size_t v = 0; v < levels_[j]; ++v) energy[v] += miss[v];
    }
    self +=
        pooled_.add_energies(record, own, j, tables.pooled, levels_[j], energy);
    if (bars != nullptr) run[runs++] = bars;
    double least;
    detail::level_law(run, runs, levels_[j], own[j], self, beta, law, least);
    return least;
  }

  /// The same energy of one level alone.
  double energy_at(const std::uint16_t* record, const std::uint16_t* own,
                   std::size_t j, const Tables& tables) const {
    double sum = 0.0;
    const bool same = record[j] == own[j];
    for (const std::size_t a : tables.pair) {
      const Pair& pair = pairs_[j][a];
      sum += at_pair(pair, record, j)[record[j]];
      if (same && record[pair.other] == own[pair.other]) sum -= pair.weight;
    }
    for (const std::size_t a : tables.view) {
      const View& view = views_[j][a];
      const std::size_t at = offset(view, record);
      sum += miss_[view.start + at + record[j]];
      if (same && at == offset(view, own)) sum -= view.weight;
    }
    return sum + pooled_.energy_at(record, own, j, tables.pooled);
  }

  /// Column j of a record becomes `to`, in all tables and in the record.
  void change(std::uint16_t* record, std::size_t j, std::uint16_t to) {
    const std::size_t before = record[j], after = to;
    double* const miss = miss_.data();
    for (const Pair& pair : pairs_[j]) {
      const std::size_t level = record[pair.other];
      double* own = miss + pair.start + levels_[j] * level;
      own[before] -= pair.weight;
      own[after] += pair.weight;
      if (pair.mirror == kNowhere) continue;
      double* mirror = miss + pair.mirror + level;
      mirror[pair.levels * before] -= pair.weight;
      mirror[pair.levels * after] += pair.weight;
    }
    shift(record, j, -1.0);
    pooled_.change(record, j, to);
    shift(record, j, 1.0);
  }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  // Pairs of a column that are added up in lanes
  static constexpr std::size_t kMost = 510;

  /// A table as one of its columns looks at it.
  struct View {
    std::vector<int> column;
    std::vector<std::size_t> stride;
    std::size_t start;
    double weight;
  };

  /// The same of a pair, which most tables are: the other column, where its
  /// own view starts, if it moves, and its levels.
  struct Pair {
    std::size_t start, other, mirror, levels;
    double weight;
  };

  /// A larger table's view, of whichever column, that has a given one.
  struct Mirror {
    std::size_t column, view;
  };

  /// One view of each table.
  struct Block {
    std::size_t start, cells;
    double weight;
  };

  void lay_out(const TargetTable& table, const std::vector<char>& fixed,
               double scale) {
    if (table.target.size() != table.columns.cells)
      throw std::invalid_argument("a target differs from its table in size");
    const std::vector<int>& column = table.columns.column;
    std::vector<std::size_t> start(column.size(), kNowhere);
    std::vector<View> views(column.size());
    bool first = true;
    for (std::size_t own = 0; own < column.size(); ++own) {
      if (fixed[column[own]]) continue;
      views[own] = view_of(table, own, scale);
      start[own] = views[own].start;
      if (first)
        blocks_.push_back({start[own], table.columns.cells, table.weight});
      first = false;
    }
    for (std::size_t own = 0; own < column.size(); ++own) {
      if (start[own] == kNowhere) continue;
      const std::size_t j = static_cast<std::size_t>(column[own]);
      if (column.size() == 2) {
        const std::size_t other = static_cast<std::size_t>(column[1 - own]);
        pairs_[j].push_back(
            {start[own], other, start[1 - own], levels_[other], table.weight});
        continue;
      }
      for (const int k : column) mirrors_[k].push_back({j, views_[j].size()});
      views_[j].push_back(views[own]);
    }
  }

  /// Appends the targets, with their sign turned, to what is missed.
  View view_of(const TargetTable& table, std::size_t own, double scale) {
    const CrossedColumns& from = table.columns;
    const auto size = [&](std::size_t a) { return levels_[from.column[a]]; };
    View view{{}, {}, miss_.size(), table.weight};
    std::size_t stride = size(own);
    std::vector<std::size_t> to(from.size(), 1);
    for (std::size_t a = 0; a < from.size(); ++a) {
      if (a == own) continue;
      view.column.push_back(from.column[a]);
      view.stride.push_back(to[a] = stride);
      stride *= size(a);
    }
    miss_.resize(view.start + from.cells);
    for (std::size_t c = 0; c < from.cells; ++c) {
      std::size_t at = view.start;
      for (std::size_t a = 0; a < from.size(); ++a)
        at += to[a] * (c / from.stride[a] % size(a));
      miss_[at] = -table.weight * scale * table.target[c];
    }
    return view;
  }

  static std::size_t offset(const View& view, const std::uint16_t* record) {
    std::size_t at = 0;
    for (std::size_t a = 0; a < view.column.size(); ++a)
      at += view.stride[a] * record[view.column[a]];
    return at;
  }

  const double* at_pair(const Pair& pair, const std::uint16_t* record,
                        std::size_t j) const {
    return miss_.data() + pair.start + levels_[j] * record[pair.other];
  }

  void shift(const std::uint16_t* record, std::size_t j, double by) {
    for (const Mirror& at : mirrors_[j]) {
      const View& view = views_[at.column][at.view];
      miss_[view.start + offset(view, record) + record[at.column]] +=
          by * view.weight;
    }
  }

  std::vector<std::size_t> levels_;
  std::vector<std::vector<Pair>> pairs_;
  std::vector<std::vector<View>> views_;
  std::vector<std::vector<Mirror>> mirrors_;
  std::vector<Block> blocks_;
  PooledTables pooled_;
  std::vector<double> miss_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_MISSED_TABLES_HPP
