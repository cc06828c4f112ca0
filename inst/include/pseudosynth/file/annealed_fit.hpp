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
#include <numeric>
#include <utility>
#include <vector>

#include "../rng.hpp"
#include "record_fitting.hpp"
#include "record_start.hpp"

namespace pseudosynth {

struct AnnealingPlan {
  int sweeps = 40;
  double first_beta = 1e-4;
  /// Standard deviation of the targets' noise, and the records they are for.
  double noise = 0.0;
  double records = 1.0;
  /// Records that are fitted in all sweeps; others grow out of them, in
  /// `grown_sweeps` at the last temperature.
  std::size_t particles = 100000;
  int grown_sweeps = 1;

  /// Noise is not fitted: min(1, 3 / its standard deviation in a set of n).
  double last_beta(double n) const {
    const double noise_of_set = noise * n / records;
    return noise_of_set > 3.0 ? 3.0 / noise_of_set : 1.0;
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

namespace detail {

/// Numbers 0 to n - 1 in random order.
inline std::vector<std::size_t> shuffled(std::size_t n, Rng& rng) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i)
    std::swap(
        order[i - 1],
        order[static_cast<std::size_t>(rng.integer(static_cast<int>(i)))]);
  return order;
}

/// Cells that are not fixed, from fitted records of the same fixed cells in
/// turn; from the margins where there are none.
/// @return false where it was stopped.
inline bool grow(const FittingTask& task, const RecordStart& start,
                 const std::vector<std::uint16_t>& particles,
                 std::vector<std::uint16_t>& rows, Rng& rng,
                 const std::function<bool()>& should_stop) {
  const std::size_t d = task.levels.size();
  const auto fixed_part = [&](const std::uint16_t* record) {
    std::vector<std::uint16_t> part;
    for (std::size_t j = 0; j < d; ++j) {
      if (task.fixed[j]) part.push_back(record[j]);
    }
    return part;
  };
  struct Alike {
    std::vector<std::size_t> particle;
    std::size_t next = 0;
  };
  std::map<std::vector<std::uint16_t>, Alike> alike;
  for (const std::size_t p : shuffled(particles.size() / d, rng))
    alike[fixed_part(&particles[p * d])].particle.push_back(p);
  for (std::size_t i = 0; i < rows.size() / d; ++i) {
    std::uint16_t* record = &rows[i * d];
    const auto found = alike.find(fixed_part(record));
    if (found == alike.end()) {
      if (!start.draw(record, rng, should_stop)) return false;
      continue;
    }
    Alike& group = found->second;
    const std::size_t p = group.particle[group.next++ % group.particle.size()];
    std::copy_n(&particles[p * d], d, record);
  }
  return true;
}

}  // namespace detail

/// @param rows n x d levels from 0, row by row; fixed columns set.
/// @return the rows fitted; empty where it was stopped.
inline std::vector<std::uint16_t> fit_records(
    const FittingTask& task, const std::vector<std::vector<double>>& margins,
    std::vector<std::uint16_t> rows, const AnnealingPlan& plan, Rng& rng,
    const std::function<bool()>& should_stop) {
  const std::size_t d = task.levels.size();
  const std::size_t n = rows.size() / d;
  const RecordStart start(task, margins);
  const auto scale = [&](std::size_t size) {
    return static_cast<double>(size) / plan.records;
  };
  if (n <= plan.particles) {
    for (std::size_t i = 0; i < n; ++i) {
      if (!start.draw(&rows[i * d], rng, should_stop)) return {};
    }
    FittedRecords fitted(task, std::move(rows), scale(n));
    if (!anneal(fitted, plan, rng, should_stop)) return {};
    return fitted.rows();
  }
  std::vector<std::uint16_t> particles;
  const std::vector<std::size_t> order = detail::shuffled(n, rng);
  for (std::size_t p = 0; p < plan.particles; ++p) {
    const std::uint16_t* record = &rows[order[p] * d];
    particles.insert(particles.end(), record, record + d);
    if (!start.draw(&particles[p * d], rng, should_stop)) return {};
  }
  FittedRecords fitted(task, std::move(particles), scale(plan.particles));
  if (!anneal(fitted, plan, rng, should_stop)) return {};
  if (!detail::grow(task, start, fitted.rows(), rows, rng, should_stop))
    return {};
  FittedRecords grown(task, std::move(rows), scale(n));
  const double beta = plan.last_beta(static_cast<double>(n));
  for (int s = 0; s < plan.grown_sweeps; ++s) {
    if (!grown.sweep(beta, rng, should_stop)) return {};
  }
  return grown.rows();
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_ANNEALED_FIT_HPP
