// Parallel tasks that R can interrupt. Threads and RcppParallel's pool are in
// rcpp_parallel.cpp alone: their headers take a second to compile. Tasks touch
// no R object.
#ifndef PSEUDOSYNTH_RCPP_PARALLEL_H
#define PSEUDOSYNTH_RCPP_PARALLEL_H

#include <atomic>
#include <chrono>
#include <functional>
#include <vector>

namespace binding {

/// True once the user has pressed Ctrl-C.
bool interrupt_pending();

/// Asks for a pending interrupt, at most ten times a second; for work on R's
/// own thread.
class InterruptPoll {
 public:
  bool operator()();

 private:
  std::chrono::steady_clock::time_point next_ =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
};

/// Runs task(0), .., task(n - 1) on `threads` threads. `stop` is set when the
/// user interrupts; tasks poll it. `progress`, if any, is called from R's
/// thread a few times a second; what it throws, and an R error in it, stops the
/// tasks and goes on once these have ended. Returns true if interrupted. Errors
/// of tasks are thrown together after all have ended, with 1-based numbers.
bool run_tasks(int n, int threads, std::atomic<bool>& stop,
               const std::function<void(int)>& task,
               const std::function<void()>& progress = nullptr);

/// The same for work that is worth nothing unfinished: an interrupt goes on to
/// R.
void run_to_end(int n, int threads, std::atomic<bool>& stop,
                const std::function<void(int)>& task);

/// Cuts n items into about `parts` ranges; the cut does not depend on threads.
std::vector<int> cut_range(int n, int parts);

}  // namespace binding

#endif
