# Published rows are in random order: what pairs a set's rows with the file's
# must find the same figures as in the order of the file.

for (name in c(
  "remarks_of_sets", "seal", "mixed_sets", "rows_of_file"
)) {
  assign(name, utils::getFromNamespace(name, "pseudosynth"))
}

test_that("every measure finds the rows of the file", {
  withr::local_seed(11)
  n <- 150
  data <- data.frame(
    place = sample(n) / 4, sex = factor(sample(c("b", "a"), n, TRUE)),
    seen = sample(30, n, TRUE)
  )
  data$income <- round(exp(9 + data$place / 20 + rnorm(n) / 3), 2)
  fit <- suppressWarnings(fit_synthesizer(
    log(income) ~ place + sex + seen, data, gaussian(),
    prior = prior_normal(10, c(10, 5)), chains = 2, warmup = 100, draws = 300,
    seed = 2
  ))
  suppressMessages(suppressWarnings(
    sets <- synthesize(fit, m = 2, seed = 3, allow_unconverged = TRUE)
  ))
  sets$sets <- mixed_sets(sets$sets, "income", 3)
  sets <- seal(sets)
  expect_false(identical(sets[[1]]$place, data$place))
  # By their distinct column, by hand
  aligned <- lapply(sets$sets, function(set) {
    set[match(data$place, set$place), ]
  })
  expect_identical(aligned[[1]]$seen, data$seen)
  forms <- list(
    sets, lapply(1:2, function(i) as.data.frame(sets, set = i)),
    lapply(sets$sets, function(set) set[rev(seq_len(n)), ])
  )
  measures <- list(
    identification = function(x) {
      identification_risk(x, data, "sex", 0.2, variable = "income")
    },
    nobody = function(x) {
      identification_risk(x, data, NULL, 0.2, variable = "income")
    },
    attribute = function(x) {
      risk(x, data, c("sex", "seen"), "income", 5)
    },
    top = function(x) {
      top_risks(identification_risk(
        x, data, "sex", 0.2, variable = "income"
      ), 5)
    },
    utility = function(x) {
      withr::with_seed(1, utility(
        x, data, "income", "sex", income ~ place + sex,
        transform = "identity", pmse = "cart"
      )$table)
    },
    uniques = function(x) {
      replicated_uniques(x, data, c("sex", "seen"))
    },
    compared = function(x) {
      table <- compare(
        a = x, data = data, variable = "income", radius = 0.2, known = "sex"
      )$table
      table[c("risk", "ecdf_max")]
    }
  )
  for (name in names(measures)) {
    truth <- measures[[name]](aligned)
    for (x in forms) {
      expect_equal(measures[[name]](x), truth, info = name)
    }
  }
  in_order <- sets
  in_order$sets <- aligned
  weights <- function(x) {
    as.double(risk_weights(x, fit, known = "sex", radius = 0.2))
  }
  expect_equal(weights(sets), weights(seal(in_order)))
  points <- function(x) {
    built <- ggplot2::ggplot_build(autoplot(x, data = data, "records"))$data
    lapply(built, function(layer) layer[names(layer) %in% c("x", "y")])
  }
  expect_equal(points(sets), points(seal(in_order)))
  # A relation that is too close is seen in any order
  close <- sets
  close$sets <- lapply(close$sets, function(set) {
    set$income <- exp(9 + set$place / 20)
    set
  })
  expect_match(
    remarks_of_sets(close, fit, data), "R2 of",
    all = FALSE
  )
})

