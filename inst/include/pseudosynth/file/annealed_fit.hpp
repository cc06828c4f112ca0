// A set of records fitted to targets by sweeps at rising inverse temperature;
// large sets grow out of a small one.
#ifndef PSEUDOSYNTH_FILE_ANNEALED_FIT_HPP
#define PSEUDOSYNTH_FILE_ANNEALED_FIT_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "../rng.hpp"
#include "random_parts.hpp"
#include "record_fitting.hpp"
#include "record_start.hpp"

namespace pseudosynth {

struct AnnealingPlan {
  int sweeps = 40;
  double first_beta = 1e-4;
  /// Standard deviation of the targets' noise, and the records they are for.
  double noise = 0.0;
  double records = 1.0;
  /// Records that are fitted in all sweeps; others grow out of them. Then
  /// follow `grown_sweeps` at the last temperature.
  std::size_t particles = 100000;
  int grown_sweeps = 1;
  /// Records that are fitted together, in all sweeps and in those after
  /// growing: each such part to its share of the targets.
  std::size_t together = 50000;
  std::size_t grown_together = 500000;

  /// The last inverse temperature, by the noise's standard deviation: the
  /// larger, the closer to its table is what chance would seldom make.
  double coldest = 3.0;

  /// Noise is not fitted: min(1, coldest / its standard deviation in a set of
  /// n).
  double last_beta(double n) const {
    const double noise_of_set = noise * n / records;
    return noise_of_set > coldest ? coldest / noise_of_set : 1.0;
  }
};

/// @return false where it was stopped.
inline bool anneal(FittedRecords& fitted, const AnnealingPlan& plan, Rng& rng,
                   const std::function<bool()>& should_stop) {
  const double first = std::log(plan.first_beta);
  const double last =
      std::log(plan.last_beta(static_cast<double>(fitted.size())));
  for (int s = 0; s < plan.sweeps; ++s) {
    const double along =
        plan.sweeps > 1 ? static_cast<double>(s) / (plan.sweeps - 1) : 1.0;
    const double beta = std::exp(first + along * (last - first));
    if (!fitted.sweep(beta, rng, should_stop)) return false;
  }
  return true;
}

/// @brief The cells that are fixed of n records: codes from 1, column by
/// column. A view.
struct FixedCells {
  const int* codes = nullptr;
  std::size_t n = 0;
  /// Of a record.
  std::vector<std::size_t> column;

  void read(std::size_t i, std::uint16_t* record) const {
    for (std::size_t a = 0; a < column.size(); ++a)
      record[column[a]] = static_cast<std::uint16_t>(codes[a * n + i] - 1);
  }

  std::vector<std::uint16_t> of(const std::uint16_t* record) const {
    std::vector<std::uint16_t> cells;
    for (const std::size_t j : column) cells.push_back(record[j]);
    return cells;
  }
};

/// @brief A set of n records fitted to targets.
///
/// In three steps. fit() fits the first records, part by part; match() says
/// which of them each record grows from, or is; grow() makes all records, part
/// by part. Parts have random numbers of their own and share nothing that they
/// change: they may run at once. The records of a part are drawn at random:
/// fixed cells may come in any order.
class FittedSet {
 public:
  /// @param margins counts by column and level.
  /// @param stream of the seed, below 2^32.
  FittedSet(const FittingTask& task,
            const std::vector<std::vector<double>>& margins,
            const FixedCells& fixed, std::size_t n, const AnnealingPlan& plan,
            std::uint64_t seed, std::uint64_t stream)
      : task_(task),
        fixed_(fixed),
        plan_(plan),
        start_(task, margins),
        n_(n),
        seed_(seed),
        stream_(stream) {
    if (n_grown() == 0) return;
    Rng rng(seed, stream);
    order_ = shuffled(n, rng);
  }

  /// Parts of fit().
  std::size_t n_fits() const { return parts_of(n_particles(), plan_.together); }
  /// Parts of grow(); 0: the set is fitted.
  std::size_t n_grown() const {
    return n_fits() > 1 || grows() ? parts_of(n_, plan_.grown_together) : 0;
  }

  /// Before the parts of fit().
  void make_room() { particles_.resize(n_particles() * width()); }

