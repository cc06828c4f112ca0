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
    c("add-remove" = 2 * delta, replace = 4 * delta)
  )
  expect_equal(label$epsilon$total, 3 * label$epsilon$per_draw)
  expect_equal(unname(label$epsilon$one_off), c(0, 0))
  expect_false(label$holds)
  expect_identical(guarantee(lw_final_fit())$mechanism, "lw_final")
  expect_identical(guarantee(lw_final_fit())$label, "asymptotic")
})

test_that("nothing asymptotic is printed as a bound that holds", {
  expect_output(print(guarantee(lw_fit())), "not proven")
  expect_output(print(guarantee(lw_fit())), "audit")
  expect_output(print(guarantee(lw_fit())), "one more draw exceeds it")
  expect_match(format(guarantee(lw_fit())), "not proven")
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

test_that("a mechanism is named by how it was made, not by its values", {
  fit <- unweighted_fit()
  n <- length(fit$spec$y)
  for (weights in list(rep(1, n), c(rep(1, n - 1), 0.5))) {
    same <- with_weights(fit, as_privacy_weights(weights, n))
    label <- guarantee(same, public = TRUE)
    expect_identical(label$mechanism, "weighted")
    expect_identical(label$label, "asymptotic")
  }
})

test_that("a clipped fit is strict only without weights from the file", {
  label <- guarantee(censored(unweighted_fit(), 2))
  expect_identical(label$label, "strict")
  expect_true(label$holds)
  expect_equal(label$epsilon$per_draw[["add-remove"]], 2)
  expect_equal(label$epsilon$per_draw[["replace"]], 4)
  expect_match(paste(label$reasons, collapse = " "), "not certified")
  expect_identical(guarantee(censored(lw_fit()))$label, "asymptotic")
  public <- as_privacy_weights(
    public_scalar(0.5), length(unweighted_fit()$spec$y)
  )
  expect_identical(
    guarantee(censored(with_weights(unweighted_fit(), public)))$label, "strict"
  )
  cut <- truncate_draws(unweighted_fit(), 0.9)
  expect_identical(guarantee(censored(cut))$label, "asymptotic")
})

test_that("a fit that has not converged has no guarantee", {
  for (fit in list(lw_fit(), censored(unweighted_fit()))) {
    label <- guarantee(resealed(fit, converged = FALSE))
    expect_identical(label$label, "none")
    expect_match(label$reasons, "not converged")
    expect_output(print(label), "NOT\\s+converged")
  }
})

test_that("posterior-assigned clusters leave no guarantee", {
  label <- label_of_fit(
    lw_fit(), 1,
    what = "synthetic data", assignment = "posterior"
  )
  expect_identical(label$label, "none")
})

test_that("an infinite bound leaves no guarantee", {
  fit <- lw_fit()
  fit$bound$overall <- Inf
  fit <- seal(fit)
  expect_identical(guarantee(fit)$label, "none")
})

test_that("the public label withholds what was computed from the file", {
  fit <- lw_fit()
  public <- guarantee(fit, m = 2, public = TRUE)
  expect_true(all(is.na(public$epsilon$per_draw)))
  expect_true(all(is.na(public$epsilon$total)))
  expect_true(is.na(public$lipschitz_bound))
  expect_true(is.na(public$oscillation))
  expect_identical(public$mechanism, "lw")
  expect_output(print(public), "withheld")
  values <- c(fit$bound$overall, 2 * fit$bound$overall, fit$bound$record)
  values <- values[values > 0]
  expect_equal(count_held(public, values), 0)
  strict <- guarantee(censored(unweighted_fit()), public = TRUE)
  expect_equal(strict$epsilon$per_draw[["add-remove"]], 1)
})

test_that("replace comes first for synthetic data only", {
  expect_identical(guarantee(lw_fit())$neighbours[1], "add-remove")
  syn <- synthesize(lw_fit(), m = 2, seed = 1)
  expect_identical(guarantee(syn)$neighbours[1], "replace")
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
      "label", "mechanism", "neighbours", "epsilon", "m", "n_records",
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
  expect_equal(back$epsilon$per_draw[["replace"]],
    4 * lw_fit()$bound$overall
  )
  public <- jsonlite::fromJSON(to_json(guarantee(lw_fit(), public = TRUE)))
  expect_null(public$lipschitz_bound)
  expect_error(to_json(1), class = "pseudosynth_error_input")
  expect_error(
    to_json(label, pretty = 2^31), "at most 20 blanks",
    class = "pseudosynth_error_input"
  )
})

test_that("objects without a label and a wrong m are refused", {
  expect_error(guarantee(1), class = "pseudosynth_error_input")
  expect_error(guarantee(lw_fit(), m = 0), class = "pseudosynth_error_input")
  syn <- synthesize(lw_fit(), m = 2, seed = 1)
  expect_error(guarantee(syn, m = 1), class = "pseudosynth_error_input")
})

# Charges ----------------------------------------------------------------------

test_that("the figures of a label are those of its charges", {
  fit <- censored(unweighted_fit(), 2)
  label <- guarantee(fit, m = 3)
  expect_identical(label$charges$what, "parameter draw")
  expect_identical(label$charges$times, 3)
  expect_identical(label$charges$id, fit$id)
  expect_equal(label$epsilon$total, by_relation(6))
  expect_identical(label$epsilon$delta, 0)
  expect_output(print(label), "3 parameter draws, each: epsilon 2 add-remove")
  none <- guarantee(unweighted_fit())
  expect_true(is.na(none$charges$add_remove))
  public <- guarantee(lw_fit(), public = TRUE)
  expect_true(all(is.na(public$charges[charge_costs])))
  expect_output(print(public), "parameter draw: withheld")
})

test_that("what weights rest on is paid once, the same thing once", {
  first <- charge("first", "parameter draw of a first stage", by_relation(0.2))
  other <- charge("other", "parameter draw of a first stage", by_relation(0.3))
  epsilon_with <- function(..., margin = NULL, m = 3) {
    label <- new_privacy_guarantee(
      list(label = "strict", reasons = "because"),
      mechanism = "a", title = "a", what = "synthetic data",
      draws = charge("draw", "parameter draw", by_relation(0.8), times = m),
      paid = join_charges(...), m = m, unit = "y", public_inputs = c(a = "b")
    )
    label$epsilon
  }
  expect_equal(epsilon_with(first)$one_off[["add-remove"]], 0.2)
  expect_equal(epsilon_with(first)$total[["add-remove"]], 0.2 + 3 * 0.8)
  expect_equal(epsilon_with(first)$total[["replace"]], 2 * (0.2 + 2.4))
  expect_equal(epsilon_with(first, first)$one_off[["add-remove"]], 0.2)
  expect_equal(epsilon_with(first, other)$one_off[["add-remove"]], 0.5)
  expect_identical(
    names(epsilon_with(first)$total), c("replace", "add-remove")
  )
})

test_that("parts with the same first draw pay for it once, two draws twice", {
  weights <- lapply(1:2, function(seed) {
    two_stage_weights(
      unweighted_fit(), 0.5, c(1, 6),
      reference = list("(Intercept)" = 10.8, sigma = 1), seed = seed
    )
  })
  paid <- function(...) {
    total_charges(dependency_of(combine_weights(...))$charges)$epsilon[[1]]
  }
  expect_equal(paid(weights[[1]], weights[[1]]), 0.5)
  expect_equal(paid(weights[[1]], scale_weights(weights[[1]], 0.5)), 0.5)
  expect_equal(paid(weights[[1]], weights[[2]]), 1)
})

test_that("a margin is one charge, two margins are two", {
  fit <- censored(unweighted_fit(), 2)
  margins <- lapply(1:2, function(i) {
    perturbed_histogram(
      log(income) ~ 1, privacy_data(),
      bounds = c(10, 2e6), epsilon = 0.5
    )
  })
  sets <- lapply(c(1, 1, 2), function(i) {
    synthesize(fit, 2, margin = margins[[i]])
  })
  paid <- function(i) {
    charges <- do.call(join_charges, lapply(sets[i], function(set) {
      guarantee(set)$charges
    }))
    total_charges(charges)$epsilon[["add-remove"]]
  }
  expect_equal(paid(1), 0.5 + 4)
  # Two calls: other draws, the same histogram
  expect_equal(paid(1:2), 0.5 + 8)
  expect_equal(paid(2:3), 1 + 8)
  expect_equal(paid(c(1, 1)), 0.5 + 4)
})

test_that("every call of synthesize() is a charge of its own and says so", {
  fit <- censored(unweighted_fit(), 2)
  id <- function(...) guarantee(synthesize(fit, ...))$draws
  expect_false(id() == id())
  # The same seed gives the same draws again
  expect_identical(id(seed = 5), id(seed = 5))
  expect_identical(id(2, seed = 5), id(seed = 5))
  expect_false(id(seed = 5) == id(seed = 6))
  again <- resealed(fit, id = "another")
  expect_false(
    guarantee(synthesize(again, seed = 5))$draws == id(seed = 5)
  )
  expect_output(print(guarantee(synthesize(fit))), "Every further call")
  expect_no_match(
    paste(capture.output(print(guarantee(fit))), collapse = " "), "further call"
  )
})

test_that("a fit and its truncation or refit are other fits", {
  fit <- unweighted_fit()
  expect_identical(truncate_draws(fit, 1)$id, fit$id)
  expect_false(truncate_draws(fit, 0.9)$id == fit$id)
  expect_false(lw_fit()$id == fit$id)
})

# Text -------------------------------------------------------------------------

test_that("labels read the same whatever the session's options", {
  fit <- censored(unweighted_fit(), 0.123456789)
  margin <- perturbed_histogram(
    log(income) ~ 1, privacy_data(),
    bounds = c(0.1, 1234567.25), epsilon = 1 / 3
  )
  texts <- function() {
    label <- label_of_fit(
      fit, 2,
      what = "synthetic data", margin = margin_part(margin)
    )
    lw <- guarantee(lw_fit())
    c(
      capture.output(print(label)), format(label),
      unlist(label$public_inputs), unlist(label$reasons),
      capture.output(print(lw)), format(lw),
      capture.output(print(guarantee(margin))),
      if (requireNamespace("jsonlite", quietly = TRUE)) {
        c(to_json(label), to_json(lw))
      }
    )
  }
  plain <- texts()
  withr::local_options(digits = 3, scipen = -5, OutDec = ",", width = 40)
  expect_silent(other <- texts())
  expect_identical(other, plain)
})

test_that("what is proven is printed in four digits, rounded up", {
  label <- guarantee(censored(unweighted_fit(), 0.123456789), m = 3)
  expect_output(print(label), "epsilon 0.1235 per parameter draw")
  expect_match(format(label), "0.3704 add-remove")
  # The object and its JSON have the figure itself
  expect_equal(
    as.list(label)$epsilon$total[["add-remove"]], 3 * 0.123456789
  )
  expect_match(
    paste(capture.output(print(label)), collapse = " "),
    "interval +\\[-0.0617283945, 0.0617283945\\]"
  )
})

test_that("zCDP charges give an epsilon at a stated delta", {
  label <- new_privacy_guarantee(
    list(label = "strict", reasons = "because"),
    mechanism = "score", title = "noisy sums", what = "synthetic data",
    paid = charge("a", "noisy sum", rho = by_relation(0.01, 0.04), times = 2),
    m = 5, unit = "y", public_inputs = c(a = "b"), failure = 1e-6
  )
  epsilon <- zcdp_epsilon(0.08, 1e-6)
  expect_identical(label$epsilon$total[["replace"]], epsilon)
  expect_identical(label$epsilon$delta, 1e-6)
  expect_match(
    format(label), paste(format_up(epsilon), "replace"),
    fixed = TRUE
  )
  expect_match(format(label), "at delta 0.000001", fixed = TRUE)
  expect_output(print(label), "rho 0.04 replace, 0.01 add-remove")
  expect_output(print(label), "spent once;\\s+further\\s+draws\\s+are\\s+free")
  expect_match(format(label), "^strict \\(epsilon, delta\\)-DP")
})

# Weights as they are made -----------------------------------------------------

test_that("every scheme has its word in the label", {
  fit <- unweighted_fit()
  reference <- list("(Intercept)" = 10.8, sigma = 1)
  weights <- list(
    lw = lipschitz_weights(fit),
    cw = count_weights(fit, radius = 0.2),
    weighted_e = truncate_weights(lw_fit(), 8),
    weighted = rep(0.5, 150), public_scalar = public_scalar(0.5),
    two_stage = two_stage_weights(
      fit, 0.5, c(1, 6),
      reference = reference, seed = 1
    )
  )
  for (word in names(weights)) {
    made <- with_weights(fit, as_privacy_weights(weights[[word]], 150))
    # A word stands for one thing: with a clip for the mechanism of that name
    expect_identical(sub("_weights$", "", mechanism_of(made)), word)
    clipped <- mechanism_of(censored(made))
    expect_false(clipped == mechanism_of(made))
    expect_true(clipped %in% c(
      names(mechanisms()), "public_scalar", paste0("censor_", word)
    ))
    expect_match(describe_mechanism(censored(made)), "censored likelihood, ")
  }
  expect_identical(describe_mechanism(fit), "unweighted posterior")
  expect_identical(describe_mechanism(censored(fit)), "censored likelihood")
})

test_that("count weights with a floor pay their factors", {
  floor <- count_weights(
    unweighted_fit(),
    radius = 0.2, scale = 0.5, shift = 0.25
  )
  label <- guarantee(censored(with_weights(unweighted_fit(), floor), 2))
  expect_identical(label$label, "strict")
  expect_equal(label$epsilon$per_draw, by_relation(2 * 3, 2 * 4))
  without <- count_weights(unweighted_fit(), radius = 0.2)
  label <- guarantee(censored(with_weights(unweighted_fit(), without), 2))
  expect_identical(label$label, "asymptotic")
})

test_that("a first stage is paid once in the label of the second", {
  weights <- two_stage_weights(
    unweighted_fit(), 0.5, c(1, 6),
    reference = list("(Intercept)" = 10.8, sigma = 1), seed = 1
  )
  label <- guarantee(censored(with_weights(unweighted_fit(), weights), 2), 3)
  expect_identical(label$label, "strict")
  expect_equal(label$epsilon$one_off, by_relation(0.5))
  expect_equal(label$epsilon$total, by_relation(0.5 + 3 * 2))
  expect_output(print(label), "parameter draw of a first stage: epsilon 0.5")
})

test_that("risk weights claim nothing, whatever is made of them", {
  risk <- risk_weights(
    synthesize(unweighted_fit(), 2, seed = 1), unweighted_fit(),
    radius = 0.2
  )
  fit <- with_weights(unweighted_fit(), risk)
  expect_identical(guarantee(fit)$label, "none")
  expect_identical(guarantee(fit)$mechanism, "risk")
  expect_identical(guarantee(censored(fit))$label, "asymptotic")
  for (weights in list(
    scale_weights(risk, 0.5, 0.1), reweighted_weights(fit, 0.9),
    combine_weights(risk, lipschitz_weights(unweighted_fit()))
  )) {
    made <- with_weights(unweighted_fit(), weights)
    expect_identical(guarantee(made)$label, "none")
  }
})

test_that("a reference from a history keeps its numbers", {
  fit <- censored(unweighted_fit())
  fit$censor$reference <- structure(
    list(origin = "history", values = c(sigma = 0.123456789)),
    class = "censor_reference"
  )
  fit$censor$window <- 4
  fit$censor$alpha <- 0.125
  fit <- seal(fit)
  label <- guarantee(fit, public = TRUE)
  expect_match(label$public_inputs[["reference"]], "fit on other data")
  expect_equal(count_held(label, 0.123456789), 0)
  fit$censor$reference$origin <- "public"
  fit <- seal(fit)
  expect_match(
    guarantee(fit)$public_inputs[["reference"]], "sigma = 0.123456789"
  )
})
