public_reference <- list("(Intercept)" = 10.8, sigma = 1)

small_comparison <- function() {
  remember("comparison", suppressWarnings(suppressMessages(compare(
    log(income) ~ age + earner, privacy_data(), gaussian(),
    mechanisms = c(
      "centred", "lw", "scalar", "unweighted", "perturbed_histogram", "topcode"
    ),
    epsilon = c(8, 1000), reference = public_reference, bounds = c(10, 2e6),
    prior = prior_normal(1, c(10.8, 2.5)), groups = "earner", top = 2e5,
    m = 3, tolerance = 0.2, chains = 2, warmup = 300, draws = 1200,
    threads = 1, seed = 31
  ))))
}

row_of <- function(mechanism, epsilon = NULL) {
  table <- small_comparison()$table
  table <- table[table$mechanism == mechanism, ]
  if (is.null(epsilon)) table else table[table$asked %in% epsilon, ]
}

test_that("every mechanism has a row at each epsilon that it claims", {
  table <- small_comparison()$table
  expect_identical(
    table$mechanism, c(
      rep("centred", 2), rep("lw", 2), rep("scalar", 2), "unweighted",
      rep("perturbed_histogram", 2), "topcode", "reference"
    )
  )
  expect_equal(row_of("centred")$add_remove, c(8, 1000))
  expect_equal(row_of("centred")$replace, c(16, 2000))
  expect_equal(row_of("perturbed_histogram")$add_remove, c(8, 1000))
  expect_identical(row_of("centred")$label, rep("strict", 2))
  expect_identical(row_of("lw", 8)$label, "asymptotic")
  expect_equal(row_of("lw", 8)$add_remove, 8, tolerance = 0.21)
  expect_identical(row_of("unweighted")$label, "none")
  expect_true(is.na(row_of("unweighted")$add_remove))
})

test_that("an unreachable target is an empty row that says why", {
  # One refit from the papers' first guess overshoots a small target
  compared <- suppressWarnings(suppressMessages(compare(
    log(income) ~ age, privacy_data(), gaussian(), "scalar",
    epsilon = 0.5, prior = prior_normal(1, c(10.8, 2.5)), m = 2,
    tolerance = 0.001, max_refits = 1, chains = 2, warmup = 300, draws = 1000,
    threads = 1, seed = 31
  )))
  row <- compared$table
  expect_true(is.na(row$ecdf_max))
  expect_match(row$problem, "nearest")
  expect_false(grepl("\n", row$problem))
  expect_output(print(compared), "scalar at 0.5")
  error <- expect_error(
    ggplot2::autoplot(compared), "must hold a mechanism that produced sets",
    class = "pseudosynth_error_input"
  )
  expect_identical(error$arg, "object")
})

test_that("a claim below the target counts as reached", {
  unweighted <- 2 * unweighted_fit()$bound$overall
  row <- row_of("scalar", 1000)
  expect_identical(row$problem, "")
  expect_lt(row$add_remove, 2 * unweighted)
  expect_gt(row$add_remove, unweighted / 2)
  expect_identical(row_of("lw", 1000)$problem, "")
})

test_that("the figures are those of utility()", {
  data <- privacy_data()
  coded <- topcode(income ~ age + earner, data, top = 2e5)
  truth <- utility(
    coded, data,
    groups = "earner", regression = log(income) ~ age + earner,
    transform = "log"
  )$overall
  row <- row_of("topcode")
  for (name in c("ecdf_max", "groups", "r_squared")) {
    expect_equal(row[[name]], truth[[name]])
  }
  # At a large epsilon the margin is the file's own, to the bin
  expect_lt(row_of("centred", 1000)$ecdf_max, 0.06)
  expect_lt(row_of("perturbed_histogram", 1000)$groups, 1)
})

test_that("the reference alone is a row of its own, without the file", {
  row <- row_of("reference")
  expect_equal(row$add_remove, 0)
  expect_lt(abs(row$r_squared), 0.2)
  job_of <- function(data) {
    job <- new_job(
      log(income) ~ age + earner, data, gaussian(), list(), "add-remove", 5,
      FALSE
    )
    assign_mechanism(job, mechanism("reference", reference = public_reference))
  }
  sets <- synthesize_reference(job_of(privacy_data()), 20)
  y <- log(unlist(lapply(sets, `[[`, "income")))
  expect_lt(abs(mean(y) - 10.8), 5 / sqrt(3000))
  expect_lt(abs(sd(y) - 1), 0.1)
  other <- privacy_data()
  other$income <- rev(other$income)
  expect_identical(
    synthesize_reference(job_of(other), 20)[[1]]$income, sets[[1]]$income
  )
})

test_that("releases of one case take draws and histograms of their own", {
  job <- new_job(
    log(income) ~ age + earner, privacy_data(), gaussian(),
    list(chains = 2, warmup = 300, draws = 1200, threads = 1), "add-remove", 3,
    FALSE
  )
  job <- assign_mechanism(
    job, mechanism("centred", reference = public_reference), 8,
    margin = margin_histogram(c(10, 2e6))
  )
  fit <- suppressMessages(run_mechanism(job))$centred
  made <- synthesize_sets(job, fit, 2)
  other <- replace(job, "seed", stage_seed(3, "release", 2))
  expect_false(identical(made$sets[[1]], made$sets[[2]]))
  expect_equal(
    made$margin$counts,
    suppressMessages(job_margin(other))$counts
  )
})

