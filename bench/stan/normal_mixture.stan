// Mixture of normal regressions, indicators summed out, each record's marginal
// density to the power alpha_i:
//   (sum_k pi_k N(y_i | x_i' b_k, sigma_k^2))^alpha_i
// with the prior b_k ~ N(m, diag(tau)^2), m ~ N(location, m_scale^2),
// tau_j ~ half-t(tau_df, 0, tau_scale), pi ~ Dirichlet(gamma/K, ..),
// gamma ~ Gamma(1, 1), sigma_k ~ half-t(3, 0, 1) above a floor.
//
// All K x N log densities come from matrix operations; only log_sum_exp goes
// record by record, down contiguous columns. See bench/README.md for the other
// forms that were timed.
data {
  int<lower=1> N;
  int<lower=1> P;
  int<lower=1> K;
  vector[N] y;
  matrix[N, P] x;
  vector<lower=0, upper=1>[N] alpha;
  real<lower=0> sigma_floor;
  vector[P] location;
  vector<lower=0>[P] m_scale;
  real<lower=0> tau_df;
  real<lower=0> tau_scale;
}
transformed data {
  matrix[P, N] x_t = x';
  matrix[K, N] y_t = rep_matrix(y', K);
}
parameters {
  matrix[P, K] b;
  vector[P] m;
  vector<lower=0>[P] tau;
  simplex[K] pi;
  real<lower=0> gamma;
  vector<lower=sigma_floor>[K] sigma;
}
model {
  vector[N] f;
  {
    vector[K] constant = log(pi) - log(sigma) - 0.5 * log(2 * pi());
    matrix[K, N] term = rep_matrix(constant, N)
      - 0.5 * square(diag_pre_multiply(inv(sigma), y_t - b' * x_t));
    for (i in 1:N) f[i] = log_sum_exp(term[, i]);
  }
  target += dot_product(alpha, f);
  for (k in 1:K) b[, k] ~ normal(m, tau);
  m ~ normal(location, m_scale);
  tau ~ student_t(tau_df, 0, tau_scale);
  pi ~ dirichlet(rep_vector(gamma / K, K));
  gamma ~ gamma(1, 1);
  sigma ~ student_t(3, 0, 1);
}
