test_that("sets keep columns, order, type and number of records", {
  fit <- lw_fit()
  syn <- synthesize(fit, m = 3, seed = 1)
  data <- privacy_data()
  expect_length(syn$sets, 3)
  # Published rows are in another order: the same one in all sets
  expect_false(identical(as.character(syn[[1]]$age), as.character(data$age)))
  expect_identical(syn[[1]]$age, syn[[2]]$age)
  for (set in in_file_order(syn$sets, data, "income")) {
    expect_named(set, c("income", "age", "earner"))
    expect_type(set$income, "integer")
    expect_identical(attr(set, "row.names"), 1:150)
    expect_identical(as.character(set$age), as.character(data$age))
    expect_identical(as.character(set$earner), as.character(data$earner))
    expect_true(all(set$income > 0))
  }
  expect_false(identical(syn$sets[[1]], syn$sets[[2]]))
})

test_that("the same seed gives the same sets, no seed gives others", {
  fit <- lw_fit()
  expect_identical(synthesize(fit, 2, seed = 5), synthesize(fit, 2, seed = 5))
  free <- synthesize(fit, 1)$sets
  expect_false(identical(free, synthesize(fit, 1)$sets))
})

test_that("R's random state is neither used nor changed", {
  fit <- lw_fit()
  withr::with_seed(1, {
    before <- .Random.seed
    first <- synthesize(fit, 2)
    expect_identical(.Random.seed, before)
  })
  withr::with_seed(1, second <- synthesize(fit, 2))
  expect_false(identical(first$sets, second$sets))
})

test_that("each set takes a draw of its own", {
  fit <- unweighted_fit()
  # Draws far apart: the set shows which one it took
  fit$draws <- fit$draws[rep(1, 5), ]
  fit$draws[, "(Intercept)"] <- c(6, 8, 10, 12, 14)
  fit$draws[, "sigma"] <- 0.01
  syn <- synthesize(fit, 5, seed = 2)
  level <- vapply(syn$sets, function(set) median(log(set$income)), 0)
  expect_length(unique(round(level)), 5)
  expect_error(synthesize(fit, 6), class = "pseudosynth_error_input")
})

test_that("synthetic values follow the model", {
  fit <- unweighted_fit()
  syn <- synthesize(fit, 20, seed = 3)
  values <- unlist(lapply(syn, function(set) log(set$income)))
  y <- log(privacy_data()$income)
  expect_lt(abs(mean(values) - mean(y)), 5 * sd(y) / sqrt(150))
  expect_lt(abs(sd(values) / sd(y) - 1), 0.3)
})

test_that("a fit that has not converged is refused unless allowed", {
  fit <- lw_fit()
  fit$converged <- FALSE
  expect_error(synthesize(fit), class = "pseudosynth_error")
  syn <- synthesize(fit, allow_unconverged = TRUE)
  expect_identical(guarantee(syn)$label, "none")
})

test_that("posterior assignment is for mixtures and labelled none", {
  expect_error(synthesize(lw_fit(), assignment = "posterior"),
    class = "pseudosynth_error_input"
  )
  fit <- quick_mixture()
  # Two components far apart, each record surely in the first
  fit$draws[, c("pi[1]", "pi[2]")] <- 0.5
  fit$draws[, "b[2,(Intercept)]"] <- fit$draws[, "b[1,(Intercept)]"] + 50
  prior <- synthesize(fit, seed = 1, allow_unconverged = TRUE)
  posterior <- synthesize(
    fit,
    assignment = "posterior", seed = 1, allow_unconverged = TRUE
  )
  expect_identical(guarantee(posterior)$label, "none")
  expect_gt(sum(prior[[1]]$y > 20), 10)
  expect_equal(sum(posterior[[1]]$y > 20), 0)
})

