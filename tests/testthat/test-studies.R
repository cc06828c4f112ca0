test_that("a replicate of the beta simulation has every mechanism", {
  study <- study_room("beta_simulation")
  replicate_of <- function() {
    study$beta_simulation(
      1, n = by_night(300, 100), epsilons = by_night(c(5, 4), 4)
    )
  }
  found <- replicate_of()
  expect_setequal(unique(found$mechanism), c(
    "Unweighted", "Weighted", "Weighted-e", "Censor_w", "Censor_uw", "PH",
    "Weighted, downscaled", "Weighted-e, downscaled", "Censor_w, downscaled",
    "centred"
  ))
  clipped <- found$mechanism %in% c("Censor_uw", "Censor_w")
  expect_true(all(found$delta[clipped] <= found$epsilon[clipped] / 2 + 1e-12))
  expect_identical(found, replicate_of())
})

test_that("the stored table is the full size of the study", {
  file <- system.file(
    "studies", "beta_simulation.csv.xz",
    package = "pseudosynth"
  )
  stored <- read.csv(xzfile(file))
  expect_equal(nrow(stored), 1800)
  expect_equal(sort(unique(stored$replicate)), 1:100)
  # the gates of the study: published 247, 419, 809
  uw <- stored[stored$mechanism == "Censor_uw", ]
  means <- tapply(uw$touched, uw$epsilon, mean)
  expect_true(all(abs(means[c("5", "4", "3")] / c(247, 419, 809) - 1) < 0.1))
  # and its ranges of bounds, 5% to 95%
  range_of <- function(mechanism) {
    stats::quantile(
      stored$delta[stored$mechanism == mechanism], c(0.05, 0.95),
      names = FALSE
    )
  }
  expect_true(all(range_of("Unweighted") > 6 & range_of("Unweighted") < 20))
  expect_true(all(range_of("Weighted") > 1.8 & range_of("Weighted") < 3.5))
})

test_that("the walk from local to global bounds is repeatable", {
  study <- study_room("local_to_global")
  found <- study$local_to_global(1, n = 200)
  expect_equal(nrow(found), 8)
  expect_identical(found, study$local_to_global(1, n = 200))
  final <- found$delta[found$release == "LW_final"]
  expect_true(all(final < 1.05 * found$delta[found$release == "LW"]))
  lw <- found$release == "LW"
  expect_true(all(found$delta[lw] < found$delta[found$release == "Unweighted"]))
})

test_that("stored studies are what the package gives today at their seeds", {
  skip_on_cran()
  skip_on_covr()
  stored <- function(name) {
    read.csv(xzfile(system.file(
      "studies", paste0(name, ".csv.xz"),
      package = "pseudosynth"
    )))
  }
  study <- study_room("local_to_global", "consumer_expenditure")
  # Draws, bounds and sets of two families; if this fails after a change of the
  # samplers, `make studies` makes the tables again
  table <- stored("local_to_global")
  expect_equal(
    study$local_to_global(1), table[table$replicate == 1, ],
    tolerance = 1e-4, ignore_attr = TRUE
  )
  # Utility and risk of 20 sets of a noisy margin of the whole file
  table <- stored("consumer_expenditure")
  table <- table[table$release == "Histogram", ]
  data <- subset(ce_income, income > 0)
  found <- study$rival_parts(1, data, list(sets = 20))
  found <- found[found$release == "Histogram", ]
  expect_equal(
    stats::setNames(found$value, found$item),
    stats::setNames(table$value, table$item),
    tolerance = 1e-4
  )
})

test_that("a study makes what its folder holds only once", {
  study <- study_room("consumer_expenditure")
  folder <- withr::local_tempfile()
  kept <- study$keeper(folder, list(1, "a"))
  expect_identical(kept("LW (0.7, 0)", function() 3), 3)
  again <- study$keeper(folder, list(1, "a"))
  expect_identical(again("LW (0.7, 0)", function() stop("made twice")), 3)
  expect_identical(again("LW (0.7, -0.1)", function() 4), 4)
  expect_error(study$keeper(folder, list(2, "a")), "other settings")
  expect_identical(study$keeper(NULL, 1)("x", function() 5), 5)
})

test_that("a replicate of the Consumer Expenditure study has all its parts", {
  skip_unless_nightly()
  study <- study_room("consumer_expenditure")
  run <- function() {
    study$consumer_expenditure(
      1,
      n = 150, chains = 1, warmup = 30, draws = 40, thin = 1, sets = 2,
      resamples = 5,
      configurations = study$mechanism_paper_table()[1, ]
    )
  }
  found <- run()
  expect_setequal(unique(found$part), c(
    "figure", "bound", "weight", "statistic", "density", "risk", "pair",
    "riskiest", "riskiest given", "largest", "chain", "check"
  ))
  expect_false(anyNA(found$value[found$part != "figure"]))
  expect_true(all(c(
    "Unweighted", "LW", "SW", "CW", "CW at LW's bound", "LW (0.7, 0)",
    "SW (0.7, 0)", "Weights_V", "Centred", "Score", "Histogram"
  ) %in% found$release))
  weight <- found$value[found$part == "weight"]
  expect_true(all(weight >= 0 & weight <= 1))
})

