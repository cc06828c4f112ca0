// What every sampler takes from and gives back to its caller, whichever
// algorithm runs inside.
#ifndef PSEUDOSYNTH_SAMPLER_CHAIN_RESULT_HPP
#define PSEUDOSYNTH_SAMPLER_CHAIN_RESULT_HPP

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "../math.hpp"
#include "../stop.hpp"

namespace pseudosynth {

/// @brief Callbacks that connect a running chain to its host.
///
/// Both may be empty. They are called from the chain's own thread, so they
/// must be cheap and thread safe: typically an atomic flag and an atomic
/// counter that the host's main thread serves.
struct ChainHandlers {
  /// Polled within every iteration; true ends the chain early.
  std::function<bool()> should_stop;
  /// Called after every iteration with the number of iterations done so far,
  /// warmup included.
  std::function<void(std::int64_t)> on_iteration;

  bool stop_requested() const { return should_stop && should_stop(); }
  void iteration_done(std::int64_t iteration) const {
    if (on_iteration) {
      on_iteration(iteration);
    }
  }
};

/// @brief One chain's kept draws and what is known about how they were made.
/// Made before the chain starts: its clock runs from then to finish().
///
/// Matrices hold one draw per COLUMN, so that a draw is contiguous and is
/// written in place. Only the first `completed` columns (and elements of the
/// vectors) hold draws; fewer than asked for when `interrupted`.
struct ChainResult {
  Matrix draws;    ///< D x S, constrained: [ b (P*K) | extras ]
  Matrix hyper;    ///< H x S, constrained hyperparameters; H may be 0
  Matrix monitor;  ///< M x S, filled by the caller or the sampler; M may be 0

  // Hamiltonian samplers; others leave them empty.
  std::vector<int> divergent;       ///< 0 or 1
  std::vector<int> treedepth;       ///< doublings of the trajectory
  std::vector<int> n_leapfrog;      ///< gradient evaluations
  std::vector<double> accept_stat;  ///< mean Metropolis probability
  std::vector<double> energy;       ///< -log density + kinetic energy
  std::vector<double> log_density;  ///< log posterior on the unconstrained
                                    ///< scale, up to a constant

  /// Of coupled pairs of chains of this kernel: sweeps until they met, +Inf
  /// where they did not; see lagged_pairs.hpp. May be empty.
  std::vector<double> meeting;
  /// Sweeps a draw, where the chain has chosen them; else 0.
  int sweeps = 0;

  double stepsize = 0;    ///< after warmup
  Vector inverse_metric;  ///< diagonal of the adapted inverse metric
  Vector state;           ///< final state, the sampler's own scale
  int completed = 0;      ///< kept draws
  bool interrupted = false;
  long n_nonfinite = 0;  ///< evaluations that were not finite (rejected)
  double seconds = 0;    ///< wall time to finish(), warmup included

  /// @brief Makes room for `n_draws` draws.
  void allocate(int n_draw_values, int n_hyper_values, int n_draws,
                int n_monitored = 0) {
    draws.setZero(n_draw_values, n_draws);
    hyper.setZero(n_hyper_values, n_draws);
    monitor.setZero(n_monitored, n_draws);
  }

  /// @brief Drops the columns that were never filled and stops the clock.
  void finish() {
    trim();
    seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began_)
            .count();
  }

 private:
  std::chrono::steady_clock::time_point began_ =
      std::chrono::steady_clock::now();

  void trim() {
    draws.conservativeResize(Eigen::NoChange, completed);
    hyper.conservativeResize(Eigen::NoChange, completed);
    if (monitor.cols() > completed) {
      monitor.conservativeResize(Eigen::NoChange, completed);
    }
  }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_CHAIN_RESULT_HPP
