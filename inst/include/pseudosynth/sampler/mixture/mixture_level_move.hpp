// Tempered transitions within one level of a factor (Neal 1996).
//
// What stays multimodal in the mixture, once sigma has a floor, is which
// component sits where within one level of a predictor: two components would
// have to exchange places, through states of low density. This move takes only
// the K coefficients of one level (at the reference level: intercept up, the
// other levels down), flattens the likelihood of that level's records step by
// step to a power of MixtureConstants::kLowest and back, and accepts the round
// trip on its summed work. Indicators are summed out, so the move is exact for
// any weights; so are the level's tau, which would hold coefficients apart or
// together.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_LEVEL_MOVE_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_LEVEL_MOVE_HPP

#include <cmath>
#include <vector>

#include "../../count_of.hpp"
#include "mixture_chain.hpp"
#include "mixture_constants.hpp"
#include "mixture_level_pass.hpp"

namespace pseudosynth {

class MixtureLevelMove {
 public:
  explicit MixtureLevelMove(MixtureChain& chain)
      : chain_(&chain), K_(chain.state.K) {
    collect_levels();
  }

  int n_levels() const { return count_of(levels_); }

  /// One tempered transition in a level chosen at random.
  void move() {
    if (levels_.empty()) return;
    const Level& level = choose();
    load(level);
    ++chain_->accepted.level[1];
    if (round_trip()) {
      ++chain_->accepted.level[0];
      apply(level);
    } else {
      delta_.assign(K_, 0.0);
    }
    if (chain_->prior().shared) draw_scales();
  }

 private:
  /// The records of one level and the direction in which b moves for them:
  /// +1 on `up`, -1 on each of `down`.
  struct Level {
    std::vector<int> records;
    int up;
    std::vector<int> down;
  };

  /// A column that the move changes, by `sign` times as much as the level.
  struct Column {
    int number;
    double sign;
    std::vector<double> from_mean;  // b - prior mean before the move
    double scale;                   // nu / a: see draw_scale_given_tau()
    double squares;                 // sum of (b - prior mean)^2
  };

  /// Levels of few records cost less and come more often.
  const Level& choose() {
    double u = chain_->rng().uniform() * share_.back();
    std::size_t level = 0;
    while (level + 1 < levels_.size() && u > share_[level]) ++level;
    return levels_[level];
  }

  void collect_levels() {
    const Design& design = chain_->design();
    const std::vector<int>& row = chain_->rows();
    for (int f = 0; f < design.n_factors(); ++f) {
      const int n_codes = design.n_levels(f);
      std::vector<std::vector<int>> members(n_codes);
      for (int i = 0; i < chain_->n_records(); ++i) {
        const int column = design.active_column(row[i], f);
        const int code = column == design.n_columns()
                             ? 0
                             : column - design.factor_column(f) + 1;
        members[code].push_back(i);
      }
      for (int code = 0; code < n_codes; ++code) {
        const int n = count_of(members[code]);
        if (n == 0 || n > MixtureConstants::kMaxRecords) continue;
        if (code == 0 && !design.has_intercept()) continue;
        Level level{members[code], 0, {}};
        if (code > 0) {
          level.up = design.factor_column(f) + code - 1;
        } else {
          for (int other = 1; other < n_codes; ++other)
            level.down.push_back(design.factor_column(f) + other - 1);
        }
        levels_.push_back(std::move(level));
        share_.push_back((share_.empty() ? 0.0 : share_.back()) +
                         1.0 / (n + MixtureConstants::kLevelCost));
      }
    }
  }

  /// Copies what the move needs: residuals, weights, densities, prior.
  void load(const Level& level) {
    n_ = (count_of(level.records) + 7) / 8 * 8;
    const std::size_t n = static_cast<std::size_t>(n_);
    residual_.assign(n * K_);
    e_.assign(n * K_);
    for (auto* buffer : {&alpha_, &shift_, &e_new_, &e_new2_, &log_s_})
      buffer->assign(n);
    log_term_.assign(K_, 0.0);
    const MixtureState& state = chain_->state;
    density_.resize(K_);
    centre_.assign(K_, 0.0);
    total_alpha_ = 0.0;
    for (std::size_t i = 0; i < level.records.size(); ++i) {
      alpha_[i] = chain_->alpha(level.records[i]);
      total_alpha_ += alpha_[i];
    }
    std::fill(shift_.data(), shift_.data() + n_, -kInfinity);
    for (int k = 0; k < K_; ++k) {
      const double* from = chain_->residual(k);
      double* to = residual_.data() + k * n;
      for (std::size_t i = 0; i < level.records.size(); ++i) {
        to[i] = from[level.records[i]];
        centre_[k] -= to[i];
      }
      centre_[k] /= static_cast<double>(level.records.size());
      density_[k] = chain_->density(k);
      density_[k].offset += state.log_pi[k];
      detail::raise_shift(n_, to, density_[k], shift_.data());
    }
    delta_.assign(K_, 0.0);
    columns_.clear();
    add_column(level.up, 1.0);
    for (int column : level.down) add_column(column, -1.0);
    log_lik_ = 0.0;
    for (int k = 0; k < K_; ++k) {
      log_lik_ = propose(k, 0.0);
      std::copy(e_new_.data(), e_new_.data() + n_, e_.data() + k * n);
    }
  }

