// The operating system's entropy as a seed of two 32-bit words.

#include <Rcpp.h>

#include <cstdint>
#include <pseudosynth/system_entropy.hpp>

// rng = false: R's own random numbers stay untouched.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector entropy_seed_() {
  const std::uint64_t word = pseudosynth::system_bits();
  return Rcpp::NumericVector::create(
      static_cast<double>(word >> 32),
      static_cast<double>(static_cast<std::uint32_t>(word)));
}
