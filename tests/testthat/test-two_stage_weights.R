crude <- list("(Intercept)" = 10.8, sigma = 1)

first_stage <- function(...) {
  two_stage_weights(
    log(income) ~ age, 1, c(1, 4), privacy_data(),
    gaussian(), reference = crude,
    prior = prior_normal(intercept = c(10.8, 2.5)), chains = 2, warmup = 300,
    draws = 1000, seed = 3, ...
  )
}

two_stage <- function() remember("two_stage", first_stage())

test_that("two-stage weights are the clamped distance at one paid draw", {
  w <- two_stage()
  arguments <- attr(w, "arguments")
  expect_identical(attr(w, "scheme"), "two_stage")
  expect_identical(dependency_of(w)$kind, "own record")
  expect_equal(arguments$epsilon0, 1)
  expect_equal(arguments$epsilon0_replace, 2)
  expect_true(arguments$reproducible)
  expect_identical(arguments$reference, "public")
  model <- attr(w, "basis")$model
  expect_identical(nrow(model$draws), 1L)
  spec <- newdata_spec(model, privacy_data())
  spec$y <- log(privacy_data()$income)
  f <- as.vector(log_lik_(spec, model$draws))
  expect_equal(as.numeric(w), pmin(pmax((4 - abs(f)) / 3, 0), 1))
  expect_gt(length(unique(as.numeric(w))), 20)
})

test_that("epsilon0 counts once, whatever m, and replace twice", {
  w <- two_stage()
  fit <- fit_synthesizer(
    log(income) ~ age, privacy_data(), gaussian(),
    prior = prior_normal(intercept = c(10.8, 2.5)), privacy_weights = w,
    censor = censor(2, reference = crude), chains = 2, warmup = 300,
    draws = 1000
  )
  label <- guarantee(fit, m = 3)
  expect_identical(label$label, "strict")
  expect_equal(label$epsilon$total[["add-remove"]], 1 + 3 * 2)
  expect_equal(label$epsilon$total[["replace"]], 2 + 3 * 4)
  # The first stage had a seed
  expect_true(label$reproducible)
})

test_that("given the draw, no record moves the weight of another", {
  rule <- freeze(two_stage())
  current <- current_data()
  all <- predict(rule, current)
  expect_identical(dependency_of(all)$kind, "own record")
  expect_null(attr(all, "arguments")$epsilon0)
  expect_identical(
    as.numeric(predict(rule, current[-5, ])), as.numeric(all)[-5]
  )
  # On the file that the draw came from it is not free
  expect_identical(
    dependency_of(predict(rule, privacy_data()))$kind, "other records"
  )
})

test_that("calibration to replace halves the interval", {
  w <- first_stage(neighbours = "replace")
  expect_equal(attr(w, "arguments")$epsilon0, 0.5)
  expect_equal(attr(w, "arguments")$epsilon0_replace, 1)
})

test_that("bad input is a classed error", {
  refuse <- function(...) {
    expect_error(
      two_stage_weights(log(income) ~ age, ...,
        data = privacy_data(), family = gaussian()
      ),
      class = "pseudosynth_error_input"
    )
  }
  refuse(0, c(1, 4))
  refuse(Inf, c(1, 4))
  refuse(1, c(4, 1))
  refuse(1, c(-1, 4))
  refuse(1, c(1, Inf))
  refuse(1, 4)
  expect_error(
    two_stage_weights(1, 1, c(1, 4)),
    class = "pseudosynth_error_input"
  )
})

test_that("a first stage whose labels were read from the file is refused", {
  data <- privacy_data()
  data$owns <- ifelse(data$income > 4e4, "own", "rent")
  first <- function(...) {
    suppressWarnings(two_stage_weights(
      owns ~ age, 1, c(0.2, 2), data, bernoulli(),
      prior = prior_normal(), chains = 2, warmup = 300, draws = 1000, seed = 3,
      ...
    ))
  }
  expect_error(first(), class = "pseudosynth_error_unstated")
  stated <- first(response = public_response(levels = c("own", "rent")))
  expect_identical(dependency_of(stated)$kind, "own record")
})
