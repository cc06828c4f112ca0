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
    found <- linked_correlation(sums, 1e5, 1000)
    expect_equal(found[["mean"]], together, tolerance = 0.02)
    # The error is that of the sum, through the slope
    more <- linked_correlation(sums + 1000, 1e5, 1000)[["mean"]]
    expect_equal(found[["error"]], more - found[["mean"]], tolerance = 0.2)
  }
  score[1:3] <- NA
  expect_identical(whole_links(score, list(score))[1:3, 1], c(0, 0, 0))
  # As many sums where nobody has a value
  none <- whole_links(double(), list(double(), double()))
  expect_identical(dim(none), c(0L, 2L))
})

test_that("noise alone leads to expect nothing", {
  withr::local_seed(1)
  # Noise far larger than all records
  noise <- 1000 * link_unit
  found <- replicate(
    200, linked_correlation(rnorm(1, 0, noise), 100, noise)
  )
  expect_gt(min(found["error", ]), 0.5)
  expect_lt(max(abs(found["mean", ])), 0.2)
  expected <- replicate(50, {
    error <- rep(0.1, 8)
    told <- rnorm(8, 0, error)
    expected_spread(told, diag(1 + error), error)$spread^2
  })
  expect_lt(mean(expected), 0.05)
  expect_equal(expected_spread(0.9, matrix(1.001), 0.001)$spread^2, 0.81,
    tolerance = 0.01
  )
  data <- data.frame(replicate(4, round(exp(rnorm(60)), 2)))
  book <- data.frame(
    column = names(data), type = "amount", lower = "0.01", upper = "100",
    digits = "2", transform = "log", confirmed = TRUE
  )
  strong <- vapply(by_night(1:20, 1:5), function(seed) {
    release <- suppressMessages(suppressWarnings(
      file_release(file_plan(data, codebook(book)), 0.5, seed = seed)
    ))
    sum(!vapply(release$amounts, function(one) is.null(one$curve), NA))
  }, 0)
  expect_identical(sum(strong), 0)
})

test_that("nobody, one or all with a value: as many noisy sums", {
  withr::local_seed(1)
  data <- data.frame(a = round(rnorm(200, 50, 10)), b = NA, c = 1:200)
  book <- data.frame(
    column = names(data), type = "amount", lower = "0", upper = "200",
    digits = "0", missing = c(FALSE, TRUE, FALSE), confirmed = TRUE
  )
  sums <- vapply(c(0, 1, 200), function(n) {
    data$b <- as.double(replace(data$b, seq_len(n), 7))
    release <- suppressMessages(suppressWarnings(
      file_release(file_plan(data, codebook(book)), 0.5, seed = n + 1)
    ))
    expect_length(release$amounts$b$links$noisy, 1)
    expect_length(release$amounts$c$links$noisy, 2)
    expect_false(anyNA(synthesize(release)[[1]]$c))
    length(unlist(lapply(release$amounts, function(x) x$links$noisy)))
  }, 0L)
  expect_identical(sums, rep(3L, 3))
})

test_that("linked amounts of any unit are released", {
  withr::local_seed(1)
  size <- exp(rnorm(300))
  for (unit in c(1e-3, 1, 1e9, 1e13)) {
    data <- data.frame(
      a = unit * size, b = unit * size * exp(rnorm(300, 0, 0.05))
    )
    book <- data.frame(
      column = names(data), type = "amount", lower = "0",
      upper = format(unit * 50), digits = "any", confirmed = TRUE
    )
    release <- suppressMessages(suppressWarnings(
      file_release(file_plan(data, codebook(book)), 5, seed = 1)
    ))
    set <- synthesize(release, seed = 1)[[1]]
    expect_gt(cor(set$a, set$b, method = "spearman"), 0.85)
    slope <- coef(release, amount = "b")[["earlier amounts"]]
    expect_equal(slope, 1, tolerance = 0.5)
  }
})

