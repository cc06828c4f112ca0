small_plan <- function(n = 200, publish = NULL, rules = NULL) {
  data <- withr::with_seed(7, data.frame(
    a = factor(sample(c("x", "y"), n, TRUE, c(0.3, 0.7)), c("x", "y")),
    b = factor(sample(c("p", "q", "r"), n, TRUE), c("p", "q", "r")),
    c = factor(sample(c("u", "v"), n, TRUE), c("u", "v"))
  ))
  book <- confirm_codebook(draft_codebook(data))
  list(data = data, plan = file_plan(data, book, publish = publish,
    rules = rules
  ))
}

# Residual of a table by explicit centring matrices
centring <- function(levels) {
  Reduce(function(a, b) kronecker(b, a), lapply(levels, function(l) {
    diag(l) - 1 / l
  }))
}

# From residuals of some columns to cells of a table of others
spreading <- function(inside, levels) {
  Reduce(function(a, b) kronecker(b, a), Map(function(inside, l) {
    if (inside) diag(l) else matrix(1 / l, l, 1)
  }, inside, levels))
}

# Estimate and covariance of a table's counts from what was released alone
direct_table <- function(block, columns) {
  levels <- block$levels[columns]
  cells <- prod(levels)
  size <- if (is.null(block$size_noise)) {
    0
  } else {
    (block$size_noise$deviation / block$size_noise$factor)^2
  }
  estimate <- rep(block$n / cells, cells)
  covariance <- matrix(size / cells^2, cells, cells)
  part <- 0 * estimate
  for (t in seq_along(block$tables)) {
    own <- block$tables[[t]]
    if (!all(own %in% columns)) next
    a <- spreading(columns %in% own, levels)
    part <- part + drop(a %*% block$residuals[[t]])
    covariance <- covariance + block$noise$variance[t] *
      a %*% centring(block$levels[own]) %*% t(a)
  }
  list(
    estimate = estimate + part, part = part, covariance = covariance,
    size = size
  )
}

test_that("estimates and noise are those of the residuals' covariance", {
  for (neighbours in relation_names) {
    release <- file_release(small_plan()$plan, 2,
      neighbours = neighbours, tables = list(c("a", "b", "c")), seed = 1
    )
    block <- release$block
    for (columns in list(1, 2, 1:2, 2:3, 1:3)) {
      known <- direct_table(block, columns)
      names <- names(release$levels)[columns]
      counts <- as.data.frame(tables(release, names, what = "counts"))
      expect_equal(counts$estimate, known$estimate)
      expect_equal(counts$noise, sqrt(diag(known$covariance)))
      shares <- as.data.frame(tables(release, names))
      expect_equal(shares$estimate, known$estimate / block$n)
      expect_equal(sum(shares$estimate), 1)
      # N moves shares by how far they are from even
      without <- diag(known$covariance) - known$size / nrow(shares)^2
      expect_equal(shares$noise^2, without / block$n^2 +
        known$size * known$part^2 / block$n^4)
      p <- pmin(pmax(shares$estimate, 0), 1)
      expect_equal(
        shares$std_error^2, shares$noise^2 + p * (1 - p) / block$n
      )
      file <- as.data.frame(tables(release, names, about = "file"))
      expect_identical(file$std_error, file$noise)
    }
    # The order of columns is the user's
    one <- as.data.frame(tables(release, c("a", "c", "b")))
    other <- as.data.frame(tables(release, c("b", "a", "c")))
    both <- merge(one, other, by = c("a", "b", "c"))
    expect_equal(both$estimate.x, both$estimate.y)
    expect_equal(both$noise.x, both$noise.y)
  }
})

test_that("noise of many releases is as wide as stated", {
  skip_unless_nightly()
  made <- small_plan()
  truth <- as.vector(table(made$data[c("a", "b")]))
  found <- vapply(1:300, function(seed) {
    release <- file_release(made$plan, 1, seed = seed)
    cells <- as.data.frame(tables(release, c("a", "b"), what = "counts"))
    c((cells$estimate - truth) / cells$noise)
  }, numeric(6))
  # A mean square of 1,800 normal numbers, of which 300 are independent
  expect_gt(mean(found^2), 0.6)
  expect_lt(mean(found^2), 1.5)
  expect_lt(max(abs(rowMeans(found))), 5.5 / sqrt(300))
})

test_that("tables of published columns are exact, and others' parts are", {
  made <- small_plan(publish = c("a", "c"))
  release <- file_release(made$plan, 1, seed = 1)
  for (columns in list("a", c("c", "a"))) {
    cells <- as.data.frame(tables(release, columns, "counts", about = "file"))
    known <- as.vector(table(made$data[columns]))
    expect_equal(cells$estimate, known)
    expect_equal(cells$noise, 0 * known)
    expect_equal(cells$low, known)
  }
  mixed <- as.data.frame(tables(release, c("a", "b"), what = "counts"))
  expect_gt(min(mixed$noise), 0)
  expect_equal(
    as.vector(tapply(mixed$estimate, mixed$a, sum)),
    as.vector(table(made$data$a))
  )
})

test_that("the interval is all shares within reach of the estimate", {
  share <- c(-0.3, -0.01, 0, 0.02, 0.4, 0.999)
  noise <- c(0.01, 0.01, 0, 0.02, 0.1, 0.01)
  for (n in c(50, 1e4)) {
    ends <- share_interval(share, noise, n, 0.95)
    p <- seq(0, 1, length.out = 1e5 + 1)
    for (k in seq_along(share)) {
      near <- (share[k] - p)^2 <=
        stats::qnorm(0.975)^2 * (noise[k]^2 + p * (1 - p) / n)
      held <- if (any(near)) range(p[near]) else c(0, 0)
      expect_equal(c(ends$low[k], ends$high[k]), held, tolerance = 1e-3)
    }
  }
  whole <- share_interval(0.5, 0.1, Inf, 0.95)
  expect_equal(unlist(whole, use.names = FALSE),
    0.5 + c(-1, 1) * stats::qnorm(0.975) * 0.1
  )
})

test_that("what was not measured, and unknown columns, are errors", {
  release <- file_release(small_plan()$plan, 1, seed = 1)
  expect_error(tables(release, "z"), class = "pseudosynth_error_input")
  expect_error(
    tables(release, c("a", "b", "c")), class = "pseudosynth_error_input"
  )
  expect_error(tables(release, c("a", "a")), class = "pseudosynth_error_input")
  expect_error(tables(1), class = "pseudosynth_error_input")
  four <- plot(tables(release))
  expect_s3_class(four, "ggplot")
})

test_that("all columns are in long form, and print says so", {
  release <- file_release(small_plan()$plan, 1, seed = 1)
  all <- tables(release)
  table <- as.data.frame(all)
  expect_identical(
    names(table),
    c("column", "level", "estimate", "noise", "std_error", "low", "high")
  )
  expect_identical(table$level, c("x", "y", "p", "q", "r", "u", "v"))
  expect_output(print(all), "Shares of all columns, 95% intervals")
  expect_identical(generics::tidy(all), table)
})
