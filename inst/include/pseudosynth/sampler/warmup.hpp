// Stan's windowed warmup: a fast interval to find the typical set, doubling
// windows that learn the metric, a last fast interval for the step size
// (Stan reference manual, "Automatic parameter tuning").
#ifndef PSEUDOSYNTH_SAMPLER_WARMUP_HPP
#define PSEUDOSYNTH_SAMPLER_WARMUP_HPP

#include <cstdint>

#include "nuts_constants.hpp"

namespace pseudosynth {

class WarmupSchedule {
 public:
  explicit WarmupSchedule(int n_warmup) : n_warmup_(n_warmup) {
    if (n_warmup < 20) {
      // Too short to learn variances: the step size alone is adapted.
      first_ = n_warmup;
    } else if (NutsConstants::kFirst + NutsConstants::kWindow +
                   NutsConstants::kLast >
               n_warmup) {
      first_ = static_cast<int>(0.15 * n_warmup);
      last_ = static_cast<int>(0.1 * n_warmup);
      window_ = n_warmup - first_ - last_;
    } else {
      first_ = NutsConstants::kFirst;
      last_ = NutsConstants::kLast;
      window_ = NutsConstants::kWindow;
    }
    next_end_ = first_ + window_ - 1;
  }

  /// @brief True if iteration `i` (0-based) belongs to a metric window.
  bool in_window(std::int64_t i) const {
    return i >= first_ && i < n_warmup_ - last_;
  }

  /// @brief True if a metric window ends with iteration `i`; call once per
  /// iteration, in order.
  bool ends_window(std::int64_t i) {
    if (!in_window(i) || i != next_end_) {
      return false;
    }
    const std::int64_t last_end = n_warmup_ - last_ - 1;
    if (next_end_ != last_end) {
      window_ *= 2;
      next_end_ = i + window_;
      // A window whose successor would not fit takes all that is left.
      if (next_end_ != last_end &&
          next_end_ + 2 * window_ >= n_warmup_ - last_) {
        next_end_ = last_end;
      }
    }
    return true;
  }

 private:
  // 64 bits: windows double past the end of warmup before they are cut.
  std::int64_t n_warmup_;
  std::int64_t first_ = 0, last_ = 0, window_ = 0, next_end_ = -1;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_WARMUP_HPP
