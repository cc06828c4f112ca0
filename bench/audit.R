# Exact audits of the mechanisms: the largest privacy loss found against the
# claim. Run from the package's root directory: Rscript bench/audit.R
#
# ordinary  Beta(0.5, 3), all removals and 48 replacements
# growth    the same, n up to 2,000, 12 removals: Lipschitz weights recomputed
# clones    n - 1 equal records and one other
# clusters  two close groups of clones and an outlier, which is removed
# student   student_t(3), centred on crude public values

library(pseudosynth)
source(file.path("bench", "results.R"))

bounds <- beta_response(c(0, 1))

ordinary_file <- function(n, seed) {
  set.seed(seed)
  data.frame(y = pmin(pmax(rbeta(n, 0.5, 3), 1e-4), 1 - 1e-4))
}

rows <- list()

add_audit <- function(design, n, seed, file, mechanism, epsilon = NULL, ...,
                      family = bounds, prior = NULL) {
  time <- system.time(
    audit <- audit_guarantee(
      y ~ 1, file, family, mechanism, epsilon, ...,
      prior = prior
    )
  )
  found <- audit$worst
  row <- data.frame(
    design = design, n = n, seed = seed, mechanism = mechanism,
    epsilon = if (is.null(epsilon)) NA_real_ else epsilon,
    found[c(
      "relation", "neighbours", "claim", "loss", "error_loss", "loss_bulk",
      "error_bulk", "delta", "ratio"
    )],
    cells = audit$grid$cells,
    cpu_seconds = sum(time[c("user.self", "sys.self")])
  )
  rows[[length(rows) + 1]] <<- row
  cat(sprintf(
    "%-9s n=%-5d %-12s eps=%-4s %s: claim %.3g loss %.4g bulk %.3g delta %.2g\n",
    design, n, mechanism, format(row$epsilon), substr(row$relation, 1, 3),
    row$claim, row$loss, row$loss_bulk, row$delta
  ), sep = "")
}

count <- list(scale = 0.5, shift = 0.5, radius = 0.1)
with_settings <- function(settings, ...) {
  do.call(add_audit, c(list(...), settings))
}

for (n in c(20, 100, 200)) {
  for (seed in 1:2) {
    file <- ordinary_file(n, seed)
    run <- function(mechanism, epsilon = NULL, ...) {
      add_audit("ordinary", n, seed, file, mechanism, epsilon, ...)
    }
    run("unweighted")
    run("lw")
    run("lw_final")
    run("weighted_e", 5)
    if (n < 200) run("scalar", 5)
    for (epsilon in c(5, 1)) {
      run("censor_uw", epsilon)
      run("censor_w", epsilon)
      with_settings(
        count, "ordinary", n, seed, file, "censor_cw", epsilon
      )
      run("frozen", epsilon, history = ordinary_file(n, seed + 100))
    }
    run(
      "centred", 1,
      reference = list("(Intercept)" = -1.5, precision = 3), window = 2,
      margin_share = 0.2
    )
    if (n < 200) run("two_stage", 5, high = 5)
  }
}

for (n in c(20, 200)) {
  file <- worst_case_data("clones", n)
  for (epsilon in c(1, 3, 5)) {
    add_audit("clones", n, NA, file, "censor_uw", epsilon)
    add_audit(
      "clones", n, NA, file, "censor_uw", epsilon,
      neighbours = "replace"
    )
    add_audit(
      "clones", n, NA, file, "frozen", epsilon,
      history = ordinary_file(200, 1)
    )
    add_audit(
      "clones", n, NA, file, "centred", epsilon,
      reference = list("(Intercept)" = -1.5, precision = 3), window = 2,
      margin_share = 0.2
    )
    add_audit("clones", n, NA, file, "two_stage", epsilon, high = 5)
  }
}

for (n in c(20, 50, 100, 200)) {
  file <- worst_case_data("clusters", n)
  for (mechanism in c("censor_w", "censor_uw", "lw", "weighted_e")) {
    add_audit(
      "clusters", n, NA, file, mechanism, if (mechanism != "lw") 5,
      replacements = 24
    )
  }
  with_settings(
    list(scale = 0.5, shift = 0.5, radius = 0.01), "clusters", n, NA, file,
    "censor_cw", 5,
    replacements = 24
  )
  add_audit(
    "clusters", n, NA, file, "frozen", 5,
    history = ordinary_file(200, 1), replacements = 24
  )
  add_audit("clusters", n, NA, file, "censor_w", 1, replacements = 24)
}

for (n in c(50, 200, 1000, 2000)) {
  for (seed in 1:5) {
    file <- ordinary_file(n, seed)
    # The largest, the smallest, and ten in between
    remove <- order(file$y)[unique(round(seq(1, n, length.out = 12)))]
    for (mechanism in c("lw", "lw_final", "unweighted")) {
      add_audit(
        "growth", n, seed, file, mechanism,
        remove = remove, replacements = 0, cells = 20000
      )
    }
    add_audit(
      "growth", n, seed, file, "weighted_e", 5,
      remove = remove, replacements = 0, cells = 20000
    )
    gc()
  }
}

student_files <- function(n) {
  set.seed(1)
  list(
    income = data.frame(y = 10.8 + 0.9 * rt(n, 4)),
    clones = worst_case_data("clones", n, value = 10, outlier = 20),
    clusters = worst_case_data(
      "clusters", n,
      value = 10, second = 10.2, outlier = 14
    )
  )
}
for (n in c(50, 200)) {
  files <- student_files(n)
  for (name in names(files)) {
    for (epsilon in c(4, 0.8, 0.2)) {
      add_audit(
        paste0("student ", name), n, 1, files[[name]], "centred", epsilon,
        family = student_t(3), prior = prior_normal(1, c(10.8, 2.5)),
        reference = list("(Intercept)" = 10.8, sigma = 1), window = 2
      )
    }
  }
}

keep_table(do.call(rbind, rows), "audit", character())
