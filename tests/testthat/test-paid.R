skip_if_not_installed("jsonlite")

paid_people <- function(n = 120) {
  withr::with_seed(3, data.frame(
    sex = sample(c("f", "m"), n, TRUE),
    area = sample(c("n", "s", "w"), n, TRUE),
    income = round(stats::rlnorm(n, 10), 2),
    rent = round(stats::rlnorm(n, 6), 2)
  ))
}

paid_plan <- function() {
  file_plan(paid_people(), codebook(data.frame(
    column = names(paid_people()),
    type = c("category", "category", "amount", "amount"),
    levels = c("f|m", "n|s|w", "", ""), lower = c(NA, NA, 1, 1),
    upper = c(NA, NA, 1e6, 1e5), digits = c(NA, NA, 2, 2),
    transform = c("", "", "log", "log")
  )))
}

new_paid_book <- function(frame = parent.frame()) {
  path <- withr::local_tempfile(.local_envir = frame)
  ledger(path, 20, delta = 1e-6)
}

paid_reference <- list("(Intercept)" = 10, sigma = 1)

#' What pays, and a function that it calls after the payment
paid_calls <- function() {
  list(
    file = list(
      call = function(...) file_release(paid_plan(), 2, ...),
      late = "new_noisy_release", middle = "noisy_step"
    ),
    score = list(
      call = function(...) {
        score_release(
          log(income) ~ area, paid_people(), epsilon = 1, bounds = c(1, 1e6),
          reference = paid_reference, ...
        )
      },
      late = "new_noisy_release", middle = "noisy_step"
    ),
    levels = list(
      call = function(...) {
        score_release(
          area ~ sex, paid_people(), categorical(), epsilon = 1,
          response = public_response(levels = c("n", "s", "w")), ...
        )
      },
      late = "levels_posterior"
    ),
    histogram = list(
      call = function(...) {
        perturbed_histogram(
          income ~ 1, paid_people(), c(1, 1e6), epsilon = 1, ...
        )
      },
      late = "new_noisy_release"
    ),
    score_job = list(
      call = function(...) {
        pseudo_posterior(
          log(income) ~ area, paid_people(), student_t(), mechanism = "score",
          epsilon = 1, bounds = c(1, 1e6), reference = paid_reference, ...
        )
      },
      late = "build_synthetic_sets", middle = "noisy_step"
    ),
    margin_job = list(
      call = function(..., seed = NULL) strict_job(..., seed = seed),
      late = "build_synthetic_sets"
    )
  )
}

#' The error of a call one of whose functions fails when it is called again
failing <- function(step, call, how = function() stop("lost 90210"), at = 1) {
  original <- get(step, asNamespace("pseudosynth"))
  calls <- 0
  local_replaced(step, function(...) {
    calls <<- calls + 1
    if (calls >= at) how()
    original(...)
  })
  refusal(suppressWarnings(suppressMessages(call())))
}

quiet <- function(code) suppressWarnings(suppressMessages(code))

#' What a release or a job is, without its times
outcome_of_paid <- function(x) {
  if (inherits(x, "pseudo_posterior")) x <- x$synthetic
  x <- unclass(x)
  attributes(x)[c("seal")] <- NULL
  x
}

test_that("what fails after payment comes back, and goes on as if it had not", {
  for (one in paid_calls()) {
    whole <- quiet(one$call(seed = 7))
    for (step in c(one$late, one$middle)) {
      at <- if (identical(step, one$middle)) 2 else 1
      error <- failing(step, function() one$call(seed = 7), at = at)
      expect_s3_class(error, "pseudosynth_error_paid")
      expect_gt(length(error$noise), 0)
      # Whatever failed, its message may hold anything
      expect_no_match(conditionMessage(error), "90210")
      expect_match(conditionMessage(error), "epsilon .* \\(add-remove\\)")
      expect_match(conditionMessage(error$cause), "lost 90210")
      expect_identical(
        outcome_of_paid(quiet(resume(error))), outcome_of_paid(whole)
      )
    }
  }
})

test_that("a ledger is charged once, and its noise is drawn once", {
  calls <- paid_calls()
  for (one in calls[by_night(names(calls), c("file", "score_job"))]) {
    book <- new_paid_book()
    error <- failing(one$late, function() one$call(ledger = book))
    expect_s3_class(error, "pseudosynth_error_paid")
    spent <- as.data.frame(book)$spent
    noise <- error$noise
    # It fails again, and goes on
    again <- failing(one$late, function() resume(error))
    expect_s3_class(again, "pseudosynth_error_paid")
    made <- quiet(resume(error))
    expect_identical(max(as.data.frame(book)$spent), max(spent))
    expect_identical(again$noise[seq_along(noise)], noise)
    expect_identical(error$run$noise[seq_along(noise)], noise)
    expect_identical(
      outcome_of_paid(quiet(resume(again))), outcome_of_paid(made)
    )
    expect_setequal(guarantee(made)$charges$id, ledger_charges(book)$id)
    expect_false(guarantee(made)$reproducible)
  }
})

