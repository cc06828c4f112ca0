test_that("errors carry their class, the argument and the rows", {
  error <- tryCatch(
    abort_input("No.", arg = "data", rows = 3:4),
    error = identity
  )
  expect_s3_class(error, "pseudosynth_error_input")
  expect_s3_class(error, "pseudosynth_error")
  expect_identical(error$rows, 3:4)
  expect_identical(error$arg, "data")
  expect_no_match(conditionMessage(error), "3")
})

test_that("each kind of error has its own class and the common parent", {
  expect_error(abort_privacy("No."), class = "pseudosynth_error_privacy")
  expect_error(abort_sampler("No."), class = "pseudosynth_error_sampler")
  expect_error(abort_privacy("No."), class = "pseudosynth_error")
  expect_error(abort_input("No.", class = "special"), class = "special")
})

test_that("messages are interpolated where they are written", {
  n <- 2
  expect_error(abort_input("{n} record{?s}."), "2 records")
})

test_that("convergence warnings have their class", {
  expect_warning(
    warn_of("convergence", "Slow."),
    class = "pseudosynth_warning_convergence"
  )
  expect_warning(warn_of("convergence", "Slow."), class = "pseudosynth_warning")
})

test_that("the user's call is blamed", {
  error <- tryCatch(prior_normal(scale = "a"), error = identity)
  expect_identical(error$call, quote(prior_normal()))
  expect_match(conditionMessage(error), "`scale`")
})

test_that("errors of inner calls blame the user's function", {
  outer <- function(x) {
    lapply(x, function(x) tryCatch(check_number(x)))[[1]]
  }
  environment(outer) <- asNamespace("pseudosynth")
  error <- tryCatch(outer("a"), error = identity)
  expect_s3_class(error, "pseudosynth_error_input")
  expect_identical(error$call, quote(outer()))
  expect_identical(error$arg, "x")
  expect_identical(outer(3), 3)
  # Without its arguments, which may hold records
  error <- tryCatch(do.call(outer, list(c("a", "b"))), error = identity)
  expect_null(error$call)
  # Code of the user's that this package runs, and what it is asked for
  theirs <- eval(quote(function(x) fit_synthesizer(x)), globalenv())
  error <- tryCatch(lapply(1, theirs), error = identity)
  expect_identical(error$call, quote(fit_synthesizer()))
  expect_identical(
    tryCatch(blame(theirs(3)), error = identity)$call[[1]], quote(blame)
  )
  # Others' errors pass as they are
  error <- tryCatch((function() blame(stop("other")))(), error = identity)
  expect_identical(class(error), c("simpleError", "error", "condition"))

  error <- tryCatch(
    pseudo_posterior(
      y ~ x, simulated(), gaussian(), "cw",
      radius = -1, chains = 2, draws = 100, warmup = 100, seed = 1
    ) |> suppressWarnings() |> suppressMessages(),
    error = identity
  )
  expect_identical(error$call[[1]], quote(pseudo_posterior))
  expect_match(conditionMessage(error), "radius")
})

test_that("markup that is read once a session reads as cli's own", {
  n <- 2
  text <- "{n} of {.arg data}{?s}, {.fn fit} need {.code y ~ .}, {.cls a}{?s}"
  for (colors in c(1, 256)) {
    withr::local_options(cli.num_colors = colors)
    for (i in 1:2) {
      expect_identical(
        told(list(text), environment())$bullets, cli::format_inline(text)
      )
    }
  }
})

test_that("markup follows themes, palettes and links set in mid-session", {
  text <- "{.arg data} is no {.cls fit}: see {.fn DBI::dbConnect}."
  as_cli <- function() {
    expect_identical(
      told(list(text), environment())$bullets, cli::format_inline(text)
    )
  }
  plain <- as_cli()
  themed <- local({
    cli::cli_div(theme = list(span.fn = list(before = "<<", transform = NULL)))
    as_cli()
  })
  expect_match(themed, "<<", fixed = TRUE)
  expect_identical(as_cli(), plain)
  withr::local_options(cli.num_colors = 256L)
  coloured <- as_cli()
  withr::with_options(list(cli.palette = "dichro"), {
    expect_false(as_cli() == coloured)
  })
  withr::with_options(list(cli.hyperlink = TRUE, cli.hyperlink_help = TRUE), {
    expect_match(as_cli(), "x-r-help", fixed = TRUE)
  })
  expect_identical(as_cli(), coloured)
})

