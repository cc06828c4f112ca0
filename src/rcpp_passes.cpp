// Bindings of columns/: one pass over a long column, which makes no copy of it.

#include <Rcpp.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <pseudosynth/columns/number_facts.hpp>
#include <pseudosynth/columns/table_quantiles.hpp>
#include <pseudosynth/columns/value_hash.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ps = pseudosynth;

namespace {

std::size_t length_of(SEXP x) {
  return static_cast<std::size_t>(XLENGTH(x));
}

/// Equal for equal text, whatever its encoding; NA is no text.
std::uint64_t word_of_text(SEXP text) {
  if (text == NA_STRING) return ps::split_mix_step(1);
  return ps::word_of(Rf_translateCharUTF8(text));
}

/// Of each value its word; neighbours are often the same string.
template <class Add>
void add_text(SEXP x, Add add) {
  SEXP last = R_NilValue;
  std::uint64_t word = 0;
  for (R_xlen_t i = 0; i < XLENGTH(x); ++i) {
    const SEXP text = STRING_ELT(x, i);
    if (text != last) word = word_of_text(text);
    last = text;
    add(word);
  }
}

std::string hex_of(const ps::ValueHash& hash) {
  const std::array<std::uint64_t, 2> words = hash.words();
  std::array<char, 33> text;
  std::snprintf(text.data(), text.size(), "%016llx%016llx",
                static_cast<unsigned long long>(words[0]),
                static_cast<unsigned long long>(words[1]));
  return text.data();
}

}  // namespace

// Smallest and largest number, how many are missing, and whether all others
// are whole. With weights: of those with a positive one.
// [[Rcpp::export(rng = false)]]
Rcpp::List number_facts_(
    SEXP x, Rcpp::Nullable<Rcpp::NumericVector> weights = R_NilValue) {
  using Rcpp::_;
  ps::NumberFacts facts;
  if (weights.isNotNull()) {
    const Rcpp::NumericVector alpha(weights.get()), values(x);
    if (alpha.size() != values.size())
      Rcpp::stop("Expected a weight for each number.");
    for (R_xlen_t i = 0; i < alpha.size(); ++i)
      if (alpha[i] > 0) facts.add(values[i]);
  } else if (TYPEOF(x) == REALSXP)
    facts = ps::number_facts(REAL(x), length_of(x));
  else if (TYPEOF(x) == INTSXP || TYPEOF(x) == LGLSXP)
    facts = ps::number_facts(INTEGER(x), length_of(x), NA_INTEGER);
  else
    Rcpp::stop("Expected numbers.");
  return Rcpp::List::create(_["least"] = facts.least, _["most"] = facts.most,
                            _["missing"] = static_cast<double>(facts.missing),
                            _["whole"] = facts.whole);
}

// Bounds of records from the extremes of their log-likelihoods, the larger
// distance from 0 and the gap between both; Inf where one is not finite.
// [[Rcpp::export(rng = false)]]
Rcpp::List record_bounds_(Rcpp::NumericVector max, Rcpp::NumericVector min,
                          Rcpp::IntegerVector nonfinite) {
  if (min.size() != max.size() || nonfinite.size() != max.size())
    Rcpp::stop("Expected both extremes of each record.");
  Rcpp::NumericVector record(Rcpp::no_init(max.size())),
      oscillation(Rcpp::no_init(max.size()));
  for (R_xlen_t i = 0; i < max.size(); ++i) {
    const bool broken =
        nonfinite[i] > 0 || std::isnan(max[i]) || std::isnan(min[i]);
    record[i] =
        broken ? R_PosInf : std::max(std::fabs(max[i]), std::fabs(min[i]));
    oscillation[i] = broken ? R_PosInf : max[i] - min[i];
  }
  return Rcpp::List::create(Rcpp::_["record"] = record,
                            Rcpp::_["oscillation"] = oscillation);
}

// Are all numbers multiples of `step`, up to their rounding?
// [[Rcpp::export(rng = false)]]
bool all_on_grid_(Rcpp::NumericVector x, double step) {
  return ps::all_on_grid(x.begin(), length_of(x), step);
}

// A hash of a vector's bytes, or of its text, in hexadecimal.
// [[Rcpp::export(rng = false)]]
std::string vector_hash_(SEXP x) {
  ps::ValueHash hash;
  const std::size_t n = length_of(x);
  switch (TYPEOF(x)) {
    case LGLSXP:
    case INTSXP:
      hash.add_bytes(INTEGER(x), n * sizeof(int));
      break;
    case REALSXP:
      hash.add_bytes(REAL(x), n * sizeof(double));
      break;
    case CPLXSXP:
      hash.add_bytes(COMPLEX(x), n * sizeof(Rcomplex));
      break;
    case RAWSXP:
      hash.add_bytes(RAW(x), n);
      break;
    case STRSXP:
      add_text(x, [&](std::uint64_t word) { hash.add(word); });
      break;
    default:
      Rcpp::stop("Expected an atomic vector.");
  }
  return hex_of(hash);
}

