# Whole records are close if they are close in every column that is drawn

# Two amounts, one with zeros and missing values, and a category, in 120 records
balls_file <- function(n = 120) {
  withr::with_seed(3, {
    y <- round(exp(stats::rnorm(n, 6)))
    y[sample(n, 15)] <- 0
    y[sample(n, 10)] <- NA
    data.frame(
      y = y, z = round(stats::rnorm(n, 50, 20)),
      job = factor(sample(c("none", "part", "full"), n, TRUE)),
      age = factor(sample(c("young", "old"), n, TRUE)),
      place = factor(sample(c("north", "south"), n, TRUE))
    )
  })
}

balls_plan <- function(file, publish = c("age", "place")) {
  book <- as.data.frame(draft_codebook(file))
  amounts <- book$type == "amount?"
  book$lower[amounts] <- "-100"
  book$upper[amounts] <- "1e5"
  file_plan(file, confirm_codebook(codebook(book)), publish = publish)
}

is_close_naively <- function(a, b, radius) {
  (is.na(a) & is.na(b)) | (!is.na(a) & !is.na(b) & abs(b - a) <= radius)
}

# Risk of each record if `set` is searched, in a loop over all pairs
risk_naively <- function(file, set, known, radius, relative, own = FALSE) {
  vapply(seq_len(nrow(file)), function(i) {
    half <- function(name) {
      if (relative) radius * abs(file[[name]][i]) else radius
    }
    pattern <- rowSums(
      as.matrix(set[known]) != as.matrix(file[rep(i, nrow(file)), known])
    ) == 0
    # A part of its own has 0; another value is no 0, however near
    zero <- (set$y %in% 0) == (file$y[i] %in% 0)
    close <- is_close_naively(file$y[i], set$y, half("y")) & zero &
      is_close_naively(file$z[i], set$z, half("z")) & set$job == file$job[i]
    outside <- sum(pattern & !close) / sum(pattern)
    if (own) outside * close[i] else outside
  }, 1)
}

test_that("count weights of whole records are those of a loop over all pairs", {
  file <- balls_file()
  plan <- balls_plan(file)
  records <- records_of_plan(plan)
  drawn <- c("y", "z", "job")
  for (known in list(NULL, "age", c("age", "place"))) {
    for (relative in c(TRUE, FALSE)) {
      radius <- if (relative) 0.4 else 30
      found <- file_count_weights(
        records, drawn, radius, relative, known, 0.6, 0.2
      )
      risk <- risk_naively(file, file, known, radius, relative)
      expect_equal(as.double(found), 0.6 * (1 - risk) + 0.2)
      expect_gt(length(unique(as.double(found))), 3)
    }
  }
})

test_that("of a file with one drawn amount they are those of the column", {
  file <- balls_file()[c("z", "age", "place")]
  plan <- balls_plan(file)
  expect_equal(
    as.double(file_count_weights(
      records_of_plan(plan), "z", 0.2, TRUE, "age", 1, 0
    )),
    as.double(count_weights("z", file, radius = 0.2, known = "age"))
  )
})

test_that("risk weights of whole records are those of a loop over all pairs", {
  file <- balls_file()
  plan <- balls_plan(file)
  # Sets in which half of the records keep what they have
  sets <- lapply(1:3, function(k) {
    withr::with_seed(k, {
      moved <- file
      drawn <- c("y", "z", "job")
      rows <- sample(nrow(file), nrow(file) / 2)
      moved[rows, drawn] <- moved[sample(rows), drawn]
      moved
    })
  })
  records <- lapply(sets, function(set) {
    records_of_plan(file_plan(
      set, plan$codebook, publish = c("age", "place")
    ))
  })
  found <- file_risk_weights(
    records_of_plan(plan), records, c("y", "z", "job"), 0.3, TRUE, "age",
    list(from = NA)
  )
  risks <- rowMeans(vapply(sets, function(set) {
    risk_naively(file, set, "age", 0.3, TRUE, own = TRUE)
  }, numeric(nrow(file))))
  curve <- 0.5 + stats::plogis(10 * (risks - 0.5))
  expect_equal(as.double(found), pmax(0, 1 - curve * risks))
  expect_lt(min(found), 0.9)

  # Of one drawn amount: those of its identification risk
  one <- file[c("z", "age")]
  moved <- transform(one, z = withr::with_seed(1, sample(z)))
  plan <- balls_plan(one, "age")
  expect_equal(
    as.double(file_risk_weights(
      records_of_plan(plan),
      list(records_of_plan(file_plan(moved, plan$codebook, publish = "age"))),
      "z", 0.3, TRUE, "age", list(from = NA)
    )),
    as.double(risk_weights(
      moved, one, known = "age", radius = 0.3, variable = "z"
    ))
  )
})

test_that("balls of several amounts are counted as a loop counts them", {
  withr::with_seed(1, {
    n <- 300
    values <- matrix(sample(20, 3 * n, TRUE), n)
    y <- values[sample(n), ]
    radius <- matrix(stats::runif(3 * n, 0, 8), n)
    pattern <- sample(0:4, n, TRUE)
    asked <- sample(-1:4, n, TRUE)
  })
  for (k in 0:3) {
    own <- seq_len(k)
    naive <- vapply(seq_len(n), function(i) {
      sum(pattern == asked[i] & rowSums(
        abs(sweep(values[, own, drop = FALSE], 2, y[i, own])) >
          rep(radius[i, own], each = n)
      ) == 0)
    }, 1)
    expect_equal(count_in_ball_(
      y[, own, drop = FALSE], radius[, own, drop = FALSE], asked,
      values[, own, drop = FALSE], pattern, 5L
    ), naive)
  }
})