test_that("new records need only their predictors", {
  newdata <- privacy_data(20)[c("earner", "age")]
  syn <- synthesize(lw_fit(), 2, newdata = newdata, seed = 1)
  expect_equal(syn$n_records, 20)
  expect_identical(names(syn[[1]]), c("income", "earner", "age"))
  expect_error(synthesize(lw_fit(), newdata = newdata["age"]),
    class = "pseudosynth_error_input"
  )
})

test_that("wrong arguments are refused", {
  expect_error(synthesize(1), class = "pseudosynth_error_input")
  expect_error(synthesize(lw_fit(), 0), class = "pseudosynth_error_input")
  expect_error(synthesize(lw_fit(), seed = -1),
    class = "pseudosynth_error_input"
  )
  expect_error(synthesize(lw_fit(), assignment = "both"),
    class = "pseudosynth_error_input"
  )
})

# A positive amount under heavy tails, some draws of which are enormous.
heavy_fit <- function(...) {
  suppressWarnings(fit_synthesizer(
    log(income) ~ age, privacy_data(), student_t(1),
    prior = prior_normal(), chains = 2, warmup = 200, draws = 500, seed = 1, ...
  ))
}

test_that("bounds cuts what is released, counts it and is in the label", {
  fit <- heavy_fit()
  expect_message(
    syn <- synthesize(fit, m = 3, bounds = c(1000, 2e5), seed = 2),
    "stated 1000 to 200000",
    class = "pseudosynth_message_bounds"
  )
  free <- suppressMessages(synthesize(
    fit,
    m = 3, seed = 2, bounds = c(1, .Machine$integer.max)
  ))
  for (j in 1:3) {
    expect_identical(
      as.double(syn[[j]]$income), pmin(pmax(free[[j]]$income, 1000), 2e5)
    )
    expect_identical(
      only_column(syn)$moved[j],
      sum(free[[j]]$income < 1000 | free[[j]]$income > 2e5)
    )
  }
  expect_gt(sum(only_column(syn)$moved), 0)
  expect_identical(only_column(syn)$bounds, c(1000, 2e5))
  expect_match(
    guarantee(syn)$public_inputs[["values"]], "from 1000 to 200000"
  )
  expect_output(print(syn), "moved to the ends")
  # A job made of the parts has the same label
  job <- as_pseudo_posterior(syn, list(unweighted = fit))
  expect_identical(guarantee(job, public = TRUE), guarantee(syn))
})

test_that("values beyond R's whole numbers are cut with a warning", {
  # Normal errors so wide that their exponential overflows
  fit <- suppressWarnings(fit_synthesizer(
    log(income) ~ age, privacy_data(), gaussian(),
    prior = prior_normal(), chains = 2, warmup = 200, draws = 500, seed = 1
  ))
  fit$draws[, "sigma"] <- 10
  expect_warning(
    syn <- synthesize(seal(fit), m = 20, seed = 2), "bounds",
    class = "pseudosynth_warning_bounds"
  )
  largest <- vapply(as.list(syn), function(set) {
    sum(set$income == .Machine$integer.max)
  }, 0L)
  expect_identical(largest, only_column(syn)$moved)
  expect_gt(sum(largest), 0)
})

test_that("stated bounds hold for released values unless others do", {
  fit <- heavy_fit(response = public_response(bounds = c(500, 3e5)))
  expect_message(
    syn <- synthesize(fit, seed = 2),
    class = "pseudosynth_message_bounds"
  )
  expect_gte(min(syn[[1]]$income), 500)
  expect_lte(max(syn[[1]]$income), 3e5)
  narrow <- suppressMessages(
    synthesize(fit, seed = 2, bounds = c(100, 1e5))
  )
  expect_identical(range(narrow[[1]]$income), c(500L, 100000L))
})

