# Offsets: what the linear predictor of each record starts from.

visits_file <- function(n = 400, seed = 1) {
  withr::with_seed(seed, {
    data <- data.frame(
      age = round(stats::rnorm(n, 50, 10)),
      group = sample(c("a", "b", "c"), n, TRUE),
      exposure = sample(c(0.5, 1, 2, 4, 7.5), n, TRUE)
    )
    rate <- exp(0.2 + 0.02 * (data$age - 50) + 0.3 * (data$group == "b"))
    data$visits <- stats::rpois(n, data$exposure * rate)
    data
  })
}

visits_fit <- function(formula = visits ~ age + group + offset(log(exposure)),
                       data = visits_file(), family = poisson(), ...,
                       prior = prior_normal(10), draws = 1000, seed = 1) {
  fit_synthesizer(
    formula, data, family,
    prior = prior, chains = 2, warmup = 300, draws = draws, seed = seed,
    threads = 1, ...
  )
}

test_that("a Poisson fit with a flat prior is glm()'s, by every sampler", {
  data <- visits_file(4000)
  truth <- glm(
    visits ~ scale(age) + group + offset(log(exposure)), poisson(), data
  )
  error <- sqrt(diag(vcov(truth)))
  for (sampler in c("surrogate", "nuts")) {
    fit <- visits_fit(
      data = data, prior = prior_normal(100),
      control = sampler_control(sampler)
    )
    expect_lt(max(abs(colMeans(fit$draws) - coef(truth)) / error), 0.2)
    expect_lt(max(abs(apply(fit$draws, 2, sd) / error - 1)), 0.1)
  }
})

test_that("families of one linear predictor fit what their offset says", {
  data <- visits_file(1000)
  data$start <- withr::with_seed(3, runif(1000, -2, 2))
  families <- list(
    gaussian = gaussian(), student_t = student_t(), poisson = poisson(),
    neg_binomial = neg_binomial(), bernoulli = bernoulli(),
    beta = beta_response(c(0, 1))
  )
  for (name in names(families)) {
    data$y <- withr::with_seed(
      4, family_response(name, 0.5 + data$start, if (name == "beta") 9 else 1)
    )
    fit <- visits_fit(y ~ offset(start), data, families[[name]])
    likeliest <- optim(c(0, 0), hessian = TRUE, function(at) {
      -sum(log_density(
        name, data$y, at[1] + data$start, extra_of(name, at[2])
      )) + if (ncol(fit$draws) == 1) at[2]^2 else 0
    }, method = "BFGS")
    error <- sqrt(solve(likeliest$hessian)[1, 1])
    b <- fit$draws[, 1]
    expect_lt(abs(mean(b) - likeliest$par[1]) / error, 0.2)
    expect_lt(abs(sd(b) / error - 1), 0.15)
  }
  data$y <- withr::with_seed(5, exp(rnorm(1000, 0.5 + data$start, 0.3)))
  fit <- visits_fit(log(y) ~ offset(start), data, gaussian())
  other <- visits_fit(y ~ offset(start), data, lognormal())
  expect_equal(fit$draws, other$draws, tolerance = 1e-10)
})

test_that("normal sums are of the response beside the offset", {
  data <- visits_file(60)
  data$start <- 1000 + 5 * seq_len(60)
  data$y <- withr::with_seed(6, data$start + rnorm(60, 2))
  data$rest <- data$y - data$start
  for (sampler in c("gibbs", "nuts", "surrogate")) {
    control <- sampler_control(sampler)
    fit <- visits_fit(
      y ~ group + offset(start), data, gaussian(),
      control = control
    )
    plain <- visits_fit(rest ~ group, data, gaussian(), control = control)
    for (name in colnames(fit$draws)) {
      expect_same_mean(fit$draws[, name], plain$draws[, name])
    }
    # The same chains but for rounding, which a trajectory of NUTS enlarges
    if (sampler != "nuts") {
      expect_equal(fit$draws, plain$draws, tolerance = 1e-6)
    }
  }
})

