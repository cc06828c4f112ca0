# Three levels along a number and a factor
levels_file <- function(n = 3000) {
  data <- data.frame(
    x = stats::rnorm(n), g = factor(sample(c("m", "f"), n, TRUE))
  )
  eta <- cbind(
    0, 0.5 + 0.8 * data$x - 0.4 * (data$g == "m"),
    -0.5 - 0.4 * data$x + 0.6 * (data$g == "m")
  )
  gumbel <- -log(-log(matrix(stats::runif(3 * n), n)))
  data$y <- factor(c("low", "mid", "top")[max.col(eta + gumbel)])
  data
}
levels_truth <- c(0.5, -0.4, 0.8, -0.5, 0.6, -0.4)

levels_release <- function(data, epsilon, ...) {
  data$g <- factor(data$g, c("f", "m"))
  suppressWarnings(
    score_release(y ~ g + x, data, categorical(),
      epsilon = epsilon, scaling = list(x = c(0, 1)),
      response = public_response(levels = c("low", "mid", "top")), ...
    ),
    classes = "pseudosynth_warning_budget"
  )
}

test_that("levels' sums move by their sensitivity and no more", {
  withr::local_seed(1)
  x <- cbind(1, matrix(stats::rnorm(200), 100))
  z <- levels_geometry(plain_rows(x), list(scale = rep(1, 3)), 1)$z
  y <- sample(0:3, 100, TRUE)
  for (noise in c("gaussian", "laplace")) {
    norm <- function(v) if (noise == "laplace") sum(abs(v)) else sqrt(sum(v^2))
    sensitivity <- levels_sensitivity(z, noise)
    moved <- vapply(seq_len(100), function(i) {
      made <- lapply(c(NA, 0:3, 7), function(level) {
        y[i] <- level
        levels_sums(list(row = seq_len(100), level = y), 4, z)
      })
      pairs <- utils::combn(5, 2)
      c(
        norm(made[[1]] - made[[3]]), norm(made[[1]] - made[[6]]),
        max(apply(pairs, 2, function(p) norm(made[[p[1]]] - made[[p[2]]])))
      )
    }, numeric(3))
    expect_equal(max(moved[1, ]), sensitivity[["add-remove"]])
    # A level that there is not counts nowhere
    expect_identical(max(moved[2, ]), 0)
    expect_equal(max(moved[3, ]), sensitivity[["replace"]])
  }
})

test_that("with little noise the fit is that of the file", {
  withr::local_seed(2)
  data <- levels_file(6000)
  release <- levels_release(data, 10, spread = 5, seed = 1)
  b <- coef(release)
  expect_identical(names(b)[c(1, 6)], c("mid:(Intercept)", "top:x"))
  # The likelihood's slope is 0 at the maximum: within a tenth of a standard
  # error of it by one step of Newton's
  x <- cbind(1, data$g == "m", data$x)
  p <- level_shares(x, b)
  score <- crossprod(x, outer(as.character(data$y), c("mid", "top"), `==`) -
    p[, -1])
  step <- vcov(release) %*% as.vector(score)
  expect_lt(max(abs(step) / sqrt(diag(vcov(release)))), 0.35)
})

test_that("a rare level is known as well as its records tell", {
  withr::local_seed(9)
  data <- levels_file(4000)
  # Of those that would be top one in thirteen is left
  some <- data$y == "top" & stats::runif(4000) > 1 / 13
  data$y[some] <- "low"
  release <- levels_release(data, 10, seed = 1)
  x <- cbind(1, data$g == "m", data$x)
  information <- levels_cross(
    x, x, rep(1, 4000), level_shares(x, coef(release))
  )[-(1:3), -(1:3)]
  alone <- sqrt(diag(solve(information)))
  # The release's own weights and noise are in its errors, too
  expect_lt(max(sqrt(diag(vcov(release))) / alone), 1.25)
})

test_that("intervals of levels' coefficients cover", {
  skip_on_cran()
  withr::local_seed(3)
  covered <- vapply(seq_len(by_night(100, 20)), function(i) {
    ends <- confint(levels_release(levels_file(1500), 0.7, seed = i))
    ends[, 1] <= levels_truth & levels_truth <= ends[, 2]
  }, logical(6))
  expect_gt(mean(covered), by_night(0.91, 0.87))
  expect_lt(mean(covered), by_night(0.985, 1))
})