// The hash of values as marks see them: numbers of any type, text of any
// encoding, a factor's text.
// [[Rcpp::export(rng = false)]]
std::string values_hash_(SEXP x) {
  ps::ValueHash hash;
  const std::size_t n = length_of(x);
  if (Rf_isFactor(x)) {
    std::vector<std::uint64_t> words{word_of_text(NA_STRING)};
    add_text(Rf_getAttrib(x, R_LevelsSymbol),
             [&](std::uint64_t word) { words.push_back(word); });
    const int* code = INTEGER(x);
    for (std::size_t i = 0; i < n; ++i)
      hash.add(words[code[i] == NA_INTEGER ? 0 : code[i]]);
  } else if (TYPEOF(x) == STRSXP) {
    add_text(x, [&](std::uint64_t word) { hash.add(word); });
  } else if (TYPEOF(x) == REALSXP) {
    // -0 is 0
    for (std::size_t i = 0; i < n; ++i) {
      const double value = REAL(x)[i] + 0.0;
      hash.add_bytes(&value, sizeof(value));
    }
  } else if (TYPEOF(x) == INTSXP || TYPEOF(x) == LGLSXP) {
    for (std::size_t i = 0; i < n; ++i) {
      const int own = INTEGER(x)[i];
      const double value = (own == NA_INTEGER ? NA_REAL : own) + 0.0;
      hash.add_bytes(&value, sizeof(value));
    }
  } else {
    Rcpp::stop("Expected numbers, text or a factor.");
  }
  return hex_of(hash);
}

// Codes of factors as the core counts them, one column each: those of R plus
// `shift`.
// [[Rcpp::export(rng = false)]]
Rcpp::IntegerMatrix factor_codes_(Rcpp::List factors, Rcpp::IntegerVector shift,
                                  int n) {
  Rcpp::IntegerMatrix out(Rcpp::no_init(n, static_cast<int>(factors.size())));
  for (R_xlen_t f = 0; f < factors.size(); ++f) {
    const SEXP from = factors[f];
    if (TYPEOF(from) != INTSXP || XLENGTH(from) != n)
      Rcpp::stop("Expected a code for each record.");
    const int* code = INTEGER(from);
    int* to = out.begin() + f * static_cast<R_xlen_t>(n);
    for (int i = 0; i < n; ++i) to[i] = code[i] + shift[f];
  }
  return out;
}

// Of each factor (a column of codes from `first`) the number of records by
// level, and the sum of y, over records with a positive weight; no weights:
// all.
// [[Rcpp::export(rng = false)]]
Rcpp::List level_sums_(Rcpp::IntegerMatrix codes, Rcpp::IntegerVector first,
                       Rcpp::IntegerVector levels, Rcpp::NumericVector y,
                       Rcpp::Nullable<Rcpp::NumericVector> weights) {
  using Rcpp::_;
  const int n = codes.nrow();
  const Rcpp::NumericVector alpha = weights.isNull()
                                        ? Rcpp::NumericVector(0)
                                        : Rcpp::NumericVector(weights.get());
  const bool all = weights.isNull();
  if (y.size() != n || (!all && alpha.size() != n) ||
      first.size() != codes.ncol() || levels.size() != codes.ncol())
    Rcpp::stop("Expected a response, a weight and codes for each record.");
  Rcpp::List out(codes.ncol());
  for (int f = 0; f < codes.ncol(); ++f) {
    Rcpp::NumericVector count(levels[f]), sum(levels[f]);
    const int* code = codes.begin() + static_cast<R_xlen_t>(f) * n;
    for (int i = 0; i < n; ++i) {
      if (!all && !(alpha[i] > 0)) continue;
      const int level = code[i] - first[f];
      if (level < 0 || level >= levels[f])
        Rcpp::stop("A code is out of range.");
      ++count[level];
      sum[level] += y[i];
    }
    out[f] = Rcpp::List::create(_["n"] = count, _["sum"] = sum);
  }
  return out;
}

// For each p the smallest k with p <= share[first[row] + k], k below
// size[row]; NA where the table does not say.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector table_quantiles_(Rcpp::NumericVector p,
                                     Rcpp::IntegerVector row,
                                     Rcpp::NumericVector share,
                                     Rcpp::IntegerVector first,
                                     Rcpp::IntegerVector size) {
  if (p.size() != row.size() || first.size() != size.size())
    Rcpp::stop("Expected a row for each probability.");
  for (R_xlen_t r = 0; r < first.size(); ++r)
    if (first[r] < 0 || size[r] < 0 || first[r] + size[r] > share.size())
      Rcpp::stop("A table is out of range.");
  Rcpp::NumericVector out(Rcpp::no_init(p.size()));
  for (R_xlen_t i = 0; i < p.size(); ++i) {
    if (row[i] < 1 || row[i] > first.size())
      Rcpp::stop("There is no such row.");
    const int r = row[i] - 1;
    const int k = ps::table_quantile(share.begin() + first[r],
                                     static_cast<std::size_t>(size[r]), p[i]);
    out[i] = k < 0 ? NA_REAL : k;
  }
  return out;
}
