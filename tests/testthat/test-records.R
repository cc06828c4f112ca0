censored_fit <- function(data = simulated()) {
  quick_fit(
    data = data, prior = prior_normal(),
    privacy_weights = seq(0.2, 1, length.out = nrow(data)),
    censor = censor(8, reference = list("(Intercept)" = 2, sigma = 1)),
    control = sampler_control(min_ess = 50)
  )
}

# Adds a vector of one number for each record to the one list of them.
local_record_part <- function(env = parent.frame()) {
  before <- record_places
  utils::assignInNamespace(
    "record_places", c(before, dummy = "dummy"), "pseudosynth"
  )
  withr::defer(
    utils::assignInNamespace("record_places", before, "pseudosynth"),
    envir = env
  )
}

test_that("records hold parts of one length and are cut all together", {
  records <- new_records(list(
    y = 1:4, codes = matrix(1:8, 4), none = NULL,
    data = data.frame(a = letters[1:4])
  ))
  expect_named(records, c("y", "codes", "data"))
  for (other in list(1:3, matrix(1:4, 2), data.frame(a = 1:5))) {
    error <- tryCatch(
      new_records(list(y = 1:4, other = other)),
      error = identity
    )
    expect_match(conditionMessage(error), "same number")
    expect_null(error$call)
  }
  some <- take_records(records, c(4, 1, 1))
  expect_identical(some$y, c(4L, 1L, 1L))
  expect_identical(some$codes, matrix(1:8, 4)[c(4, 1, 1), ])
  expect_identical(some$data$a, c("d", "a", "a"))
  # One record stays a row
  expect_identical(dim(take_records(records, 2)$codes), c(1L, 2L))
  expect_identical(dim(take_records(records, 2)$data), c(1L, 1L))
  expect_identical(dim(take_records(records, integer())$codes), c(0L, 2L))
  parts <- list(take_records(records, 1:2), take_records(records, 3:4))
  expect_identical(join_records(parts), records)
})

test_that("a specification of some records is that of a fit of them", {
  fit <- censored_fit()
  rows <- c(7, 3, 3, 60)
  spec <- subset_spec(fit$spec, rows)
  expect_setequal(names(spec), names(fit$spec))
  expect_identical(spec$y, fit$spec$y[rows])
  expect_identical(spec$alpha, fit$spec$alpha[rows])
  expect_identical(spec$codes, fit$spec$codes[rows, , drop = FALSE])
  expect_identical(spec$numeric, fit$spec$numeric[rows, , drop = FALSE])
  expect_identical(spec$censor$centre, fit$spec$censor$centre[rows])
  expect_identical(spec$censor$lower, fit$spec$censor$lower)
  expect_identical(subset_spec(fit$spec, 1:60)[names(fit$spec)], fit$spec)
  # The same by the model, given these records only
  model <- unclass(fit)
  model$data <- fit$data[rows, ]
  made <- weighted_spec(
    model_spec(model), model, fit$privacy_weights[rows], fit$censor
  )
  expect_equal(made[names(spec)], spec)
})

test_that("other records bring nothing of the fit's own", {
  fit <- censored_fit()
  spec <- newdata_spec(fit, fit$data[5:6, c("group", "x")])
  expect_identical(spec$alpha, c(1, 1))
  expect_null(spec$censor)
  expect_true("censor" %in% names(spec))
  expect_identical(spec$codes, fit$spec$codes[5:6, , drop = FALSE])
  expect_identical(spec$numeric, fit$spec$numeric[5:6, , drop = FALSE])
  expect_setequal(names(spec), names(fit$spec))
  # Nor does a model without records
  bare <- spec_of_model(fit$spec)
  expect_false(any(lengths(bare) == 60))
  expect_length(
    intersect(names(bare), c("y", "alpha", "codes", "numeric", "censor")), 0
  )
})

test_that("a fit's records but one keep data, weights and clip together", {
  fit <- censored_fit()
  left <- records_without(fit, 9)
  expect_identical(left$data, fit$data[-9, ])
  expect_identical(left$alpha, seq(0.2, 1, length.out = 60)[-9])
  expect_identical(left$spec$censor$centre, fit$spec$censor$centre[-9])
  expect_identical(records_of_spec(left$spec)$y, fit$spec$y[-9])
  expect_null(records_without(quick_fit(), 9)$alpha)
})

test_that("record types are distinct records, neither weighted nor clipped", {
  data <- simulated()[c(1:5, 2, 2), ]
  data$x <- rep(c(30, 40), length.out = 7)[match(data$y, unique(data$y))]
  model <- audit_model(y ~ group + x, data, gaussian(), prior_normal())
  other <- model_spec(model, data[3:4, ])
  weighted <- model$spec
  weighted$alpha <- seq_len(7) / 7
  weighted$censor <- list(lower = -1, upper = 1, centre = 1:7 / 10)
  found <- record_types(list(weighted, other))
  expect_identical(found$type, list(c(1:5, 2L, 2L), 3:4))
  expect_identical(found$first, 1:5)
  expect_equal(
    found$spec[names(model$spec)], subset_spec(model$spec, 1:5)[
      names(model$spec)
    ]
  )
})

test_that("one line adds a part to records everywhere", {
  local_record_part()
  fit <- quick_fit()
  fit$spec$dummy <- 100 + 1:60
  rows <- c(7, 3, 3, 60)
  expect_identical(subset_spec(fit$spec, rows)$dummy, 100 + rows)
  expect_identical(records_without(fit, 9)$spec$dummy, 100 + (1:60)[-9])
  expect_null(newdata_spec(fit, fit$data[1:2, ])$dummy)
  expect_null(record_spec(fit, fit$data[1:2, ])$dummy)
  expect_null(frozen_model(fit)$spec$dummy)
  types <- record_types(list(fit$spec, subset_spec(fit$spec, rows)))
  expect_length(types$spec$dummy, 60)
  expect_identical(types$spec$dummy, 100 + types$first)
  expect_identical(
    log_lik(fit, records = rows, draw_ids = 1:3),
    log_lik(quick_fit(), records = rows, draw_ids = 1:3)
  )
  # A list that has forgotten a part would fail here
  expect_identical(
    lengths(unclass(records_of_spec(types$spec)))[c("y", "alpha", "dummy")],
    c(y = 60L, alpha = 60L, dummy = 60L)
  )
})

test_that("a file's own responses are known in any order, by both marks", {
  data <- simulated()
  shuffled <- data[withr::with_seed(2, sample(60)), ]
  expect_identical(file_mark(data, "y"), file_mark(shuffled, "y"))
  fit <- quick_fit(control = sampler_control(min_ess = 50))
  expect_identical(history_mark(fit), file_mark(shuffled, "y"))
  expect_error(
    quick_fit(
      data = shuffled, prior = prior_normal(),
      censor = censor(2, reference = fit, window = 3)
    ),
    class = "pseudosynth_error_privacy"
  )
  other <- shuffled
  other$y[1] <- other$y[1] + 1e-9
  expect_false(file_mark(other, "y") == file_mark(data, "y"))
})
