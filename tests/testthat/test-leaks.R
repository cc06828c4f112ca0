# Marks planted in every place of a confidential file, looked for in whatever
# the package hands out, prints, says or writes.

test_that("the search finds what is there", {
  data <- leak_file()
  bytes <- serialize(leak_objects()$fit, NULL, xdr = TRUE)
  expect_length(found_doubles(bytes, data$y), nrow(data))
  expect_failure(expect_nothing_in(list(data$weight[3]), "a weight"))
  expect_failure(expect_nothing_said("MARKNAME001", "a name"))
  expect_failure(expect_nothing_said(format(data$y[5]), "a value"))
})

test_that("nothing that may leave holds a mark", {
  objects <- leak_objects()
  for (name in names(objects$sets)) {
    sets <- objects$sets[[name]]
    expect_nothing_in(sets, name)
    expect_nothing_in(as.data.frame(sets, set = "all"), name)
    expect_nothing_in(sets[[1]], name)
    expect_nothing_in(summary(sets), name)
    expect_nothing_in(guarantee(sets), name)
    expect_nothing_in(to_json(guarantee(sets)), name)
    expect_nothing_in(autoplot(sets), name)
    expect_nothing_in(built_apart(autoplot(sets)), name)
    expect_nothing_in(with(sets, mean(y)), name)
    expect_nothing_in(
      pool(lapply(sets$sets, function(set) {
        fit <- stats::lm(log(y) ~ x, set)
        list(estimate = stats::coef(fit), variance = diag(stats::vcov(fit)))
      })), name
    )
    expect_nothing_said(utils::capture.output(
      print(sets), print(summary(sets)), print(guarantee(sets))
    ), name)
  }
  for (name in c("histogram", "scores")) {
    x <- objects[[name]]
    expect_nothing_in(x, name)
    expect_nothing_in(guarantee(x), name)
    expect_nothing_in(autoplot(x), name)
    expect_nothing_in(built_apart(autoplot(x)), name)
    expect_nothing_said(utils::capture.output(print(x)), name)
  }
  scores <- objects$scores
  for (x in list(
    to_json(scores), summary(scores), confint(scores), coef(scores),
    vcov(scores)
  )) {
    expect_nothing_in(x, "scores")
  }
  for (name in c("weighted", "clipped")) {
    label <- guarantee(objects[[name]], public = TRUE)
    expect_nothing_in(label, name)
    expect_nothing_said(c(to_json(label), utils::capture.output(
      print(label)
    )), name)
  }
})

test_that("a level that only one record has is published as it is, or not", {
  objects <- leak_objects()
  data <- objects$data
  only <- fit_synthesizer(log(y) ~ x, data[c("y", "x", "only")],
    stats::gaussian(),
    prior = prior_normal(), chains = 2, warmup = 200, draws = 1000
  )
  # The formula does not name the column
  expect_nothing_in(synthesize(only), "unused column")
  left <- fit_synthesizer(log(y) ~ . - only - name - weight, data,
    stats::gaussian(),
    prior = prior_normal(), chains = 2, warmup = 200, draws = 1000
  )
  sets <- synthesize(left)
  expect_identical(names(sets[[1]]), c("y", "group", "x"))
  expect_nothing_in(sets, "a column taken out")
  taken <- fit_synthesizer(log(y) ~ x * only - x:only - only, data,
    stats::gaussian(),
    prior = prior_normal(), chains = 2, warmup = 200, draws = 1000
  )
  expect_nothing_in(synthesize(taken), "a term taken out")
})

test_that("no print of what stays inside shows a record", {
  objects <- leak_objects()
  fit <- objects$fit
  weights <- lipschitz_weights(fit)
  risk <- identification_risk(objects$sets$asymptotic, objects$data,
    known = "group", radius = 0.2
  )
  job <- as_pseudo_posterior(objects$sets$asymptotic, list(
    unweighted = fit, lw = objects$weighted
  ))
  shown <- utils::capture.output(
    print(weights), print(summary(weights)), print(freeze(weights)),
    print(lipschitz(fit)), print(summary(lipschitz(fit))), print(risk),
    print(summary(risk)), print(utility(job)),
    print(risk(job, keys = "group")),
    print(replicated_uniques(
      objects$sets$asymptotic, objects$data, c("group", "x")
    ))
  )
  expect_nothing_said(shown, "prints")
  said <- utils::capture.output(
    print(fit), print(summary(fit)), print(guarantee(fit)), print(job),
    print(summary(job))
  )
  expect_nothing_said(said, "fits")
})

