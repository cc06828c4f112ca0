// Beta regression with logit link, precision ~ Pareto(0.1, 1.5); form 2 has the
// mean itself ~ Beta(shape1, shape2), for a model of the intercept alone.
//
// Privacy weights and the clip of alpha_i f_i - a_i to [low, high] as the
// package has them; `plain` says that all weights are 1 and nothing is clipped,
// so that Stan's fastest function serves. form 0: b = diag(tau) L raw
// (non-centred); form 1: b itself (centred); form 2: independent normal b.
functions {
  vector records(vector log_y, vector log_rest, vector eta, real lambda) {
    vector[rows(eta)] a = lambda * inv_logit(eta);
    vector[rows(eta)] c = lambda - a;
    return lgamma(lambda) - lgamma(a) - lgamma(c) + (a - 1) .* log_y
           + (c - 1) .* log_rest;
  }
}
data {
  int<lower=1> N;
  int<lower=1> P;
  vector<lower=0, upper=1>[N] y;
  matrix[N, P] x;
  vector<lower=0, upper=1>[N] alpha;
  int<lower=0, upper=1> plain;
  int<lower=0, upper=1> clipped;
  real low;
  real high;
  vector[N] centre;
  int<lower=0, upper=2> form;
  real<lower=0> lkj;
  real<lower=0> tau_df;
  real<lower=0> tau_scale;
  vector[P] location;
  vector<lower=0>[P] scale;
  int<lower=0, upper=1> with_log_lik;
  real<lower=0> shape1;
  real<lower=0> shape2;
}
transformed data {
  int H = form == 2 ? 0 : P;
  vector[N] log_y = log(y);
  vector[N] log_rest = log1m(y);
}
parameters {
  vector[P] raw;
  vector<lower=0>[H] tau;
  cholesky_factor_corr[H] omega;
  real<lower=0.1> precision;
}
transformed parameters {
  vector[P] b = form == 0 ? tau .* (omega * raw) : raw;
}
model {
  if (form == 0) {
    raw ~ std_normal();
  } else if (form == 1) {
    raw ~ multi_normal_cholesky(rep_vector(0, P), diag_pre_multiply(tau, omega));
  } else {
    target += beta_lpdf(inv_logit(b[1]) | shape1, shape2)
              + log_inv_logit(b[1]) + log1m_inv_logit(b[1]);
  }
  if (form < 2) {
    tau ~ student_t(tau_df, 0, tau_scale);
    omega ~ lkj_corr_cholesky(lkj);
  }
  precision ~ pareto(0.1, 1.5);
  if (plain) {
    target += beta_proportion_lupdf(y | inv_logit(x * b), precision);
  } else {
    vector[N] g = alpha .* (records(log_y, log_rest, x * b, precision));
    if (clipped) {
      target += sum(fmin(fmax(g - centre, low), high));
    } else {
      target += sum(g);
    }
  }
}
generated quantities {
  vector[with_log_lik ? N : 0] log_lik;
  if (with_log_lik) {
    log_lik = records(log_y, log_rest, x * b, precision);
  }
}
