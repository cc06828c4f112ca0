papers <- study_room("harness")

# Resampled statistics ---------------------------------------------------------

income_file <- function(n = 200, seed = 1) {
  withr::with_seed(seed, data.frame(
    income = exp(rnorm(n, 10)), age = sample(c("old", "young"), n, TRUE)
  ))
}

test_that("estimates are those of the files, the file agrees with itself", {
  data <- income_file()
  set <- income_file(seed = 2)
  withr::local_seed(3)
  table <- papers$resample_statistics(
    list(LW = list(set, data)), data,
    list("mean", "median", sd = function(d) sd(d$income), "90%"), "income", 50
  )$table
  expect_equal(table$release, rep(c("confidential", "LW"), 4))
  of <- function(f) c(f(data$income), (f(set$income) + f(data$income)) / 2)
  for (statistic in list(
    list("mean", mean), list("median", median), list("sd", sd),
    list("90%", function(y) quantile(y, 0.9, names = FALSE))
  )) {
    expect_equal(
      table$estimate[table$statistic == statistic[[1]]], of(statistic[[2]])
    )
  }
  own <- table[table$release == "confidential", ]
  expect_equal(own$overlap, rep(1, 4))
  expect_equal(own$distance, rep(0, 4))
})

test_that("the resampling error is that of theory", {
  data <- income_file(400)
  withr::local_seed(4)
  found <- papers$resample_statistics(
    list(copy = data), data, "mean", "income", 2000
  )
  error <- sd(data$income) / sqrt(400)
  draws <- found$draws$value[found$draws$release == "confidential"]
  expect_equal(sd(draws), error, tolerance = 0.1)
  expect_equal(mean(draws), mean(data$income), tolerance = 0.01)
  expect_equal(
    found$table$high[1] - found$table$low[1], 2 * 1.96 * error,
    tolerance = 0.1
  )
})

test_that("the barycentre is the mean of the quantile functions", {
  each <- list(
    list(estimate = c(a = 1), draws = cbind(c(1, 2, 6))),
    list(estimate = c(a = 3), draws = cbind(c(3, 3, 4)))
  )
  found <- papers$harness$barycentre(each)
  expect_equal(found$estimate, c(a = 2))
  expect_equal(found$draws[, 1], c(2, 2.5, 5))
  # of equal normals it is that normal, not a mixture of two
  withr::local_seed(5)
  a <- sort(rnorm(4000, -3))
  b <- sort(rnorm(4000, 3))
  mixed <- papers$harness$barycentre(list(
    list(estimate = c(x = 0), draws = cbind(a)),
    list(estimate = c(x = 0), draws = cbind(b))
  ))
  expect_equal(sd(mixed$draws), 1, tolerance = 0.05)
})

test_that("a statistic may give several numbers, but no two of one name", {
  data <- income_file()
  resample <- function(statistics, sets = data) {
    papers$resample_statistics(list(a = sets), data, statistics, "income", 20)
  }
  withr::local_seed(6)
  found <- resample(
    list(beta = function(d) coef(lm(log(income) ~ age, d)), "99%")
  )
  expect_equal(
    unique(found$table$statistic),
    c("beta.(Intercept)", "beta.ageyoung", "99%")
  )
  for (twice in list(c("mean", "mean"), list("mean", mean = function(d) 1))) {
    expect_error(resample(twice), "anyDuplicated")
  }
  # Sets whose statistics are others are not compared
  expect_error(
    resample(list(f = function(d) d$income), data[1:100, ]), "identical"
  )
  expect_error(resample(list(f = function(d) NA_real_)), "length")
})

test_that("sets of synthesize() are releases, and have a figure", {
  releases <- list(
    a = synthesize(unweighted_fit(), 2, seed = 1),
    b = synthesize(unweighted_fit(), 1, seed = 2)[[1]]
  )
  withr::local_seed(7)
  found <- papers$resample_statistics(
    releases, privacy_data(), "median", "income", 20
  )
  expect_equal(found$table$release, c("confidential", "a", "b"))
  figure <- papers$plot_resampled(found)
  expect_match(figure$labels$caption, "not for release")
  expect_identical(nrow(ggplot2::layer_data(figure, 3)), 3L)
})

# Figures ----------------------------------------------------------------------

