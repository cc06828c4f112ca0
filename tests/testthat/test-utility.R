test_that("ECDF distances are those of the definition", {
  y <- c(1, 2, 3, 4)
  z <- c(2, 2, 5, 6)
  points <- c(y, z)
  difference <- vapply(points, function(p) mean(y <= p) - mean(z <= p), 0)
  found <- ecdf_distance(y, z)
  expect_equal(found[["ecdf_max"]], max(abs(difference)))
  expect_equal(found[["ecdf_mean_squared"]], mean(difference^2))
  expect_equal(ecdf_distance(y, rev(y))[["ecdf_max"]], 0)
})

test_that("groups are weighted by their confidential size", {
  g <- c("a", "a", "a", "b")
  y <- exp(c(1, 2, 3, 5))
  h <- c("b", "a", "b", "a")
  z <- exp(c(4, 1, 4, 1))
  # a: 2 against 1, b: 5 against 4
  expect_equal(group_error(g, y, h, z, "log"), 1)
  expect_equal(
    group_error(g, y, h, exp(c(5, 1, 5, 1)), "log"), (3 * 1 + 1 * 0) / 4
  )
})

test_that("intervals overlap as in Karr's formula", {
  a <- rbind(x = c(0, 2), z = c(0, 1))
  b <- rbind(x = c(1, 5), z = c(2, 3))
  expect_equal(row_overlaps(a, b), c(x = (1 / 2 + 1 / 4) / 2, z = 0))
  expect_equal(row_overlaps(a, a), c(x = 1, z = 1))
})

test_that("the file against itself is perfect", {
  data <- privacy_data()
  found <- utility(data, data, "income",
    groups = c("age", "earner"), regression = log(income) ~ earner, pmse = TRUE
  )
  expect_equal(found$table$ecdf_max, 0)
  expect_equal(found$table$groups, 0)
  expect_equal(found$table$overlap, 1)
  expect_equal(found$table$r_squared, found$models$r_squared_file)
  expect_equal(found$table$pmse, 0, tolerance = 1e-6)
  expect_equal(found$table$pmse_ratio, 0, tolerance = 1e-6)
})

test_that("pMSE is about 1 for equal distributions and larger otherwise", {
  withr::with_seed(2, {
    a <- data.frame(y = rnorm(2000), g = sample(letters[1:4], 2000, TRUE))
    b <- data.frame(y = rnorm(2000), g = sample(letters[1:4], 2000, TRUE))
  })
  ratio <- utility(b, a, "y", pmse = TRUE)$table$pmse_ratio
  expect_gt(ratio, 0.05)
  expect_lt(ratio, 4)
  b$y <- b$y + 0.5
  expect_gt(utility(b, a, "y", pmse = TRUE)$table$pmse_ratio, 20)
})

related_file <- function(n, seed) {
  withr::with_seed(seed, {
    x <- factor(sample(letters[1:4], n, TRUE))
    data.frame(y = rnorm(n, as.integer(x)), x)
  })
}

test_that("a shuffled response is far from the file, a resample is not", {
  data <- related_file(1500, 4)
  shuffled <- data
  withr::local_seed(5)
  shuffled$y <- sample(data$y)
  for (method in c("logit", "cart")) {
    if (method == "cart") {
      skip_if_not_installed("rpart")
    }
    ratio <- function(set) {
      utility(set, data, "y", pmse = method)$table$pmse_ratio
    }
    resampled <- replicate(
      10, ratio(data[sample(nrow(data), replace = TRUE), ])
    )
    expect_gt(mean(resampled), 0.7)
    expect_lt(mean(resampled), 1.4)
    expect_gt(ratio(shuffled), if (method == "logit") 20 else 15)
  }
})

# What is said of a set by a logistic regression
propensity_of <- function(data, set) {
  found <- utility(set, data, "y", pmse = "logit")$propensity
  found[c("pmse", "pmse_ratio")]
}

test_that("pMSE does not depend on the order of the rows of either", {
  data <- related_file(300, 6)
  set <- data
  withr::local_seed(7)
  set$y <- data$y + rnorm(300, sd = 0.4)
  found <- propensity_of(data, set)
  mixed <- propensity_of(data[sample(300), ], set[sample(300), ])
  expect_equal(found, mixed, tolerance = 1e-8)
})

