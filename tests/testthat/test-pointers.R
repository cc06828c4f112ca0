test_that("sets in the place of results are shown the way to pool()", {
  sets <- structure(list(), class = "synthetic_data")
  given <- "pseudosynth_error_input"
  expect_error(pool(sets, mean), "with\\(sets", class = given)
  expect_error(pool(list(), mean), "given as", class = given)
})

test_that("compare() of a file and sets points to utility()", {
  expect_error(
    compare(data.frame(y = 1)), "utility",
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
    utility(d, d, "y", regression = y ~ 1), "formula",
    class = "pseudosynth_error_input"
  )
})

test_that("an offset is refused with advice for counts", {
  d <- data.frame(y = c(1, 2, 0), t = 1:3)
  expect_error(
    fit_synthesizer(y ~ offset(log(t)), d, poisson()), "Of counts",
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
      read_kept(file.path(folder, name), NULL),
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
