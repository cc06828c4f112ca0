// Hashes of records, for "is this record in that file?".

#include <Rcpp.h>

#include <array>
#include <cmath>
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
  if (std::fabs(x) < 1e9 && x == std::trunc(x)) {
    // What printf() would write
    char* at = text.data() + text.size();
    auto left = static_cast<std::uint32_t>(std::fabs(x));
    do *--at = static_cast<char>('0' + left % 10);
    while ((left /= 10) > 0);
    if (x < 0) *--at = '-';
    const char* const end = text.data() + text.size();
    return word_of({at, static_cast<std::size_t>(end - at)});
  }
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
    const double* x = REAL_RO(column);
    for (R_xlen_t i = 0; i < n; ++i) add(i, word_of_number(x[i]));
  } else if (Rf_isFactor(column)) {
    const SEXP levels = Rf_getAttrib(column, R_LevelsSymbol);
    std::vector<std::uint64_t> words{word_of("NA")};
    for (R_xlen_t k = 0; k < XLENGTH(levels); ++k)
      words.push_back(word_of(Rf_translateCharUTF8(STRING_ELT(levels, k))));
    const int* code = INTEGER_RO(column);
    for (R_xlen_t i = 0; i < n; ++i)
      add(i, words[code[i] == NA_INTEGER ? 0 : code[i]]);
  } else if (TYPEOF(column) == STRSXP) {
    for (R_xlen_t i = 0; i < n; ++i)
      add(i, word_of(CHAR(STRING_ELT(column, i))));
  } else {
    Rcpp::stop("a column is neither double nor a factor nor text");
  }
}

}  // namespace

// Of 52 bits each, so that they fit in doubles; equal for equal records.
// `columns`: of doubles, factors or UTF-8 text, each of length n.
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
