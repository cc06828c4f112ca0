// Records whose tables come close to targets: Gibbs moves of one cell of one
// record under exp(-beta sum |tables - targets|^2 / 2), beta rising; of two
// cells at once where a rule holds them together.
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
      for (std::size_t k = j + 1; k < d_; ++k) {
        if (!task.fixed[j] && !task.fixed[k] &&
            levels(j) * levels(k) <= kMost &&
            task.forbidden.share_rule(static_cast<int>(j), static_cast<int>(k)))
          held_.push_back({j, k});
      }
    }
  }

  std::size_t size() const { return n_; }
  const std::vector<std::uint16_t>& rows() const { return rows_; }

  /// sum |tables - targets|^2 / 2.
  double energy() const { return missed_.squared() / 2.0; }

  /// Column j of record i from its full conditional at `beta`.
  void move(std::size_t i, std::size_t j, double beta, Rng& rng) {
    std::uint16_t* record = row(i);
    // Without the record level v costs the sum over tables of miss + 1 / 2
    energy_.assign(levels(j), 0.0);
    missed_.add(record, j, energy_.data());
    energy_[record[j]] -= static_cast<double>(missed_.tables_with(j));
    if (task_.forbidden.concerns(static_cast<int>(j))) strike(record, j);
    const std::size_t chosen = choose(beta, rng);
    if (chosen != record[j])
      missed_.change(record, j, static_cast<std::uint16_t>(chosen));
  }

  /// Columns j and k of record i from their joint conditional.
  void move_both(std::size_t i, std::size_t j, std::size_t k, double beta,
                 Rng& rng) {
    std::uint16_t* record = row(i);
    const std::uint16_t old_j = record[j], old_k = record[k];
    const std::size_t J = levels(j), K = levels(k);
    // Tables with one of them, then those with both; without the record they
    // miss one less at its own levels
    const std::size_t both = missed_.tables_with_both(j, k);
    std::vector<double> first(J, 0.0), second(K, 0.0);
    missed_.add_if(record, j, k, false, first.data());
    missed_.add_if(record, k, j, false, second.data());
    first[old_j] -= static_cast<double>(missed_.tables_with(j) - both);
    second[old_k] -= static_cast<double>(missed_.tables_with(k) - both);
    energy_.assign(J * K, 0.0);
    for (std::size_t u = 0; u < K; ++u) {
      double* energy = energy_.data() + J * u;
      record[k] = static_cast<std::uint16_t>(u);
      missed_.add_if(record, j, k, true, energy);
      if (u == old_k) energy[old_j] -= static_cast<double>(both);
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

  /// Every cell that is not fixed, once, and cells that a rule holds together.
  /// @return false where it was stopped.
  bool sweep(double beta, Rng& rng, const std::function<bool()>& should_stop) {
    for (std::size_t i = 0; i < n_; ++i) {
      if (i % 1024 == 0 && should_stop && should_stop()) return false;
      for (std::size_t j = 0; j < d_; ++j) {
        if (!task_.fixed[j]) move(i, j, beta, rng);
      }
      for (const auto& held : held_)
        move_both(i, held.first, held.second, beta, rng);
    }
    return true;
  }

 private:
  // Of a level that is forbidden: its exponential is 0
  static constexpr double kNone = 1e300;
  // Cells of two columns that are moved at once, at most
  static constexpr std::size_t kMost = 1024;

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
    const double u = rng.uniform() * total;
    std::size_t chosen = 0;
    while (chosen + 1 < energy_.size() && energy_[chosen] <= u) ++chosen;
    return chosen;
  }

  const FittingTask& task_;
  std::size_t d_, n_;
  std::vector<std::uint16_t> rows_;
  MissedTables missed_;
  std::vector<std::pair<std::size_t, std::size_t>> held_;
  std::vector<double> energy_;
  std::vector<char> allowed_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_RECORD_FITTING_HPP
