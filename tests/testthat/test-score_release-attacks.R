# What a release tells of one record, end to end: with the same seed two
# neighbouring files get the same noise, and what is left is their difference.

#' mu of a first step or of sums by level, as the release itself shows it
told <- function(one, other) {
  a <- one$steps[[1]]
  b <- other$steps[[1]]
  expect_identical(a$scale, b$scale)
  expect_identical(a$rho, b$rho)
  sums <- sum((a$sum - b$sum)^2) / a$noise^2
  share <- if (is.null(a$share)) 0 else ((a$share - b$share) / a$share_noise)^2
  sqrt(sums + share)
}

told_by_margin <- function(one, other) {
  strategy <- margin_strategy(length(one$margin$noisy), "gaussian")
  moved <- strategy %*% (one$margin$noisy - other$margin$noisy)
  sqrt(sum(moved^2)) / one$margin$scale
}

allowed <- function(part) {
  sqrt(2 * part$rho[["replace-one"]]) * (1 + 1e-9)
}

quiet_release <- function(...) {
  suppressMessages(suppressWarnings(
    score_release(..., epsilon = 1, seed = 9),
    classes = "pseudosynth_warning"
  ))
}

test_that("no record of any family moves a release by more than its label", {
  withr::local_seed(1)
  n <- 300
  data <- data.frame(
    a = factor(sample(letters[1:4], n, TRUE, c(0.6, 0.3, 0.09, 0.01))),
    x = c(stats::rnorm(n - 1), 40)
  )
  cases <- list(
    list(
      stats::rnorm(n), gaussian(), list(sigma = 1), c(-5, 5),
      c(-1e300, -3, 0, 3, 1e300)
    ),
    list(
      stats::rt(n, 3), student_t(3), list(sigma = 1), c(-5, 5),
      c(-1e300, -3, 0, 3, 1e300)
    ),
    list(stats::rbinom(n, 1, 0.3), bernoulli(), list("(Intercept)" = 0), NULL,
      0:1
    ),
    list(stats::rpois(n, 3), stats::poisson(), list("(Intercept)" = 1),
      c(0, 50), c(0, 1, 3, 9, 2^53)
    ),
    list(stats::rnbinom(n, 1, mu = 3), neg_binomial(),
      list("(Intercept)" = 1, size = 2), c(0, 50), c(0, 1, 3, 9, 2^53)
    ),
    list(stats::rbeta(n, 2, 3), beta_response(c(0, 1)), list(precision = 3),
      c(0, 1), c(1e-9, 0.3, 0.5, 1 - 1e-9)
    )
  )
  for (case in cases) {
    data$y <- case[[1]]
    # The far record, one of the rarest level, one of many
    for (i in c(n, which(data$a == "d")[1], 1)) {
      made <- lapply(case[[5]], function(y) {
        data$y[i] <- y
        quiet_release(y ~ a + x, data, case[[2]],
          reference = case[[3]], bounds = case[[4]],
          scaling = list(x = c(0, 1))
        )
      })
      for (k in seq_along(made)[-1]) {
        expect_lte(told(made[[1]], made[[k]]), allowed(made[[1]]$steps[[1]]))
        if (is.null(case[[4]])) next
        expect_lte(
          told_by_margin(made[[1]], made[[k]]), allowed(made[[1]]$margin)
        )
      }
    }
  }
  data$y <- factor(sample(c("u", "v", "w"), n, TRUE))
  for (i in c(n, 1)) {
    made <- lapply(c("u", "v", "w"), function(level) {
      data$y[i] <- level
      quiet_release(y ~ a + x, data, categorical(),
        scaling = list(x = c(0, 1)),
        response = public_response(levels = c("u", "v", "w"))
      )
    })
    for (k in 2:3) {
      expect_lte(told(made[[1]], made[[k]]), allowed(made[[1]]$steps[[1]]))
    }
  }
})

test_that("weights and scales come from published numbers alone", {
  ce <- ce_positive(200)
  one <- ce_release(ce, epsilon = 1, bounds = c(10, 2e6), seed = 1)
  ce$income <- rev(ce$income) * 3
  other <- ce_release(ce, epsilon = 1, bounds = c(10, 2e6), seed = 1)
  for (part in c("scale", "kappa", "noise", "clip", "rho", "share_noise")) {
    expect_identical(
      lapply(one$steps, `[[`, part), lapply(other$steps, `[[`, part)
    )
  }
  expect_identical(one$margin$breaks, other$margin$breaks)
  expect_identical(one$margin$scale, other$margin$scale)
  expect_identical(names(one), names(other))
  expect_identical(
    guarantee(one)$public_inputs, guarantee(other)$public_inputs
  )
})

test_that("records beyond the bounds are told to the agency alone", {
  ce <- ce_positive(300)
  ce$income <- pmax(ce$income, 100)
  ce$income[1:7] <- 3e6
  told <- NULL
  release <- withCallingHandlers(
    score_release(log(income) ~ age, ce,
      epsilon = 2, reference = score_reference, bounds = c(10, 2e6), seed = 1
    ),
    message = function(m) {
      told <<- conditionMessage(m)
      invokeRestart("muffleMessage")
    }
  )
  expect_match(told, "7 records lie outside")
  expect_match(told, "confidential")
  text <- paste(utils::capture.output(print(release), print(summary(release))),
    collapse = " "
  )
  expect_no_match(text, "outside")
  # They count as the bound itself does
  ce$income[1:7] <- 2e6
  at_bound <- score_release(log(income) ~ age, ce,
    epsilon = 2, reference = score_reference, bounds = c(10, 2e6), seed = 1
  )
  expect_identical(release$margin, at_bound$margin)
})

test_that("equal responses, empty levels and two records are served", {
  ce <- ce_positive(200)
  ce$income <- 5000
  levels(ce$education) <- c(levels(ce$education), "nobody's")
  release <- ce_release(ce, epsilon = 1, bounds = c(10, 2e6))
  expect_true(all(is.finite(vcov(release))))
  ce$education[1] <- "nobody's"
  release <- ce_release(ce, epsilon = 1)
  expect_true(all(is.finite(synthesize(release, 1, ce)[[1]]$income)))
  two <- ce_release(
    data.frame(income = c(100, 2e4), age = factor(1:2)),
    epsilon = 1
  )
  expect_identical(guarantee(two)$label, "strict")
  counts <- data.frame(y = rep(0, 50), x = 1:50)
  none <- quiet_release(y ~ x, counts, neg_binomial(),
    reference = list("(Intercept)" = 0, size = 1), bounds = c(0, 9),
    scaling = list(x = c(25, 15))
  )
  expect_true(all(synthesize(none, 1, counts)[[1]]$y %in% 0:9))
})

test_that("noise that drowns the margin is told of, too", {
  withr::local_seed(2)
  data <- data.frame(y = stats::rnorm(400))
  make <- function(epsilon, ...) {
    score_release(y ~ 1, data, gaussian(),
      epsilon = epsilon, reference = list(sigma = 1), ...
    )
  }
  expect_warning(
    make(0.5, bounds = c(-9, 9)), "margin's cumulative shares",
    class = "pseudosynth_warning_budget"
  )
  expect_no_warning(make(0.5))
  expect_no_warning(make(5, bounds = c(-9, 9)))
})
