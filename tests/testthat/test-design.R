input_error <- "pseudosynth_error_input"

mixed <- function(n = 80) {
  withr::with_seed(2, data.frame(
    y = stats::rnorm(n),
    f = factor(sample(letters[1:4], n, TRUE)),
    g = sample(c("u", "v", "w"), n, TRUE),
    l = sample(c(TRUE, FALSE), n, TRUE),
    o = factor(sample(c("lo", "hi"), n, TRUE), ordered = TRUE),
    x = stats::rnorm(n, 5, 2), z = stats::runif(n)
  ))
}

# model.matrix() with treatment contrasts, numbers centred and scaled first.
reference <- function(formula, data) {
  for (name in c("x", "z")) {
    data[[name]] <- as.numeric(scale(data[[name]]))
  }
  terms <- delete.response(terms(formula, data = data))
  frame <- model.frame(terms, data)
  factors <- names(frame)[!vapply(frame, is.numeric, TRUE)]
  contrasts <- setNames(rep(list("contr.treatment"), length(factors)), factors)
  model.matrix(terms, frame, contrasts.arg = contrasts)
}

test_that("names and x'b equal model.matrix() with treatment contrasts", {
  data <- mixed()
  for (formula in c(
    y ~ 1, y ~ f, y ~ f + g, y ~ ., log(y) ~ ., y ~ 0 + f + g, y ~ 0 + x + f,
    y ~ f + x + l + o, y ~ f * g, y ~ x * f + z, y ~ 0 + f:g, y ~ f:g,
    y ~ f + x + f:x, y ~ (f + g + x)^2, y ~ . - x, y ~ o + g - 1,
    y ~ x:z + x + z
  )) {
    design <- new_design(formula, data, "y")
    spec <- design_parts(design, data)
    expected <- reference(formula, data)
    expect_identical(design$columns, colnames(expected))
    b <- seq_along(design$columns) / 7
    expect_equal(
      drop(dense_design(spec) %*% b), unname(drop(expected %*% b))
    )
  }
})

test_that("an empty base gives way to the first level that a record has", {
  data <- mixed()
  declared <- function(x, levels) factor(as.character(x), levels)
  for (empty in list("a0", c("a0", "a1"))) {
    other <- data
    other$f <- declared(data$f, c(empty, letters[1:4], "z"))
    other$o <- factor(data$o, c("least", "hi", "lo"), ordered = TRUE)
    design <- new_design(y ~ f + o + x, other, "y")
    plain <- new_design(y ~ f + o + x, data, "y")
    expect_identical(setdiff(design$columns, plain$columns), c(
      paste0("f", c(empty, "z")), "oleast"
    ))
    expect_identical(setdiff(plain$columns, design$columns), character())
    x <- dense_design(design_parts(design, other))
    kept <- match(plain$columns, design$columns)
    expect_equal(x[, kept], dense_design(design_parts(plain, data)))
    expect_true(all(x[, -kept] == 0))
    expect_identical(qr(x)$rank, length(plain$columns))
  }
  # Not of flags, whose base is known; a file with the level has it as the base
  expect_identical(
    new_design(y ~ l + x, transform(data, l = TRUE), "y")$columns,
    c("(Intercept)", "lTRUE", "x")
  )
})

test_that("chains move beside an empty base as they do without it", {
  data <- sdr_simulated
  fit <- function(data) {
    fit_synthesizer(
      log(salary) ~ gender + age + weeks, data, gaussian(), seed = 1,
      chains = 2, warmup = 300, draws = 1000
    )
  }
  plain <- fit(data)
  data$age <- factor(as.character(data$age), sdr_ages)
  expect_true((declared <- fit(data))$converged)
  shared <- colnames(plain$draws)
  expect_equal(
    colMeans(declared$draws)[shared], colMeans(plain$draws), tolerance = 0.02
  )
  expect_match(declared$remarks, "age29 or younger.*the prior decides")
})

test_that("codes gather the same x'b as the dense factor matrix", {
  data <- mixed()
  spec <- design_parts(new_design(y ~ f + g, data, "y"), data)
  b <- c(1, 2, 3, 4, 5, 6)
  eta <- b[1]
  for (j in 1:2) {
    code <- as.integer(spec$codes[, j])
    eta <- eta + ifelse(code > 0, b[spec$factor_column[j] + code], 0)
  }
  expect_equal(eta, unname(drop(model.matrix(~ f + g, data) %*% b)))
  expect_identical(spec$n_levels, c(4L, 3L))
  expect_identical(ncol(spec$numeric), 0L)
})

