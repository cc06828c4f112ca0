# One rule for stated numbers, for every verb and every source.

stated_file <- function(n = 803) {
  withr::with_seed(8, data.frame(
    y = round(exp(rnorm(n, 9, 0.6)), 2), x = round(rnorm(n), 1),
    w = round(runif(n, 500, 2000), 2)
  ))
}

# What of a column is its own
own_numbers <- function(y) {
  c(
    value = y[5], low = min(y), high = max(y), mean = mean(y), sum = sum(y),
    sd = sd(y), median = median(y), printed = signif(mean(y), 7),
    rounded = round(mean(y)), second = sort(y)[2],
    q01 = quantile(y, 0.01, names = FALSE),
    q95 = quantile(y, 0.95, names = FALSE)
  )
}

refused_number <- function(code, arg = NULL) {
  error <- expect_error(code, class = "pseudosynth_error_public_ends")
  expect_s3_class(error, "pseudosynth_error_privacy")
  expect_s3_class(error, "pseudosynth_error_input")
  # Nothing of it in the message
  expect_no_match(conditionMessage(error), "[0-9]{3}")
  expect_match(conditionMessage(error), "confirm", fixed = TRUE)
  if (!is.null(arg)) expect_identical(error$arg, arg)
}

test_that("coincides() finds a column's values and usual statistics", {
  withr::local_seed(1)
  for (n in c(20, 803, 5000)) {
    y <- round(exp(rnorm(n, 10)), 2)
    told <- c(
      own_numbers(y), unlist(lapply(setdiff(1:9, 3), function(type) {
        quantile(y, c(
          0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 0.75, 0.8, 0.85, 0.9, 0.95,
          0.99
        ), type = type)
      }))
    )
    expect_identical(told[is_long(told) & !coincides(told, y)], told[0])
    expect_true(all(coincides(rev(told), sample(y)) | !is_long(rev(told))))
  }
  # In whatever type, and of records that may be missing
  expect_true(coincides(mean(y), c(y, NA)))
  expect_true(coincides(1234L, c(99999L, 1234L, 5L)))
  expect_false(coincides(1234, c("1234", "5")))
  expect_false(coincides(1234, 1234))
  expect_identical(coincides(numeric(), y), logical())
  days <- as.Date("2020-01-15") + c(0, 10, 20, 400)
  expect_identical(
    coincides(as.Date(c("2020-01-15", "2020-01-01", "2020-02-29")), days),
    c(TRUE, FALSE, FALSE)
  )
})

test_that("round numbers and those of another file pass", {
  withr::local_seed(2)
  y <- round(exp(rnorm(2000, 10)), 2)
  expect_false(any(coincides(c(0, 1, 12300, 2e6, 0.125, 60000), c(
    0, 1, 12300, 2e6, 0.125, 60000
  ))))
  expect_lt(mean(coincides(exp(rnorm(20000, 10)), y)), 0.001)
  expect_lt(mean(coincides(signif(exp(rnorm(20000, 10)), 4), y)), 0.01)
  # A quantile that nobody takes; a number in a quantile's gap
  expect_false(coincides(quantile(y, 0.3), y))
  gap <- sort(y)[199:201]
  expect_false(coincides(gap[2] + 0.137 * (gap[3] - gap[2]), y))
  # Of every digit, also of short numbers
  expect_identical(coincides(c(5, 6), c(1, 5, 9, 30), 0), c(TRUE, FALSE))
})

test_that("facts of counted values are those of the records", {
  withr::local_seed(3)
  value <- round(exp(rnorm(40, 10)), 2)
  n <- sample(1:9, 40, TRUE)
  of_all <- facts_of(rep(value, n))
  counted <- facts_of(value, n)
  expect_equal(counted[c("n", "mean", "sd")], of_all[c("n", "mean", "sd")])
  some <- rounding_ends(c(value[1:3], 12345.6, mean(rep(value, n))))
  expect_equal(counted$counts(some), of_all$counts(some))
})

