// Student-t regression, sigma ~ half-t(3, 0, 1).
//
// Privacy weights and the clip of alpha_i f_i - a_i to [low, high] as the
// package has them; `plain` says that all weights are 1 and nothing is clipped,
// so that Stan's fastest function serves. form 0: b = diag(tau) L raw
// (non-centred); form 1: b itself (centred); form 2: independent normal b.
functions {
  vector records(vector y, vector eta, real sigma, real df) {
    return lgamma((df + 1) / 2) - lgamma(df / 2) - 0.5 * log(df * pi())
           - log(sigma) - (df + 1) / 2 * log1p(square((y - eta) / sigma) / df);
  }
}
data {
  int<lower=1> N;
  int<lower=1> P;
  vector[N] y;
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
  real<lower=0> df;
}
transformed data {
  int H = form == 2 ? 0 : P;
}
parameters {
  vector[P] raw;
  vector<lower=0>[H] tau;
  cholesky_factor_corr[H] omega;
  real<lower=0> sigma;
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
    raw ~ normal(location, scale);
  }
  if (form < 2) {
    tau ~ student_t(tau_df, 0, tau_scale);
    omega ~ lkj_corr_cholesky(lkj);
  }
  sigma ~ student_t(3, 0, 1);
  if (plain) {
    target += student_t_lupdf(y | df, x * b, sigma);
  } else {
    vector[N] g = alpha .* (records(y, x * b, sigma, df));
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
    log_lik = records(y, x * b, sigma, df);
  }
}
