test_that("a release states what was asked, under either relation", {
  ce <- ce_positive()
  for (neighbours in c("add-remove", "replace")) {
    for (epsilon in c(0.3, 1, 4)) {
      for (delta in c(1e-9, 1e-6)) {
        release <- ce_release(ce,
          epsilon = epsilon, delta = delta, neighbours = neighbours,
          bounds = c(10, 2e6)
        )
        label <- guarantee(release)
        expect_identical(label$label, "strict")
        total <- label$epsilon$total[[
          neighbours
        ]]
        expect_lte(total, epsilon)
        expect_gt(total, 0.995 * epsilon)
        expect_identical(label$epsilon$delta, delta)
        parts <- 3L + !is.null(release$tables)
        expect_identical(nrow(label$charges), parts)
      }
    }
  }
  pure <- guarantee(ce_release(ce, epsilon = 2, delta = 0))
  expect_identical(pure$label, "strict")
  expect_identical(pure$epsilon$delta, 0)
  expect_lte(pure$epsilon$total[["add-remove"]], 2)
  expect_gt(pure$epsilon$total[["add-remove"]], 1.99)
})

test_that("no label speaks of a sampler", {
  ce <- ce_positive(200)
  release <- ce_release(ce, epsilon = 1)
  for (label in list(
    guarantee(release),
    guarantee(synthesize(release, 2, ce, bounds = c(1, 2e6)))
  )) {
    text <- gsub("\\s+", " ", paste(capture.output(print(label)),
      collapse = " "
    ))
    expect_no_match(text, "sampler|chain|certified")
    expect_no_match(text, "released draw")
    expect_match(text, "exact discrete Gaussian noise")
  }
})

test_that("sets cost nothing more, however many and how often", {
  ce <- ce_positive(200)
  release <- ce_release(ce, epsilon = 1, bounds = c(10, 2e6))
  total <- guarantee(release)$epsilon$total
  one <- guarantee(synthesize(release, 1, ce))
  five <- guarantee(synthesize(release, 5, ce))
  expect_identical(one$epsilon$total, total)
  expect_identical(five$epsilon$total, total)
  # The same charges: paid once
  both <- join_charges(one$charges, five$charges)
  expect_equal(total_charges(both, 1e-6)$epsilon[names(total)], total)
  expect_false(identical(
    synthesize(release, 1, ce)[[1]], synthesize(release, 1, ce)[[1]]
  ))
})

test_that("records are whole vectors within the sensitivity", {
  withr::local_seed(3)
  x <- cbind(1, matrix(stats::rnorm(300), 100), rep(0:1, c(99, 1)))
  file <- plain_rows(x)
  codes <- design_codes(file$row, file$x)
  for (spread in c(0.5, 1, 3)) {
    for (noise in c("gaussian", "laplace")) {
      norm <- function(v) {
        if (noise == "laplace") sum(abs(v)) else sqrt(sum(v^2))
      }
      geometry <- score_geometry(
        file, rep(1, 100), diag(5), spread, noise = noise
      )
      step <- list(
        coding = row_coding(file$x), family = student_t(3), shape = 1,
        b = numeric(5), clip = 1, geometry = geometry
      )
      m <- step_measurement("", 5, step)
      z <- own_vectors(
        design_codes(1:100, file$x), step$coding, rep(1, 100), geometry
      )
      expect_true(all(z == floor(z)))
      lengths <- apply(z, 1, norm)
      expect_lte(max(lengths), longest_vector(5, noise))
      expect_gt(max(lengths), 0.999 * longest_vector(5, noise))
      expect_equal(
        z * geometry$unit, geometry$weight * (file$x %*% geometry$whiten),
        tolerance = 0.01
      )
      sensitivity <- m$bound(noise)
      # Any record, any two responses, none among them
      scores <- c(-Inf, -1, -0.9999999, 0, 0.3, 0.9999999, 1, 1e300)
      sums <- function(i, score) {
        all <- rep(0.2, 100)
        all[i] <- score
        whole_sums(m, list(predictors = codes, y = all))[[1]]
      }
      for (i in c(1, 50, 100)) {
        made <- lapply(scores, function(score) sums(i, score))
        none <- sums(i, NA)
        expect_true(all(vapply(made, function(a) norm(a - none), 0) <=
          sensitivity[["add-remove"]]))
        expect_true(all(vapply(made, function(a) {
          max(vapply(made, function(b) norm(a - b), 0))
        }, 0) <= sensitivity[["replace"]]))
      }
    }
  }
})

