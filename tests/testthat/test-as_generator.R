skip_if_not_installed("jsonlite")

some_people <- function(n = 50) {
  privacy_data()[rep(1:25, length.out = n), c("age", "earner")]
}

test_that("a generator draws what the model draws, without the file", {
  fit <- release_fit()
  generator <- as_generator(fit, m = 3)
  expect_s3_class(generator, "synthesis_generator")
  expect_identical(dim(generator$draws), c(3L, ncol(fit$draws)))
  # Each is a draw of the fit, another one each time
  at <- match(
    apply(generator$draws, 1, toString), apply(fit$draws, 1, toString)
  )
  expect_false(anyNA(at))
  expect_length(unique(at), 3)
  people <- some_people()
  by_generator <- synthesize(generator, 2, newdata = people, seed = 4)
  spec <- newdata_spec(fit, people)
  values <- synthesize_(
    spec, fit$draws[at[1:2], ], seed_words(4, "synthesize"), 0L
  )
  # Published rows are in random order
  truth <- data.frame(
    # Whole, as in the set: the text of 2e6 is another
    income = as.integer(pmin(pmax(round(exp(values[, 2])), 1), 2e6)),
    people[c("age", "earner")]
  )
  in_order <- function(set) {
    set <- lapply(set[names(truth)], as.character)
    set[] <- lapply(set, `[`, do.call(order, unname(set)))
    set
  }
  expect_equal(in_order(by_generator[[2]]), in_order(truth))
  # After saving, in another session
  file <- withr::local_tempfile(fileext = ".rds")
  saveRDS(generator, file)
  code <- sprintf(
    ".libPaths(%s); library(pseudosynth); g <- readRDS(%s)
     s <- synthesize(g, 2, newdata = readRDS(%s), seed = 4)
     saveRDS(s, %s)", deparse1(.libPaths()), deparse(file),
    deparse(paste0(file, ".people")), deparse(paste0(file, ".sets"))
  )
  saveRDS(people, paste0(file, ".people"))
  withr::defer(unlink(paste0(file, c(".people", ".sets"))))
  system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)))
  expect_identical(
    unclass(readRDS(paste0(file, ".sets")))$sets, unclass(by_generator)$sets
  )
})

test_that("it costs m draws, and what is drawn from it nothing more", {
  book_file <- withr::local_tempfile(fileext = ".ledger")
  book <- ledger(book_file, 5)
  generator <- as_generator(release_fit(), m = 2, ledger = book)
  label <- guarantee(generator)
  expect_identical(label$label, "strict")
  expect_equal(label$epsilon$total[["add-remove"]], 4)
  expect_equal(as.data.frame(book)$spent, 4)
  expect_output(print(label), "no\\s+additional\\s+privacy\\s+cost")
  first <- synthesize(generator, 2, newdata = some_people())
  second <- synthesize(generator, 1, newdata = some_people(20))
  expect_identical(guarantee(first)$charges, label$charges)
  expect_identical(guarantee(second)$charges, label$charges)
  expect_equal(
    total_charges(join_charges(
      ledger_charges(book), guarantee(first)$charges,
      guarantee(second)$charges, label$charges
    ))$epsilon[["add-remove"]], 4
  )
  # Other draws are charged anew
  expect_error(
    as_generator(release_fit(), ledger = book),
    class = "pseudosynth_error_budget"
  )
  other <- as_generator(release_fit())
  expect_false(any(guarantee(other)$charges$id %in% label$charges$id))
  # What was drawn from it leaves under it
  path <- withr::local_tempdir()
  sets <- synthesize(generator, 2, newdata = privacy_data())
  made <- release(sets, file.path(path, "out"),
    data = privacy_data(), require = "strict", ledger = book, epsilon = 4
  )
  expect_true("set-1.csv" %in% made$file)
})

test_that("what a generator does not hold it does not give", {
  generator <- as_generator(release_fit(), m = 2)
  people <- some_people()
  expect_error(
    synthesize(generator, 3, newdata = people),
    class = "pseudosynth_error_privacy"
  )
  for (code in list(
    quote(synthesize(generator)),
    quote(synthesize(generator, newdata = people["age"])),
    quote(synthesize(generator, newdata = people, bounds = c(1, 10))),
    quote(synthesize(generator, newdata = people, assignment = "posterior")),
    quote(synthesize(generator, newdata = people, ledger = 1)),
    quote(as_generator(1)), quote(as_generator()),
    quote(as_generator(release_fit(), m = 1e6)),
    quote(as_generator(release_fit(), m = 0)),
    quote(as_generator(release_fit(), data = 1)),
    quote(as_generator(release_fit(), public = 1)),
    quote(as_generator(release_fit(), ledger = "book")),
    quote(as_generator(perturbed_histogram(income ~ 1, privacy_data(),
      bounds = c(1, 2e6), epsilon = 1
    )))
  )) {
    expect_error(eval(code), class = "pseudosynth_error_input")
  }
  edited <- generator
  edited$draws[1, 1] <- 0
  expect_error(
    synthesize(edited, newdata = people),
    class = "pseudosynth_error_edited"
  )
  expect_identical(guarantee(edited)$label, "none")
  expect_error(
    as_generator(unweighted_fit(), allow_unconverged = NA),
    class = "pseudosynth_error_input"
  )
})