# Each takes a number in the response's unit, and what is confirmed
number_verbs <- function(data) {
  model <- function(formula = log(y) ~ x, ..., confirmed, bounds = NULL) {
    suppressWarnings(suppressMessages(fit_synthesizer(
      formula, data, gaussian(), ..., chains = 1, warmup = 8, draws = 8,
      response = public_response(bounds = bounds, confirmed = confirmed)
    )))
  }
  normal <- prior_normal(1, c(9, 2.5))
  list(
    bounds = function(number, confirmed) {
      model(bounds = sort(c(1, number)), confirmed = confirmed)
    },
    formula = function(number, confirmed) {
      model(asinh(y / number) ~ x, confirmed = confirmed)
    },
    formula = function(number, confirmed) {
      model(eval(bquote(log(y) ~ I(x - .(number)))), confirmed = confirmed)
    },
    reference = function(number, confirmed) {
      model(
        prior = normal, censor = censor(2, reference = list(
          "(Intercept)" = log(number), sigma = 1
        )), confirmed = confirmed
      )
    },
    prior = function(number, confirmed) {
      model(prior = prior_normal(1, c(log(number), 2.5)), confirmed = confirmed)
    }
  )
}

test_that("every verb refuses the response's own numbers unless confirmed", {
  data <- stated_file()
  own <- own_numbers(data$y)
  verbs <- number_verbs(data)
  for (i in seq_along(verbs)) {
    by_day <- own[c(1 + i %% 3, 4 + i %% 4, 9, 11)]
    for (number in by_night(own, by_day)) {
      refused_number(verbs[[i]](number, NULL), names(verbs)[i])
    }
  }
  expect_no_error(verbs[[1]](54321.98, NULL))
  fit <- verbs[[1]](own[["high"]], own[["high"]])
  expect_match(
    guarantee(fit)$public_inputs[["confirmed"]], format_exact(own[["high"]]),
    fixed = TRUE
  )
  expect_no_error(verbs[[2]](own[["mean"]], own[["mean"]]))
  # As it is stated
  expect_no_error(verbs[[5]](own[["mean"]], log(own[["mean"]])))
  expect_no_error(verbs[[5]](60000, NULL))
})

test_that("spreads, scalings and survey weights are compared, too", {
  data <- stated_file()
  model <- function(..., confirmed = NULL) {
    suppressWarnings(suppressMessages(fit_synthesizer(
      log(y) ~ x, data, gaussian(), ..., chains = 1, warmup = 8, draws = 8,
      response = public_response(confirmed = confirmed)
    )))
  }
  refused_number(model(prior = prior_normal(sd(log(data$y)))), "prior")
  own <- c(mean(data$x), sd(data$x))
  refused_number(model(scaling = list(x = own)), "scaling")
  expect_no_error(model(scaling = list(x = own), confirmed = own))
  expect_no_error(model(scaling = list(x = c(0.1, 1.2))))
  weights <- function(by, ...) model(survey_weights = c(w = by), ...)
  for (own in list(mean(data$w), median(data$w), sum(data$w), data$w[3])) {
    refused_number(weights(own), "survey_weights")
    expect_no_error(weights(own, confirmed = own))
  }
  expect_no_error(weights(1250))
  expect_no_error(weights(1234.5))
  # Normalised by the file, whatever divides them
  w <- stated_file()$w
  for (by in list(mean(w), sum(w), median(w), max(w))) {
    data$w <- w / by
    refused_number(weights(1), "survey_weights")
    refused_number(weights(0.5), "survey_weights")
    fit <- weights(1, confirmed = 1)
    expect_match(guarantee(fit)$public_inputs[["confirmed"]], "^1 as public")
  }
  # Normalised to the divisor itself, or to a sum that it is
  weight <- stated_file()$w
  for (by in list(mean(weight), sum(weight))) {
    data$w <- 500 * weight / by
    refused_number(weights(500), "survey_weights")
    expect_no_error(weights(500, confirmed = 500))
  }
})

test_that("weights of a whole file are not normalised by it", {
  file <- withr::with_seed(4, data.frame(
    g = sample(c("a", "b"), 300, TRUE), w = round(runif(300, 100, 900), 1)
  ))
  plan <- function(w, ...) {
    file$w <- w
    book <- codebook(data.frame(
      column = c("g", "w"), type = c("category", "amount"),
      levels = c("a|b", ""), lower = c(NA, 1e-6), upper = c(NA, 1e4),
      digits = c(NA, "any"), transform = c(NA, "log")
    ))
    suppressMessages(file_plan(file, book, survey_weights = "w", ...))
  }
  for (by in list(mean(file$w), sum(file$w), median(file$w), max(file$w))) {
    refused_number(plan(file$w / by), "survey_weights")
    expect_no_error(plan(file$w / by, confirmed = 1))
    # What is published is no secret
    expect_no_error(plan(file$w / by, publish = "w"))
  }
  expect_no_error(plan(file$w))
  # Of few digits 1 is common
  expect_no_error(plan(sample(c(0.5, 1, 1, 1, 2.3), 300, TRUE)))
})

