# Survey weights as exponents: w times a record is w equal records.

surveyed <- function(n = 60) {
  data <- simulated(n)
  withr::with_seed(3, {
    # Not a value of its own for each record, which would be told every time
    data$x <- round((data$x - 40) / 10, 1)
    data$count <- stats::rpois(n, exp(1 + 0.3 * data$x))
    data$answer <- stats::rbinom(n, 1, 0.4)
    data$share <- stats::plogis(data$y - 2)
    data$level <- factor(sample(c("u", "v", "w"), n, TRUE))
    data$w <- sample(1:4, n, TRUE)
    data$same <- 7.3
    data
  })
}

repeated <- function(data) data[rep(seq_len(nrow(data)), data$w), ]

# Too short to converge where that is not what a test is about
survey_fit <- function(formula = y ~ x, data = surveyed(),
                       family = gaussian(), ..., prior = prior_normal(),
                       draws = 100, warmup = 100) {
  suppressWarnings(suppressMessages(quick_fit(
    formula, data, family, prior = prior,
    scaling = if (any(c(".", "x") %in% all.vars(formula[[3]]))) {
      list(x = c(0, 1))
    }, ..., warmup = warmup, draws = draws
  )), classes = "pseudosynth_warning_convergence")
}

# Of the file's own mean, once for all tests that only read it
own_mean_fit <- function() {
  remember("own mean", survey_fit(survey_weights = "w", draws = 1000))
}
own_mean_clip <- function() {
  remember("own mean, clipped", survey_fit(
    y ~ 1, survey_weights = "w", censor = censor(1), draws = 1000
  ))
}

survey_cases <- function() {
  list(
    list(y ~ x, gaussian()), list(y ~ x, student_t(4)),
    list(count ~ x, poisson()), list(count ~ x, neg_binomial()),
    list(answer ~ x, bernoulli()), list(share ~ x, beta_response(c(0, 1))),
    list(level ~ x, categorical()), list(y ~ x, normal_mixture(2))
  )
}

# Of every record and draw, without the core's kernels
naive_contributions <- function(fit) {
  f <- log_lik(fit)
  f * rep(fit$data$w / mean(fit$data$w), each = nrow(f))
}

test_that("whole weights are as many records in every family", {
  data <- surveyed()
  for (case in survey_cases()) {
    draws <- by_night(100, 20)
    one <- survey_fit(
      case[[1]], data, case[[2]], survey_weights = c(w = 1), draws = draws
    )
    many <- survey_fit(case[[1]], repeated(data), case[[2]], draws = draws)
    size <- unconstrained_size_(one$spec)
    theta <- withr::with_seed(1, matrix(rnorm(5 * size, 0, 0.5), 5))
    for (i in 1:5) {
      expect_equal(
        log_posterior_(one$spec, theta[i, ]),
        log_posterior_(many$spec, theta[i, ]), tolerance = 1e-10
      )
    }
  }
})

test_that("draws of the samplers are those of as many records", {
  data <- surveyed()
  run <- function(data, sampler, ...) {
    survey_fit(
      y ~ x, data, ..., draws = by_night(5000, 3000),
      control = sampler_control(sampler, progress = FALSE)
    )
  }
  for (sampler in c("gibbs", "surrogate", "nuts")) {
    one <- run(data, sampler, survey_weights = c(w = 1))
    many <- run(repeated(data), sampler)
    for (name in colnames(one$draws)) {
      expect_same_mean(
        by_chain(one$draws[, name]), by_chain(many$draws[, name])
      )
    }
    ratio <- apply(one$draws, 2, sd) / apply(many$draws, 2, sd)
    expect_lt(max(abs(ratio - 1)), 0.06)
  }
})

test_that("draws of a mixture are those of as many records", {
  data <- surveyed()
  run <- function(data, ...) {
    survey_fit(
      y ~ x, data, normal_mixture(2), prior = NULL, ...,
      draws = by_night(2000, 700),
      control = sampler_control(thin = 4, progress = FALSE)
    )
  }
  one <- run(data, survey_weights = c(w = 1))
  many <- run(repeated(data))
  # What does not depend on the components' labels
  expect_same_mean(
    by_chain(one$monitor[, "log_lik"]), by_chain(many$monitor[, "log_lik"])
  )
  at <- function(fit, x) {
    b <- fit$draws
    rowSums(b[, 5:6] * (b[, 1:2] + x * b[, 3:4]))
  }
  for (x in c(-1, 1)) {
    expect_same_mean(by_chain(at(one, x)), by_chain(at(many, x)))
  }
  # And so with a privacy weight for each record, by a naive loop
  alpha <- rep(c(0.2, 0.5, 1), 20)
  one <- suppressWarnings(update(one, privacy_weights = alpha, draws = 50))
  expect_equal(
    one$monitor[, "log_lik"],
    drop(naive_contributions(one) %*% (alpha * mean(data$w))),
    ignore_attr = TRUE
  )
})