test_that("yes/no and word columns have a pMSE", {
  withr::local_seed(8)
  data <- data.frame(y = sample(c("no", "yes"), 400, TRUE), x = rnorm(400))
  set <- data
  set$y <- ifelse(data$x > 0, "yes", "no")
  expect_gt(propensity_of(data, set)$pmse_ratio, 20)
  set$y <- rev(data$y)
  expect_lt(propensity_of(data, set)$pmse_ratio, 8)
})

test_that("pMSE and its ratio are those of a worked example", {
  # 2 by 2 table of file and set against a yes/no column: a logistic regression
  # has the shares of each cell as its fit
  file <- data.frame(y = rep(c("no", "yes"), c(60, 40)))
  set <- data.frame(y = rep(c("no", "yes"), c(30, 70)))
  fitted <- rep(c(30 / 90, 70 / 110), c(90, 110))
  found <- propensity_of(file, set)
  expect_equal(found$pmse, mean((fitted - 0.5)^2), tolerance = 1e-6)
  # One coefficient beside the intercept: (k - 1) (1 - c)^2 c / N
  expect_equal(found$pmse_ratio, found$pmse / (0.5^3 / 200), tolerance = 1e-6)
  # A set of half the size: c is its share of all records
  half <- set[c(1:15, 51:85), , drop = FALSE]
  found <- propensity_of(file, half)
  n <- c(no = 60 + sum(half$y == "no"), yes = 40 + sum(half$y == "yes"))
  share <- c(sum(half$y == "no"), sum(half$y == "yes")) / n
  expect_equal(
    found$pmse, sum(n * (share - 1 / 3)^2) / 150,
    tolerance = 1e-6
  )
  expect_equal(
    found$pmse_ratio, found$pmse / ((2 / 3)^2 / 3 / 150),
    tolerance = 1e-6
  )
})

test_that("pMSE and its ratio are those of synthpop", {
  skip_if_not_installed("synthpop")
  withr::local_seed(9)
  data <- data.frame(y = rnorm(500))
  set <- data.frame(y = rnorm(500, 0.2))
  # synthpop has main effects of the columns as they are: ranks of one column
  # and its square are given to it as two.
  two <- function(d, r) data.frame(a = r, b = r^2)
  both <- propensity_column(c(data$y, set$y))
  utility_gen <- getExportedValue("synthpop", "utility.gen.data.frame")
  theirs <- utility_gen(
    two(set, both[501:1000]), two(data, both[1:500]),
    method = "logit", maxorder = 0, print.flag = FALSE
  )
  ours <- propensity_of(data, set)
  expect_equal(ours$pmse, unname(theirs$pMSE), tolerance = 1e-6)
  expect_equal(ours$pmse_ratio, unname(theirs$S_pMSE), tolerance = 1e-6)
})

test_that("an unknown way to measure pMSE is an error", {
  data <- privacy_data()
  expect_error(
    utility(data, data, "income", pmse = "tree"),
    class = "pseudosynth_error_input"
  )
  expect_error(
    utility(data, data, "income", pmse = 1),
    class = "pseudosynth_error_input"
  )
})

test_that("sets of synthetic data give a row each", {
  syn <- synthesize(unweighted_fit(), 3, seed = 1)
  found <- utility(syn, privacy_data(), groups = "age")
  expect_equal(found$table$set, 1:3)
  set <- syn[[2]]
  expect_equal(
    found$table$groups[2],
    group_error(
      privacy_data()$age, as.double(privacy_data()$income), set$age,
      as.double(set$income), "log"
    )
  )
  expect_equal(
    found$overall[["ecdf_max"]], mean(found$table$ecdf_max)
  )
  expect_output(print(found), "not for release")
})

test_that("columns that are missing are errors", {
  data <- privacy_data()
  expect_error(utility(data, data), class = "pseudosynth_error_input")
  expect_error(
    utility(data, data, "income", groups = "nothing"),
    class = "pseudosynth_error_input"
  )
  expect_error(
    utility(data["age"], data, "income"),
    class = "pseudosynth_error_input"
  )
})

