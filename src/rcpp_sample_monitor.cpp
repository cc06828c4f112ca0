// What is watched of chains whose sampler does not watch anything itself.

#include <pseudosynth/kernel/log_lik.hpp>
#include <pseudosynth/kernel/predictive_quantile.hpp>

#include "rcpp_parallel.h"
#include "rcpp_sample.h"

namespace binding {

Rcpp::NumericMatrix monitor(const ps::Records& records,
                            const ps::ModelKind& kind,
                            const Rcpp::NumericMatrix& draws, int threads) {
  static const std::vector<double> kProbabilities{.01, .05, .25, .5,
                                                  .75, .95, .99};
  const ps::DrawMatrix view{draws.begin(), draws.nrow(), draws.ncol()};
  const int n_quantiles = kind.name == "normal_mixture"
                              ? static_cast<int>(kProbabilities.size())
                              : 0;
  Rcpp::NumericMatrix out(view.S, 1 + n_quantiles);
  double* column = out.begin();
  std::atomic<bool> stop{false};
  const auto blocks = cut_cells(records, 1024);
  std::vector<std::vector<double>> part(blocks.size());
  run_to_end(static_cast<int>(part.size()), threads, stop, [&](int block) {
    const std::size_t at = static_cast<std::size_t>(block);
    part[at].assign(static_cast<std::size_t>(view.S), 0.0);
    ps::visit_family(kind, [&](const auto& family) {
      ps::sum_contributions(records, family, view, blocks[at], part[at].data(),
                            [&] { return stop.load(); });
    });
  });
  for (const auto& sums : part)
    for (int s = 0; s < view.S; ++s)
      column[s] += sums[static_cast<std::size_t>(s)];
  if (n_quantiles == 0) return out;
  const std::vector<int> cut_draws = cut_range(view.S, 64);
  run_to_end(
      static_cast<int>(cut_draws.size()) - 1, threads, stop, [&](int block) {
        ps::PredictiveQuantile quantile(records.design, kind.K);
        std::vector<double> draw(static_cast<std::size_t>(view.D));
        std::vector<double> last(kProbabilities.size(), ps::kNaN);
        for (int s = cut_draws[static_cast<std::size_t>(block)];
             s < cut_draws[static_cast<std::size_t>(block) + 1] && !stop; ++s) {
          for (int d = 0; d < view.D; ++d)
            draw[static_cast<std::size_t>(d)] = view(s, d);
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

}  // namespace binding
