# The verdict is a function of facts of the fit and of what its weights depend
# on: fits are edited here as no user can make them.

verdict_fit <- function(weights = NULL, clip = c(-1, 1), ...) {
  fit <- unweighted_fit()
  fit["privacy_weights"] <- list(weights)
  if (!is.null(clip)) {
    fit$censor <- structure(
      list(lower = clip[1], upper = clip[2]),
      class = "censoring_rule"
    )
  }
  fit[...names()] <- list(...)
  fit
}

label_of <- function(dependency, ..., assignment = "prior") {
  verdict_of(verdict_fit(rep(0.5, 150), ...), dependency, assignment)$label
}

reasons_of <- function(dependency, ...) {
  verdict <- verdict_of(verdict_fit(rep(0.5, 150), ...), dependency)
  paste(verdict$reasons, collapse = " ")
}

floor_dependency <- function() {
  dependency("bounded", factor = by_relation(3, 4))
}

test_that("strict takes a clip and weights of the record's own or a floor", {
  first <- charge("a", "first stage", by_relation(0.2))
  strict <- list(
    dependency("own record"), dependency("own record", charges = first),
    floor_dependency(),
    dependency("own record", history = "confidential")
  )
  for (of in strict) {
    expect_identical(label_of(of), "strict")
    expect_identical(label_of(of, clip = NULL), "asymptotic")
  }
  for (kind in c("other records", "unknown")) {
    expect_identical(label_of(dependency(kind)), "asymptotic")
    expect_match(reasons_of(dependency(kind)), "774")
    expect_match(reasons_of(dependency(kind), clip = NULL), "7.9")
  }
  expect_error(dependency("better"))
})

test_that("every fact that a strict label needs is looked at", {
  own <- dependency("own record")
  flat <- unweighted_fit()$prior
  flat$scale <- Inf
  labels <- unweighted_fit()$response
  labels$levels <- c("no", "yes")
  expect_identical(label_of(own, dropped = 1L), "asymptotic")
  expect_identical(label_of(own, quantile = 0.9), "asymptotic")
  expect_identical(label_of(own, prior = flat), "asymptotic")
  expect_identical(label_of(own, response = labels), "asymptotic")
  labels$stated <- "levels"
  expect_identical(label_of(own, response = labels), "strict")
  expect_identical(label_of(own, converged = FALSE), "none")
  expect_identical(label_of(own, converged = NA), "none")
  expect_identical(label_of(own, assignment = "posterior"), "none")
})

test_that("reasons name what is missing and nothing else", {
  expect_match(reasons_of(floor_dependency(), dropped = 1L), "dropped")
  expect_no_match(
    reasons_of(floor_dependency(), dropped = 1L), "interval|weights"
  )
  expect_match(reasons_of(floor_dependency(), clip = c(1, 3)), "contains 0")
  expect_match(reasons_of(floor_dependency()), "multiplied by 3 .* and 4 ")
  expect_match(
    reasons_of(dependency("own record"), quantile = 0.9, clip = NULL),
    "not censored.*dropped"
  )
})

test_that("nothing is claimed for what bounds nothing", {
  none <- function(...) verdict_of(verdict_fit(...), dependency("own record"))
  expect_identical(none(clip = NULL)$label, "none")
  expect_match(none(clip = NULL)$reasons, "neither weighted nor censored")
  unclaimed <- dependency("other records", claims = FALSE)
  expect_identical(label_of(unclaimed, clip = NULL), "none")
  expect_identical(label_of(unclaimed), "asymptotic")
  infinite <- unweighted_fit()$bound
  infinite$overall <- Inf
  expect_identical(
    label_of(dependency("other records"), clip = NULL, bound = infinite), "none"
  )
  # Parts that bound nothing stay so whatever they are combined with
  joined <- join_dependencies(list(unclaimed, dependency("own record")))
  expect_false(joined$claims)
  expect_identical(joined$kind, "other records")
})

test_that("the verdict does not look at the weights' values", {
  for (values in list(rep(1, 150), rep(0, 150), rep(0.5, 150))) {
    for (clip in list(NULL, c(-1, 1))) {
      found <- verdict_of(
        verdict_fit(values, clip), dependency("other records")
      )
      expect_identical(found$label, "asymptotic")
    }
  }
})

test_that("a confidential history needs a label of its own", {
  confidential <- dependency("own record", history = "confidential")
  expect_match(reasons_of(confidential), "weights come from an earlier file")
  expect_match(reasons_of(confidential), "no records in common")
  for (history in c("none", "public")) {
    expect_no_match(
      reasons_of(dependency("own record", history = history)),
      "label of its own"
    )
  }
  fit <- verdict_fit(rep(0.5, 150))
  fit$censor$reference <- list(origin = "history")
  text <- function(of) paste(verdict_of(fit, of)$reasons, collapse = " ")
  expect_match(
    text(dependency("own record")), "reference comes from an earlier file"
  )
  expect_match(text(confidential), "weights and the reference come from")
  fit$censor$reference$origin <- "public"
  expect_no_match(text(dependency("own record")), "label of its own")
})

test_that("gates below the defaults take the strict label away, and say so", {
  gated <- function(..., sampler = "surrogate") {
    gates <- list(max_rhat = 1.05, min_ess = 400, max_divergent = 0.01)
    control <- utils::modifyList(
      unweighted_fit()$control,
      c(list(sampler = sampler), utils::modifyList(gates, list(...)))
    )
    verdict_of(verdict_fit(control = control), dependency("own record"))
  }
  expect_identical(gated()$label, "strict")
  for (lowered in list(
    list(max_rhat = 1.06), list(min_ess = 399), list(max_divergent = 0.02)
  )) {
    found <- do.call(gated, lowered)
    expect_identical(found$label, "asymptotic")
    expect_match(found$reasons, "below the defaults .*1.05, 400 eff.*0.01")
    # No gate is asked of independent draws
    lowered$sampler <- "grid"
    expect_identical(do.call(gated, lowered)$label, "strict")
  }
  expect_identical(gated(max_rhat = 1.11)$label, "none")
  expect_identical(gated(max_rhat = 1.01, min_ess = 1000)$label, "strict")
  # A mixture's default is another
  spec <- unweighted_fit()$spec
  spec$family <- "normal_mixture"
  control <- utils::modifyList(unweighted_fit()$control, list(min_ess = 200))
  mixture <- verdict_fit(spec = spec, control = control)
  expect_identical(
    verdict_of(mixture, dependency("own record"))$label, "strict"
  )
})
