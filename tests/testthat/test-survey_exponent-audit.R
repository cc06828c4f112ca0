# Audits of fits with survey weights: a record's weight is a part of it, and the
# mean of a file changes with each of its records.

skip_on_cran()

weighted_file <- function(n = 12, heavy = 4) {
  withr::with_seed(4, data.frame(
    y = round(stats::rnorm(n), 2),
    w = c(heavy, rep(c(0.5, 1, 2), length = n - 1))
  ))
}

audited <- function(data, mechanism, ..., survey_weights = "w",
                    prior = prior_normal(intercept = c(0, 2)),
                    cells = by_night(20000, 8000)) {
  suppressMessages(audit_guarantee(
    y ~ 1, data, gaussian(), mechanism, ..., prior = prior, cells = cells,
    response = public_response(confirmed = mean(data$w)),
    replacements = by_night(8, 4), survey_weights = survey_weights
  ))
}

# The posterior of b and sigma on a plain grid, from R's own densities
dense_log <- function(y, exponent, clip = Inf, centre = 0) {
  n <- by_night(400, 200)
  axes <- expand.grid(
    b = seq(-6, 6, length.out = n), u = seq(-6, 4, length.out = n)
  )
  sigma <- exp(axes$u)
  total <- dnorm(axes$b, 0, 2, log = TRUE) +
    dt(sigma, 3, log = TRUE) + axes$u
  centre <- rep_len(centre, length(y))
  for (i in seq_along(y)) {
    g <- exponent[i] * dnorm(y[i], axes$b, sigma, log = TRUE) - centre[i]
    total <- total + pmin(pmax(g, -clip), clip)
  }
  total - max(total) - log(sum(exp(total - max(total))))
}

test_that("a clip keeps its epsilon at any survey weight, and is tight", {
  for (heavy in c(1, 50)) {
    data <- worst_case_data("clones", 12, value = 0, outlier = 3)
    data$w <- c(rep(1, 11), heavy)
    audit <- audited(
      data, "censor_uw", epsilon = 1, survey_weights = c(w = 1), cells = 20000
    )
    expect_lte(worst_of(audit)$loss, 1 + 1e-8)
    expect_gte(worst_of(audit)$loss, 0.98)
    expect_lte(worst_of(audit, "replace")$loss, 2 + 1e-8)
  }
})

test_that("losses equal those of a plain grid, with the mean of each file", {
  data <- weighted_file()
  weights <- function(stated) {
    fit <- suppressWarnings(suppressMessages(fit_synthesizer(
      y ~ 1, data, gaussian(), prior_normal(intercept = c(0, 2)),
      survey_weights = if (stated) c(w = 1.25) else "w", censor = censor(1),
      chains = 2, warmup = 100, draws = 500, seed = 1
    )))
    suppressMessages(audit_guarantee(
      fit, replacements = 0, cells = by_night(60000, 20000), remove = 1:4
    ))
  }
  naive <- function(scale_of) {
    base <- dense_log(data$y, data$w / scale_of(data$w), 0.5)
    vapply(1:4, function(i) {
      other <- data[-i, ]
      near <- dense_log(other$y, other$w / scale_of(other$w), 0.5)
      max(abs(base - near))
    }, 0)
  }
  expect_equal(
    weights(TRUE)$losses$loss, naive(function(w) 1.25), tolerance = 0.03
  )
  expect_equal(weights(FALSE)$losses$loss, naive(mean), tolerance = 0.03)
})

test_that("an own mean breaks the epsilon of a clip, and an audit shows it", {
  # Without the heavy record all others count many times as much
  data <- data.frame(
    y = c(0, rep(c(-0.2, 0.2), length.out = 11)), w = c(200, rep(1, 11))
  )
  # The mean is known without this file, say
  run <- function(weights) {
    suppressWarnings(suppressMessages(fit_synthesizer(
      y ~ 1, data, gaussian(), prior_normal(intercept = c(0, 2)),
      survey_weights = weights, censor = censor(1),
      response = public_response(confirmed = mean(data$w)),
      chains = 2, warmup = 100, draws = 500, seed = 1
    )))
  }
  cells <- by_night(20000, 8000)
  own <- run("w")
  audit <- suppressMessages(audit_guarantee(
    own, remove = 1, replacements = 0, cells = cells
  ))
  expect_gt(worst_of(audit)$loss, 2 * worst_of(audit)$claim)
  expect_false(guarantee(own)$label == "strict")
  # The limit of the change of all exponents holds
  expect_lte(audit$losses$loss, audit$losses$limit * (1 + 1e-8))
  stated <- run(c(w = mean(data$w)))
  audit <- suppressMessages(audit_guarantee(
    stated, remove = 1, replacements = 0, cells = cells
  ))
  expect_lte(worst_of(audit)$loss, worst_of(audit)$claim * (1 + 1e-8))
  expect_identical(guarantee(stated)$label, "strict")
})