test_that("a known mean has the closed form's weighted posterior", {
  data <- surveyed()
  # exp(b) has a conjugate gamma posterior but for the prior of b, which is flat
  # here: shape sum w y, rate sum w
  fit <- survey_fit(
    count ~ 1, data, poisson(), survey_weights = "w", draws = 5000,
    prior = prior_normal(intercept = c(0, 100))
  )
  w <- data$w / mean(data$w)
  expect_truth(
    by_chain(exp(fit$draws[, 1])), sum(w * data$count) / sum(w),
    chains = 2
  )
  expect_equal(
    sd(exp(fit$draws[, 1])), sqrt(sum(w * data$count)) / sum(w),
    tolerance = 0.05
  )
})

test_that("equal survey weights are none, bit for bit", {
  for (case in survey_cases()) {
    with <- survey_fit(case[[1]], family = case[[2]], survey_weights = "same")
    without <- survey_fit(case[[1]], family = case[[2]])
    expect_identical(with$draws, without$draws)
    expect_identical(with$bound$record, without$bound$record)
    expect_identical(
      as.double(lipschitz_weights(with, allow_unconverged = TRUE)),
      as.double(lipschitz_weights(without, allow_unconverged = TRUE))
    )
  }
})

test_that("the unit of survey weights has no effect", {
  data <- surveyed()
  data$v <- data$w * 1024
  draws <- survey_fit(data = data, survey_weights = "w")$draws
  expect_identical(survey_fit(data = data, survey_weights = "v")$draws, draws)
  expect_identical(
    draws, survey_fit(
      data = data, survey_weights = c(w = mean(data$w)),
      response = public_response(confirmed = mean(data$w))
    )$draws
  )
})

test_that("bounds are those of the product, by a naive loop", {
  for (case in survey_cases()) {
    fit <- survey_fit(case[[1]], family = case[[2]], survey_weights = "w")
    g <- naive_contributions(fit)
    expect_equal(fit$bound$record, unname(apply(abs(g), 2, max)))
    expect_equal(fit$bound$overall, max(abs(g)))
    expect_equal(
      fit$bound$oscillation, unname(apply(g, 2, max) - apply(g, 2, min))
    )
    alpha <- seq(0, 1, length.out = 60)
    weighted <- survey_fit(
      case[[1]], family = case[[2]], survey_weights = "w",
      privacy_weights = alpha
    )
    expect_equal(
      weighted$bound$record,
      unname(apply(abs(naive_contributions(weighted)), 2, max)) * alpha
    )
  }
})

test_that("Lipschitz weights are made from the products", {
  fit <- own_mean_fit()
  delta <- apply(abs(naive_contributions(fit)), 2, max)
  r <- (delta - min(delta)) / (max(delta) - min(delta))
  expect_equal(as.double(lipschitz_weights(fit)), unname(1 - r))
  # A frozen rule reads the survey weight of other records, too
  rule <- freeze(lipschitz_weights(fit))
  expect_equal(
    as.double(suppressWarnings(predict(rule, fit$data))), unname(1 - r)
  )
  expect_refused(predict(rule, fit$data[c("y", "x")]), "column.*\"w\"")
})

test_that("a rule clips the product", {
  data <- surveyed()
  reference <- list("(Intercept)" = 2, sigma = 1)
  rule <- censor(2, reference = reference, window = 2)
  alpha <- seq(0.2, 1, length.out = 60)
  fit <- survey_fit(
    data = data, survey_weights = c(w = 2), privacy_weights = alpha,
    censor = rule
  )
  exponent <- alpha * fit$censor$alpha * data$w / 2
  at_reference <- dnorm(data$y, 2, 1, log = TRUE)
  expect_equal(fit$spec$censor$centre, exponent * at_reference)
  f <- log_lik(fit)
  g <- f * rep(exponent, each = nrow(f)) -
    rep(exponent * at_reference, each = nrow(f))
  g[] <- pmin(pmax(g, fit$censor$lower), fit$censor$upper)
  expect_equal(fit$bound$record, unname(apply(abs(g), 2, max)))
  expect_lte(fit$bound$overall, 1)
  # The window's factor is no survey weight: plain intervals clip w f
  plain <- survey_fit(
    data = data, survey_weights = c(w = 0.1), censor = censor(1)
  )
  expect_lte(plain$bound$overall, 0.5)
})

test_that("a survey weight of 0 is a record that is not there", {
  data <- surveyed()
  out <- c(3, 20)
  data$y[out] <- 100
  data$w[out] <- 0
  zero <- survey_fit(data = data, survey_weights = c(w = 2))
  dropped <- survey_fit(data = data[-out, ], survey_weights = c(w = 2))
  expect_equal(zero$draws, dropped$draws, tolerance = 1e-8)
  expect_identical(zero$bound$record[out], c(0, 0))
})

