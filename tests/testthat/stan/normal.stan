// A regression with weights in the model block, as the papers' programs have it
data {
  int<lower=1> N;
  vector[N] x;
  vector[N] y;
  vector<lower=0, upper=1>[N] alpha;
}
parameters {
  real a;
  real b;
  real<lower=0> sigma;
}
model {
  a ~ normal(0, 5);
  b ~ normal(0, 2);
  sigma ~ student_t(3, 0, 1);
  for (i in 1:N) target += alpha[i] * normal_lpdf(y[i] | a + b * x[i], sigma);
}
generated quantities {
  vector[N] log_lik;
  vector[N] weighted_log_lik;
  vector[N] y_rep;
  for (i in 1:N) {
    log_lik[i] = normal_lpdf(y[i] | a + b * x[i], sigma);
    weighted_log_lik[i] = alpha[i] * log_lik[i];
    y_rep[i] = normal_rng(a + b * x[i], sigma);
  }
}