test_that("a protected column is not scaled by the file's own numbers", {
  y <- stated_file()$y
  g <- rep_len(c("a", "b"), length(y))
  reference <- list("(Intercept)" = 0, sigma = 1)
  of <- function(v, ..., confirmed = NULL, digits = NA) {
    file <- data.frame(v, g)
    book <- codebook(data.frame(
      column = names(file), type = c("amount", "category"),
      levels = c("", "a|b"), lower = c(-1e6, NA), upper = c(1e9, NA),
      digits = c(if (is.na(digits)) "any" else digits, NA)
    ))
    response <- public_response(confirmed = confirmed, digits = digits)
    list(
      plan = function() {
        suppressMessages(file_plan(file, book, confirmed = confirmed))
      },
      score = function(data = file) {
        suppressWarnings(suppressMessages(score_release(
          v ~ g, data, gaussian(), epsilon = 1, reference = reference,
          response = response
        )))
      },
      histogram = function() {
        suppressMessages(perturbed_histogram(
          v ~ 1, file, epsilon = 1, bounds = c(-1e6, 1e9), response = response
        ))
      },
      job = function() {
        suppressWarnings(suppressMessages(pseudo_posterior(
          v ~ g, file, gaussian(), mechanism = "centred", epsilon = 2,
          reference = reference, response = response, chains = 1, warmup = 20,
          draws = 20, allow_unconverged = TRUE
        )))
      }
    )
  }
  refused <- function(call) {
    expect_error(call(), "scale of", class = "pseudosynth_error_public_ends")
  }
  for (v in list(y / mean(y), as.vector(scale(y)))) {
    for (call in of(v)) refused(call)
    for (call in of(v, confirmed = 1)) expect_no_error(call())
  }
  for (v in list(
    y / sum(y), y - mean(y), y / sd(y), y / median(y), y[-1] / median(y[-1])
  )) {
    g <- rep_len(c("a", "b"), length(v))
    refused(of(v)$plan)
    refused(of(v)$histogram)
  }
  # To the decimals that are stated
  g <- rep_len(c("a", "b"), length(y))
  for (v in list(y / mean(y), as.vector(scale(y)))) {
    for (call in of(round(v, 4), digits = 4)[c("plan", "score", "histogram")]) {
      refused(call)
    }
  }
  # By public numbers, or by chance: shares have a largest value of 1, and of
  # wide steps some mean is near 1
  rate <- y / max(y)
  for (v in list(
    y / 10000, sample(0:2, length(y), TRUE), y - 1, replace(rate, 1:20, 1),
    rate, round(rate, 2), round(y / mean(y) + 0.001, 4)
  )) {
    for (call in of(v)[c("plan", "score", "histogram")]) expect_no_error(call())
  }
  # In a table, too
  con <- sqlite()
  for (v in list(
    y / mean(y), as.vector(scale(y)), y / median(y), y[-1] / median(y[-1]),
    y / 10000, rate
  )) {
    g <- rep_len(c("a", "b"), length(v))
    DBI::dbWriteTable(con, "t", data.frame(v, g), overwrite = TRUE)
    calls <- of(v)
    score <- function() calls$score(dplyr::tbl(con, "t"))
    if (identical(v, y / 10000) || identical(v, rate)) {
      expect_no_error(score())
    } else {
      refused(score)
    }
  }
})