test_that("a posterior with an offset is that of a grid", {
  data <- data.frame(y = c(0, 2, 1, 7, 0, 3), t = c(0.2, 1, 0.7, 4, 0.1, 3))
  b <- seq(-5, 5, by = 0.001)
  for (clip in c(FALSE, TRUE)) {
    f <- outer(b, seq_along(data$y), function(b, i) {
      dpois(data$y[i], data$t[i] * exp(b), log = TRUE)
    })
    if (clip) f[] <- pmax(f, -2)
    p <- exp(rowSums(f) + dnorm(b, 0, 1, log = TRUE))
    mean <- sum(p * b) / sum(p)
    sd <- sqrt(sum(p * (b - mean)^2) / sum(p))
    for (sampler in c("surrogate", "nuts", "grid")) {
      fit <- fit_synthesizer(
        y ~ offset(log(t)), data, poisson(),
        prior = prior_normal(intercept = c(0, 1)), chains = 2, warmup = 500,
        draws = 5000, seed = 1, threads = 1,
        control = sampler_control(sampler),
        censor = if (clip) censor(lower = -2, upper = 0)
      )
      x <- matrix(fit$draws[, 1], ncol = 2)
      expect_lt(abs(mean(x) - mean) / posterior::mcse_mean(x), 4)
      expect_lt(abs(sd(x) - sd) / posterior::mcse_sd(x), 4)
    }
  }
})

test_that("log likelihoods and bounds are those of base R, ties included", {
  data <- visits_file(300)
  # Records that the exposure alone tells apart
  same <- c("age", "group", "visits")
  data[2:20, same] <- data[1, same]
  exposure <- log(data$exposure)
  for (family in list(poisson(), neg_binomial())) {
    fit <- visits_fit(data = data, family = family)
    x <- cbind(
      1, as.double(scale(data$age)), data$group == "b", data$group == "c"
    )
    eta <- fit$draws[, 1:4] %*% t(x) + rep(exposure, each = 2000)
    f <- vapply(seq_len(300), function(i) {
      if (ncol(fit$draws) == 4) {
        dpois(data$visits[i], exp(eta[, i]), log = TRUE)
      } else {
        dnbinom(
          data$visits[i],
          size = fit$draws[, 5], mu = exp(eta[, i]), log = TRUE
        )
      }
    }, numeric(2000))
    expect_equal(
      unname(unclass(log_lik(fit))), f,
      tolerance = 1e-10, ignore_attr = TRUE
    )
    expect_equal(lipschitz(fit)$record, apply(abs(f), 2, max))
  }
})

test_that("frozen weights see the exposure of new records", {
  data <- visits_file()
  rule <- freeze(lipschitz_weights(visits_fit(data = data)))
  before <- as.double(predict(rule, data))
  data$exposure[1] <- 1000 * data$exposure[1]
  after <- as.double(predict(rule, data))
  expect_identical(after[-1], before[-1])
  # So few visits for so long are far from what the fit expects
  expect_lt(after[1], before[1] / 2)
})

test_that("a constant offset moves the intercept and nothing else", {
  data <- visits_file()
  data$constant <- 3
  plain <- visits_fit(visits ~ age + group, data, prior = prior_normal(100))
  moved <- visits_fit(
    visits ~ age + group + offset(constant), data,
    prior = prior_normal(100)
  )
  shift <- colMeans(plain$draws) - colMeans(moved$draws)
  expect_equal(shift[["(Intercept)"]], 3, tolerance = 0.01)
  expect_lt(max(abs(shift[-1])), 0.02)
  expect_equal(
    apply(plain$draws, 2, sd), apply(moved$draws, 2, sd),
    tolerance = 0.1
  )
})