test_that("no error, warning or progress line says a value", {
  objects <- leak_objects()
  data <- objects$data
  fit <- objects$fit
  sets <- objects$sets$asymptotic
  v <- data$y
  names <- data$name
  model <- log(y) ~ x
  wrong <- list(
    quote(pseudo_posterior(model, data, gaussian(),
      mechanism = "unweighted", survey_weights = data$y
    )),
    quote(fit_synthesizer(model, data, gaussian(), survey_weights = data$y)),
    quote(compare(model, data, gaussian(), survey_weights = v)),
    quote(compare(model, data, gaussian(),
      grid = data.frame(mechanism = "lw"), survey_weights = v
    )),
    quote(two_stage_weights(model, 1, data = data, family = gaussian(),
      survey_weights = v
    )),
    quote(utility(sets, data, groups = data)),
    quote(utility(sets, data, groups = v)),
    quote(utility(sets, data, groups = names)),
    quote(utility(sets, data, variable = names)),
    quote(identification_risk(sets, data, known = names, radius = 0.1)),
    quote(identification_risk(sets, data, known = "x", radius = v)),
    quote(risk(sets, data, keys = names)),
    quote(replicated_uniques(sets, data, keys = names)),
    quote(count_weights(model, data, radius = 0.1, known = names)),
    quote(compare(model, data, gaussian(), mechanisms = names)),
    quote(fit_synthesizer(data$y ~ x, data, gaussian())),
    quote(fit_synthesizer(model, data, data$y)),
    quote(update(fit, privacy_weights = v)),
    quote(update(fit, privacy_weights = names)),
    quote(update(fit, weights = v)),
    quote(synthesize(fit, newdata = v)),
    quote(synthesize(fit, newdata = data["y"])),
    quote(synthesize(fit, newdata = transform(data, group = names))),
    quote(censor(v)),
    quote(censor(1, reference = data)),
    quote(perturbed_histogram(v, bounds = range(v), epsilon = 1)),
    quote(perturbed_histogram(v, bounds = v, epsilon = 1)),
    quote(topcode(y ~ x, data, top = v)),
    quote(score_release(model, data, epsilon = 1, reference = data)),
    quote(release(sets, names, data = data)),
    quote(release(sets, tempfile(), names, data = data)),
    quote(ledger(names, 1)),
    quote(guarantee(data)),
    quote(lipschitz(v)),
    quote(pool(v)),
    quote(public_response(levels = names)),
    quote(sampler_control(names)),
    quote(read_ce(tempfile(), income = names)),
    quote(read_sdr(tempfile(), variables = names)),
    # Records that cannot be modelled
    quote(fit_synthesizer(model, transform(data, y = c(-v[1], v[-1])))),
    quote(fit_synthesizer(model, transform(data, y = c(NA, v[-1])))),
    quote(fit_synthesizer(model, transform(data, y = names))),
    quote(fit_synthesizer(log(y) ~ weight + y2, transform(data, y2 = y),
      gaussian(),
      chains = 1, warmup = 50, draws = 50
    )),
    quote(synthesize(fit_synthesizer(log(y) ~ y2, transform(data, y2 = y),
      gaussian(),
      chains = 1, warmup = 50, draws = 50
    ), allow_unconverged = TRUE)),
    quote(fit_synthesizer(yes ~ x, transform(data, yes = names), bernoulli()))
  )
  printed <- character()
  for (code in wrong) {
    said <- character()
    note <- function(restart) {
      function(condition) {
        said <<- c(said, conditionMessage(condition))
        invokeRestart(restart)
      }
    }
    shown <- utils::capture.output(error <- tryCatch(
      withCallingHandlers(
        {
          eval(code)
          NULL
        },
        warning = note("muffleWarning"), message = note("muffleMessage")
      ),
      error = identity
    ))
    if (!is.null(error)) {
      expect_true(inherits(error, "pseudosynth_error"), info = deparse1(code))
      said <- c(said, conditionMessage(error), deparse(conditionCall(error)))
      # A print is slow: by day one of each function
      if (is_nightly() || !deparse1(code[[1]]) %in% printed) {
        printed <- c(printed, deparse1(code[[1]]))
        said <- c(said, utils::capture.output(print(error)))
      }
      # What a log of the condition would hold: not the calls that led to it
      expect_identical(nrow(error$trace), 0L)
      error$parent <- NULL
      expect_nothing_in(unclass(error)[c(
        "message", "body", "footer", "arg", "found", "reasons", "nearest"
      )], deparse1(code[[1]]))
    }
    expect_nothing_said(c(said, shown), deparse1(code[[1]]))
  }
})

test_that("nothing is left in the temporary folder or the random state", {
  before <- list.files(tempdir(), all.files = TRUE, recursive = TRUE)
  withr::with_seed(1, {
    state <- .Random.seed
    data <- leak_file()
    fit <- fit_synthesizer(log(y) ~ group + x, data, stats::gaussian(),
      prior = prior_normal(), chains = 2, warmup = 200, draws = 1000
    )
    sets <- synthesize(fit, 2)
    suppressMessages(utility(sets, data))
    invisible(autoplot(sets))
    expect_identical(.Random.seed, state)
  })
  after <- list.files(tempdir(), all.files = TRUE, recursive = TRUE)
  expect_identical(setdiff(after, before), character())
})

test_that("released files hold no mark", {
  skip_if_not_installed("jsonlite")
  objects <- leak_objects()
  for (name in names(objects$sets)) {
    path <- release_to(objects$sets[[name]], c("csv", "rds"),
      data = objects$data
    )
    for (file in dir(path, full.names = TRUE)) {
      connection <- gzfile(file, "rb")
      bytes <- readBin(connection, "raw", 1e7)
      close(connection)
      expect_length(grepRaw("MARK", bytes, fixed = TRUE), 0)
      expect_length(found_doubles(bytes, leak_numbers()), 0)
      if (!grepl("rds$", file)) {
        expect_nothing_said(rawToChar(bytes), file, digits = 15)
      }
    }
  }
})