test_that("comparisons print and plot", {
  expect_output(print(small_comparison()), "not for release")
  expect_output(print(small_comparison()), "claimed, not proven")
  figure <- autoplot(small_comparison())
  expect_s3_class(figure, "ggplot")
  expect_no_error(ggplot2::ggplot_build(figure))
  expect_match(figure$labels$caption, "Confidential")
})

test_that("wrong arguments are refused", {
  bad <- function(...) {
    expect_error(
      suppressMessages(compare(
        log(income) ~ age, privacy_data(), gaussian(), ...
      )),
      class = "pseudosynth_error_input"
    )
  }
  bad("dp")
  bad("centred", epsilon = 0)
  bad("centred", epsilon = 1)
  bad("perturbed_histogram", epsilon = 1)
  bad("topcode")
  bad("topcode", top = 1e5, m = 0)
})

test_that("what is asked of a comparison must be taken by one of its rows", {
  bad <- function(arg, ...) {
    expect_early(
      compare(log(income) ~ age, privacy_data(), gaussian(), ...),
      arg,
      call = quote(compare.formula())
    )
  }
  bad("scale", "unweighted", scale = 0.1)
  bad("radius", c("lw", "cw"))
  bad("top", "lw", top = 1e5)
  bad("margin", "lw", bounds = c(10, 2e6), bins = 30)
  bad("calibrate", "lw", calibrate = "lw")
  bad("neighbours", "lw", neighbours = "replace-one")
  bad("reference", "unweighted", reference = list(scale = 1))
  bad("groups", "unweighted", groups = "earner")
  bad("regression", "unweighted", regression = income ~ earner)
  bad("m", "unweighted", m = 1e6)
  bad("mechanisms", character())
  bad("epsilon", "lw", epsilon = numeric())
})

test_that("objects and names stand side by side", {
  compared <- suppressMessages(compare(
    log(income) ~ age, privacy_data(), gaussian(),
    mechanisms = list("LW", mechanism("lw", scale = 0.2)), epsilon = 8,
    m = 2, prior = prior_normal(), tolerance = 0.2, chains = 2,
    warmup = 200, draws = 1000, seed = 4, threads = 1
  ))
  expect_identical(compared$table$mechanism, c("lw", "lw"))
})

test_that("a useless mechanism does not hide the others in the figure", {
  compared <- small_comparison()
  compared$table$ecdf_max[1] <- 1e6
  figure <- autoplot(compared)
  error <- subset(figure$data, measure == "Largest ECDF difference")
  expect_identical(sum(error$mark == "beyond"), 1L)
  expect_lt(max(error$value), 10)
  expect_match(figure$labels$subtitle, "beyond the edge")
  # Without a regression there is no line of the file's R2
  compared$confidential <- NULL
  expect_no_error(ggplot2::ggplot_build(autoplot(compared)))
})

test_that("a score release is a row, for every family that has one", {
  data <- privacy_data()
  data$rooms <- as.integer(data$age) %% 5L
  compared <- suppressWarnings(suppressMessages(compare(
    rooms ~ earner, data, neg_binomial(),
    mechanisms = "score", epsilon = c(3, 1), delta = 1e-7,
    reference = list("(Intercept)" = 1, size = 3), bounds = c(0, 20),
    margin_share = 0.3, bins = 40, groups = "earner", m = 3, seed = 1
  )))
  table <- compared$table
  expect_identical(table$mechanism, c("score", "score", "reference"))
  expect_identical(table$label[1:2], rep("strict", 2))
  expect_equal(table$add_remove[1:2], c(3, 1), tolerance = 0.01)
  expect_true(all(is.finite(table$ecdf_max)))
  expect_lt(table$ecdf_max[1], table$ecdf_max[3])
})

test_that("one intruder is that of the weights and of the risk", {
  run <- function(...) {
    suppressWarnings(suppressMessages(compare(
      log(income) ~ age, privacy_data(), gaussian(), ..., m = 2,
      epsilon = 1000, prior = prior_normal(), chains = 2, warmup = 200,
      draws = 500, seed = 4, threads = 1
    )))
  }
  found <- run("cw", radius = 0.3, known = "age", tolerance = 0.5)
  own <- run(list(
    mechanism("cw", radius = 0.3, known = "age", tolerance = 0.5)
  ))
  expect_true(is.finite(found$table$risk))
  same <- c("add_remove", "ecdf_max")
  expect_equal(found$table[same], own$table[same])
  expect_true(is.na(own$table$risk))
})

test_that("a comparison may leave margins out, and drops none unsaid", {
  file <- data.frame(y = exp(sin(1:60) + 10))
  run <- function(...) {
    suppressWarnings(suppressMessages(compare(
      log(y) ~ 1, file, gaussian(), bounds = c(100, 1e6), m = 1, chains = 2,
      draws = 200, reference = list("(Intercept)" = 10, sigma = 1), ...
    )))
  }
  compared <- run(mechanisms = "censor_uw", epsilon = 2, margin_share = 0)
  expect_identical(compared$table$mechanism[1], "censor_uw")
  rows <- data.frame(mechanism = c("centred", "lw"), epsilon = 2, bins = 20)
  expect_error(run(grid = rows), class = "pseudosynth_error_input")
})
