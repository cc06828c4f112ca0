study_fit <- function(...) {
  data <- withr::with_seed(3, data.frame(y = stats::rt(80, 5)))
  fit_synthesizer(y ~ 1, data, student_t(5),
    prior = prior_normal(intercept = c(0, 5)), chains = 2, warmup = 200,
    draws = 500, seed = 1, threads = 1, ...
  )
}
fit <- study_fit()
lw <- update(fit, privacy_weights = lipschitz_weights(fit), seed = 2)

test_that("every local database repeats the mechanism by hand", {
  databases <- lapply(1:2, function(r) {
    withr::with_seed(10 + r, data.frame(y = stats::rt(60, 5)))
  })
  study <- replicate_study(
    lw, 10,
    replicates = 2, generate = function(r) databases[[r]], seed = 5
  )
  for (r in 1:2) {
    own <- stage_seed(5, "replicate", r)
    by_hand <- function(stage, weights = NULL) {
      fit_synthesizer(y ~ 1, databases[[r]], student_t(5),
        prior = prior_normal(intercept = c(0, 5)), privacy_weights = weights,
        chains = 2, warmup = 200, draws = 500, threads = 1,
        seed = stage_seed(own, "replay", stage)
      )
    }
    again <- by_hand(0, lipschitz_weights(by_hand(1)))
    expect_equal(study$table$lipschitz_bound[r], again$bound$overall)
  }
  expect_identical(study$table$epsilon, 2 * study$table$lipschitz_bound)
  local <- subset(study$estimands, source == "local database" & replicate == 2)
  expect_equal(
    local$value[local$estimand == "median"], stats::median(databases[[2]]$y)
  )
})

test_that("a study is reproducible, and counts exactly", {
  study <- replicate_study(lw, 5, replicates = 6, seed = 9)
  again <- replicate_study(lw, 5, replicates = 6, seed = 9)
  expect_identical(study$table, again$table)
  expect_identical(study$above, sum(study$table$epsilon > 5))
  expect_equal(
    study$share_upper,
    stats::binom.test(study$above, 6, alternative = "less")$conf.int[2]
  )
  expect_equal(nrow(study$estimands), 6 * 2 * 4)
  expect_output(print(study), "of 6, a share of at most")
})

test_that("a study of a model without a mean has no mean among estimands", {
  data <- withr::with_seed(4, data.frame(y = exp(stats::rt(80, 5))))
  of_log <- function(df) {
    fit_synthesizer(log(y) ~ 1, data, student_t(df),
      prior = prior_normal(intercept = c(0, 5)), chains = 2, warmup = 200,
      draws = 500, seed = 1, threads = 1
    )
  }
  study <- replicate_study(of_log(5), 20, replicates = 2, seed = 4)
  expect_setequal(study$estimands$estimand, c("q15", "median", "q90"))
  own <- replicate_study(of_log(5), 20,
    replicates = 2, seed = 4, estimands = function(y) c(mean = mean(y))
  )
  expect_setequal(own$estimands$estimand, "mean")
})

test_that("a fit that has not converged counts as above", {
  rows <- data.frame(
    replicate = 1:3, delta = c(1, 1, 9), epsilon = c(2, 2, 18),
    oscillation = 1, converged = c(TRUE, FALSE, TRUE)
  )
  study <- new_replicate_study(rows, NULL, lw, 10, 0.95, FALSE, FALSE)
  expect_identical(study$above, 2L)
  all_above <- new_replicate_study(rows[3, ], NULL, lw, 10, 0.95, FALSE, FALSE)
  expect_identical(all_above$share_upper, 1)
})

test_that("the label states the epsilon, and what was estimated", {
  epsilon <- 4 * lw$bound$overall
  study <- replicate_study(lw, epsilon, replicates = 8, seed = 4)
  # Whether this file is like its databases is not what is tested here
  study$file_rank <- 0.5
  study <- seal(study)
  label <- guarantee(lw, m = 3, study = study)
  expect_identical(label$label, "probabilistic")
  expect_false(label$holds)
  expect_equal(label$epsilon$total[["add-remove"]], 3 * epsilon)
  expect_equal(label$epsilon$total[["replace"]], 6 * epsilon)
  expect_identical(label$exceedance$replicates, 8L)
  expect_output(print(label), "local databases")
  public <- guarantee(lw, study = study, public = TRUE)
  expect_null(public$exceedance)
  expect_true(all(is.na(public$epsilon$total)))
  expect_no_match(to_json(public), "exceedance|share_upper|of 8")
})