test_that("a study has densities, computed or stored, and pairs of values", {
  study <- data.frame(
    mechanism = rep(c("confidential", "LW"), each = 200),
    panel = rep(c("x", "y"), 200), value = exp(qnorm(ppoints(400)))
  )
  figure <- papers$plot_study(
    study, panels = "panel", type = "density", log = TRUE
  )
  curves <- split(figure$data, ~ panel + kind)
  expect_length(curves, 4)
  # Of the log: a density that integrates to 1 on that scale
  for (curve in curves) {
    step <- diff(log10(curve$x))[1]
    expect_equal(sum(curve$y) * step, 1, tolerance = 0.02)
  }
  stored <- data.frame(
    mechanism = rep(c("confidential", "LW"), each = 3), at = c(1:3, 1:3),
    value = c(0, 1, 0, 0, 2, 0)
  )
  figure <- papers$plot_study(stored, type = "density", at = "at")
  expect_identical(figure$data$y, stored$value)
  expect_equal(figure$data$x, stored$at)
  figure <- papers$plot_study(
    stored[stored$value > 0, ], type = "records", at = "at"
  )
  expect_equal(figure$data$confidential, c(2, 2))
  expect_identical(nrow(ggplot2::ggplot_build(figure)$layout$layout), 2L)
})

test_that("densities of parameters are those of the draws; the prior is wide", {
  fit <- unweighted_fit()
  prior <- suppressWarnings(update(fit, privacy_weights = 0, seed = 3))
  figure <- papers$plot_densities_of(list(Fit = fit, Prior = prior), "sigma")
  draws <- as.data.frame(as_draws_df(fit))$sigma
  own <- figure$data[figure$data$kind == "Fit", ]
  as_is <- own[own$side == "as it is", ]
  # The panel is that of the fit, and its curve integrates to 1
  expect_equal(range(as_is$x), range(draws))
  expect_equal(sum(as_is$y) * diff(as_is$x)[1], 1, tolerance = 0.03)
  centred <- own[own$side != "as it is", ]
  expect_equal(centred$x, as_is$x - mean(draws))
  expect_equal(centred$y, as_is$y, tolerance = 1e-6)
  # The prior's mass lies outside the panel, for the most part
  other <- figure$data[
    figure$data$kind == "Prior" & figure$data$side == "as it is",
  ]
  expect_lt(sum(other$y) * diff(other$x)[1], 0.5)
})

test_that("a study has a violin for each mechanism in each panel", {
  study <- expand.grid(
    replicate = 1:5, mechanism = c("b", "a"), panel = c("x", "y"),
    measure = c("m", "k"), stringsAsFactors = FALSE
  )
  study$value <- seq_len(nrow(study))
  study$half <- ifelse(study$measure == "m", 3, NA)
  figure <- papers$plot_study(
    study, panels = c("measure", "panel"), line = "half"
  )
  expect_identical(levels(figure$data$mechanism), c("b", "a"))
  built <- ggplot2::ggplot_build(figure)
  expect_identical(nrow(built$layout$layout), 4L)
  lines <- ggplot2::layer_data(figure, 1)
  expect_identical(lines$yintercept, c(3, 3))
  # Rows share a scale
  ranges <- lapply(built$layout$panel_params, function(p) p$y.range)
  expect_identical(ranges[[1]], ranges[[2]])
  study$value[1:20] <- NA
  expect_identical(nrow(papers$plot_study(study)$data), 20L)
  study$nothing <- NA_real_
  expect_s3_class(papers$plot_study(study, line = "nothing"), "ggplot")
})

test_that("a study draws few numbers as dots, and no violin of them", {
  study <- data.frame(
    mechanism = rep(c("Unweighted", "LW", "LW_final"), c(6, 2, 1)),
    value = c(1:6, 3, 4, 2)
  )
  expect_no_warning(grid::grid.force(
    ggplot2::ggplotGrob(figure <- papers$plot_study(study))
  ))
  drawn <- lapply(ggplot2::ggplot_build(figure)$data, function(layer) {
    table(factor(layer$x, 1:3))
  })
  geoms <- vapply(figure$layers, function(x) class(x$geom)[1], "")
  dots <- drawn[[match("GeomPoint", geoms)]]
  expect_equal(as.vector(dots), c(0, 2, 1))
  violin <- drawn[[match("GeomViolin", geoms)]]
  expect_identical(as.vector(violin > 0), c(TRUE, FALSE, FALSE))
  # One number for each mechanism, in panels, too
  study$panel <- c("x", "x", "y", "y", "y", "y", "x", "y", "x")
  for (own in list(study, study[c(1, 7, 9), ])) {
    expect_no_warning(
      ggplot2::ggplotGrob(papers$plot_study(own, panels = "panel"))
    )
  }
  expect_error(papers$plot_study(study, type = "density"), "group_sizes")
})
