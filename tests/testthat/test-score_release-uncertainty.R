# Sets whose differences are what a score release leaves unknown.

priced <- function(n = 1000) {
  g <- sample(c("a", "b"), n, TRUE)
  x <- rnorm(n)
  data.frame(y = exp(2 + 0.3 * (g == "b") + 0.2 * x + rnorm(n, 0, 0.5)), g, x)
}

price_release <- function(data, ..., bounds = c(0.4, 110), epsilon = 1) {
  suppressMessages(score_release(log(y) ~ g + x, data, gaussian(),
    epsilon = epsilon, reference = list("(Intercept)" = 2.2, sigma = 0.6),
    bounds = bounds, scaling = list(x = c(0, 1)), ...
  ))
}

small_price <- function() {
  remember("small price", {
    withr::local_seed(1)
    data <- priced(600)
    list(data = data, release = price_release(data, seed = 2))
  })
}

estimated <- function(set) {
  fit <- lm(log(y) ~ g + x, set)
  n <- nrow(set)
  above <- mean(set$y > 15)
  list(
    estimate = c(mean = mean(set$y), share = above, coef(fit)),
    variance = c(
      mean = var(set$y) / n, share = above * (1 - above) / n, diag(vcov(fit))
    )
  )
}

test_that("pooled intervals of 20 sets cover what the population has", {
  skip_unless_nightly()
  skip_on_cran()
  withr::local_seed(4)
  line <- 2 + c(0, 0.3)
  truth <- c(
    mean(exp(line + (0.5^2 + 0.2^2) / 2)),
    mean(pnorm((line - log(15)) / sqrt(0.5^2 + 0.2^2))), 2, 0.3, 0.2
  )
  files <- by_night(60, 15)
  found <- vapply(seq_len(files), function(i) {
    data <- priced()
    release <- price_release(data, seed = i)
    sets <- synthesize(release, 20, data, uncertainty = TRUE, seed = i)
    pooled <- as.data.frame(pool(with(sets, {
      estimated(data.frame(y = y, g = g, x = x))
    })))
    cbind(
      pooled$conf_low < truth & truth < pooled$conf_high,
      pooled$estimate - estimated(data)$estimate, pooled$between,
      pooled$conf_high - pooled$conf_low
    )
  }, matrix(0, 5, 4))
  # 300 intervals, whose share has a standard error of about .02
  expect_gt(mean(found[, 1, ]), by_night(0.91, 0.86))
  # What sets differ by is what the noise hides of the file
  hidden <- apply(found[, 2, ], 1, sd)
  between <- sqrt(rowMeans(found[, 3, ]))
  expect_gt(min(between / hidden), by_night(0.7, 0.5))
  expect_lt(max(between / hidden), by_night(1.5, 2))
  expect_true(all(abs(rowMeans(found[, 2, ])) < hidden))
})

test_that("pooled intervals cover beside tables, which they do not use", {
  skip_on_cran()
  withr::local_seed(5)
  truth <- exp(c(2, 2.3) + (0.5^2 + 0.2^2) / 2)
  groups <- function(data) {
    list(
      estimate = c(tapply(data$y, data$g, mean)),
      variance = c(tapply(data$y, data$g, stats::var)) / c(table(data$g))
    )
  }
  found <- vapply(seq_len(by_night(60, 15)), function(i) {
    data <- priced()
    release <- price_release(data, seed = i, epsilon = 4)
    stopifnot(!is.null(release$tables))
    sets <- synthesize(release, 10, data, uncertainty = TRUE, seed = i)
    pooled <- as.data.frame(pool(with(sets, {
      groups(data.frame(y = y, g = g))
    })))
    cbind(
      pooled$conf_low < truth & truth < pooled$conf_high,
      pooled$estimate - groups(data)$estimate, pooled$between
    )
  }, matrix(0, 2, 3))
  # Of 30 intervals 20 and more hold but for a chance below one in a million
  expect_gt(mean(found[, 1, ]), by_night(0.8, 0.64))
  off <- sqrt(rowMeans(found[, 2, ]^2) / rowMeans(found[, 3, ]))
  expect_lt(max(off), 2)
  expect_gt(min(off), 0.5)
})