test_that("odd text in messages is kept as it is", {
  error <- expect_error(abort_input(paste("{.arg x}", "\u00e9")))
  expect_match(conditionMessage(error), "x` \u00e9", fixed = TRUE)
  long <- strrep("a", 10001)
  error <- expect_error(abort_input(paste0("{.arg ", long, "}")))
  expect_match(conditionMessage(error), long, fixed = TRUE)
})

test_that("a name that looks like markup is not read", {
  data <- data.frame(y = c(31415.5, 2))
  y <- data$y
  latin <- "caf\xe9 {.arg y}"
  Encoding(latin) <- "latin1"
  for (name in c("{.code y}", "{{.code y}}", "{.arg {y}}", "{{y}}", latin)) {
    error <- expect_error(abort_input("No.", cli_escape(name)))
    expect_match(conditionMessage(error), enc2utf8(name), fixed = TRUE)
    error <- expect_error(abort_input("No {.code y}.", x = "Is {name}."))
    expect_match(conditionMessage(error), enc2utf8(name), fixed = TRUE)
  }
})

test_that("words of other packages are answered by the line that works", {
  data <- privacy_data()
  book <- confirm_codebook(draft_codebook(data))
  plan <- file_plan(data, book)
  answers <- function(code, ..., class = "pseudosynth_error_input") {
    error <- expect_error(code, class = class)
    text <- gsub("\\s+", " ", cli::ansi_strip(conditionMessage(error)))
    for (pattern in c(...)) expect_match(text, pattern, fixed = TRUE)
  }
  answers(
    synthesize(data), "data frame", "synthesize_file(fit)",
    "file_release(file_plan(fit, codebook), epsilon)"
  )
  answers(synthesize(book), "file_release(file_plan(data, fit), epsilon)")
  answers(synthesize(plan), "synthesize(file_release(fit, epsilon))")
  answers(synthesize(small_job()), "fit$synthetic")
  answers(synthesize("file.csv"), "file_release(file_plan(fit, codebook)")
  answers(synthesize(list(a = data, b = data)), "draft_codebook()")
  answers(synthesize(as.matrix(data["income"])), "as.data.frame(fit)")
  answers(
    file_plan(book, data), "It is a codebook", "file_plan(data, codebook)"
  )
  answers(synthesize_file(plan, method = "cart"), "`method`", "`model`")
  answers(
    pseudo_posterior(log(income) ~ ., data, mechanism = "lw", method = "x"),
    "`method`", "`mechanism`"
  )
  answers(
    pseudo_posterior(log(income) ~ ., data, mechanism = "lw", weights = 1),
    "`privacy_weights`", "`survey_weights`"
  )
  answers(file_plan(data, book, weights = "income"), "`survey_weights`")
  # A family of another package that stands before ours of the same name
  masked <- structure(list(family = "student"), class = c("brms", "family"))
  for (family in list(masked, function(link = "identity") masked)) {
    answers(
      fit_synthesizer(log(income) ~ age, data, family),
      "another package", "pseudosynth::student_t()"
    )
  }
})

test_that("names that package posterior keeps are refused before a fit", {
  for (name in c(".draw", ".chain", ".iteration", ".log_weight")) {
    data <- privacy_data()
    data[[name]] <- seq_len(nrow(data))
    error <- expect_error(
      fit_synthesizer(log(income) ~ ., data, gaussian()),
      class = "pseudosynth_error_input"
    )
    expect_match(conditionMessage(error), name, fixed = TRUE)
  }
})

test_that("an infinite value is called so, with what to do", {
  data <- privacy_data()
  book <- confirm_codebook(draft_codebook(data))
  data$income <- as.double(data$income)
  data$income[3] <- Inf
  error <- expect_error(file_plan(data, book), class = "pseudosynth_error")
  expect_match(conditionMessage(error), "1 record with an infinite value")
  expect_match(conditionMessage(error), "cannot state `Inf`", fixed = TRUE)
  expect_identical(error$rows, 3L)
  expect_no_match(conditionMessage(error), "outside")
})

