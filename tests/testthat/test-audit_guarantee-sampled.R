outlier_file <- function() {
  data.frame(y = c(withr::with_seed(4, stats::rnorm(30)), 9))
}

fit_file <- function(data, ..., seed = 1) {
  fit_synthesizer(
    y ~ 1, data, gaussian(),
    prior = prior_normal(intercept = c(0, 5)), chains = 4, draws = 1000,
    seed = seed, ...
  )
}

test_that("the normaliser of the loss is found by bridge sampling", {
  # x ~ N(1, 1), y ~ N(0, 1): log ratio theta - 1/2, h = theta up to a constant
  at <- withr::with_seed(1, {
    list(x = stats::rnorm(4e4, 1), y = stats::rnorm(4e4))
  })
  expect_equal(bridge_constant(at$x, at$y), 0.5, tolerance = 0.03)
  # Far apart, where the mean of exp(h) would not do
  at <- withr::with_seed(2, {
    list(x = stats::rnorm(4e4, 4), y = stats::rnorm(4e4))
  })
  expect_equal(bridge_constant(4 * at$x, 4 * at$y), 8, tolerance = 0.1)
})

test_that("the bound of a ratio is that of two exact binomial intervals", {
  low <- stats::binom.test(60, 100, conf.level = 0.975)$conf.int[1]
  high <- stats::binom.test(3, 100, conf.level = 0.975)$conf.int[2]
  expect_equal(log_ratio_bound(0.6, 100, 0.03, 100, 0.95), log(low / high))
  # What N draws can show at most: ln(N / 3) but for the confidence of four
  visible <- log_ratio_bound(1, 1000, 0, 1000, 0.95)
  expect_lt(visible, log(1000 / 3))
  expect_gt(visible, log(1000 / 6))
  expect_identical(log_ratio_bound(0, 100, 0.5, 100, 0.95), -Inf)
})

test_that("two fits of one file show no loss", {
  file <- data.frame(y = withr::with_seed(4, stats::rnorm(40)))
  fit <- fit_file(file)
  audit <- audit_guarantee(
    fit, "sampled",
    files = 2, refit = function(data) fit
  )
  expect_identical(audit$worst$loss, 0)
  expect_equal(audit$worst$estimate, 0)
  expect_gt(audit$worst$visible, 4)
})

test_that("an outlier's removal is seen, below the exact loss", {
  file <- outlier_file()
  fit <- fit_file(file)
  exact <- audit_guarantee(
    fit, "exact",
    remove = 31, replacements = 0, cells = 20000
  )
  sampled <- audit_guarantee(fit, "sampled", files = 1, seed = 3)
  expect_identical(sampled$losses$record, 31L)
  expect_gt(sampled$worst$loss, 1)
  expect_lt(sampled$worst$loss, exact$worst$loss_bulk)
  expect_lt(sampled$worst$loss, sampled$worst$visible)
  # The largest loss over draws is that over the bulk, roughly
  expect_gt(sampled$worst$estimate, 0.5 * exact$worst$loss_bulk)
  expect_lt(sampled$worst$estimate, 1.2 * exact$worst$loss_bulk)
  text <- printed(sampled)
  expect_match(text, "lower bound")
  expect_match(text, "losses up to about")
  expect_no_match(text, "pass")
  expect_s3_class(autoplot(sampled), "ggplot")
})

test_that("weights are made again without the record", {
  fit <- fit_file(outlier_file())
  lw <- update(fit, privacy_weights = lipschitz_weights(fit), seed = 2)
  again <- replay(lw, records_without(lw, 31), NULL, 5)
  expect_identical(attr(again$privacy_weights, "scheme"), "lipschitz")
  expect_length(again$privacy_weights, 30)
  # The outlier had the largest bound: without it the map starts elsewhere
  expect_lt(min(again$privacy_weights), 0.01)
  expect_gt(min(as.double(lw$privacy_weights)[-31]), 0.3)

  final <- reweight(lw, k = 0.9, seed = 3)
  without <- replay(final, records_without(final, 31), NULL, 5)
  expect_identical(attr(without$privacy_weights, "arguments")$k, 0.9)

  half <- update(fit, privacy_weights = seq(0.1, 1, length.out = 31), seed = 2)
  expect_equal(
    as.double(
      replay(half, records_without(half, 3), NULL, 5)$privacy_weights
    ),
    seq(0.1, 1, length.out = 31)[-3]
  )
})

test_that("a larger model is audited by draws", {
  ce <- head(subset(pseudosynth::ce_income, income > 0), 80)
  fit <- fit_synthesizer(
    log(income) ~ age + earner, ce, gaussian(),
    prior = prior_normal(1, c(10.8, 2.5)), seed = 1
  )
  audit <- audit_guarantee(fit, files = 2, seed = 2)
  expect_identical(audit$method, "sampled")
  expect_identical(nrow(audit$losses), 2L)
  expect_gte(audit$worst$loss, 0)
  expect_error(
    audit_guarantee(fit, "exact"),
    class = "pseudosynth_error_input"
  )
  broken <- fit
  broken$converged <- FALSE
  expect_error(
    audit_guarantee(broken, "sampled"),
    class = "pseudosynth_error_privacy"
  )
  expect_error(
    audit_guarantee(fit, refit = function(data) 1),
    class = "pseudosynth_error_input"
  )
})
