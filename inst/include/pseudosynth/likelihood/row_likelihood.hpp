// Families whose uncensored log-likelihood adds up by design row: a few sums
// per row stand for all of its records, so that an evaluation costs O(rows)
// (and, for the negative binomial, O(distinct counts)). Censored models go
// record by record.
#ifndef PSEUDOSYNTH_LIKELIHOOD_ROW_LIKELIHOOD_HPP
#define PSEUDOSYNTH_LIKELIHOOD_ROW_LIKELIHOOD_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "../family/bernoulli.hpp"
#include "../family/beta.hpp"
#include "../family/neg_binomial.hpp"
#include "../family/poisson.hpp"
#include "record_likelihood.hpp"

namespace pseudosynth {

/// @brief The sums of one family. A specialisation offers
///   RowGradient(records)
///   operator()(family, extra, eta, d_eta, d_extra): sum_i alpha_i f_i; fills
///     d_eta (rows), adds to d_extra.
template <class Family>
class RowGradient;

namespace detail {

/// Calls use(row, i) for every record with a positive weight.
template <class Use>
void weighted_records(const Records& records, Use&& use) {
  for (int i = 0; i < records.size(); ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    if (records.alpha[at] > 0.0)
      use(static_cast<std::size_t>(records.design.row()[at]), at);
  }
}

/// sum of alpha y, sum of alpha, and the log of their ratio: mean counts close
/// to their linear predictor then cancel before they are multiplied.
struct CountRow {
  double total = 0.0, weight = 0.0, log_mean = 0.0;
};

inline std::vector<CountRow> count_rows(const Records& records) {
  std::vector<CountRow> rows(static_cast<std::size_t>(records.design.n_rows()));
  weighted_records(records, [&](std::size_t r, std::size_t i) {
    rows[r].total += records.alpha[i] * records.y[i];
    rows[r].weight += records.alpha[i];
  });
  for (CountRow& row : rows)
    if (row.total > 0.0) row.log_mean = std::log(row.total / row.weight);
  return rows;
}

}  // namespace detail

template <>
class RowGradient<Poisson> {
 public:
  explicit RowGradient(const Records& records)
      : rows_(detail::count_rows(records)) {
    for (const auto& row : rows_)
      constant_ += row.total * row.log_mean - row.total;
    detail::weighted_records(records, [&](std::size_t, std::size_t i) {
      constant_ -= records.alpha[i] * log_gamma(records.y[i] + 1.0);
    });
  }

  double operator()(const Poisson&, const double*, const double* eta,
                    double* d_eta, double*) const {
    double sum = constant_;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const auto& row = rows_[r];
      d_eta[r] = 0.0;
      if (row.weight == 0.0) continue;
      d_eta[r] = row.total - row.weight * std::exp(eta[r]);
      sum += row.total * (eta[r] - row.log_mean) + d_eta[r];
    }
    return sum;
  }

 private:
  std::vector<detail::CountRow> rows_;
  double constant_ = 0.0;
};

/// With L = log(1 + mu/phi), sum over a row: alpha y (eta - L) - alpha phi L;
/// over distinct counts: log Gamma(y + phi) - log Gamma(phi) - y log phi.
template <>
class RowGradient<NegBinomial> {
 public:
  explicit RowGradient(const Records& records)
      : rows_(detail::count_rows(records)) {
    for (const auto& row : rows_) constant_ += row.total * row.log_mean;
    std::vector<std::size_t> order;
    detail::weighted_records(
        records, [&](std::size_t, std::size_t i) { order.push_back(i); });
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) {
                       return records.y[a] < records.y[b];
                     });
    for (std::size_t i : order) {
      if (records.y[i] == 0.0) continue;
      if (counts_.empty() || counts_.back().y != records.y[i])
        counts_.push_back({records.y[i], 0.0});
      counts_.back().weight += records.alpha[i];
    }
    for (const auto& count : counts_)
      constant_ -= count.weight * log_gamma(count.y + 1.0);
  }

  double operator()(const NegBinomial& family, const double* extra,
                    const double* eta, double* d_eta, double* d_extra) const {
    const auto at = family.at(extra);
    const double phi = at.size, inverse = 1.0 / phi;
    double sum = constant_, d_phi = 0.0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const auto& row = rows_[r];
      d_eta[r] = 0.0;
      if (row.weight == 0.0) continue;
      const double mean = std::exp(eta[r]);
      const double L =
          mean < kInfinity ? std::log1p(mean * inverse) : eta[r] - at.log_size;
      const double share = 1.0 / (1.0 + phi / mean);  // mu/(mu + phi)
      const double pull = (row.total + row.weight * phi) * share;
      sum += row.total * (eta[r] - row.log_mean - L) - row.weight * phi * L;
      d_eta[r] = row.total - pull;
      d_phi += pull * inverse - row.weight * L;
    }
    for (const auto& count : counts_) {
      const double x = count.y * inverse, n = count.y + phi;
      const double log_ratio = std::log1p(x);
      const StirlingPair at_n(n, at.log_size + log_ratio);
      sum += count.weight *
             ((n - 0.5) * log_ratio - count.y + at_n.remainder - at.remainder);
      d_phi += count.weight * ((x > 0.4 ? log_ratio - x : log1p_minus(x)) -
                               at_n.entropy + at.entropy);
    }
    d_extra[0] += d_phi;
    return sum;
  }

 private:
  struct Count {
    double y, weight;
  };
  std::vector<detail::CountRow> rows_;
  std::vector<Count> counts_;  // distinct counts above 0
  double constant_ = 0.0;
};

