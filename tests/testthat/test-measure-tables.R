test_that("distances are those of tables made by hand", {
  file <- ce_income[1:500, c("sex", "age", "earner")]
  book <- confirm_codebook(draft_codebook(file))
  release <- file_release(file_plan(file, book), 2, seed = 1)
  sets <- synthesize(release, 2, seed = 1)
  found <- utility(sets, file)
  shares <- function(x) as.vector(table(x)) / nrow(x)
  for (i in seq_len(nrow(found$pairs))) {
    row <- found$pairs[i, ]
    columns <- stats::na.omit(c(row$first, row$second))
    truth <- shares(file[columns])
    expect_equal(
      row$distance, sum(abs(shares(sets[[row$set]][columns]) - truth)) / 2
    )
    expect_equal(row$fresh, fresh_distance(truth, sets$n_records))
  }
  pairs <- found$pairs[!is.na(found$pairs$second) & found$pairs$set == 2, ]
  expect_equal(found$table$two_way[2], mean(pairs$distance))
  expect_equal(
    found$table$two_way_ratio[2], mean(pairs$distance) / mean(pairs$fresh)
  )
  expect_identical(as.data.frame(found), found$table)
  expect_output(print(found), "for the agency only")
})

test_that("tables have the distances that synthpop gives them", {
  found <- utility(peer_sets(), peer_file())$pairs
  known <- peer_figures()$tables
  mean <- function(x) rowMeans(matrix(x, nrow(known)))
  at <- match(
    paste(known$first, known$second),
    paste(found$first, ifelse(is.na(found$second), "-", found$second))
  )
  expect_equal(mean(found$distance)[at], known$SPECKS)
  expect_equal(mean(found$pmse)[at], known$pMSE)
  expect_equal(mean(found$pmse_ratio)[at], known$S_pMSE)
  skip_if_not_installed("synthpop")
  theirs <- peer_script()$tables
  expect_equal(unname(theirs[, "SPECKS"]), known$SPECKS)
  expect_equal(unname(theirs[, "MabsDD"]) / 2, known$SPECKS)
  expect_equal(unname(theirs[, "pMSE"]), known$pMSE)
  expect_equal(unname(theirs[, "S_pMSE"]), known$S_pMSE)
})

test_that("deviations are those of binomial counts, whole or not", {
  p <- c(0.001, 0.3, 0.5, 0.98, 1, 0)
  for (n in c(40, 1e6)) {
    q <- pmin(p, 1 - p)
    k <- floor(n * q) + 1
    exact <- 2 * k * (1 - q) * stats::dbinom(k, n, q) / n
    expect_equal(fresh_deviations(p, n), exact, tolerance = 1e-7)
  }
  # Between whole numbers of records it lies between
  ends <- c(fresh_deviations(0.3, 40), fresh_deviations(0.3, 41))
  expect_lt(abs(fresh_deviations(0.3, 40.5) - mean(ends)), 0.02 * ends[1])
})

test_that("one row sums it up", {
  found <- withr::with_seed(1, utility(
    peer_sets(), peer_file(),
    regression = earner ~ age, pmse = "logit"
  ))
  expect_equal(
    found$overall[["two_way_ratio"]], mean(found$table$two_way_ratio)
  )
  expect_equal(
    found$overall[["logit_pmse_ratio"]], mean(found$propensity$pmse_ratio)
  )
  expect_equal(found$overall[["overlap"]], mean(found$models$overlap))
  expect_output(print(found), "logistic regression")
  expect_output(print(found), "earner ~ age")
  skip_if_not_installed("generics")
  expect_identical(nrow(generics::glance(found)), 1L)
})

test_that("a fresh sample has the distance that is stated for it", {
  withr::local_seed(1)
  p <- c(0.001, 0.2, 0.299, 0.5, 0)
  # All counts of a binomial: the closed form is exact
  exact <- sum(vapply(p, function(p) {
    sum(abs(0:40 - 40 * p) * stats::dbinom(0:40, 40, p)) / 40
  }, 1)) / 2
  expect_equal(fresh_distance(p, 40), exact)
  many <- replicate(2000, {
    sum(abs(stats::rmultinom(1, 40, p) / 40 - p)) / 2
  })
  expect_lt(abs(mean(many) - exact), 5 * stats::sd(many) / sqrt(2000))
})