balls_data <- function(n = 25) {
  withr::with_seed(2, data.frame(
    pay = round(exp(stats::rnorm(n, 3)), 1), job = factor(
      sample(c("no", "yes"), n, TRUE)
    )
  ))
}

small_balls_plan <- function(n = 25) {
  file <- balls_data(n)
  book <- as.data.frame(draft_codebook(file))
  book[book$column == "pay", c("lower", "upper")] <- c("0.1", "500")
  file_plan(file, confirm_codebook(codebook(book)))
}

test_that("files are fitted by count and risk weights, with their labels", {
  plan <- small_balls_plan()
  fit <- function(mechanism, ...) {
    suppressWarnings(suppressMessages(fit_file(
      plan, mechanism, warmup = by_night(500, 200), draws = 500, seed = 1,
      allow_unconverged = TRUE, ...
    )))
  }
  counted <- fit("cw", radius = 0.3, scale = 0.5, shift = 0.2)
  expect_identical(guarantee(counted)$label, "asymptotic")
  expect_equal(
    as.double(counted$privacy_weights),
    as.double(file_count_weights(
      records_of_plan(plan), c("pay", "job"), 0.3, TRUE, NULL, 0.5, 0.2
    ))
  )
  expect_error(
    freeze(counted$privacy_weights), class = "pseudosynth_error_not_freezable"
  )
  final <- fit("cw_final", radius = 0.3)
  expect_identical(guarantee(final)$label, "asymptotic")
  solved <- fit("cw", epsilon = 4, radius = 0.3)
  expect_lte(solved$bound$overall, 2 * 1.03)

  # Given to a model of one column they prove nothing, however it is censored,
  # and of other records they are refused
  given_to <- function(data, weights, formula = pay ~ job) {
    suppressWarnings(fit_synthesizer(
      formula, data, gaussian(), prior = prior_normal(), scaling = list(),
      censor = censor(epsilon = 4), privacy_weights = weights,
      chains = 2, warmup = 200, draws = 500, seed = 1
    ))
  }
  data <- balls_data()
  given <- given_to(data, counted$privacy_weights)
  expect_identical(guarantee(given)$label, "asymptotic")
  expect_error(
    audit_guarantee(
      given_to(data, counted$privacy_weights, pay ~ 1), remove = 1:2,
      replacements = 4
    ), "cannot be remade"
  )
  risk <- fit("risk", radius = 0.3, risk_sets = 3)
  for (weights in list(
    counted$privacy_weights, fit("lw")$privacy_weights, risk$privacy_weights
  )) {
    expect_error(
      given_to(data[rev(seq_len(nrow(data))), ], weights),
      class = "pseudosynth_error_other_records"
    )
  }
  again <- suppressWarnings(update(counted, privacy_weights = combine_weights(
    counted$privacy_weights, counted$privacy_weights
  ), seed = 2))
  expect_identical(guarantee(again)$label, "asymptotic")

  expect_identical(guarantee(risk)$label, "none")
  expect_lt(min(risk$privacy_weights), 1)
  expect_error(
    fit("cw", radius = 0.3, known = "pay"), "must name published columns",
    class = "pseudosynth_error_input"
  )
  expect_error(
    fit("cw", radius = 0.3, known = "age"), class = "pseudosynth_error_input"
  )
})

test_that("files of categories alone have no amounts to compare", {
  data <- data.frame(
    a = factor(rep(c("x", "y"), 20)),
    b = factor(rep(c("u", "v", "w", "w"), 10))
  )
  plan <- file_plan(data, confirm_codebook(draft_codebook(data)))
  found <- file_count_weights(
    records_of_plan(plan), c("a", "b"), 1, FALSE, NULL, 1, 0
  )
  same <- table(paste(data$a, data$b))[paste(data$a, data$b)]
  expect_equal(as.double(found), as.vector(same) / 40)
})

test_that("an audit makes the count weights of each neighbour again", {
  plan <- small_balls_plan(15)
  fit <- suppressWarnings(suppressMessages(fit_file(
    plan, "cw", radius = 0.5, scale = 0.3, shift = 0.1,
    warmup = by_night(500, 200), draws = 500, seed = 1,
    predictors = list(pay = character(), job = character()),
    allow_unconverged = TRUE
  )))
  near <- joint_neighbours(fit, 1:15, 0)
  audited <- joint_problems(fit, near)
  records <- records_of_plan(plan)
  for (j in c(1, 7)) {
    rest <- setdiff(1:15, near$table$record[j])
    expect_equal(
      as.double(joint_weights(fit, audited, joint_types(near, audited, j))),
      as.double(file_count_weights(
        records_at(records, rest), c("pay", "job"), 0.5, TRUE, NULL, 0.3, 0.1
      ))
    )
  }
  audit <- audit_guarantee(
    fit, remove = 1:3, replacements = 8, cells = by_night(2000, 500)
  )
  # One record moves the others' weights, which the claim leaves out
  expect_true(all(is.finite(audit$losses$loss_bulk)))
})
