// Bindings of kernel/log_lik.hpp and kernel/lipschitz.hpp, and the monitor,
// which reads the same kernels.

#include <algorithm>
#include <cmath>
#include <pseudosynth/kernel/lipschitz.hpp>
#include <pseudosynth/kernel/log_lik.hpp>
#include <pseudosynth/kernel/predictive_quantile.hpp>
#include <pseudosynth/kernel/stream_of_kind.hpp>
#include <string>
#include <vector>

#include "rcpp_monitor.h"
#include "rcpp_parallel.h"

namespace ps = pseudosynth;

namespace {

// Cells per task: enough that loading a tile of draws, and a table over its
// distinct counts, is cheap beside them.
int block_size(const ps::Records& records) {
  return std::min(std::max(1024, records.n_cells() / 16), 16384);
}
// The screen keeps S values per cell of its block.
constexpr int kScreenBlock = 256;

}  // namespace

namespace {

/// The records are gone when it returns: R then makes vectors of the bounds.
ps::LipschitzBounds bounds_of(const Rcpp::List& spec,
                              const Rcpp::NumericMatrix& draws, int threads) {
  const ps::Records records = binding::to_records(spec);
  const ps::ModelKind kind = binding::to_kind(spec);
  const ps::DrawMatrix view = binding::to_draws(draws, records, kind);
  const std::size_t N = static_cast<std::size_t>(records.size());
  ps::LipschitzBounds out;
  out.max.resize(N);
  out.min.resize(N);
  out.nonfinite.assign(N, 0);
  const auto blocks = binding::cut_cells(records, block_size(records));
  const int n_blocks = static_cast<int>(blocks.size());
  std::vector<std::vector<double>> block_draw(
      static_cast<std::size_t>(n_blocks));
  std::atomic<bool> stop{false};
  binding::run_to_end(n_blocks, threads, stop, [&](int block) {
    const std::size_t at = static_cast<std::size_t>(block);
    block_draw[at].assign(static_cast<std::size_t>(ps::padded_draws(view.S)),
                          0.0);
    ps::lipschitz_block(records, kind, view, blocks[at], out,
                        block_draw[at].data(), [&] { return stop.load(); });
  });
  out.draw.assign(static_cast<std::size_t>(view.S), 0.0);
  for (const auto& part : block_draw)
    for (std::size_t s = 0; s < out.draw.size(); ++s)
      out.draw[s] = std::max(out.draw[s], part[s]);
  return out;
}

/// How many draws lost a record's log-likelihood, of each record that has any;
/// names are the records' numbers.
Rcpp::IntegerVector lost_draws(const std::vector<int>& nonfinite) {
  Rcpp::IntegerVector out(std::count_if(nonfinite.begin(), nonfinite.end(),
                                        [](int lost) { return lost > 0; }));
  if (out.size() == 0) return out;
  Rcpp::CharacterVector names(out.size());
  R_xlen_t at = 0;
  for (std::size_t i = 0; i < nonfinite.size(); ++i) {
    if (nonfinite[i] == 0) continue;
    out[at] = nonfinite[i];
    names[at++] = std::to_string(i + 1);
  }
  out.names() = names;
  return out;
}

}  // namespace

