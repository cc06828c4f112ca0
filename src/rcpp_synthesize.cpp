// Binding of synth/predictive.hpp.

#include <pseudosynth/synth/predictive.hpp>

#include "rcpp_model.h"

namespace ps = pseudosynth;

// Column j of the result comes from row j of `draws` and stream j of the seed.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix synthesize_(Rcpp::List spec, Rcpp::NumericMatrix draws,
                                Rcpp::NumericVector seed, int assignment) {
  const ps::Records records = binding::to_records(spec);
  const ps::ModelKind kind = binding::to_kind(spec);
  const ps::DrawMatrix view = binding::to_draws(draws, records, kind);
  const ps::Assignment how =
      assignment == 0 ? ps::Assignment::kPrior : ps::Assignment::kPosterior;
  Rcpp::NumericMatrix out(records.size(), view.S);
  std::vector<double> draw(static_cast<std::size_t>(view.D));
  for (int s = 0; s < view.S; ++s) {
    Rcpp::checkUserInterrupt();
    for (int d = 0; d < view.D; ++d)
      draw[static_cast<std::size_t>(d)] = view(s, d);
    ps::Rng rng(binding::to_seed(seed), static_cast<std::uint64_t>(s));
    double* column = out.begin() + static_cast<std::size_t>(s) * records.size();
    ps::visit_family(kind, [&](const auto& family) {
      ps::synthesize(records, family, draw.data(), how, rng, column);
    });
  }
  return out;
}