test_that("weights of 0 and tiny ones leave the prior", {
  data <- surveyed()
  # 1e-12 of a record in all
  fit <- survey_fit(
    y ~ 1, data, survey_weights = c(w = 1e14), draws = 5000,
    prior = prior_normal(intercept = c(3, 2))
  )
  expect_truth(by_chain(fit$draws[, 1]), 3, chains = 2)
  expect_equal(sd(fit$draws[, 1]), 2, tolerance = 0.05)
})

# What is published ------------------------------------------------------------

test_that("the column is not published, and `.` leaves it out", {
  data <- surveyed()[c("y", "x", "w")]
  fit <- survey_fit(y ~ ., data, survey_weights = "w", draws = 1000)
  expect_identical(colnames(fit$draws), c("(Intercept)", "x", "sigma"))
  sets <- suppressMessages(synthesize(fit, m = 2))
  expect_identical(names(as.data.frame(sets)), c("set", "y", "x"))
  expect_no_match(capture.output(print(guarantee(sets))), "predictors.*w")
  # New records need no survey weight
  again <- suppressMessages(synthesize(fit, newdata = data["x"]))
  expect_identical(names(again$sets[[1]]), c("y", "x"))
  # Who names it in the formula publishes it
  named <- survey_fit(y ~ x + w, data, survey_weights = "w", draws = 1000)
  expect_identical(
    names(suppressMessages(synthesize(named))$sets[[1]]), c("y", "x", "w")
  )
  expect_equal(
    named$bound$record,
    unname(apply(abs(naive_contributions(named)), 2, max))
  )
})

test_that("survey weights are looked for in a release", {
  data <- surveyed()[c("y", "x", "w")]
  data$w <- data$w * 1.23456789123
  fit <- survey_fit(y ~ x, data, survey_weights = "w", draws = 1000)
  secrets <- release_secrets(
    fit$data, suppressMessages(synthesize(fit)), character()
  )
  expect_true(all(data$w %in% secrets$numbers$number))
})

# The label --------------------------------------------------------------------

test_that("a strict label needs a public number", {
  # The default interval, so that the grid draws
  strict <- function(weights, ...) {
    survey_fit(
      y ~ 1, survey_weights = weights, censor = censor(1), draws = 1000, ...
    )
  }
  stated <- strict(c(w = 2.5))
  expect_identical(guarantee(stated)$label, "strict")
  expect_match(
    paste(guarantee(stated)$reasons, collapse = " "), "part of its record"
  )
  expect_identical(
    guarantee(stated)$public_inputs[["survey weights"]],
    "w as exponents, not published, divided by 2.5"
  )
  own <- own_mean_clip()
  expect_identical(guarantee(own)$label, "asymptotic")
  expect_match(
    paste(guarantee(own)$reasons, collapse = " "), "one record changes"
  )
  # Neither the mean nor any other number of the file
  text <- guarantee(own, public = TRUE)$public_inputs[["survey weights"]]
  expect_no_match(text, "[0-9]")
  expect_identical(guarantee(strict(NULL))$label, "strict")
})

test_that("an edited number, mean or weight loses the label", {
  fit <- own_mean_clip()
  edits <- list(
    function(x) replace(x, "survey", list(NULL)),
    function(x) {
      x$survey$stated <- TRUE
      x
    },
    function(x) {
      x$spec$survey[1] <- 0
      x
    },
    function(x) {
      x$data$w[1] <- 100
      x
    }
  )
  for (edit in edits) {
    edited <- edit(fit)
    expect_identical(guarantee(edited)$label, "none")
    expect_error(update(edited), class = "pseudosynth_error_edited")
  }
})

test_that("update() keeps survey weights and refuses weights of other ones", {
  fit <- own_mean_fit()
  weights <- lipschitz_weights(fit)
  lw <- update(fit, privacy_weights = weights, seed = 2)
  expect_identical(lw$survey, fit$survey)
  expect_identical(lw$spec$survey, fit$spec$survey)
  other <- surveyed()
  other$w <- rev(other$w)
  expect_error(
    survey_fit(
      y ~ x, other, survey_weights = "w", privacy_weights = weights
    ),
    class = "pseudosynth_error_other_records"
  )
  final <- reweight(lw, k = 0.9, seed = 3)
  raised <- 0.9 * as.double(weights) * lw$bound$overall / lw$bound$record
  raised[as.double(weights) == 0] <- 0
  expect_equal(as.double(final$privacy_weights), pmin(1, raised))
})

test_that("prints say what survey weights are divided by, and no value", {
  own <- printed(own_mean_fit())
  expect_match(own, "Survey +w over its mean")
  expect_match(printed(survey_fit(survey_weights = c(w = 2))), "w over 2")
  expect_no_match(printed(survey_fit()), "Survey")
})