test_that("a job knows its file and its variable", {
  job <- as_pseudo_posterior(
    synthesize(unweighted_fit(), 2, seed = 1),
    list(unweighted = unweighted_fit())
  )
  data <- privacy_data()
  expect_equal(utility(job)$table, utility(job$synthetic, data)$table)
  expect_equal(
    identification_risk(job, known = "age", radius = 0.2)$record,
    identification_risk(job$synthetic, data, "age", 0.2)$record
  )
  expect_equal(
    risk(job, keys = "age")$set,
    risk(job$synthetic, data, "age")$set
  )
  expect_equal(replicated_uniques(job), replicated_uniques(job$synthetic, data))
  expect_error(utility(job$synthetic), class = "pseudosynth_error_input")
  expect_error(
    identification_risk(job$synthetic, radius = 0.2),
    class = "pseudosynth_error_input"
  )
})

test_that("a relative radius of 20 is not taken for 20%", {
  expect_error(
    identification_risk(privacy_data(), privacy_data(), "age", 20,
      variable = "income"
    ),
    "Write 0.2 for 20%",
    class = "pseudosynth_error_input"
  )
  expect_error(
    count_weights("income", privacy_data(), radius = 20),
    class = "pseudosynth_error_input"
  )
})

test_that("means, spreads, totals and quantiles stand beside the distances", {
  data <- privacy_data()
  syn <- synthesize(lw_fit(), m = 3, seed = 1)
  use <- utility(syn, data)
  found <- use$statistics
  of <- function(name, part = "value") found[[part]][found$statistic == name]
  expect_identical(of("mean", "file"), rep(mean(as.double(data$income)), 3))
  expect_identical(of("total")[2], sum(as.double(syn[[2]]$income)))
  expect_equal(of("95%")[3], quantile(syn[[3]]$income, 0.95)[[1]])
  expect_equal(
    of("max"), vapply(as.list(syn), function(set) max(set$income) + 0, 0)
  )
  # The mean of a fresh sample is off by about 0.8 standard errors
  error <- stats::sd(data$income) / sqrt(nrow(data))
  expect_equal(of("mean", "fresh")[1], 0.8 * error, tolerance = 0.01)
  shown <- mean_statistics(found)
  expect_equal(shown$value[shown$statistic == "sd"], mean(of("sd")))
  expect_equal(shown$largest[shown$statistic == "sd"], max(of("sd")))
  # One enormous value is seen
  wild <- syn[[1]]
  wild$income[1] <- 2147483647L
  text <- capture.output(print(utility(wild, data, "income")))
  expect_match(paste(text, collapse = "\n"), "max .*2,150,000,000")
})

test_that("groups with values outside of the scale are refused, not dropped", {
  data <- related_file(60, 1)
  names(data)[1:2] <- c("y", "g")
  data$y <- abs(data$y) + 1
  data$g <- rep(c("a", "b"), 30)
  other <- data
  expect_s3_class(
    utility(list(other), data, "y", groups = "g", transform = "log"), "utility"
  )
  other$y[3] <- -1
  error <- refusal(
    utility(list(other), data, "y", groups = "g", transform = "log")
  )
  expect_s3_class(error, "pseudosynth_error_input")
  expect_identical(error$rows, 3L)
  error <- refusal(
    utility(list(data), other, "y", groups = "g", transform = "log")
  )
  expect_identical(error$arg, "transform")
  expect_s3_class(utility(list(other), data, "y", groups = "g"), "utility")
})

test_that("codes of a factor are not compared with its levels", {
  data <- data.frame(y = rep(c("no", "yes"), 20))
  codes <- data.frame(y = rep(1:2, 20))
  for (pair in list(list(data, codes), list(codes, data))) {
    expect_s3_class(
      refusal(utility(pair[1], pair[[2]], "y")), "pseudosynth_error_input"
    )
  }
  # A factor and its text are the same
  text <- utility(list(transform(data, y = factor(y))), data, "y")
  expect_equal(text$table$ecdf_max, 0)
})

test_that("a group without a value is refused", {
  data <- data.frame(y = 1:6, g = c(NA, "a", "a", "b", "b", "b"))
  error <- refusal(utility(list(data), data, "y", groups = "g"))
  expect_identical(error$rows, 1L)
})

test_that("the synthesized variable is no group", {
  data <- privacy_data()
  error <- expect_error(
    utility(data, data, "income", groups = c("age", "income")),
    class = "pseudosynth_error_input"
  )
  expect_identical(error$arg, "groups")
  expect_match(conditionMessage(error), "\"income\" is synthetic")
})

