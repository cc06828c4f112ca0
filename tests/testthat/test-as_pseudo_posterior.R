test_that("stages made one by one look as those of one call", {
  data <- simulated()
  fit <- quick_fit(data = data)
  lw <- update(fit, privacy_weights = lipschitz_weights(fit), seed = 2)
  job <- as_pseudo_posterior(
    synthesize(lw, 2, seed = 3), list(unweighted = fit, lw = lw)
  )
  expect_s3_class(job, "pseudo_posterior")
  expect_identical(job$mechanism, "lw")
  expect_identical(job$stages$stage, c("unweighted", "lw"))
  expect_identical(job$stages$lipschitz_bound[2], lw$bound$overall)
  expect_identical(guarantee(job)$epsilon$total, guarantee(
    lw, 2
  )$epsilon$total[c("replace", "add-remove")])
  expect_output(print(job), "m = 2 sets")
  for (type in c("bounds", "weights", "density")) {
    expect_no_error(ggplot2::ggplot_build(autoplot(job, type)))
  }
})

test_that("stages that do not belong together are refused", {
  fit <- quick_fit()
  lw <- update(fit, privacy_weights = lipschitz_weights(fit), seed = 2)
  other <- quick_fit(data = simulated(40))
  refuse <- function(...) {
    expect_error(as_pseudo_posterior(...), class = "pseudosynth_error_input")
  }
  set <- synthesize(lw, seed = 1)
  refuse(set, list(fit, lw))
  refuse(set, list(a = fit, a = lw))
  refuse(set, list())
  refuse(set, list(lw = lw$draws))
  refuse(set, list(unweighted = other, lw = lw))
  refuse(set, list(lw = lw, unweighted = fit))
  refuse(set$sets[[1]], list(lw = lw))
  refuse(set, list(lw = lw), margin = 1)
})

# Parts that do not belong together --------------------------------------------

beta_parts <- function() {
  remember("beta_parts", local({
    data <- skewed_file(100)
    fit <- fit_synthesizer(y ~ 1, data, beta_response(c(0, 1)),
      censor = censor(5), chains = 2, warmup = 300, draws = 1000, seed = 1
    )
    list(data = data, fit = fit, set = synthesize(fit, 2))
  }))
}

expect_other_parts <- function(..., pattern) {
  error <- tryCatch(as_pseudo_posterior(...), error = identity)
  expect_s3_class(error, "pseudosynth_error_other_parts")
  expect_s3_class(error, "pseudosynth_error_input")
  expect_match(gsub("\\s+", " ", conditionMessage(error)), pattern)
}

test_that("a job's label is that of its sets and never smaller", {
  parts <- beta_parts()
  expect_equal(guarantee(parts$set)$epsilon$total[["replace"]], 20)
  job <- as_pseudo_posterior(parts$set, list(a = parts$fit))
  expect_identical(
    guarantee(job)$epsilon$total, guarantee(parts$set)$epsilon$total
  )
  expect_identical(guarantee(job, public = TRUE), guarantee(parts$set))
  expect_error(guarantee(job, m = 1), class = "pseudosynth_error_input")
  expect_error(guarantee(job, m = 3), class = "pseudosynth_error_input")
})

test_that("a fit that the sets were not drawn from is refused", {
  parts <- beta_parts()
  cheap <- suppressWarnings(
    update(parts$fit, censor = censor(0.5), seed = 1)
  )
  again <- update(parts$fit, seed = 2)
  for (fit in list(cheap, again)) {
    expect_other_parts(
      parts$set, list(a = fit),
      pattern = "not drawn from the last"
    )
    expect_other_parts(
      parts$set, list(b = parts$fit, a = fit),
      pattern = "not drawn from the last"
    )
  }
  # A fit that took the identity of another
  cheap$id <- parts$fit$id
  expect_other_parts(
    parts$set, list(a = cheap),
    pattern = "epsilon.*not what its parts give"
  )
})

test_that("the margin of the sets cannot be left out or exchanged", {
  parts <- beta_parts()
  histogram <- function(epsilon = 0.5, ...) {
    perturbed_histogram(
      y ~ 1, parts$data,
      bounds = c(0, 1), bins = 20, epsilon = epsilon, ...
    )
  }
  margin <- histogram()
  set <- synthesize(parts$fit, 2, margin = margin)
  expect_other_parts(set, list(a = parts$fit), pattern = "also charges for")
  expect_other_parts(
    set, list(a = parts$fit), histogram(),
    pattern = "also charges for"
  )
  expect_other_parts(
    parts$set, list(a = parts$fit), margin,
    pattern = "not what its parts give"
  )
  edited <- margin
  edited$epsilon <- 0.01
  expect_other_parts(
    set, list(a = parts$fit), edited,
    pattern = "not what its parts give"
  )
  job <- as_pseudo_posterior(set, list(a = parts$fit), margin)
  expect_equal(
    guarantee(job)$epsilon$total, by_relation(0.5 + 10)[2:1]
  )
})

test_that("an edited label is refused", {
  parts <- beta_parts()
  edits <- list(
    function(g) utils::modifyList(g, list(m = 1L)),
    function(g) utils::modifyList(g, list(reasons = "trust me")),
    function(g) utils::modifyList(g, list(reproducible = FALSE)),
    function(g) {
      g$epsilon$total <- g$epsilon$total / 2
      g
    },
    function(g) {
      g$charges$times <- 1
      g
    },
    function(g) {
      g$charges$add_remove <- 0.1
      g
    },
    function(g) {
      g$note <- "approved"
      g
    }
  )
  for (edit in edits) {
    set <- parts$set
    set$guarantee <- edit(set$guarantee)
    expect_other_parts(
      set, list(a = parts$fit),
      pattern = "not what its parts give"
    )
  }
  fewer <- parts$set
  fewer$sets <- fewer$sets[1]
  expect_other_parts(
    fewer, list(a = parts$fit),
    pattern = "not what its parts give"
  )
  other <- parts$set
  other$made_by$assignment <- "posterior"
  expect_other_parts(
    other, list(a = parts$fit),
    pattern = "not what its parts give"
  )
})
