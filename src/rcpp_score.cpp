// Bindings of synth/score_sums.hpp, of the scores that it adds up, and of the
// design rows that it sums over.

#include <atomic>
#include <numeric>
#include <pseudosynth/cholesky.hpp>
#include <pseudosynth/column_products.hpp>
#include <pseudosynth/design/grouped_design.hpp>
#include <pseudosynth/synth/score_sums.hpp>
#include <pseudosynth/synth/whole_scores.hpp>

#include "rcpp_model.h"
#include "rcpp_parallel.h"

namespace ps = pseudosynth;

namespace {

/// Distinct design rows, which products are summed over.
struct Rows {
  explicit Rows(const Rcpp::List& parts)
      : design(binding::to_predictors(parts, n_records(parts))),
        grouped(design),
        all(static_cast<std::size_t>(design.n_rows())) {
    if (design.n_rows() != design.n_records())
      Rcpp::stop("Expected rows that differ.");
    std::iota(all.begin(), all.end(), 0);
  }
  Rows(const Rows&) = delete;

  static int n_records(const Rcpp::List& parts) {
    return Rf_nrows(parts["codes"]);
  }

  ps::Design design;
  ps::GroupedDesign grouped;
  std::vector<int> all;
};

using MatrixOfR = Eigen::Map<const ps::Matrix>;
MatrixOfR as_matrix(const Rcpp::NumericMatrix& x) {
  return MatrixOfR(x.begin(), x.nrow(), x.ncol());
}

/// a'b on some threads: of few numbers on one, which is as fast.
template <class A, class B>
ps::Matrix products(const A& a, const B& b, bool symmetric, int threads) {
  const ps::ColumnProducts of(a, b, symmetric);
  ps::Matrix out = ps::Matrix::Zero(a.cols(), b.cols());
  std::atomic<bool> stop{false};
  const bool few = 1.0 * a.rows() * a.cols() * b.cols() < 1e6;
  binding::run_to_end(of.groups(), few ? 1 : threads, stop, [&](int group) {
    if (!stop) of.add(group, out);
  });
  if (symmetric) ps::mirror(out);
  return out;
}

}  // namespace

// The rows of design parts, none twice, ready for products. The pointer never
// enters an object that users save.
// [[Rcpp::export(rng = false)]]
SEXP design_products_(Rcpp::List parts) {
  return Rcpp::XPtr<Rows>(new Rows(parts), true);
}

// X' diag(weight) X.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix design_gram_(SEXP products, Rcpp::NumericVector weight,
                                 int threads = 1) {
  const Rcpp::XPtr<Rows> rows(products);
  const std::vector<int>& order = rows->design.order();
  if (weight.size() != static_cast<R_xlen_t>(order.size()))
    Rcpp::stop("Expected a weight for each row.");
  std::vector<double> sorted;
  for (const int i : order) sorted.push_back(weight[i]);
  // As many parts at any number of threads: sums are added in one order
  const int parts = rows->grouped.shares_cross_products() ? 4 : 1;
  const std::vector<int> cut =
      binding::cut_range(static_cast<int>(order.size()), parts);
  std::vector<ps::Matrix> gram(cut.size() - 1);
  std::atomic<bool> stop{false};
  binding::run_to_end(static_cast<int>(gram.size()), threads, stop, [&](int p) {
    rows->grouped.cross_products(cut[p + 1] - cut[p], rows->all.data() + cut[p],
                                 sorted.data() + cut[p], gram[p]);
  });
  for (std::size_t p = 1; p < gram.size(); ++p) gram[0] += gram[p];
  return binding::to_r(gram[0]);
}

// X b.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector design_line_(SEXP products, Rcpp::NumericVector b) {
  const Rcpp::XPtr<Rows> rows(products);
  const std::vector<int>& order = rows->design.order();
  if (b.size() != rows->design.n_columns())
    Rcpp::stop("Expected a number for each column.");
  std::vector<double> sorted(order.size());
  rows->grouped.linear_predictor(b.begin(), sorted.data());
  Rcpp::NumericVector out(static_cast<R_xlen_t>(sorted.size()));
  for (std::size_t r = 0; r < sorted.size(); ++r) out[order[r]] = sorted[r];
  return out;
}

// a'b.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix column_products_(Rcpp::NumericMatrix a,
                                     Rcpp::NumericMatrix b, int threads = 1) {
  if (a.nrow() != b.nrow()) Rcpp::stop("Expected as many rows.");
  return binding::to_r(products(as_matrix(a), as_matrix(b), false, threads));
}

