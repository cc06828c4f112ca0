// Heights of bins that fall from bin to bin, see falling() in R.

#include <Rcpp.h>

#include <vector>

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector falling_(const Rcpp::NumericVector& y,
                             const Rcpp::NumericVector& weight) {
  struct Level {
    double value, size;
    R_xlen_t length;
  };
  std::vector<Level> level;
  for (R_xlen_t i = 0; i < y.size(); ++i) {
    level.push_back({y[i], weight[i], 1});
    // A level above the one before joins it
    while (level.size() > 1) {
      const Level last = level.back();
      Level& before = level[level.size() - 2];
      if (!(last.value > before.value)) break;
      const double both = before.size + last.size;
      before.value =
          (before.size * before.value + last.size * last.value) / both;
      before.size = both;
      before.length += last.length;
      level.pop_back();
    }
  }
  Rcpp::NumericVector fallen(y.size());
  R_xlen_t at = 0;
  for (const Level& one : level) {
    for (R_xlen_t k = 0; k < one.length; ++k) fallen[at++] = one.value;
  }
  return fallen;
}
