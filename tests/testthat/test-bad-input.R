# Every argument of every public function against values that it was not made
# for: each call ends with a result or with an error of the package's own that
# says no confidential value.

# Long: `make test` runs it, R CMD check only where NOT_CRAN is set.
skip_on_cran()

# Where the first argument is dispatched on by a generic of others
foreign_generics <- c(
  "update", "synthetic_set", "synthetic_frame", "log_lik",
  "posterior_predict", "as_draws", "autoplot_fit", "autoplot_sets",
  "autoplot_bound", "autoplot_weights", "autoplot_risk", "autoplot_job",
  "autoplot_histogram", "autoplot_plan", "predict_rule"
)

# Functions that fit something with most arguments: fewer values each
costly <- c(
  "fit_synthesizer", "update", "pseudo_posterior", "compare",
  "compare_grid", "solve_weights", "two_stage_weights", "reweight",
  "score_release", "replicate_study", "audit_guarantee", "release"
)

#' The table of cases: which function, which argument, which value
#'
#' Values take turns, so that every argument meets others and all together meet
#' all. `each = Inf` crosses all with all.
bad_input_cases <- function(each = 4, each_costly = 1) {
  calls <- bad_input_calls()
  values <- c("left_out", names(bad_values()))
  rows <- lapply(names(calls), function(name) {
    first <- if (name %in% foreign_generics) 2 else 1
    arguments <- seq_along(calls[[name]]$arguments)
    lapply(arguments[arguments >= first], function(j) {
      n <- min(length(values), if (name %in% costly) each_costly else each)
      turn <- 7 * match(name, names(calls)) + 11 * j
      data.frame(
        call = name, argument = j,
        value = values[(turn + seq_len(n) * 7) %% length(values) + 1]
      )
    })
  })
  unique(do.call(rbind, unlist(rows, recursive = FALSE)))
}

run_case <- function(case) {
  call <- bad_input_calls()[[case$call]]
  arguments <- call$arguments
  if (case$value == "left_out") {
    arguments <- arguments[-case$argument]
  } else {
    arguments[case$argument] <- list(bad_values()[[case$value]])
  }
  outcome_of(call$f, arguments)
}

test_that("calls that are crossed with bad values work without them", {
  calls <- bad_input_calls()
  found <- vapply(names(calls), function(name) {
    outcome_of(calls[[name]]$f, calls[[name]]$arguments)
  }, "")
  # No file, and a first stage that is too short
  refused <- c("read_sdr", "two_stage_weights")
  expect_identical(names(found)[found != "fine"], refused[2:1])
  expect_true(all(found[refused] == "refused"))
})

test_that("every argument has defined behaviour for bad values", {
  cases <- bad_input_cases(each = by_night(4, 1))
  # By day every second one
  cases <- cases[seq(1, nrow(cases), by = by_night(1, 2)), ]
  expect_gt(nrow(cases), by_night(1000, 130))
  outcomes <- vapply(seq_len(nrow(cases)), function(i) {
    run_case(cases[i, ])
  }, "")
  wrong <- !outcomes %in% c("fine", "refused")
  expect_identical(
    sprintf(
      "%s, argument %d, %s: %s", cases$call[wrong], cases$argument[wrong],
      cases$value[wrong], outcomes[wrong]
    ),
    character()
  )
  # It refuses, and not all of it
  expect_gt(mean(outcomes == "refused"), 0.5)
  expect_gt(sum(outcomes == "fine"), by_night(50, 10))
})

test_that("odd input has a call of every function that is exported", {
  # `make odd` stops where one has none, and few run it
  folder <- test_path("..", "faults", "odd-input")
  skip_if_not(dir.exists(folder))
  files <- c(
    list.files(folder, full.names = TRUE), test_path("helper-bad-input.R")
  )
  used <- unique(unlist(lapply(files, function(file) all.names(parse(file)))))
  exported <- getNamespaceExports("pseudosynth")
  functions <- Filter(function(name) {
    is.function(getExportedValue("pseudosynth", name))
  }, exported)
  expect_identical(setdiff(functions, used), character())
})

test_that("names twice, nothing on the right, bytes and words have an answer", {
  data <- privacy_data()
  sets <- histogram_sets(data, income ~ 1, c(1, 2e6))
  expect_identical(
    replicated_uniques(sets, data, c("age", "age")),
    replicated_uniques(sets, data, "age")
  )
  fit <- unweighted_fit()
  bytes <- "\xff\xfe"
  Encoding(bytes) <- "bytes"
  expect_error(
    replicate_study(fit, 2, file = bytes, seed = 1),
    class = "pseudosynth_error_input"
  )
  for (mechanism in c("lw", "censor_w")) {
    expect_error(
      pseudo_posterior(
        log(income) ~ NULL, data, gaussian(), mechanism = mechanism,
        epsilon = "none"
      ), class = "pseudosynth_error_input"
    )
  }
  names <- data.frame(name = sprintf("person %d", 1:60))
  expect_error(
    file_plan(names, confirm_codebook(draft_codebook(names))),
    "no \"id\"", class = "pseudosynth_error_input"
  )
  expect_error(
    codebook(data.frame(
      column = "visits", type = "count", lower = 0, upper = 60, heaps = "true"
    )), "heaps of \"visits\"", class = "pseudosynth_error_input"
  )
})
