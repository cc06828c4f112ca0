# Levels keep the file's order, and coefficients are compared by what they mean.

poorer <- c("poor", "average", "excellent")

health_file <- function(n = 240) {
  withr::with_seed(3, {
    data <- data.frame(
      health = factor(sample(poorer, n, TRUE), poorer),
      gender = factor(sample(c("male", "female"), n, TRUE), c("male", "female"))
    )
    data$y <- round(exp(rnorm(
      n, 2 + (data$health == "excellent") / 2 - (data$gender == "female") / 2,
      0.4
    )), 2)
    data
  })
}

test_that("one-variable sets keep the order of levels, whatever draws them", {
  data <- health_file()
  orders <- lapply(data[c("health", "gender")], levels)
  keeps <- function(sets) {
    set <- as.data.frame(sets, set = 1)
    expect_identical(lapply(set[c("health", "gender")], levels), orders)
  }
  fit <- quick_fit(log(y) ~ health + gender, data, prior = prior_normal())
  keeps(synthesize(fit, allow_unconverged = TRUE))
  generator <- suppressMessages(as_generator(fit, allow_unconverged = TRUE))
  keeps(synthesize(generator, newdata = data))
  scores <- suppressWarnings(score_release(
    log(y) ~ health + gender, data, gaussian(),
    epsilon = 5, reference = list("(Intercept)" = 2, sigma = 1)
  ))
  expect_identical(
    names(coef(scores)),
    c("(Intercept)", "healthaverage", "healthexcellent", "genderfemale")
  )
  keeps(synthesize(scores, newdata = data))
  histogram <- perturbed_histogram(
    y ~ 1, data, epsilon = 5, bounds = c(0.1, 1000)
  )
  keeps(synthesize(histogram, newdata = data))
})

test_that("labels of a response stand as they are stated", {
  data <- health_file()
  backwards <- rev(poorer)
  fit <- quick_fit(
    health ~ gender, data, categorical(), prior = prior_normal(),
    response = public_response(levels = backwards)
  )
  set <- synthesize(fit, allow_unconverged = TRUE)[[1]]
  expect_identical(levels(set$health), backwards)
})

test_that("whole files have the codebook's order, and a message says so", {
  data <- health_file()
  data$y <- NULL
  sets <- synthesize(file_release(
    file_plan(data, confirm_codebook(draft_codebook(data))), 5, seed = 1
  ))
  expect_identical(lapply(sets[[1]], levels), lapply(data, levels))
  book <- as.data.frame(draft_codebook(data))
  book$levels[[1]] <- rev(poorer)
  expect_message(
    plan <- file_plan(data, confirm_codebook(codebook(book))),
    "\"health\" stand in the codebook's order",
    class = "pseudosynth_message_level_order"
  )
  set <- synthesize(file_release(plan, 5, seed = 1))[[1]]
  expect_identical(levels(set$health), rev(poorer))
})

test_that("contrasts are named, and comparisons use the file's", {
  data <- health_file()
  stats::contrasts(data$health) <- stats::contr.treatment(poorer, base = 2)
  expect_message(
    fit <- quick_fit(log(y) ~ health + gender, data, prior = prior_normal()),
    "contrasts of \"health\" are left out",
    class = "pseudosynth_message_contrasts"
  )
  set <- data
  attr(set$health, "contrasts") <- NULL
  # The same records: whatever the coding, nothing is off
  one <- utility(set, data, "y", regression = log(y) ~ health + gender)
  expect_equal(one$table$overlap, 1)
  expect_identical(file_models(
    list(m = log(y) ~ health), data, list(set), NULL
  )$coefficients$term, c("(Intercept)", "healthpoor", "healthexcellent"))
  plain <- coded_alike(list(data, set), c("health", "y"))
  expect_identical(plain[[1]], plain[[2]])
  expect_identical(attr(plain[[2]]$health, "contrasts"), contrasts(data$health))
})

test_that("sorted levels and text are no other coefficients", {
  data <- health_file()
  set <- transform(data, gender = as.character(gender), health = factor(health))
  set$gender <- factor(set$gender)
  expect_identical(levels(set$gender), c("female", "male"))
  found <- file_models(
    list(m = log(y) ~ health + gender), data, list(set), NULL
  )$coefficients
  expect_true("genderfemale" %in% found$term)
  expect_equal(found$estimate, found$file)
  set$gender <- as.character(set$gender)
  found <- file_models(
    list(m = log(y) ~ health + gender), data, list(set), NULL
  )$coefficients
  expect_equal(found$estimate, found$file)
})

test_that("coefficients beside a level that is not there are not compared", {
  data <- health_file()
  compared <- function(set, formula = log(y) ~ health + gender) {
    file_models(list(m = formula), data, list(set), NULL)$coefficients$term
  }
  expect_identical(
    compared(subset(data, health != "poor")), "genderfemale"
  )
  expect_identical(
    compared(subset(data, health != "average")),
    c("(Intercept)", "healthexcellent", "genderfemale")
  )
  # With an interaction the other main effect is of the first level alone
  expect_identical(
    compared(subset(data, health != "poor"), log(y) ~ health * gender),
    character()
  )
  # In a set two columns say the same, and one carries both
  twin <- transform(data, x = as.integer(gender == "female"))
  data$x <- withr::with_seed(1, rnorm(nrow(data)))
  expect_false(any(
    c("x", "genderfemale") %in% compared(twin, log(y) ~ gender + x)
  ))
})

test_that("pool() refuses coefficients of other meanings under one name", {
  data <- health_file()
  fits <- function(a, b) {
    lapply(list(a, b), function(d) stats::lm(log(y) ~ health, d))
  }
  expect_no_error(pool(fits(data, data), rule = "rubin"))
  other <- data
  stats::contrasts(other$health) <- "contr.sum"
  named <- data
  stats::contrasts(named$health) <- stats::contr.treatment(poorer)
  stats::contrasts(other$health) <- structure(
    stats::contr.sum(3), dimnames = list(poorer, poorer[-1])
  )
  expect_error(
    pool(fits(data, other), rule = "rubin"), "code categories alike",
    class = "pseudosynth_error_input"
  )
  pooled <- pool(fits(data, data), rule = "rubin")
  expect_error(
    ggplot2::autoplot(
      pooled, confidential = stats::lm(log(y) ~ health, other)
    ),
    "code categories alike", class = "pseudosynth_error_input"
  )
})