test_that("the stored Consumer Expenditure table keeps the paper's orders", {
  stored <- read.csv(xzfile(system.file(
    "studies", "consumer_expenditure.csv.xz",
    package = "pseudosynth"
  )))
  stored <- stored[stored$replicate == max(stored$replicate), ]
  figure <- function(release, item) {
    rows <- stored[stored$part == "figure" & stored$item == item, ]
    rows$value[match(release, rows$release)]
  }
  delta <- function(release) figure(release, "delta")
  expect_lt(delta("LW"), delta("CW"))
  expect_lt(delta("CW"), delta("Unweighted"))
  # One weight for all has the bound of LW, as the search promises
  own <- grep("^LW", unique(stored$release), value = TRUE)
  expect_length(own, 6)
  expect_true(all(abs(delta(sub("LW", "SW", own)) / delta(own) - 1) < 0.08))
  # All fits converged
  fits <- stored$release[stored$item == "converged"]
  expect_length(fits, 17)
  expect_true(all(figure(fits, "converged") == 1))
  expect_true(all(figure(fits, "largest R-hat") < 1.05))
  # Each chain of each fit by itself
  chains <- stored[stored$part == "chain" & stored$item == "delta", ]
  expect_setequal(chains$release, setdiff(fits, "Weights_V, clusters"))
  expect_true(all(table(chains$release) == 4))
  # What the page says of the whole distribution and of risk weights
  of_chains <- function(release) {
    own <- stored$part == "chain" & stored$item == "ecdf_max"
    stored$value[own & stored$release == release]
  }
  expect_gt(min(of_chains("SW (0.5, -0.1)")), max(of_chains("LW (0.5, -0.1)")))
  risk <- figure(c("Clusters", "Weights_V, clusters"), "risk 0.2")
  expect_lt(risk[2], risk[1])
  expect_gt(risk[2], 0.95 * risk[1])
  # At one bound, one weight for all keeps less
  expect_lt(figure("SW", "mean weight"), figure("LW", "mean weight"))
  # More scaling, smaller bounds: the ends of the paper's Table 2
  expect_lt(delta("LW (0.5, -0.1)"), delta("LW (0.7, 0)"))
  expect_gt(figure("Top-coded", "risk 0.2"), figure("LW", "risk 0.2"))
})

test_that("the stored salaries tell chance, data and bins apart", {
  file <- system.file(
    "studies", "sdr_application.csv.xz", package = "pseudosynth"
  )
  stored <- read.csv(xzfile(file))
  expect_equal(nrow(stored), 10 * 2 * 7)
  expect_true(all(stored$converged))
  mean_of <- function(file, mechanism, what = "ecdf_max") {
    mean(stored[[what]][stored$file == file & stored$mechanism == mechanism])
  }
  # The model is wrong for the survey's files and right for its own
  for (mechanism in c("Unweighted", "Weighted")) {
    expect_gt(mean_of("survey", mechanism), 1.5 * mean_of("model", mechanism))
  }
  # The square root and the logarithm of n: the best and the worst
  expect_lt(mean_of("survey", "PH, 40 bins"), 0.05)
  expect_gt(mean_of("survey", "PH, 7 bins"), 0.1)
  clipped <- stored$mechanism %in% c("Censor_w", "Censor_uw")
  expect_true(all(stored$epsilon[clipped] <= 5 + 1e-9))
})

test_that("stored simulations are what the package gives at their seeds", {
  skip_on_cran()
  skip_on_covr()
  study <- study_room("sdr_application")
  stored <- function(name) {
    read.csv(xzfile(system.file(
      "studies", paste0(name, ".csv.xz"),
      package = "pseudosynth"
    )))
  }
  # The first fits of a replicate, and a set of each: their seeds come first
  next_seed <- study$seeds_from(1)
  data <- study$survey_file(1)
  fit <- study$sdr_fit(data, next_seed())
  weighted <- suppressWarnings(update(
    fit,
    privacy_weights = lipschitz_weights(fit), seed = next_seed()
  ))
  table <- stored("sdr_application")
  table <- table[table$replicate == 1 & table$file == "survey", ]
  expect_equal(
    2 * c(fit$bound$overall, weighted$bound$overall),
    table$epsilon[match(c("Unweighted", "Weighted"), table$mechanism)],
    tolerance = 1e-4
  )
  set.seed(1)
  y <- data.frame(y = stats::rbeta(2000, 0.5, 3))
  next_seed <- study$seeds_from(1)
  fit <- fit_synthesizer(
    y ~ 1, y, beta_response(bounds = c(0, 1)),
    seed = next_seed(), control = sampler_control(progress = FALSE)
  )
  weighted <- suppressWarnings(update(
    fit,
    privacy_weights = lipschitz_weights(fit), seed = next_seed()
  ))
  table <- stored("beta_simulation")
  table <- table[table$replicate == 1, ]
  expect_equal(
    c(fit$bound$overall, weighted$bound$overall),
    table$delta[match(c("Unweighted", "Weighted"), table$mechanism)],
    tolerance = 1e-4
  )
})

