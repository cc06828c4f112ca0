// Regression with normal errors, y_i ~ N(x_i' b, sigma^2) to the power alpha_i,
// and the hierarchical prior b ~ MVN(0, diag(tau) Omega diag(tau)).
//
// Rows scaled by sqrt(alpha_i) turn the weighted likelihood into an unweighted
// one up to the power of sigma, so that the fast normal_id_glm serves any
// weights, 0 included. Ways to the same posterior:
//   form 0  b = diag(tau) L raw (non-centred)
//   form 1  b itself (centred)
//   form 2  b integrated out, and drawn in generated quantities
// With `sufficient` the N rows are first reduced to the P rows of their QR
// decomposition; form 2 needs that.
data {
  int<lower=1> N;
  int<lower=1, upper=N> P;
  vector[N] y;
  matrix[N, P] x;
  vector<lower=0, upper=1>[N] alpha;
  real<lower=0> lkj;
  real<lower=0> tau_df;
  real<lower=0> tau_scale;
  int<lower=0, upper=2> form;
  int<lower=(form == 2), upper=1> sufficient;
  int<lower=0, upper=1> with_log_lik;
}
transformed data {
  int M = sufficient ? P : N;
  vector[M] rows_y;
  matrix[M, P] rows_x;
  real rest = 0; // weighted squares that no b can explain
  real total = sum(alpha);
  {
    vector[N] root = sqrt(alpha);
    vector[N] weighted_y = root .* y;
    matrix[N, P] weighted_x = diag_pre_multiply(root, x);
    if (sufficient) {
      matrix[N, P] q = qr_thin_Q(weighted_x);
      rows_x = qr_thin_R(weighted_x);
      rows_y = q' * weighted_y;
      rest = dot_self(weighted_y - q * rows_y);
    } else {
      rows_x = weighted_x;
      rows_y = weighted_y;
    }
  }
}
parameters {
  vector[form == 2 ? 0 : P] raw;
  vector<lower=0>[P] tau;
  cholesky_factor_corr[P] omega;
  real<lower=0> sigma;
}
model {
  matrix[P, P] root = diag_pre_multiply(tau, omega);
  if (form == 2) {
    matrix[P, P] spread = tcrossprod(rows_x * root);
    rows_y ~ multi_normal_cholesky(
      rep_vector(0, P), cholesky_decompose(add_diag(spread, square(sigma))));
  } else if (form == 1) {
    raw ~ multi_normal_cholesky(rep_vector(0, P), root);
    target += normal_id_glm_lpdf(rows_y | rows_x, 0, raw, sigma);
  } else {
    raw ~ std_normal();
    target += normal_id_glm_lpdf(rows_y | rows_x, 0, root * raw, sigma);
  }
  target += (M - total) * log(sigma) - 0.5 * rest / square(sigma);
  tau ~ student_t(tau_df, 0, tau_scale);
  omega ~ lkj_corr_cholesky(lkj);
  sigma ~ student_t(3, 0, 1);
}
generated quantities {
  vector[P] b;
  vector[with_log_lik ? N : 0] log_lik;
  if (form == 2) {
    matrix[P, P] a = rows_x * diag_pre_multiply(tau, omega) / sigma;
    matrix[P, P] c = cholesky_decompose(add_diag(crossprod(a), 1));
    vector[P] z = mdivide_left_tri_low(c, a' * rows_y / sigma);
    for (j in 1:P) z[j] += std_normal_rng();
    b = tau .* (omega * mdivide_right_tri_low(z', c)');
  } else {
    b = form == 1 ? raw : tau .* (omega * raw);
  }
  if (with_log_lik) {
    vector[N] z = (y - x * b) / sigma;
    log_lik = -0.5 * square(z) - log(sigma) - 0.5 * log(2 * pi());
  }
}