test_that("sets keep levels and their relations, and cost nothing more", {
  local_fixed_chance()
  withr::local_seed(4)
  data <- levels_file()
  release <- levels_release(data, 2)
  label <- guarantee(release)
  expect_identical(label$label, "strict")
  expect_lte(label$epsilon$total[["add-remove"]], 2)
  expect_gt(label$epsilon$total[["add-remove"]], 1.98)
  sets <- synthesize(release, 3, data[c("x", "g")])
  expect_identical(guarantee(sets)$epsilon, label$epsilon)
  for (set in sets$sets) {
    expect_identical(levels(set$y), c("low", "mid", "top"))
    expect_lt(
      max(abs(prop.table(table(set$g, set$y)) -
        prop.table(table(data$g, data$y)))), 0.03
    )
  }
  expect_named(summary(sets)$table, c("set", "low", "mid", "top"))
  expect_identical(autoplot(release)$labels$title, "Coefficients of y")
  expect_match(format(release), "^score release of y, categorical")
  for (figure in list(autoplot(release), autoplot(sets))) {
    expect_s3_class(figure, "ggplot")
  }
  expect_output(print(release), "noisy sums by level")
  expect_output(print(label), "in the block of its level")
  again <- levels_release(data, 2, seed = 3)
  expect_identical(again, levels_release(data, 2, seed = 3))
  expect_identical(
    synthesize(again, 1, data, seed = 1), synthesize(again, 1, data, seed = 1)
  )
  skip_if_not_installed("jsonlite")
  read <- jsonlite::fromJSON(to_json(release))
  expect_identical(read$guarantee$label, "strict")
})

test_that("the audit finds what levels' sums claim", {
  withr::local_seed(5)
  data <- levels_file(500)
  for (delta in c(1e-6, 0)) {
    worst <- audit_guarantee(
      levels_release(data, 1, delta = delta), data,
      replicates = 2e4, seed = 1
    )$worst
    expect_true(all(worst$exact <= worst$claimed * (1 + 1e-12)))
    expect_true(all(worst$exact >= 0.95 * worst$claimed))
    if (delta > 0) expect_true(all(worst$found <= worst$claimed))
  }
})

test_that("labels that were read from the file are refused", {
  withr::local_seed(6)
  data <- levels_file(300)
  error <- expect_error(
    score_release(y ~ x, data, categorical(), epsilon = 1),
    class = "pseudosynth_error_unstated"
  )
  expect_match(
    conditionMessage(error), "response = public_response(levels = c(...))",
    fixed = TRUE
  )
  # A stated level that no record has
  more <- suppressWarnings(score_release(y ~ x, data, categorical(),
    epsilon = 1,
    response = public_response(levels = c("low", "mid", "top", "none"))
  ), classes = "pseudosynth_warning_budget")
  expect_identical(guarantee(more)$label, "strict")
  expect_true(all(is.finite(vcov(more))))
})

test_that("what levels cannot use is refused by name", {
  withr::local_seed(7)
  data <- levels_file(100)
  levels <- public_response(levels = c("low", "mid", "top"))
  refuse <- function(arg, ..., formula = y ~ x, response = levels) {
    error <- expect_error(
      score_release(
        formula, data, categorical(),
        epsilon = 1, response = response, ...
      ),
      class = "pseudosynth_error_input"
    )
    expect_identical(error$arg, arg)
  }
  refuse("reference", reference = list("(Intercept)" = 1))
  refuse("clip", clip = c(1, 1))
  refuse("bounds", bounds = c(0, 1))
  refuse("data", response = public_response(levels = c("low", "mid")))
  refuse("data", formula = x ~ g, response = NULL)
  refuse("formula", formula = log(y) ~ x)
  refuse("response", response = public_response(digits = 0))
  expect_error(public_response(levels = c("a", "a")),
    class = "pseudosynth_error_input"
  )
  expect_error(
    score_release(g ~ x, data, bernoulli(),
      epsilon = 1, reference = list("(Intercept)" = 0),
      response = public_response(levels = c("m", "f", "n"))
    ),
    class = "pseudosynth_error_input"
  )
  job <- function(...) {
    pseudo_posterior(y ~ x, data, categorical(),
      mechanism = mechanism("score", ...), epsilon = 1, seed = 1,
      response = levels
    )
  }
  for (settings in list(
    list(reference = list("(Intercept)" = 0)), list(clip = c(1, 1))
  )) {
    error <- expect_error(do.call(job, settings),
      class = "pseudosynth_error_input"
    )
    expect_match(conditionMessage(error), "does not apply to `categorical()`",
      fixed = TRUE
    )
  }
})

test_that("a job of levels is their release with its sets", {
  withr::local_seed(8)
  data <- levels_file(400)
  job <- suppressMessages(pseudo_posterior(
    y ~ x + g, data, categorical(),
    mechanism = "score",
    epsilon = 2, m = 2, response = public_response(
      levels = c("low", "mid", "top")
    ), scaling = list(x = c(0, 1))
  ))
  expect_match(format(guarantee(job)), "^strict")
  release <- levels_release(data, 2)
  expect_identical(
    dimnames(final_fit(job)$steps[[1]]$sum), dimnames(release$steps[[1]]$sum)
  )
  expect_equal(
    guarantee(job)$epsilon[["add-remove"]],
    guarantee(release)$epsilon[["add-remove"]]
  )
  expect_identical(levels(job$synthetic[[1]]$y), c("low", "mid", "top"))
})