test_that("the sums of a set are noise-free sums of the posterior", {
  price <- small_price()
  sums_by_step <- function(release, file) {
    step <- release$steps[[2]]
    function(y) {
      records <- list(predictors = design_codes(file$row, file$x), y = y)
      second <- measured_step(release, row_coding(file$x), 2)
      whole_sums(second, records)[[1]][-1] * step$geometry$unit *
        step$clip / 1024
    }
  }
  for (bounds in list(c(0.4, 110), NULL)) {
    release <- price_release(price$data, bounds = bounds, seed = 3)
    file <- published_rows(release$design, price$data)
    known <- known_sums(release, file)
    step <- known$step
    sums <- sums_by_step(release, file)
    # Public steps are those that were paid for: the file's own sums are the
    # released ones but for the noise
    expect_lt(
      max(abs(sums(log(price$data$y)) - step$sum)), 4 * step$noise
    )
    expect_true(all(diag(tcrossprod(known$root)) < step$noise^2))
  }
  withr::local_seed(1)
  p <- (sample(600) - 0.5) / 600
  target <- known$sum + drop(known$root %*% c(1, -1, 0.5))
  y <- with_sums(release, file, known, target, function(line) {
    line + 0.5 * qnorm(p)
  })
  expect_lt(max(abs(sums(y) - target)), 0.1 * step$noise)
})

test_that("the same seed gives the same sets, another seed others", {
  price <- small_price()
  draw <- function(...) {
    as.list(synthesize(price$release, 2, price$data, uncertainty = TRUE, ...))
  }
  expect_identical(draw(seed = 1), draw(seed = 1))
  one <- draw(seed = 1)
  expect_false(identical(one, draw(seed = 2)))
  expect_false(identical(sort(one[[1]]$y), sort(one[[2]]$y)))
  set.seed(5)
  state <- .Random.seed
  draw()
  expect_identical(.Random.seed, state)
  # The first of two sets is the only one of one
  alone <- synthesize(
    price$release, 1, price$data,
    uncertainty = TRUE, seed = 1
  )
  expect_identical(alone[[1]], one[[1]])
})

test_that("sets of either kind cost the same, and a ledger is asked the same", {
  price <- small_price()
  best <- synthesize(price$release, 3, price$data)
  drawn <- synthesize(price$release, 3, price$data, uncertainty = TRUE)
  paid <- guarantee(price$release)
  for (sets in list(best, drawn)) {
    label <- guarantee(sets)
    expect_identical(label$label, "strict")
    expect_identical(label$charges, paid$charges)
    expect_identical(label$epsilon$total, rev(paid$epsilon$total)[
      names(label$epsilon$total)
    ])
  }
  expect_identical(
    names(drawn[[1]]), names(best[[1]])
  )
})

test_that("pool() refuses best sets and names both ways out", {
  price <- small_price()
  best <- synthesize(price$release, 3, price$data, seed = 1)
  ways <- list(
    quote(pool(with(best, lm(log(y) ~ g + x)))), quote(pool(best)),
    quote(pool(best, function(set) lm(log(y) ~ g + x, set))),
    quote(pool(with(best, lm(y ~ 1)), rule = "rubin"))
  )
  for (way in ways) {
    error <- expect_error(eval(way), class = "pseudosynth_error_input")
    text <- gsub("\\s+", " ", conditionMessage(error))
    expect_match(text, "confint(release)", fixed = TRUE)
    expect_match(text, "uncertainty = TRUE", fixed = TRUE)
  }
  job <- suppressMessages(pseudo_posterior(log(y) ~ g + x, price$data,
    gaussian(),
    mechanism = "score", epsilon = 2, m = 2, bounds = c(0.4, 110),
    reference = list("(Intercept)" = 2.2, sigma = 0.6)
  ))
  expect_error(
    pool(with(job, lm(y ~ 1))), "uncertainty", class = "pseudosynth_error_input"
  )
  drawn <- synthesize(
    price$release, 3, price$data,
    uncertainty = TRUE, seed = 1
  )
  pooled <- pool(with(drawn, lm(log(y) ~ g + x)))
  expect_identical(pooled$rule, "rubin")
  expect_error(
    pool(with(drawn, lm(y ~ 1)), rule = "reiter"), "rubin",
    class = "pseudosynth_error_input"
  )
})

