input_error <- "pseudosynth_error_input"

test_that("check_number() takes one number within its range", {
  value <- 0.5
  expect_identical(check_number(value, min = 0, max = 1), 0.5)
  expect_identical(check_number(1L), 1)
  for (bad in list("a", c(1, 2), NA_real_, NULL, TRUE, factor(1), Inf)) {
    expect_error(check_number(bad), class = input_error)
  }
  expect_error(check_number(value, above = 0.5), class = input_error)
  expect_error(check_number(value, below = 0.5), class = input_error)
  expect_error(check_number(value, min = 0.6), "at least 0.6")
})

test_that("check_count() takes whole numbers and returns an integer", {
  value <- 3
  expect_identical(check_count(value), 3L)
  for (bad in list(1.5, -1, "1", NA, 1:2, Inf)) {
    expect_error(check_count(bad), class = input_error)
  }
  nothing <- NULL
  expect_null(check_count(nothing, null = TRUE))
})

test_that("check_flag(), check_string() and check_choice() are strict", {
  flag <- NA
  expect_error(check_flag(flag), class = input_error)
  string <- ""
  expect_error(check_string(string), class = input_error)
  word <- "ab"
  expect_error(check_string(matrix("a")), class = input_error)
  expect_error(check_choice(word, c("abc", "b")), "abc")
  expect_identical(check_choice(c("x", "y"), c("x", "y")), "x")
})

test_that("check_data_frame() refuses what has no rows or doubled names", {
  frame <- data.frame(a = 1:2, b = 1:2)
  expect_identical(check_data_frame(frame), frame)
  matrix <- as.matrix(frame)
  expect_error(check_data_frame(matrix), class = input_error)
  empty <- frame[0, ]
  expect_error(check_data_frame(empty), class = input_error)
  twice <- setNames(frame, c("a", "a"))
  expect_error(check_data_frame(twice), "more than once")
})

test_that("check_data_frame() refuses a column without a name or values", {
  file <- data.frame(y = 1:3, x = 4:6, z = 7:9)
  refused <- function(file, match) {
    error <- expect_error(check_data_frame(file), match, class = input_error)
    expect_identical(error$arg, "file")
  }
  refused(stats::setNames(file, c("y", "", "z")), "number 2")
  refused(stats::setNames(file, c("y", "", "")), "2 columns have none")
  refused(stats::setNames(file, c("y", NA, "z")), "number 2")
  refused(`names<-`(file, NULL), "number 1, 2, 3")
  short <- structure(
    list(y = 1:3, x = 1:2),
    class = "data.frame", row.names = 1:3
  )
  refused(short, "\"x\" does not have 3 values")
  file$g <- structure(c(1L, 7L, NA), levels = c("a", "b"), class = "factor")
  refused(file, "\"g\" has codes without a level")
  file$g <- factor(c(NA, NA, NA), c("a", "b"))
  expect_identical(check_data_frame(file), file)
})

test_that("check_formula() wants a response", {
  one_sided <- ~x
  expect_error(check_formula(one_sided), class = input_error)
  text <- "y ~ x"
  expect_error(check_formula(text), class = input_error)
})

test_that("check_weights() counts weights outside [0, 1] and keeps the rows", {
  w <- c(0, 0.5, 1.2, -0.1)
  error <- tryCatch(check_weights(w, 4), error = identity)
  expect_s3_class(error, input_error)
  expect_identical(error$rows, 3:4)
  expect_match(conditionMessage(error), "1 weight is below 0")
  expect_match(conditionMessage(error), "1 weight is above 1")
  expect_no_match(conditionMessage(error), "1.2", fixed = TRUE)
  short <- c(0, 1)
  expect_error(check_weights(short, 4), class = input_error)
  gap <- c(0, NA, 1, 1)
  expect_error(check_weights(gap, 4), class = input_error)
  text <- rep("a", 4)
  expect_error(check_weights(text, 4), class = input_error)
  fine <- c(0, 1, 0.5, 1)
  expect_identical(check_weights(fine, 4), fine)
})

test_that("describe_type() shows no values", {
  expect_identical(describe_type(c(98765, 1)), "a numeric vector of length 2")
  expect_identical(describe_type(NULL), "`NULL`")
  expect_identical(describe_type(NA), "a missing value")
  expect_identical(describe_type(mean), "a function")
})

test_that("an argument that was left out is named", {
  f <- function(x) check_number(x)
  error <- tryCatch(f(), error = identity)
  expect_s3_class(error, "pseudosynth_error_input")
  expect_match(conditionMessage(error), "`x` must be given")
  expect_identical(error$call, quote(check_number()))
  g <- function(y) f(y)
  expect_s3_class(tryCatch(g(), error = identity), "pseudosynth_error_input")
  # The file, before it is asked what it is
  release <- function(data) score_release(y ~ x, data, epsilon = 1)
  expect_error(release(), "must be given", class = "pseudosynth_error_input")
})

