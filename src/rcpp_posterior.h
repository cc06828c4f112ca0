// The posteriors that samplers run on. They are made in rcpp_posterior.cpp
// alone, so that the likelihood of each family is compiled once.
#ifndef PSEUDOSYNTH_RCPP_POSTERIOR_H
#define PSEUDOSYNTH_RCPP_POSTERIOR_H

#include <memory>
#include <pseudosynth/any_posterior.hpp>
#include <pseudosynth/sampler/surrogate_model.hpp>

#include "rcpp_model.h"

namespace binding {

// `records` must outlive what these return.
ps::AnyPosterior to_posterior(const Rcpp::List& spec,
                              const ps::Records& records);
std::unique_ptr<ps::SurrogateModel> to_surrogate_model(
    const Rcpp::List& spec, const ps::Records& records);

}  // namespace binding

#endif