test_that("margins move by their sensitivity and no more", {
  for (noise in c("gaussian", "laplace")) {
    strategy <- margin_strategy(12, noise)
    expect_true(all(strategy == floor(strategy)))
    sensitivity <- margin_sensitivity(strategy, noise)
    norm <- function(v) if (noise == "laplace") sum(abs(v)) else sqrt(sum(v^2))
    sums <- lapply(c(-5, 0:11 + 0.5, 99), function(z) {
      margin_sums(bin_counts(c(z, 3.3, 4.4), 0:12), strategy)
    })
    none <- margin_sums(bin_counts(c(3.3, 4.4), 0:12), strategy)
    moved <- vapply(sums, function(a) norm(a - none), 0)
    expect_equal(max(moved), sensitivity[["add-remove"]])
    pairs <- unlist(lapply(sums, function(a) {
      vapply(sums, function(b) norm(a - b), 0)
    }))
    expect_equal(max(pairs), sensitivity[["replace"]])
  }
  # The counts come back
  strategy <- margin_strategy(12, "gaussian")
  z <- rep(0:11 + 0.5, 1:12)
  counts <- bin_counts(z, 0:12)
  expect_equal(solve(strategy, margin_sums(counts, strategy)), as.double(1:12))
})

test_that("without noise to speak of the fit is that of the file", {
  withr::local_seed(4)
  n <- 4000
  data <- data.frame(
    a = factor(sample(letters[1:3], n, TRUE)), x = stats::rnorm(n)
  )
  eta <- 0.4 + 0.5 * (data$a == "b") - 0.3 * (data$a == "c") + 0.3 * data$x
  cases <- list(
    list(
      gaussian(), eta + 0.7 * stats::rnorm(n),
      list("(Intercept)" = 0, sigma = 1), stats::gaussian(), 1.5
    ),
    list(
      bernoulli(), stats::rbinom(n, 1, stats::plogis(eta)),
      list("(Intercept)" = 0), stats::binomial(), 6
    ),
    list(
      poisson(), stats::rpois(n, exp(eta)), list("(Intercept)" = 0),
      stats::poisson(), 6
    ),
    list(
      neg_binomial(), stats::rnbinom(n, 2, mu = exp(eta)),
      list("(Intercept)" = 0, size = 3), NULL, 6
    ),
    list(
      beta_response(c(0, 1)),
      stats::rbeta(n, 6 * stats::plogis(eta), 6 * stats::plogis(-eta)),
      list("(Intercept)" = 0, precision = 9), stats::quasibinomial(), 6
    )
  )
  for (case in cases) {
    data$y <- case[[2]]
    # Beyond the budgets that score_release() takes
    settings <- score_settings(
      case[[3]], 1e-5, NULL, 40, c(6, case[[5]]), c(0.3, 0.12, 0.58), 5
    )
    release <- release_scores(
      new_model(
        y ~ a + x, data, check_score_family(case[[1]]),
        centred_prior(settings$reference), NULL,
        list(x = c(0, 1))
      ),
      settings, 400, "add-remove", 1
    )
    truth <- if (is.null(case[[4]])) {
      # Size 2: its score is the Poisson one under these weights
      data$w <- 1
      for (i in 1:20) {
        fit <- stats::glm(y ~ a + x, stats::quasipoisson(), data, w)
        data$w <- 1 / (1 + stats::fitted(fit) / 2)
      }
      fit
    } else {
      stats::glm(y ~ a + x, case[[4]], data)
    }
    # Next to nothing is clipped, all weights are equal: the file's estimate
    expect_lt(
      max(abs(coef(release) - coef(truth)) / sqrt(diag(vcov(truth)))), 0.3
    )
    expect_equal(
      sqrt(diag(vcov(release))), sqrt(diag(vcov(truth))),
      tolerance = 0.15
    )
  }
})

