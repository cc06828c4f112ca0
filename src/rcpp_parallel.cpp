// RcppParallel's pool does the work while R's own thread serves interrupts and
// progress.

#include "rcpp_parallel.h"

#include <Rcpp.h>
// Not <RcppParallel.h>: its matrix wrappers use what C++17 deprecates.
#if defined(_WIN32)
#include <RcppParallel/TinyThread.h>
#else
#include <RcppParallel/TBB.h>
#endif

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#if !defined(_WIN32)
#include <unistd.h>
#endif

namespace binding {

namespace {

void check_interrupt(void*) {
  R_CheckUserInterrupt();
}

class TaskWorker : public RcppParallel::Worker {
 public:
  TaskWorker(const std::function<void(int)>& task,
             std::vector<std::string>& errors, std::atomic<bool>& stop)
      : task_(task), errors_(errors), stop_(stop) {}

  void operator()(std::size_t begin, std::size_t end) override {
    for (std::size_t i = begin; i < end && !stop_; ++i) {
      try {
        task_(static_cast<int>(i));
      } catch (const std::exception& error) {
        errors_[i] = error.what();
        stop_ = true;
      } catch (...) {
        errors_[i] = "unknown error";
        stop_ = true;
      }
    }
  }

 private:
  const std::function<void(int)>& task_;
  std::vector<std::string>& errors_;
  std::atomic<bool>& stop_;
};

/// Calls what may throw or raise an R error: the latter, which would jump over
/// the frames of C++, becomes an exception of Rcpp's, and both come out here.
void call_guarded(const std::function<void()>& call) {
  std::exception_ptr thrown;
  Rcpp::unwindProtect([&]() -> SEXP {
    // No exception may pass through R's own frames
    try {
      call();
    } catch (...) {
      thrown = std::current_exception();
    }
    return R_NilValue;
  });
  if (thrown) std::rethrow_exception(thrown);
}

#if !defined(_WIN32)
/// Is this a forked copy of the process whose pool has run? The pool's threads
/// do not live in it, and whoever hands them work waits for ever.
bool is_forked_copy() {
  static const pid_t first = getpid();
  return getpid() != first;
}
#else
bool is_forked_copy() {
  return false;
}
#endif

/// @brief A thread that is waited for wherever its owner is left: one that is
/// destroyed while it can be joined ends the process.
class Host {
 public:
  template <class Work>
  Host(std::atomic<bool>& stop, Work work) : stop_(stop), thread_(work) {}
  ~Host() {
    if (!thread_.joinable()) return;
    stop_ = true;
    thread_.join();
  }
  void join() { thread_.join(); }

 private:
  std::atomic<bool>& stop_;
  std::thread thread_;
};

/// On the pool, while this thread serves interrupts and progress.
bool run_on_pool(int n, int threads, TaskWorker& worker,
                 std::atomic<bool>& stop,
                 const std::function<void()>& progress) {
  // More threads than cores gain nothing and make the pool complain.
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  if (cores > 0) threads = std::min(threads, cores);
  std::atomic<bool> done{false};
  std::mutex mutex;
  std::condition_variable finished;
  std::string pool_error;
  Host host(stop, [&] {
    try {
#if defined(_WIN32)
      RcppParallel::ttParallelFor(0, static_cast<std::size_t>(n), worker, 1);
#else
      RcppParallel::tbbParallelFor(0, static_cast<std::size_t>(n), worker, 1,
                                   threads);
#endif
    } catch (const std::exception& error) {
      pool_error = error.what();
    } catch (...) {
      pool_error = "unknown error";
    }
    {
      std::lock_guard<std::mutex> lock(mutex);
      done = true;
    }
    finished.notify_all();
  });
  bool interrupted = false;
  auto next_poll = std::chrono::steady_clock::now();
  while (!done) {
    {
      std::unique_lock<std::mutex> lock(mutex);
      finished.wait_for(lock, std::chrono::milliseconds(50),
                        [&] { return done.load(); });
    }
    if (done) break;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_poll) continue;
    next_poll = now + std::chrono::milliseconds(100);
    if (!interrupted && interrupt_pending()) {
      interrupted = true;
      stop = true;
    }
    if (progress && !interrupted) call_guarded(progress);
  }
  host.join();
  if (!pool_error.empty()) Rcpp::stop(pool_error);
  return interrupted;
}

/// One after the other on this thread.
bool run_here(int n, TaskWorker& worker, std::atomic<bool>& stop) {
  InterruptPoll poll;
  bool interrupted = false;
  for (int i = 0; i < n && !stop; ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    worker(at, at + 1);
    if (poll()) interrupted = stop = true;
  }
  return interrupted;
}

}  // namespace

// R_ToplevelExec keeps R from jumping over C++ frames.
bool interrupt_pending() {
  return R_ToplevelExec(check_interrupt, nullptr) == FALSE;
}

bool InterruptPoll::operator()() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return false;
  next_ = now + std::chrono::milliseconds(100);
  return interrupt_pending();
}

bool run_tasks(int n, int threads, std::atomic<bool>& stop,
               const std::function<void(int)>& task,
               const std::function<void()>& progress) {
  std::vector<std::string> errors(static_cast<std::size_t>(n));
  TaskWorker worker(task, errors, stop);
  const bool interrupted =
      is_forked_copy() ? run_here(n, worker, stop)
                       : run_on_pool(n, threads, worker, stop, progress);
  std::string message;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i].empty()) continue;
    message += "\n" + std::to_string(i + 1) + ": " + errors[i];
  }
  if (!message.empty()) Rcpp::stop("The computation failed in part" + message);
  return interrupted;
}

void run_to_end(int n, int threads, std::atomic<bool>& stop,
                const std::function<void(int)>& task) {
  if (run_tasks(n, threads, stop, task))
    throw Rcpp::internal::InterruptedException();
}

std::vector<int> cut_range(int n, int parts) {
  parts = std::max(1, std::min(n, parts));
  std::vector<int> cut;
  for (int p = 0; p <= parts; ++p)
    cut.push_back(static_cast<int>(static_cast<long long>(n) * p / parts));
  return cut;
}

}  // namespace binding
