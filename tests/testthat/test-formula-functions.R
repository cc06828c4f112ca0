# What a formula's own functions may carry along.

formula_release <- function(formula, data) {
  suppressMessages(score_release(
    formula, data,
    epsilon = 5, reference = list("(Intercept)" = 10, sigma = 1),
    bounds = c(5, 15)
  ))
}

test_that("functions that are not of the list are refused, with what to do", {
  data <- data.frame(k = rep(1:5, 40), y = rnorm(200, 10))
  curve <- function(v) v^2
  error <- expect_error(
    formula_release(y ~ k + curve(k), data),
    class = "pseudosynth_error_formula"
  )
  expect_match(
    conditionMessage(error), "data$new <- with(data, curve(k))",
    fixed = TRUE
  )
  error <- expect_error(
    formula_release(log(y + 1) ~ k, data),
    class = "pseudosynth_error_input"
  )
  expect_match(
    conditionMessage(error), "data$new <- with(data, log(y + 1))",
    fixed = TRUE
  )
  data$new <- with(data, curve(k))
  expect_s3_class(formula_release(y ~ k + new, data), "score_release")
})

test_that("no function of a formula reaches the response", {
  data <- data.frame(k = rep(1:5, 40), y = rnorm(200, 10))
  hidden <- data$y
  by_frames <- function(x) {
    for (q in as.list(sys.status()[[3]])) {
      d <- q[["data"]]
      if (is.data.frame(d)) return(d[["y"]] %% 1)
    }
    x
  }
  by_rlang <- function(v) rlang::global_env()$data$y
  by_file <- function(v) utils::read.delim("y.txt")[[1]]
  by_load <- function(v) base::load("y.rda")
  box <- list(get = function(v) hidden)
  noted <- structure(function(v) v, note = hidden)
  for (formula in list(
    y ~ by_frames(k), y ~ by_rlang(k), y ~ by_file(k), y ~ by_load(k),
    y ~ k + I(sys.status()), y ~ k + rlang::global_env()$data$y,
    y ~ k + utils::read.delim("y.txt"), y ~ k + base::get("hidden"),
    y ~ k + base:::get("hidden"), y ~ k + getOption("secret"),
    y ~ box$get(k), y ~ box[["get"]](k), y ~ (function(v) hidden)(k),
    y ~ noted(k), y ~ sapply(k, "get"), y ~ Reduce(`+`, k), y ~ k[hidden > 9],
    y ~ do.call("rank", list(k)), y ~ match.fun("get")("hidden"),
    y ~ k + I({
      k
    }),
    y ~ attr(k, "note"), y ~ environment(k)
  )) {
    expect_error(
      formula_release(formula, data),
      class = "pseudosynth_error_input"
    )
  }
})

test_that("a user's function under the name of a known one is not taken", {
  data <- data.frame(k = rep(1:5, 40), y = rnorm(200, 10))
  hidden <- data$y
  log <- poly <- function(x, ...) hidden
  design <- new_design(y ~ log(k) + poly(k, 2), data, "y")
  parts <- design_parts(design, data)
  expect_equal(
    parts$numeric[, 1], as.vector(scale(base::log(data$k))),
    tolerance = 1e-12
  )
  expect_equal(
    parts$numeric[, 2], as.vector(scale(stats::poly(data$k, 2)[, 1])),
    tolerance = 1e-12
  )
  # Nor is a method for a class of the user's
  registerS3method("Math", "sly", function(x, ...) hidden, baseenv())
  data$k <- structure(data$k, class = c("sly", "AsIs"))
  parts <- design_parts(new_design(y ~ log(k), data, "y"), data)
  expect_equal(
    parts$numeric[, 1], as.vector(scale(base::log(as.vector(data$k)))),
    tolerance = 1e-12
  )
})

test_that("no value comes along in constants, literals or the workspace", {
  data <- data.frame(k = rep(1:5, 40), y = rnorm(200, 10))
  data$y[7] <- 123.4567
  hidden <- data$y
  power <- structure(2, note = hidden)
  has_value <- function(x) {
    text <- rawToChar(serialize(x, NULL, ascii = TRUE))
    grepl("123.4567", text, fixed = TRUE)
  }
  made <- formula_release(y ~ I(k^power) + splines::ns(k, 2), data)
  expect_false(has_value(made))
  expect_identical(ls(environment(made$design$terms)), "power")
  expect_length(synthesize(made, 1, newdata = data["k"]), 1)
  expect_false(has_value(formula_release(y ~ cut(k, c(0, 2, 5)), data)))

  literal <- eval(bquote(y ~ rank(.(hidden))[seq_along(k)]))
  inside <- eval(bquote(y ~ pmin(k, .(hidden))))
  long <- paste(format(hidden), collapse = ",")
  text <- eval(bquote(y ~ I(k == .(long))))
  for (formula in list(literal, inside, text, y ~ I(k == long))) {
    error <- expect_error(
      formula_release(formula, data),
      class = "pseudosynth_error_input"
    )
    expect_no_match(conditionMessage(error), "123.4567", fixed = TRUE)
  }
})

