# Of a release; `combine` as if they were drawn by another rule
weighted_sets <- function(m = 1, n = 400, combine = "none") {
  data <- utils::head(
    subset(ce_income, income > 0, c("income", "sex", "earner")), n
  )
  data$w <- withr::with_seed(8, stats::runif(n, 50, 150)) *
    ifelse(data$sex == "female", 2, 1)
  book <- as.data.frame(draft_codebook(data))
  book[c(1, 4), "lower"] <- c("1", "10")
  book[c(1, 4), "upper"] <- c("2000000", "1000")
  book[c(1, 4), "transform"] <- "log"
  book <- confirm_codebook(codebook(book))
  release <- remember("weighted", file_release(
    file_plan(data, book, survey_weights = "w"), 5,
    seed = 1
  ))
  sets <- synthesize(release, m, seed = 2)
  sets$made_by$combine <- combine
  seal(sets)
}

test_that("a design has the set's weighted means and standard errors", {
  skip_if_not_installed("survey")
  sets <- weighted_sets(combine = "reiter")
  design <- survey_design(sets)
  expect_s3_class(design, "survey.design2")
  set <- sets[[1]]
  expect_equal(sort(unname(weights(design))), sort(set$w))
  found <- survey::svymean(~income, design)
  mean <- stats::weighted.mean(set$income, set$w)
  expect_equal(unname(coef(found)), mean)
  # Linearized variance of a ratio, every record a cluster
  n <- nrow(set)
  z <- set$w * (set$income - mean) / sum(set$w)
  expect_equal(
    unname(survey::SE(found))[1], sqrt(n / (n - 1) * sum(z^2))
  )
  expect_identical(names(design$variables), names(set))
})

test_that("a raked design knows that its totals are not estimated", {
  skip_if_not_installed("survey")
  sets <- rake_weights(
    weighted_sets(combine = "reiter"),
    data.frame(sex = c("male", "female"), total = c(25000, 35000))
  )
  design <- survey_design(sets)
  found <- survey::svytotal(~sex, design)
  expect_equal(unname(coef(found)), c(25000, 35000))
  expect_lt(max(survey::SE(found)), 1)
  expect_identical(names(design$variables), names(sets[[1]]))
  # The same as survey's own raking of the set, and nearly that of its
  # post-stratification, whose residuals are of one step
  plain <- survey::svydesign(
    ids = ~1, weights = ~w, data = as.data.frame(sets, set = 1)
  )
  totals <- data.frame(sex = c("male", "female"), Freq = c(25000, 35000))
  error <- function(x) survey::SE(survey::svymean(~income, x))
  expect_equal(
    error(design), error(survey::rake(plain, list(~sex), list(totals)))
  )
  expect_equal(
    error(design), error(survey::postStratify(plain, ~sex, totals)),
    tolerance = 0.01
  )
})

test_that("with() runs a function in each design, and pool() combines", {
  skip_if_not_installed("survey")
  sets <- weighted_sets(3, combine = "rubin")
  designs <- survey_design(sets)
  expect_s3_class(designs, "svyimputationList")
  means <- with(designs, survey::svymean(~income))
  expect_length(means, 3)
  each <- vapply(as.list(sets), function(set) {
    stats::weighted.mean(set$income, set$w)
  }, 0)
  pooled <- pool(means)
  expect_equal(unname(coef(pooled)), mean(each))
  expect_equal(
    vcov(pooled)[1, 1],
    mean(vapply(means, function(x) vcov(x)[1, 1], 0)) +
      (1 + 1 / 3) * stats::var(each)
  )
  cut <- 30000
  pooled <- pool(with(designs, survey::svyglm(log(income) ~ earner)))
  expect_identical(pooled$table$term, c("(Intercept)", "earneryes"))
  shares <- with(designs, survey::svymean(~ I(income > cut)))
  expect_length(shares, 3)
  expect_error(with(designs, cut), class = "pseudosynth_error_input")
  sets <- weighted_sets(3, combine = "reiter")
  expect_s3_class(survey_design(sets, 2), "survey.design2")
  expect_error(survey_design(sets, 4), class = "pseudosynth_error_input")
})

test_that("sets that leave out the noise of their release have no design", {
  refused <- function(sets, ...) {
    expect_error(
      survey_design(sets, ...), "uncertainty = TRUE",
      class = "pseudosynth_error_no_noise"
    )
  }
  refused(weighted_sets())
  refused(weighted_sets(2))
  refused(weighted_sets(2), 1)
  refused(weighted_sets(combine = "rubin"))
  refused(weighted_sets(2, combine = "rubin"), 2)
  # Nor once they are raked
  totals <- data.frame(sex = c("male", "female"), total = c(25000, 35000))
  refused(rake_weights(weighted_sets(), totals))
})

test_that("pooled designs of a release know its noise", {
  skip_if_not_installed("survey")
  skip_unless_nightly()
  population <- subset(ce_income, income > 0, c("income", "region"))
  truth <- tapply(population$income, population$region, mean)
  near <- withr::with_seed(5, vapply(1:20, function(k) {
    data <- population[sample(nrow(population), 3000, TRUE), ]
    data$w <- runif(3000, 50, 150)
    book <- as.data.frame(draft_codebook(data))
    book[c(1, 3), "lower"] <- c("1", "10")
    book[c(1, 3), "upper"] <- c("2000000", "1000")
    book[c(1, 3), "transform"] <- "log"
    plan <- file_plan(
      data, confirm_codebook(codebook(book)), survey_weights = "w"
    )
    sets <- synthesize(
      file_release(plan, 1, seed = k), 10, seed = k, uncertainty = TRUE
    )
    found <- pool(with(
      survey_design(sets),
      survey::svyby(~income, ~region, FUN = survey::svymean)
    ))$table
    mean(abs(found$estimate - truth[found$term]) < 1.96 * found$std_error)
  }, 0))
  # 80 means, not independent
  expect_gt(mean(near), 0.86)
})

test_that("a design holds nothing of where it was made", {
  skip_if_not_installed("survey")
  design <- survey_design(weighted_sets(combine = "reiter"))
  expect_identical(
    deparse(design$call), "svydesign(ids = ~1, data = set, weights = ~w)"
  )
  environments <- character()
  rapply(unclass(design), function(x) {
    env <- attr(x, ".Environment")
    if (!is.null(env)) environments <<- c(environments, format(env))
  }, how = "unlist")
  expect_length(environments, 0)
})