test_that("without an intercept every level of the first factor has a code", {
  data <- mixed()
  spec <- design_parts(new_design(y ~ 0 + f + g, data, "y"), data)
  expect_identical(range(as.integer(spec$codes[, 1])), c(1L, 4L))
  expect_identical(range(as.integer(spec$codes[, 2])), c(0L, 2L))
  expect_identical(spec$n_levels, c(5L, 3L))
  expect_identical(spec$factor_column, c(0L, 4L))
})

test_that("numeric predictors have mean 0 and standard deviation 1", {
  data <- mixed()
  for (formula in c(y ~ x + z, y ~ poly(x, 2) + I(z^2) + log(x + 9))) {
    numeric <- design_parts(new_design(formula, data, "y"), data)$numeric
    expect_equal(colMeans(numeric), rep(0, ncol(numeric)))
    expect_equal(apply(numeric, 2, sd), rep(1, ncol(numeric)))
  }
})

test_that("a number is scaled but not centred where that changes the model", {
  data <- mixed()
  for (formula in c(y ~ 0 + x, y ~ f:x)) {
    centre <- new_design(formula, data, "y")$centre
    expect_identical(centre$x, 0)
  }
  expect_false(new_design(y ~ 0 + f + x, data, "y")$centre$x == 0)
})

test_that("new data go through the fit's blueprint", {
  data <- mixed()
  for (formula in c(y ~ ., y ~ poly(x, 2) * f, y ~ 0 + g + x:z)) {
    design <- new_design(formula, data, "y")
    all <- dense_design(design_parts(design, data))
    rows <- c(7, 3, 7)
    some <- data[rows, names(data) != "y"]
    expect_equal(dense_design(design_parts(design, some)), all[rows, ])
    expect_equal(
      dense_design(design_parts(design, some[1, ])), all[7, , drop = FALSE]
    )
    some$f <- as.character(some$f)
    expect_equal(dense_design(design_parts(design, some)), all[rows, ])
  }
})

test_that("unused levels keep their column", {
  data <- subset(mixed(), f != "c")
  design <- new_design(y ~ f, data, "y")
  expect_identical(design$columns, c("(Intercept)", "fb", "fc", "fd"))
})

test_that("unknown levels are counted and not shown", {
  data <- mixed()
  design <- new_design(y ~ f, data, "y")
  other <- data.frame(f = c("a", "secret", "secret", "hidden"))
  error <- tryCatch(design_parts(design, other), error = identity)
  expect_s3_class(error, input_error)
  expect_match(conditionMessage(error), "3 records have 2 unknown levels")
  expect_no_match(conditionMessage(error), "secret")
  expect_identical(error$rows, 2:4)
})

test_that("new data without a predictor or of another type are refused", {
  data <- mixed()
  design <- new_design(y ~ f + x, data, "y")
  expect_error(design_parts(design, data["f"]), class = input_error)
  text <- transform(data, x = as.character(x))
  expect_error(design_parts(design, text), class = input_error)
  gap <- data
  gap$x[3] <- NA
  expect_error(design_parts(design, gap), class = input_error)
})

test_that("columns that cannot be predictors are refused by name", {
  data <- mixed()
  data$list <- as.list(seq_len(nrow(data)))
  data$matrix <- matrix(1, nrow(data), 2)
  data$date <- Sys.Date()
  data$constant <- 1
  data$same <- "a"
  for (name in c("list", "matrix", "date", "constant", "same")) {
    error <- tryCatch(
      new_design(reformulate(name, "y"), data, "y"),
      error = identity
    )
    expect_s3_class(error, input_error)
    expect_match(conditionMessage(error), name)
  }
})

test_that("missing and infinite predictors are counted", {
  data <- mixed()
  data$x[c(2, 5)] <- NA
  data$z[1] <- Inf
  data$f[3] <- NA
  expect_error(new_design(y ~ x, data, "y"), "missing for 2 of 80 records")
  expect_error(new_design(y ~ z, data, "y"), "infinite for 1 of 80 records")
  expect_error(new_design(y ~ f, data, "y"), class = input_error)
  expect_silent(new_design(y ~ g, data, "y"))
  expect_error(
    suppressWarnings(new_design(y ~ log(x - 5), mixed(), "y")),
    class = input_error
  )
})

test_that("a predictor must be a column of the data", {
  data <- mixed()
  outside <- data$x
  expect_error(new_design(y ~ outside, data, "y"), "no column")
  expect_error(new_design(y ~ I(outside^2), data, "y"), "no column")
  expect_error(new_design(y ~ f + nowhere, data, "y"), "nowhere")
  degree <- 2
  expect_length(new_design(y ~ poly(x, degree), data, "y")$columns, 3)
})

