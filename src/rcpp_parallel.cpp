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
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
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

/// @brief The one thread that hands work to the pool.
///
/// It lives as long as the library: older pools (those of RcppParallel before
/// 5.1.11) crash in the second of two threads if the first has ended.
class PoolThread {
 public:
  static PoolThread& instance() {
    // Never destroyed: at the end of the process the thread still waits.
    static PoolThread* const one = new PoolThread;
    return *one;
  }

  /// @return The number of the job: they are done one after the other.
  long long submit(std::function<void()> job) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
    jobs_.push_back(std::move(job));
    changed_.notify_all();
    return ++submitted_;
  }

  /// Waits for a job, but not longer than this; says whether it is done.
  bool wait_for(long long job, std::chrono::milliseconds most) {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, most, [&] { return done_ >= job; });
  }

  /// Ends the thread, before its code is unloaded.
  void end() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!thread_.joinable()) return;
      jobs_.emplace_back();
      changed_.notify_all();
      ++submitted_;
    }
    thread_.join();
  }

 private:
  /// Until a job is empty.
  void serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (bool goes_on = true; goes_on;) {
      changed_.wait(lock, [&] { return !jobs_.empty(); });
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      if (job) {
        job();
      } else {
        goes_on = false;
      }
      lock.lock();
      ++done_;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  long long submitted_ = 0;
  long long done_ = 0;
  std::thread thread_;
};

/// @brief A job that is waited for wherever its owner is left: it uses what the
/// owner has.
class Hosted {
 public:
  Hosted(std::atomic<bool>& stop, std::function<void()> job)
      : stop_(stop), job_(PoolThread::instance().submit(std::move(job))) {}
  ~Hosted() {
    if (!wait_for(std::chrono::milliseconds(0))) stop_ = true;
    while (!wait_for(std::chrono::seconds(1))) {
    }
  }
  bool wait_for(std::chrono::milliseconds most) const {
    return PoolThread::instance().wait_for(job_, most);
  }

 private:
  std::atomic<bool>& stop_;
  const long long job_;
};

/// On the pool, while this thread serves interrupts and progress.
bool run_on_pool(int n, int threads, TaskWorker& worker,
                 std::atomic<bool>& stop,
                 const std::function<void()>& progress) {
  // More threads than cores gain nothing and make the pool complain.
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  if (cores > 0) threads = std::min(threads, cores);
  std::string pool_error;
  const Hosted hosted(stop, [&] {
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
  });
  bool interrupted = false;
  auto next_poll = std::chrono::steady_clock::now();
  while (!hosted.wait_for(std::chrono::milliseconds(50))) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_poll) continue;
    next_poll = now + std::chrono::milliseconds(100);
    if (!interrupted && interrupt_pending()) {
      interrupted = true;
      stop = true;
    }
    if (progress && !interrupted) call_guarded(progress);
  }
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

/// R calls this before it unloads the library.
extern "C" attribute_visible void R_unload_pseudosynth(DllInfo*);
void R_unload_pseudosynth(DllInfo*) {
  if (!binding::is_forked_copy()) binding::PoolThread::instance().end();
}