test_that("expected scores are those of drawn responses", {
  withr::local_seed(5)
  at <- c(-0.5, 0.4, 1.2)
  eta <- c(-0.3, 0.3, 1)
  cases <- list(
    list(gaussian_family(), 0.8), list(student_t(3), 0.8),
    list(bernoulli(), NULL), list(as_synth_family(poisson()), NULL),
    list(neg_binomial(), 1.5), list(beta_response(c(0, 1)), 6)
  )
  for (case in cases) {
    family <- case[[1]]
    shape <- case[[2]]
    # The public shape is another one
    frame <- c(
      score_frame(family, at, if (!is.null(shape)) 2 * shape),
      clip = 0.9
    )
    expected <- expected_scores(family, frame, shape)(eta)
    above <- expected_scores(family, frame, shape)(eta + 1e-4)
    n <- 4e5
    for (r in 1:3) {
      mean <- family_mean(family, eta[r])
      y <- switch(family$likelihood,
        gaussian = eta[r] + shape * stats::rnorm(n),
        student_t = eta[r] + shape * stats::rt(n, 3),
        bernoulli = stats::rbinom(n, 1, mean),
        poisson = stats::rpois(n, mean),
        neg_binomial = stats::rnbinom(n, shape, mu = mean),
        beta = stats::rbeta(n, mean * shape, (1 - mean) * shape)
      )
      one <- rows_of(frame, r)
      u <- clamp(score_of(y, one), -0.9, 0.9)
      expect_lt(abs(mean(u) - expected$mean[r]), 5 * stats::sd(u) / sqrt(n))
      if (is.null(shape)) next
      # The share that counts gives the shape back
      counted <- score_of(y, one) > counted_above(family, one, 0.9) &
        score_of(y, one) < 0.9
      found <- shape_of_share(
        family, mean(counted), 1e-4, one, eta[r], 1.3 * shape
      )
      expect_equal(found$value, shape, tolerance = 0.1)
      # Ten times the noise, ten times the error
      wide <- shape_of_share(
        family, mean(counted), 1e-3, one, eta[r], 1.3 * shape
      )
      expect_equal(wide$error, 10 * found$error, tolerance = 0.1)
    }
    expect_equal(
      (above$mean - expected$mean) / 1e-4, expected$slope,
      tolerance = 0.02
    )
  }
})

test_that("what is not known of the shape is in the coefficients", {
  withr::local_seed(12)
  n <- 2000
  x <- cbind(1, stats::rnorm(n))
  file <- plain_rows(x)
  family <- student_t(3)
  y <- drop(x %*% c(0.6, 0.5)) + stats::rt(n, 3)
  prior <- list(location = c(0, 0), scale = c(3, 1), slopes = 2)
  budget <- list(noise = "gaussian", neighbours = "add-remove", amount = 1)
  # Far from where the scores are taken: what they should be rests on the shape
  file$codes <- design_codes(seq_along(file$count), file$x)
  like <- list(
    what = "", n = n, family = family, shape = 1, prior = prior, spread = 1,
    rounds = 3, coding = row_coding(file$x)
  )
  step <- noisy_step(
    c(file, list(whole = whole_of_records(y, file$row))), file, like,
    c(0.1, 0.2), 0.8, budget, 4, NULL
  )
  fit <- function(shape, start, near = NULL) {
    score_posterior(
      family, file, list(step), start, prior$location, prior$scale, shape, near
    )
  }
  stated <- fit(1, c(0.6, 0.5))
  wide <- with_shape_error(
    list(stated = stated, shrunk = stated), family, file, list(step)
  )
  mode <- function(shape) {
    fit(NULL, stated$mean, list(shape = shape))$mean
  }
  moved <- (mode(stated$shape * 1.02) - mode(stated$shape / 1.02)) /
    (2 * log(1.02))
  for (one in wide) {
    expect_equal(
      one$covariance - stated$covariance,
      stated$shape_error^2 * tcrossprod(moved),
      tolerance = 0.15
    )
  }
  expect_gt(abs(moved[1]), 0.05)
  expect_gt(stated$shape_error, 0.01)
})

test_that("intervals cover, for the noise is in them", {
  skip_on_cran()
  withr::local_seed(6)
  truth <- c(10.3, 0.3, -0.5, 0.25)
  covered <- replicate(by_night(150, 30), {
    n <- 1500
    data <- data.frame(
      a = factor(sample(letters[1:3], n, TRUE)), x = stats::rnorm(n)
    )
    data$y <- drop(stats::model.matrix(~ a + x, data) %*% truth) +
      0.6 * stats::rt(n, 3)
    release <- score_release(y ~ a + x, data, student_t(3),
      epsilon = 0.7, reference = score_reference,
      scaling = list(x = c(0, 1)), seed = sample(1e6, 1)
    )
    ends <- confint(release)
    ends[, 1] <= truth & truth <= ends[, 2]
  })
  # 600 intervals, four from a file: 95% within three standard errors
  expect_gt(mean(covered), by_night(0.91, 0.87))
  expect_lt(mean(covered), by_night(0.985, 1))
})

