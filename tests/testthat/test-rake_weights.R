# Weights that lean on region and sex, for the survey's side of whole files.
weighted_people <- function(n = 600) {
  data <- utils::head(
    subset(ce_income, income > 0, c("income", "sex", "region", "earner")), n
  )
  data <- droplevels(data)
  data$weight <- withr::with_seed(8, round(exp(
    9 + 0.8 * (data$sex == "female") + 0.2 * stats::rnorm(nrow(data))
  ), 3))
  # In the middle of the file
  data[c("sex", "weight", "income", "region", "earner")]
}

weighted_book <- function(data, ...) {
  book <- as.data.frame(draft_codebook(data))
  at <- match(c("weight", "income"), book$column)
  book[at, "lower"] <- c("2000", "1")
  book[at, "upper"] <- c("60000", "2000000")
  book[at, "transform"] <- "log"
  changes <- list(...)
  for (field in names(changes)) book[[field]][at[1]] <- changes[[field]]
  confirm_codebook(codebook(book))
}

weighted_plan <- function(data = weighted_people(), ..., publish = NULL) {
  file_plan(
    data, weighted_book(data), publish, survey_weights = "weight", ...
  )
}

sex_totals <- data.frame(sex = c("female", "male"), total = c(6e6, 4e6))

# Made once and only read
weighted_release <- function() {
  remember("weighted_release", file_release(weighted_plan(), 5, seed = 1))
}

weighted_sets <- function(m = 1) {
  remember(
    paste("weighted_sets", m), synthesize(weighted_release(), m, seed = 2)
  )
}

raked_sets <- function(m = 2) {
  sets <- weighted_sets(m)
  region <- data.frame(region = levels(sets[[1]]$region))
  region$total <- 1e7 * seq_along(region$region) /
    sum(seq_along(region$region))
  rake_weights(sets, list(sex_totals, region))
}

test_that("a weight is drawn last and keeps its relations", {
  data <- weighted_people()
  plan <- weighted_plan(data)
  expect_identical(
    plan$table$role, c("protected", "survey weight", rep("protected", 3))
  )
  release <- weighted_release()
  expect_identical(names(release$amounts), c("income", "weight"))
  expect_identical(release$survey_weights, "weight")
  sets <- weighted_sets()
  expect_identical(sets$survey_weights, "weight")
  set <- sets[[1]]
  expect_identical(names(set), names(data))
  expect_identical(lapply(set, class), lapply(data, class))
  expect_true(all(set$weight >= 2000 & set$weight <= 6e4))
  share <- function(set) {
    stats::weighted.mean(set$sex == "female", set$weight)
  }
  # Weights move this share by .19
  expect_gt(share(data) - mean(data$sex == "female"), 0.15)
  expect_equal(share(set), share(data), tolerance = 0.05)
  expect_equal(sum(set$weight), sum(data$weight), tolerance = 0.1)
})

test_that("a published weight stays as it is", {
  data <- weighted_people()
  plan <- weighted_plan(data, publish = c("weight", "sex"))
  expect_identical(
    plan$table$role[1:2], c("published", "published survey weight")
  )
  release <- file_release(plan, 5, seed = 1)
  expect_identical(names(release$amounts), "income")
  sets <- synthesize(release, seed = 2)
  set <- in_file_order(sets$sets, data, sets$columns$name)[[1]]
  expect_identical(set$weight, data$weight)
  expect_identical(set$sex, data$sex)
  expect_match(
    guarantee(sets)$public_inputs[["survey weights"]],
    "^weight, published; a weight counts"
  )
})

test_that("print, plot and label tell which column has the weights", {
  plan <- weighted_plan()
  expect_snapshot(plan)
  shown <- ggplot2::ggplot_build(plot(plan))
  expect_true("survey weight" %in% shown$plot$data$role)
  release <- weighted_release()
  said <- guarantee(release)$public_inputs[["survey weights"]]
  expect_snapshot(cat(strwrap(said, 76), sep = "\n"))
  expect_match(print_lines(release), "^ +weights +weight$", all = FALSE)
  raked <- raked_sets(1)
  expect_snapshot(raked)
  expect_identical(
    guarantee(raked)$public_inputs[["totals"]],
    "stated as public, of sex, region"
  )
})

test_that("what cannot be a weight is refused, with counts, not values", {
  data <- weighted_people()
  refused <- function(data, book = weighted_book(weighted_people()),
                      weight = "weight") {
    expect_error(
      file_plan(data, book, survey_weights = weight),
      class = "pseudosynth_error_input"
    )
  }
  data$weight[c(3, 5)] <- NA
  data$weight[7] <- -271
  error <- refused(data)
  text <- cli::ansi_strip(conditionMessage(error))
  expect_match(text, "missing for 2 records", fixed = TRUE)
  expect_match(text, "0 or below for 1 record", fixed = TRUE)
  expect_no_match(text, "271", fixed = TRUE)
  expect_identical(error$rows, c(3L, 5L, 7L))
  data <- weighted_people()
  refused(data, weight = "sex")
  refused(data, weight = "cake")
  refused(data, weight = c("weight", "sex"))
  refused(data, weighted_book(data, lower = "0", zero = TRUE))
  refused(data, weighted_book(data, missing = TRUE))
  refused(data, weighted_book(data, codes = list("-9")))
  refused(data, weighted_book(data, transform = "identity"))
})