  // A shared prior holds the coefficients of a column where its tau was, and
  // tau where they are. So the move integrates tau out: as tau ~ half-t(nu, A)
  // is tau^2 ~ inverse gamma(nu/2, nu/a) with a ~ inverse gamma(1/2, 1/A^2), it
  // draws a given tau, goes by the multivariate t of the coefficients given a,
  // and draws tau given both.
  double draw_scale_given_tau(double tau) const {
    const MixturePrior& prior = chain_->prior();
    const double nu = prior.tau_df;
    const double precision = nu / square(tau) + 1.0 / square(prior.tau_scale);
    return nu * chain_->rng().gamma(0.5 * (nu + 1.0)) / precision;
  }
  double shape() const { return 0.5 * (chain_->prior().tau_df + K_); }
  void draw_scales() {
    for (Column& column : columns_) {
      sum_squares(column);
      chain_->state.tau[column.number] = std::sqrt(
          (column.scale + 0.5 * column.squares) / chain_->rng().gamma(shape()));
    }
  }

  void add_column(int number, double sign) {
    Column column{number, sign, {}, 0.0, 0.0};
    for (int k = 0; k < K_; ++k)
      column.from_mean.push_back(chain_->state.b(number, k) -
                                 chain_->prior_mean(number));
    sum_squares(column);
    if (chain_->prior().shared)
      column.scale = draw_scale_given_tau(chain_->state.tau[number]);
    columns_.push_back(std::move(column));
  }
  // Anew each time: what is left of a difference of large squares is noise.
  void sum_squares(Column& column) const {
    column.squares = 0.0;
    for (int k = 0; k < K_; ++k)
      column.squares += square(column.from_mean[k] + column.sign * delta_[k]);
  }

  /// What the prior adds to the information about one component's move; no
  /// function of tau.
  double prior_information() const {
    double sum = 0.0;
    for (const Column& column : columns_)
      sum += chain_->prior().shared
                 ? 0.5 * chain_->prior().tau_df / column.scale
                 : 1.0 / square(chain_->prior_scale(column.number));
    return sum;
  }

  /// The change of a column's sum of squares as component k goes to d.
  double change_of_squares(const Column& column, int k, double d) const {
    const double before = column.from_mean[k] + column.sign * delta_[k];
    const double after = column.from_mean[k] + column.sign * d;
    return (after - before) * (after + before);
  }
  /// Log prior ratio as component k goes to d and, unless it is negative, k2 to
  /// d2.
  double log_prior_ratio(int k, double d, int k2 = -1, double d2 = 0.0) const {
    double value = 0.0;
    for (const Column& column : columns_) {
      double change = change_of_squares(column, k, d);
      if (k2 >= 0) change += change_of_squares(column, k2, d2);
      value -= chain_->prior().shared
                   ? shape() * std::log1p(0.5 * change /
                                          (column.scale + 0.5 * column.squares))
                   : 0.5 * change / square(chain_->prior_scale(column.number));
    }
    return value;
  }

  /// The level's log-likelihood with component k moved by d; fills e_new_.
  double propose(int k, double d) { return propose_two(k, d, -1, 0.0); }
  double propose_two(int k, double d, int k2, double d2) {
    const std::size_t n = static_cast<std::size_t>(n_);
    const int second = k2 < 0 ? k : k2;
    detail::LevelPass pass{n_,
                           K_,
                           e_.data(),
                           alpha_.data(),
                           shift_.data(),
                           k,
                           residual_.data() + k * n,
                           d,
                           density_[k],
                           e_new_.data(),
                           k2,
                           residual_.data() + second * n,
                           d2,
                           density_[second],
                           e_new2_.data(),
                           log_s_.data(),
                           0.0};
    detail::level_pass(pass);
    return std::isfinite(pass.log_lik) ? pass.log_lik
                                       : careful_sum(k, d, k2, d2);
  }