test_that("what a handler of the user's leaves is kept, and paid for once", {
  # A word after the payment, at which a script may leave
  said <- function(step) {
    original <- get(step, asNamespace("pseudosynth"))
    local_replaced(step, function(...) {
      message("later")
      original(...)
    }, parent.frame())
  }
  calls <- paid_calls()
  for (name in c("file", "score", "histogram", "score_job")) {
    one <- calls[[name]]
    book <- new_paid_book()
    # Of other tests
    left_runs$all <- left_runs$unpaid <- NULL
    local({
      said(one$late)
      leave <- list(
        function() {
          tryCatch(
            suppressWarnings(one$call(ledger = book)), message = identity
          )
        },
        function() {
          tryCatch(withCallingHandlers(
            suppressWarnings(one$call(ledger = book)),
            message = function(m) if (grepl("later", m$message)) stop("mine")
          ), error = identity)
        }
      )
      for (go in leave[by_night(1:2, 2)]) {
        gone <- go()
        spent <- as.data.frame(book)$spent
        if (length(spent) == 0) next
        expect_false(inherits(gone, "pseudosynth_error"))
        expect_match(conditionMessage(refusal(resume(gone))), "no argument")
      }
    })
    spent <- as.data.frame(book)$spent
    expect_gt(length(spent), 0)
    made <- quiet(resume())
    expect_true(inherits(made, "pseudosynth_result"))
    expect_identical(as.data.frame(book)$spent, spent)
    # It has been returned
    while (length(left_runs$all) > 0) quiet(resume())
    expect_match(conditionMessage(refusal(resume())), "has been returned")
  }
})

test_that("each of several runs that were left is kept, and none for another", {
  left_runs$all <- left_runs$unpaid <- NULL
  book <- new_paid_book()
  plan <- paid_plan()
  leave <- function(epsilon) {
    local_replaced("new_noisy_release", function(...) message("later"))
    tryCatch(
      suppressWarnings(file_release(plan, epsilon, ledger = book)),
      message = identity
    )
  }
  for (epsilon in c(1, 1.5)) leave(epsilon)
  expect_identical(nrow(as.data.frame(book)), 2L)
  # What ends before it pays is not answered by another run
  local({
    local_replaced("plan_file_release", function(...) stop("early"))
    expect_error(file_release(plan, 1, ledger = book), "early")
  })
  said <- conditionMessage(refusal(resume()))
  expect_match(said, "ended before it had paid")
  # A ledger that refuses is not the run's
  full <- ledger(withr::local_tempfile(), 0.1, delta = 1e-6)
  expect_s3_class(refusal(quiet(resume(ledger = full))), "pseudosynth_error")
  heard <- expect_message(
    made <- suppressWarnings(resume()), class = "pseudosynth_message_left"
  )
  expect_match(conditionMessage(heard), "1 earlier run is kept")
  expect_identical(made$epsilon, 1.5)
  # What was edited is not what was paid for, and draws nothing
  run <- left_runs$all[[1]]
  before <- run$arguments$plan
  run$arguments$plan$codes[1, 1] <- 3L - run$arguments$plan$codes[1, 1]
  expect_s3_class(refusal(quiet(resume())), "pseudosynth_error_edited")
  run$arguments$plan <- before
  expect_identical(quiet(resume())$epsilon, 1)
  expect_identical(nrow(as.data.frame(book)), 2L)
})

test_that("Ctrl-C after payment is such an error, and before it is Ctrl-C", {
  one <- paid_calls()$file
  book <- new_paid_book()
  error <- failing(
    "noisy_step", function() one$call(ledger = book), rlang::interrupt, at = 3
  )
  expect_s3_class(error, "pseudosynth_error_paid")
  expect_s3_class(error, "pseudosynth_error_interrupt")
  expect_s3_class(quiet(resume(error)), "file_release")
  expect_identical(nrow(as.data.frame(book)), 1L)
  stopped <- tryCatch(
    failing("spend", function() one$call(ledger = book), rlang::interrupt),
    interrupt = function(interrupt) "interrupt"
  )
  expect_identical(stopped, "interrupt")
  expect_identical(nrow(as.data.frame(book)), 1L)
})