test_that("functions of packages and of base R serve in formulas", {
  data <- data.frame(k = rep(1:5, 40), y = rnorm(200, 10))
  fit <- fit_synthesizer(
    y ~ poly(k, 2) + log(k) + I(k^2) + splines::ns(k, 3), data, gaussian(),
    control = sampler_control(progress = FALSE)
  )
  expect_true(fit$converged)
  expect_length(synthesize(fit, 1, newdata = data["k"])[[1]]$y, 200)
})

test_that("score releases refuse budgets that their label would exceed", {
  data <- data.frame(k = rep(1:5, 40), y = rnorm(200, 10))
  release <- function(...) {
    score_release(
      y ~ k, data,
      reference = list("(Intercept)" = 10, sigma = 1), bounds = c(5, 15), ...
    )
  }
  for (bad in list(
    list(epsilon = 14), list(epsilon = 1e3), list(epsilon = 0),
    list(epsilon = 1, delta = 0.999), list(epsilon = 1, delta = 1e-300),
    list(epsilon = 1, clip = c(1e-300, 1e-300)),
    list(epsilon = 1, shares = rep(1e308, 3)),
    list(epsilon = 1, spread = 1e-300)
  )) {
    expect_error(do.call(release, bad), class = "pseudosynth_error_input")
  }
  for (epsilon in c(0.1, 1, 5, 10)) {
    label <- guarantee(suppressMessages(suppressWarnings(release(
      epsilon = epsilon
    ))))
    expect_lte(label$epsilon$total[["add-remove"]], epsilon * (1 + 1e-9))
  }
})

test_that("a response that came in all the same is seen in the design", {
  y <- withr::with_seed(1, stats::rnorm(200))
  spec <- list(
    y = y, codes = matrix(0L, 200, 0), numeric = cbind(sin(y / 9))
  )
  design <- list(
    factors = data.frame(variable = character()), variables = "t",
    vectors = "wave(t)"
  )
  check <- function() {
    check_design_not_copied(spec, design)
  }
  error <- expect_error(check(), class = "pseudosynth_error_copied_response")
  expect_match(conditionMessage(error), "wave(t)", fixed = TRUE)
  spec$numeric <- cbind(withr::with_seed(2, rnorm(200)))
  expect_no_error(check())
})

test_that("a sum of hundreds of terms is read like a short one", {
  sum <- parse(text = paste(sprintf("log(x%d)", 1:1000), collapse = "+"))[[1]]
  expect_identical(check_functions(sum), c("+", "log"))
  expect_error(
    check_functions(call("+", sum, quote(load("file")))),
    class = "pseudosynth_error_formula"
  )
})

test_that("methods of the user's for columns' classes are refused", {
  data <- data.frame(y = rep(c(1, 2, 4), 20), g = gl(2, 30))
  assign("as.integer.factor", function(x, ...) sys.frames(), globalenv())
  withr::defer(rm("as.integer.factor", envir = globalenv()))
  expect_error(
    score_release(log(y) ~ as.integer(g), data,
      epsilon = 1, reference = list("(Intercept)" = 0, sigma = 1)
    ),
    "as.integer.factor",
    class = "pseudosynth_error_formula"
  )
})

test_that("operators' methods and registered ones are refused, too", {
  data <- data.frame(y = rep(c(1, 2, 4), 20), x = rnorm(60))
  release <- function(formula) {
    score_release(formula, data,
      epsilon = 1, reference = list("(Intercept)" = 0, sigma = 1)
    )
  }
  assign("Ops.AsIs", function(e1, e2) sys.frames(), globalenv())
  withr::defer(suppressWarnings(rm("Ops.AsIs", envir = globalenv())))
  expect_error(
    release(log(y) ~ I(I(x) * 2)), "Ops.AsIs",
    class = "pseudosynth_error_formula"
  )
  rm("Ops.AsIs", envir = globalenv())
  table <- get(".__S3MethodsTable__.", baseenv())
  own <- function(x, ...) sys.frames()
  environment(own) <- globalenv()
  registerS3method("scale", "numeric", own, baseenv())
  withr::defer(rm("scale.numeric", envir = table))
  expect_error(
    release(log(y) ~ scale(x)), "scale.numeric",
    class = "pseudosynth_error_formula"
  )
})