test_that("a study gives no label where its precondition fails", {
  study <- replicate_study(lw, 30, replicates = 3, seed = 4)
  edited <- study
  edited$above <- 0
  expect_error(
    guarantee(lw, study = edited),
    class = "pseudosynth_error_edited"
  )
  study$file_rank <- 0.5
  study <- seal(study)
  study <- seal(study)
  expect_identical(guarantee(lw, study = study)$label, "probabilistic")
  refused <- function(fit, study) {
    expect_error(
      guarantee(fit, study = study),
      class = "pseudosynth_error_privacy"
    )
  }
  refused(fit, study)
  clipped <- suppressWarnings(
    update(lw, privacy_weights = NULL, censor = censor(10), seed = 1)
  )
  refused(clipped, study)
  final <- reweight(lw, k = 0.9, seed = 3)
  refused(final, study)
  small <- study
  small$epsilon <- lw$bound$overall
  refused(lw, seal(small))
  unlike <- study
  unlike$file_rank <- 0
  refused(lw, seal(unlike))
  expect_error(
    guarantee(lw, study = data.frame()),
    class = "pseudosynth_error_input"
  )
})

test_that("input is checked", {
  bad <- function(..., class = "pseudosynth_error_input") {
    expect_error(replicate_study(...), class = class)
  }
  bad(1, 5)
  bad(lw, -1)
  bad(lw, 5, replicates = 0)
  bad(lw, 5, replicates = 1e6)
  bad(lw, 5, generate = 1)
  bad(lw, 5, replicates = 1, generate = function(r) data.frame(z = 1:3))
  bad(lw, 5, level = 1)
  by_hand <- update(lw, privacy_weights = rep(0.5, 80) + 0.1, seed = 1)
  bad(by_hand, 5, replicates = 1)
  unconverged <- lw
  unconverged$converged <- FALSE
  bad(unconverged, 5, class = "pseudosynth_error_privacy")
})

test_that("the figure shows epsilon and this file", {
  study <- replicate_study(lw, 12, replicates = 4, seed = 4)
  figure <- autoplot(study)
  expect_s3_class(figure, "ggplot")
  expect_identical(nrow(figure$data), 4L)
  expect_match(figure$labels$caption, "Confidential")
})

test_that("estimands are checked before anything is fitted", {
  fitted <- FALSE
  local_replaced("replay", function(...) {
    fitted <<- TRUE
    stop("fitted")
  })
  for (estimands in list(
    function(y) NULL, function(y) numeric(), function(y) c(1, 2),
    function(y) c(a = NA_real_), function(y) c(a = 1, a = 2),
    function(y) c(a = "1"), function(y) stop("secret ", y[1])
  )) {
    error <- expect_error(
      replicate_study(lw, 5, replicates = 1, estimands = estimands),
      class = "pseudosynth_error_input"
    )
    expect_identical(error$arg, "estimands")
    expect_match(
      conditionMessage(error), "estimands() of the file",
      fixed = TRUE
    )
    expect_no_match(conditionMessage(error), "secret")
  }
  expect_false(fitted)
})

test_that("a function that fails is named with its local database", {
  fails <- function(..., arg, says) {
    error <- expect_error(
      replicate_study(lw, 5, replicates = 2, seed = 1, ...),
      class = "pseudosynth_error_input"
    )
    expect_identical(error$arg, arg)
    expect_match(conditionMessage(error), says, fixed = TRUE)
    expect_no_match(conditionMessage(error), "secret")
  }
  database <- function(r) {
    if (r == 2) stop("secret")
    data.frame(y = stats::rt(60, 5))
  }
  same <- function(data) lw
  fails(
    generate = database, refit = same,
    arg = "generate", says = "generate(2) failed"
  )
  fails(
    generate = function(r) if (r == 1) data.frame(y = c(1, NA)), refit = same,
    arg = "generate", says = "records of generate(1)"
  )
  fails(
    refit = function(data) stop("secret"),
    arg = "refit", says = "refit() of local database 1 failed"
  )
  calls <- 0
  fails(
    refit = same, estimands = function(y) {
      calls <<- calls + 1
      c(a = if (calls == 5) NA_real_ else 1)
    }, arg = "estimands",
    says = "estimands() of the synthetic set of local database 2"
  )
})