test_that("the response cannot be a predictor", {
  expect_error(new_design(y ~ y + f, mixed(), "y"), "both sides")
  expect_error(new_design(y ~ log(y), mixed(), "y"), "both sides")
})

test_that("a right side that R cannot read is refused", {
  expect_error(
    new_design(y ~ "x", mixed(), "y"), "that R can read",
    class = input_error
  )
})

test_that("a term has one value for each record", {
  expect_error(
    new_design(y ~ c(x, 1), mixed(), "y"), "It has 81 for 80 records",
    class = input_error
  )
})

test_that("a term whose code R cuts into lines is refused", {
  long <- paste0("I(", strrep("x + ", 200), "x)")
  expect_error(
    new_design(stats::as.formula(paste("y ~", long)), mixed(), "y"),
    "at most 500 characters",
    class = input_error
  )
})

test_that("names that stand as terms are found in sums of any length", {
  sum <- parse(text = paste(sprintf("x%d", 1:2000), collapse = "+"))[[1]]
  expect_identical(standing_names(sum), sprintf("x%d", 1:2000))
  expect_identical(
    standing_names(quote((a + b:c)^2 - d %in% log(e) + `f g`)),
    c("a", "b", "c", "d", "f g")
  )
})

test_that("an empty right side is refused", {
  expect_error(new_design(y ~ 0, mixed(), "y"), class = input_error)
  expect_error(new_design(y ~ 0 + offset(x), mixed(), "y"), class = input_error)
})

test_that("options(contrasts) and the factor's own contrasts change nothing", {
  data <- mixed()
  before <- design_parts(new_design(y ~ f * g + o, data, "y"), data)
  contrasts(data$f) <- contr.sum(4)
  withr::local_options(contrasts = c("contr.helmert", "contr.poly"))
  after <- design_parts(new_design(y ~ f * g + o, data, "y"), data)
  expect_identical(after, before)
})

test_that("a blueprint holds no record and no environment with data", {
  make <- function() {
    confidential <- paste0("secret", 1:3)
    data <- mixed()
    data$y[1] <- 123.456789
    new_design(y ~ f + x, data, "y")
  }
  text <- rawToChar(serialize(make(), NULL, ascii = TRUE))
  expect_no_match(text, "secret1")
  expect_no_match(text, "123.456789", fixed = TRUE)
})

test_that("columns whose names need backticks are columns like others", {
  data <- mixed()
  odd <- c(y = "y", f = "a factor", g = "1st", l = "if", o = "o o", x = "x y",
    z = "z+z")
  other <- stats::setNames(data, odd[names(data)])
  pairs <- list(
    list(y ~ f + x, y ~ `a factor` + `x y`),
    list(y ~ 0 + f + x, y ~ 0 + `a factor` + `x y`),
    list(y ~ f * x + z, y ~ `a factor` * `x y` + `z+z`),
    list(y ~ poly(x, 2) + l, y ~ poly(`x y`, 2) + `if`),
    list(y ~ x:z + I(x^2) + g, y ~ `x y`:`z+z` + I(`x y`^2) + `1st`),
    list(y ~ ., y ~ .), list(y ~ . - x, y ~ . - `x y`)
  )
  for (pair in pairs) {
    plain <- new_design(pair[[1]], data, "y")
    design <- new_design(pair[[2]], other, "y")
    expect_identical(design_parts(design, other), design_parts(plain, data))
    expect_identical(design$variables, unname(odd[plain$variables]))
    # The names of model.matrix()
    terms <- delete.response(terms(pair[[2]], data = other))
    frame <- model.frame(terms, other)
    ordered <- names(Filter(is.ordered, frame))
    contrasts <- rep(list("contr.treatment"), length(ordered))
    expect_identical(design$columns, colnames(model.matrix(
      terms, frame,
      contrasts.arg = setNames(contrasts, ordered)
    )))
  }
})

test_that("a column that the formula takes out again is not even read", {
  data <- mixed()
  data$id <- as.list(seq_len(80))
  design <- new_design(y ~ . - id, data, "y")
  expect_identical(
    design_parts(design, data[names(data) != "id"]),
    design_parts(new_design(y ~ ., mixed(), "y"), mixed())
  )
  expect_false("id" %in% design$variables)
  # The order of variables and names of interactions stay
  expect_identical(
    new_design(y ~ g:f + g + x - x, mixed(), "y")$columns,
    new_design(y ~ g:f + g, mixed(), "y")$columns
  )
  expect_length(new_design(y ~ x - x, mixed(), "y")$variables, 0)
})
