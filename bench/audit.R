# Exact audits of the mechanisms: the largest privacy loss found against the
# claim. Run from the package's root directory: Rscript bench/audit.R, or some
# of its parts: Rscript bench/audit.R clones clusters. The rows of the parts
# that are run take the place of their old ones in bench/results/audit.csv.
#
# ordinary  Beta(0.5, 3) cut to [1e-4, 1 - 1e-4], all removals, 48 replacements
# growth    the same, n up to 2,000, 8 removals: one extreme record sets the
#           Lipschitz weights of all others
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

# Lipschitz weights as another file has fixed them
frozen <- function(history) {
  fit <- fit_synthesizer(y ~ 1, history, bounds, seed = 1)
  mechanism("frozen", rule = freeze(lipschitz_weights(fit)))
}

# Count weights with a floor, clipped: made step by step, audited as a fit
counted <- function(file, epsilon, radius) {
  fit_synthesizer(
    y ~ 1, file, bounds,
    privacy_weights = count_weights(
      "y", file,
      radius = radius, relative = FALSE, scale = 0.5, shift = 0.5
    ),
    censor = censor(epsilon), seed = 1
  )
}

rows <- list()

add_audit <- function(design, n, seed, file, mechanism, epsilon = NULL, ...,
                      family = bounds, prior = NULL) {
  time <- system.time(
    audit <- if (inherits(mechanism, "synthesizer")) {
      audit_guarantee(mechanism, ...)
    } else {
      audit_guarantee(
        y ~ 1, file, family, mechanism, epsilon, ...,
        prior = prior
      )
    }
  )
  mechanism <- audit$mechanism
  found <- audit$worst
  row <- data.frame(
    design = design, n = n, seed = seed, mechanism = mechanism,
    epsilon = if (is.null(epsilon)) NA_real_ else epsilon,
    found[c(
      "neighbours", "files", "claim", "loss", "error_loss", "loss_bulk",
      "error_bulk", "delta", "ratio"
    )],
    cells = audit$grid$cells,
    cpu_seconds = sum(time[c("user.self", "sys.self")])
  )
  rows[[length(rows) + 1]] <<- row
  cat(sprintf(
    "%-9s %-5d %-12s eps=%-4s %s: claim %.3g loss %.4g bulk %.3g delta %.2g\n",
    design, n, mechanism, format(row$epsilon), substr(row$neighbours, 1, 3),
    row$claim, row$loss, row$loss_bulk, row$delta
  ), sep = "")
}

reference <- list("(Intercept)" = -1.5, precision = 3)
margin <- margin_histogram(c(0, 1), share = 0.2)

parts <- list()

parts$clones <- function() {
  for (n in c(20, 200)) {
    file <- worst_case_data("clones", n)
    run <- function(...) add_audit("clones", n, NA, file, ...)
    for (epsilon in c(1, 3, 5)) {
      run("censor_uw", epsilon)
      run("censor_uw", epsilon, neighbours = "replace")
      run(frozen(ordinary_file(200, 1)), epsilon)
      run(
        mechanism("centred", reference = reference, window = 2), epsilon,
        margin = margin
      )
      run(mechanism("two_stage", weight_range = c(0, 5)), epsilon)
    }
  }
}

parts$clusters <- function() {
  for (n in c(20, 50, 100, 200)) {
    file <- worst_case_data("clusters", n)
    run <- function(...) {
      add_audit("clusters", n, NA, file, ..., replacements = 24)
    }
    run("censor_w", 5)
    run("censor_uw", 5)
    run("weighted_e", 5)
    run("lw")
    run(counted(file, 5, 0.01), 5)
    run(frozen(ordinary_file(200, 1)), 5)
    run("censor_w", 1)
  }
}

parts$student <- function() {
  for (n in c(50, 200)) {
    files <- student_files(n)
    for (name in names(files)) {
      for (epsilon in c(4, 0.8, 0.2)) {
        add_audit(
          paste0("student, ", name), n, 1, files[[name]], "centred", epsilon,
          family = student_t(3), prior = prior_normal(1, c(10.8, 2.5)),
          reference = list("(Intercept)" = 10.8, sigma = 1), window = 2
        )
      }
    }
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

parts$growth <- function() {
  for (n in c(50, 200, 1000, 2000)) {
    for (seed in 1:3) {
      file <- ordinary_file(n, seed)
      # The largest, the smallest, and some in between
      remove <- order(file$y)[unique(round(seq(1, n, length.out = 8)))]
      run <- function(...) {
        add_audit(
          "growth", n, seed, file, ...,
          remove = remove, replacements = 0, cells = 10000
        )
      }
      run("lw")
      run("weighted_e", 5)
      run("unweighted")
    }
  }
}

parts$ordinary <- function() {
  for (n in c(20, 100, 200)) {
    file <- ordinary_file(n, 1)
    run <- function(...) add_audit("ordinary", n, 1, file, ...)
    run("unweighted")
    run("lw")
    run("lw_final")
    run("weighted_e", 5)
    if (n == 20) run("scalar", 5)
    for (epsilon in c(5, 1)) {
      run("censor_uw", epsilon)
      run("censor_w", epsilon)
      run(counted(file, epsilon, 0.1), epsilon)
      run(frozen(ordinary_file(n, 101)), epsilon)
    }
    run(
      mechanism("centred", reference = reference, window = 2), 1,
      margin = margin
    )
    if (n == 20) run(mechanism("two_stage", weight_range = c(0, 5)), 5)
  }
}

asked <- commandArgs(TRUE)
if (length(asked) == 0) asked <- names(parts)
stopifnot(all(asked %in% names(parts)))
for (part in asked) parts[[part]]()

table <- do.call(rbind, rows)
old_file <- file.path(results_dir, "audit.csv")
if (file.exists(old_file)) {
  old <- utils::read.csv(old_file, comment.char = "#")
  old <- old[!sub(",.*", "", old$design) %in% asked, ]
  table <- rbind(old[names(table)], table)
}
keep_table(table, "audit", character())
