// Hashes of records, for "is this record in that file?".

#include <Rcpp.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <pseudosynth/stream_seed.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

using pseudosynth::split_mix_step;
using pseudosynth::word_of;

/// Of ten digits, as numbers that went through a text file have lost the rest.
std::uint64_t word_of_number(double x) {
  if (ISNAN(x)) return word_of(R_IsNA(x) ? "NA" : "NaN");
  std::array<char, 32> text;
  // -0 is 0
  const int length =
      std::snprintf(text.data(), text.size(), "%.10g", x == 0 ? 0.0 : x);
  return word_of({text.data(), static_cast<std::size_t>(length)});
}

void add_column(SEXP column, std::vector<std::uint64_t>& hash) {
  const auto n = static_cast<R_xlen_t>(hash.size());
  if (Rf_xlength(column) != n) Rcpp::stop("columns of different lengths");
  const auto add = [&hash](R_xlen_t i, std::uint64_t word) {
    hash[i] = split_mix_step(hash[i] ^ word);
  };
  if (TYPEOF(column) == REALSXP) {
    const double* x = REAL(column);
    for (R_xlen_t i = 0; i < n; ++i) add(i, word_of_number(x[i]));
  } else if (TYPEOF(column) == STRSXP) {
    for (R_xlen_t i = 0; i < n; ++i)
      add(i, word_of(CHAR(STRING_ELT(column, i))));
  } else {
    Rcpp::stop("a column is neither double nor text");
  }
}

}  // namespace

// Of 52 bits each, so that they fit in doubles; equal for equal records.
// `columns`: of doubles or UTF-8 text, each of length n.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector row_hashes_(Rcpp::List columns, std::string salt,
                                double n) {
  std::vector<std::uint64_t> hash(static_cast<std::size_t>(n), word_of(salt));
  for (SEXP column : columns) {
    Rcpp::checkUserInterrupt();
    add_column(column, hash);
  }
  Rcpp::NumericVector out(hash.size());
  for (std::size_t i = 0; i < hash.size(); ++i) {
    out[i] = static_cast<double>(hash[i] >> 12);
  }
  return out;
}