test_that("an offset of 0 is none, and offsets add up", {
  data <- visits_file()
  data$zero <- 0
  none <- visits_fit(visits ~ age + group, data)
  zero <- visits_fit(visits ~ age + group + offset(zero), data)
  expect_equal(none$draws, zero$draws, tolerance = 1e-10)
  parts <- visits_fit(
    visits ~ offset(log(exposure / 2)) + age + offset(I(0 * age + log(2))),
    data
  )
  whole <- visits_fit(visits ~ age + offset(log(exposure)), data)
  expect_equal(parts$draws, whole$draws, tolerance = 1e-8)
})

test_that("means of sets are in proportion to the exposure, in newdata too", {
  data <- visits_file(2000)
  fit <- visits_fit(visits ~ offset(log(exposure)), data)
  rate <- sum(data$visits) / sum(data$exposure)
  own <- synthesize(fit, m = 20, seed = 1)$sets
  for (value in unique(data$exposure)) {
    drawn <- unlist(lapply(own, function(set) {
      set$visits[set$exposure == value]
    }))
    expect_equal(mean(drawn), value * rate, tolerance = 0.05)
  }
  new <- data.frame(exposure = rep(c(0.1, 30, 1000), each = 500))
  sets <- synthesize(fit, m = 20, newdata = new, seed = 2)$sets
  drawn <- rowMeans(vapply(sets, function(set) as.double(set$visits), new[[1]]))
  expect_equal(
    as.double(tapply(drawn, new$exposure, mean)),
    rate * c(0.1, 30, 1000),
    tolerance = 0.05
  )
  expect_identical(sets[[1]]$exposure, new$exposure)
  seen <- posterior_predict(fit, newdata = new, draws = 500, seed = 3)
  expect_equal(mean(seen[, 1001:1500]), 1000 * rate, tolerance = 0.02)
  expect_error(
    synthesize(fit, newdata = data.frame(age = 1:3)), "exposure",
    class = "pseudosynth_error_input"
  )
  new$exposure[7] <- 0
  found <- expect_error(
    synthesize(fit, newdata = new), "exposure",
    class = "pseudosynth_error_input"
  )
  expect_identical(found$rows, 7L)
})

test_that("a margin of the file is not put on records of other exposures", {
  data <- visits_file(300)
  fit <- visits_fit(visits ~ offset(log(exposure)), data)
  margin <- perturbed_histogram(
    visits ~ offset(log(exposure)), data,
    bounds = c(0, 60), epsilon = 20, seed = 1
  )
  expect_silent(synthesize(fit, margin = margin, seed = 1))
  expect_silent(
    synthesize(fit, margin = margin, newdata = data[1:50, ], seed = 1)
  )
  data$exposure[4] <- 8
  found <- expect_error(
    synthesize(fit, margin = margin, newdata = data, seed = 1),
    "offsets within the file",
    class = "pseudosynth_error_input"
  )
  expect_identical(found$rows, 4L)
})

test_that("the exposure is published: in roles, labels and prints", {
  data <- visits_file()
  data$unused <- 1
  fit <- visits_fit(visits ~ offset(log(exposure)) + age, data)
  expect_identical(fit$design$variables, c("exposure", "age"))
  expect_identical(model_columns(fit), c("visits", "exposure", "age"))
  expect_match(
    paste(capture.output(print(fit)), collapse = " "), "offset(log(exposure))",
    fixed = TRUE
  )
  expect_output(print(fit$design), "offset(log(exposure))", fixed = TRUE)
  expect_setequal(
    names(synthesize(fit, seed = 1)$sets[[1]]), c("visits", "exposure", "age")
  )
})

test_that("a dot holds the exposure unless it is taken out", {
  data <- visits_file()
  both <- new_design(visits ~ . + offset(log(exposure)), data, "visits")
  expect_true("exposure" %in% both$columns)
  alone <- new_design(
    visits ~ . - exposure + offset(log(exposure)), data, "visits"
  )
  expect_false("exposure" %in% alone$columns)
  expect_true("exposure" %in% alone$variables)
  expect_equal(design_parts(alone, data)$offset, log(data$exposure))
})

