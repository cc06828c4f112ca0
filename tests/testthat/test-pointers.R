test_that("sets in the place of results are shown the way to pool()", {
  sets <- structure(list(), class = "synthetic_data")
  given <- "pseudosynth_error_input"
  expect_error(pool(sets, mean), "with\\(sets", class = given)
  expect_error(pool(list(), mean), "level", class = given)
})

test_that("compare() of sets without their file asks for it", {
  expect_error(
    compare(data.frame(y = 1)), "confidential file",
    class = "pseudosynth_error_input"
  )
})

test_that("words of other packages are answered with ours", {
  d <- data.frame(y = rnorm(5))
  expect_error(
    fit_synthesizer(y ~ 1, d, gaussian(), iter = 10), "warmup",
    class = "pseudosynth_error_input"
  )
  expect_error(
    fit_synthesizer(y ~ 1, d, gaussian(), support = c(0, 9)), "bounds",
    class = "pseudosynth_error_input"
  )
  expect_error(
    fit_synthesizer(y ~ 1, d, gaussian(), sampler = "nuts"), "sampler_control",
    class = "pseudosynth_error_input"
  )
  expect_error(
    utility(d, d, "y", formula = y ~ 1), "regression",
    class = "pseudosynth_error_input"
  )
})

test_that("a damaged job file is not said to be made again", {
  folder <- withr::local_tempdir()
  for (name in c("job", "result", "step-001")) {
    writeLines("damaged", file.path(folder, name))
  }
  hint <- function(name) {
    tryCatch(
      read_kept(file.path(folder, name)),
      pseudosynth_error_checkpoint = conditionMessage
    )
  }
  expect_match(hint("job"), "new folder")
  expect_match(hint("result"), "new folder")
  expect_match(hint("step-001"), "made again")
})

test_that("a grid without a figure leaves an unknown share", {
  grid <- list(grid = list(unresolved = NA_real_), n_nonfinite = 0,
    accept_stat = 1)
  expect_match(judge_grid(grid), "an unknown share of the posterior")
})

test_that("formulas of other packages are told what stands for them here", {
  data <- data.frame(
    y = exp(seq(-1, 1, length.out = 30)), x = rep(1:10, 3),
    g = factor(rep(1:3, 10))
  )
  told <- function(formula, file = data) {
    error <- expect_error(
      fit_synthesizer(formula, file, gaussian()),
      class = "pseudosynth_error_input"
    )
    gsub("\\s+", " ", conditionMessage(error))
  }
  expect_match(told(log(y) ~ (1 | g)), "no random effects")
  expect_match(told(log(y) ~ s(x)), "splines::ns(x, 4)", fixed = TRUE)
  expect_match(told(y ~ ., data["y"]), "y ~ 1", fixed = TRUE)
  labelled <- data
  labelled$x <- structure(as.double(data$x),
    labels = c(low = 1), class = c("haven_labelled", "vctrs_vctr", "double")
  )
  expect_match(told(log(y) ~ x, labelled), "zap_labels")
  expect_match(told(x ~ g, labelled), "zap_labels")
})

test_that("the example of a reference has the shape of the family", {
  data <- data.frame(y = rep(0:4, 6), g = factor(rep(1:3, 10)))
  told <- function(family, formula = y ~ g) {
    conditionMessage(expect_error(
      score_release(formula, data, family, epsilon = 1),
      class = "pseudosynth_error_input"
    ))
  }
  expect_match(told(neg_binomial()), "size = 2")
  expect_no_match(told(poisson()), "sigma")
  expect_match(told(gaussian()), "sigma = 1")
})

test_that("epsilons are printed in four digits and never below themselves", {
  expect_identical(
    format_up(c(1.79335130224554, 1, 0.99999, 8.74041, 1234.5678, NA)),
    c("1.794", "1", "1", "8.741", "1,235", "-")
  )
  shown <- as.numeric(format_up(withr::with_seed(1, stats::runif(1000))))
  exact <- withr::with_seed(1, stats::runif(1000))
  expect_true(all(shown >= exact - 1e-12))
  expect_true(all(shown <= exact * 1.0011))
})
