levels <- c(2L, 3L, 5L, 4L)

#' A plan, and what a first look of some signals makes of the second one
#' @param beside (list of double) Of each pair.
looked <- function(beside, neighbours = "add-remove",
                   published = rep(FALSE, 4), stated = list(1:3)) {
  plan <- plan_block(levels, published, stated, 0.4, neighbours, 1e-6, 500)
  first <- first_look(plan, allocate_noise(plan, 500))
  own <- some_tables(plan, plan$twice)
  second <- second_variance(
    own, first$variance[plan$twice], beside, first$left
  )
  list(plan = plan, first = first$variance, own = own, second = second)
}

test_that("whatever a first look shows, both cost what was planned", {
  withr::local_seed(1)
  hybrid <- c(FALSE, TRUE, FALSE, FALSE)
  for (published in list(rep(FALSE, 4), hybrid)) {
    for (neighbours in relation_names) {
      # Nothing, one table alone, any
      shown <- c(
        list(numeric(6)), lapply(1:6, function(t) replace(numeric(6), t, 1e9)),
        lapply(1:20, function(k) exp(stats::rnorm(6, 0, 4)))
      )
      cost <- vapply(shown, function(beside) {
        x <- looked(as.list(1e3 * beside), neighbours, published)
        rho <- (tables_bound(x$plan, x$first) +
          tables_bound(x$own, x$second)) / 2
        charged <- x$plan$costs[["noisy tables"]]$rho
        expect_lte(max(rho / charged), 1 + 1e-9)
        rho[[neighbours]] / charged[[neighbours]]
      }, 0)
      expect_equal(cost, rep(1, length(cost)))
    }
  }
})

test_that("flags whose pairs no costliest replacement moves are measured", {
  # A replaced record moves margins most where all flags change, which leaves
  # pairs of them as they are
  for (d in 3:6) {
    flags <- rep(2L, d)
    plan <- plan_block(flags, flags < 0, list(), 0.3, "replace", 1e-6, 500)
    variance <- allocate_noise(plan, 500)
    first <- first_look(plan, variance)
    own <- some_tables(plan, plan$twice)
    share <- first$left / own$replaced(own, first$variance[plan$twice])
    expect_equal(share, (1 - share_of_first) / share_of_first)
    bound <- looks_bound(plan, variance)
    expect_equal(bound[["replace"]], plan$squared)
    expect_lte(bound[["add-remove"]], plan$squared)
    codes <- matrix(1L, 500, d)
    codes[, 1] <- rep(1:2, 250)
    release <- block_of(codes, flags, 0.3, neighbours = "replace")
    expect_lt(max(release$noise$variance / variance), 3)
  }
})

test_that("a dropped record costs no more than a replaced one", {
  # What looks_bound() says of "replace": on average over which columns change
  for (k in list(c(1, 1), c(1, 4), c(2, 4), c(1, 2, 3), c(1, 1, 1, 4))) {
    same <- (levels[k] - 1) / levels[k]
    sets <- as.matrix(expand.grid(rep(list(c(FALSE, TRUE)), length(k))))
    mean <- mean(replaced_squares(levels[k], sets))
    expect_equal(mean, 2 * (prod(same) - prod(same - 0.5)))
    expect_gte(mean, prod(same))
  }
})

test_that("the second look goes to what stands above the noise", {
  none <- looked(as.list(numeric(6)))
  pairs <- none$plan$twice
  expect_identical(lengths(none$plan$tables[pairs]), rep(2L, 6))
  # Nothing shows: it is divided as the first one
  expect_equal(none$second, none$first[pairs], tolerance = 1e-9)
  strong <- looked(as.list(1e4 * (1:6 == 3)))
  expect_lt(strong$second[3], 0.5 * none$second[3])
  expect_true(all(strong$second[-3] > none$second[-3]))
  # As least_variances() has them for weights of 1.02 and 0.02
  ratio <- (strong$second / none$second)[-3] / (strong$second / none$second)[3]
  expect_equal(ratio, rep(sqrt(1.02 / 0.02), 5), tolerance = 0.01)
  # The widest noise was looked at before
  expect_true(all(
    strong$second <= none$first[pairs] * sqrt(1.02 / 0.02)
  ))
})

test_that("both looks are joined by their variances", {
  withr::local_seed(2)
  codes <- leaning_codes(400, levels)
  codes[, 4] <- pmin(codes[, 3], 4L)
  plan <- plan_block(levels, rep(FALSE, 4), list(1:3), 0.5, "add-remove", 1e-6)
  counts <- block_counts(codes, plan)
  exact <- Map(function(n, j) centred_table(n, levels[j]), counts, plan$tables)
  runs <- lapply(1:200, function(seed) {
    measured_in_looks(
      plan, allocate_noise(plan, 400), seed, function(plan) {
        expect_true(all(c("noise", "residuals") %in% names(plan)))
        exact[plan$twice]
      }, noisy_tables_of(counts)
    )
  })
  one <- runs[[1]]
  expect_identical(one$looks[[1]]$at, seq_along(plan$tables))
  expect_identical(one$looks[[2]]$at, plan$twice)
  told <- 1 / one$looks[[1]]$noise$variance
  told[plan$twice] <- told[plan$twice] + 1 / one$looks[[2]]$noise$variance
  expect_equal(one$noise$variance, 1 / told)
  for (t in seq_along(plan$tables)) {
    own <- vapply(runs, function(run) {
      sum((run$residuals[[t]] - exact[[t]])^2) / run$noise$variance[t]
    }, 0)
    dimensions <- prod(levels[plan$tables[[t]]] - 1)
    expect_lt(abs(mean(own) - dimensions), 5 * sqrt(2 * dimensions / 200))
  }
})

test_that("one pair, and waves, are measured once", {
  plan <- plan_block(c(2L, 3L), c(FALSE, FALSE), list(), 0.4, "replace", 1e-6)
  expect_null(plan$twice)
  expect_equal(
    looks_bound(plan, allocate_noise(plan, 100)),
    tables_bound(plan, allocate_noise(plan, 100))
  )
  spending <- plan_file_release(panel_plan(), list(), 1, 1e-6, "add-remove")
  expect_null(spending$block$twice)
})

test_that("the second look brings strong pairs nearer", {
  withr::local_seed(4)
  n <- 2000
  a <- sample(6L, n, TRUE)
  wide <- rep(6L, 8)
  codes <- cbind(a, ifelse(stats::runif(n) < 0.7, a, sample(6L, n, TRUE)),
    matrix(sample(6L, 6 * n, TRUE), n))
  storage.mode(codes) <- "integer"
  own <- table_counts_(codes, wide, list(1:2))[[1]]
  truth <- centred_table(own, c(6, 6))
  ratio <- vapply(1:20, function(seed) {
    release <- block_of(codes, wide, mu = 0.3, seed = seed)
    at <- match(list(1:2), release$tables)
    first <- release$looks[[1]]$noise$variance[at]
    c(
      release$noise$variance[at] / (first * share_of_first),
      sum((release$residuals[[at]] - truth)^2) /
        (25 * release$noise$variance[at])
    )
  }, numeric(2))
  # Of its noise had it been measured once
  expect_lt(mean(ratio[1, ]), 0.65)
  expect_lt(abs(mean(ratio[2, ]) - 1), 5 * sqrt(2 / 25 / 20))
})