test_that("a margin shapes the values and relations stay", {
  ce <- ce_positive(3000)
  release <- ce_release(ce, epsilon = 8, bounds = c(10, 2e6), seed = 1)
  found <- utility(synthesize(release, 3, ce, seed = 1), ce,
    groups = c("earner", "education"), regression = log(income) ~ .
  )
  expect_lt(mean(found$table$ecdf_max), 0.03)
  expect_lt(mean(found$table$groups), 0.1)
  expect_lt(
    abs(mean(found$table$r_squared) - found$models$r_squared_file[1]), 0.06
  )
})

test_that("a count's margin is whole numbers, with its zeros and its tail", {
  withr::local_seed(8)
  n <- 4000
  data <- data.frame(a = factor(sample(letters[1:3], n, TRUE)))
  mean <- exp(1 + 0.6 * (data$a == "b"))
  # More zeros and a longer tail than the families have
  data$y <- stats::rpois(n, mean * stats::rgamma(n, 0.8, 0.8)) *
    stats::rbinom(n, 1, 0.8)
  for (family in list(stats::poisson(), neg_binomial())) {
    reference <- list("(Intercept)" = 1)
    if (inherits(family, "synth_family")) reference$size <- 2
    # The narrower one is warned of
    release <- suppressWarnings(score_release(y ~ a, data, family,
      epsilon = 4, reference = reference, bounds = c(0, 200), seed = 1
    ), classes = "pseudosynth_warning_family")
    breaks <- release$margin$breaks
    expect_true(all(breaks == floor(breaks) + 0.5))
    expect_true(all(diff(breaks) > 0))
    expect_identical(range(breaks), c(-0.5, 200.5))
    # The bin of 0 is as wide as those beside it
    bins <- ggplot2::layer_data(autoplot(release, "margin"))
    expect_identical(bins$xmin[1], -0.5)
    set <- synthesize(release, 1, data)[[1]]
    expect_type(set$y, "double")
    expect_true(all(set$y == floor(set$y) & set$y >= 0))
    expect_lt(abs(mean(set$y == 0) - mean(data$y == 0)), 0.02)
    expect_lt(max(abs(
      stats::quantile(set$y, c(0.9, 0.99)) /
        stats::quantile(data$y, c(0.9, 0.99)) - 1
    )), 0.2)
    # The relation stays, of the family that knows such tails
    if (is.null(reference$size)) next
    ratio <- function(d) mean(d$y[d$a == "b"]) / mean(d$y[d$a == "a"])
    expect_lt(abs(log(ratio(set) / ratio(data))), 0.3)
  }
})

test_that("a proportion's margin lies within its bounds", {
  withr::local_seed(9)
  n <- 3000
  data <- data.frame(a = rep(0:1, n / 2))
  data$y <- 50 + 100 * stats::rbeta(n, 2 + 2 * data$a, 4)
  make <- function(bounds) {
    score_release(y ~ a, data, beta_response(c(50, 150)),
      epsilon = 4, reference = list("(Intercept)" = 0, precision = 4),
      bounds = bounds, scaling = list(a = c(0, 1)), seed = 4
    )
  }
  set <- synthesize(make(c(50, 150)), 1, data, seed = 1)[[1]]
  expect_true(all(set$y > 50 & set$y < 150))
  expect_lt(abs(diff(tapply(set$y, set$a, mean)) -
    diff(tapply(data$y, data$a, mean))), 2)
  error <- expect_error(make(c(40, 150)), class = "pseudosynth_error_input")
  expect_identical(error$arg, "bounds")
})

test_that("a release holds nothing of the file, and draws without it", {
  ce <- ce_positive(400)
  release <- ce_release(ce, epsilon = 1, bounds = c(10, 2e6))
  path <- withr::local_tempfile()
  saveRDS(release, path)
  # Not a byte per record
  expect_lt(file.size(path), 3e4)
  again <- readRDS(path)
  numbers <- unlist(rapply(
    unclass(again), function(x) as.double(x),
    classes = c("numeric", "integer"), how = "unlist"
  ))
  once <- setdiff(ce$income, ce$income[duplicated(ce$income)])
  secret <- once[once > 1000]
  expect_gt(length(secret), 100)
  expect_length(intersect(numbers, c(secret, log(secret))), 0)
  predictors <- ce[c("age", "education", "earner")]
  made <- synthesize(again, 2, predictors[1:50, ])
  expect_identical(made$n_records, 50L)
  expect_identical(guarantee(made)$label, "strict")
  # Decimals of the file are not read
  expect_false(any(made[[1]]$income == floor(made[[1]]$income)))
})

