// The confidential records as the samplers and kernels see them: sorted by
// design row, with their privacy weights and the censoring rule.
#ifndef PSEUDOSYNTH_RECORDS_HPP
#define PSEUDOSYNTH_RECORDS_HPP

#include <stdexcept>
#include <utility>
#include <vector>

#include "design/design.hpp"

namespace pseudosynth {

/// g_i = clip(alpha_i f_i - a_i, lower, upper); inactive: g_i = alpha_i f_i.
struct Censor {
  bool active = false;
  double lower = -kInfinity;
  double upper = kInfinity;
  std::vector<double> centre;  // a_i, in the order of the records
};

struct Records {
  Design design;
  std::vector<double> y;      // modelled response, in row order
  std::vector<double> alpha;  // privacy weights in [0, 1], in row order
  Censor censor;              // centre in row order

  Records() = default;

  /// y, alpha and censor.centre come in the order of the file.
  Records(const Predictors& predictors, const std::vector<double>& response,
          const std::vector<double>& weights, Censor rule = Censor())
      : design(predictors), censor(std::move(rule)) {
    const std::size_t N = static_cast<std::size_t>(design.n_records());
    if (response.size() != N || weights.size() != N ||
        (censor.active && censor.centre.size() != N))
      throw std::invalid_argument(
          "response, weights and design differ in length");
    for (double a : weights) {
      if (!(a >= 0.0 && a <= 1.0))
        throw std::invalid_argument("privacy weights must lie in [0, 1]");
    }
    y = sorted(response);
    alpha = sorted(weights);
    if (censor.active) censor.centre = sorted(censor.centre);
  }

  int size() const { return design.n_records(); }

  /// The contribution of the i-th record (row order) with log-likelihood f. A
  /// weight of 0 contributes exactly 0, whatever f is.
  double contribution(int i, double f) const {
    const double a = alpha[static_cast<std::size_t>(i)];
    double g = a == 0.0 ? 0.0 : a * f;
    if (censor.active) {
      g -= censor.centre[static_cast<std::size_t>(i)];
      g = g < censor.lower ? censor.lower : g;
      g = g > censor.upper ? censor.upper : g;
    }
    return g;
  }

 private:
  std::vector<double> sorted(const std::vector<double>& x) const {
    std::vector<double> out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      out[i] = x[static_cast<std::size_t>(design.order()[i])];
    return out;
  }
};

}  // namespace pseudosynth

#endif