test_that("every source of sets takes bounds", {
  histogram <- perturbed_histogram(
    log(income) ~ 1, privacy_data(), bounds = c(10, 2e6), epsilon = 1
  )
  sets <- suppressMessages(synthesize(histogram, 2, bounds = c(2e4, 5e4)))
  expect_gte(min(sets[[1]]$income), 2e4)
  expect_lte(max(sets[[2]]$income), 5e4)
  expect_match(guarantee(sets)$public_inputs[["values"]], "20000 to 50000")
  release <- score_release(
    log(income) ~ age + earner, privacy_data(), student_t(3),
    epsilon = 5, reference = list("(Intercept)" = 10.8, sigma = 1)
  )
  sets <- suppressMessages(
    synthesize(release, newdata = privacy_data(), bounds = c(2e4, 5e4))
  )
  expect_lte(max(sets[[1]]$income), 5e4)
  expect_identical(guarantee(sets)$label, "strict")
})

test_that("rates that attain 0 and 1 have wider bounds and bounds", {
  rates <- withr::with_seed(1, data.frame(
    rate = c(0, 1, stats::rbeta(198, 0.7, 0.7)), x = stats::rnorm(200)
  ))
  expect_error(quick_fit(rate ~ x, rates, beta_response(c(0, 1))), "bounds")
  fit <- quick_fit(rate ~ x, rates, beta_response(c(-0.02, 1.02)))
  wide <- unlist(lapply(synthesize(fit, 5, seed = 1)$sets, `[[`, "rate"))
  expect_true(any(wide < 0) && any(wide > 1))
  expect_message(
    sets <- synthesize(fit, 5, seed = 1, bounds = c(0, 1)),
    class = "pseudosynth_message_bounds"
  )
  inside <- unlist(lapply(sets$sets, `[[`, "rate"))
  expect_identical(inside, pmin(pmax(wide, 0), 1))
  # Within the family's own bounds, which no value attains
  beyond <- synthesize(fit, 1, seed = 1, bounds = c(-1, 2))
  expect_identical(beyond$sets[[1]]$rate, wide[1:200])
})

test_that("bounds that makes no sense is refused before anything is drawn", {
  fit <- lw_fit()
  for (bad in list(3, c(2, 1), c(1, NA), "a", c(-5, 0))) {
    expect_error(
      synthesize(fit, bounds = bad),
      class = "pseudosynth_error_input"
    )
  }
  yes <- quick_fit(z ~ x, transform(simulated(), z = y > 2), bernoulli())
  expect_error(
    synthesize(yes, bounds = c(0, 1)), class = "pseudosynth_error_input"
  )
  people <- data.frame(y = factor(rep(letters[1:3], 40)), x = 1:120 / 120)
  levels <- suppressWarnings(suppressMessages(
    score_release(y ~ x, people, categorical(),
      epsilon = 1, response = public_response(levels = letters[1:3])
    )
  ))
  expect_error(
    synthesize(levels, newdata = people, bounds = c(1, 2)), "levels",
    class = "pseudosynth_error_input"
  )
})

test_that("each set has random numbers of its own", {
  fit <- unweighted_fit()
  words <- seed_words(5, "synthesize")
  values <- synthesize_(fit$spec, fit$draws[c(1, 1, 1), ], words, 0L)
  noise <- values - rowMeans(values)
  # At one draw only the noise differs: independent columns leave -1/2
  expect_true(all(abs(cor(noise)[upper.tri(diag(3))] + 0.5) < 0.25))
  expect_gt(min(apply(noise, 2, stats::sd)), 0.1)
  expect_false(any(values[, 1] == values[, 2]))
})

test_that("allow_unconverged is a flag for whatever sets are drawn from", {
  histogram <- perturbed_histogram(
    log(income) ~ 1, privacy_data(),
    bounds = c(10, 2e6), epsilon = 1
  )
  for (fit in list(unweighted_fit(), histogram)) {
    error <- expect_error(
      synthesize(fit, newdata = privacy_data(), allow_unconverged = "a"),
      class = "pseudosynth_error_input"
    )
    expect_identical(error$arg, "allow_unconverged")
  }
})
