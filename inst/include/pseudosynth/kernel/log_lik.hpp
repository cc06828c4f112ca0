// What else is reduced from the stream: the log pseudo likelihood of each
// draw, the dense S x N matrix where somebody asks for it, and a first look at
// how well every record's log-likelihood has mixed.
#ifndef PSEUDOSYNTH_KERNEL_LOG_LIK_HPP
#define PSEUDOSYNTH_KERNEL_LOG_LIK_HPP

#include <vector>

#include "stream_log_lik.hpp"

namespace pseudosynth {

/// total[s] += sum_i g_i(theta_s) over design rows [first_row, last_row).
template <class Family, class ShouldStop>
void sum_contributions(const Records& records, const Family& family, const DrawMatrix& draws,
                       int first_row, int last_row, double* total,
                       ShouldStop&& should_stop) {
  stream_log_lik(
      records, family, draws, first_row, last_row,
      [&](int first, int last, int s, int n, const double* f) {
        if (records.censor.active) {
          for (int i = first; i < last; ++i)
            for (int l = 0; l < n; ++l)
              total[s + l] += records.contribution(i, f[l]);
          return;
        }
        double weight = 0.0;
        for (int i = first; i < last; ++i)
          weight += records.alpha[static_cast<std::size_t>(i)];
        if (weight == 0.0) return;
        for (int l = 0; l < n; ++l) total[s + l] += weight * f[l];
      },
      should_stop);
}

/// matrix (S x N, column-major, columns in the order of the file) = f, never
/// weighted and never censored.
template <class Family, class ShouldStop>
void fill_log_lik(const Records& records, const Family& family, const DrawMatrix& draws,
                  int first_row, int last_row, double* matrix,
                  ShouldStop&& should_stop) {
  stream_log_lik(
      records, family, draws, first_row, last_row,
      [&](int from, int to, int s, int n, const double* f) {
        for (int i = from; i < to; ++i) {
          const std::size_t column = static_cast<std::size_t>(
              records.design.order()[static_cast<std::size_t>(i)]);
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

/// screen_series() for the f of every record in [first_row, last_row); rhat and
/// ess in the order of the file. Memory: S doubles per cell of these rows.
template <class Family, class ShouldStop>
void screen_records(const Records& records, const Family& family,
                    const DrawMatrix& draws, int chains, int first_row,
                    int last_row, double* rhat, double* ess,
                    ShouldStop&& should_stop) {
  const int first = records.row_cell[static_cast<std::size_t>(first_row)];
  const int last = records.row_cell[static_cast<std::size_t>(last_row)];
  std::vector<double> series(static_cast<std::size_t>(last - first) * draws.S);
  int cell = first - 1, tile = -1;
  stream_log_lik(
      records, family, draws, first_row, last_row,
      [&](int, int, int s, int n, const double* f) {
        cell = s == tile ? cell + 1 : first;
        tile = s;
        std::copy(f, f + n,
                  series.data() +
                      static_cast<std::size_t>(cell - first) * draws.S + s);
      },
      should_stop);
  if (should_stop()) return;
  for (int c = first; c < last; ++c) {
    double cell_rhat, cell_ess;
    screen_series(series.data() + static_cast<std::size_t>(c - first) * draws.S,
                  chains, draws.S / chains, cell_rhat, cell_ess);
    for (int i = records.cell_start[static_cast<std::size_t>(c)];
         i < records.cell_start[static_cast<std::size_t>(c) + 1]; ++i) {
      const std::size_t original = static_cast<std::size_t>(
          records.design.order()[static_cast<std::size_t>(i)]);
      rhat[original] = cell_rhat;
      ess[original] = cell_ess;
    }
  }
}

}  // namespace pseudosynth

#endif