test_that("an edited release claims nothing, whatever was changed", {
  ce <- ce_positive(200)
  release <- ce_release(ce, epsilon = 1, bounds = c(10, 2e6))
  edits <- list(
    function(x) {
      x$steps[[2]]$sum[1] <- 0
      x
    },
    function(x) {
      x$charges$rho_replace <- 0
      x
    },
    function(x) {
      x$delta <- 0.5
      x
    },
    function(x) {
      x$margin$noisy[3] <- 1e6
      x
    },
    function(x) {
      x$reproducible <- TRUE
      x
    }
  )
  for (edit in edits) {
    label <- guarantee(edit(release))
    expect_identical(label$label, "none")
    expect_identical(nrow(label$charges), 0L)
    expect_identical(
      guarantee(synthesize(edit(release), 1, ce))$label, "none"
    )
  }
  path <- withr::local_tempfile()
  saveRDS(release, path)
  expect_identical(guarantee(readRDS(path)), guarantee(release))
})

test_that("labels read from the file are no strict release", {
  data <- data.frame(
    y = factor(rep(c("no", "yes"), 50)), x = rep(1:5, each = 20)
  )
  make <- function(...) {
    suppressWarnings(score_release(y ~ x, data, bernoulli(),
      epsilon = 1, reference = list("(Intercept)" = 0), ...
    ), classes = "pseudosynth_warning_budget")
  }
  expect_error(make(), class = "pseudosynth_error_unstated")
  stated <- make(response = public_response(levels = c("no", "yes")))
  expect_identical(guarantee(stated)$label, "strict")
  set <- synthesize(stated, 1, data)[[1]]
  expect_identical(levels(set$y), c("no", "yes"))
})

test_that("with a seed a release is the same, and not for release", {
  ce <- ce_positive(200)
  one <- ce_release(ce, epsilon = 1, seed = 5)
  expect_identical(one, ce_release(ce, epsilon = 1, seed = 5))
  expect_true(guarantee(one)$reproducible)
  other <- ce_release(ce, epsilon = 1, seed = 6)
  expect_false(identical(one$steps, other$steps))
  plain <- ce_release(ce, epsilon = 1)
  expect_false(guarantee(plain)$reproducible)
  set <- synthesize(plain, 1, ce, seed = 1, bounds = c(1, 2e6))
  expect_true(guarantee(set)$reproducible)
})

test_that("designs without full rank and without predictors are served", {
  withr::local_seed(7)
  data <- data.frame(
    y = stats::rnorm(300), a = factor(rep(c("u", "v", "w"), 100)),
    x = stats::rnorm(300)
  )
  data$same <- 2 * data$x
  data$b <- data$a
  make <- function(formula) {
    suppressWarnings(score_release(formula, data, gaussian(),
      epsilon = 2, reference = list(sigma = 1), bounds = c(-9, 9)
    ), classes = "pseudosynth_warning_budget")
  }
  for (formula in list(y ~ 1, y ~ 0 + a, y ~ a + b, y ~ x + same, y ~ a * x)) {
    release <- make(formula)
    expect_true(all(is.finite(coef(release))))
    expect_true(all(eigen(vcov(release))$values > 0))
    expect_true(all(is.finite(synthesize(release, 1, data)[[1]]$y)))
  }
})

