// Records whose tables come close to targets: Gibbs moves of one cell of one
// record under exp(-beta sum |tables - targets|^2 / 2), beta rising.
#ifndef PSEUDOSYNTH_FILE_RECORD_FITTING_HPP
#define PSEUDOSYNTH_FILE_RECORD_FITTING_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../rng.hpp"
#include "coded_file.hpp"
#include "forbidden_cells.hpp"

namespace pseudosynth {

/// A table that records are fitted to.
struct TargetTable {
  CrossedColumns columns;
  std::vector<double> target;
};

/// What records are fitted to; the same for all sets.
struct FittingTask {
  std::vector<int> levels;
  /// Columns that no move changes.
  std::vector<char> fixed;
  std::vector<TargetTable> tables;
  ForbiddenCells forbidden;
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
        rows_(std::move(rows)) {
    lay_out(scale);
    for (std::size_t i = 0; i < n_; ++i) count(row(i));
    const int most = *std::max_element(task.levels.begin(), task.levels.end());
    energy_.resize(static_cast<std::size_t>(most));
    allowed_.resize(static_cast<std::size_t>(most));
  }

  std::size_t size() const { return n_; }
  const std::vector<std::uint16_t>& rows() const { return rows_; }

  /// sum |tables - targets|^2 / 2.
  double energy() const {
    double sum = 0.0;
    for (const Block& block : blocks_) {
      for (std::size_t c = 0; c < block.cells; ++c)
        sum += miss_[block.start + c] * miss_[block.start + c];
    }
    return sum / 2.0;
  }

  /// Column j of record i from its full conditional at `beta`.
  void move(std::size_t i, int j, double beta, Rng& rng) {
    std::uint16_t* record = row(i);
    const std::size_t at = static_cast<std::size_t>(j);
    const int L = task_.levels[at];
    const std::size_t size = static_cast<std::size_t>(L);
    const int old = record[j];
    // The record left out, level v costs the sum over tables of miss + 1 / 2
    std::fill_n(energy_.begin(), size, 0.0);
    add_pairs(pairs_[at], record, L);
    for (const View& view : views_[at]) {
      const double* miss = miss_.data() + view.start + offset(view, record);
      for (std::size_t v = 0; v < size; ++v) energy_[v] += miss[v];
    }
    energy_[static_cast<std::size_t>(old)] -=
        static_cast<double>(pairs_[at].size() + views_[at].size());
    const bool ruled = task_.forbidden.concerns(j);
    if (ruled) {
      std::fill_n(allowed_.begin(), size, char{1});
      task_.forbidden.strike(record, j, L, allowed_.data());
    }
    double least = kNone;
    for (std::size_t v = 0; v < size; ++v) {
      if (ruled && !allowed_[v]) energy_[v] = kNone;
      least = std::min(least, energy_[v]);
    }
    double total = 0.0;
    for (std::size_t v = 0; v < size; ++v) {
      // Where a level is forbidden its exponential is 0
      energy_[v] = total += std::exp(-beta * (energy_[v] - least));
    }
    const double u = rng.uniform() * total;
    int chosen = 0;
    while (chosen + 1 < L && energy_[static_cast<std::size_t>(chosen)] <= u)
      ++chosen;
    if (chosen == old) return;
    change(record, j, chosen);
  }

  /// Every cell that is not fixed, once.
  /// @return false where it was stopped.
  bool sweep(double beta, Rng& rng, const std::function<bool()>& should_stop) {
    for (std::size_t i = 0; i < n_; ++i) {
      if (i % 1024 == 0 && should_stop && should_stop()) return false;
      for (std::size_t j = 0; j < d_; ++j) {
        if (!task_.fixed[j]) move(i, static_cast<int>(j), beta, rng);
      }
    }
    return true;
  }

 private:
  static constexpr double kNone = 1e300;
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  /// A table as one of its columns looks at it: that column's levels run
  /// fastest, so that a move reads neighbouring numbers.
  struct View {
    std::vector<int> column;
    std::vector<std::size_t> stride;
    std::size_t start;
  };

  /// The same of a pair, which most tables are: the other column, the place of
  /// its own view, if moves change it, and its levels.
  struct Pair {
    std::size_t start;
    int other;
    std::size_t mirror, levels;
  };

  /// A larger table's view, of whichever column, with a given one.
  struct Mirror {
    std::size_t column, view;
  };

  /// One view of each table.
  struct Block {
    std::size_t start, cells;
  };

  std::uint16_t* row(std::size_t i) { return rows_.data() + i * d_; }

  static std::size_t offset(const View& view, const std::uint16_t* record) {
    std::size_t at = 0;
    for (std::size_t a = 0; a < view.column.size(); ++a)
      at += view.stride[a] * record[view.column[a]];
    return at;
  }

  std::size_t levels(int j) const {
    return static_cast<std::size_t>(task_.levels[static_cast<std::size_t>(j)]);
  }
  bool is_fixed(int j) const {
    return task_.fixed[static_cast<std::size_t>(j)] != 0;
  }

