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
               const std::vector<TargetTable>& tables, double scale)
      : levels_(levels.begin(), levels.end()),
        weight_(levels.size(), 0.0),
        pairs_(levels.size()),
        views_(levels.size()),
        mirrors_(levels.size()) {
    for (const TargetTable& table : tables) lay_out(table, fixed, scale);
    // Lanes are read beyond the last level
    miss_.resize(miss_.size() + simd::whole_lanes(1));
  }

  /// Sum over tables of weight |counts - targets|^2.
  double squared() const {
    double sum = 0.0;
    for (const Block& block : blocks_) {
      for (std::size_t c = 0; c < block.cells; ++c)
        sum += miss_[block.start + c] * miss_[block.start + c] / block.weight;
    }
    return sum;
  }

  /// A record, levels from 0, comes in, or goes: `by` is 1 or -1.
  void count(const std::uint16_t* record, double by = 1.0) {
    for (std::size_t j = 0; j < levels_.size(); ++j) {
      for (const Pair& pair : pairs_[j])
        miss_[pair.start + levels_[j] * record[pair.other] + record[j]] +=
            by * pair.weight;
      for (const View& view : views_[j])
        miss_[view.start + offset(view, record) + record[j]] +=
            by * view.weight;
    }
  }

  /// The weight of all tables with column j.
  double weight_with(std::size_t j) const { return weight_[j]; }

  double weight_with_both(std::size_t j, std::size_t k) const {
    double sum = 0.0;
    for (const Pair& pair : pairs_[j]) sum += (pair.other == k) * pair.weight;
    for (const View& view : views_[j]) sum += has(view, k) * view.weight;
    return sum;
  }

  /// Adds what tables with column j miss at each of its levels, the
  /// record's other levels given.
  void add(const std::uint16_t* record, std::size_t j, double* sum) const {
    for (const Pair& pair : pairs_[j]) {
      const double* miss = at_pair(pair, record, j);
      for (std::size_t v = 0; v < levels_[j]; ++v) sum[v] += miss[v];
    }
    for (const View& view : views_[j]) add_view(view, record, j, sum);
  }

  /// Is all that a move of column j changes pairs, and not too many of them?
  bool has_law(std::size_t j) const {
    return views_[j].empty() && mirrors_[j].empty() &&
           pairs_[j].size() <= kMost;
  }

  /// What column j of a record is drawn from, where has_law(): the cumulative
  /// exp(-beta energy) of its levels.
  /// @param[out] law numbers for the levels, and room for whole lanes.
  void law(const std::uint16_t* record, std::size_t j, double beta,
           double* law) const {
    const double* run[kMost];
    const std::vector<Pair>& pairs = pairs_[j];
    for (std::size_t a = 0; a < pairs.size(); ++a)
      run[a] = at_pair(pairs[a], record, j);
    detail::level_law(run, pairs.size(), levels_[j], record[j], weight_[j],
                      beta, law);
  }

  /// The same of tables that have, or do not have, column k.
  void add_if(const std::uint16_t* record, std::size_t j, std::size_t k,
              bool with, double* sum) const {
    for (const Pair& pair : pairs_[j]) {
      if ((pair.other == k) != with) continue;
      const double* miss = at_pair(pair, record, j);
      for (std::size_t v = 0; v < levels_[j]; ++v) sum[v] += miss[v];
    }
    for (const View& view : views_[j]) {
      if (has(view, k) == with) add_view(view, record, j, sum);
    }
  }

  /// The same of tables that have column j and no other of a group.
  /// @param member of the group, by column.
  void add_alone(const std::uint16_t* record, std::size_t j,
                 const std::vector<char>& member, double* sum) const {
    for (const Pair& pair : pairs_[j]) {
      if (member[pair.other]) continue;
      const double* miss = at_pair(pair, record, j);
      for (std::size_t v = 0; v < levels_[j]; ++v) sum[v] += miss[v];
    }
    for (const View& view : views_[j]) {
      if (members(view, member) == 0) add_view(view, record, j, sum);
    }
  }

  /// What tables with several columns of a group, of which j is the first, miss
  /// in the record's cell.
  double missed_together(const std::uint16_t* record, std::size_t j,
                         const std::vector<char>& member) const {
    double sum = 0.0;
    for (const Pair& pair : pairs_[j]) {
      if (member[pair.other] && pair.other > j)
        sum += at_pair(pair, record, j)[record[j]];
    }
    for (const View& view : views_[j]) {
      const std::size_t others = members(view, member);
      if (others > 0 && others == members(view, member, j))
        sum += miss_[view.start + offset(view, record) + record[j]];
    }
    return sum;
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
    record[j] = to;
    shift(record, j, 1.0);
  }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  // Pairs of a column
  static constexpr std::size_t kMost = 64;

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
      if (fixed[static_cast<std::size_t>(column[own])]) continue;
      views[own] = view_of(table, own, scale);
      start[own] = views[own].start;
      if (first)
        blocks_.push_back({start[own], table.columns.cells, table.weight});
      first = false;
    }
    for (std::size_t own = 0; own < column.size(); ++own) {
      if (start[own] == kNowhere) continue;
      const std::size_t j = static_cast<std::size_t>(column[own]);
      weight_[j] += table.weight;
      if (column.size() == 2) {
        const std::size_t other = static_cast<std::size_t>(column[1 - own]);
        pairs_[j].push_back(
            {start[own], other, start[1 - own], levels_[other], table.weight});
        continue;
      }
      for (const int k : column)
        mirrors_[static_cast<std::size_t>(k)].push_back({j, views_[j].size()});
      views_[j].push_back(views[own]);
    }
  }

  /// Appends the targets, with their sign turned, to what is missed.
  View view_of(const TargetTable& table, std::size_t own, double scale) {
    const CrossedColumns& from = table.columns;
    const auto size = [&](std::size_t a) {
      return levels_[static_cast<std::size_t>(from.column[a])];
    };
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

  /// How many columns of a view, besides its own, are of a group and come after
  /// column `after`.
  static std::size_t members(const View& view, const std::vector<char>& member,
                             std::size_t after = kNowhere) {
    return static_cast<std::size_t>(
        std::count_if(view.column.begin(), view.column.end(), [&](int column) {
          const std::size_t k = static_cast<std::size_t>(column);
          return member[k] != 0 && (after == kNowhere || k > after);
        }));
  }

  static bool has(const View& view, std::size_t k) {
    return std::find(view.column.begin(), view.column.end(),
                     static_cast<int>(k)) != view.column.end();
  }

  const double* at_pair(const Pair& pair, const std::uint16_t* record,
                        std::size_t j) const {
    return miss_.data() + pair.start + levels_[j] * record[pair.other];
  }

  void add_view(const View& view, const std::uint16_t* record, std::size_t j,
                double* sum) const {
    const double* miss = miss_.data() + view.start + offset(view, record);
    for (std::size_t v = 0; v < levels_[j]; ++v) sum[v] += miss[v];
  }

  void shift(const std::uint16_t* record, std::size_t j, double by) {
    for (const Mirror& at : mirrors_[j]) {
      const View& view = views_[at.column][at.view];
      miss_[view.start + offset(view, record) + record[at.column]] +=
          by * view.weight;
    }
  }

  std::vector<std::size_t> levels_;
  std::vector<double> weight_;
  std::vector<std::vector<Pair>> pairs_;
  std::vector<std::vector<View>> views_;
  std::vector<std::vector<Mirror>> mirrors_;
  std::vector<Block> blocks_;
  std::vector<double> miss_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_MISSED_TABLES_HPP