test_that("an offset changes no column of the design", {
  data <- visits_file()
  pairs <- list(
    c(
      visits ~ poly(age, 2) * group + offset(log(exposure)),
      visits ~ poly(age, 2) * group
    ),
    c(
      visits ~ 0 + offset(log(exposure)) + group + age,
      visits ~ 0 + group + age
    )
  )
  for (pair in pairs) {
    design <- new_design(pair[[1]], data, "visits")
    plain <- new_design(pair[[2]], data, "visits")
    expect_identical(design$columns, plain$columns)
    parts <- design_parts(design, data)
    expect_equal(parts[names(parts) != "offset"], design_parts(plain, data))
    expect_equal(
      design_parts(design, data[5:9, ])$offset, log(data$exposure[5:9])
    )
  }
})

refused <- function(formula, pattern, data = visits_file(50),
                    family = poisson(), class = "pseudosynth_error_input") {
  expect_error(
    fit_synthesizer(formula, data, family, seed = 1), pattern,
    class = class
  )
}

test_that("an offset that is no finite number for each record is refused", {
  data <- visits_file(50)
  data$exposure[c(3, 8)] <- 0
  found <- refused(visits ~ age + offset(log(exposure)), "exposure", data)
  expect_identical(found$rows, c(3L, 8L))
  expect_match(conditionMessage(found), "2 of 50")
  data$exposure[3] <- NA
  refused(visits ~ age + offset(log(exposure)), "exposure", data)
  refused(visits ~ offset(group), "must be one number")
  data <- visits_file(50)
  data$group <- factor(data$group)
  refused(visits ~ offset(group), "must be one number", data)
  refused(visits ~ offset(exposure > 1), "must be one number")
  refused(visits ~ offset(log(group)), "computable")
  refused(visits ~ offset(2), "must be one number")
  data$exposure <- cbind(data$exposure, data$exposure)
  refused(visits ~ offset(log(exposure)), "exposure", data)
})

test_that("an offset that is not of the record alone is refused", {
  for (formula in list(
    visits ~ offset(scale(exposure)), visits ~ offset(rank(exposure)),
    visits ~ offset(poly(exposure, 2)), visits ~ offset(base::rank(exposure)),
    visits ~ offset(as.integer(cut(exposure, 3)))
  )) {
    refused(formula, "each record alone")
  }
})

test_that("an offset anywhere but as a term of its own is refused", {
  for (formula in list(
    visits ~ age - offset(exposure), visits ~ age * offset(exposure),
    visits ~ age:offset(exposure), visits ~ I(offset(exposure)),
    visits ~ log(offset(exposure)), visits ~ stats::offset(exposure) + age,
    visits ~ (age + offset(exposure))^2, visits ~ offset(offset(exposure))
  )) {
    refused(formula, "offset")
  }
  refused(visits ~ offset(exposure) + age + offset(exposure), "twice")
  data <- visits_file(50)
  names(data)[3] <- "offset"
  design <- new_design(visits ~ log(offset) + offset(offset), data, "visits")
  expect_equal(design_parts(design, data)$offset, data$offset)
  expect_true("log(offset)" %in% design$columns)
})

test_that("an offset that tells the response is refused", {
  refused(visits ~ age + offset(log(visits)), "both sides")
  refused(visits ~ offset(nothing), "no column")
  data <- visits_file(200)
  # Two columns of which neither tells it
  data$noise <- withr::with_seed(2, rnorm(200, sd = 100))
  data$sum <- data$visits + data$noise
  fit <- visits_fit(visits ~ offset((sum - noise) / 10), data, draws = 600)
  expect_error(
    synthesize(fit, seed = 1, allow_unconverged = TRUE),
    class = "pseudosynth_error_copied_response"
  )
  data$copy <- data$visits + 0.5
  fit <- visits_fit(visits ~ offset(log(copy)), data)
  expect_error(
    synthesize(fit, seed = 1),
    class = "pseudosynth_error_copied_response"
  )
})