test_that("no mark of the file is in a generator of any fit", {
  objects <- leak_objects()
  data <- objects$data
  clean <- droplevels(data)
  formula <- log(y) ~ group + x
  reference <- list("(Intercept)" = 10, sigma = 1)
  secret <- data$y
  clipped <- fit_synthesizer(formula, clean, stats::gaussian(),
    prior = prior_normal(), chains = 2, warmup = 200, draws = 1000,
    censor = censor(2, reference = reference)
  )
  weighted <- fit_synthesizer(formula, clean, stats::gaussian(),
    prior = prior_normal(), chains = 2, warmup = 200, draws = 1000,
    privacy_weights = lipschitz_weights(objects$fit)
  )
  mixture <- suppressWarnings(fit_synthesizer(formula, clean,
    normal_mixture(2),
    chains = 2, warmup = 200, draws = 200
  ))
  generators <- list(
    strict = as_generator(clipped, 2), asymptotic = as_generator(weighted, 2),
    margin = as_generator(clipped, margin = objects$histogram),
    mixture = as_generator(mixture, allow_unconverged = TRUE)
  )
  for (name in names(generators)) {
    generator <- generators[[name]]
    expect_nothing_in(generator, name)
    expect_nothing_said(utils::capture.output(
      print(generator), print(guarantee(generator))
    ), name)
    expect_nothing_in(synthesize(generator, newdata = clean), name)
  }
  expect_true(all(is.na(guarantee(generators$asymptotic)$charges$add_remove)))
  expect_identical(guarantee(generators$mixture)$label, "none")
  expect_output(print(generators$mixture), "not for release")
  # A level that nobody has is published with the factor
  expect_identical(
    levels(
      synthesize(as_generator(objects$clipped), newdata = data)[[1]]$group
    ),
    c("north", "south", "west")
  )
})

test_that("the scan finds what is planted in a generator", {
  local_replaced("new_generator", local({
    made <- new_generator
    function(fit, ...) {
      generator <- made(fit, ...)
      generator$made_by$note <- fit$data$weight[3:5] + fit$data$y[1]
      generator$made_by$own <- log(fit$data$y[7])
      generator$made_by$y <- fit$data$y[9]
      seal(generator)
    }
  }))
  data <- droplevels(leak_file())
  fit <- fit_synthesizer(log(y) ~ group + x, data, stats::gaussian(),
    prior = prior_normal(), chains = 2, warmup = 200, draws = 1000
  )
  error <- expect_error(
    as_generator(fit), class = "pseudosynth_error_found"
  )
  expect_identical(error$rows, 9L)
})

test_that("a job gives a generator of its last fit, margin and bounds", {
  job <- suppressMessages(pseudo_posterior(
    log(income) ~ age + earner, privacy_data(), gaussian(),
    mechanism = "centred", epsilon = 4, bounds = c(10, 2e6),
    reference = list("(Intercept)" = 10.8, sigma = 1), chains = 2,
    warmup = 200, draws = 1000
  ))
  generator <- as_generator(job)
  expect_identical(generator$margin, job$internal$margin)
  ids <- guarantee(generator)$charges$id
  expect_true(job$internal$margin$id %in% ids)
  expect_identical(sum(ids %in% guarantee(job)$charges$id), 1L)
})

test_that("a generator says which order of levels it holds", {
  data <- privacy_data()
  data$by_income <- factor(
    rep(c("a", "b", "c"), length.out = nrow(data)), c("c", "a", "b")
  )
  data$stated <- factor(data$by_income, ordered = TRUE)
  fit <- suppressWarnings(fit_synthesizer(
    log(income) ~ by_income + stated + earner, data, gaussian(),
    prior = prior_normal(), chains = 2, warmup = 100, draws = 100
  ))
  expect_message(
    as_generator(fit, allow_unconverged = TRUE),
    "levels of \"by_income\" is published",
    class = "pseudosynth_message_level_order"
  )
  expect_no_message(
    as_generator(unweighted_fit(), allow_unconverged = TRUE),
    class = "pseudosynth_message_level_order"
  )
})
