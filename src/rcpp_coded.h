// Coded columns of a file as R has them.
#ifndef PSEUDOSYNTH_RCPP_CODED_H
#define PSEUDOSYNTH_RCPP_CODED_H

#include <Rcpp.h>

#include <pseudosynth/file/coded_file.hpp>
#include <vector>

namespace binding {

/// @param levels checked: positive and, as a row's cells have 16 bits, below
///   65536.
inline std::vector<int> to_levels(const Rcpp::IntegerVector& levels) {
  for (const int L : levels) {
    if (L < 1 || L > 65535) Rcpp::stop("Expected 1 to 65535 levels a column.");
  }
  return {levels.begin(), levels.end()};
}

/// A view: the matrix must live as long.
inline pseudosynth::CodedFile to_file(const Rcpp::IntegerMatrix& codes,
                                      const std::vector<int>& levels) {
  pseudosynth::CodedFile file{codes.begin(),
                              static_cast<std::size_t>(codes.nrow()), levels};
  if (static_cast<std::size_t>(codes.ncol()) != levels.size())
    Rcpp::stop("Expected levels for each column.");
  file.check();
  return file;
}

}  // namespace binding

#endif
