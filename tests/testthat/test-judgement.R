# Every measure in a list gives the same of a set and of a fresh sample, and
# keeps a few laws, whatever it measures.

judged_file <- function(n = 120, seed = 1) {
  withr::with_seed(seed, data.frame(
    g = sample(letters[1:4], n, TRUE), h = sample(1:6, n, TRUE),
    y = sample(c("u", "v", "w"), n, TRUE, c(0.6, 0.3, 0.1))
  ))
}

test_that("measures of risk are of a fresh sample what is stated for it", {
  file <- judged_file()
  drawn <- withr::with_seed(2, replicate(300, {
    file[sample(nrow(file), 90, TRUE), ]
  }, simplify = FALSE))
  case <- risk_case(file, file, c("g", "h"), "y", 20)
  # As many records as a set has, which may be fewer than the file
  case$sets <- drawn
  for (name in names(risk_measures())) {
    found <- judgement(case, risk_measures()[name])
    if (is.null(found$overall)) next
    said <- !is.na(found$fresh)
    error <- vapply(found$table[-1], stats::sd, 0) / sqrt(300)
    expect_true(
      all(abs(found$overall - found$fresh)[said] <= 4 * error[said] + 1e-12),
      label = name
    )
  }
  rows <- judgement(case, risk_measures())$rows
  fresh <- rows$set[c("attribution_fresh", "disclosive_fresh")]
  own <- rows$set[c("attribution", "disclosive_right")]
  expect_lt(max(abs(colMeans(own) - colMeans(fresh))), 0.02)
  replicated <- rows$uniques[rows$uniques$columns == "keys", ]
  error <- stats::sd(replicated$replicated) / sqrt(300)
  expect_lt(
    abs(mean(replicated$replicated) - replicated$fresh[1]), 4 * error
  )
})

test_that("a set alone has the figures that it has beside others", {
  file <- judged_file()
  case <- risk_case(
    list(judged_file(seed = 3), judged_file(seed = 4)), file, c("g", "h"),
    "y", 20
  )
  both <- judgement(case, risk_measures())
  case$sets <- case$sets[2]
  alone <- judgement(case, risk_measures())
  expect_equal(
    unlist(both$table[2, -1]), unlist(alone$table[-1])
  )
  expect_identical(names(both$overall), names(both$fresh))
  for (rows in both$rows) expect_identical(names(rows)[1], "set")
})

# Sets of one variable and of whole files that every measure of utility is of
utility_cases <- function() {
  file <- withr::with_seed(1, data.frame(
    g = sample(c("a", "b", "c"), 160, TRUE), x = round(stats::rnorm(160), 2),
    y = round(stats::rlnorm(160, 7), -1)
  ))
  asked <- list(
    regression = check_models(y ~ x + g), methods = "logit",
    survey_weights = NULL
  )
  variable_case <- function(name, groups) {
    pseudosynth:::variable_case(file, file, name, groups, "identity", asked)
  }
  files <- asked
  files$regression <- check_models(earner ~ age)
  list(
    numbers = variable_case("y", "g"), levels = variable_case("g", "x"),
    files = file_case(peer_sets(), peer_file(), files)
  )
}

test_that("measures of utility are of a fresh sample what is stated for it", {
  times <- by_night(400, 60)
  for (called in names(utility_cases())) {
    case <- utility_cases()[[called]]
    n <- nrow(case$data)
    case$sets <- withr::with_seed(2, replicate(times, {
      case$data[sample(n, n, TRUE), , drop = FALSE]
    }, simplify = FALSE))
    found <- judgement(case, utility_measures())
    expect_identical(names(found$overall), names(found$fresh))
    said <- !is.na(found$fresh)
    error <- vapply(found$table[-1], stats::sd, 0) / sqrt(times)
    # Of figures without a closed form, samples stand on both sides
    both <- error * sqrt(1 + times / fresh_samples)
    # Ratios of quantiles and errors of regressions are of large samples
    expect_true(
      all((abs(found$overall - found$fresh) <= 4 * both + 0.1 * found$fresh)[
        said
      ]),
      label = called
    )
  }
})

test_that("a copy of the file is as near as can be", {
  for (called in names(utility_cases())) {
    case <- utility_cases()[[called]]
    case$sets <- list(case$data)
    found <- judgement(case, utility_measures(), fresh = FALSE)$overall
    expect_null(judgement(case, utility_measures(), fresh = FALSE)$fresh)
    same <- c(
      "mean_ratio", "sd_ratio", "total_ratio", "q90_ratio", "q95_ratio",
      "q99_ratio", "overlap"
    )
    one <- names(found) %in% same
    expect_equal(unname(found[one]), rep(1, sum(one)))
    zero <- !one & names(found) != "r_squared"
    expect_equal(unname(found[zero]), rep(0, sum(zero)), tolerance = 1e-8)
  }
})

test_that("samples are the same ones, and R's own numbers stay", {
  case <- utility_cases()$numbers
  withr::local_seed(5)
  before <- .Random.seed
  found <- judgement(case, utility_measures()["distribution"])$fresh
  expect_identical(.Random.seed, before)
  again <- judgement(case, utility_measures()["distribution"])$fresh
  expect_identical(found, again)
})
