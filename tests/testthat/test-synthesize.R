test_that("sets keep columns, order, type and number of records", {
  fit <- lw_fit()
  syn <- synthesize(fit, m = 3, seed = 1)
  data <- privacy_data()
  expect_length(syn$sets, 3)
  for (set in syn$sets) {
    expect_named(set, c("income", "age", "earner"))
    expect_type(set$income, "integer")
    expect_identical(attr(set, "row.names"), 1:150)
    expect_identical(as.character(set$age), as.character(data$age))
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
