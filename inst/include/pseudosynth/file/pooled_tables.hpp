// Tables that a record is in several times, once for each of its members: how
// far they are from their targets, laid out for moves of one cell.
#ifndef PSEUDOSYNTH_FILE_POOLED_TABLES_HPP
#define PSEUDOSYNTH_FILE_POOLED_TABLES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "../count_of.hpp"

namespace pseudosynth {

/// One of the table's axes, for one of the times that a record is in it: a
/// column, and the axis's level for each of the column's.
struct PooledAxis {
  /// Of a level with which the record is not in the table, this time.
  static constexpr int kOut = -1;

  int column;
  std::vector<int> level;
};

/// A table that records are in several times.
struct PooledTable {
  /// Levels of its axes.
  std::vector<int> levels;
  /// Its axes, for each time.
  std::vector<std::vector<PooledAxis>> entries;
  /// The first axis's level runs fastest.
  std::vector<double> target;
  /// Of its squares in the energy, positive.
  double weight;
};

/// @brief Counts less targets, each times its table's weight.
class PooledTables {
 public:
  /// @param levels of the records' columns.
  PooledTables(const std::vector<int>& levels,
               const std::vector<PooledTable>& tables, double scale)
      : spots_(levels.size()) {
    for (const PooledTable& table : tables) lay_out(table, levels, scale);
  }

  /// Times that a record is in a table by a given column.
  std::size_t spots(std::size_t j) const { return spots_[j].size(); }

  /// Are the other columns of a spot among some?
  bool among(std::size_t j, std::size_t spot,
             const std::vector<char>& some) const {
    for (const Axis& axis : entries_[spots_[j][spot].entry].axis) {
      if (axis.column != j && some[axis.column] != 0) return true;
    }
    return false;
  }

  /// Sum over tables of weight |counts - targets|^2.
  double squared() const {
    double sum = 0.0;
    for (const Table& table : tables_) {
      for (std::size_t c = 0; c < table.cells; ++c)
        sum += miss_[table.start + c] * miss_[table.start + c] / table.weight;
    }
    return sum;
  }

  /// A record, levels from 0, comes in.
  void count(const std::uint16_t* record) {
    for (const Entry& entry : entries_) add(entry, record, 1.0);
  }

  /// Column j of a record becomes `to`, in all tables and in the record.
  void change(std::uint16_t* record, std::size_t j, std::uint16_t to) {
    for (const Spot& spot : spots_[j]) add(entries_[spot.entry], record, -1.0);
    record[j] = to;
    for (const Spot& spot : spots_[j]) add(entries_[spot.entry], record, 1.0);
  }

  /// Adds what each of column j's levels costs: see MissedTables::law(). A
  /// record that by one column is in a cell twice, along different axes, costs
  /// weight less than it would: it is one of thousands.
  /// @param chosen spots of column j.
  /// @return what the record itself is of that, at its own level.
  double add_energies(const std::uint16_t* record, const std::uint16_t* own,
                      std::size_t j, const std::vector<std::size_t>& chosen,
                      std::size_t levels, double* energy) const {
    double self = 0.0;
    for (const std::size_t s : chosen) {
      const Spot& spot = spots_[j][s];
      const Entry& entry = entries_[spot.entry];
      const std::size_t at = beside(entry, record, spot.axis);
      if (at == kNone) continue;
      const Axis& axis = entry.axis[spot.axis];
      // Not to be in the table costs none of it
      const double half = 0.5 * entry.weight;
      for (std::size_t v = 0; v < levels; ++v) {
        if (axis.step[v] != kNone) energy[v] += miss_[at + axis.step[v]] + half;
      }
      self += own_at(j, spot, own, at, axis.step[own[j]]);
    }
    return self;
  }