test_that("what cannot be used is refused by name", {
  ce <- ce_positive(100)
  refuse <- function(arg, ..., reference = score_reference, data = ce,
                     formula = log(income) ~ age, epsilon = 1) {
    error <- expect_error(
      suppressMessages(score_release(formula, data, ...,
        reference = reference, epsilon = epsilon
      )),
      class = "pseudosynth_error_input"
    )
    expect_identical(error$arg, arg)
  }
  for (epsilon in list(0, -1, "a", NA_real_, Inf)) {
    refuse("epsilon", epsilon = epsilon)
  }
  refuse("epsilon", epsilon = 1e-6)
  for (delta in list(1, -1e-6, 2, "a", NaN)) refuse("delta", delta = delta)
  refuse("reference", reference = NULL)
  refuse("reference", reference = list("(Intercept)" = 1))
  refuse("reference", reference = list(sigma = 1, slope = 2))
  refuse("reference", reference = list(sigma = 1, sigma = 2))
  refuse("reference", reference = list(sigma = 1e-300))
  refuse("reference", reference = list(sigma = 1e300))
  refuse("family", family = normal_mixture())
  refuse("prior", prior = prior_hierarchical())
  refuse("clip", clip = c(1, 0))
  refuse("clip", clip = 1)
  refuse("shares", shares = c(1, 1))
  refuse("spread", spread = 0)
  refuse("bounds", bounds = range(ce$income))
  refuse("bounds", bounds = c(2, 1))
  refuse("bounds",
    bounds = c(-1, 5), formula = education ~ 1,
    data = data.frame(education = 0:9, age = 1), family = poisson(),
    reference = list("(Intercept)" = 1)
  )
  refuse("neighbours", neighbours = "both")
  ce$income[3] <- NaN
  refuse("data", data = ce)
  ce$income[3] <- Inf
  refuse("data", data = ce)
  ce$income[3] <- 100
  refuse("data", data = ce[1, ])
  ce$copy <- 2 * ce$income
  expect_error(
    score_release(log(income) ~ copy, ce,
      epsilon = 1, reference = score_reference
    ),
    class = "pseudosynth_error_copied_response"
  )
  release <- ce_release(epsilon = 1)
  expect_error(synthesize(release), class = "pseudosynth_error_input")
  expect_error(
    synthesize(release, 1, data.frame(age = 1)),
    class = "pseudosynth_error_input"
  )
  expect_error(confint(release, "nobody"), class = "pseudosynth_error_input")
})

test_that("a delta above 1/N and a drowning noise are told of", {
  ce <- ce_positive(300)
  expect_warning(
    score_release(log(income) ~ earner, ce,
      epsilon = 3, delta = 0.01, reference = score_reference
    ),
    class = "pseudosynth_warning_delta"
  )
  expect_warning(
    score_release(log(income) ~ ., ce,
      epsilon = 0.02, reference = score_reference
    ),
    class = "pseudosynth_warning_budget"
  )
})

test_that("it prints, sums up and writes itself", {
  ce <- ce_positive(300)
  release <- ce_release(ce, epsilon = 2, bounds = c(10, 2e6))
  expect_output(print(release), "at no")
  expect_length(format(release), 1)
  table <- summary(release)$table
  expect_identical(rownames(table), names(coef(release)))
  expect_output(print(summary(release)), "noise of the release")
  expect_equal(
    confint(release, 2, 0.9)[1, 2],
    coef(release)[[2]] + stats::qnorm(0.95) * sqrt(vcov(release)[2, 2])
  )
  for (type in c("coefficients", "margin")) {
    expect_s3_class(autoplot(release, type), "ggplot")
  }
  expect_error(
    autoplot(ce_release(ce, epsilon = 1), "margin"),
    class = "pseudosynth_error_input"
  )
  skip_if_not_installed("jsonlite")
  read <- jsonlite::fromJSON(to_json(release))
  expect_identical(read$guarantee$label, "strict")
  expect_equal(read$steps$scale, vapply(release$steps, `[[`, 0, "scale"))
})