  /// The same where some log sums are marked: those from all their logs.
  double careful_sum(int k, double d, int k2, double d2) {
    double total = 0.0;
    for (int i = 0; i < n_; ++i) {
      if (alpha_[i] == 0.0) continue;
      if (!(log_s_[i] < kInfinity)) {
        for (int q = 0; q < K_; ++q) {
          const double move = q == k ? d : q == k2 ? d2 : delta_[q];
          log_term_[q] = MixtureChain::log_term(
              0.0, density_[q],
              residual_[static_cast<std::size_t>(q) * n_ + i] - move);
        }
        log_s_[i] = log_sum_exp(log_term_.data(), K_) - shift_[i];
      }
      total += alpha_[i] * log_s_[i];
    }
    return total;
  }

  void accept(int k, double d, const simd::AlignedBuffer& e) {
    delta_[k] = d;
    for (Column& column : columns_) sum_squares(column);
    std::copy(e.data(), e.data() + n_,
              e_.data() + static_cast<std::size_t>(k) * n_);
  }

  /// Random walk of component k at inverse temperature t. The step uses only
  /// what the whole move leaves fixed.
  void walk(int k, double t) {
    const double information = t * std::exp(chain_->state.log_pi[k]) *
                                   total_alpha_ *
                                   square(density_[k].inv_sigma) +
                               prior_information();
    const double d = delta_[k] + MixtureConstants::kWalk /
                                     std::sqrt(information) *
                                     chain_->rng().normal();
    const double log_lik = propose(k, d);
    const double log_ratio = t * (log_lik - log_lik_) + log_prior_ratio(k, d);
    if (std::log(chain_->rng().uniform()) < log_ratio) {
      log_lik_ = log_lik;
      accept(k, d, e_new_);
    }
  }

  /// Two components chosen at random exchange their places in the level.
  void exchange(double t) {
    if (K_ < 2) return;
    const int k = chain_->rng().integer(K_);
    int k2 = chain_->rng().integer(K_ - 1);
    if (k2 >= k) ++k2;
    const double d = centre_[k2] + delta_[k2] - centre_[k];
    const double d2 = centre_[k] + delta_[k] - centre_[k2];
    const double log_lik = propose_two(k, d, k2, d2);
    const double log_ratio =
        t * (log_lik - log_lik_) + log_prior_ratio(k, d, k2, d2);
    if (std::log(chain_->rng().uniform()) < log_ratio) {
      log_lik_ = log_lik;
      accept(k, d, e_new_);
      accept(k2, d2, e_new2_);
    }
  }

  void scan_up(double t) {
    for (int k = 0; k < K_; ++k) walk(k, t);
    for (int s = 0; s < MixtureConstants::kSwaps; ++s) exchange(t);
  }
  /// The same steps in reverse order, as the way back requires.
  void scan_down(double t) {
    for (int s = 0; s < MixtureConstants::kSwaps; ++s) exchange(t);
    for (int k = K_ - 1; k >= 0; --k) walk(k, t);
  }

  bool round_trip() {
    double work = 0.0;
    double t = 1.0;
    const int steps =
        MixtureConstants::kSteps + n_ / MixtureConstants::kRecordsPerStep;
    const double factor = std::pow(MixtureConstants::kLowest, 1.0 / steps);
    for (int step = 1; step <= steps; ++step) {
      const double lower = std::pow(factor, step);
      work += (lower - t) * log_lik_;
      t = lower;
      scan_up(t);
    }
    for (int step = steps; step >= 1; --step) {
      scan_down(t);
      const double higher = step == 1 ? 1.0 : std::pow(factor, step - 1);
      work += (higher - t) * log_lik_;
      t = higher;
    }
    return std::log(chain_->rng().uniform()) < work;
  }

  void apply(const Level& level) {
    MixtureState& state = chain_->state;
    for (int k = 0; k < K_; ++k) {
      state.b(level.up, k) += delta_[k];
      for (int column : level.down) state.b(column, k) -= delta_[k];
      double* e = chain_->residual(k);
      for (int i : level.records) e[i] -= delta_[k];
    }
  }

  MixtureChain* chain_;
  int K_;
  std::vector<Level> levels_;
  std::vector<double> share_;  // cumulated, of the levels

  int n_ = 0;
  simd::AlignedBuffer residual_, e_, alpha_, shift_, e_new_, e_new2_, log_s_;
  std::vector<double> log_term_;
  std::vector<detail::ComponentDensity> density_;
  std::vector<double> centre_, delta_;
  std::vector<Column> columns_;
  double total_alpha_ = 0.0;
  double log_lik_ = 0.0;
};

}  // namespace pseudosynth

#endif