test_that("more names than there are columns are not shown", {
  f <- function(x) check_names(x, c("a", "b"))
  message <- function(x) conditionMessage(tryCatch(f(x), error = identity))
  expect_match(message(c("a", "zzz")), "zzz")
  expect_no_match(message(sprintf("SECRET%d", 1:9)), "SECRET")
  expect_match(message(sprintf("SECRET%d", 1:9)), "9 of 9 names")
  expect_match(message(list("a")), "names of columns")
  expect_identical(f("a"), "a")
  expect_null(f(NULL))
})

test_that("an object without one of its parts is refused by name", {
  fit <- unclass(unweighted_fit())
  verbs <- list(
    synthesize, guarantee, log_lik, as_draws, posterior_predict,
    function(fit) fit_synthesizer(fit$formula, fit$data, fit$family)
  )
  refused <- function(broken, part, verb) {
    error <- tryCatch(verb(broken), error = identity)
    expect_s3_class(error, "pseudosynth_error_edited")
    expect_match(conditionMessage(error), part)
  }
  for (part in c("draws", "spec", "bound")) {
    broken <- structure(fit[setdiff(names(fit), part)], class = "synthesizer")
    for (verb in verbs[1:5]) refused(broken, part, verb)
    broken <- structure(
      replace(fit, part, list("a")),
      class = "synthesizer"
    )
    for (verb in verbs[1:5]) refused(broken, part, verb)
  }
  family <- unclass(student_t())
  for (value in list(NULL, "a", list(1))) {
    family["log_response"] <- list(value)
    fit$family <- structure(family, class = "synth_family")
    refused(fit, "log_response", verbs[[6]])
  }
})

test_that("what would not fit into memory is refused before it starts", {
  withr::local_options(pseudosynth.memory = 1e6)
  expect_s3_class(
    tryCatch(synthesize(unweighted_fit(), 500), error = identity),
    "pseudosynth_error_memory"
  )
  expect_s3_class(
    tryCatch(quick_fit(draws = 1e5), error = identity),
    "pseudosynth_error_memory"
  )
  histogram <- perturbed_histogram(y ~ 1, data.frame(y = 1:9),
    bounds = c(0, 20), epsilon = 1
  )
  expect_s3_class(
    tryCatch(synthesize(histogram, 1e9), error = identity),
    "pseudosynth_error_memory"
  )
  pair <- list(list(difference = 1, scale = 1))
  expect_s3_class(
    tryCatch(sampled_law(pair, 1e5, 0.95, 1), error = identity),
    "pseudosynth_error_memory"
  )
  withr::local_options(pseudosynth.memory = NULL)
  expect_gt(available_memory(), 1e8)
})

test_that("every letter of the papers is told by our name", {
  error <- expect_error(
    check_no_dots(c = 0.5, g = -0.1),
    class = "pseudosynth_error_input"
  )
  expect_match(
    conditionMessage(error), "`c` and `g` are called `scale` and `shift`"
  )
  expect_error(check_no_dots(g = 1), "`g` is called `shift`")
})

test_that("a path that no system has is refused", {
  error <- expect_error(
    ledger(strrep("long ", 500), epsilon = 1), "at most 1000 bytes",
    class = input_error
  )
  expect_identical(error$arg, "path")
})

test_that("a path of bytes that are no text is refused", {
  skip_if_not(l10n_info()[["UTF-8"]])
  expect_error(check_path("K\xf6ln"), "known encoding", class = input_error)
  expect_error(
    pseudo_posterior(y ~ 1, data.frame(y = 1:9), checkpoint = "K\xf6ln"),
    "known encoding",
    class = input_error
  )
  expect_identical(check_path("K\u00f6ln"), "K\u00f6ln")
  # Paths of data, which may be several
  bytes <- `Encoding<-`("\xff\xfe", "bytes")
  expect_error(read_ce(bytes), "must be the name", class = input_error)
  queries <- function(data) {
    release_queries(y ~ x, data, reference = list("(Intercept)" = 0, sigma = 1))
  }
  for (f in list(check_paths, draft_codebook, queries)) {
    expect_error(f(bytes), "known encoding", class = input_error)
  }
})

test_that("every verb that needs an argument says so itself", {
  own <- asNamespace("pseudosynth")
  verbs <- mget(getNamespaceExports(own), own, inherits = TRUE)
  verbs <- Filter(function(verb) {
    is.function(verb) && identical(environment(verb), own)
  }, verbs)
  expect_gt(length(verbs), 70)
  for (name in names(verbs)) {
    error <- tryCatch(
      {
        withr::with_seed(1, suppressMessages(verbs[[name]]()))
        NULL
      },
      error = identity
    )
    if (!is.null(error)) {
      expect_s3_class(error, "pseudosynth_error")
      expect_no_match(conditionMessage(error), "with no default")
    }
  }
})
