// Bindings of columns/: passes over whole columns of records.

#include <cmath>
#include <cstring>
#include <pseudosynth/columns/byte_runs.hpp>
#include <pseudosynth/columns/determined_columns.hpp>
#include <pseudosynth/columns/lines.hpp>

#include "rcpp_model.h"

namespace ps = pseudosynth;

namespace {

std::string_view view_of(const Rcpp::RawVector& bytes) {
  return {reinterpret_cast<const char*>(RAW(bytes)),
          static_cast<std::size_t>(bytes.size())};
}

/// Places (1-based) of numbers that `bytes` holds; those that are NA it cannot.
template <class Word, class Vector>
Rcpp::IntegerVector places_met(const Rcpp::RawVector& bytes,
                               const Vector& numbers) {
  std::vector<Word> sought;
  std::vector<int> place;
  for (R_xlen_t k = 0; k < numbers.size(); ++k) {
    if (Vector::is_na(numbers[k])) continue;
    const auto number = numbers[k];
    Word word;
    static_assert(sizeof(word) == sizeof(number), "a number in a word");
    std::memcpy(&word, &number, sizeof(word));
    sought.push_back(word);
    place.push_back(static_cast<int>(k) + 1);
  }
  if (sought.empty()) return Rcpp::IntegerVector(0);
  const std::vector<int> found = ps::numbers_met(view_of(bytes), sought);
  Rcpp::IntegerVector out(found.size());
  for (std::size_t j = 0; j < found.size(); ++j) out[j] = place[found[j]];
  return out;
}

}  // namespace

// Which columns (1-based) of the design of a specification those before them
// determine, the largest factor's before all others.
// [[Rcpp::export(rng = false)]]
Rcpp::IntegerVector aliased_columns_(Rcpp::List spec) {
  const int n = Rf_nrows(spec["codes"]);
  const std::vector<int> found = ps::determined_columns(
      binding::to_predictors(spec, n), [] { Rcpp::checkUserInterrupt(); });
  Rcpp::IntegerVector out(found.size());
  for (std::size_t j = 0; j < found.size(); ++j) out[j] = found[j] + 1;
  return out;
}

// Which of `sought` are runs of bytes that belong together (256 flags), dots at
// their ends aside, or, of `texts`, stand anywhere but within such a run.
// [[Rcpp::export(rng = false)]]
Rcpp::LogicalVector runs_met_(Rcpp::RawVector bytes,
                              Rcpp::LogicalVector belongs,
                              Rcpp::CharacterVector sought,
                              bool texts = false) {
  if (belongs.size() != 256) Rcpp::stop("Expected a flag for each byte.");
  bool inside[256];
  for (int b = 0; b < 256; ++b) inside[b] = belongs[b] != 0;
  std::vector<std::string_view> views;
  for (R_xlen_t k = 0; k < sought.size(); ++k)
    views.emplace_back(CHAR(STRING_ELT(sought, k)));
  const auto look = texts ? ps::texts_met : ps::runs_met;
  const std::vector<char> met = look(view_of(bytes), inside, views);
  return Rcpp::LogicalVector(met.begin(), met.end());
}

// Which (1-based) of some doubles or integers stand anywhere in bytes, in
// either order; NA is none.
// [[Rcpp::export(rng = false)]]
Rcpp::IntegerVector numbers_met_(Rcpp::RawVector bytes, SEXP numbers) {
  if (TYPEOF(numbers) == INTSXP)
    return places_met<std::uint32_t>(bytes, Rcpp::IntegerVector(numbers));
  return places_met<std::uint64_t>(bytes, Rcpp::NumericVector(numbers));
}

// An odd and an even function, given on a grid from 0, at each of `d`.
// [[Rcpp::export(rng = false)]]
Rcpp::List odd_and_even_(Rcpp::NumericVector d, Rcpp::NumericVector grid,
                         Rcpp::NumericVector odd, Rcpp::NumericVector even) {
  if (grid.size() < 2 || odd.size() != grid.size() ||
      even.size() != grid.size())
    Rcpp::stop("Expected values on a grid.");
  Rcpp::NumericVector first(d.size()), second(d.size());
  const std::size_t n = static_cast<std::size_t>(grid.size());
  for (R_xlen_t i = 0; i < d.size(); ++i) {
    const ps::Place at(grid.begin(), n, std::abs(d[i]));
    first[i] = std::copysign(at.along(odd.begin()), d[i]);
    second[i] = at.along(even.begin());
  }
  return Rcpp::List::create(Rcpp::_["mean"] = first, Rcpp::_["slope"] = second);
}
