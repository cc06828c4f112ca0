censored <- function(fit, width = 1) {
  fit$censor <- structure(
    list(lower = -width / 2, upper = width / 2),
    class = "censoring_rule"
  )
  fit
}

with_weights <- function(fit, weights) {
  fit$privacy_weights <- weights
  fit
}

test_that("an unweighted fit has no guarantee", {
  label <- guarantee(unweighted_fit())
  expect_s3_class(label, "privacy_guarantee")
  expect_identical(label$label, "none")
  expect_identical(label$mechanism, "unweighted")
  expect_true(all(is.na(label$epsilon$total)))
  expect_false(label$holds)
})

test_that("Lipschitz weights give the asymptotic claim, 2 and 4 Delta", {
  fit <- lw_fit()
  label <- guarantee(fit, m = 3)
  delta <- fit$bound$overall
  expect_identical(label$label, "asymptotic")
  expect_identical(label$mechanism, "lw")
  expect_equal(
    label$epsilon$per_draw,
    c("add/remove-one" = 2 * delta, "replace-one" = 4 * delta)
  )
  expect_equal(label$epsilon$total, 3 * label$epsilon$per_draw)
  expect_equal(label$epsilon$one_off, 0)
  expect_false(label$holds)
  expect_identical(guarantee(lw_final_fit())$mechanism, "lw_final")
  expect_identical(guarantee(lw_final_fit())$label, "asymptotic")
})

test_that("nothing asymptotic is printed as a bound that holds", {
  expect_output(print(guarantee(lw_fit())), "not a bound that holds")
  expect_output(print(guarantee(lw_fit())), "audit")
  expect_output(print(guarantee(lw_fit())), "one more draw exceeds it")
  expect_match(format(guarantee(lw_fit())), "not a bound that holds")
  expect_length(format(guarantee(lw_fit())), 1)
  expect_lte(max(nchar(capture.output(print(guarantee(lw_fit(), 5))))), 80)
})

test_that("weights cannot be laundered into a better label", {
  fit <- unweighted_fit()
  w <- lipschitz_weights(fit)
  for (laundered in list(as.numeric(w), w * 1, w[seq_along(w)])) {
    again <- with_weights(fit, as_privacy_weights(laundered, length(w)))
    expect_identical(guarantee(again)$label, "asymptotic")
    expect_match(guarantee(again)$reasons[1], "by hand")
    expect_identical(guarantee(censored(again))$label, "asymptotic")
  }
})

test_that("weights that are all 1 are no weights", {
  fit <- unweighted_fit()
  n <- length(fit$spec$y)
  same <- with_weights(fit, as_privacy_weights(rep(1, n), n))
  expect_identical(guarantee(same)$label, "none")
})

test_that("a clipped fit is strict only without weights from the file", {
  label <- guarantee(censored(unweighted_fit(), 2))
  expect_identical(label$label, "strict")
  expect_true(label$holds)
  expect_equal(label$epsilon$per_draw[["add/remove-one"]], 2)
  expect_equal(label$epsilon$per_draw[["replace-one"]], 4)
  expect_match(paste(label$reasons, collapse = " "), "not certified")
  expect_identical(guarantee(censored(lw_fit()))$label, "asymptotic")
  n <- length(unweighted_fit()$spec$y)
  public <- new_privacy_weights(rep(0.5, n), "scalar", source = "public")
  expect_identical(
    guarantee(censored(with_weights(unweighted_fit(), public)))$label, "strict"
  )
  cut <- truncate_draws(unweighted_fit(), 0.9)
  expect_identical(guarantee(censored(cut))$label, "asymptotic")
})

test_that("a fit that has not converged has no guarantee", {
  for (fit in list(lw_fit(), censored(unweighted_fit()))) {
    fit$converged <- FALSE
    label <- guarantee(fit)
    expect_identical(label$label, "none")
    expect_match(label$reasons, "not converged")
    expect_output(print(label), "NOT\\s+converged")
  }
})

