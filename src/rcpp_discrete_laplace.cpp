// Bindings of synth/discrete_laplace.hpp and synth/discrete_gaussian.hpp, and
// uniform numbers of a stream.

#include <Rcpp.h>

#include <cstdint>
#include <pseudosynth/rng.hpp>
#include <pseudosynth/synth/discrete_gaussian.hpp>
#include <pseudosynth/synth/discrete_laplace.hpp>
#include <pseudosynth/system_entropy.hpp>

namespace ps = pseudosynth;

namespace {

/// Every bit from the operating system's generator, none from a stream.
struct EntropyBits {
  std::uint64_t bits() { return ps::system_bits(); }
};

std::uint64_t to_word(const Rcpp::NumericVector& seed) {
  return static_cast<std::uint64_t>(seed[0]) << 32 |
         static_cast<std::uint64_t>(seed[1]);
}

/// @tparam Noise is made of a source's type.
template <class Noise, class Bits>
Rcpp::NumericVector draw(int n, const Noise& noise, Bits& source) {
  Rcpp::NumericVector out(n);
  for (int i = 0; i < n; ++i) {
    if (i % 1000 == 0) Rcpp::checkUserInterrupt();
    out[i] = static_cast<double>(noise(source));
  }
  return out;
}

/// n draws of Noise<Bits>(parameters): every bit is the operating system's
/// where no seed is given.
template <template <class> class Noise, class... Parameters>
Rcpp::NumericVector draw_from(int n,
                              const Rcpp::Nullable<Rcpp::NumericVector>& seed,
                              Parameters... parameters) {
  if (seed.isNull()) {
    EntropyBits source;
    return draw(n, Noise<EntropyBits>(parameters...), source);
  }
  ps::Rng source(to_word(Rcpp::NumericVector(seed)), 0);
  return draw(n, Noise<ps::Rng>(parameters...), source);
}

}  // namespace

// n draws of the rate s / t. Without a seed (NULL) every bit is the operating
// system's.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector discrete_laplace_(
    int n, double s, double t, Rcpp::Nullable<Rcpp::NumericVector> seed) {
  return draw_from<ps::DiscreteLaplace>(n, seed, static_cast<std::uint64_t>(s),
                                        static_cast<std::uint64_t>(t));
}

// n draws of the whole standard deviation sigma.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector discrete_gaussian_(
    int n, double sigma, Rcpp::Nullable<Rcpp::NumericVector> seed) {
  if (!(sigma >= 1 && sigma <= 2147483648.0))
    Rcpp::stop("sigma must be whole, from 1 to 2^31");
  return draw_from<ps::DiscreteGaussian>(n, seed,
                                         static_cast<std::uint64_t>(sigma));
}

// n uniform numbers in (0, 1) of one stream of the seed.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector uniforms_(int n, Rcpp::NumericVector seed, int stream) {
  ps::Rng rng(to_word(seed), static_cast<std::uint64_t>(stream));
  Rcpp::NumericVector out(n);
  for (double& u : out) u = rng.uniform();
  return out;
}