# Input ------------------------------------------------------------------------

test_that("odd survey weights are refused, naming the column and no value", {
  data <- surveyed()
  refused <- function(values, pattern, rows = NULL) {
    data$w <- values
    error <- expect_refused(
      survey_fit(data = data, survey_weights = "w"), pattern
    )
    expect_no_match(conditionMessage(error), "-77|123")
  }
  refused(replace(as.double(data$w), 3, NA), "\"w\"")
  refused(replace(data$w, 3, Inf), "\"w\"")
  refused(replace(data$w, 3, -77), "at least 0")
  refused(rep(0, 60), "not all 0")
  refused(as.character(data$w), "\"w\"")
  refused(factor(data$w), "\"w\"")
  refused(rep(TRUE, 60), "numbers")
})

test_that("what is no column and no named number is refused", {
  for (bad in list(
    1, c(1, 2), "nothing", c("w", "same"), NA_character_, c(w = 0), c(w = -1),
    c(w = NA), c(w = Inf), c(w = 1, same = 2), c(nothing = 2), list("w"), TRUE,
    surveyed()$w, y ~ w, "y", c(y = 2), character()
  )) {
    expect_error(
      survey_fit(survey_weights = bad), class = "pseudosynth_error_input"
    )
  }
})

test_that("mechanisms without a likelihood take no survey weights", {
  data <- surveyed()
  run <- function(mechanism, ...) {
    suppressMessages(pseudo_posterior(
      y ~ x, data, gaussian(), mechanism, ..., survey_weights = c(w = 2)
    ))
  }
  refused <- "takes no survey weights"
  expect_refused(run(
    "score", epsilon = 1, bounds = c(-5, 10),
    reference = list("(Intercept)" = 2, sigma = 1)
  ), refused)
  compared <- function(mechanisms, ...) {
    suppressMessages(compare(
      y ~ x, data, gaussian(), mechanisms = mechanisms, epsilon = 1, m = 1, ...,
      survey_weights = c(w = 2)
    ))
  }
  expect_refused(
    compared("perturbed_histogram", bounds = c(-5, 10)), refused
  )
  expect_refused(compared("topcode", top = 3), refused)
  expect_refused(score_release(
    y ~ x, data, gaussian(), 1, reference = list(sigma = 1),
    survey_weights = "w"
  ), "survey_weights")
})

test_that("strict mechanisms refuse a file's own mean before any fit", {
  for (name in c("censor_uw", "centred")) {
    expect_error(
      suppressMessages(pseudo_posterior(
        y ~ x, surveyed(), gaussian(), name, epsilon = 1,
        survey_weights = "w", bounds = c(-5, 10),
        reference = if (name == "centred") {
          list("(Intercept)" = 2, sigma = 1)
        }
      )),
      "public number", class = "pseudosynth_error_privacy"
    )
  }
})

test_that("jobs weight by the product, stage by stage", {
  job <- suppressMessages(pseudo_posterior(
    y ~ x, surveyed(), gaussian(), "lw", survey_weights = "w",
    prior = prior_normal(), chains = 2, warmup = 100, draws = 1000, seed = 1
  ))
  fits <- job$internal$fits
  for (fit in fits) {
    g <- naive_contributions(fit)
    alpha <- fit$privacy_weights %||% rep(1, 60)
    expect_equal(
      fit$bound$record, unname(apply(abs(g), 2, max)) * as.double(alpha)
    )
  }
  expect_identical(names(job$synthetic$sets[[1]]), c("y", "x"))
  expect_identical(guarantee(job)$label, "asymptotic")
})

test_that("two-stage weights read the product at the paid draw", {
  data <- surveyed()
  job <- suppressMessages(pseudo_posterior(
    y ~ x, data, gaussian(), mechanism("two_stage",
      weight_range = c(2, 6), reference = list("(Intercept)" = 2, sigma = 1)
    ), epsilon = 8, survey_weights = c(w = 2.5), bounds = c(-5, 10),
    prior = prior_normal(), chains = by_night(4, 2),
    warmup = by_night(1000, 500), draws = by_night(1000, 500), seed = 1,
    allow_unconverged = TRUE
  ))
  weights <- final_fit(job)$privacy_weights
  model <- attr(weights, "basis")$model
  draw <- model$draws[1, ]
  x <- (data$x - model$design$centre$x) / model$design$scale$x
  f <- dnorm(
    data$y, draw[["(Intercept)"]] + x * draw[["x"]], draw[["sigma"]],
    log = TRUE
  )
  delta <- abs(f) * data$w / 2.5
  expect_equal(as.double(weights), pmin(1, pmax(0, (6 - delta) / 4)))
  expect_identical(
    dependency_of(weights)$kind, "own record"
  )
})