test_that("histograms compare bounds and breaks, jobs before they fit", {
  data <- stated_file()
  own <- own_numbers(data$y)
  histogram <- function(..., confirmed = NULL) {
    perturbed_histogram(data$y,
      epsilon = 1, ..., response = public_response(confirmed = confirmed)
    )
  }
  for (number in own[setdiff(names(own), "low")]) {
    refused_number(histogram(bounds = c(1, number)), "bounds")
    refused_number(histogram(bins = c(1, 60, number, 1e7)), "bins")
  }
  # The values of two persons, and the outer quantiles
  refused_number(histogram(bounds = sort(data$y)[c(3, 800)]))
  refused_number(histogram(bounds = unname(quantile(data$y, c(0.01, 0.99)))))
  refused_number(histogram(bins = quantile(data$y, 0:10 / 10)))
  made <- histogram(bounds = c(1, own[["high"]]), confirmed = own[["high"]])
  label <- guarantee(synthesize(made))$public_inputs
  expect_match(
    label[["confirmed"]], format_exact(own[["high"]]), fixed = TRUE
  )
  expect_no_error(histogram(bins = c(1, 61.75, 2345.67, 1e7)))
  expect_no_error(histogram(bounds = c(1, 65432.1)))
  # Equally wide bins are their ends alone
  whole <- round(data$y)
  expect_no_error(perturbed_histogram(whole, bins = 0:70000, epsilon = 1))
  job <- function(mechanism, ...) {
    pseudo_posterior(log(y) ~ x, data, gaussian(),
      mechanism = mechanism, epsilon = 1,
      reference = list("(Intercept)" = 9, sigma = 1), ...
    )
  }
  for (mechanism in c("score", "centred")) {
    refused_number(job(mechanism, bounds = c(1, own[["q95"]])))
  }
  refused_number(job("centred", margin = margin_histogram(c(1, own[["q95"]]))))
  # Of sets, whatever they are drawn from
  made <- perturbed_histogram(log(y) ~ 1, data, c(1, 1e6), epsilon = 1)
  refused_number(
    synthesize(made, newdata = data, bounds = c(1, own[["mean"]])), "bounds"
  )
})

test_that("many values at a public end are no reason to refuse it", {
  y <- withr::with_seed(1, round(exp(rnorm(1e5, 10, 1.2))))
  y <- pmin(y, 250000)
  expect_gt(sum(y == 250000), 1000)
  expect_no_error(perturbed_histogram(y, bounds = c(1, 250000), epsilon = 1))
  y[y == 250000] <- 251234
  refused_number(perturbed_histogram(y, bounds = c(1, 251234), epsilon = 1))
  expect_no_error(perturbed_histogram(y,
    bounds = c(1, 251234), epsilon = 1,
    response = public_response(confirmed = 251234)
  ))
})

test_that("score releases refuse the same of every source, before payment", {
  d <- engine_persons(1500)
  con <- sqlite(persons = d)
  thirds <- parts_of(d, rep_len(1:3, nrow(d)))
  sources <- list(d, dplyr::tbl(con, "persons"), thirds)
  own <- own_numbers(d$income)
  score <- function(data, number = 10.8, ..., bounds = c(10, 2e6)) {
    released(log(income) ~ flag, data, bounds = bounds,
      reference = list("(Intercept)" = number, sigma = 1), ...
    )
  }
  for (data in sources) {
    # One rule judges all numbers: each is asked of a data frame, see above
    for (number in by_night(own, own[c("value", "mean")])) {
      refused_number(score(data, log(number)), "reference")
      refused_number(score(data, bounds = c(1, number)), "bounds")
    }
    logs <- own_numbers(log(d$income))
    for (number in logs[by_night(c("mean", "sd", "median"), "sd")]) {
      refused_number(score(data, number), "reference")
      refused_number(
        score(data, prior = prior_normal(1, c(10, number))), "prior"
      )
    }
    formula <- eval(bquote(log(income) ~ I(hours > .(own[["mean"]]))))
    refused_number(released(formula, data), "formula")
    refused_number(
      released(log(income) ~ hours, data, scaling = list(
        hours = c(mean(d$hours), 10)
      )), "scaling"
    )
  }
  whole <- score(d, 10.8123456789, bounds = c(10, 123456.7))
  for (data in sources[-1]) {
    expect_same_release(
      score(data, 10.8123456789, bounds = c(10, 123456.7)), whole
    )
    made <- score(data, bounds = c(10, own[["high"]]), response =
      public_response(confirmed = own[["high"]]))
    expect_match(
      guarantee(made)$public_inputs[["confirmed"]],
      format_exact(own[["high"]]), fixed = TRUE
    )
  }
  folder <- withr::local_tempdir()
  book <- ledger(file.path(folder, "book"), epsilon = 5, delta = 1e-5)
  refused_number(score(d, mean(log(d$income)), ledger = book))
  expect_identical(nrow(as.data.frame(book)), 0L)
})