test_that("a job of the mechanism is a release with its sets", {
  ce <- ce_positive(400)
  job <- suppressMessages(pseudo_posterior(log(income) ~ ., ce, student_t(3),
    mechanism = "score", epsilon = 2, m = 3, delta = 1e-7,
    reference = score_reference, bounds = c(10, 2e6), bins = 30
  ))
  release <- job$internal$fits$score
  expect_s3_class(release, "score_release")
  expect_length(release$margin$noisy, 30)
  label <- guarantee(job)
  expect_identical(label$epsilon, guarantee(release)$epsilon)
  expect_identical(label$epsilon$delta, 1e-7)
  expect_identical(guarantee(job$synthetic)$label, "strict")
  expect_output(print(summary(job)), "score")
  expect_s3_class(autoplot(job), "ggplot")
  expect_s3_class(autoplot(job, "density"), "ggplot")
  expect_error(autoplot(job, "weights"), class = "pseudosynth_error_input")
  audit <- audit_guarantee(job, replicates = 0)
  expect_true(all(audit$worst$exact <= audit$worst$claimed))
  # More sets than a fit has draws are no matter
  many <- suppressMessages(pseudo_posterior(
    log(income) ~ earner, ce, student_t(3),
    mechanism = "score", epsilon = 2, m = 60, reference = score_reference,
    bounds = c(10, 2e6), chains = 1, draws = 10
  ))
  expect_length(many$synthetic$sets, 60)
  expect_error(
    pseudo_posterior(log(income) ~ earner, ce, student_t(3),
      mechanism = "score", epsilon = 2, reference = score_reference,
      bins = c(10, 100, 2e6)
    ),
    class = "pseudosynth_error_input"
  )
  # Numbers need a reference, which levels do without
  error <- expect_error(
    pseudo_posterior(log(income) ~ earner, ce, student_t(3),
      mechanism = mechanism("score"), epsilon = 2
    ),
    class = "pseudosynth_error_input"
  )
  expect_identical(error$arg, "reference")
})

test_that("a level that no record has is not in what is released", {
  data <- ce_positive()
  levels(data$earner) <- c(levels(data$earner), "PLANTEDLEVEL")
  release <- ce_release(data, epsilon = 1)
  expect_false(holds_value(release, "PLANTEDLEVEL"))
  job <- suppressMessages(pseudo_posterior(log(income) ~ age + earner, data,
    student_t(),
    mechanism = "score", epsilon = 1,
    reference = score_reference, bounds = c(10, 2e6)
  ))
  expect_false(holds_value(job$internal$fits[[1]], "PLANTEDLEVEL"))
  # Sets are published with all levels of their factors
  expect_true("PLANTEDLEVEL" %in% levels(job$synthetic[[1]]$earner))
})

test_that("a reference that is far off is made up for, or said to be too far", {
  withr::local_seed(1)
  n <- 4000
  group <- factor(rep(c("a", "b"), n / 2))
  make <- function(y, family, ...) {
    score_release(y ~ group, data.frame(y, group), family,
      epsilon = 2, reference = list(...), seed = 1
    )
  }
  for (mean in c(0, 1.5, 2, 3)) {
    far <- expect_no_warning(make(rnorm(n, mean), gaussian(),
      "(Intercept)" = 0, sigma = 1
    ))
    error <- (coef(far)[1] - mean) / sqrt(vcov(far)[1, 1])
    expect_lt(abs(error), 4)
    expect_lt(abs(far$steps[[2]]$b[[1]] - mean), 0.3)
    expect_lt(sqrt(vcov(far)[1, 1]), 0.05)
  }
  # A public scale that is far off
  for (sigma in c(0.3, 4)) {
    wide <- make(rnorm(n, 1, sigma), gaussian(), "(Intercept)" = 0, sigma = 1)
    expect_lt(abs(coef(wide)[1] - 1) / sqrt(vcov(wide)[1, 1]), 4)
    expect_equal(wide$shape[["sigma"]], sigma, tolerance = 0.15)
  }
  counts <- make(rnbinom(n, mu = 20, size = 2), neg_binomial(),
    "(Intercept)" = 1, size = 1
  )
  expect_lt(abs(coef(counts)[1] - log(20)) / sqrt(vcov(counts)[1, 1]), 4)
  # Clipped nearly all: nothing says how far beyond
  expect_warning(
    beyond <- make(rpois(n, 60), poisson(), "(Intercept)" = 1),
    class = "pseudosynth_warning_reference"
  )
  expect_warning(confint(beyond), class = "pseudosynth_warning_reference")
  expect_output(print(beyond), "too far from the file")
})

test_that("what is charged beforehand is what the steps have", {
  data <- spread_file(400)
  for (delta in c(0, 1e-6)) {
    for (neighbours in relation_names) {
      release <- suppressWarnings(score_release(y ~ ., data, student_t(3),
        epsilon = 1, delta = delta, neighbours = neighbours,
        reference = list("(Intercept)" = 2, sigma = 1)
      ))
      spent <- lapply(release$steps, function(step) {
        if (delta == 0) step$epsilon else step$rho
      })
      charged <- release$charges[c("add_remove", "replace")]
      if (delta > 0) {
        charged <- release$charges[c("rho_add_remove", "rho_replace")]
      }
      expect_equal(unname(do.call(rbind, spent)), unname(as.matrix(charged)))
    }
  }
})