  /// @return false where it was stopped.
  bool fit(std::size_t part, const std::function<bool()>& should_stop) {
    const PartRange range = part_of(n_particles(), n_fits(), part);
    Rng rng = rng_of(n_fits() == 1 ? 0 : 1 + part);
    std::vector<std::uint16_t> rows(range.size() * width());
    for (std::size_t i = range.first; i < range.last; ++i) {
      std::uint16_t* record = &rows[(i - range.first) * width()];
      fixed_.read(place(i), record);
      if (!start_.draw(record, rng, should_stop)) return false;
    }
    FittedRecords fitted(task_, std::move(rows), scale(range.size()));
    if (!anneal(fitted, plan_, rng, should_stop)) return false;
    std::copy(fitted.rows().begin(), fitted.rows().end(),
              &particles_[range.first * width()]);
    return true;
  }

  /// Fitted records of the same fixed cells in turn; of a record without any,
  /// none.
  void match() {
    source_.resize(n_);
    if (!grows()) {
      for (std::size_t p = 0; p < n_; ++p)
        source_[order_[p]] = static_cast<std::uint32_t>(p);
      return;
    }
    struct Alike {
      std::vector<std::uint32_t> particle;
      std::size_t next = 0;
    };
    Rng rng = rng_of(kMatching);
    std::map<std::vector<std::uint16_t>, Alike> alike;
    for (const std::uint32_t p : shuffled(n_particles(), rng))
      alike[fixed_.of(&particles_[p * width()])].particle.push_back(p);
    std::vector<std::uint16_t> record(width());
    for (std::size_t i = 0; i < n_; ++i) {
      fixed_.read(i, record.data());
      const auto found = alike.find(fixed_.of(record.data()));
      if (found == alike.end()) {
        source_[i] = kNone;
        continue;
      }
      Alike& group = found->second;
      source_[i] = group.particle[group.next++ % group.particle.size()];
    }
  }

  /// @param[out] codes of all records from 1, column by column.
  /// @return false where it was stopped.
  bool grow(std::size_t part, const std::function<bool()>& should_stop,
            int* codes) const {
    const PartRange range = part_of(n_, n_grown(), part);
    Rng rng = rng_of(kGrowing + part);
    std::vector<std::uint16_t> rows(range.size() * width());
    for (std::size_t i = range.first; i < range.last; ++i) {
      std::uint16_t* record = &rows[(i - range.first) * width()];
      const std::uint32_t from = source_[place(i)];
      if (from != kNone) {
        std::copy_n(&particles_[from * width()], width(), record);
        continue;
      }
      // From the margins where no fitted record is alike
      fixed_.read(place(i), record);
      if (!start_.draw(record, rng, should_stop)) return false;
    }
    FittedRecords grown(task_, std::move(rows), scale(range.size()));
    const double beta = plan_.last_beta(static_cast<double>(range.size()));
    for (int s = 0; s < plan_.grown_sweeps; ++s) {
      if (!grown.sweep(beta, rng, should_stop)) return false;
    }
    write(range.first, grown.rows(), codes);
    return true;
  }

  /// Of a set that does not grow.
  void write(int* codes) const { write(0, particles_, codes); }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  // Random numbers: 0 is the set's own, then those of parts
  static constexpr std::uint64_t kGrowing = 1 << 20;
  static constexpr std::uint64_t kMatching = kGrowing - 1;

  std::size_t width() const { return task_.levels.size(); }
  bool grows() const { return n_ > plan_.particles; }
  std::size_t n_particles() const { return std::min(n_, plan_.particles); }
  double scale(std::size_t size) const {
    return static_cast<double>(size) / plan_.records;
  }
  /// Which record is the i-th of the parts.
  std::size_t place(std::size_t i) const {
    return order_.empty() ? i : order_[i];
  }
  Rng rng_of(std::uint64_t purpose) const {
    return Rng(seed_, stream_ + (purpose << 32));
  }

  void write(std::size_t first, const std::vector<std::uint16_t>& rows,
             int* codes) const {
    for (std::size_t j = 0; j < width(); ++j) {
      int* column = codes + j * n_;
      for (std::size_t r = 0; r < rows.size() / width(); ++r)
        column[place(first + r)] = rows[r * width() + j] + 1;
    }
  }

  const FittingTask& task_;
  const FixedCells& fixed_;
  const AnnealingPlan& plan_;
  const RecordStart start_;
  std::size_t n_;
  std::uint64_t seed_, stream_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint16_t> particles_;
  std::vector<std::uint32_t> source_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_ANNEALED_FIT_HPP
