# The benchmarks; see bench/README.md. Run from the package's root directory:
#
#   Rscript bench/run.R                     gradient, workflow and bounds
#   Rscript bench/run.R gradient bounds     some of them
#   Rscript bench/run.R workflow --full     the plain Stan program in full, too
#   Rscript bench/run.R families agreement-families bounds-families
#   Rscript bench/run.R around              whole calls by the clock, no Stan
#   Rscript bench/run.R first-use           first calls of sessions by the clock
#   Rscript bench/run.R clipped-law 50      50 seeds a file, no Stan
#   Rscript bench/run.R clipped-law-more 3  more parameters, fewer seeds
#   Rscript bench/run.R strict-repeats 200  the strict job again and again
#   Rscript bench/run.R score-means 25      means of score releases, no Stan
#
# The mixture job has a command of its own: Rscript bench/mixture-ce.R

for (file in c(
  "ce_data.R", "results.R", "timing.R", "stan_models.R", "gradient.R",
  "workflow.R", "bounds.R", "families.R", "around.R", "clipped-law.R",
  "strict-repeats.R", "score-means.R", "first-use.R"
)) {
  source(file.path("bench", file))
}

asked <- commandArgs(trailingOnly = TRUE)
full <- "--full" %in% asked
seeds <- suppressWarnings(as.integer(asked))
seeds <- c(seeds[!is.na(seeds)], 5L)[1]
asked <- setdiff(asked, c("--full", seeds))
benchmarks <- list(
  gradient = function() bench_gradient(),
  workflow = function() bench_workflow(plain_in_full = full),
  bounds = function() bench_bounds(),
  families = function() bench_families(),
  `agreement-families` = function() bench_family_agreement(),
  `bounds-families` = function() bench_family_bounds(),
  around = function() bench_around(),
  `first-use` = function() bench_first_use(),
  `clipped-law` = function() bench_clipped_law(seq_len(seeds)),
  `clipped-law-more` = function() bench_clipped_law(seq_len(seeds), "more"),
  `strict-repeats` = function() bench_strict_repeats(seq_len(seeds)),
  `score-means` = function() bench_score_means(seeds)
)
unknown <- setdiff(asked, names(benchmarks))
if (length(unknown) > 0) {
  stop("There is no benchmark ", toString(unknown), "; choose from ",
    toString(names(benchmarks)), ".",
    call. = FALSE
  )
}
if (length(asked) == 0) asked <- c("gradient", "workflow", "bounds")
if (!all(asked %in% c(
  "bounds", "bounds-families", "around", "clipped-law", "clipped-law-more",
  "strict-repeats", "score-means"
))) {
  require_rstan()
}

cat(describe_versions(), "\n")
for (name in asked) {
  message("\n== ", name)
  benchmarks[[name]]()
}