test_that("an error of the package keeps its class, message and fields", {
  error <- failing("noisy_step", paid_calls()$file$call, function() {
    abort_input("Nothing fits.", x = "At all.", arg = "plan", rows = 3L)
  })
  expect_s3_class(error, "pseudosynth_error_paid")
  expect_s3_class(error, "pseudosynth_error_input")
  expect_match(conditionMessage(error), "^Nothing fits[.]\nx At all[.]")
  expect_identical(error$arg, "plan")
  expect_identical(error$rows, 3L)
})

test_that("draws of a fit are paid once, too", {
  book <- new_paid_book()
  fit <- release_fit()
  error <- failing(
    "build_synthetic_sets", function() synthesize(fit, m = 2, ledger = book)
  )
  expect_s3_class(error, "pseudosynth_error_paid")
  first <- quiet(resume(error))
  expect_identical(quiet(resume(error))$sets, first$sets)
  expect_identical(nrow(as.data.frame(book)), 1L)
  expect_identical(guarantee(first)$charges$id, ledger_charges(book)$id)
  quiet(synthesize(fit, m = 2, ledger = book))
  expect_identical(nrow(as.data.frame(book)), 2L)
})

# Two copies would draw what is left twice, under one charge
test_that("a copy of the error draws no noise that is left", {
  copy <- function(error) unserialize(serialize(error, NULL))
  call <- paid_calls()$file$call
  error <- failing("noisy_step", call, at = 3)
  refused <- refusal(quiet(resume(copy(error))))
  expect_s3_class(refused, "pseudosynth_error_checkpoint")
  expect_identical(refused$noise, error$noise)
  expect_s3_class(quiet(resume(error)), "file_release")
  # Where nothing is left it is the same release
  late <- failing("new_noisy_release", call)
  expect_identical(quiet(resume(copy(late)))$block, quiet(resume(late))$block)
})

test_that("what was never paid for is not resumed", {
  early <- refusal(file_release(paid_plan(), 1e-4))
  expect_false(inherits(early, "pseudosynth_error_paid"))
  expect_s3_class(refusal(resume(early)), "pseudosynth_error_checkpoint")
  expect_s3_class(
    refusal(resume(simpleError("other"))), "pseudosynth_error_checkpoint"
  )
})

test_that("a job whose disk is full keeps its noise, and its folder goes on", {
  path <- withr::local_tempdir()
  folder <- file.path(path, "job")
  book <- new_paid_book()
  one <- paid_calls()$score_job
  error <- failing(
    "write_kept", function() one$call(ledger = book, checkpoint = folder),
    function() abort_checkpoint("full", class = "pseudosynth_error_write"),
    at = 2
  )
  expect_s3_class(error, "pseudosynth_error_write")
  expect_s3_class(error, "pseudosynth_error_paid")
  spent <- as.data.frame(book)$spent
  made <- quiet(resume(error))
  expect_identical(max(as.data.frame(book)$spent), spent)
  expect_setequal(guarantee(made)$charges$id, ledger_charges(book)$id)
})

# All noise at so many of its standard deviations
local_noise <- function(deviations, frame = parent.frame()) {
  local_replaced("noisy_sums", function(sums, noise, seed, what) {
    sums + deviations * noise$scale
  }, frame)
}

rare_plan <- function() {
  data <- withr::with_seed(1, data.frame(
    a = sample(c("p", "q"), 60, TRUE), b = sample(c("r", "s"), 60, TRUE),
    c = sample(c("t", "u"), 60, TRUE), d = sample(c("0", "1"), 60, TRUE),
    y = rep(c(100, 200, 351, NA), c(1, 1, 1, 57))
  ))
  file_plan(data, codebook(data.frame(
    column = names(data), type = rep(c("category", "amount"), c(4, 1)),
    levels = c("p|q", "r|s", "t|u", "0|1", ""), lower = c(rep(NA, 4), 0),
    upper = c(rep(NA, 4), 1000), digits = c(rep(NA, 4), 0),
    heaps = c(rep("", 4), "100"), missing = c(rep(FALSE, 4), TRUE)
  )))
}

# In version 0.2.0 "leading minor of order 1" after the ledger was charged
test_that("a rare amount with a heap is released, whatever the noise", {
  plan <- rare_plan()
  for (deviations in c(-30, -1, 0, 3)) {
    local_noise(deviations)
    made <- quiet(file_release(plan, 0.3, seed = 1))
    expect_identical(made$means$column, "y")
    expect_true(all(made$means$error > 0))
    expect_output(print(made), "uncertain: the mean of")
    set <- quiet(synthesize(made, seed = 1))[[1]]
    expect_true(all(is.na(set$y) | set$y >= 0 & set$y <= 1000))
  }
})

