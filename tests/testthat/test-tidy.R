test_that("a fit has a row for each quantity, and one row of all", {
  skip_if_not_installed("generics")
  fit <- lw_fit()
  table <- generics::tidy(fit)
  expect_identical(table$term, summary(fit)$table$variable)
  expect_equal(table$estimate, summary(fit)$table$mean)
  expect_true(all(table$conf.low < table$conf.high))
  row <- generics::glance(fit)
  expect_identical(nrow(row), 1L)
  expect_identical(row$lipschitz_bound, lipschitz(fit)$overall)
  expect_identical(row$nobs, nobs(fit))
  expect_identical(row$label, "asymptotic")
})

test_that("augment() puts weights and bounds beside the records", {
  skip_if_not_installed("generics")
  for (x in list(lw_fit(), small_job())) {
    found <- generics::augment(x)
    expect_identical(found$income, privacy_data()$income)
    expect_identical(found$.bound, lipschitz(x)$record)
    expect_identical(found$.weight, as.double(weights(x)))
  }
})

test_that("jobs, bounds and measures have tables and rows", {
  skip_if_not_installed("generics")
  job <- small_job()
  expect_identical(generics::tidy(job), job$stages)
  row <- generics::glance(job)
  expect_identical(row$m, 3L)
  expect_identical(
    row$add_remove, guarantee(job)$epsilon$total[["add-remove"]]
  )
  bound <- lipschitz(job)
  expect_identical(as.data.frame(bound)$bound, bound$record)
  expect_identical(generics::tidy(bound), as.data.frame(bound))
  expect_identical(generics::glance(bound)$lipschitz_bound, bound$overall)
  use <- utility(job)
  expect_identical(generics::tidy(use), use$table)
  expect_equal(generics::glance(use)$ecdf_max, mean(use$table$ecdf_max))
  risk <- identification_risk(job, known = "earner", radius = 0.2)
  expect_identical(generics::tidy(risk), risk$record)
  expect_identical(
    generics::glance(risk)$mean_risk, risk$overall[["mean_risk"]]
  )
  attribution <- risk(job, keys = "earner")
  expect_identical(nrow(generics::glance(attribution)), 1L)
  expect_s3_class(generics::tidy(attribution), "data.frame")
  expect_s3_class(generics::tidy(weights(job)), "data.frame")
})

test_that("every result has a table, one row of the whole and a summary", {
  skip_if_not_installed("generics")
  skip_if_not_installed("jsonlite")
  data <- privacy_data()
  job <- small_job()
  sets <- job$synthetic
  reference <- list("(Intercept)" = 10.8, sigma = 1)
  histogram <- perturbed_histogram(
    log(income) ~ 1, data,
    bounds = c(10, 2e6), epsilon = 1
  )
  scores <- score_release(log(income) ~ age, data,
    epsilon = 5, delta = 1e-6, reference = reference, bounds = c(10, 2e6)
  )
  path <- withr::local_tempfile(fileext = ".ledger")
  book <- ledger(path, epsilon = 5)
  synthesize(histogram, ledger = book)
  small <- data.frame(y = c(stats::qnorm(1:19 / 20), 4))
  outside <- external_fit(log_lik(lw_fit()))
  results <- list(
    outside,
    lw_fit(), lw_fit()$bound, lw_fit()$privacy_weights, job, sets,
    guarantee(job), histogram, scores, book, utility(job),
    identification_risk(job, known = "earner", radius = 0.2),
    risk(job, keys = "earner"),
    pool(lapply(sets, function(set) stats::lm(log(income) ~ age, set))),
    compare(job), replicate_study(lw_fit(), 20, replicates = 2, seed = 1),
    audit_guarantee(y ~ 1, small, gaussian(),
      mechanism = "censor_uw", epsilon = 1,
      prior = prior_normal(intercept = c(0, 2)), replacements = 2, cells = 2500
    ),
    audit_guarantee(scores, data, replicates = 0)
  )
  for (result in results) {
    table <- generics::tidy(result)
    expect_s3_class(table, "data.frame")
    expect_gt(nrow(table), 0)
    expect_false(any(vapply(table, is.list, TRUE)))
    row <- generics::glance(result)
    expect_s3_class(row, "data.frame")
    expect_identical(nrow(row), 1L)
    # A row for each record, term, set or run here, too
    expect_gt(nrow(as.data.frame(result)), 0)
    # The default would tell of lengths and modes of elements
    expect_false(inherits(summary(result), "summaryDefault"))
    expect_false(is.table(summary(result)))
  }
  expect_equal(generics::tidy(scores)$estimate, unname(coef(scores)))
  expect_equal(generics::glance(book)$spent, 1)
  bins <- generics::tidy(histogram)
  expect_identical(bins$count, histogram$counts)
  expect_identical(bins$upper[-nrow(bins)], bins$lower[-1])
})
