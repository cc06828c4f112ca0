// What is watched of chains whose sampler watches nothing itself.
#ifndef PSEUDOSYNTH_RCPP_MONITOR_H
#define PSEUDOSYNTH_RCPP_MONITOR_H

#include "rcpp_model.h"

namespace binding {

/// Quantities that do not depend on the labels of components, per draw:
/// sum_i g_i and, for a mixture, quantiles of the predictive distribution.
Rcpp::NumericMatrix monitor(const ps::Records& records,
                            const ps::ModelKind& kind,
                            const Rcpp::NumericMatrix& draws, int threads);

}  // namespace binding

#endif