# Every measure that takes plain data frames as sets
measures_of_sets <- list(
  utility = function(x, data) utility(x, data, "income"),
  replicated_uniques = replicated_uniques,
  risk = function(x, data) risk(x, data, "age", "income"),
  identification_risk = function(x, data) {
    identification_risk(x, data, "age", 0.2, variable = "income")
  }
)

test_that("several sets in one data frame are not taken for one set", {
  data <- privacy_data()
  synthetic <- synthesize(unweighted_fit(), 3, seed = 1)
  long <- as.data.frame(synthetic)
  shuffled <- long[rev(seq_len(nrow(long))), rev(names(long))]
  numbered <- cbind(set = 7, data)
  own <- do.call(rbind, replicate(3, numbered, simplify = FALSE))
  own$set <- rep(1:3, each = nrow(data))
  for (measure in measures_of_sets) {
    for (x in list(long, shuffled, list(long))) {
      error <- expect_error(measure(x, data), class = "pseudosynth_error_input")
      expect_match(conditionMessage(error), "holds 3 sets")
    }
    expect_error(measure(own, numbered), "holds 3 sets")
    # A column of the file's own, and what the message says to do
    expect_no_error(measure(numbered, numbered))
    varied <- transform(numbered, set = rep_len(1:4, nrow(data)))
    expect_no_error(measure(varied, varied))
  }
  apart <- unname(split(long, long$set))
  expect_equal(
    utility(apart, data, "income")$table, utility(synthetic, data)$table
  )
})

test_that("a regression has one numeric response", {
  data <- privacy_data()
  # Words of more than two levels; two have a logistic regression
  data$word <- rep(c("a", "b", "c"), 50)
  for (formula in list(cbind(income, 1) ~ age, word ~ income)) {
    error <- expect_error(
      suppressWarnings(utility(data, data, "income", regression = formula)),
      "one numeric response",
      class = "pseudosynth_error_input"
    )
    expect_identical(error$arg, "regression")
  }
})

test_that("a set without rows, and what is not drawn yet, are refused", {
  data <- privacy_data()
  for (measure in measures_of_sets) {
    error <- expect_error(
      measure(data[0, ], data),
      class = "pseudosynth_error_input"
    )
    expect_match(conditionMessage(error), "no rows")
    error <- expect_error(
      measure(unweighted_fit(), data),
      class = "pseudosynth_error_input"
    )
    expect_match(conditionMessage(error), "synthesize()", fixed = TRUE)
  }
  expect_error(utility(unweighted_fit()), "synthesize()", fixed = TRUE)
})

test_that("a job is not measured against another file than its own", {
  job <- as_pseudo_posterior(
    synthesize(unweighted_fit(), 2, seed = 1),
    list(unweighted = unweighted_fit())
  )
  for (measure in measures_of_sets) {
    error <- expect_error(
      measure(job, privacy_data()[1:10, ]),
      class = "pseudosynth_error_input"
    )
    expect_identical(error$arg, "data")
  }
})

test_that("a tree finds nothing in the file itself", {
  skip_if_not_installed("rpart")
  data <- privacy_data()
  found <- utility(data, data, "income", pmse = "cart")
  expect_identical(found$table$pmse, 0)
  expect_identical(found$table$pmse_ratio, 0)
  # A set that is not the file has a ratio above it
  other <- data
  other$income <- rev(data$income) + 1
  found <- withr::with_seed(1, utility(other, data, "income", pmse = "cart"))
  expect_gt(found$table$pmse_ratio, 0)
  expect_identical(error_ratio(0.1, 0), Inf)
})

test_that("a formula that a set has no finite values for says which set", {
  data <- privacy_data()
  set <- data
  set$income[1] <- 0
  error <- expect_error(
    utility(list(data, set), data, "income", regression = log(income) ~ age),
    "set 2",
    class = "pseudosynth_error_input"
  )
  expect_identical(error$arg, "regression")
  expect_error(
    utility(data, set, "income", regression = log(income) ~ age), "the file",
    class = "pseudosynth_error_input"
  )
})