test_that("a replicate of the salaries is that of the stored table", {
  skip_unless_nightly()
  study <- study_room("sdr_application")
  file <- system.file(
    "studies", "sdr_application.csv.xz", package = "pseudosynth"
  )
  stored <- read.csv(xzfile(file))
  found <- study$sdr_application(1)
  expect_equal(
    found[-(1:3)], stored[stored$replicate == 1, -(1:3)],
    tolerance = 1e-3, ignore_attr = TRUE
  )
})

test_that("what the page for users of synthpop says holds in its study", {
  stored <- read.csv(xzfile(system.file(
    "studies", "synthpop_users.csv.xz", package = "pseudosynth"
  )))
  expect_true(all(table(stored$maker, stored$replicate) == 46))
  expect_identical(sort(unique(stored$replicate)), 1:10)
  stored$part[stored$part == "table" & stored$second != ""] <- "pairs"
  stored$part[stored$part == "table"] <- "columns"
  by_set <- aggregate(value ~ maker + part + replicate, stored, mean)
  means <- tapply(by_set$value, by_set[c("maker", "part")], mean)
  error <- tapply(by_set$value, by_set[c("maker", "part")], function(x) {
    stats::sd(x) / sqrt(length(x))
  })
  off <- function(part, one, other) {
    (means[one, part] - means[other, part]) /
      sqrt(error[one, part]^2 + error[other, part]^2)
  }
  for (part in c("columns", "pairs")) {
    expect_lt(off(part, "none", "synthpop"), -3)
    expect_lt(off(part, "none", "sample"), -3)
  }
  for (part in c("coefficients", "missing")) {
    expect_lt(off(part, "none", "synthpop"), -2)
    expect_lt(off(part, "none", "sample"), -2)
  }
  expect_lt(abs(off("hundreds", "none", "synthpop")), 2)
  expect_lt(abs(off("uniques", "none", "synthpop")), 2)
  expect_gt(off("identity", "none", "synthpop"), 2)
  expect_gt(off("attribute", "none", "synthpop"), 3)
  expect_lt(abs(off("pairs", "strict 5", "synthpop")), 2)
  expect_gt(off("pairs", "strict 1", "synthpop"), 3)
  expect_identical(names(which.max(means[, "uniques"])), "sample")
})

test_that("the study of a second month is that of the stored table", {
  skip_unless_nightly()
  skip_if_not_installed("rpms")
  study <- study_room("consumer_expenditure", "consumer_month")
  interviews <- new.env()
  # A variable: the check of a package takes its name for a dependency
  from <- "rpms"
  utils::data("CE", package = from, envir = interviews)
  stored <- read.csv(xzfile(system.file(
    "studies", "consumer_month.csv.xz",
    package = "pseudosynth"
  )))
  found <- study$consumer_month(1, interviews$CE)
  # synthpop is not run where it is not installed, and has versions of its own
  key <- c("part", "release", "item")
  stored <- stored[stored$release != "synthpop", ]
  found <- found[found$release != "synthpop", ]
  expect_equal(found[key], stored[key], ignore_attr = TRUE)
  expect_equal(found$value, stored$value, tolerance = 1e-4)
  expect_equal(found$at, stored$at, tolerance = 1e-4)
})

test_that("a model of Stan has the bounds of the package's own", {
  table <- read.csv(xzfile(system.file(
    "studies", "own_stan_model.csv.xz", package = "pseudosynth"
  )))
  bound <- table[table$item == "bound", ]
  own <- bound[bound$maker == "package", ]
  expect_setequal(bound$maker, c("rstan", "brms", "package"))
  same <- own$value[match(bound$stage, own$stage)]
  expect_lt(max(abs(bound$value / same - 1)), 0.1)
  expect_true(all(table$value[table$item == "converged"] == 1))
  label <- table[table$item == "label", ]
  expect_true(all((label$text == "none") == (label$stage == "unweighted")))
  study <- study_room("own_stan_model")
  again <- study$own_stan_model(1, makers = "package")
  stored <- table[table$maker == "package", ]
  expect_identical(again$item, stored$item)
  expect_equal(
    again$value[again$item == "bound"], own$value, tolerance = 0.15
  )
})