test_that("no method of a column's class is asked for its values", {
  x <- withr::with_seed(1, rnorm(60))
  hidden <- structure(x, class = c("of_this_test", "AsIs"))
  table <- get(".__S3MethodsTable__.", baseenv())
  registerS3method(
    "as.vector", "of_this_test", function(x, mode) rep(7, 60), baseenv()
  )
  withr::defer(rm("as.vector.of_this_test", envir = table))
  expect_identical(plain_column(hidden), x)
  levels <- structure(gl(2, 30), class = c("of_this_test", "factor"))
  expect_identical(plain_column(levels), gl(2, 30))
})

test_that("methods that were registered for a column's class are not called", {
  stolen <- function(x, ...) rep("stolen", length(unclass(x)))
  for (generic in c(
    "as.character", "as.vector", "unique", "rep", "[", "as.integer", "xtfrm",
    "is.na", "format", "toupper"
  )) {
    registerS3method(generic, "pseudosynth_evil", stolen, baseenv())
  }
  data <- data.frame(
    y = withr::with_seed(1, exp(rnorm(60, 9))),
    text = rep(c("a", "b", "c"), 20),
    group = factor(rep(c("u", "v"), 30)), number = I(rep(1:4, 15))
  )
  odd <- data
  class(odd$text) <- "pseudosynth_evil"
  class(odd$group) <- c("pseudosynth_evil", "factor")
  class(odd$number) <- c("pseudosynth_evil", "AsIs")
  attr(odd$text, "file") <- data$y
  fit <- function(data) {
    suppressWarnings(suppressMessages(fit_synthesizer(
      log(y) ~ toupper(text) + group + number, data, gaussian(),
      prior = prior_normal(), chains = 1, warmup = 30, draws = 30, seed = 1
    )))
  }
  expect_identical(fit(odd)$draws, fit(data)$draws)
  fit <- fit(odd)
  plain <- data.frame(
    text = data$text, group = data$group, number = rep(1:4, 15)
  )
  # Rows of sets are in random order
  sorted <- function(x) {
    x <- x[do.call(order, unname(as.list(x[names(plain)]))), names(plain)]
    `rownames<-`(x, NULL)
  }
  for (newdata in list(NULL, odd[-1])) {
    set <- synthesize(fit, 1, newdata, allow_unconverged = TRUE)[[1]]
    expect_identical(sorted(set), sorted(plain))
  }
  histogram <- perturbed_histogram(log(y) ~ 1, data, c(1, 1e6), epsilon = 1)
  set <- synthesize(histogram, newdata = odd)[[1]]
  expect_identical(sorted(set), sorted(plain))
  # Numbers of a class of their own are refused
  odd$number <- structure(rep(1:4, 15), class = "pseudosynth_evil")
  expect_error(
    fit_synthesizer(log(y) ~ number, odd), class = "pseudosynth_error_input"
  )
})

test_that("methods that were registered for plain columns are refused", {
  code <- quote({
    registerS3method(
      "as.integer", "factor", function(x, ...) sys.frames(), baseenv()
    )
    tryCatch(
      pseudosynth::fit_synthesizer(y ~ g, data.frame(
        y = 1:20, g = gl(2, 10)
      ), gaussian()),
      pseudosynth_error_formula = function(e) cat("refused")
    )
  })
  # What is registered stays: in a session of its own
  skip_if_not(nzchar(system.file(package = "pseudosynth")))
  file <- withr::local_tempfile(fileext = ".R")
  writeLines(deparse(code), file)
  said <- withr::with_envvar(
    c(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep)),
    system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", file),
      stdout = TRUE, stderr = FALSE
    )
  )
  expect_identical(said, "refused")
})

test_that("a method registered by its name is found in a formula", {
  table <- get(".__S3MethodsTable__.", baseenv())
  withr::defer(rm("cut.numeric", envir = table))
  own <- function(x, ...) factor(x > 0)
  environment(own) <- globalenv()
  assign("own_cut", own, globalenv())
  withr::defer(rm("own_cut", envir = globalenv()))
  registerS3method("cut", "numeric", "own_cut", envir = globalenv())
  expect_error(check_own_methods(), class = "pseudosynth_error_formula")
})
