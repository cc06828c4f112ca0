test_that("propensity errors are those of synthpop", {
  skip_if_not_installed("rpart")
  found <- withr::with_seed(1, utility(
    peer_sets(), peer_file(),
    pmse = c("logit", "cart")
  ))$propensity
  known <- peer_figures()
  logit <- found[found$method == "logit", ]
  # glm() ends its steps where the deviance changes by 1e-8
  expect_equal(logit$pmse, known$logit[, "pmse"], tolerance = 1e-6)
  expect_equal(logit$pmse_ratio, known$logit[, "pmse_ratio"], tolerance = 1e-6)
  expect_equal(found$pmse[found$method == "cart"], known$cart)
  expect_identical(found$records, rep(400L, 4))
  skip_if_not_installed("synthpop")
  theirs <- peer_script()
  expect_equal(theirs$logit, known$logit)
  expect_equal(theirs$cart, known$cart)
})

test_that("scores are those of glm.fit(), of a design of less than full rank", {
  withr::local_seed(2)
  n <- 500
  a <- stats::rnorm(n)
  b <- stats::rbinom(n, 1, 0.4)
  y <- stats::rbinom(n, 1, stats::plogis(0.5 * a - b))
  x <- cbind(1, a, b, 1 - b, a + b, 0)
  found <- logit_scores(x, y)
  fit <- stats::glm.fit(x[, 1:3], y,
    family = stats::binomial(), control = list(epsilon = 1e-14)
  )
  expect_identical(found$rank, 3L)
  expect_equal(found$score, fit$fitted.values)
})

test_that("scores are the best where glm() goes astray", {
  # A level of which the set has no record: its coefficient has no limit
  file <- peer_file()
  set <- peer_frames()[[1]]
  both <- rbind(file, set)
  levels(both$marital) <- c(levels(both$marital), "none")
  both$marital[is.na(both$marital)] <- "none"
  both$region[401:800][both$region[401:800] == "west"] <- "south"
  x <- stats::model.matrix(~ (sex + age + marital + earner + region)^2, both)
  y <- rep(0:1, each = 400)
  found <- logit_scores(x, y)
  # At the maximum the slope is 0
  expect_lt(max(abs(crossprod(x, y - found$score))), 1e-4)
  expect_lt(max(found$score[both$region == "west"]), 1e-4)
})

test_that("a fresh sample has a ratio of 1, a copy of published records 0", {
  file <- peer_file()
  sets <- peer_sets()
  withr::local_seed(3)
  sets$sets <- replicate(30, file[sample(400, 400, TRUE), ], simplify = FALSE)
  ratios <- file_propensities(sets, file, "logit")$pmse_ratio
  expect_lt(abs(mean(ratios) - 1), 5 * stats::sd(ratios) / sqrt(30) + 0.1)
  # Columns but earner are published as they are
  sets$columns <- sets$columns[sets$columns$name == "earner", ]
  shuffled <- file
  shuffled$earner <- sample(file$earner)
  sets$sets <- list(file, shuffled)
  found <- file_propensities(sets, file, "logit")
  expect_identical(found$pmse_ratio[1], 0)
  # The relation of earner to age is lost
  expect_gt(found$pmse_ratio[2], 4)
  published <- propensity_pair(file, shuffled, setdiff(peer_columns, "earner"))
  expect_identical(published$fixed, setdiff(peer_columns, "earner"))
})

test_that("rare levels are joined where parameters are too many", {
  withr::local_seed(4)
  columns <- lapply(1:6, function(i) {
    list(level = factor(sample(letters[1:12], 3000, TRUE, 12:1)))
  })
  found <- file_logit(columns, rep(c(FALSE, TRUE), 1500), character())
  # 6 (L - 1) + 15 (L - 1)^2 is 405 for L = 6, 264 for L = 5
  expect_identical(found$levels, 5L)
  expect_identical(found$parameters, 264L)
  few <- propensity_terms(columns[[1]], 3)
  expect_identical(ncol(few), 2L)
  counts <- sort(table(columns[[1]]$level), decreasing = TRUE)
  expect_equal(sort(colSums(few)), sort(c(counts[[2]], sum(counts[-(1:2)]))))
})

test_that("amounts enter by parts and ranks", {
  file <- survey_file()
  book <- as.data.frame(draft_codebook(file))
  spec <- column_specs(codebook(book))$income
  spec$codes <- -8
  x <- c(file$income, file$income * 2)
  parts <- propensity_parts(spec, x)
  expect_identical(sum(parts$level == "missing"), sum(is.na(x)))
  expect_identical(sum(parts$level == "code -8"), sum(x %in% -8))
  inside <- parts$level == "value"
  expect_equal(parts$rank[inside], 2 * rank(x[inside]) / sum(inside) - 1)
  expect_true(all(parts$rank[!inside] == 0))
})

test_that("of large files some records are drawn", {
  withr::local_seed(5)
  file <- data.frame(a = rep(c("x", "y"), 6000))
  set <- data.frame(a = rep(c("x", "y"), 7000))
  pair <- propensity_pair(file, set, character())
  expect_identical(sum(pair$is_set), 10000L)
  expect_identical(sum(!pair$is_set), 10000L)
  # Twins stay twins
  set <- cbind(file, b = file$a)
  file$b <- rev(file$a)
  pair <- propensity_pair(file, set[names(file)], "a")
  expect_identical(pair$both$a[1:10000], pair$both$a[10001:20000])
})

test_that("the ratio of a regression has a largest value", {
  withr::local_seed(2)
  columns <- lapply(1:3, function(i) {
    list(level = factor(sample(letters[1:4], 60, TRUE)))
  })
  is_set <- rep(c(FALSE, TRUE), each = 30)
  # What one column tells alone
  columns[[1]]$level <- factor(ifelse(is_set, "a", "b"))
  names(columns) <- c("x", "y", "z")
  found <- suppressWarnings(file_logit(columns, is_set, character()))
  expect_equal(found$pmse, 0.25, tolerance = 1e-4)
  expect_equal(found$pmse_ratio, 4 * 30 / found$parameters, tolerance = 1e-4)
})

test_that("two records beside sixty, and columns of one level, are taken", {
  # Of these seeds probabilities come to be 1
  for (seed in c(3, 27, 29, 55)) {
    withr::local_seed(seed)
    a <- sample(c("x", "y"), 60, TRUE)
    big <- ifelse(stats::runif(60) < 0.5, NA, stats::rnorm(60))
    day <- as.double(sample.int(5000, 60, TRUE))
    rows <- c(1:2, sample(60, 60, TRUE))
    amount <- function(x) {
      valued <- !is.na(x)
      rank <- double(length(x))
      rank[valued] <- propensity_column(x[valued])
      list(
        level = factor(ifelse(valued, "value", "missing")),
        value = ifelse(valued, x, 0), rank = rank
      )
    }
    columns <- list(
      a = list(level = factor(a[rows])), big = amount(big[rows]),
      day = amount(day[rows])
    )
    is_set <- rep(c(FALSE, TRUE), c(2, 60))
    found <- file_logit(columns, is_set, character())
    expect_true(is.finite(found$pmse_ratio))
    expect_gte(found$pmse, 0)
  }
  skip_if_not_installed("rpart")
  one <- list(a = list(level = factor(rep("x", 62))))
  expect_identical(dim(tree_frame(one)), c(62L, 1L))
  expect_identical(
    cart_propensity(tree_frame(one), is_set, FALSE, 20, 5, 0.001)$pmse, 0
  )
})
