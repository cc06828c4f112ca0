test_that("coef() is the posterior mean, of a job that of its last fit", {
  fit <- unweighted_fit()
  draws <- as.data.frame(as_draws_df(fit))
  expect_equal(coef(fit), colMeans(draws[fit$design$columns]))
  job <- small_job()
  last <- job$internal$fits[[length(job$internal$fits)]]
  expect_identical(coef(job), coef(last))
  expect_error(coef(quick_mixture()), class = "pseudosynth_error_input")
})

test_that("weights() are the privacy weights, 1 where there are none", {
  expect_identical(weights(lw_fit()), lw_fit()$privacy_weights)
  ones <- weights(unweighted_fit())
  expect_true(is_privacy_weights(ones))
  expect_identical(as.double(ones), rep(1, nobs(unweighted_fit())))
  job <- small_job()
  last <- job$internal$fits[[length(job$internal$fits)]]
  expect_identical(weights(job), weights(last))
})

test_that("what has no meaning is an error and never NULL", {
  objects <- list(
    fit = unweighted_fit(), job = small_job(), sets = small_job()$synthetic
  )
  verbs <- list(
    fitted = fitted, residuals = residuals, deviance = deviance,
    df.residual = df.residual, sigma = sigma
  )
  for (name in names(verbs)) {
    for (object in objects) {
      error <- expect_error(
        verbs[[name]](object),
        class = "pseudosynth_error_input"
      )
      expect_match(conditionMessage(error), paste0(name, "()"), fixed = TRUE)
    }
  }
  for (verb in list(coef, weights)) {
    expect_error(verb(objects$sets), class = "pseudosynth_error_input")
  }
  for (verb in list(head, tail)) {
    for (object in objects[1:2]) {
      expect_error(verb(object), class = "pseudosynth_error_input")
    }
  }
})

test_that("nobs() of a job are the records of its file", {
  expect_identical(nobs(small_job()), nobs(unweighted_fit()))
})

test_that("nobs() of sets, labels and releases are their records", {
  job <- small_job()
  n <- nobs(job)
  expect_identical(nobs(job$synthetic), n)
  expect_identical(nobs(guarantee(job)), n)
  expect_identical(nobs(ce_release(ce_positive(200), epsilon = 4)), 200L)
  expect_error(nobs(censor(2)), class = "pseudosynth_error_input")
})

test_that("as.data.frame() of a job is its sets as they leave, nothing else", {
  job <- small_job()
  all <- as.data.frame(job)
  expect_named(all, c("set", names(job$synthetic[[1]])))
  expect_identical(all$set, rep(1:3, each = nobs(job)))
  second <- as.data.frame(job, set = 2)
  expect_identical(sort(second$income), sort(job$synthetic[[2]]$income))
  expect_false(identical(second$income, job$synthetic[[2]]$income))
  expect_error(as.data.frame(job, set = 4), class = "pseudosynth_error_input")
  path <- withr::local_tempfile(fileext = ".csv")
  utils::write.csv(job, path, row.names = FALSE)
  expect_named(utils::read.csv(path), names(all))
})