test_that("the audit's bound and weights are those of the products", {
  data <- weighted_file()
  # Sums of w f as of so many records: whole weights, once and repeated
  data$w <- rep(1:3, 4)
  mechanism <- function(file) list(weights = 0.5)
  one <- audited(
    data, mechanism, epsilon = 5, survey_weights = c(w = 1), remove = 1
  )
  many <- suppressMessages(audit_guarantee(
    y ~ 1, data[rep(1:12, data$w), ], gaussian(), mechanism, 5,
    prior = prior_normal(intercept = c(0, 2)),
    cells = by_night(20000, 8000),
    replacements = by_night(8, 4), remove = 1
  ))
  add <- one$losses[one$losses$neighbours == "add-remove", ]
  same <- many$losses[many$losses$neighbours == "add-remove", ]
  # A removed record of weight 1 is the same in both
  expect_equal(add$loss_bulk, same$loss_bulk, tolerance = 0.02)
  # The largest bound: three times that of a record of weight 3
  expect_gt(one$bound, many$bound)
})

test_that("Lipschitz weights are remade with each neighbour's own mean", {
  data <- weighted_file(10, heavy = 20)
  job <- list(own = "w", stated = c(w = mean(data$w)))
  losses <- lapply(job, function(weights) {
    audited(data, "lw", survey_weights = weights, remove = 1:2)$losses
  })
  # Removing the heavy record moves the others only where the mean is their own
  expect_gt(
    losses$own$loss_bulk[1], losses$stated$loss_bulk[1] * 1.05
  )
  # Of a replaced response the mean is the same
  at <- losses$own$neighbours == "replace"
  expect_equal(
    losses$own$loss_bulk[at], losses$stated$loss_bulk[at], tolerance = 0.02
  )
})

test_that("two-stage weights keep their epsilon with survey weights", {
  data <- weighted_file(10, heavy = 5)
  audit <- audited(
    data, mechanism("two_stage", weight_range = c(1, 4)), epsilon = 2,
    survey_weights = c(w = 1.4), cells = by_night(8000, 4000)
  )
  for (relation in c("add-remove", "replace")) {
    worst <- worst_of(audit, relation)
    expect_lte(worst$loss, worst$claim * (1 + 1e-8))
  }
})

test_that("a fit is made again with the mean of the neighbour", {
  data <- simulated(40)
  data$w <- c(30, rep(1, 39))
  refitted <- function(weights, i) {
    fit <- quick_fit(
      data = data, survey_weights = weights, draws = 1000,
      prior = prior_normal()
    )
    replay(fit, records_without(fit, i), NULL, 1)
  }
  for (i in c(1, 5)) {
    own <- refitted("w", i)
    expect_identical(own$data$w, data$w[-i])
    expect_equal(own$spec$survey, data$w[-i] / mean(data$w[-i]))
    expect_identical(refitted(c(w = 2), i)$spec$survey, data$w[-i] / 2)
  }
})

test_that("what sampled losses are made of counts survey weights", {
  data <- simulated(40)
  data$w <- rep(1:4, 10)
  fit <- quick_fit(data = data, survey_weights = "w", prior = prior_normal())
  f <- log_lik(fit)
  expect_equal(
    weighted_sum(fit$spec, fit$draws),
    as.vector(f %*% (data$w / 2.5))
  )
})

test_that("a study's local databases keep the records' survey weights", {
  data <- simulated(40)
  data$w <- rep(1:4, 10)
  fit <- quick_fit(
    y ~ x, data = data, survey_weights = "w", draws = 1000,
    prior = prior_normal()
  )
  lw <- update(fit, privacy_weights = lipschitz_weights(fit), seed = 1)
  study <- replicate_study(lw, 20, replicates = 3, seed = 1)
  expect_true(all(is.finite(study$table$lipschitz_bound)))
  expect_identical(
    drawn_records(lw, local_values(lw, 1, 1)[, 1])$data$w, data$w
  )
})
