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
  sqrt(2 * part$rho[["replace"]]) * (1 + 1e-9)
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
    for (i in by_night(c(n, which(data$a == "d")[1], 1), n)) {
      values <- case[[5]]
      # By day the ends and one between
      ends <- unique(values[c(1, (length(values) + 1) %/% 2, length(values))])
      made <- lapply(by_night(values, ends), function(y) {
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
  for (i in by_night(c(n, 1), n)) {
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
    epsilon = 2, reference = score_reference, bounds = c(10, 2e6), seed = 1,
    response = public_response(confirmed = 2e6)
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
  set <- synthesize(release, 1, ce, bounds = c(1, 2e6))[[1]]
  expect_true(all(is.finite(set$income)))
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

test_that("sets for a part of the file do not get the margin of the whole", {
  withr::local_seed(3)
  n <- 4000
  data <- data.frame(a = factor(rep(c("u", "v"), n / 2)), x = stats::rnorm(n))
  line <- 1 + 2 * (data$a == "v") + 0.3 * data$x
  share <- stats::plogis(line / 2)
  cases <- list(
    list(gaussian(), line + stats::rnorm(n), c(-9, 12), list(sigma = 1)),
    list(student_t(3), line + stats::rt(n, 3), c(-99, 99), list(sigma = 1)),
    list(neg_binomial(), stats::rnbinom(n, 3, mu = exp(line / 2)), c(0, 200),
      list("(Intercept)" = 1, size = 2)
    ),
    list(beta_response(c(0, 1)),
      stats::rbeta(n, 6 * share, 6 * (1 - share)),
      c(0, 1), list("(Intercept)" = 1, precision = 5)
    )
  )
  part <- data[data$a == "u", ][1:900, ]
  for (case in by_night(cases, cases[2:3])) {
    data$y <- case[[2]]
    release <- score_release(y ~ a + x, data, case[[1]],
      epsilon = 8, reference = case[[4]], bounds = case[[3]],
      scaling = list(x = c(0, 1)), seed = 1
    )
    drawn <- synthesize(release, 1, part, seed = 1)[[1]]$y
    own <- data$y[data$a == "u"]
    # The whole's is 0.3 to 0.7 higher
    far <- mean(drawn, trim = 0.05) - mean(own, trim = 0.05)
    expect_lt(abs(far) / stats::sd(own), 0.15)
    expect_lt(max(abs(
      stats::ecdf(drawn)(own) - stats::ecdf(own)(own)
    )), 0.08)
    # One record is drawn, too: it does not get the margin's median
    one <- vapply(seq_len(by_night(20, 8)), function(seed) {
      synthesize(release, 1, part[1, ], seed = seed)[[1]]$y
    }, 0)
    expect_gt(length(unique(one)), 2)
    # The file's own predictors, in another order, have the margin itself
    again <- synthesize(release, 1, data[rev(seq_len(n)), ], seed = 1)[[1]]$y
    same <- synthesize(release, 1, data, seed = 2)[[1]]$y
    expect_identical(sort(again), sort(same))
  }
})

test_that("a response in large units is not pressed onto its reference", {
  withr::local_seed(4)
  n <- 2000
  data <- data.frame(a = factor(rep(c("u", "v"), n / 2)), x = stats::rnorm(n))
  data$copy <- data$x
  data$y <- 5e4 + 2e4 * (data$a == "v") + 1e4 * data$x + 3e4 * stats::rnorm(n)
  scaling <- list(x = c(0, 1), copy = c(0, 1))
  crude <- list("(Intercept)" = 4e4, sigma = 4e4)
  release <- score_release(y ~ a + x, data, gaussian(),
    epsilon = 4, reference = crude, scaling = scaling["x"], seed = 1
  )
  expect_lt(max(
    abs(coef(release) - c(5e4, 2e4, 1e4)) / sqrt(diag(vcov(release)))
  ), 4)
  expect_lt(max(sqrt(diag(vcov(release)))), 4000)
  expect_identical(release$prior, prior_normal(4e4, c(4e4, 1e5)))
  # Columns without full rank stay solvable, and the audit makes the same sums
  twice <- score_release(y ~ a + x + copy, data, gaussian(),
    epsilon = 4, reference = crude, scaling = scaling, seed = 1
  )
  expect_true(all(is.finite(vcov(twice))))
  worst <- audit_guarantee(release, data, replicates = 0)$worst
  expect_true(all(worst$exact <= worst$claimed))
  expect_true(all(worst$exact >= 0.95 * worst$claimed))
  job <- suppressMessages(pseudo_posterior(y ~ a + x, data, gaussian(),
    mechanism = "score", epsilon = 4, reference = crude, scaling = scaling["x"]
  ))
  expect_identical(final_fit(job)$prior, release$prior)
})

test_that("no delta and no number of columns makes a release cost more", {
  withr::local_seed(5)
  n <- 300
  data <- data.frame(
    y = stats::rnorm(n),
    g = factor(rep_len(sprintf("level %d", seq_len(by_night(100, 50))), n))
  )
  for (neighbours in c("add-remove", "replace")) {
    for (delta in by_night(c(1e-30, 1e-15, 1e-9), 1e-30)) {
      for (epsilon in c(1, 10)) {
        release <- suppressWarnings(score_release(y ~ g, data, gaussian(),
          epsilon = epsilon, delta = delta, neighbours = neighbours,
          reference = list(sigma = 1), bounds = c(-9, 9)
        ), classes = "pseudosynth_warning")
        total <- guarantee(release)$epsilon$total[[neighbours]]
        expect_lte(total, epsilon)
        expect_gt(total, 0.97 * epsilon)
      }
    }
  }
})

test_that("a job of equal responses runs, as its neighbour does", {
  data <- data.frame(y = rep(2, 60), a = factor(rep(c("u", "v"), 30)))
  job <- suppressWarnings(suppressMessages(pseudo_posterior(y ~ a, data,
    gaussian(),
    mechanism = "score", epsilon = 1, reference = list(sigma = 1),
    bounds = c(-9, 9), m = 2
  )), classes = "pseudosynth_warning")
  expect_identical(guarantee(job)$label, "strict")
  text <- utils::capture.output(print(summary(job)))
  expect_match(text, "Spent once for all sets", all = FALSE)
  expect_no_match(text, "parameter draw")
})

test_that("a delta of 0 is 0, whole or not", {
  data <- data.frame(y = 1:50 / 50)
  release <- suppressWarnings(score_release(y ~ 1, data, gaussian(),
    epsilon = 1, delta = 0L, reference = list(sigma = 1)
  ), classes = "pseudosynth_warning")
  expect_identical(guarantee(release)$epsilon$delta, 0)
})

test_that("attributes, classes and environments of arguments stay behind", {
  data <- data.frame(k = rep(1:5, 60), n = rep(0:2, 100))
  data$y <- withr::with_seed(1, rnorm(300, 10))
  data$y[7] <- 123.4567
  box <- list2env(list(secret = data$y))
  noted <- function(x) structure(x, note = data$y, box = box)
  extra <- function(x) {
    class <- class(x)
    x <- c(unclass(x), list(note = data$y, box = box))
    noted(structure(x, class = c(class, "sly")))
  }
  holds <- function(x) {
    text <- rawToChar(serialize(x, NULL, ascii = TRUE))
    grepl("123.4567", text, fixed = TRUE)
  }
  made <- suppressMessages(score_release(
    y ~ k, data, extra(student_t(noted(4))),
    epsilon = noted(5), delta = noted(1e-6), neighbours = noted("replace"),
    reference = list("(Intercept)" = noted(10), sigma = noted(1)),
    bounds = noted(c(5, 15)), bins = noted(30L),
    prior = extra(prior_normal(noted(1), noted(c(10, 3)))),
    clip = noted(c(1.5, 0.8)), shares = noted(c(0.3, 0.1, 0.6)),
    spread = noted(1), response = extra(public_response(digits = noted(2))),
    scaling = list(k = noted(c(3, 1)))
  ))
  expect_identical(guarantee(made)$label, "strict")
  expect_false(holds(made))
  histogram <- perturbed_histogram(y ~ 1, data,
    bins = noted(c(0, 5, 10, 20)), epsilon = noted(1),
    neighbours = noted("replace"), response = extra(public_response(noted(2)))
  )
  expect_false(holds(histogram))
})

test_that("a seal is over all of a release", {
  data <- data.frame(k = rep(1:5, 60))
  data$y <- withr::with_seed(1, rnorm(300, 10))
  power <- 2
  made <- score_release(y ~ I(k^power), data,
    epsilon = 5, reference = list("(Intercept)" = 10, sigma = 1)
  )
  expect_identical(guarantee(made)$label, "strict")
  file <- withr::local_tempfile()
  saveRDS(made, file)
  expect_identical(guarantee(readRDS(file))$label, "strict")
  for (edit in list(
    function(x) structure(x, note = data$y),
    function(x) structure(x, class = c("score_release", "noisy_release")),
    function(x) {
      attr(x$design$terms, "note") <- data$y
      x
    },
    function(x) {
      attr(x$family, "note") <- data$y
      x
    },
    function(x) {
      assign("note", data$y, environment(x$design$terms))
      x
    },
    function(x) {
      assign("power", 3, environment(x$design$terms))
      x
    },
    # Where a function was written, hung on what is none
    function(x) {
      attr(x$prior, "srcfile") <- data$y
      x
    },
    function(x) {
      attr(x$design$terms, "srcref") <- data$y
      x
    },
    function(x) {
      home <- environment(x$design$terms)
      attr(home, "note") <- data$y
      x
    }
  )) {
    # A copy of its own: environments are shared
    saveRDS(made, file)
    expect_identical(guarantee(edit(readRDS(file)))$label, "none")
  }
})
