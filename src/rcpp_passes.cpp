// Bindings of columns/: one pass over a long column, which makes no copy of it.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <pseudosynth/columns/number_facts.hpp>
#include <pseudosynth/columns/table_quantiles.hpp>
#include <pseudosynth/columns/value_hash.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "rcpp_model.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

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

/// As add_bytes() of all, without writing out what R keeps as 1:n.
void add_integers(SEXP x, ps::ValueHash& hash) {
  const R_xlen_t n = XLENGTH(x);
  if (!ALTREP(x)) {
    hash.add_bytes(INTEGER_RO(x), static_cast<std::size_t>(n) * sizeof(int));
    return;
  }
  std::array<int, 4096> some;
  for (R_xlen_t at = 0; at < n;) {
    const R_xlen_t got = INTEGER_GET_REGION(
        x, at, static_cast<R_xlen_t>(some.size()), some.data());
    hash.add_bytes(some.data(), static_cast<std::size_t>(got) * sizeof(int));
    at += got;
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
Rcpp::List number_facts_(SEXP x, SEXP weights = R_NilValue) {
  using Rcpp::_;
  ps::NumberFacts facts;
  if (!Rf_isNull(weights)) {
    const Rcpp::NumericVector values(x);
    if (TYPEOF(weights) != REALSXP || XLENGTH(weights) != values.size())
      Rcpp::stop("Expected a weight for each number.");
    const double* alpha = REAL_RO(weights);
    for (R_xlen_t i = 0; i < values.size(); ++i)
      if (alpha[i] > 0) facts.add(values[i]);
  } else if (TYPEOF(x) == REALSXP)
    facts = ps::number_facts(REAL_RO(x), length_of(x));
  else if (TYPEOF(x) == INTSXP || TYPEOF(x) == LGLSXP)
    facts = ps::number_facts(INTEGER_RO(x), length_of(x), NA_INTEGER);
  else
    Rcpp::stop("Expected numbers.");
  return Rcpp::List::create(_["least"] = facts.least, _["most"] = facts.most,
                            _["missing"] = static_cast<double>(facts.missing),
                            _["whole"] = facts.whole);
}

// Different numbers of sorted ones, and how many there are of each.
// [[Rcpp::export(rng = false)]]
Rcpp::List sorted_runs_(SEXP x) {
  if (TYPEOF(x) != REALSXP) Rcpp::stop("Expected doubles.");
  const double* const sorted = REAL_RO(x);
  const R_xlen_t size = XLENGTH(x);
  R_xlen_t runs = size > 0 ? 1 : 0;
  for (R_xlen_t i = 1; i < size; ++i) runs += sorted[i] != sorted[i - 1];
  Rcpp::NumericVector value(Rcpp::no_init(runs));
  Rcpp::IntegerVector n(runs);
  R_xlen_t run = -1;
  for (R_xlen_t i = 0; i < size; ++i) {
    if (i == 0 || sorted[i] != sorted[i - 1]) value[++run] = sorted[i];
    ++n[run];
  }
  return Rcpp::List::create(Rcpp::_["value"] = value, Rcpp::_["n"] = n);
}

// The number that most of sorted ones are, and how many: the least of several.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector longest_run_(SEXP x) {
  if (TYPEOF(x) != REALSXP) Rcpp::stop("Expected doubles.");
  const double* const sorted = REAL_RO(x);
  const R_xlen_t size = XLENGTH(x);
  R_xlen_t first = 0, longest = 0, from = 0;
  for (R_xlen_t i = 0; i < size; ++i) {
    if (sorted[i] != sorted[from]) from = i;
    if (i - from + 1 > longest) {
      longest = i - from + 1;
      first = from;
    }
  }
  return Rcpp::NumericVector::create(size > 0 ? sorted[first] : NA_REAL,
                                     static_cast<double>(longest));
}

// How many of some whole numbers are `least`, `least` + 1 and so on.
// [[Rcpp::export(rng = false)]]
Rcpp::IntegerVector whole_counts_(SEXP x, double least, int size) {
  Rcpp::IntegerVector out(size);
  const auto count = [&](const auto* value) {
    for (R_xlen_t i = 0; i < XLENGTH(x); ++i) {
      const double place = static_cast<double>(value[i]) - least;
      if (!(place >= 0 && place < size))
        Rcpp::stop("A number is out of range.");
      ++out[static_cast<R_xlen_t>(place)];
    }
  };
  if (TYPEOF(x) == REALSXP)
    count(REAL_RO(x));
  else if (TYPEOF(x) == INTSXP || TYPEOF(x) == LGLSXP)
    count(static_cast<const int*>(TYPEOF(x) == INTSXP ? INTEGER_RO(x)
                                                      : LOGICAL_RO(x)));
  else
    Rcpp::stop("Expected numbers.");
  return out;
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
      hash.add_bytes(LOGICAL_RO(x), n * sizeof(int));
      break;
    case INTSXP:
      add_integers(x, hash);
      break;
    case REALSXP:
      hash.add_bytes(REAL_RO(x), n * sizeof(double));
      break;
    case CPLXSXP:
      hash.add_bytes(COMPLEX_RO(x), n * sizeof(Rcomplex));
      break;
    case RAWSXP:
      hash.add_bytes(RAW_RO(x), n);
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
    const int* code = INTEGER_RO(x);
    for (std::size_t i = 0; i < n; ++i)
      hash.add(words[code[i] == NA_INTEGER ? 0 : code[i]]);
  } else if (TYPEOF(x) == STRSXP) {
    add_text(x, [&](std::uint64_t word) { hash.add(word); });
  } else if (TYPEOF(x) == REALSXP) {
    // -0 is 0
    for (std::size_t i = 0; i < n; ++i) {
      const double value = REAL_RO(x)[i] + 0.0;
      hash.add_bytes(&value, sizeof(value));
    }
  } else if (TYPEOF(x) == INTSXP || TYPEOF(x) == LGLSXP) {
    for (std::size_t i = 0; i < n; ++i) {
      const int own = INTEGER_RO(x)[i];
      const double value = (own == NA_INTEGER ? NA_REAL : own) + 0.0;
      hash.add_bytes(&value, sizeof(value));
    }
  } else {
    Rcpp::stop("Expected numbers, text or a factor.");
  }
  return hex_of(hash);
}

