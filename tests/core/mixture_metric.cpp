// The metric of the mixture's Hamiltonian moves: momenta and their energy must
// belong to the same matrix, and the velocity must be odd in the momentum, else
// trajectories would not leave the posterior as it is. That the matrix is near
// the one asked for only makes them efficient.

#include "pseudosynth/sampler/mixture/mixture_metric.hpp"

#include <cmath>
#include <cstdio>

#include "pseudosynth/math.hpp"
#include "pseudosynth/rng.hpp"

namespace {

namespace ps = pseudosynth;
using ps::Matrix;
using ps::Vector;

int failures = 0;

void expect_small(const char* what, int P, int K, double value, double limit) {
  const bool good = value <= limit;
  if (!good) ++failures;
  std::printf("%s %s, %d coefficients, %d components: %.2g of at most %.2g\n",
              good ? "ok  " : "FAIL", what, P, K, value, limit);
}

Matrix normals(int rows, int columns, ps::Rng& rng) {
  Matrix x(rows, columns);
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) x(i, j) = rng.normal();
  return x;
}

void check(int P, int K) {
  ps::Rng rng(7, static_cast<std::uint64_t>(100 * P + K));
  const Matrix x = normals(3 * P, P, rng);
  Matrix gram = 50.0 * x.transpose() * x;
  // A level that no record has.
  gram.row(P - 1).setZero();
  gram.col(P - 1).setZero();
  Vector precision(K), prior(P);
  for (int k = 0; k < K; ++k) precision[k] = std::exp(4.0 * rng.normal());
  for (int j = 0; j < P; ++j) prior[j] = std::exp(2.0 * rng.normal());

  ps::MixtureMetric metric(gram, K);
  metric.compute(precision, prior);

  ps::Rng same = rng;
  Matrix p(P, K);
  metric.draw(rng, p);
  double noise = 0.0;
  for (int i = 0; i < P * K; ++i) noise += ps::square(same.normal());
  const double energy = metric.square_norm(p);
  expect_small("energy of a draw against its noise", P, K,
               std::fabs(energy / noise - 1.0), 1e-10);

  Matrix there = Matrix::Zero(P, K), back = there;
  metric.drift(1.0, p, there);
  metric.drift(1.0, -p, back);
  expect_small("velocity is odd", P, K, (there + back).cwiseAbs().maxCoeff(),
               0.0);
  expect_small("energy from the velocity", P, K,
               std::fabs(there.cwiseProduct(p).sum() / energy - 1.0), 1e-4);

  double worst = 0.0;
  for (int k = 0; k < K; ++k) {
    Matrix asked = precision[k] * gram;
    asked.diagonal() += prior;
    const Vector truth = asked.llt().solve(p.col(k));
    const Vector gap = there.col(k) - truth;
    worst = std::fmax(
        worst, std::sqrt(gap.dot(asked * gap) / truth.dot(asked * truth)));
  }
  expect_small("velocity against the exact one", P, K, worst, 1e-2);
}

}  // namespace

int main() {
  for (int P : {1, 2, 9, 38})
    for (int K : {1, 3, 8, 10, 20}) check(P, K);
  return failures == 0 ? 0 : 1;
}