test_that("margins of fewer bins than planned cost no more than is stated", {
  data <- data.frame(x = rep(1:20, 20), y = rep(1:20, each = 20))
  book <- data.frame(
    column = names(data), type = "amount", lower = "1", upper = "20",
    digits = "0", transform = "log", confirmed = TRUE
  )
  plan <- file_plan(data, codebook(book))
  for (neighbours in relation_names) {
    release <- suppressMessages(suppressWarnings(
      file_release(plan, 3, neighbours = neighbours, seed = 1)
    ))
    stated <- total_charges(release$charges, release$delta)$rho
    paid <- cost_of(measurements_of(release, plan)$measurements)$rho
    expect_true(all(paid <= stated * (1 + 1e-9)))
  }
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

test_that("tables hold linked values as firmly as their noise allows", {
  swaps <- function(deviation, n = 1000) {
    noise <- data.frame(variance = deviation^2, cells = 8)
    swaps_of(list(curve = 1:3, n = 1000, tables = list(noise = noise)), n)
  }
  last <- function(...) utils::tail(swaps(...)$beta, 1)
  ends <- linked_swaps[c("least", "most")]
  expect_identical(last(1e5), ends[["least"]])
  expect_identical(last(1e-5), ends[["most"]])
  expect_equal(last(30), 0.2)
  # Noise is that of a set's counts
  expect_equal(last(60, 500), last(30, 1000))
  # Of few records a cell they say less
  expect_equal(last(60, 200), 0.25)
  expect_false(is.unsorted(swaps(30)$beta))
  # Without tables, or of no records, they say least
  none <- swaps_of(list(curve = 1:3, n = 1000), 1000)
  expect_equal(none$beta, c(0.01, sqrt(0.001), 0.1))
  expect_identical(swaps_of(list(n = 1000), 1000), swapping)
})

test_that("a column may have the name of what earlier amounts say", {
  # Sizes of 0 are a part, a column of the block beside their bins
  data <- following(800)
  data$size[1:200] <- 0
  book <- as.data.frame(following_plan(following(800))$codebook)
  book$zero[2] <- TRUE
  drawn <- function(name) {
    names(data)[1] <- book$column[1] <- name
    release <- suppressMessages(suppressWarnings(
      file_release(file_plan(data, codebook(book)), 5, seed = 1)
    ))
    expect_false(is.null(release$amounts$weight$curve))
    set <- suppressMessages(synthesize(release, seed = 1))[[1]]
    list(
      set = unname(as.list(set)),
      coef = unname(coef(release, amount = "weight"))
    )
  }
  expect_equal(drawn("earlier amounts"), drawn("cut"))
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
    lined = c(TRUE, FALSE, TRUE, FALSE), curve = c(-2, -1, 0, 0.5, 3)
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

test_that("of few records errors are as wide as links and margin say", {
  # A slope that noise has made too steep; the margin as it is
  off <- vapply(1:40, function(seed) {
    withr::with_seed(seed, {
      said <- rnorm(300, 0, 0.8)
      error <- rnorm(300)
      y <- said + 0.6 * rnorm(300)
    })
    x <- list(
      family = as_synth_family(stats::gaussian()), shape = 0.6, curve = 0,
      links = list(spread = 0.8, unsure = 0.01), transform = "identity",
      counts = list(breaks = sort(c(-9, y, 9)), counts = rep(1, 301))
    )
    line <- 1.25 * said
    scales <- c(
      linked_scale(x, line, error, said, rep(0.6, 300)),
      margin_scale(x, x$counts, line, error)
    )
    vapply(scales, function(scale) cor(line + scale * error, said), 0) - 0.8
  }, c(linked = 0, margin = 0))
  expect_lt(mean(abs(off["linked", ])), 0.7 * mean(abs(off["margin", ])))
})

test_that("records with both amounts are counted whatever their number", {
  # The product of both numbers is no integer of R
  set <- matrix(1L, 60000, 1, dimnames = list(NULL, "g"))
  found <- records_with_both(
    list(name = "pay"), list(rent = list(name = "rent")), set, 5e6L
  )
  expect_identical(found, c(rent = 5e6))
})