test_that("one table and several count what is asked of records", {
  d <- engine_persons(700)
  d$income[1:20] <- d$income[21]
  con <- sqlite(persons = d)
  response <- described_response(
    log(income) ~ 1, d[0, ], student_t(), NULL
  )
  own <- facts_of(log(d$income))
  some <- rounding_ends(log(c(
    d$income[c(1, 5)], mean(d$income), 54321.09, 1e-3, 1e9
  )))
  with_facts <- function(data, f) {
    with_engine(data, function(engine) {
      engine$types(c("income", "flag"))
      cells <- engine$cells("flag")
      f(engine$for_response(response, cells)$facts("modelled"))
    })
  }
  y <- sort(log(d$income))
  gap <- rounding_ends(y[35] + 0.137 * (y[36] - y[35]))
  expect_false(are_told(gap, own))
  for (data in list(
    dplyr::tbl(con, "persons"), parts_of(d, rep_len(1:4, nrow(d)))
  )) {
    with_facts(data, function(facts) {
      expect_equal(facts[c("n", "mean", "sd")], own[c("n", "mean", "sd")])
      expect_equal(facts$counts(some), own$counts(some))
      # More than one query takes
      many <- rounding_ends(rep(some$number, 40))
      expect_equal(facts$counts(many), own$counts(many))
      # Where in a gap a number lies, whichever tables have its ends
      expect_false(are_told(gap, facts))
      expect_true(are_told(rounding_ends(mean(y[35:36])), facts))
    })
  }
})

test_that("a codebook's and a rule's numbers are compared, by the plan", {
  data <- withr::with_seed(4, data.frame(
    pay = round(exp(rnorm(500, 10)), 2), visits = rpois(500, 1500),
    day = as.Date("2019-02-11") + sample(0:700, 500, TRUE),
    sex = sample(c("m", "f"), 500, TRUE)
  ))
  data$pay[1:9] <- 9999999
  book <- function(...) {
    table <- as.data.frame(suppressMessages(
      confirm_codebook(draft_codebook(data))
    ))
    own <- table$column == "pay"
    table[own, c("lower", "upper")] <- c("1000", "1000000")
    table$codes[own] <- list("9999999")
    changes <- list(...)
    for (name in names(changes)) {
      field <- names(changes[[name]])
      value <- changes[[name]][[1]]
      table[[field]][table$column == name] <- if (is.list(table[[field]])) {
        list(value)
      } else {
        value
      }
    }
    codebook(table)
  }
  plan <- function(book, ...) suppressWarnings(file_plan(data, book, ...))
  pay <- data$pay[-(1:9)]
  text <- function(x) sprintf("%.17g", x)
  for (number in by_night(
    own_numbers(pay), own_numbers(pay)[c("high", "mean", "q95")]
  )) {
    refused_number(
      plan(book(), rules = eval(bquote(~ pay <= 1e8 | pay > .(number)))),
      "codebook"
    )
  }
  ends <- list(upper = text(max(pay)))
  refused_number(plan(book(pay = ends)))
  confirmed <- plan(book(pay = ends), confirmed = max(pay))
  release <- file_release(confirmed, epsilon = 5)
  expect_match(
    guarantee(release)$public_inputs[["confirmed"]], format_exact(max(pay)),
    fixed = TRUE
  )
  expect_no_error(plan(book(pay = list(lower = "1.2345"))))
  refused_number(plan(book(visits = list(lower = text(min(data$visits))))))
  # Codes as surveys write them pass, and those that several records have; one
  # that is a record's value does not
  expect_identical(is_usual_code(c(-9999, 9997, 88888, 8887, 12345)), c(
    TRUE, TRUE, TRUE, FALSE, FALSE
  ))
  refused_number(plan(book(pay = list(codes = c("9999999", text(pay[2]))))))
  refused_number(plan(book(pay = list(heaps = text(pay[2])))))
  coded <- function(times, ...) {
    codes <- c("9999999", "7654321", "99998")
    data$pay[9 + seq_len(times)] <- 7654321
    data$pay[20] <- 99998
    suppressWarnings(file_plan(data, book(pay = list(codes = codes)), ...))
  }
  refused_number(coded(2))
  expect_no_error(coded(2, confirmed = 7654321))
  expect_no_error(coded(3))
  data$pay[21:23] <- 1234.5
  expect_no_error(plan(book(pay = list(heaps = "1234.5"))))
  # Days; both kinds are confirmed as text
  first <- format(min(data$day))
  refused_number(plan(book(day = list(lower = first))))
  expect_no_error(plan(book(day = list(lower = "2019-02-01"))))
  both <- plan(
    book(day = list(lower = first), pay = ends),
    confirmed = c(first, text(max(pay)))
  )
  expect_match(confirmed_text(both$confirmed), first)
  # Neither published columns nor a draft's claim anything
  expect_no_error(plan(book(pay = ends), publish = "pay"))
  drafted <- as.data.frame(book(pay = ends))
  drafted$confirmed[drafted$column == "pay"] <- FALSE
  expect_no_error(plan(codebook(drafted)))
  for (bad in list(TRUE, NA_real_, list(1))) {
    expect_error(
      plan(book(), confirmed = bad), class = "pseudosynth_error_input"
    )
  }
})