/// Exact for any anchor response y0 of a row, since f is linear in log y and
/// log(1 - y); with y0 at the mean logit little is left to cancel.
template <>
class RowGradient<Beta> {
 public:
  explicit RowGradient(const Records& records)
      : rows_(static_cast<std::size_t>(records.design.n_rows())) {
    const Beta family;
    detail::weighted_records(records, [&](std::size_t r, std::size_t i) {
      rows_[r].weight += records.alpha[i];
      rows_[r].anchor += records.alpha[i] * family.start_scale(records.y[i]);
    });
    for (Row& row : rows_) {
      if (row.weight == 0.0) continue;
      row.anchor = inv_logit(row.anchor / row.weight);
      row.anchor = std::min(std::max(row.anchor, 1e-300), 1.0 - 1e-15);
    }
    detail::weighted_records(records, [&](std::size_t r, std::size_t i) {
      Row& row = rows_[r];
      const double a = records.alpha[i], y = records.y[i];
      row.below += a * (std::log(row.anchor) - std::log(y));
      row.above += a * (std::log1p(-row.anchor) - std::log1p(-y));
    });
  }

  double operator()(const Beta& family, const double* extra, const double* eta,
                    double* d_eta, double* d_extra) const {
    const auto at = family.at(extra);
    const double lambda = at.precision;
    double sum = 0.0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const Row& row = rows_[r];
      d_eta[r] = 0.0;
      if (row.weight == 0.0) continue;
      double d_mean = 0.0, d_lambda = 0.0;
      const double f =
          family.derivatives(row.anchor, eta[r], at, d_mean, &d_lambda);
      const double m = inv_logit(eta[r]), q = inv_logit(-eta[r]);
      const double rest = m * row.below + q * row.above;
      sum += row.weight * f - lambda * rest + (row.below + row.above);
      d_eta[r] = row.weight * d_mean - lambda * m * q * (row.below - row.above);
      d_extra[0] += row.weight * d_lambda - rest;
    }
    return sum;
  }

 private:
  struct Row {
    double weight = 0.0;
    double anchor = 0.0;  // y0
    double below = 0.0;   // sum of alpha log(y0/y)
    double above = 0.0;   // sum of alpha log((1 - y0)/(1 - y))
  };
  std::vector<Row> rows_;
};

template <>
class RowGradient<Bernoulli> {
 public:
  explicit RowGradient(const Records& records)
      : rows_(static_cast<std::size_t>(records.design.n_rows())) {
    detail::weighted_records(records, [&](std::size_t r, std::size_t i) {
      (records.y[i] > 0.5 ? rows_[r].one : rows_[r].zero) += records.alpha[i];
    });
  }

  double operator()(const Bernoulli&, const double*, const double* eta,
                    double* d_eta, double*) const {
    double sum = 0.0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const Row& row = rows_[r];
      const double x = eta[r], e = std::exp(-std::fabs(x));
      const double soft = std::log1p(e), far = 1.0 / (1.0 + e), near = e * far;
      // Weights of 0 drop their term, which may be infinite.
      if (row.one > 0.0) sum -= row.one * (soft + (x < 0 ? -x : 0.0));
      if (row.zero > 0.0) sum -= row.zero * (soft + (x > 0 ? x : 0.0));
      d_eta[r] =
          row.one * (x > 0 ? near : far) - row.zero * (x > 0 ? far : near);
    }
    return sum;
  }

 private:
  struct Row {
    double one = 0.0, zero = 0.0;  // sums of alpha
  };
  std::vector<Row> rows_;
};

/// @brief Sums by row where nothing is censored, cells otherwise.
template <class Family>
class RowLikelihood {
 public:
  /// @param records must outlive this object.
  RowLikelihood(const Records& records, const Family& family)
      : records_(&records),
        family_(family),
        rows_(records),
        cells_(records, family),
        eta_(static_cast<std::size_t>(records.design.n_rows())),
        d_eta_(eta_.size()) {}

  /// sum_i g_i; adds the gradient to d_b (P) and d_extra (E).
  double gradient(const double* b, const double* extra, double* d_b,
                  double* d_extra) {
    if (records_->censor.active) return cells_.gradient(b, extra, d_b, d_extra);
    const Design& design = records_->design;
    design.linear_predictor(b, 1, eta_.data());
    const double sum =
        rows_(family_, extra, eta_.data(), d_eta_.data(), d_extra);
    design.add_gradient(d_eta_.data(), 1, d_b);
    return sum;
  }

 private:
  const Records* records_;
  Family family_;
  RowGradient<Family> rows_;
  RecordLikelihood<Family> cells_;
  std::vector<double> eta_, d_eta_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_ROW_LIKELIHOOD_HPP