// Codes of factors as the core counts them, one column each: those of R plus
// `shift`. A byte for each where all levels have one.
// [[Rcpp::export(rng = false)]]
SEXP factor_codes_(Rcpp::List factors, Rcpp::IntegerVector shift,
                   Rcpp::IntegerVector levels, int n) {
  const int F = static_cast<int>(factors.size());
  if (shift.size() != F || levels.size() != F)
    Rcpp::stop("Expected a shift and levels for each factor.");
  const auto fill = [&](auto* to) {
    using Code = std::decay_t<decltype(*to)>;
    for (int f = 0; f < F; ++f, to += n) {
      const SEXP from = factors[f];
      if (TYPEOF(from) != INTSXP || XLENGTH(from) != n)
        Rcpp::stop("Expected a code for each record.");
      const int* code = INTEGER_RO(from);
      for (int i = 0; i < n; ++i) {
        const int own = code[i] + shift[f];
        if (own < 0 || own >= levels[f]) Rcpp::stop("A code is out of range.");
        to[i] = static_cast<Code>(own);
      }
    }
  };
  const bool bytes = std::all_of(levels.begin(), levels.end(),
                                 [](int own) { return own <= 256; });
  if (bytes) {
    Rcpp::RawMatrix out(n, F);
    fill(out.begin());
    return out;
  }
  Rcpp::IntegerMatrix out(Rcpp::no_init(n, F));
  fill(out.begin());
  return out;
}

// Of each factor (a column of codes from `first`) the number of records by
// level, and the sum of y, over records with a positive weight; no weights:
// all.
// [[Rcpp::export(rng = false)]]
Rcpp::List level_sums_(SEXP codes, Rcpp::IntegerVector first,
                       Rcpp::IntegerVector levels, Rcpp::NumericVector y,
                       SEXP weights) {
  using Rcpp::_;
  const int n = Rf_nrows(codes), F = Rf_ncols(codes);
  const bool all = Rf_isNull(weights);
  if (y.size() != n || (!all && XLENGTH(weights) != n) || first.size() != F ||
      levels.size() != F || !(all || TYPEOF(weights) == REALSXP))
    Rcpp::stop("Expected a response, a weight and codes for each record.");
  const double* alpha = all ? nullptr : REAL_RO(weights);
  const ps::Codes own = binding::to_codes(codes);
  Rcpp::List out(F);
  for (int f = 0; f < F; ++f) {
    Rcpp::NumericVector count(levels[f]), sum(levels[f]);
    const std::size_t start = static_cast<std::size_t>(f) * n;
    own.from(start, [&](const auto* code) {
      for (int i = 0; i < n; ++i) {
        if (!all && !(alpha[i] > 0)) continue;
        const int level = code[i] - first[f];
        if (level < 0 || level >= levels[f])
          Rcpp::stop("A code is out of range.");
        ++count[level];
        sum[level] += y[i];
      }
    });
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

// Memory that is free goes back to the system. The C library of GNU keeps it
// where a small block lies above it, which with long columns is a third of what
// the process holds; others have no such call.
// [[Rcpp::export(rng = false)]]
void trim_memory_() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}