test_that("a table of four columns is drawn where noise leaves no record", {
  local_noise(-30)
  made <- quiet(file_release(
    rare_plan(), 0.3, tables = list(c("a", "b", "c", "d")), seed = 1
  ))
  four <- as.data.frame(quiet(tables(made, c("a", "b", "c", "d"))))
  expect_identical(nrow(four), 16L)
  expect_true(all(is.finite(four$estimate)))
  # The number of records is noise, too: the least there can be
  expect_equal(sum(four$estimate), 1)
  expect_identical(nrow(quiet(synthesize(made, n = 30, seed = 1))[[1]]), 30L)
})

test_that("a mean that cannot be counted is uncertain, and costs no release", {
  local_replaced("margin_mean", function(...) stop("singular"))
  made <- quiet(file_release(paid_plan(), 2, seed = 7))
  expect_identical(made$means$mean, c(NA_real_, NA_real_))
  expect_identical(made$means$error, c(Inf, Inf))
  expect_identical(
    mean_uncertainty(made$means), c(income = Inf, rent = Inf)
  )
  expect_message(tell_means(made$means), "the mean of `income` by any share")
  expect_output(print(made), "the mean of `rent`\\s+by any share")
})

test_that("a generator that the scan refuses has cost nothing", {
  book <- new_paid_book()
  error <- failing("check_none_found", function() {
    as_generator(release_fit(), ledger = book)
  })
  expect_identical(conditionMessage(error), "lost 90210")
  expect_identical(nrow(as.data.frame(book)), 0L)
})

test_that("remarks on sets that are paid for are part of their run", {
  book <- new_paid_book()
  error <- failing("remarks_of_sets", function() {
    synthesize(release_fit(), ledger = book)
  })
  expect_s3_class(error, "pseudosynth_error_paid")
  expect_s3_class(quiet(resume(error)), "synthetic_data")
  expect_identical(nrow(as.data.frame(book)), 1L)
})

test_that("small odd files fail at nothing that is paid for", {
  seeds <- by_night(1:400, c(24, 51, 112, 1001, 1007, 1012))
  released <- 0
  for (seed in seeds) {
    outcome <- paid_outcome(seed)
    released <- released + (nrow(outcome) > 1)
    failed <- outcome[outcome$outcome == "failed", ]
    expect_identical(nrow(failed), 0L, info = toString(unlist(failed)))
  }
  expect_gte(released, length(seeds) / 3)
})

test_that("an empty folder and a file with gaps are refused by a class", {
  folder <- withr::local_tempdir()
  Sys.chmod(folder, "0700")
  expect_s3_class(refusal(resume(folder)), "pseudosynth_error_checkpoint")
  people <- paid_people()
  made <- quiet(score_release(log(income) ~ area, people,
    epsilon = 1, bounds = c(1, 1e6), reference = paid_reference
  ))
  sets <- quiet(synthesize(made, newdata = people["area"]))
  people$income[3] <- NA
  for (x in list(sets, made)) {
    error <- refusal(quiet(
      pseudosynth::release(x, tempfile(), data = people)
    ))
    expect_s3_class(error, "pseudosynth_error_input")
    expect_identical(error$rows, 3L)
  }
})

test_that("an error that was edited goes on with nothing", {
  other <- file_plan(paid_people(90), paid_plan()$codebook)
  edits <- list(
    function(run) run$arguments$epsilon <- 4,
    function(run) run$arguments$plan <- other,
    function(run) run$charged[[1]][charge_costs[1]] <- 0.1,
    function(run) run$noise[[length(run$noise)]]$noisy[1] <- 7,
    function(run) run$noise <- list()
  )
  for (edit in edits) {
    error <- failing("noisy_step", paid_calls()$file$call, at = 2)
    edit(error$run)
    refused <- refusal(quiet(resume(error)))
    expect_s3_class(refused, "pseudosynth_error_edited")
  }
})

test_that("an error may be resumed again, also in another ledger", {
  call <- paid_calls()$histogram
  error <- failing(call$late, call$call)
  book <- new_paid_book()
  made <- quiet(resume(error, book))
  expect_identical(
    outcome_of_paid(quiet(resume(error)))$counts, outcome_of_paid(made)$counts
  )
  expect_identical(nrow(as.data.frame(book)), 1L)
})
