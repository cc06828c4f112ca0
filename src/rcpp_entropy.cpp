// The operating system's entropy as a seed of two 32-bit words.

#include <Rcpp.h>

#include <cstdint>
#include <random>

// rng = false: R's own random numbers stay untouched.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector entropy_seed_() {
  // One device for both words: random_device reads the system's generator.
  std::random_device device;
  const auto word = [&device] {
    return static_cast<double>(static_cast<std::uint32_t>(device()));
  };
  const double high = word();
  const double low = word();
  return Rcpp::NumericVector::create(high, low);
}