test_that("the label's promise holds exactly with a weight", {
  plan <- weighted_plan(weighted_people(by_night(600, 300)))
  release <- file_release(plan, 5, seed = 1)
  worst <- audit_guarantee(
    release, plan, rows = 1000, replays = by_night(20, 2), seed = 2
  )$worst
  expect_true(all(worst$exact <= worst$claimed))
})

test_that("raked weights meet the totals in every set and stay above 0", {
  skip_if_not_installed("survey")
  raked <- raked_sets(3)
  plain <- weighted_sets(3)
  for (k in 1:3) {
    set <- raked[[k]]
    sums <- tapply(set$weight, set$sex, sum)
    expect_equal(sums[sex_totals$sex], sex_totals$total,
      tolerance = 1e-6, ignore_attr = TRUE
    )
    region <- raked$totals[[2]]
    expect_equal(
      as.vector(tapply(set$weight, set$region, sum)[region$region]),
      region$total, tolerance = 1e-6
    )
    expect_true(all(set$weight > 0))
    # One factor for each combination of levels, and nothing else changed
    factor <- set$weight / plain[[k]]$weight
    spread <- tapply(factor, set[c("sex", "region")], function(x) {
      diff(range(x)) / mean(x)
    })
    expect_lt(max(spread, na.rm = TRUE), 1e-9)
    expect_identical(set[names(set) != "weight"],
      plain[[k]][names(set) != "weight"]
    )
  }
  expect_true(is_sealed(raked))
  expect_identical(guarantee(raked)$epsilon, guarantee(plain)$epsilon)
  expect_identical(guarantee(raked)$label, "strict")
  plain$sets[[1]]$income[1] <- 5L
  expect_identical(guarantee(rake_weights(plain, sex_totals))$label, "none")
})

test_that("raking takes combinations, missing values and whole weights", {
  skip_if_not_installed("survey")
  data <- weighted_people()
  data$weight <- as.integer(data$weight)
  data$sex[1:60] <- NA
  book <- weighted_book(data)
  plan <- file_plan(data, book, survey_weights = "weight")
  sets <- synthesize(file_release(plan, 5, seed = 1), seed = 2)
  expect_type(sets[[1]]$weight, "integer")
  expect_true(anyNA(sets[[1]]$sex))
  totals <- expand.grid(
    sex = c("male", "female", NA), earner = levels(data$earner)
  )
  totals$total <- 1000 * seq_len(nrow(totals))
  set <- rake_weights(sets, totals)[[1]]
  key <- function(x) paste(x$sex, x$earner)
  expect_equal(
    as.vector(tapply(set$weight, key(set), sum)[key(totals)]), totals$total,
    tolerance = 1e-6
  )
})

test_that("totals that cannot be met are refused", {
  skip_if_not_installed("survey")
  sets <- weighted_sets()
  refused <- function(totals, pattern) {
    expect_error(
      rake_weights(sets, totals), pattern, class = "pseudosynth_error_input"
    )
  }
  with_total <- function(total) replace(sex_totals, "total", list(total))
  refused("sex", "data frame")
  refused(list(), "data frame")
  refused(sex_totals["sex"], "total")
  refused(sex_totals["total"], "total")
  refused(with_total(c(0, 1)), "above 0")
  refused(with_total(c("1", "2")), "above 0")
  refused(with_total(c(NA, 1)), "above 0")
  refused(sex_totals[1, ], "not in the table of sex")
  refused(rbind(sex_totals, sex_totals), "a second total")
  refused(rbind(sex_totals, list("other", 1)), "no record")
  refused(list(sex_totals, sex_totals), "more than one for")
  refused(stats::setNames(sex_totals, c("cake", "total")), "cake")
  refused(stats::setNames(sex_totals, c("weight", "total")), "weight")
  earner <- data.frame(earner = levels(sets[[1]]$earner), total = c(1, 1))
  refused(list(sex_totals, earner), "same sum")
  # Two columns that say the same: their totals cannot differ
  sets$sets[[1]]$earner <- factor(
    sets$sets[[1]]$sex, c("female", "male"), earner$earner
  )
  earner$total <- c(5e6, 5e6)
  error <- expect_error(
    rake_weights(sets, list(sex_totals, earner)), "do not meet the totals",
    class = "pseudosynth_error_totals"
  )
  expect_match(conditionMessage(error), "off by", fixed = TRUE)
})

test_that("sets without weights, and a missing package, are said", {
  plan <- file_plan(weighted_people(), weighted_book(weighted_people()))
  sets <- synthesize(file_release(plan, 5, seed = 1), seed = 2)
  expect_null(sets$survey_weights)
  expect_error(rake_weights(sets, sex_totals), "survey_weights")
  expect_error(survey_design(sets), "survey_weights")
  expect_error(rake_weights(data.frame(), sex_totals), "synthetic_data")
  weighted <- weighted_sets()
  weighted$made_by$combine <- "reiter"
  weighted <- seal(weighted)
  # As where the package is not installed
  local_replaced("check_installed", local({
    check <- check_installed
    environment(check) <- list2env(
      list(requireNamespace = function(...) FALSE),
      parent = asNamespace("pseudosynth")
    )
    check
  }))
  for (ask in list(
    function() survey_design(weighted),
    function() rake_weights(weighted, sex_totals)
  )) {
    expect_error(
      ask(), "install.packages\\(\"survey\"\\)",
      class = "pseudosynth_error_input"
    )
  }
})
