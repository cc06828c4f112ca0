# Amounts that follow one another: of a size the price, and of both a weight
following <- function(n = 4000, seed = 1) {
  withr::with_seed(seed, {
    cut <- sample(c("fair", "good", "fine"), n, TRUE, c(0.2, 0.5, 0.3))
    size <- exp(rnorm(n, 1, 0.4) - 0.1 * (cut == "fine"))
    price <- 100 * size^1.6 * exp(0.3 * (cut == "fine") + rnorm(n, 0, 0.1))
    data.frame(
      cut = cut, size = round(size, 2), price = round(price),
      weight = round(size * exp(rnorm(n, 0, 0.03)), 2),
      # Nearly all in whole numbers
      score = pmin(round(rnorm(n, 50, 3)), 60) + 0.1 * (runif(n) < 0.01)
    )
  })
}

following_plan <- function(data) {
  file_plan(data, codebook(data.frame(
    column = names(data), type = c("category", rep("amount", 4)),
    levels = c("fair|good|fine", rep("", 4)),
    lower = c("", "0.01", "1", "0.01", "0"),
    upper = c("", "100", "1e6", "100", "100"),
    digits = c("", "2", "0", "2", "1"),
    transform = c("", "identity", "log", "identity", "identity"),
    confirmed = TRUE
  )))
}

test_that("sums of links say how near amounts are", {
  score <- withr::with_seed(1, rnorm(1e5))
  for (together in c(-0.95, -0.5, 0, 0.6, 0.95)) {
    other <- together * score +
      sqrt(1 - together^2) * withr::with_seed(2, rnorm(1e5))
    sums <- colSums(whole_links(score, list(other)))
    expect_equal(linked_correlation(sums, 1e5), together, tolerance = 0.02)
  }
  score[1:3] <- NA
  expect_identical(whole_links(score, list(score))[1:3, 1], c(0, 0, 0))
  # Noise beyond what can be is an end
  ends <- c(-most_linked, most_linked)
  expect_equal(linked_correlation(c(-1e9, 1e9), 10), ends)
})

test_that("noise alone leads to expect next to nothing", {
  withr::local_seed(1)
  error <- rep(0.3, 8)
  expected <- replicate(50, {
    told <- without_noise(rnorm(8, 0, error), error)
    expected_spread(told, diag(1 + error), error)^2
  })
  expect_lt(mean(expected), 0.1)
  # What is known stays
  told <- without_noise(c(0.99, 0.4), c(0.001, 0.001))
  expect_equal(told, c(0.99, 0.4), tolerance = 1e-4)
  expect_equal(expected_spread(0.9, matrix(1.001), 0.001)^2, 0.81,
    tolerance = 0.01
  )
})

test_that("expected scores use the earlier amounts that a record has", {
  links <- list(
    with = c("a", "b"), told = c(0.9, 0.8), strong = c("a", "b"),
    among = matrix(c(1, 0.7, 0.7, 1), 2), spread = 0.95
  )
  scores <- list(a = c(1, NA, 1, NA), b = c(-1, -1, NA, NA))
  half <- (expected_places - 1) / 2
  by <- solve(links$among, links$told)
  expected <- c(sum(by * c(1, -1)), -0.8, 0.9, 0)
  found <- expected_places_of(links, scores)
  expect_equal(found$left^2, 1 - c(sum(by * links$told), 0.64, 0.81, 0))
  places <- round(half * expected / (0.95 * link_ends)) + half + 1
  expect_equal(found$place, as.integer(places))
  # Far out is an end
  scores <- list(a = c(1e9, -1e9), b = c(1e9, -1e9))
  found <- expected_places_of(links, scores)
  expect_identical(found$place, c(expected_places, 1L))
})

test_that("amounts that follow one another do so in sets", {
  data <- following()
  for (epsilon in by_night(c(2, 10), 10)) {
    release <- suppressMessages(
      file_release(following_plan(data), epsilon, seed = 1)
    )
    set <- synthesize(release, seed = 1)[[1]]
    amounts <- c("size", "price", "weight")
    own <- cor(data[amounts], method = "spearman")
    found <- cor(set[amounts], method = "spearman")
    expect_lt(max(abs(found - own)), 0.05)
    # What a category says beside them
    slope <- function(file) coef(lm(log(price) ~ log(size) + cut, file))
    own <- slope(data)
    expect_lt(max(abs(slope(set)[names(own)] - own)[-1]), 0.25)
  }
  expect_identical(release$amounts$weight$links$strong, c("size", "price"))
  # A weak link tells no scores: bins do
  expect_null(release$amounts$score$curve)
  expect_length(
    coef(release, amount = "weight"),
    length(release$amounts$weight$coefficients)
  )
  expect_match(names(coef(release, amount = "weight")), "earlier amounts",
    all = FALSE
  )
})

test_that("what linked amounts add stays within what is paid for", {
  plan <- following_plan(following(250))
  release <- suppressMessages(suppressWarnings(file_release(plan, 4, seed = 1)))
  expect_true(any(vapply(release$amounts, function(x) !is.null(x$curve), NA)))
  audit <- suppressMessages(audit_guarantee(
    release, plan, rows = by_night(500, 50), replays = by_night(12, 2), seed = 2
  ))
  expect_true(all(audit$worst$exact <= audit$worst$claimed))
  expect_true(all(audit$replays$over == "" & audit$replays$differs == ""))
  of <- measurements_of(release, plan)
  parts <- vapply(of$measurements, function(x) x$parts[1], "")
  expect_identical(sum(parts == "margin"), 8L)
  expect_identical(sum(parts == "links"), 3L)
})

test_that("linked and expected predictors have the lines of their columns", {
  withr::local_seed(1)
  levels <- c(3L, 4L, 2L, 5L)
  coding <- list(
    levels = levels, baseline = c(2L, 1L, 2L, 3L),
    columns = c(TRUE, FALSE, TRUE, FALSE), curve = c(-2, -1, 0, 0.5, 3)
  )
  codes <- vapply(levels, function(l) sample(l, 50, TRUE), integer(50))
  x <- dense_design(predictor_parts(codes, coding))
  expect_identical(ncol(x), 5L)
  b <- rnorm(5)
  lines <- level_lines(b, coding)
  expect_equal(line_sums_(codes, levels, lines, 1), drop(x %*% b))
  whiten <- matrix(rnorm(15), 5)
  expect_equal(
    level_lines(whiten, coding)[, 2], level_lines(whiten[, 2], coding)
  )
})