test_that("several linear predictors and score releases take no offset", {
  refused(
    group ~ age + offset(log(exposure)), "several linear",
    family = categorical()
  )
  refused(
    age ~ group + offset(log(exposure)), "poisson",
    family = normal_mixture(2)
  )
  expect_error(
    score_release(
      visits ~ age + offset(log(exposure)), visits_file(50), poisson(),
      epsilon = 1, reference = list("(Intercept)" = 0)
    ),
    "score release supports none",
    class = "pseudosynth_error_input"
  )
  expect_error(
    pseudo_posterior(
      visits ~ age + offset(log(exposure)), visits_file(50), poisson(),
      mechanism = "score", epsilon = 1, reference = list("(Intercept)" = 0)
    ),
    "score release supports none",
    class = "pseudosynth_error_input"
  )
  spec <- core_spec(1:4, K = 2)
  spec$offset <- c(0, 1, 2, 3)
  expect_error(log_lik_(spec, random_draws(spec, 8)), "one linear predictor")
})

test_that("a seal, a reference and a checkpoint notice another exposure", {
  data <- visits_file()
  fit <- visits_fit(data = data)
  edited <- fit
  edited$spec$offset[1] <- 9
  expect_false(is_sealed(edited))

  plain <- visits_fit(visits ~ age + group, visits_file(seed = 2))
  expect_error(
    visits_fit(censor = censor(2, reference = plain, window = 4)),
    "other predictors",
    class = "pseudosynth_error_input"
  )

  folder <- new_folder()
  job <- function(data, formula = visits ~ offset(log(exposure))) {
    suppressMessages(pseudo_posterior(
      formula, data, poisson(),
      mechanism = "censor_uw", epsilon = 2, prior = prior_normal(),
      chains = 2, warmup = 200, draws = 1000, seed = 1, threads = 1,
      checkpoint = folder
    ))
  }
  first <- job(data)
  expect_identical(suppressMessages(resume(folder))$synthetic, first$synthetic)
  other <- data
  other$exposure[1] <- other$exposure[1] + 1
  expect_error(job(other), class = "pseudosynth_error_checkpoint")
  expect_error(
    job(data, visits ~ offset(log(2 * exposure))),
    class = "pseudosynth_error_checkpoint"
  )
})

test_that("a clipped job with an offset is strict and passes its audit", {
  data <- visits_file(40)
  job <- suppressMessages(pseudo_posterior(
    visits ~ offset(log(exposure)), data, poisson(),
    mechanism = "censor_uw", epsilon = 1,
    prior = prior_normal(intercept = c(0, 2)), chains = 4, warmup = 300,
    draws = 2000, seed = 1, threads = 1
  ))
  expect_identical(guarantee(job)$label, "strict")
  audit <- audit_guarantee(job, cells = 4000, replacements = 8)
  worst <- audit$worst
  one <- worst[worst$neighbours == "add-remove", ]
  expect_lte(one$loss, 1 + 1e-9)
  expect_gt(one$loss, 0.2)
  # Clones but for their exposure are other records
  expect_gt(nrow(audit$losses), 5)
})

test_that("a grid looks where rates lie when exposures are far from 1", {
  spec <- core_spec(c(3, 5, 4), family = "poisson")
  spec$offset <- rep(20, 3)
  range <- grid_range(spec, character())
  expect_lt(range[1, 1], -20 - 10)
  expect_gt(range[2, 1], -10)
  keys <- function(spec) {
    spec$y[] <- 4
    keys_of_records(records_of_spec(spec))
  }
  expect_identical(anyDuplicated(keys(spec)), 2L)
  spec$offset <- 1:3
  expect_identical(anyDuplicated(keys(spec)), 0L)
  expect_identical(record_types(list(spec))$type[[1]], 1:3)
})

test_that("remarks see the response beside the offset", {
  data <- visits_file()
  data$start <- 1e5 + seq_along(data$age)
  data$y <- withr::with_seed(1, data$start + rnorm(400))
  fit <- visits_fit(y ~ age + offset(start), data, gaussian())
  expect_false(any(grepl("another unit", fit$remarks)))
})