test_that("bounds of counts hold two whole numbers or more", {
  data <- withr::with_seed(1, data.frame(x = rnorm(200), y = rpois(200, 2)))
  release <- function(bounds) {
    suppressWarnings(suppressMessages(score_release(
      y ~ x, data, poisson(),
      epsilon = 3, reference = list("(Intercept)" = 0.5), bounds = bounds
    )))
  }
  for (bounds in list(c(0.2, 0.9), c(0.2, 1.9))) {
    error <- expect_error(release(bounds), class = "pseudosynth_error_input")
    expect_identical(error$arg, "bounds")
  }
  # Bins and values lie within what was stated
  made <- release(c(0.2, 3.9))
  expect_identical(made$margin$breaks, c(0.5, 1.5, 2.5, 3.5))
  expect_true(all(synthesize(made, 1, newdata = data)[[1]]$y %in% 1:3))
})

test_that("a coefficient of which no row tells keeps its prior", {
  data <- withr::with_seed(1, data.frame(
    a = factor(sample(c("p", "q"), 300, TRUE)),
    b = factor(sample(c("u", "v"), 300, TRUE))
  ))
  data$b[data$a == "q"] <- "u"
  data$y <- 10 + 2 * (data$a == "q") + (data$b == "v")
  # Whatever is stated of it as a reference
  release <- score_release(
    y ~ a * b, data, gaussian(), epsilon = 3, bounds = c(-5, 30), seed = 1,
    reference = list("(Intercept)" = 10, "aq:bv" = 3, sigma = 2)
  )
  expect_identical(release$coefficients[["aq:bv"]], 0)
  expect_identical(release$draws$mean[["aq:bv"]], 0)
  expect_identical(unname(release$covariance["aq:bv", 1:3]), c(0, 0, 0))
  expect_gt(release$covariance["aq:bv", "aq:bv"], 0)
})

test_that("columns that are alike are released under a prior of any width", {
  data <- withr::with_seed(3, data.frame(
    y = stats::rlnorm(300, 3), x = round(stats::rnorm(300), 2)
  ))
  data$twice <- 2 * data$x
  for (scale in c(1, 1e8, 1e20)) {
    release <- suppressWarnings(score_release(
      log(y) ~ x + twice, data, epsilon = 8, seed = 1,
      prior = prior_normal(scale = scale),
      reference = list("(Intercept)" = 3, sigma = 1)
    ))
    expect_true(all(is.finite(coef(release))))
  }
})

test_that("fewer rows than slopes tell the same in fewer directions", {
  data <- withr::with_seed(2, data.frame(
    sex = sample(c("f", "m"), 40, TRUE), x1 = round(rnorm(40), 2),
    x2 = round(rnorm(40), 2), x3 = round(rnorm(40), 2)
  ))
  stated <- lapply(data[-1], function(x) {
    list(type = "amount", lower = -6, upper = 6, digits = 2)
  })
  book <- confirm_codebook(do.call(
    edit_codebook, c(list(draft_codebook(data)), stated)
  ))
  plan <- file_plan(data, book)
  made <- function() {
    suppressMessages(suppressWarnings(file_release(plan, 5, seed = 3)))
  }
  turned <- made()$amounts$x3
  all <- told_directions
  rows <- cbind(1, diag(4)[1:3, ], 0)
  prior <- list(location = numeric(6), scale = c(2, rep(1, 5)), slopes = 2:6)
  found <- all(rows, prior)
  expect_identical(found$seen, 1:4)
  local_replaced("told_directions", function(x, prior) {
    all(x, prior)[c("columns", "seen")]
  })
  plain <- made()$amounts$x3
  for (part in c("coefficients", "covariance", "draws", "file")) {
    expect_equal(turned[[part]], plain[[part]], tolerance = 1e-3)
  }
  # Rows with more slopes than there are rows
  wide <- withr::with_seed(1, cbind(1, matrix(rnorm(12), 3)))
  prior <- list(location = numeric(5), scale = c(2, rep(1, 4)), slopes = 2:5)
  by <- all(wide, prior)$by
  expect_equal(dim(by), c(5, 4))
  expect_equal(crossprod(by), diag(4))
  expect_equal(wide %*% tcrossprod(by), wide)
  prior$scale[5] <- 2
  expect_null(all(wide, prior)$by)
})