// a's^-1 a and a's^-1 x of a covariance s, by its Cholesky factor; nothing
// where rounding has left it without one.
// [[Rcpp::export(rng = false)]]
SEXP weighed_products_(Rcpp::NumericMatrix s, Rcpp::NumericMatrix a,
                       Rcpp::NumericVector x, int threads = 1) {
  if (s.nrow() != s.ncol() || a.nrow() != s.nrow() || x.size() != s.nrow())
    Rcpp::stop("Expected as many rows.");
  const ps::Cholesky root(as_matrix(s));
  if (!root.positive()) return R_NilValue;
  const ps::Matrix along = root.solve_lower(ps::Matrix(as_matrix(a)));
  ps::Matrix beside(x.size(), 1);
  std::copy(x.begin(), x.end(), beside.data());
  root.solve_lower(beside.data());
  return Rcpp::List::create(
      binding::to_r(products(along, along, true, threads)),
      binding::to_r(products(along, beside, false, 1)));
}

// x' A x of every row x; A symmetric.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector design_forms_(SEXP products, Rcpp::NumericMatrix a) {
  const Rcpp::XPtr<Rows> rows(products);
  const std::vector<int>& order = rows->design.order();
  if (a.nrow() != rows->design.n_columns() || a.ncol() != a.nrow())
    Rcpp::stop("Expected a row and a column for each coefficient.");
  std::vector<double> sorted(order.size());
  rows->grouped.quadratic_forms(
      Eigen::Map<const ps::Matrix>(a.begin(), a.nrow(), a.ncol()),
      sorted.data());
  Rcpp::NumericVector out(sorted.size());
  for (std::size_t r = 0; r < sorted.size(); ++r) out[order[r]] = sorted[r];
  return out;
}

// The design row of every record of design parts (1-based) and the first record
// of each row.
// [[Rcpp::export(rng = false)]]
Rcpp::List design_rows_(Rcpp::List spec) {
  const ps::Design design(binding::to_predictors(spec, Rows::n_records(spec)));
  Rcpp::IntegerVector row(design.n_records());
  Rcpp::IntegerVector first(design.n_rows());
  for (int i = 0; i < design.n_records(); ++i)
    row[design.order()[i]] = design.row()[i] + 1;
  for (int r = 0; r < design.n_rows(); ++r)
    first[r] = design.order()[design.row_start()[r]] + 1;
  return Rcpp::List::create(Rcpp::_["row"] = row, Rcpp::_["first"] = first);
}

// sum_i q_i z[row_i, ]: z (rows x D) and q whole, |q_i| at most `limit`, row
// 1-based. Exact.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector score_sums_(Rcpp::NumericMatrix z, Rcpp::IntegerVector row,
                                Rcpp::NumericVector q, double limit) {
  std::vector<int> at(row.begin(), row.end());
  for (int& r : at) --r;
  const std::vector<std::int64_t> sums = ps::score_sums(
      std::vector<std::int64_t>(z.begin(), z.end()), z.nrow(), z.ncol(), at,
      std::vector<std::int64_t>(q.begin(), q.end()),
      static_cast<std::int64_t>(limit));
  return Rcpp::NumericVector(sums.begin(), sums.end());
}

// Whole scores `q` of records, and whether each is counted, `inside` (0 or 1).
// `lowest` has one value, or one for each record.
// [[Rcpp::export(rng = false)]]
Rcpp::List whole_scores_(Rcpp::NumericVector score, double clip,
                         Rcpp::NumericVector lowest, double steps) {
  if (lowest.size() != 1 && lowest.size() != score.size())
    Rcpp::stop("Expected one lowest score, or one for each record.");
  Rcpp::NumericVector q(score.size()), inside(score.size());
  for (R_xlen_t i = 0; i < score.size(); ++i) {
    const ps::WholeScore whole(score[i], clip,
                               lowest[lowest.size() == 1 ? 0 : i], steps);
    q[i] = whole.q;
    inside[i] = whole.counted ? 1.0 : 0.0;
  }
  return Rcpp::List::create(Rcpp::_["q"] = q, Rcpp::_["inside"] = inside);
}

// The same of (y - centre[row]) / spread[row], added up by design row
// (1-based). `lowest` has one value, or one for each row.
// [[Rcpp::export(rng = false)]]
Rcpp::List whole_sums_(Rcpp::NumericVector y, Rcpp::IntegerVector row,
                       Rcpp::NumericVector centre, Rcpp::NumericVector spread,
                       double clip, Rcpp::NumericVector lowest, double steps) {
  const R_xlen_t rows = centre.size();
  if (row.size() != y.size() || spread.size() != rows ||
      (lowest.size() != 1 && lowest.size() != rows))
    Rcpp::stop("Expected a row for each record, and all of each row.");
  Rcpp::NumericVector q(rows), inside(rows);
  for (R_xlen_t i = 0; i < y.size(); ++i) {
    const R_xlen_t r = static_cast<R_xlen_t>(row[i]) - 1;
    if (r < 0 || r >= rows) Rcpp::stop("There is no such row.");
    const ps::WholeScore whole((y[i] - centre[r]) / spread[r], clip,
                               lowest[lowest.size() == 1 ? 0 : r], steps);
    q[r] += whole.q;
    inside[r] += whole.counted ? 1.0 : 0.0;
  }
  return Rcpp::List::create(Rcpp::_["q"] = q, Rcpp::_["inside"] = inside);
}
