input_error <- "pseudosynth_error_input"
data <- data.frame(y = c(1L, 10L, 250L), x = 1:3)

test_that("every accepted left side goes forth and back", {
  constant <- 100
  for (formula in c(
    y ~ x, log(y) ~ x, log1p(y) ~ x, sqrt(y) ~ x, asinh(y) ~ x,
    asinh(y / 100) ~ x, asinh(y / constant) ~ x, asinh(y / (100)) ~ x
  )) {
    response <- new_response(formula, data)
    z <- response_forward(response, data$y)
    expect_equal(z, eval(formula[[2]], data))
    expect_identical(response_inverse(response, z), data$y)
  }
})

test_that("lognormal() logs the plain variable and refuses a logged one", {
  response <- new_response(y ~ x, data, family = lognormal())
  expect_identical(response$label, "log(y)")
  expect_equal(response_forward(response, data$y), log(data$y))
  expect_error(
    new_response(log(y) ~ x, data, family = lognormal()),
    class = input_error
  )
})

test_that("the label names the modelled scale", {
  expect_identical(new_response(y ~ x, data)$label, "y")
  expect_identical(
    new_response(asinh(y / 1000) ~ x, data)$label, "asinh(y / 1000)"
  )
})

test_that("other left sides are refused", {
  for (formula in c(
    exp(y) ~ x, log(y + 1) ~ x, y^2 ~ x, log(y, 10) ~ x, cbind(y, x) ~ 1,
    asinh(2 * y) ~ x, 1 ~ x, asinh(y / x) ~ 1, asinh(y / none) ~ x,
    asinh(y / -1) ~ x, asinh(y / mean(y)) ~ x
  )) {
    expect_error(new_response(formula, data), class = input_error)
  }
  expect_error(new_response(z ~ x, data), "no column")
})

test_that("several responses are answered with the road that works", {
  several <- data.frame(
    a = rep(c(1, 2, 5), 20), b = rep(c(4, 2, 2, 4), 15),
    g = rep(c("u", "v"), 30)
  )
  advised <- function(formula, ...) {
    error <- expect_refused(
      fit_synthesizer(formula, several, ...), "must be one response"
    )
    gsub("\\s+", " ", conditionMessage(error))
  }
  for (formula in c(
    cbind(a, b) ~ g, cbind(log(a), log(b)) ~ g, c(a, b) ~ g, list(a, b) ~ g,
    mvbind(a, b) ~ g,
    # By its text, which no check takes for a package that the tests need
    stats::as.formula("brms::mvbind(a, b) ~ g")
  )) {
    expect_match(advised(formula), 'joins "a" and "b"', fixed = TRUE)
  }
  # The lines of the message, as they stand
  text <- advised(cbind(a, b) ~ g)
  lines <- regmatches(text, gregexpr("`[^`]+\\)`", text))[[1]]
  lines <- gsub("`", "", lines)
  expect_identical(lines, c(
    'plan <- file_plan(data, codebook, publish = "g")', "draft_codebook(data)",
    'synthesize_file(plan, "lw")', "file_release(plan, epsilon = 1)"
  ))
  data <- several
  suppressMessages({
    codebook <- confirm_codebook(eval(str2lang(lines[2])))
    eval(str2lang(lines[1]))
    expect_s3_class(eval(str2lang(lines[4])), "file_release")
  })
  expect_true(mechanisms()$lw$files)
  # Counts of two outcomes, as glm() takes them
  expect_match(
    advised(cbind(a, b) ~ g, binomial()), "one row for each answer"
  )
})

test_that("whole numbers stay whole and keep their type", {
  response <- new_response(log(y) ~ x, data)
  expect_identical(response_inverse(response, log(12.4)), 12L)
  doubles <- transform(data, y = as.double(y))
  response <- new_response(log(y) ~ x, doubles)
  expect_identical(response_inverse(response, log(12.4)), 12)
  cents <- transform(doubles, y = y + 0.25)
  expect_equal(
    response_inverse(new_response(y ~ x, cents), 1.2345), 1.23
  )
  measured <- transform(doubles, y = y + pi)
  response <- new_response(y ~ x, measured)
  expect_identical(response_inverse(response, exp(1)), exp(1))
})

