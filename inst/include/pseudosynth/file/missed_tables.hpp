// How far the tables of records are from their targets, laid out for moves of
// one cell of one record.
#ifndef PSEUDOSYNTH_FILE_MISSED_TABLES_HPP
#define PSEUDOSYNTH_FILE_MISSED_TABLES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "../simd_float.hpp"
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
/// levels running fastest: what a move compares are neighbouring numbers. They
/// are floats, and are rough where few fit: a miss of 10,000 by a thousandth.
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
    miss_.resize(miss_.size() + simd::whole_float_lanes(1));
  }

  /// Sum over tables of weight |counts - targets|^2.
  double squared() const {
    double sum = pooled_.squared();
    for (const Counted& table : counted_) {
      const float* miss = miss_.data() + table.places.front().start;
      for (std::size_t c = 0; c < table.columns.cells; ++c)
        sum += static_cast<double>(miss[c]) * miss[c] / table.weight;
    }
    return sum;
  }

  /// Records, levels from 0, come in.
  /// @param rows n of them, row by row.
  void count(const std::uint16_t* rows, std::size_t n) {
    // Each table once, by whole numbers; some records at a time, which stay
    // near while all tables count them
    std::vector<std::uint32_t> counts;
    std::vector<std::size_t> start;
    for (const Counted& table : counted_) {
      start.push_back(counts.size());
      counts.resize(counts.size() + table.columns.cells);
    }
    const std::size_t d = levels_.size();
    for (std::size_t first = 0; first < n; first += kTogether) {
      const std::size_t last = std::min(n, first + kTogether);
      for (std::size_t t = 0; t < counted_.size(); ++t) {
        const CrossedColumns& columns = counted_[t].columns;
        for (std::size_t i = first; i < last; ++i)
          ++counts[start[t] + columns.cell(rows + i * d)];
      }
    }
    for (std::size_t t = 0; t < counted_.size(); ++t)
      add(counted_[t], &counts[start[t]]);
    for (std::size_t i = 0; i < n; ++i) pooled_.count(rows + i * d);
  }

  /// Tables with a column, by their places.
  struct Tables {
    std::vector<std::size_t> pair, view, pooled;
    /// Of pairs and views together.
    double weight = 0.0;
  };

  /// Those that have column j and none of some others.
  /// @param without by column: such another one?
  Tables tables_with(std::size_t j, const std::vector<char>& without) const {
    Tables found;
    for (std::size_t a = 0; a < pairs_[j].size(); ++a) {
      if (without[pairs_[j][a].other]) continue;
      found.pair.push_back(a);
      found.weight += pairs_[j][a].weight;
    }
    for (std::size_t a = 0; a < views_[j].size(); ++a) {
      const std::vector<int>& all = views_[j][a].column;
      if (std::any_of(all.begin(), all.end(),
                      [&](int column) { return without[column] != 0; }))
        continue;
      found.view.push_back(a);
      found.weight += views_[j][a].weight;
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
  /// @param[out] law numbers for the levels, and room for whole lanes of
  ///   floats.
  /// @return the least energy: the law's exponentials are beside it.
  double law(const std::uint16_t* record, const std::uint16_t* own,
             std::size_t j, const Tables& tables, double beta,
             const double* bars, double* law) const {
    const float* run[kMost];
    std::size_t runs = 0;
    const std::size_t L = levels_[j];
    const bool still = record == own;
    const auto add = [&](const float* miss) {
      if (runs < kMost) {
        run[runs++] = miss;
      } else {
        for (std::size_t v = 0; v < L; ++v) law[v] += miss[v];
      }
    };
    if (bars == nullptr) {
      std::fill_n(law, L, 0.0);
    } else {
      std::copy_n(bars, L, law);
    }
    double self = still ? tables.weight : 0.0;
    for (const std::size_t a : tables.pair) {
      const Pair& pair = pairs_[j][a];
      add(at_pair(pair, record, j));
      if (!still && record[pair.other] == own[pair.other]) self += pair.weight;
    }
    for (const std::size_t a : tables.view) {
      const View& view = views_[j][a];
      const std::size_t at = offset(view, record);
      add(miss_.data() + view.start + at);
      if (!still && at == offset(view, own)) self += view.weight;
    }
    self += pooled_.add_energies(record, own, j, tables.pooled, L, law);
    double least;
    detail::level_law(run, runs, L, own[j], self, beta, law, least);
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
    const std::size_t before = record[j], after = to, L = levels_[j];
    float* const miss = miss_.data();
    for (const Pair& pair : pairs_[j]) {
      const std::size_t level = record[pair.other];
      float* own = miss + pair.start + L * level;
      own[before] -= pair.weight;
      own[after] += pair.weight;
      if (pair.mirror == kNowhere) continue;
      float* mirror = miss + pair.mirror + level;
      mirror[pair.levels * before] -= pair.weight;
      mirror[pair.levels * after] += pair.weight;
    }
    shift(record, j, -1.0f);
    pooled_.change(record, j, to);
    shift(record, j, 1.0f);
  }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  // Tables of a column that are added up in lanes
  static constexpr std::size_t kMost = 512;
  // Records that all tables count before the next
  static constexpr std::size_t kTogether = 256;

  /// A table as one of its columns looks at it.
  struct View {
    std::vector<int> column;
    std::vector<std::size_t> stride;
    std::size_t start;
    float weight;
  };

  /// The same of a pair, which most tables are: where its own view and the
  /// other column's start, if that moves, which it is, and its levels.
  struct Pair {
    std::size_t start, mirror;
    std::uint32_t other, levels;
    float weight;
  };

  /// A larger table's view, of whichever column, that has a given one.
  struct Mirror {
    std::size_t column, view;
  };

  /// Where a view's cells are: how far a level of each of the table's columns
  /// is from the one before.
  struct Places {
    std::size_t start;
    std::vector<std::size_t> stride;
  };

  /// A table with a view, and all views of it.
  struct Counted {
    CrossedColumns columns;
    double weight;
    std::vector<Places> places;
  };

  /// To all views of a table its weight times a number for each cell.
  template <class Number>
  void add(const Counted& table, const Number* cells) {
    const CrossedColumns& columns = table.columns;
    for (const Places& to : table.places) {
      for (std::size_t c = 0; c < columns.cells; ++c) {
        std::size_t at = to.start;
        for (std::size_t a = 0; a < columns.size(); ++a)
          at += to.stride[a] * (c / columns.stride[a] % size_of(columns, a));
        miss_[at] = static_cast<float>(
            miss_[at] + table.weight * static_cast<double>(cells[c]));
      }
    }
  }

  std::size_t size_of(const CrossedColumns& columns, std::size_t a) const {
    return levels_[columns.column[a]];
  }

  void lay_out(const TargetTable& table, const std::vector<char>& fixed,
               double scale) {
    const CrossedColumns& from = table.columns;
    if (table.target.size() != from.cells)
      throw std::invalid_argument("a target differs from its table in size");
    Counted counted{from, table.weight, {}};
    std::vector<std::size_t> start(from.size(), kNowhere);
    for (std::size_t own = 0; own < from.size(); ++own) {
      if (fixed[from.column[own]]) continue;
      start[own] = miss_.size();
      counted.places.push_back(places_by(from, own));
      miss_.resize(miss_.size() + from.cells);
    }
    const float weight = static_cast<float>(table.weight);
    for (std::size_t own = 0, view = 0; own < from.size(); ++own) {
      if (start[own] == kNowhere) continue;
      const std::size_t j = static_cast<std::size_t>(from.column[own]);
      const std::vector<std::size_t>& stride = counted.places[view++].stride;
      if (from.size() == 2) {
        pairs_[j].push_back({start[own], start[1 - own],
                             static_cast<std::uint32_t>(from.column[1 - own]),
                             static_cast<std::uint32_t>(size_of(from, 1 - own)),
                             weight});
        continue;
      }
      for (const int k : from.column)
        mirrors_[k].push_back({j, views_[j].size()});
      View others{{}, {}, start[own], weight};
      for (std::size_t a = 0; a < from.size(); ++a) {
        if (a == own) continue;
        others.column.push_back(from.column[a]);
        others.stride.push_back(stride[a]);
      }
      views_[j].push_back(std::move(others));
    }
    if (counted.places.empty()) return;
    std::vector<double> wanted;
    for (const double target : table.target) wanted.push_back(-scale * target);
    add(counted, wanted.data());
    counted_.push_back(std::move(counted));
  }

  /// From the end of what is missed, the levels of column `own` fastest.
  Places places_by(const CrossedColumns& from, std::size_t own) const {
    Places to{miss_.size(), std::vector<std::size_t>(from.size(), 1)};
    std::size_t stride = size_of(from, own);
    for (std::size_t a = 0; a < from.size(); ++a) {
      if (a == own) continue;
      to.stride[a] = stride;
      stride *= size_of(from, a);
    }
    return to;
  }

  static std::size_t offset(const View& view, const std::uint16_t* record) {
    std::size_t at = 0;
    for (std::size_t a = 0; a < view.column.size(); ++a)
      at += view.stride[a] * record[view.column[a]];
    return at;
  }

  const float* at_pair(const Pair& pair, const std::uint16_t* record,
                       std::size_t j) const {
    return miss_.data() + pair.start + levels_[j] * record[pair.other];
  }

  void shift(const std::uint16_t* record, std::size_t j, float by) {
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
  std::vector<Counted> counted_;
  PooledTables pooled_;
  std::vector<float> miss_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_MISSED_TABLES_HPP