test_that("arguments are looked through only for numbers of many digits", {
  looked <- 0
  local_replaced("given_numbers", function() {
    looked <<- looked + 1
    1234.5
  })
  said <- function(text) told(list("{text}"), environment())$bullets
  expect_identical(said("It is 12, 0.0050 or 1,200 of N1234."), told(list("It is
    12, 0.0050 or 1,200 of N1234."), environment())$bullets)
  expect_identical(looked, 0)
  long <- said("It is 1,234.5.")
  power <- said("It is 1e3 or 1.2345e3.")
  expect_identical(looked, 2)
  expect_match(long, "It is about 1200")
  expect_match(power, "or about 1200")
  # The bullet beside it is read, too
  shown <- 1235
  both <- told(list("Nothing here.", x = "It is {shown}."), environment())
  expect_match(both$bullets[["x"]], "about 1200")
  # The package's own words, and counts
  expect_identical(said("It has 1,234 of 1234 records and 1234 values."),
    "It has 1,234 of 1234 records and 1234 values."
  )
  both <- told(list("Not {shown}, but {own_number}1234.5."), environment())
  expect_identical(both$bullets, "Not about 1200, but 1234.5.")
})

test_that("a call that tells many things is looked through once", {
  # As an exported function's: its environment is the package's
  tells <- function(number, times) {
    vapply(seq_len(times), function(i) {
      told(list("It is {1234 + 0.5} or {6789 + 0.25}."), environment())$bullets
    }, "")
  }
  environment(tells) <- asNamespace("pseudosynth")
  looked <- 0
  all <- argument_numbers
  local_replaced("argument_numbers", function(x, depth = 6) {
    looked <<- looked + (is.list(x) && 1234.5 %in% x)
    all(x, depth)
  })
  expect_identical(unique(tells(1234.5, 5)), "It is about 1200 or 6789.25.")
  expect_identical(looked, 1)
  # The next call has numbers of its own
  expect_identical(tells(6789.25, 1), "It is 1234.5 or about 6800.")
  # An argument that is on its way to a value is asked for again
  nested <- function(number) {
    told(list("It is {1234 + 0.5}."), environment())
    told(list("It is {number}."), environment())$bullets
  }
  environment(nested) <- asNamespace("pseudosynth")
  own <- function() {
    tells(55.5, 1)
    4321.7
  }
  expect_match(nested(own()), "about 4300")
  # What was found goes with the call
  gc()
  expect_identical(sum(vapply(looked_through$calls, function(ref) {
    identical(rlang::wref_key(ref)$number, 1234.5)
  }, NA)), 0L)
})

test_that("no name of the user's is kept with the markup that was read", {
  markcolumn <- "MARKCOLUMN"
  expect_error(
    abort_input(
      "{.code {markcolumn}}, {.fn {markcolumn}}, {.cls {markcolumn}}."
    ),
    "MARKCOLUMN", class = "pseudosynth_error_input"
  )
  expect_length(grep("MARK", ls(known_spans)), 0)
})

test_that("a file that cannot be opened leaves no connection behind", {
  open <- length(getAllConnections())
  nowhere <- file.path(tempfile(), "x")
  expect_null(lines_of(nowhere))
  expect_null(or_else(readRDS(nowhere)))
  expect_false(or_else(put_bytes(raw(3), nowhere, "ab"), FALSE))
  # A process that is gone
  expect_identical(process_start(2^30), NA)
  expect_length(getAllConnections(), open)
  expect_identical(or_else(as.integer("a"), "warned"), "warned")
  expect_identical(or_else(stop("a"), "failed"), "failed")
  expect_silent(or_else(warning("a")))
})

test_that("arguments of very many texts are no obstacle to a message", {
  n <- 10001
  some <- rep_len(c("x", "y", "z"), n)
  expect_null(argument_numbers(some))
  expect_identical(argument_numbers(c("7", "8|9")), c(7, 8, 9))
  data <- data.frame(a = some, b = rep_len(1:5, n))
  book <- suppressMessages(confirm_codebook(
    edit_codebook(draft_codebook(data), a = list(levels = c("x", "y")))
  ))
  expect_error(
    file_plan(data, book), "none of the levels",
    class = "pseudosynth_error_outside"
  )
})