  void lay_out(double scale) {
    pairs_.resize(d_);
    views_.resize(d_);
    mirrors_.resize(d_);
    for (const TargetTable& table : task_.tables) {
      if (table.target.size() != table.columns.cells)
        throw std::invalid_argument("a target differs from its table in size");
      const std::vector<int>& column = table.columns.column;
      std::vector<std::size_t> start(column.size(), kNowhere);
      std::vector<View> views(column.size());
      for (std::size_t own = 0; own < column.size(); ++own) {
        if (is_fixed(column[own])) continue;
        const bool first = std::all_of(start.begin(), start.end(),
                                       [](auto at) { return at == kNowhere; });
        views[own] = view_of(table, own, scale);
        start[own] = views[own].start;
        if (first) blocks_.push_back({start[own], table.columns.cells});
      }
      for (std::size_t own = 0; own < column.size(); ++own) {
        if (start[own] == kNowhere) continue;
        const std::size_t j = static_cast<std::size_t>(column[own]);
        if (column.size() == 2) {
          const int other = column[1 - own];
          pairs_[j].push_back(
              {start[own], other, start[1 - own], levels(other)});
          continue;
        }
        for (const int k : column)
          mirrors_[static_cast<std::size_t>(k)].push_back(
              {j, views_[j].size()});
        views_[j].push_back(views[own]);
      }
    }
  }

  /// Appends the targets, with their sign turned, to what is missed.
  View view_of(const TargetTable& table, std::size_t own, double scale) {
    const CrossedColumns& from = table.columns;
    View view{{}, {}, miss_.size()};
    std::size_t stride = levels(from.column[own]);
    std::vector<std::size_t> to(from.size(), 1);
    for (std::size_t a = 0; a < from.size(); ++a) {
      if (a == own) continue;
      view.column.push_back(from.column[a]);
      view.stride.push_back(to[a] = stride);
      stride *= levels(from.column[a]);
    }
    miss_.resize(view.start + from.cells);
    for (std::size_t c = 0; c < from.cells; ++c) {
      std::size_t at = view.start;
      for (std::size_t a = 0; a < from.size(); ++a)
        at += to[a] * (c / from.stride[a] % levels(from.column[a]));
      miss_[at] = -scale * table.target[c];
    }
    return view;
  }

  void count(const std::uint16_t* record) {
    for (std::size_t j = 0; j < d_; ++j) {
      const std::size_t L = levels(static_cast<int>(j));
      for (const Pair& pair : pairs_[j])
        miss_[pair.start + L * record[pair.other] + record[j]] += 1.0;
      for (const View& view : views_[j])
        miss_[view.start + offset(view, record) + record[j]] += 1.0;
    }
  }

  /// What pairs miss at each level of a column, added to the energies; with
  /// the number of levels known to the compiler where it is small.
  void add_pairs(const std::vector<Pair>& pairs, const std::uint16_t* record,
                 int L) {
    switch (L) {
      case 2:
        return add_few<2>(pairs, record);
      case 3:
        return add_few<3>(pairs, record);
      case 4:
        return add_few<4>(pairs, record);
      case 5:
        return add_few<5>(pairs, record);
      case 6:
        return add_few<6>(pairs, record);
      case 7:
        return add_few<7>(pairs, record);
      case 8:
        return add_few<8>(pairs, record);
      case 9:
        return add_few<9>(pairs, record);
      case 10:
        return add_few<10>(pairs, record);
    }
    const std::size_t size = static_cast<std::size_t>(L);
    for (const Pair& pair : pairs) {
      const double* miss =
          miss_.data() + pair.start + size * record[pair.other];
      for (std::size_t v = 0; v < size; ++v) energy_[v] += miss[v];
    }
  }

  template <int L>
  void add_few(const std::vector<Pair>& pairs, const std::uint16_t* record) {
    double sum[L] = {};
    for (const Pair& pair : pairs) {
      const double* miss = miss_.data() + pair.start + L * record[pair.other];
      for (int v = 0; v < L; ++v) sum[v] += miss[v];
    }
    for (int v = 0; v < L; ++v) energy_[static_cast<std::size_t>(v)] += sum[v];
  }

  /// Tables with column j change, in the views of all their columns.
  void change(std::uint16_t* record, int j, int to) {
    const std::size_t at = static_cast<std::size_t>(j);
    const std::size_t L = levels(j);
    const std::size_t before = record[j], after = static_cast<std::size_t>(to);
    double* const miss = miss_.data();
    for (const Pair& pair : pairs_[at]) {
      const std::size_t level = record[pair.other];
      double* own = miss + pair.start + L * level;
      own[before] -= 1.0;
      own[after] += 1.0;
      if (pair.mirror == kNowhere) continue;
      double* mirror = miss + pair.mirror + level;
      mirror[pair.levels * before] -= 1.0;
      mirror[pair.levels * after] += 1.0;
    }
    shift(record, at, -1.0);
    record[j] = static_cast<std::uint16_t>(to);
    shift(record, at, 1.0);
  }

  void shift(const std::uint16_t* record, std::size_t j, double by) {
    for (const Mirror& at : mirrors_[j]) {
      const View& view = views_[at.column][at.view];
      miss_[view.start + offset(view, record) + record[at.column]] += by;
    }
  }

  const FittingTask& task_;
  std::size_t d_, n_;
  std::vector<std::uint16_t> rows_;
  std::vector<std::vector<Pair>> pairs_;
  std::vector<std::vector<View>> views_;
  std::vector<std::vector<Mirror>> mirrors_;
  std::vector<Block> blocks_;
  std::vector<double> miss_;
  std::vector<double> energy_;
  std::vector<char> allowed_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_RECORD_FITTING_HPP