  /// The same of the record's level alone, less what it is itself of that.
  double energy_at(const std::uint16_t* record, const std::uint16_t* own,
                   std::size_t j,
                   const std::vector<std::size_t>& chosen) const {
    double sum = 0.0;
    for (const std::size_t s : chosen) {
      const Spot& spot = spots_[j][s];
      const Entry& entry = entries_[spot.entry];
      const std::size_t at = beside(entry, record, spot.axis);
      const std::size_t step = entry.axis[spot.axis].step[record[j]];
      if (at == kNone || step == kNone) continue;
      sum += miss_[at + step] + 0.5 * entry.weight;
      if (record[j] == own[j]) sum -= own_at(j, spot, own, at, step);
    }
    return sum;
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  struct Axis {
    std::size_t column;
    /// Of each level of the column: how far its cells are from the first.
    std::vector<std::size_t> step;
  };

  struct Entry {
    std::size_t start;
    double weight;
    std::vector<Axis> axis;
  };

  struct Table {
    std::size_t start, cells;
    double weight;
  };

  /// An axis of an entry.
  struct Spot {
    std::size_t entry, axis;
    /// Other spots of the column, along the same axis of the same table.
    std::vector<std::size_t> alike;
  };

  void lay_out(const PooledTable& table, const std::vector<int>& levels,
               double scale) {
    const Table own{miss_.size(), table.target.size(), table.weight};
    std::size_t cells = 1;
    std::vector<std::size_t> stride;
    for (const int size : table.levels) {
      stride.push_back(cells);
      cells *= static_cast<std::size_t>(size);
    }
    if (cells != own.cells)
      throw std::invalid_argument("a target differs from its table in size");
    for (const double target : table.target)
      miss_.push_back(-table.weight * scale * target);
    const std::size_t first = entries_.size();
    for (const std::vector<PooledAxis>& axes : table.entries) {
      if (axes.size() != stride.size())
        throw std::invalid_argument("a time differs from its table in axes");
      Entry entry{own.start, own.weight, {}};
      for (std::size_t a = 0; a < axes.size(); ++a)
        entry.axis.push_back(
            placed(axes[a], levels, table.levels[a], stride[a]));
      entries_.push_back(std::move(entry));
    }
    tables_.push_back(own);
    for (std::size_t e = first; e < entries_.size(); ++e) add_spots(e, first);
  }

  static Axis placed(const PooledAxis& from, const std::vector<int>& levels,
                     int size, std::size_t stride) {
    if (from.column < 0 || from.column >= count_of(levels) ||
        count_of(from.level) != levels[from.column])
      throw std::invalid_argument("an axis differs from its column in levels");
    Axis axis{static_cast<std::size_t>(from.column), {}};
    for (const int level : from.level) {
      if (level != PooledAxis::kOut && (level < 0 || level >= size))
        throw std::invalid_argument("an axis has a level that is not there");
      axis.step.push_back(level == PooledAxis::kOut
                              ? kNone
                              : stride * static_cast<std::size_t>(level));
    }
    return axis;
  }

  void add_spots(std::size_t e, std::size_t first) {
    for (std::size_t a = 0; a < entries_[e].axis.size(); ++a) {
      std::vector<Spot>& spots = spots_[entries_[e].axis[a].column];
      Spot spot{e, a, {}};
      for (std::size_t s = 0; s < spots.size(); ++s) {
        if (spots[s].entry < first || spots[s].axis != a) continue;
        spot.alike.push_back(s);
        spots[s].alike.push_back(spots.size());
      }
      spots.push_back(std::move(spot));
    }
  }

  void add(const Entry& entry, const std::uint16_t* record, double by) {
    std::size_t at = entry.start;
    for (const Axis& axis : entry.axis) {
      const std::size_t step = axis.step[record[axis.column]];
      if (step == kNone) return;
      at += step;
    }
    miss_[at] += by * entry.weight;
  }

  /// Where an entry's cells start by the levels of its other axes; kNone: it is
  /// in none.
  static std::size_t beside(const Entry& entry, const std::uint16_t* record,
                            std::size_t but) {
    std::size_t at = entry.start;
    for (std::size_t a = 0; a < entry.axis.size(); ++a) {
      if (a == but) continue;
      const std::size_t step = entry.axis[a].step[record[entry.axis[a].column]];
      if (step == kNone) return kNone;
      at += step;
    }
    return at;
  }

  /// The weight of what tables count a record as, by a spot of column j and
  /// those alike, in the cell that is `step` from `at`.
  double own_at(std::size_t j, const Spot& spot, const std::uint16_t* own,
                std::size_t at, std::size_t step) const {
    if (step == kNone) return 0.0;
    const auto is_there = [&](const Spot& one) {
      const Entry& entry = entries_[one.entry];
      return beside(entry, own, one.axis) == at &&
             entry.axis[one.axis].step[own[j]] == step;
    };
    double times = is_there(spot) ? 1.0 : 0.0;
    for (const std::size_t s : spot.alike)
      times += is_there(spots_[j][s]) ? 1.0 : 0.0;
    return times * entries_[spot.entry].weight;
  }

  std::vector<std::vector<Spot>> spots_;
  std::vector<Entry> entries_;
  std::vector<Table> tables_;
  std::vector<double> miss_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_POOLED_TABLES_HPP
