# What arguments carry, and the numbers that they are, stay with the user.

skip_on_cran()

holds_mark <- function(x) {
  length(grepRaw("MARK", serialize(x, NULL, xdr = FALSE), fixed = TRUE)) > 0
}

test_that("no attribute and no name of an argument travels", {
  calls <- leaving_calls()
  expect_true(holds_mark(marked_value(list(1, "a"))))
  expect_true(holds_mark(marked_value(y ~ I(x + 2))))
  for (name in names(calls)) {
    arguments <- calls[[name]]$arguments
    # At night each alone, so that none hides another
    all <- names(arguments)
    turns <- c(list(all), by_night(as.list(all), NULL))
    for (turn in turns) {
      given <- arguments
      given[turn] <- lapply(given[turn], marked_value)
      made <- suppressMessages(suppressWarnings(
        do.call(calls[[name]]$f, given, quote = TRUE)
      ))
      held <- vapply(made, holds_mark, NA)
      expect_identical(
        which(held), integer(), label = paste(name, toString(turn))
      )
    }
  }
})

# Any way of writing three or more digits of a number
written_digits <- function(numbers) {
  unique(unlist(lapply(c(numbers, 100 * numbers), function(x) {
    short <- signif(x, 3:15)
    c(
      sprintf("%.15g", short), sprintf("%.*f", 0:6, rep(x, 7)),
      sprintf("%.*e", 2:9, x)
    )
  })))
}

shows_digits <- function(text, numbers) {
  text <- gsub(",", "", paste(text, collapse = " "), fixed = TRUE)
  any(vapply(written_digits(numbers), grepl, NA, text, fixed = TRUE))
}

test_that("digits are found in every form", {
  for (text in c("12300", "12,345.7", "1.23e+04", "1234568%", "(12346)")) {
    expect_true(shows_digits(text, 12345.678901))
  }
  expect_false(shows_digits("about 12000, 12 of 345", 12345.678901))
})

test_that("no condition of any verb repeats more than two digits", {
  skip_unless_nightly()
  secret <- c(12345.678901, 98765.43201, 0.0345678901)
  values <- list(
    one = secret[1], turned = rev(secret[1:2]), minus = -secret[1],
    small = secret[3], whole = 345678, listed = list(secret[1]),
    named = list("(Intercept)" = secret[1], sigma = secret[2]),
    frame = data.frame(column = "y", type = "amount", lower = secret[2],
      upper = secret[1]
    ), text = format(secret[1], digits = 12), formula = log(y) ~ I(x + 1)
  )
  # As bquote() puts it there
  values$formula[[3]][[2]][[3]] <- secret[1]
  calls <- bad_input_calls()
  turn <- 0
  told <- character()
  for (name in names(calls)) {
    arguments <- calls[[name]]$arguments
    for (j in seq_along(arguments)) {
      turn <- turn + 1
      # In turn, so that all arguments together meet all values
      for (value in names(values)[(turn + 0:1) %% length(values) + 1]) {
        given <- arguments
        given[j] <- list(values[[value]])
        said <- character()
        note <- function(condition) {
          said <<- c(said, conditionMessage(condition))
          tryInvokeRestart("muffleWarning")
          tryInvokeRestart("muffleMessage")
        }
        tryCatch(
          withCallingHandlers(
            utils::capture.output(f_of(calls[[name]]$f, given)),
            warning = note, message = note
          ),
          error = note
        )
        if (shows_digits(said, c(secret, 345678))) {
          told <- c(told, paste(name, names(arguments)[j], value))
        }
      }
    }
  }
  expect_identical(told, character())
  expect_gt(turn, 200)
})

test_that("no error repeats more than two digits of a stated number", {
  y <- c(12345.678901, 98765.43201)
  data <- bad_input_data(20)
  model <- log(y) ~ x
  calls <- list(
    quote(margin_histogram(rev(y))), quote(censor(lower = y[2], upper = y[1])),
    quote(censor(epsilon = -y[1])), quote(public_response(digits = y[1])),
    quote(public_response(bounds = rev(y))), quote(beta_response(rev(y))),
    quote(score_release(model, data, epsilon = 1, bounds = rev(y))),
    quote(score_release(model, data, epsilon = 1, delta = y[1],
      reference = list("(Intercept)" = 10, sigma = 1), bounds = c(10, 1e7)
    )),
    quote(perturbed_histogram(model, data, bounds = rev(y), epsilon = 1)),
    quote(perturbed_histogram(log(y) ~ 1, data, bounds = y, epsilon = -y[1])),
    quote(perturbed_histogram(log(y) ~ 1, data, bounds = y, epsilon = 1,
      bins = y[1]
    )),
    quote(count_weights(model, data, radius = y[1])),
    quote(ledger(tempfile(), epsilon = -y[1])),
    quote(prior_normal(scale = -y[1])), quote(sampler_control(min_ess = -y[2])),
    quote(codebook(data.frame(column = "y", type = "amount", lower = y[2],
      upper = y[1], digits = 0
    ))), quote(stage_seed(y[1], "fit"))
  )
  for (call in calls) {
    error <- tryCatch(eval(call), error = identity)
    expect_s3_class(error, "pseudosynth_error")
    expect_false(
      shows_digits(conditionMessage(error), y), label = deparse1(call)
    )
  }
})

test_that("numbers of two digits are shown as they are, others as about", {
  expect_error(censor(epsilon = -1), "It is -1", fixed = TRUE)
  expect_error(stage_seed(1.5, "fit"), "whole number")
  expect_error(
    margin_histogram(c(98765.4321, 12345.678901)),
    "They are about 99000 and about 12000", fixed = TRUE
  )
  # Whatever the other arguments are
  lazy <- function(...) censor(epsilon = -1, ...)
  expect_error(lazy(lower = stop("mine")), "It is -1", fixed = TRUE)
})

test_that("an argument that has a rule is checked by it alone", {
  plain <- paste0("check_", c(
    "number", "count", "flag", "string", "choice", "class", "seed"
  ))
  checked <- function(code) {
    found <- if (is.call(code) && is.symbol(code[[1]]) &&
      as.character(code[[1]]) %in% plain && length(code) > 1) {
      if (is.character(code$arg)) code$arg else deparse1(code[[2]])
    }
    parts <- if (is.call(code)) Filter(is.call, as.list(code))
    c(found, unlist(lapply(parts, checked)))
  }
  namespace <- asNamespace("pseudosynth")
  names <- Filter(function(name) {
    is.function(get(name, namespace)) && !startsWith(name, "check_")
  }, ls(namespace))
  found <- lapply(stats::setNames(nm = names), function(name) {
    intersect(checked(body(get(name, namespace))), names(argument_rules))
  })
  found <- Filter(length, found)
  # The scale of a figure's axis, and a seed before anything is checked
  expect_identical(
    lapply(found, identity),
    list(pp_check.synthesizer = "scale", stage_seed = "seed")
  )
})
