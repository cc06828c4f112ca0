// Priors as the samplers with conditional draws of b take them.
#ifndef PSEUDOSYNTH_RCPP_REGRESSION_PRIOR_H
#define PSEUDOSYNTH_RCPP_REGRESSION_PRIOR_H

#include <pseudosynth/sampler/regression_prior.hpp>

#include "rcpp_model.h"

namespace binding {

/// A normal or hierarchical prior as samplers with conditional draws of b take
/// it; false for any other kind.
inline bool read_regression_prior(const Rcpp::List& spec,
                                  ps::RegressionPrior& out) {
  const Rcpp::List prior = spec["prior"];
  const std::string kind = Rcpp::as<std::string>(prior["kind"]);
  out.location = ps::Vector::Zero(Rcpp::as<int>(spec["n_columns"]));
  out.hierarchical = kind == "hierarchical";
  if (out.hierarchical) {
    out.lkj = Rcpp::as<double>(prior["lkj"]);
    out.tau_df = Rcpp::as<double>(prior["df"]);
    out.tau_scale = Rcpp::as<double>(prior["scale"]);
    if (!(out.lkj > 0.5))
      Rcpp::stop("This sampler needs an LKJ shape above 1/2.");
    return true;
  }
  if (kind != "normal") return false;
  out.location = to_vector(prior["location"]);
  out.scale = to_vector(prior["scale"]);
  return true;
}

}  // namespace binding

#endif
