// Binding of synth/predictive.hpp.

#include <limits>
#include <memory>
#include <pseudosynth/synth/predictive.hpp>

#include "rcpp_model.h"
#include "rcpp_parallel.h"

namespace ps = pseudosynth;

// Column j of the result comes from row j of `draws` and streams of its own.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix synthesize_(Rcpp::List spec, Rcpp::NumericMatrix draws,
                                Rcpp::NumericVector seed, int assignment,
                                int threads = 1) {
  // Responses are read for components given the true value alone
  const ps::Records records =
      assignment == 0 ? binding::to_rows(spec) : binding::to_records(spec);
  const ps::ModelKind kind = binding::to_kind(spec);
  const ps::DrawMatrix view = binding::to_draws(draws, records, kind);
  const ps::Assignment how =
      assignment == 0 ? ps::Assignment::kPrior : ps::Assignment::kPosterior;
  const std::uint64_t words = binding::to_seed(seed);
  const int blocks = ps::n_synthesis_blocks(records);
  if (static_cast<double>(view.S) * blocks > std::numeric_limits<int>::max())
    Rcpp::stop("There are too many sets.");
  // Every number is set below: memory is first touched there, on all threads
  Rcpp::NumericMatrix out(Rcpp::no_init(records.size(), view.S));
  double* const values = out.begin();
  const std::unique_ptr<int[]> place(new int[records.size()]);
  std::atomic<bool> stop{false};
  const std::vector<int> cut = binding::cut_range(records.size(), blocks);
  binding::run_to_end(
      static_cast<int>(cut.size()) - 1, threads, stop, [&](int k) {
        ps::fill_places(records, cut[k], cut[k + 1], place.get());
      });
  binding::run_to_end(view.S * blocks, threads, stop, [&](int task) {
    const int s = task / blocks;
    std::vector<double> draw(static_cast<std::size_t>(view.D));
    for (int d = 0; d < view.D; ++d) draw[d] = view(s, d);
    ps::Rng rng = ps::synthesis_stream(words, s, task % blocks);
    ps::visit_family(kind, [&](const auto& family) {
      ps::synthesize_block(
          records, place.get(), family, draw.data(), how, task % blocks, rng,
          values + static_cast<std::size_t>(s) *
                       static_cast<std::size_t>(records.size()));
    });
  });
  return out;
}
