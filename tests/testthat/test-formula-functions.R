# What a formula's own functions may carry along.

secret_release <- function(secret) {
  power <- 2
  helper <- function(v) v + 0
  curve <- function(v) helper(v)^power
  score_release(
    log(income) ~ size + curve(size), secret[c("income", "size")],
    epsilon = 1, reference = list("(Intercept)" = 10.8, sigma = 1),
    bounds = c(10, 2e6)
  )
}

test_that("a function of the formula leaves what surrounds it behind", {
  data <- subset(ce_income, income > 0)[1:300, ]
  data$size <- as.numeric(data$family_size)
  data$income[5] <- 123457
  data$note <- "sentinel-of-one-person"
  release <- suppressMessages(secret_release(data))
  text <- rawToChar(serialize(release, NULL, ascii = TRUE))
  expect_false(grepl("sentinel-of-one-person", text, fixed = TRUE))
  expect_false(grepl("123457", text, fixed = TRUE))
  # What it calls came along: the release still works
  expect_length(synthesize(release, 2, newdata = data["size"]), 2)
  expect_identical(
    sort(ls(environment(release$design$terms))),
    sort(c("+", "curve", "helper", "power", "^"))
  )
})

test_that("the response does not come in through a function", {
  data <- data.frame(k = rep(1:5, 40), y = rnorm(200, 10))
  hidden <- data$y
  ranks <- function(v) rank(hidden)[seq_along(v)]
  expect_error(
    score_release(
      y ~ ranks(k), data,
      epsilon = 1, reference = list("(Intercept)" = 10, sigma = 1),
      bounds = c(5, 15)
    ),
    class = "pseudosynth_error_input"
  )
  expect_error(
    fit_synthesizer(
      y ~ ranks(k), data, gaussian(),
      censor = censor(1, reference = list("(Intercept)" = 10, sigma = 1))
    ),
    class = "pseudosynth_error_input"
  )
})

test_that("no value comes along in attributes, bodies, defaults or literals", {
  data <- data.frame(k = rep(1:5, 40), y = rnorm(200, 10))
  data$y[7] <- 123.4567
  hidden <- data$y
  release <- function(formula) {
    suppressMessages(score_release(
      formula, data,
      epsilon = 1, reference = list("(Intercept)" = 10, sigma = 1),
      bounds = c(5, 15)
    ))
  }
  has_value <- function(x) {
    text <- rawToChar(serialize(x, NULL, ascii = TRUE))
    grepl("123.4567", text, fixed = TRUE)
  }
  noted <- structure(function(v) v^2, note = hidden)
  power <- structure(2, note = hidden)
  again <- function(v, n = 3) if (n > 0) again(v, n - 1) else v^2
  expect_false(has_value(release(y ~ k + noted(k))))
  expect_false(has_value(release(y ~ I(k^power))))
  expect_false(has_value(release(y ~ again(k))))

  written <- eval(bquote(function(v) rank(.(hidden))[seq_along(v)]))
  by_default <- function(v, z = 1) rank(z)[seq_along(v)]
  formals(by_default)$z <- hidden
  literal <- eval(bquote(y ~ rank(.(hidden))[seq_along(k)]))
  for (formula in list(y ~ written(k), y ~ by_default(k), literal)) {
    expect_error(release(formula), class = "pseudosynth_error_input")
  }
  # What people write is a call, with or without a reference to the source
  nested <- eval(parse(
    text = "function(v) vapply(v, function(i, by = 2) i / by, 0)",
    keep.source = TRUE
  ))
  expect_s3_class(release(y ~ nested(k)), "score_release")
  expect_false(has_value(release(y ~ cut(k, c(0, 2, 5)))))
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
    expect_lte(label$epsilon$total[["add/remove-one"]], epsilon * (1 + 1e-9))
  }
})

test_that("nothing of a formula reads beyond its arguments", {
  data <- data.frame(k = rep(1:5, 40), y = rnorm(200, 10))
  withr::local_options(secret = data$y)
  secret <- data$y
  by_get <- function(v) get("secret", envir = globalenv()) + 0 * v
  by_option <- function(v) getOption("secret")[seq_along(v)]
  by_frame <- function(v) parent.frame()$y
  by_code <- function(v) eval(parse(text = "secret"))
  by_text <- function(v) as.numeric(sapply("secret", "get")) + 0 * v
  reach <- get
  where <- globalenv
  by_alias <- function(v) reach("secret", envir = where()) + 0 * v
  changed <- stats::sd
  body(changed) <- bquote(.(data$y) + 0 * x)
  long <- paste(format(data$y), collapse = ",")
  unpack <- function(v) as.numeric(strsplit(long, ",")[[1]]) + 0 * v
  for (formula in list(
    y ~ by_get(k), y ~ by_option(k), y ~ by_frame(k), y ~ by_code(k),
    y ~ changed(k), y ~ unpack(k), y ~ by_text(k), y ~ by_alias(k),
    y ~ k + I(getOption("secret")),
    y ~ k + I(get("secret"))
  )) {
    expect_error(
      score_release(
        formula, data,
        epsilon = 1, reference = list("(Intercept)" = 10, sigma = 1),
        bounds = c(5, 15)
      ),
      class = "pseudosynth_error_input"
    )
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
    check_design_not_copied(spec, design, rlang::current_env())
  }
  error <- expect_error(check(), class = "pseudosynth_error_copied_response")
  expect_match(conditionMessage(error), "wave(t)", fixed = TRUE)
  spec$numeric <- cbind(withr::with_seed(2, rnorm(200)))
  expect_no_error(check())
})

test_that("a function's own names bring nothing of the workspace along", {
  data <- data.frame(k = rep(1:5, 40), y = rnorm(200, 10))
  top <- 7654321.25
  cap <- function(v) {
    top <- 3
    pmin(v, top)
  }
  release <- suppressMessages(score_release(
    y ~ cap(k), data,
    epsilon = 1, reference = list("(Intercept)" = 10, sigma = 1),
    bounds = c(5, 15)
  ))
  expect_false(exists("top", environment(release$design$terms)))
  expect_length(synthesize(release, 1, newdata = data["k"]), 1)
})
