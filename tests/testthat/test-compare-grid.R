grid_map <- function() {
  remember("grid", suppressWarnings(suppressMessages(compare(
    log(income) ~ age + earner, privacy_data(), gaussian(),
    grid = data.frame(
      mechanism = c("lw", "lw", "centred"), scale = c(1, 0.5, 1),
      epsilon = c(NA, NA, 10)
    ),
    reference = list("(Intercept)" = 10.8, sigma = 1), bounds = c(10, 2e6),
    prior = prior_normal(1, c(10.8, 2.5)), m = 2, radius = 0.2,
    known = "earner", chains = 2, warmup = 300,
    draws = 1200, threads = 1, seed = 41
  ))))
}

test_that("each row of the grid is run with its settings", {
  table <- grid_map()$table
  expect_equal(nrow(table), 3)
  expect_identical(table$label, c("asymptotic", "asymptotic", "strict"))
  expect_equal(table$add_remove[3], 10)
  # A smaller scale claims less
  expect_lt(table$add_remove[2], table$add_remove[1])
  expect_false(anyNA(table$ecdf_max))
})

test_that("identification risk and Monte Carlo errors stand beside utility", {
  map <- grid_map()
  expect_true(all(map$table$risk > 0 & map$table$risk < 1))
  expect_true(all(map$table$ecdf_max_se[1:2] > 0))
  expect_output(print(map), "risk")
  figure <- autoplot(map, against = "risk")
  expect_identical(figure$labels$x, "Mean identification risk")
  # The same as measured by hand
  job <- suppressWarnings(suppressMessages(pseudo_posterior(
    log(income) ~ age + earner, privacy_data(), gaussian(), "lw",
    scale = 0.5, m = 2, prior = prior_normal(1, c(10.8, 2.5)), chains = 2,
    warmup = 300, draws = 1200, threads = 1, seed = 41
  )))
  by_hand <- identification_risk(job, known = "earner", radius = 0.2)
  expect_equal(map$table$risk[2], by_hand$overall[["mean_risk"]])
  expect_error(
    compare(
      log(income) ~ age, privacy_data(), gaussian(),
      grid = data.frame(mechanism = "lw"), radius = -1
    ),
    class = "pseudosynth_error_input"
  )
})

test_that("maps print and plot", {
  expect_output(print(grid_map()), "centred")
  expect_no_error(ggplot2::ggplot_build(autoplot(grid_map())))
  expect_error(
    autoplot(grid_map(), measure = "beauty"),
    class = "pseudosynth_error_input"
  )
})

test_that("a grid of other columns is refused", {
  bad <- function(grid) {
    expect_error(
      compare(log(income) ~ age, privacy_data(), gaussian(), grid = grid),
      class = "pseudosynth_error_input"
    )
  }
  bad(data.frame(scale = 1))
  bad(data.frame(mechanism = "lw", colour = "red"))
  bad(data.frame(mechanism = "dp"))
  bad(list(mechanism = "lw"))
})

test_that("a grid takes the mechanisms and the bounds of a comparison", {
  ce <- subset(ce_income, income > 0, c("income", "age"))[1:300, ]
  grid <- expand.grid(
    mechanism = c("score", "perturbed_histogram"), epsilon = c(2, 5)
  )
  map <- suppressWarnings(suppressMessages(compare(
    log(income) ~ age, ce, student_t(3), grid = grid,
    reference = list("(Intercept)" = 10.8, sigma = 1), bounds = c(10, 2e6),
    m = 2, seed = 1
  )))
  expect_identical(map$table$label, rep("strict", 4))
  expect_true(all(map$table$ecdf_max < 0.5))
})

test_that("a grid stands in the place of mechanisms and epsilons", {
  refused <- function(arg, ...) {
    expect_early(
      compare(log(income) ~ age, privacy_data(), gaussian(), ...,
        grid = data.frame(mechanism = "lw")
      ),
      arg
    )
  }
  refused("mechanisms", "lw")
  refused("epsilon", epsilon = 2)
})