// Of each record the larger distance of its extremes from 0 and the gap between
// both, Inf where one is not finite; of each draw the largest distance.
// [[Rcpp::export(rng = false)]]
Rcpp::List lipschitz_(Rcpp::List spec, Rcpp::NumericMatrix draws, int threads) {
  using Rcpp::_;
  const ps::LipschitzBounds found = bounds_of(spec, draws, threads);
  const auto n = static_cast<R_xlen_t>(found.max.size());
  Rcpp::NumericVector record(Rcpp::no_init(n)), oscillation(Rcpp::no_init(n));
  for (R_xlen_t i = 0; i < n; ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    const double high = found.max[at], low = found.min[at];
    const bool lost =
        found.nonfinite[at] > 0 || std::isnan(high) || std::isnan(low);
    record[i] = lost ? R_PosInf : std::max(std::fabs(high), std::fabs(low));
    oscillation[i] = lost ? R_PosInf : high - low;
  }
  return Rcpp::List::create(
      _["record"] = record, _["oscillation"] = oscillation,
      _["draw"] = found.draw, _["nonfinite"] = lost_draws(found.nonfinite));
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix log_lik_(Rcpp::List spec, Rcpp::NumericMatrix draws) {
  const ps::Records records = binding::to_records(spec);
  const ps::ModelKind kind = binding::to_kind(spec);
  const ps::DrawMatrix view = binding::to_draws(draws, records, kind);
  Rcpp::NumericMatrix out(view.S, records.size());
  double* matrix = out.begin();
  std::atomic<bool> stop{false};
  const auto blocks = binding::cut_cells(records, block_size(records));
  binding::run_to_end(static_cast<int>(blocks.size()), 1, stop, [&](int block) {
    const std::size_t at = static_cast<std::size_t>(block);
    ps::fill_log_lik(records, kind, view, blocks[at], matrix,
                     [&] { return stop.load(); });
  });
  return out;
}

// [[Rcpp::export(rng = false)]]
Rcpp::List record_screen_(Rcpp::List spec, Rcpp::NumericMatrix draws,
                          int chains, int threads) {
  using Rcpp::_;
  const ps::Records records = binding::to_records(spec);
  const ps::ModelKind kind = binding::to_kind(spec);
  const ps::DrawMatrix view = binding::to_draws(draws, records, kind);
  if (chains < 1 || view.S % chains != 0 || view.S / chains < 8)
    Rcpp::stop("Expected at least 8 draws in each of %d chains.", chains);
  const std::size_t N = static_cast<std::size_t>(records.size());
  std::vector<double> rhat(N), ess(N);
  std::atomic<bool> stop{false};
  const auto blocks = binding::cut_cells(records, kScreenBlock);
  binding::run_to_end(
      static_cast<int>(blocks.size()), threads, stop, [&](int block) {
        const std::size_t at = static_cast<std::size_t>(block);
        ps::screen_records(records, kind, view, chains, blocks[at], rhat.data(),
                           ess.data(), [&] { return stop.load(); });
      });
  return Rcpp::List::create(_["rhat"] = rhat, _["ess"] = ess);
}

Rcpp::NumericMatrix binding::monitor(const ps::Records& records,
                                     const ps::ModelKind& kind,
                                     const Rcpp::NumericMatrix& draws,
                                     int threads) {
  static const std::vector<double> kProbabilities{.01, .05, .25, .5,
                                                  .75, .95, .99};
  const ps::DrawMatrix view{draws.begin(), draws.nrow(), draws.ncol()};
  const int n_quantiles = kind.name == "normal_mixture"
                              ? static_cast<int>(kProbabilities.size())
                              : 0;
  Rcpp::NumericMatrix out(view.S, 1 + n_quantiles);
  double* column = out.begin();
  std::atomic<bool> stop{false};
  const auto blocks = binding::cut_cells(records, 1024);
  std::vector<std::vector<double>> part(blocks.size());
  binding::run_to_end(
      static_cast<int>(part.size()), threads, stop, [&](int block) {
        const std::size_t at = static_cast<std::size_t>(block);
        part[at].assign(static_cast<std::size_t>(view.S), 0.0);
        ps::sum_contributions(records, kind, view, blocks[at], part[at].data(),
                              [&] { return stop.load(); });
      });
  for (const auto& sums : part)
    for (int s = 0; s < view.S; ++s) column[s] += sums[s];
  if (n_quantiles == 0) return out;
  const std::vector<int> cut_draws = binding::cut_range(view.S, 64);
  binding::run_to_end(
      static_cast<int>(cut_draws.size()) - 1, threads, stop, [&](int block) {
        ps::PredictiveQuantile quantile(records.design, kind.K);
        std::vector<double> draw(static_cast<std::size_t>(view.D));
        std::vector<double> last(kProbabilities.size(), ps::kNaN);
        for (int s = cut_draws[block];
             s < cut_draws[static_cast<std::size_t>(block) + 1] && !stop; ++s) {
          for (int d = 0; d < view.D; ++d) draw[d] = view(s, d);
          quantile.set(draw.data());
          for (int q = 0; q < n_quantiles; ++q) {
            const std::size_t at = static_cast<std::size_t>(q);
            last[at] = quantile(kProbabilities[at], last[at]);
            column[static_cast<std::size_t>(1 + q) * view.S + s] = last[at];
          }
        }
      });
  return out;
}