test_that("survey weights count records as often as they stand for", {
  file <- data.frame(
    y = c(1, 2, 3, 5, 8, 4), g = c("a", "a", "b", "b", "b", "a"),
    x = c(0, 1, 1, 2, 3, 2), w = c(1, 2, 3, 1, 2, 1)
  )
  set <- transform(file, y = c(2, 2, 1, 6, 7, 5))
  repeated <- function(x) x[rep(seq_len(nrow(x)), x$w), ]
  found <- utility(set, file, "y",
    groups = "g", regression = y ~ x, survey_weights = "w"
  )
  whole <- utility(repeated(set), repeated(file), "y",
    groups = "g", regression = y ~ x
  )
  expect_equal(found$table$groups, whole$table$groups)
  expect_equal(found$table$ecdf_max, whole$table$ecdf_max)
  expect_equal(found$table$r_squared, whole$table$r_squared)
  expect_equal(found$models$r_squared_file, whole$models$r_squared_file)
  of <- function(x, name, part = "file") {
    x$statistics[[part]][x$statistics$statistic == name]
  }
  for (name in c("mean", "total", "max")) for (part in c("file", "value")) {
    expect_equal(of(found, name, part), of(whole, name, part))
  }
  # By hand: 10 units, of which 1, 2, 3, 1, 1, 2 have 1, 2, 3, 4, 5, 8
  expect_equal(of(found, "mean"), 39 / 10)
  expect_equal(of(found, "median"), 3)
  expect_equal(of(found, "75%"), 5)
  expect_output(print(found), "survey weights")
  # Equal weights change no mean, distance or model
  plain <- utility(set, file, "y", groups = "g", regression = y ~ x)
  even <- utility(
    transform(set, w = 7), transform(file, w = 7), "y",
    groups = "g", regression = y ~ x, survey_weights = "w"
  )
  # Quantiles without weights lie between values, those with weights at one
  same <- setdiff(names(plain$table), paste0("q", c(90, 95, 99), "_ratio"))
  expect_equal(even$table[same], plain$table[same])
  expect_false(isTRUE(all.equal(found$table$ecdf_max, plain$table$ecdf_max)))
})

test_that("a job is weighted by a published column", {
  data <- transform(privacy_data(), w = as.integer(age), other = 2)
  fit <- quick_fit(log(income) ~ earner + w, data, prior = prior_normal())
  syn <- synthesize(fit, m = 2, seed = 1)
  found <- utility(syn, data, groups = "earner", survey_weights = "w")
  set <- syn[[2]]
  expect_equal(
    found$statistics$value[found$statistics$statistic == "mean"][2],
    weighted.mean(set$income, set$w)
  )
  error <- expect_error(
    utility(syn, data, survey_weights = "other"),
    class = "pseudosynth_error_input"
  )
  expect_identical(error$arg, "survey_weights")
  expect_match(conditionMessage(error), "predictor in the formula")
  for (bad in list("income", "none", 1, c("w", "w"))) {
    expect_error(
      utility(syn, data, survey_weights = bad),
      class = "pseudosynth_error_input"
    )
  }
})

test_that("sets of another size than the file are said to be", {
  data <- privacy_data()
  found <- utility(list(data[1:100, ], data), data, "income")
  expect_identical(found$records, c(150L, 100L, 150L))
  expect_output(
    print(found), "150 in the file, 100 to 150 in a set"
  )
  shown <- capture.output(print(utility(data, data, "income")))
  expect_no_match(shown, "Records: |^ *$")
})

test_that("the set's mean, sd and upper quantiles stand beside the file's", {
  data <- data.frame(y = c(1:99, 1000))
  set <- data.frame(y = c(1:99, 2000))
  table <- utility(set, data, "y")$table
  expect_equal(table$mean_ratio, mean(set$y) / mean(data$y))
  expect_equal(table$sd_ratio, stats::sd(set$y) / stats::sd(data$y))
  expect_equal(table$total_ratio, sum(set$y) / sum(data$y))
  expect_equal(table$q95_ratio, 1)
  # The distribution function alone sees next to nothing
  expect_lt(table$ecdf_max, 0.011)
  expect_output(print(utility(set, data, "y")), "total_ratio +1.17 +1.00")
  zero <- data.frame(y = c(-1, 1))
  expect_true(is.na(utility(zero, zero, "y")$table$mean_ratio))
})