test_that("synthetic values never leave what the type and scale can hold", {
  z <- c(-1e4, -30, 0, 30, 1e4)
  for (formula in c(
    y ~ x, log(y) ~ x, log1p(y) ~ x, sqrt(y) ~ x, asinh(y / 10) ~ x
  )) {
    for (values in list(data$y, as.double(data$y), data$y + pi)) {
      response <- new_response(formula, data.frame(y = values, x = 1:3))
      back <- response_inverse(response, z)
      expect_identical(typeof(back), typeof(values))
      expect_true(all(is.finite(back)))
      expect_true(!is.unsorted(back))
      expect_true(all(is.finite(response_forward(response, back))))
    }
  }
})

test_that("response_inverse() keeps the shape of a matrix", {
  z <- matrix(log(c(1, 2, 3, 4)), 2)
  back <- response_inverse(new_response(log(y) ~ x, data), z)
  expect_identical(back, matrix(1:4, 2))
})

test_that("values outside the transformation are counted, with the choices", {
  bad <- data.frame(y = c(-5, 0, 0, 77, 3))
  error <- tryCatch(new_response(log(y) ~ 1, bad), error = identity)
  expect_s3_class(error, input_error)
  message <- conditionMessage(error)
  expect_match(message, "0 or negative for 3 of 5 records")
  expect_match(message, "asinh(y / constant)", fixed = TRUE)
  expect_match(message, "drop these records yourself")
  expect_no_match(message, "log1p")
  expect_no_match(message, "-5", fixed = TRUE)
  expect_identical(error$rows, 1:3)
  zero <- data.frame(y = c(0, 77, 3))
  expect_error(new_response(log(y) ~ 1, zero), "log1p")
  expect_error(new_response(log1p(y) ~ 1, bad), "for 1 of 5 records")
  expect_error(new_response(sqrt(y) ~ 1, bad), "for 1 of 5 records")
})

test_that("zero and negative responses are otherwise kept", {
  kept <- data.frame(y = c(-5L, 0L, 12L))
  for (formula in c(y ~ 1, asinh(y / 10) ~ 1)) {
    response <- new_response(formula, kept)
    expect_identical(
      response_inverse(response, response_forward(response, kept$y)), kept$y
    )
  }
})

test_that("a description of the response holds no value of it", {
  secret <- data.frame(y = c(987654321, 2, 3))
  text <- rawToChar(serialize(new_response(y ~ 1, secret), NULL, ascii = TRUE))
  expect_no_match(text, "987654321")
})

test_that("a response of a class that rounds in its own way is refused", {
  round.no_rounding <- function(x, digits = 0, ...) stop("not implemented")
  registerS3method("round", "no_rounding", round.no_rounding)
  data <- data.frame(x = rep(c("a", "b"), 10))
  data$y <- structure(1:20, class = "no_rounding")
  expect_error(
    fit_synthesizer(y ~ x, data, gaussian()), class = "pseudosynth_error_input"
  )
})

test_that("a left side that no call can use is refused before numbers are", {
  several <- data.frame(
    a = rep(c(1, 2, 5), 20), b = rep(c(4, 2, 2, 4), 15), g = rep(1:2, 30)
  )
  database <- dplyr::tbl(sqlite(several = several), "several")
  verbs <- list(
    function(formula) score_release(formula, several, epsilon = 1),
    function(formula) score_release(formula, several),
    function(formula) perturbed_histogram(formula, several),
    function(formula) topcode(formula, several),
    function(formula) count_weights(formula, several),
    function(formula) two_stage_weights(formula, data = several)
  )
  for (verb in verbs) {
    expect_refused(verb(cbind(a, b) ~ g), "must be one response")
    expect_refused(verb(none ~ g), "must be a column of")
    expect_refused(verb(lag(a) ~ g), "The left side of")
    expect_refused(verb(a ~ g), "must be given|needs `reference`")
  }
  # Of a database columns are known once it is open
  expect_refused(
    score_release(cbind(a, b) ~ g, database, epsilon = 1),
    "must be one response"
  )
})
