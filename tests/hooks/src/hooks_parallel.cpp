// Tasks on threads while R's own thread calls back. The source itself: its
// object needs the libraries of the package.
#include <chrono>

#include "rcpp_parallel.cpp"

// Tasks that run until they are told to stop; after `after` calls `progress`
// does as `how` says. Returns how many tasks ended, in `ended`.
// [[Rcpp::export(rng = false)]]
bool test_run_tasks_(int n, int threads, std::string how, int after,
                     Rcpp::Function callback, Rcpp::IntegerVector ended) {
  std::atomic<bool> stop{false};
  std::atomic<int> count{0};
  int calls = 0;
  const auto task = [&](int) {
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!stop && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ++count;
    ended[0] = count;
  };
  return binding::run_tasks(n, threads, stop, task, [&] {
    if (++calls < after) return;
    if (how == "throw") throw std::runtime_error("thrown in progress");
    if (how == "jump") Rf_error("an R error in progress");
    if (how == "call") callback();
  });
}
