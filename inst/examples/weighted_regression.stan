// A normal regression under privacy weights: each record's log-likelihood is
// multiplied by its weight in the model block, and given unweighted below.
data {
  int<lower=1> N;
  int<lower=1> P;
  matrix[N, P] X;                      // the first column is 1
  vector[N] y;
  vector<lower=0, upper=1>[N] alpha;   // the privacy weights
}
parameters {
  vector[P] b;
  real<lower=0> sigma;
}
transformed parameters {
  vector[N] mu = X * b;
}
model {
  b[1] ~ normal(10.8, 2.5);
  for (p in 2:P) b[p] ~ normal(0, 1);
  sigma ~ student_t(3, 0, 1);
  for (i in 1:N) target += alpha[i] * normal_lpdf(y[i] | mu[i], sigma);
}
generated quantities {
  vector[N] log_lik;
  vector[N] y_rep;
  for (i in 1:N) {
    log_lik[i] = normal_lpdf(y[i] | mu[i], sigma);
    y_rep[i] = normal_rng(mu[i], sigma);
  }
}