test_that("plans of tables and parts refuse the same numbers", {
  d <- withr::with_seed(4, data.frame(
    pay = round(exp(rnorm(300, 10)), 2), sex = sample(c("m", "f"), 300, TRUE)
  ))
  table <- as.data.frame(confirm_codebook(draft_codebook(d)))
  table$upper[table$column == "pay"] <- sprintf("%.17g", max(d$pay))
  book <- codebook(table)
  con <- sqlite(d = d)
  parts <- parts_of(d, rep_len(1:2, 300))
  for (data in list(d, dplyr::tbl(con, "d"), parts)) {
    refused_number(file_plan(data, book), "codebook")
    expect_no_error(file_plan(data, book, confirmed = max(d$pay)))
  }
})

test_that("a certificate lists what was confirmed", {
  skip_if_not_installed("jsonlite")
  data <- stated_file(300)
  top <- max(data$y)
  made <- score_release(log(y) ~ x, data, gaussian(),
    epsilon = 5, reference = list("(Intercept)" = 9, sigma = 1),
    bounds = c(1, top), response = public_response(confirmed = top)
  )
  folder <- withr::local_tempfile()
  release(
    synthesize(made, newdata = data), folder, data = data, require = "strict"
  )
  certificate <- readLines(file.path(folder, "certificate.txt"))
  expect_match(
    certificate, paste0("confirmed +", format_exact(top)), all = FALSE
  )
})

test_that("the ends of a day are not its first and last moments", {
  moment <- as.POSIXct("2020-03-05 00:14:20", tz = "UTC") + c(0, 600, 85000)
  stated <- as.POSIXct("2020-03-05 00:00:00", tz = "UTC") + c(0, 860, 860.4)
  expect_identical(coincides(stated, moment), c(FALSE, TRUE, TRUE))
})

test_that("what bounds cut off hides no number of the file", {
  data <- withr::with_seed(8, data.frame(
    y = round(exp(rnorm(300, 10, 1)), 2), g = rep(c("a", "b"), 150)
  ))
  data$y[1:5] <- c(1, 2, 3, 5, 8)
  y <- log(data$y)
  cut <- log(pmax(data$y, 10))
  score <- function(centre, spread = 1, table = data) {
    suppressWarnings(suppressMessages(score_release(
      log(y) ~ g, table, student_t(), epsilon = 1,
      reference = list("(Intercept)" = centre, sigma = spread),
      response = public_response(digits = 2, bounds = c(10, 2e6))
    )))
  }
  tables <- list(data, dplyr::tbl(sqlite(persons = data), "persons"))
  for (table in tables) {
    refused_number(score(mean(y), table = table), "reference")
    refused_number(score(mean(cut), table = table), "reference")
    refused_number(score(9.5, sd(y), table = table), "reference")
    expect_no_error(score(9.5, table = table))
  }
})

test_that("honest columns are seldom refused by their scale", {
  refused <- function(v, digits = NA) {
    inherits(tryCatch(
      check_own_scale(facts_of(v), digits, NULL, "v"), error = identity
    ), "error")
  }
  many <- by_night(3000, 400)
  rate_of <- function(draw, digits = NA) {
    mean(withr::with_seed(1, replicate(many, refused(draw(), digits))))
  }
  for (n in c(50, 1000)) {
    share <- function() {
      of <- sample(20:400, n, TRUE)
      rbinom(n, of, rbeta(n, 5, 2)) / of
    }
    expect_identical(rate_of(share), 0)
    expect_lt(rate_of(function() round(rnorm(n), 3), 3), 0.01)
    expect_lt(rate_of(function() round(rnorm(n), 4), 4), 0.01)
    expect_lt(rate_of(function() round(rnorm(n, 0, 0.02), 3), 3), 0.01)
    expect_lt(rate_of(function() round(rnorm(n, 1, 0.005), 4), 4), 0.01)
  }
})

test_that("values without a logarithm are told by no warning", {
  y <- c(-5, stats::qlnorm(1:199 / 200, 3))
  expect_no_warning(
    suppressMessages(perturbed_histogram(
      log(y) ~ 1, data.frame(y), epsilon = 1, bounds = c(1, 1000)
    ))
  )
})