test_that("label, codebook and certificate say what the sets are for", {
  skip_if_not_installed("jsonlite")
  price <- small_price()
  free <- price_release(price$data)
  said <- list(
    c("in different rows", "do not combine"),
    c("leaves unknown", "imputation")
  )
  for (kind in 1:2) {
    sets <- synthesize(free, 2, price$data, uncertainty = kind == 2)
    folder <- withr::local_tempfile()
    release(sets, folder, data = price$data, public = "x")
    certificate <- paste(
      readLines(file.path(folder, "certificate.txt")),
      collapse = " "
    )
    certificate <- gsub("\\s+", " ", certificate)
    for (words in said[[kind]]) {
      expect_match(certificate, words, fixed = TRUE)
      expect_match(
        gsub("\\s+", " ", paste(capture.output(print(guarantee(sets))),
          collapse = " "
        )), words,
        fixed = TRUE
      )
    }
    codebook <- read.csv(file.path(folder, "codebook.csv"))
    expect_match(
      codebook$origin[codebook$variable == "y"],
      c("best-fitting values, in other rows", "drawn anew in each set")[kind]
    )
  }
})

test_that("families draw counts, shares and proportions with their sums", {
  withr::local_seed(6)
  n <- 1500
  x <- rnorm(n)
  cases <- list(
    list(
      y = rpois(n, exp(1 + 0.3 * x)), family = stats::poisson(),
      reference = list("(Intercept)" = 1), model = stats::poisson()
    ),
    list(
      y = rnbinom(n, size = 2, mu = exp(1 + 0.3 * x)), family = neg_binomial(),
      reference = list("(Intercept)" = 1, size = 2), bounds = c(0, 80),
      model = stats::quasipoisson()
    ),
    list(
      y = rbinom(n, 1, plogis(0.5 * x)), family = bernoulli(),
      reference = list("(Intercept)" = 0), model = stats::binomial()
    ),
    list(
      y = rbeta(n, 4 * plogis(0.3 * x), 4 * plogis(-0.3 * x)),
      family = beta_response(bounds = c(0, 1)),
      reference = list("(Intercept)" = 0, precision = 4),
      model = stats::quasibinomial()
    )
  )
  for (case in cases) {
    data <- data.frame(y = case$y, x)
    release <- suppressWarnings(suppressMessages(score_release(
      y ~ x, data, case$family,
      epsilon = 5, reference = case$reference, bounds = case$bounds, seed = 1
    )))
    sets <- synthesize(release, 5, data, uncertainty = TRUE, seed = 1)
    pooled <- pool(with(sets, glm(y ~ x, case$model)))
    plain <- coef(glm(y ~ x, case$model, data))
    expect_lt(
      abs(coef(pooled)[["x"]] - plain[["x"]]), 2 * pooled$table$std_error[2]
    )
    expect_equal(
      mean(vapply(as.list(sets), function(set) mean(set$y), 0)), mean(data$y),
      tolerance = 0.05
    )
  }
})

test_that("uncertainty is refused where it does not apply", {
  price <- small_price()
  histogram <- perturbed_histogram(
    log(y) ~ 1, price$data,
    bounds = c(0.4, 110), epsilon = 1
  )
  levels <- suppressWarnings(score_release(
    g ~ x, transform(price$data, g = factor(g)), categorical(),
    epsilon = 1, response = public_response(levels = c("a", "b"))
  ))
  refused <- list(
    list(unweighted_fit(), TRUE), list(histogram, TRUE),
    list(price$release, NA), list(price$release, 1),
    list(price$release, TRUE, price$data[1:100, ]),
    list(levels, TRUE, price$data)
  )
  for (one in refused) {
    expect_error(
      synthesize(one[[1]], 2, if (length(one) > 2) one[[3]],
        uncertainty = one[[2]]
      ),
      class = "pseudosynth_error_input"
    )
  }
  expect_error(
    synthesize(unweighted_fit(), 2, uncertainty = TRUE), "already differ",
    class = "pseudosynth_error_input"
  )
})