test_that("more than two levels are measured by shares and two-way tables", {
  data <- data.frame(
    k = c("p", "p", "q", "r"), g = c("a", "b", "a", "b")
  )
  set <- data.frame(k = c("p", "q", "q", "s"), g = c("a", "b", "a", "b"))
  found <- utility(set, data, "k", groups = "g")
  # p 2 and 1, q 1 and 2, r 1 and 0, s 0 and 1
  expect_equal(found$table$shares, 0.5)
  # pa, qa agree; pb, rb against qb, sb
  expect_equal(found$table$groups, 0.5)
  expect_identical(found$statistics$level, c("p", "q", "r", "s"))
  expect_equal(found$statistics$file[1], 0.5)
  expect_equal(found$statistics$value[1], 0.25)
  expect_null(found$table$ecdf_max)
  expect_s3_class(plot(found), "ggplot")
  # A logistic regression takes levels as they are
  expect_identical(utility(data, data, "k", pmse = TRUE)$table$pmse_ratio, 0)
  expect_gt(utility(set, data, "k", pmse = TRUE)$table$pmse, 0)
})

test_that("two levels are shown by name", {
  data <- data.frame(b = factor(c("no", "no", "yes", "no")))
  set <- data.frame(b = factor(c("no", "yes", "yes", "no")))
  found <- utility(set, data, "b")
  expect_identical(found$statistics$level, c("no", "yes"))
  expect_equal(found$statistics$file[2], 0.25)
  expect_equal(found$statistics$value[2], 0.5)
  expect_equal(found$table$ecdf_max, 0.25)
})

test_that("heaping is measured, and remarked where it is lost", {
  withr::local_seed(1)
  data <- data.frame(y = c(rep(c(1000, 1500, 1900), c(40, 30, 20)), 1:10, 0))
  set <- data.frame(y = sample(1001:9999, nrow(data)))
  found <- utility(set, data, "y")
  # 90 of 100 values other than 0, and 10 itself
  heaps <- grepl("^multiples", found$statistics$statistic)
  expect_equal(found$statistics$file[heaps], c(0.91, 0.9, 0.4))
  expect_output(print(found), "Heaping is lost")
  expect_null(utility(data, data, "y")$remarks)
})

test_that("utility remarks on spreads, signs and shared values that are off", {
  withr::local_seed(1)
  n <- 1500
  income <- c(rep(0, n * 0.15), exp(stats::rnorm(n * 0.85, 10, 0.6)))
  said <- function(y, z) {
    utility(list(data.frame(y = z)), data.frame(y = y), "y")$remarks
  }
  # A normal law of asinh(income / 1000) where the file has zeros
  wide <- 1000 * sinh(stats::rnorm(n, 2.9, 1.6))
  expect_match(said(income, wide), "mean of the sets is .* off", all = FALSE)
  expect_match(said(income, wide), "standard deviation of the sets is",
    all = FALSE
  )
  expect_match(said(income, wide), "negative; the file has none", all = FALSE)
  expect_match(
    said(income, wide), "15.0% of the file's values are 0", all = FALSE
  )
  # Poisson for what varies more
  counts <- stats::rnbinom(n, mu = 1.7, size = 0.8)
  expect_match(
    said(counts, stats::rpois(n, 1.7)), "standard deviation of the sets is 0.5",
    all = FALSE
  )
  # Another sample of the same law says nothing, nor do long tails
  expect_null(said(counts, stats::rnbinom(n, mu = 1.7, size = 0.8)))
  for (i in 1:20) {
    expect_no_match(
      paste(said(stats::rt(200, 3), stats::rt(200, 3)), ""),
      "standard deviation"
    )
  }
  # Printed, each on a line of its own
  expect_output(
    print(utility(list(data.frame(y = wide)), data.frame(y = income), "y")),
    "The standard deviation of the sets"
  )
})

test_that("a figure of zeros is refused: nothing is relative to 0", {
  zeros <- data.frame(y = rep(0, 20))
  expect_error(
    plot(utility(zeros, zeros, "y")), "not 0",
    class = "pseudosynth_error_input"
  )
})

test_that("models are formulas, in whatever list they come", {
  data <- ce_income[1:100, c("sex", "age")]
  book <- suppressMessages(confirm_codebook(draft_codebook(data)))
  sets <- suppressWarnings(synthesize(
    file_release(file_plan(data, book), 5, seed = 1), seed = 1
  ))
  expect_error(
    utility(sets, data, regression = pairlist(a = 1)), "formula",
    class = "pseudosynth_error_input"
  )
})
