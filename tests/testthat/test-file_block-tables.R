test_that("tables are those of base R, at any number of threads", {
  withr::local_seed(1)
  levels <- c(2L, 3L, 5L, 1L)
  codes <- leaning_codes(5001, levels)
  tables <- list(1L, 3L, c(1L, 2L), c(2L, 4L), c(1L, 2L, 3L), c(3L, 1L), 1:4)
  found <- table_counts_(codes, levels, tables, 1)
  frame <- Map(factor, as.data.frame(codes), lapply(levels, seq_len))
  expected <- lapply(tables, function(columns) {
    as.double(table(unname(frame[columns])))
  })
  expect_identical(found, expected)
  for (threads in c(2, 3, 7, 64)) {
    expect_identical(table_counts_(codes, levels, tables, threads), expected)
  }
  # Sums of parts are the whole: the cut changes nothing
  cut <- sample(5001) <= 1234
  parts <- lapply(list(codes[cut, ], codes[!cut, ]), table_counts_,
    levels = levels, tables = tables
  )
  expect_identical(Map(`+`, parts[[1]], parts[[2]]), expected)
})

test_that("codes and tables that are none are refused by the core", {
  codes <- matrix(c(1L, 2L, 1L, 3L), 2)
  expect_error(table_counts_(codes, c(2L, 2L), list(1L)), "no level")
  expect_error(table_counts_(codes, 2L, list(1L)), "for each column")
  expect_error(table_counts_(codes, 2:3, list(3L)), "not there")
  expect_error(table_counts_(codes, 2:3, list(c(1L, 1L))), "twice")
  expect_error(table_counts_(codes, c(2L, 70000L), list(1L)), "65535")
})

test_that("measured tables have a protected column and say something", {
  levels <- c(2L, 1L, 3L, 4L, 2L)
  published <- c(TRUE, FALSE, TRUE, FALSE, FALSE)
  found <- measured_tables(levels, published, list(c(4, 1, 3), c(1, 3, 4, 5)))
  expect_identical(found, list(
    4L, 5L, c(1L, 4L), c(1L, 5L), c(3L, 4L), c(3L, 5L), c(4L, 5L),
    c(1L, 3L, 4L), c(1L, 3L, 5L), c(1L, 4L, 5L), c(3L, 4L, 5L),
    c(1L, 3L, 4L, 5L)
  ))
  expect_identical(measured_tables(c(1L, 7L), c(TRUE, FALSE), list()), list(2L))
  expect_length(measured_tables(levels, rep(TRUE, 5), list()), 0)
})

test_that("residuals are centred along each column, and whole", {
  withr::local_seed(2)
  levels <- c(3L, 2L, 4L)
  counts <- as.double(sample(50, 24))
  whole <- array(whole_residual(counts, levels), levels)
  for (a in 1:3) expect_identical(range(apply(whole, (1:3)[-a], sum)), c(0, 0))
  # A projection; of a pair it is double-centring
  expect_equal(centred_table(as.vector(whole), levels), as.vector(whole))
  pair <- matrix(sample(50, 6), 3)
  expect_equal(
    matrix(centred_table(pair, c(3, 2)), 3),
    pair - outer(rowMeans(pair), colMeans(pair), `+`) + mean(pair)
  )
})

test_that("a record moves each residual by what is counted, in whole numbers", {
  for (levels in list(c(2L, 3L, 4L), c(5L, 2L, 2L, 3L))) {
    d <- length(levels)
    stated <- list(1:3, if (d == 4) 1:4)[seq_len(d - 2)]
    tables <- measured_tables(levels, rep(FALSE, d), stated)
    lengths <- residual_lengths(tables, levels)
    domain <- whole_domain(levels)
    parts <- lapply(seq_len(nrow(domain)), function(i) {
      counts <- table_counts_(domain[i, , drop = FALSE], levels, tables)
      Map(function(n, j) whole_residual(n, levels[j]), counts, tables)
    })
    for (t in seq_along(tables)) {
      squares <- vapply(parts, function(part) sum(part[[t]]^2), 0)
      expect_identical(squares, rep(lengths$whole[t], nrow(domain)))
      # Replaced: twice it at most, and that of the changed columns
      columns <- tables[[t]]
      for (i in c(1, nrow(domain) %/% 2)) {
        moved <- vapply(parts, function(part) {
          sum((part[[t]] - parts[[i]][[t]])^2)
        }, 0)
        changed <- t(t(domain) != domain[i, ])[, columns, drop = FALSE]
        counted <- replaced_squares(levels[columns], changed)
        expect_equal(moved, counted * lengths$cells[t]^2)
        expect_true(all(counted <= 2 + 1e-12))
      }
    }
    expect_equal(lengths$squared * lengths$cells^2, lengths$whole)
  }
})

test_that("a replaced record costs the largest sum over sets of columns", {
  withr::local_seed(3)
  levels <- c(2L, 3L, 4L, 2L, 6L)
  for (published in list(rep(FALSE, 5), c(TRUE, FALSE, FALSE, TRUE, FALSE))) {
    tables <- measured_tables(levels, published, list(c(1, 2, 3), 2:5))
    variance <- stats::rexp(length(tables)) + 0.1
    sets <- as.matrix(expand.grid(lapply(!published, function(free) {
      unique(c(FALSE, free))
    })))
    brute <- apply(sets, 1, function(changed) {
      sum(mapply(function(columns, g) {
        replaced_squares(levels[columns], rbind(changed[columns])) / g
      }, tables, variance))
    })
    expect_equal(
      replaced_cost(tables, levels, published, variance), max(brute)
    )
  }
  # Beyond twenty columns: a bound from above
  levels <- rep(2:3, 11)
  tables <- measured_tables(levels, rep(FALSE, 22), list())
  variance <- stats::rexp(length(tables)) + 0.1
  cost <- replaced_cost(tables, levels, rep(FALSE, 22), variance)
  for (k in 1:50) {
    changed <- stats::runif(22) < stats::runif(1)
    expect_lte(sum(mapply(function(columns, g) {
      replaced_squares(levels[columns], rbind(changed[columns])) / g
    }, tables, variance)), cost)
  }
})

test_that("the bound for many columns is the exact maximum, or little more", {
  withr::local_seed(12)
  for (case in 1:12) {
    d <- sample(4:11, 1)
    levels <- sample(2:15, d, TRUE)
    published <- stats::runif(d) < 0.3 & seq_len(d) > 2
    stated <- if (case %% 3 == 0) list(1:3)
    plan <- plan_block(levels, published, stated, 0.2, "replace", 1e-6, 900)
    variance <- allocate_noise(plan, 900)
    exact <- replaced_cost(plan$tables, levels, published, variance)
    bound <- replaced_bound(plan$tables, levels, published, variance)
    expect_gte(bound, exact * (1 - 1e-9))
    expect_lte(bound, exact * if (is.null(stated)) 1.06 else 1.3)
    # Whatever the variances are, it is a bound
    other <- variance * stats::runif(length(variance), 0.3, 3)
    expect_gte(
      replaced_bound(plan$tables, levels, published, other),
      replaced_cost(plan$tables, levels, published, other) * (1 - 1e-9)
    )
  }
})
