// Bindings of kernel/grid_posterior.hpp and kernel/grid_loss.hpp.

#include <Rcpp.h>

#include <pseudosynth/kernel/grid_loss.hpp>
#include <pseudosynth/kernel/grid_posterior.hpp>

namespace ps = pseudosynth;

namespace {

ps::GridDensity to_grid(const Rcpp::NumericMatrix& f) {
  return ps::GridDensity{f.begin(), f.nrow(), f.ncol()};
}

void check_size(R_xlen_t size, int expected, const char* name) {
  if (size != expected)
    Rcpp::stop("Expected %d elements in `%s`, not %d.", expected, name, size);
}

ps::GridMechanism to_mechanism(const Rcpp::NumericVector& alpha,
                               const Rcpp::NumericVector& centre, double lower,
                               double upper, int V) {
  check_size(alpha.size(), V, "alpha");
  check_size(centre.size(), V, "centre");
  return ps::GridMechanism{alpha.begin(), centre.begin(), lower, upper};
}

// R's cells are counted from 1.
std::vector<int> to_cells(const Rcpp::IntegerVector& cells, int G) {
  std::vector<int> out(cells.begin(), cells.end());
  for (int& g : out)
    if (--g < 0 || g >= G) Rcpp::stop("A cell lies outside the grid.");
  return out;
}

}  // namespace

// start (G) plus the terms of the record types that counts names.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector grid_sum_(Rcpp::NumericMatrix f, Rcpp::NumericVector start,
                              Rcpp::NumericVector counts,
                              Rcpp::NumericVector alpha,
                              Rcpp::NumericVector centre, double lower,
                              double upper) {
  const ps::GridDensity grid = to_grid(f);
  check_size(start.size(), grid.G, "start");
  check_size(counts.size(), grid.V, "counts");
  Rcpp::NumericVector out = Rcpp::clone(start);
  ps::grid_add_terms(grid, counts.begin(),
                     to_mechanism(alpha, centre, lower, upper, grid.V),
                     out.begin());
  return out;
}

// [[Rcpp::export(rng = false)]]
Rcpp::IntegerVector grid_bulk_(Rcpp::NumericVector x,
                               Rcpp::NumericVector log_volume, double mass) {
  check_size(log_volume.size(), static_cast<int>(x.size()), "log_volume");
  const std::vector<int> cells = ps::grid_bulk(
      x.begin(), log_volume.begin(), static_cast<int>(x.size()), mass);
  Rcpp::IntegerVector out(cells.begin(), cells.end());
  for (int& g : out) ++g;
  return out;
}

// [[Rcpp::export(rng = false)]]
Rcpp::List grid_extremes_(Rcpp::NumericMatrix f, Rcpp::NumericVector alpha,
                          Rcpp::NumericVector centre, double lower,
                          double upper, Rcpp::IntegerVector cells) {
  const ps::GridDensity grid = to_grid(f);
  Rcpp::NumericVector low(grid.V), high(grid.V);
  ps::grid_extremes(grid, to_mechanism(alpha, centre, lower, upper, grid.V),
                    to_cells(cells, grid.G), low.begin(), high.begin());
  return Rcpp::List::create(Rcpp::_["min"] = low, Rcpp::_["max"] = high);
}

// [[Rcpp::export(rng = false)]]
Rcpp::List grid_loss_(Rcpp::NumericVector x, Rcpp::NumericVector y,
                      Rcpp::IntegerVector bulk, std::vector<double> claims) {
  const int G = static_cast<int>(x.size());
  check_size(y.size(), G, "y");
  const ps::GridLoss loss =
      ps::grid_loss(x.begin(), y.begin(), G, to_cells(bulk, G), claims);
  return Rcpp::List::create(
      Rcpp::_["everywhere"] = loss.everywhere, Rcpp::_["bulk"] = loss.bulk,
      Rcpp::_["highest"] = loss.highest, Rcpp::_["lowest"] = loss.lowest,
      Rcpp::_["delta"] = loss.delta);
}
