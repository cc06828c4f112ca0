// Seeds as two 32-bit words, high and low: the operating system's entropy, or
// the user's number for one purpose.

#include <Rcpp.h>

#include <cstdint>
#include <pseudosynth/stream_seed.hpp>
#include <pseudosynth/system_entropy.hpp>
#include <string>

namespace {

Rcpp::NumericVector to_words(std::uint64_t word) {
  return Rcpp::NumericVector::create(
      static_cast<double>(word >> 32),
      static_cast<double>(static_cast<std::uint32_t>(word)));
}

}  // namespace

// rng = false: R's own random numbers stay untouched.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector entropy_seed_() {
  return to_words(pseudosynth::system_bits());
}

// `seed` and `stage`: whole numbers from 0 to 2^53.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector stream_seed_(double seed, std::string purpose,
                                 double stage) {
  return to_words(pseudosynth::stream_seed(static_cast<std::uint64_t>(seed),
                                           purpose,
                                           static_cast<std::uint64_t>(stage)));
}