test_that("the file itself is at 0 and a resample near 1", {
  file <- canary_file()
  sets <- synthesize(canary_release(), 1)
  withr::local_seed(4)
  same <- resampled <- sets
  same$sets <- list(file[-1])
  same$n_records <- nrow(file)
  expect_identical(utility(same, file)$table$two_way, 0)
  resampled$sets <- list(file[sample(nrow(file), 5e4, TRUE), -1])
  resampled$n_records <- 5e4
  ratio <- utility(resampled, file)$table$two_way_ratio
  expect_gt(ratio, 0.7)
  expect_lt(ratio, 1.4)
})

test_that("parts are levels, and breaks do not come from the file", {
  file <- canary_file()
  sets <- synthesize(canary_release(), 1)
  columns <- file_levels(sets$codebook, sets$sets, quantile_steps)
  expect_identical(columns$income$levels[1], "zero")
  codes <- level_codes(file$income, columns$income)
  expect_identical(which(codes == 1), which(file$income == 0))
  values <- sets[[1]]$income
  drawn <- level_codes(values, columns$income)
  inner <- columns$income$breaks
  expect_identical(
    drawn[values > 0], findInterval(values[values > 0], inner) + 2L
  )
  # What no codebook states has a level of its own
  expect_identical(
    level_codes(c("farming", "MARKTRADE", NA), columns$trade), c(1L, 3L, 4L)
  )
  expect_identical(
    level_codes(3e6, columns$income), length(columns$income$levels) + 1L
  )
})

test_that("bins within a day, or of large numbers, have names of their own", {
  hours <- rep(1:15, 2) * 3600
  data <- data.frame(
    when = as.POSIXct("2020-01-01", tz = "UTC") + hours, x = 1e6 + hours
  )
  book <- edit_codebook(draft_codebook(data), x = list(
    type = "amount", lower = 1e6, upper = 1.1e6
  ))
  specs <- column_specs(confirm_codebook(book))
  at <- datetime_number(c("2020-01-01 01:00:00", "2020-01-01 05:00:00"))
  expect_identical(bin_names(at, specs$when)[2],
    "2020-01-01 01:00 to 2020-01-01 05:00"
  )
  expect_identical(bin_names(c(1000002, 1000005), specs$x),
    c("under 1000002", "1000002 to 1000005", "1000005 and more")
  )
})

test_that("missing values and codes are levels with their names", {
  file <- survey_file()
  file <- file[by_night(names(file), c("sex", "income", "nofriend"))]
  book <- as.data.frame(draft_codebook(file))
  at <- which(book$column == "income")
  book$codes[[at]] <- c("no answer" = "-8")
  book$family[book$type == "count?"] <- "student_t"
  book <- confirm_codebook(codebook(book))
  release <- suppressWarnings(file_release(file_plan(file, book), 4, seed = 1))
  sets <- synthesize(release, seed = 1)
  columns <- file_levels(sets$codebook, sets$sets, round_breaks)
  levels <- columns$income$levels
  expect_identical(levels[c(1, length(levels))], c("no answer", "missing"))
  codes <- level_codes(file$income, columns$income)
  expect_identical(which(codes == 1), which(file$income %in% -8))
  expect_identical(which(codes == length(levels)), which(is.na(file$income)))
  expect_lt(utility(sets, file)$table$one_way, 0.2)
  expect_s3_class(plot(sets, data = file), "ggplot")
})

test_that("what does not apply to whole files is refused", {
  sets <- synthesize(canary_release(), 1)
  file <- canary_file()
  for (asked in list(
    list(variable = "income"), list(transform = "log"), list(groups = "region")
  )) {
    expect_error(
      do.call(utility, c(list(sets, file), asked)), "do(es)? not apply",
      class = "pseudosynth_error_input"
    )
  }
  expect_error(utility(sets, file[-4]), class = "pseudosynth_error_input")
  expect_error(utility(sets), class = "pseudosynth_error_input")
  expect_error(
    pool(with(sets, mean(income))), "cannot be combined",
    class = "pseudosynth_error_input"
  )
  expect_error(summary(sets), "whole files", class = "pseudosynth_error_input")
  stacked <- as.data.frame(synthesize(canary_release(), 3))
  expect_identical(names(stacked)[1], "set")
  expect_identical(unique(stacked$set), 1:3)
  expect_s3_class(stacked$born, "Date")
  expect_identical(stacked$born, round(stacked$born))
})