test_that("posterior-assigned clusters leave no guarantee", {
  label <- guarantee_of_fit(
    lw_fit(), 1,
    what = "synthetic data", assignment = "posterior"
  )
  expect_identical(label$label, "none")
})

test_that("an infinite bound leaves no guarantee", {
  fit <- lw_fit()
  fit$bound$overall <- Inf
  expect_identical(guarantee(fit)$label, "none")
})

test_that("the public label withholds what was computed from the file", {
  fit <- lw_fit()
  public <- guarantee(fit, m = 2, public = TRUE)
  expect_true(all(is.na(public$epsilon$per_draw)))
  expect_true(all(is.na(public$epsilon$total)))
  expect_true(is.na(public$delta))
  expect_true(is.na(public$oscillation))
  expect_identical(public$mechanism, "lw")
  expect_output(print(public), "withheld")
  values <- c(fit$bound$overall, 2 * fit$bound$overall, fit$bound$record)
  values <- values[values > 0]
  expect_equal(count_held(public, values), 0)
  strict <- guarantee(censored(unweighted_fit()), public = TRUE)
  expect_equal(strict$epsilon$per_draw[["add/remove-one"]], 1)
})

test_that("replace-one comes first for synthetic data only", {
  expect_identical(guarantee(lw_fit())$relations[1], "add/remove-one")
  syn <- synthesize(lw_fit(), m = 2, seed = 1)
  expect_identical(guarantee(syn)$relations[1], "replace-one")
})

test_that("re-weighting is named after the weights it started from", {
  fit <- lw_fit()
  twice <- with_weights(lw_final_fit(), reweighted_weights(lw_final_fit(), 1))
  expect_identical(guarantee(twice)$mechanism, "lw_final")
  by_hand <- with_weights(fit, as_privacy_weights(rep(0.5, 150), 150))
  by_hand <- with_weights(fit, reweighted_weights(by_hand, 0.9))
  expect_identical(guarantee(by_hand)$mechanism, "weighted_final")
  expect_identical(guarantee(by_hand)$label, "asymptotic")
})

test_that("a given seed is marked as reproducible", {
  label <- guarantee(lw_fit())
  expect_true(label$reproducible)
  expect_output(print(label), "not for release")
})

test_that("every label carries the fields of a label", {
  for (fit in list(unweighted_fit(), lw_fit(), censored(unweighted_fit()))) {
    label <- guarantee(fit)
    expect_true(all(c(
      "label", "mechanism", "relations", "epsilon", "m", "n_records",
      "n_draws", "unit", "oscillation", "public_inputs", "reasons", "empirical"
    ) %in% names(label)))
    expect_identical(label$n_records, 150L)
    expect_identical(label$unit, "log(income)")
    expect_true(all(c("model", "prior") %in% names(label$public_inputs)))
  }
})

test_that("labels become lists and JSON", {
  label <- guarantee(lw_fit())
  expect_type(as.list(label), "list")
  expect_false(is.object(as.list(label)))
  skip_if_not_installed("jsonlite")
  back <- jsonlite::fromJSON(to_json(label))
  expect_identical(back$label, "asymptotic")
  expect_equal(back$epsilon$per_draw[["replace-one"]],
    4 * lw_fit()$bound$overall
  )
  public <- jsonlite::fromJSON(to_json(guarantee(lw_fit(), public = TRUE)))
  expect_null(public$delta)
  expect_error(to_json(1), class = "pseudosynth_error_input")
})

test_that("objects without a label and a wrong m are refused", {
  expect_error(guarantee(1), class = "pseudosynth_error_input")
  expect_error(guarantee(lw_fit(), m = 0), class = "pseudosynth_error_input")
  syn <- synthesize(lw_fit(), m = 2, seed = 1)
  expect_error(guarantee(syn, m = 1), class = "pseudosynth_error_input")
})