test_that("measures of whole files find them", {
  withr::local_seed(12)
  n <- 120
  data <- data.frame(
    code = sprintf("c%03d", sample(n)), sex = sample(c("f", "m"), n, TRUE),
    works = sample(c("no", "yes"), n, TRUE)
  )
  book <- data.frame(
    column = names(data), type = "category",
    levels = I(list(sort(data$code), c("f", "m"), c("no", "yes")))
  )
  data$works[data$sex == "f"] <- "yes"
  book <- confirm_codebook(codebook(book))
  release <- suppressWarnings(file_release(
    file_plan(data, book, publish = c("code", "sex")), 5, seed = 3
  ))
  sets <- synthesize(release, m = 2, seed = 1)
  expect_false(identical(as.character(sets[[1]]$code), data$code))
  aligned <- sets
  aligned$sets <- lapply(sets$sets, function(set) {
    set[match(data$code, as.character(set$code)), ]
  })
  aligned <- seal(aligned)
  expect_identical(
    risk(sets, data, "sex"), risk(aligned, data, "sex")
  )
  expect_false(is.null(risk(sets, data, "sex")$identification))
  expect_equal(
    risk(sets, data, "sex", "works"),
    risk(aligned, data, "sex", "works")
  )
  shown <- function(x) {
    withr::with_seed(1, utility(x, data, pmse = c("logit", "cart")))
  }
  expect_equal(shown(sets), shown(aligned))
})

test_that("rows are found whatever the columns are", {
  withr::local_seed(13)
  n <- 400
  data <- data.frame(
    id = seq_len(n), zero = sample(c(0, -0, 1.5, 1 / 3, NA), n, TRUE),
    text = sample(c("NA", NA, "a\rb", "a", "b"), n, TRUE),
    level = factor(sample(c("low", "high", NA), n, TRUE), c("low", "high")),
    day = as.Date("2021-03-01") + sample(c(-9, 9, NA), n, TRUE),
    flag = sample(c(TRUE, FALSE, NA), n, TRUE),
    number = sample(c("1", "2.50", "-0", "", "refused"), n, TRUE),
    written = sample(c("2021-03-01", "1999-12-31"), n, TRUE)
  )
  rows <- sample(n)
  set <- data[rows, ]
  published <- names(data)[-1]
  same <- function(found) {
    # Whose rows are equal may have each other's
    expect_identical(
      lapply(found[published], as.character),
      lapply(data[published], as.character)
    )
    expect_setequal(found$id, data$id)
  }
  set$zero <- abs(set$zero)
  found <- in_file_order(list(set), data, "id")[[1]]
  found$zero <- data$zero[found$id]
  same(found)
  # As a plan has read them
  read <- set
  read$level <- factor(as.character(set$level), c("high", "low"))
  read$day <- as.character(set$day)
  read$written <- as.Date(set$written)
  read$flag <- as.integer(set$flag)
  some <- data$number != "refused"
  number <- in_file_order(
    list(transform(read[some[rows], ], number = as.double(number))),
    data[some, ], "id"
  )[[1]]
  for (name in published) {
    expect_identical(
      as.character(data[[name]][number$id] %in% NA),
      as.character(data[[name]][some] %in% NA)
    )
  }
  expect_identical(data$text[number$id], data$text[some])
  expect_identical(data$day[number$id], data$day[some])
  expect_identical(data$level[number$id], data$level[some])
  expect_identical(data$flag[number$id], data$flag[some])
  expect_identical(data$written[number$id], data$written[some])
  expect_equal(as.double(data$number[number$id]), as.double(data$number[some]))
  # Text and a missing value, a break between two columns: not the same
  expect_null(rows_of_file(
    data.frame(a = c("NA", "x")), data.frame(a = c(NA, "x")), "a"
  ))
  expect_null(rows_of_file(
    data.frame(a = c("x\ry", "1"), b = c("z", "1")),
    data.frame(a = c("1", "x"), b = c("1", "y\rz")), c("a", "b")
  ))
  # Another file's: left as they are, and no measure reads them in silence
  other <- transform(set, number = "9")
  expect_identical(in_file_order(list(other), data, "id"), list(other))
  # Many rows, many of them equal
  many <- data.frame(a = sample(300, 1e5, TRUE), b = sample(2, 1e5, TRUE))
  mixed <- many[sample(1e5), ]
  found <- in_file_order(list(mixed, many), many, "none")
  expect_identical(found[[1]]$a, many$a)
  expect_identical(found[[2]], many)
})

test_that("a file without the columns that find the rows is refused", {
  sets <- synthesize(lw_fit(), m = 2, seed = 1)
  data <- privacy_data()
  error <- expect_error(
    identification_risk(sets, data["income"], radius = 0.1), "lacks",
    class = "pseudosynth_error_input"
  )
  expect_match(conditionMessage(error), "age", fixed = TRUE)
})
