// Records whose tables come close to targets: Gibbs moves of one cell of one
// record under exp(-beta sum weight |tables - targets|^2 / 2), beta rising; of
// two cells at once where a rule holds them together, and of more where rules
// tie them.
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
        missed_(task.levels, task.fixed, task.tables, scale) {
    for (std::size_t i = 0; i < n_; ++i) missed_.count(row(i));
    for (std::size_t j = 0; j < d_; ++j) {
      quick_.push_back(missed_.has_law(j) &&
                       !task.forbidden.concerns(static_cast<int>(j)));
      law_.resize(std::max(law_.size(), simd::whole_lanes(levels(j))));
    }
    for (TiedColumns& tied : find_tied_columns(task.levels, task.fixed,
                                               task.forbidden, kMostTied)) {
      Group group{std::move(tied), std::vector<char>(d_, 0), 1.0};
      const double m = static_cast<double>(group.tied.column.size());
      const double work =
          static_cast<double>(group.tied.n_combinations()) * m * (m - 1) / 2.0;
      group.share = std::min(1.0, kWork / std::max(work, 1.0));
      for (const std::size_t j : group.tied.column) group.member[j] = 1;
      groups_.push_back(std::move(group));
    }
    for (std::size_t j = 0; j < d_; ++j) {
      for (std::size_t k = j + 1; k < d_; ++k) {
        if (!task.fixed[j] && !task.fixed[k] &&
            levels(j) * levels(k) <= kMost && !move_together(j, k) &&
            task.forbidden.share_rule(static_cast<int>(j), static_cast<int>(k)))
          held_.push_back({j, k});
      }
    }
  }

  std::size_t size() const { return n_; }
  const std::vector<std::uint16_t>& rows() const { return rows_; }

  /// sum weight |tables - targets|^2 / 2.
  double energy() const { return missed_.squared() / 2.0; }

  /// Column j of record i from its full conditional at `beta`.
  void move(std::size_t i, std::size_t j, double beta, Rng& rng) {
    std::uint16_t* record = row(i);
    // Without the record level v costs the sum over tables of weight (miss +
    // 1 / 2)
    if (quick_[j]) {
      missed_.law(record, j, beta, law_.data());
      change(record, j, drawn(law_.data(), levels(j), rng));
      return;
    }
    energy_.assign(levels(j), 0.0);
    missed_.add(record, j, energy_.data());
    energy_[record[j]] -= missed_.weight_with(j);
    if (task_.forbidden.concerns(static_cast<int>(j))) strike(record, j);
    change(record, j, choose(beta, rng));
  }

  /// Columns j and k of record i from their joint conditional.
  void move_both(std::size_t i, std::size_t j, std::size_t k, double beta,
                 Rng& rng) {
    std::uint16_t* record = row(i);
    const std::uint16_t old_j = record[j], old_k = record[k];
    const std::size_t J = levels(j), K = levels(k);
    // Tables with one of them, then those with both; without the record they
    // miss one record less at its own levels
    const double both = missed_.weight_with_both(j, k);
    std::vector<double> first(J, 0.0), second(K, 0.0);
    missed_.add_if(record, j, k, false, first.data());
    missed_.add_if(record, k, j, false, second.data());
    first[old_j] -= missed_.weight_with(j) - both;
    second[old_k] -= missed_.weight_with(k) - both;
    energy_.assign(J * K, 0.0);
    for (std::size_t u = 0; u < K; ++u) {
      double* energy = energy_.data() + J * u;
      record[k] = static_cast<std::uint16_t>(u);
      missed_.add_if(record, j, k, true, energy);
      if (u == old_k) energy[old_j] -= both;
      for (std::size_t v = 0; v < J; ++v) {
        record[j] = static_cast<std::uint16_t>(v);
        energy[v] += first[v] + second[u];
        if (task_.forbidden.broken(record)) energy[v] = kNone;
      }
    }
    record[j] = old_j;
    record[k] = old_k;
    const std::size_t chosen = choose(beta, rng);
    const std::size_t to_j = chosen % J, to_k = chosen / J;
    if (to_j != old_j)
      missed_.change(record, j, static_cast<std::uint16_t>(to_j));
    if (to_k != old_k)
      missed_.change(record, k, static_cast<std::uint16_t>(to_k));
  }

  std::size_t n_groups() const { return groups_.size(); }

  /// All columns of a group of tied ones of record i from their joint
  /// conditional.
  void move_tied(std::size_t i, std::size_t group, double beta, Rng& rng) {
    std::uint16_t* record = row(i);
    const TiedColumns& tied = groups_[group].tied;
    const std::vector<char>& member = groups_[group].member;
    const std::size_t m = tied.column.size();
    // Without the record a combination costs what its cells miss
    missed_.count(record, -1.0);
    std::vector<std::size_t> start(m, 0);
    std::size_t size = 0;
    for (std::size_t a = 0; a < m; ++a) {
      start[a] = size;
      size += levels(tied.column[a]);
    }
    alone_.assign(size, 0.0);
    for (std::size_t a = 0; a < m; ++a)
      missed_.add_alone(record, tied.column[a], member,
                        alone_.data() + start[a]);
    energy_.assign(tied.n_combinations(), 0.0);
    for (std::size_t c = 0; c < energy_.size(); ++c) {
      const std::uint16_t* levels = tied.combination.data() + m * c;
      for (std::size_t a = 0; a < m; ++a) record[tied.column[a]] = levels[a];
      const bool broken = std::any_of(
          tied.rule.begin(), tied.rule.end(),
          [&](std::size_t r) { return task_.forbidden.broken_by(r, record); });
      if (broken) {
        energy_[c] = kNone;
        continue;
      }
      for (std::size_t a = 0; a < m; ++a)
        energy_[c] += alone_[start[a] + levels[a]] +
                      missed_.missed_together(record, tied.column[a], member);
    }
    const std::uint16_t* to = tied.combination.data() + m * choose(beta, rng);
    for (std::size_t a = 0; a < m; ++a) record[tied.column[a]] = to[a];
    missed_.count(record, 1.0);
  }

  /// Every cell that is not fixed, once, and cells that rules hold together.
  /// @return false where it was stopped.
  bool sweep(double beta, Rng& rng, const std::function<bool()>& should_stop) {
    for (std::size_t i = 0; i < n_; ++i) {
      if (i % 1024 == 0 && should_stop && should_stop()) return false;
      for (std::size_t j = 0; j < d_; ++j) {
        if (!task_.fixed[j]) move(i, j, beta, rng);
      }
      for (const auto& held : held_)
        move_both(i, held.first, held.second, beta, rng);
      for (std::size_t g = 0; g < groups_.size(); ++g) {
        // Large groups in some sweeps only, whatever their levels are
        if (groups_[g].share >= 1.0 || rng.uniform() < groups_[g].share)
          move_tied(i, g, beta, rng);
      }
    }
    return true;
  }

 private:
  // Of a level that is forbidden: its exponential is 0
  static constexpr double kNone = 1e300;
  // Cells of two columns that are moved at once, at most
  static constexpr std::size_t kMost = 1024;
  // Combinations of tied columns, at most, and the cells of pairs that are
  // looked at in each sweep
  static constexpr std::size_t kMostTied = 4096;
  static constexpr double kWork = 4000.0;

  struct Group {
    TiedColumns tied;
    std::vector<char> member;
    /// Of sweeps that move it.
    double share;
  };

  /// Are two columns of a group that every sweep moves?
  bool move_together(std::size_t j, std::size_t k) const {
    return std::any_of(groups_.begin(), groups_.end(), [&](const Group& group) {
      return group.share >= 1.0 && group.member[j] && group.member[k];
    });
  }

  std::uint16_t* row(std::size_t i) { return rows_.data() + i * d_; }
  std::size_t levels(std::size_t j) const {
    return static_cast<std::size_t>(task_.levels[j]);
  }

  /// Levels of column j that would break a rule get the energy of none.
  void strike(const std::uint16_t* record, std::size_t j) {
    allowed_.assign(levels(j), 1);
    task_.forbidden.strike(record, static_cast<int>(j), task_.levels[j],
                           allowed_.data());
    for (std::size_t v = 0; v < allowed_.size(); ++v) {
      if (!allowed_[v]) energy_[v] = kNone;
    }
  }

  /// With probability in proportion to exp(-beta energy).
  std::size_t choose(double beta, Rng& rng) {
    const double least = *std::min_element(energy_.begin(), energy_.end());
    double total = 0.0;
    for (double& e : energy_) e = total += std::exp(-beta * (e - least));
    return drawn(energy_.data(), energy_.size(), rng);
  }

  /// @param law cumulative.
  static std::size_t drawn(const double* law, std::size_t n, Rng& rng) {
    const double u = rng.uniform() * law[n - 1];
    std::size_t chosen = 0;
    for (std::size_t v = 0; v + 1 < n; ++v) chosen += law[v] <= u;
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
  std::vector<Group> groups_;
  std::vector<std::pair<std::size_t, std::size_t>> held_;
  std::vector<double> energy_, alone_, law_;
  /// Columns with pairs alone and no rule.
  std::vector<char> quick_;
  std::vector<char> allowed_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_RECORD_FITTING_HPP
