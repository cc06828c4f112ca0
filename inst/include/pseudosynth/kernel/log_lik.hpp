// What else is reduced from the stream: the log pseudo likelihood of each
// draw, the dense S x N matrix where somebody asks for it, and a first look at
// how well every record's log-likelihood has mixed.
#ifndef PSEUDOSYNTH_KERNEL_LOG_LIK_HPP
#define PSEUDOSYNTH_KERNEL_LOG_LIK_HPP

#include <vector>

#include "stream_log_lik.hpp"

namespace pseudosynth {

/// total[s] += sum of g_i(theta_s) over the records of the cells.
template <class Family>
void sum_contributions(const Records& records, const Family& family,
                       const DrawMatrix& draws, CellRange cells, double* total,
                       const ShouldStop& should_stop) {
  stream_log_lik(
      records, family, draws, cells,
      [&](int c, int s, int n, const double* f) {
        const int first = records.cell_begin(c);
        const int last = records.cell_begin(c + 1);
        if (records.censor.active) {
          for (int i = first; i < last; ++i)
            for (int l = 0; l < n; ++l)
              total[s + l] += records.contribution(i, f[l]);
          return;
        }
        double weight = 0.0;
        for (int i = first; i < last; ++i) weight += records.alpha[i];
        if (weight == 0.0) return;
        for (int l = 0; l < n; ++l) total[s + l] += weight * f[l];
      },
      should_stop);
}

/// matrix (S x N, column-major, columns in the order of the file) = f, never
/// weighted and never censored.
template <class Family>
void fill_log_lik(const Records& records, const Family& family,
                  const DrawMatrix& draws, CellRange cells, double* matrix,
                  const ShouldStop& should_stop) {
  stream_log_lik(
      records, family, draws, cells,
      [&](int c, int s, int n, const double* f) {
        for (int i = records.cell_begin(c); i < records.cell_begin(c + 1);
             ++i) {
          const std::size_t column =
              static_cast<std::size_t>(records.design.order()[i]);
          std::copy(f, f + n, matrix + column * draws.S + s);
        }
      },
      should_stop);
}

/// Split R-hat and effective sample size of one series of raw values, chains
/// one after the other. Meant to rank records, not to be reported: the ESS
/// comes from batch means, which needs one pass.
inline void screen_series(const double* x, int chains, int per_chain,
                          double& rhat, double& ess) {
  const int half = per_chain / 2;
  const int batch = std::max(1, static_cast<int>(std::sqrt(half)));
  const int n_batches = half / batch;
  double mean_of_means = 0.0, between = 0.0, within = 0.0, batch_var = 0.0;
  std::vector<double> means;
  for (int part = 0; part < 2 * chains; ++part) {
    const double* from = x + static_cast<std::size_t>(part / 2) * per_chain +
                         (part % 2) * (per_chain - half);
    double mean = 0.0;
    for (int s = 0; s < half; ++s) mean += from[s];
    mean /= half;
    double variance = 0.0;
    for (int s = 0; s < half; ++s) variance += square(from[s] - mean);
    within += variance / (half - 1) / (2 * chains);
    for (int g = 0; g < n_batches; ++g) {
      double batch_mean = 0.0;
      for (int s = 0; s < batch; ++s) batch_mean += from[g * batch + s];
      batch_var += square(batch_mean / batch - mean);
    }
    means.push_back(mean);
    mean_of_means += mean / (2 * chains);
  }
  for (double mean : means)
    between += square(mean - mean_of_means) / (2 * chains - 1);
  if (!(within > 0)) {
    rhat = between > 0 ? kInfinity : 1.0;
    ess = between > 0 ? 0.0 : static_cast<double>(chains) * per_chain;
    return;
  }
  rhat = std::sqrt((within + between) / within);
  const double long_run =
      batch * batch_var / std::max(1, 2 * chains * (n_batches - 1)) +
      half * between;
  ess = 2.0 * chains * half * (within + between) /
        std::max(long_run, within * 1e-3);
}

/// screen_series() for the f of every record of the cells; rhat and ess in the
/// order of the file. Memory: S doubles per cell.
template <class Family>
void screen_records(const Records& records, const Family& family,
                    const DrawMatrix& draws, int chains, CellRange cells,
                    double* rhat, double* ess, const ShouldStop& should_stop) {
  const std::size_t S = static_cast<std::size_t>(draws.S);
  std::vector<double> series(
      static_cast<std::size_t>(cells.last - cells.first) * S);
  const auto of = [&](int c) {
    return series.data() + static_cast<std::size_t>(c - cells.first) * S;
  };
  stream_log_lik(
      records, family, draws, cells,
      [&](int c, int s, int n, const double* f) {
        std::copy(f, f + n, of(c) + s);
      },
      should_stop);
  for (int c = cells.first; c < cells.last; ++c) {
    if (should_stop()) return;
    double cell_rhat, cell_ess;
    screen_series(of(c), chains, draws.S / chains, cell_rhat, cell_ess);
    for (int i = records.cell_begin(c); i < records.cell_begin(c + 1); ++i) {
      const std::size_t original =
          static_cast<std::size_t>(records.design.order()[i]);
      rhat[original] = cell_rhat;
      ess[original] = cell_ess;
    }
  }
}

}  // namespace pseudosynth

#endif
