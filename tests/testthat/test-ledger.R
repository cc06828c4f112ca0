skip_if_not_installed("jsonlite")

new_book <- function(epsilon = 10, ..., frame = parent.frame()) {
  path <- tempfile(fileext = ".ledger")
  withr::defer(unlink(c(path, paste0(path, ".lock")), recursive = TRUE), frame)
  ledger(path, epsilon, ...)
}

# Each set costs 1 under add-remove, and its histogram once
histogram <- function(epsilon = 1) {
  perturbed_histogram(y ~ 1, data.frame(y = 1:50 + 0.5),
    bounds = c(0, 100), epsilon = epsilon
  )
}

over <- function(expr) {
  error <- refusal(expr)
  expect_s3_class(error, "pseudosynth_error_budget")
  expect_s3_class(error, "pseudosynth_error_privacy")
  error
}

test_that("costs of parameter draws are summed and what exceeds is refused", {
  book <- new_book(5)
  fit <- release_fit()
  first <- synthesize(fit, m = 2, ledger = book)
  expect_equal(as.data.frame(book)$spent, 4)
  error <- over(synthesize(fit, m = 1, ledger = book))
  expect_equal(c(error$spent, error$total, error$budget), c(4, 6, 5))
  expect_identical(nrow(as.data.frame(book)), 1L)
  expect_identical(
    ledger_charges(book)$id, guarantee(first)$charges$id
  )
  expect_output(print(book), "epsilon 4 of 5 spent \\(add-remove\\), 1")
})

test_that("every call of synthesize() is an entry, and the sums follow", {
  book <- new_book(8)
  for (i in 1:4) synthesize(release_fit(), ledger = book)
  table <- as.data.frame(book)
  expect_identical(table$number, 1:4)
  expect_equal(table$spent, c(2, 4, 6, 8))
  expect_identical(table$synthetic, rep("income", 4))
  expect_identical(
    table$published, rep("age, earner, the number of records", 4)
  )
  expect_identical(table$unit, rep("record", 4))
  expect_identical(table$records, rep(150L, 4))
  expect_length(unique(table$file), 1)
  over(synthesize(release_fit(), ledger = book))
})

test_that("sums that equal the budget but for rounding fit", {
  book <- new_book(0.3)
  for (i in 1:3) synthesize(histogram(0.1), ledger = book)
  expect_gt(sum(rep(0.1, 3)), 0.3)
  expect_equal(as.data.frame(book)$spent[3], 0.3)
  over(synthesize(histogram(1e-6), ledger = book))
})

test_that("the same histogram is paid once, another one again", {
  book <- new_book(2.5)
  same <- histogram()
  for (i in 1:3) synthesize(same, m = 4, ledger = book)
  expect_equal(as.data.frame(book)$spent, c(1, 1, 1))
  synthesize(histogram(), ledger = book)
  expect_equal(as.data.frame(book)$spent[4], 2)
  over(synthesize(histogram(), ledger = book))
})

test_that("noisy counts and sums are charged where they are made", {
  book <- new_book(6, delta = 1e-6)
  data <- privacy_data()
  made <- perturbed_histogram(log(income) ~ 1, data,
    bounds = c(100, 1e7), epsilon = 1, ledger = book
  )
  expect_equal(as.data.frame(book)$spent, 1)
  # What is drawn from it is known to be paid
  synthesize(made, m = 3, ledger = book)
  expect_equal(as.data.frame(book)$spent, c(1, 1))
  sums <- function(epsilon, ...) {
    suppressWarnings(score_release(log(income) ~ age, data,
      epsilon = epsilon, ledger = book, ...,
      reference = list("(Intercept)" = 10.8, sigma = 1)
    ))
  }
  released <- sums(0.5)
  spent <- as.data.frame(book)$spent[3]
  expect_gt(spent, 1)
  synthesize(
    released,
    m = 2, newdata = data, bounds = c(1, 2e6), ledger = book
  )
  expect_equal(as.data.frame(book)$spent[4], spent)
  # The file is marked where it was read
  file <- as.data.frame(book)$file
  expect_identical(is.na(file), c(FALSE, TRUE, FALSE, TRUE))
  expect_identical(file[1], file[3])
  # What does not fit, or has a seed, is not handed out
  over(sums(5))
  over(perturbed_histogram(log(income) ~ 1, data,
    bounds = c(100, 1e7), epsilon = 6, ledger = book
  ))
  expect_s3_class(refusal(sums(0.1, seed = 1)), "pseudosynth_error_privacy")
  expect_identical(nrow(as.data.frame(book)), 4L)
})

test_that("what is protected is known by its values under another name", {
  data <- withr::with_seed(1, data.frame(
    pay = round(exp(stats::rnorm(200, 10)), 2), hours = 1:200 %% 70,
    sex = rep(c("f", "m"), 100)
  ))
  renamed <- data.frame(
    earned = data$pay[200:1], worked = data$hours, gender = data$sex
  )
  books <- list(new_book(10), new_book(10), new_book(10))
  spent <- function(book, formula, data, bounds, ...) {
    histogram <- perturbed_histogram(formula, data,
      bounds = bounds, epsilon = 0.5, ledger = book
    )
    synthesize(histogram, newdata = data[...], ledger = book)
  }
  entries <- function(book) nrow(as.data.frame(book))
  refused <- function(code) {
    error <- expect_error(code, class = "pseudosynth_error_protected")
    expect_no_match(conditionMessage(error), "[0-9]{3}")
  }
  spent(books[[1]], pay ~ 1, data, c(1, 1e6))
  refused(spent(books[[1]], worked ~ 1, renamed, c(-1, 100), "earned"))
  # First published, then protected
  spent(books[[2]], worked ~ 1, renamed, c(-1, 100), "earned")
  n <- entries(books[[2]])
  refused(spent(books[[2]], pay ~ 1, data, c(1, 1e6)))
  expect_identical(entries(books[[2]]), n)
  # Two values say too little
  spent(books[[3]], sex ~ 1, transform(data, sex = (sex == "f") + 0),
    c(-1, 3), "hours"
  )
  spent(books[[3]], pay ~ 1, transform(data, flag = (sex == "f") + 0),
    c(1, 1e6), "flag"
  )
  lines <- readLines(books[[2]]$path)
  expect_false(any(grepl(format(data$pay[1]), lines, fixed = TRUE)))
})

test_that("what one release protects no other publishes", {
  book <- new_book(6, delta = 1e-6)
  data <- privacy_data()
  release <- function(formula, family = student_t(), ...) {
    suppressWarnings(score_release(formula, data, family,
      epsilon = 0.5, ledger = book, ...
    ), classes = "pseudosynth_warning")
  }
  crude <- list("(Intercept)" = 10.8, sigma = 1)
  first <- release(log(income) ~ age, reference = crude)
  expect_identical(
    as.data.frame(book)$published, "age, the number of records"
  )
  levels <- public_response(levels = levels(data$age))
  for (expr in list(
    # Publishes income
    quote(release(age ~ income, categorical(), response = levels)),
    # Income was drawn beside the true age
    quote(release(age ~ 1, categorical(), response = levels))
  )) {
    error <- expect_error(eval(expr), class = "pseudosynth_error_protected")
    expect_s3_class(error, "pseudosynth_error_privacy")
    expect_identical(error$arg, "ledger")
  }
  expect_identical(nrow(as.data.frame(book)), 1L)
  # Sets of the first, and another release of the same column
  synthesize(first, 1, data, bounds = c(1, 2e6), ledger = book)
  release(log(income) ~ 1, reference = crude)
  expect_identical(nrow(as.data.frame(book)), 3L)
})

test_that("a ledger counts in its own relation", {
  book <- new_book(5, neighbours = "replace")
  synthesize(histogram(), ledger = book)
  expect_equal(as.data.frame(book)$spent, 2)
  expect_output(print(book), "replace")
})

test_that("charges of sums are turned into rho and need a delta", {
  data <- privacy_data()
  noisy <- suppressWarnings(score_release(log(income) ~ age, data,
    epsilon = 2, reference = list("(Intercept)" = 10.8, sigma = 1)
  ))
  draw <- function(book, x = noisy) {
    synthesize(x, newdata = data, bounds = c(1, 2e6), ledger = book)
  }
  error <- over(draw(new_book(100)))
  expect_match(conditionMessage(error), "delta")
  book <- new_book(2.5, delta = 1e-6)
  draw(book)
  draw(book)
  # Paid once however much is drawn, at the epsilon of its label
  label <- guarantee(noisy)$epsilon$total[["add-remove"]]
  expect_equal(as.data.frame(book)$spent, c(label, label), tolerance = 1e-9)
  # Two of them cost less than their sum
  other <- suppressWarnings(score_release(log(income) ~ age, data,
    epsilon = 2, reference = list("(Intercept)" = 10.8, sigma = 1)
  ))
  error <- over(draw(book, other))
  expect_gt(error$total, 2.5)
  expect_lt(error$total, 4)
  # A pure epsilon beside them is at most epsilon^2 / 2
  book <- new_book(4, delta = 1e-6)
  draw(book)
  synthesize(histogram(0.5), ledger = book)
  rho <- sum(noisy$charges$rho_add_remove) + 0.5^2 / 2
  expect_equal(as.data.frame(book)$spent[2], zcdp_epsilon(rho, 1e-6))
})

test_that("what has no claim, or a seed, is not taken", {
  book <- new_book()
  refused <- function(expr) {
    error <- refusal(expr)
    expect_s3_class(error, "pseudosynth_error_privacy")
    expect_identical(error$arg, "ledger")
  }
  refused(synthesize(release_fit(), seed = 1, ledger = book))
  refused(synthesize(unweighted_fit(), ledger = book))
  refused(pseudo_posterior(log(income) ~ age, privacy_data(), gaussian(),
    mechanism = "unweighted", seed = 1, ledger = book
  ))
  expect_identical(nrow(as.data.frame(book)), 0L)
})

test_that("a job that will not fit is refused before its first fit", {
  book <- new_book(1)
  local_replaced("run_mechanism", function(...) stop("it was run"))
  over(pseudo_posterior(log(income) ~ age, privacy_data(), gaussian(),
    mechanism = "censor_uw", epsilon = 1.1, ledger = book
  ))
  expect_error(pseudo_posterior(log(income) ~ age, privacy_data(), gaussian(),
    mechanism = "censor_uw", epsilon = 0.9, ledger = book
  ), "it was run")
})

test_that("claimed epsilons count and are said to be claimed", {
  data <- privacy_data()
  plain <- fit_synthesizer(log(income) ~ age, data, gaussian(),
    prior = prior_normal(), chains = 2, warmup = 200, draws = 500
  )
  weighted <- update(plain, privacy_weights = lipschitz_weights(plain))
  book <- new_book(1000)
  synthesize(weighted, m = 2, ledger = book)
  synthesize(histogram(), ledger = book)
  claimed <- guarantee(weighted, 2)$epsilon$total[["add-remove"]]
  expect_equal(as.data.frame(book)$spent, claimed + 0:1)
  expect_output(print(book), "1 of them claimed.*proven ones sum to 1")
})

test_that("release() asks the ledger", {
  book <- new_book()
  recorded <- synthesize(release_fit(), ledger = book)
  folder <- withr::local_tempdir()
  path <- release_to(recorded, data = privacy_data(), ledger = book)
  expect_length(left_in(path), 4)
  error <- refusal(release(leaving_sets(), file.path(folder, "a"),
    data = privacy_data(), ledger = book
  ))
  expect_match(error$reasons, "has not recorded")
})

# The file ---------------------------------------------------------------------

test_that("the file is its owner's, holds a salt and no value of the data", {
  skip_on_os("windows")
  book <- new_book()
  synthesize(release_fit(), ledger = book)
  expect_identical(format(file.info(book$path)$mode), "600")
  lines <- readLines(book$path)
  expect_length(lines, 2)
  entry <- jsonlite::fromJSON(lines[2])
  expect_identical(entry$mechanism, "centred")
  expect_match(entry$file, "^[0-9a-f]{64}$")
  salt <- jsonlite::fromJSON(lines[1])$salt
  other <- new_book()
  expect_false(salt == jsonlite::fromJSON(readLines(other$path))$salt)
  expect_false(file.exists(paste0(book$path, ".lock")))
})

test_that("a ledger is opened again with its own settings, and no others", {
  book <- new_book(3, delta = 1e-5, neighbours = "replace")
  expect_equal(ledger(book$path), book)
  expect_equal(ledger(book$path, 3), book)
  wrong <- function(...) {
    expect_s3_class(refusal(ledger(...)), "pseudosynth_error_input")
  }
  wrong(book$path, 4)
  wrong(tempfile())
  wrong(file.path(tempfile(), "a"), 1)
  wrong(5, 1)
  wrong(tempfile(), -1)
  wrong(tempfile(), 1, delta = 1)
  wrong(tempfile(), 1, neighbours = "both")
  wrong(tempfile(), 1, unit = 3)
  wrong(tempfile(), 1, unit = c(household = 0))
  wrong(tempfile(), 1, unit = c(household = Inf))
  for (name in list(NA, "", " ", "a\nb", "a ")) {
    wrong(tempfile(), 1, unit = structure(3, names = name))
  }
  wrong(tempfile(), 1, unit = c(household = 1e10))
  expect_s3_class(
    refusal(synthesize(release_fit(), ledger = book$path)),
    "pseudosynth_error_input"
  )
})

test_that("lines that were changed, lost or put twice are found", {
  book <- new_book(100)
  for (i in 1:3) synthesize(histogram(), ledger = book)
  lines <- readLines(book$path)
  broken <- function(lines) {
    writeLines(lines, book$path)
    error <- refusal(synthesize(histogram(), ledger = book))
    expect_s3_class(error, "pseudosynth_error_ledger")
    expect_identical(readLines(book$path), lines)
  }
  broken(sub("\"epsilon\":100", "\"epsilon\":1000", lines))
  broken(sub("\"add_remove\":1,", "\"add_remove\":0,", lines))
  broken(lines[c(1, 2, 4)])
  broken(lines[c(1, 2, 4, 3)])
  broken(lines[c(1, 2, 2, 3, 4)])
  broken(lines[-1])
  broken("not a ledger")
  broken(character())
  writeLines(lines, book$path)
  expect_identical(nrow(as.data.frame(book)), 3L)
  unlink(book$path)
  expect_s3_class(
    refusal(synthesize(histogram(), ledger = book)), "pseudosynth_error_ledger"
  )
})

# A killed writer's line had no draw; one that lost bytes later looks the same
test_that("a line cut off at any byte stops all spending until it is mended", {
  book <- new_book(100)
  for (i in 1:2) synthesize(histogram(), ledger = book)
  whole <- readBin(book$path, "raw", 1e5)
  ends <- which(whole == charToRaw("\n"))
  for (cut in round(seq(ends[2] + 1, ends[3] - 2, length.out = 12))) {
    writeBin(whole[seq_len(cut)], book$path)
    expect_identical(nrow(as.data.frame(book)), 1L)
    expect_output(print(book), "cut off and not counted: line 3")
    error <- refusal(synthesize(histogram(), ledger = book))
    expect_s3_class(error, "pseudosynth_error_ledger")
    expect_match(conditionMessage(error), "Line 3 of .* is cut off")
    expect_match(conditionMessage(error), "Look at the file")
    expect_identical(readBin(book$path, "raw", 1e5), whole[seq_len(cut)])
  }
  # Nor does a line that was ended hide it
  writeBin(c(whole[seq_len(ends[3] - 9)], charToRaw("\n")), book$path)
  expect_s3_class(
    refusal(synthesize(histogram(), ledger = book)), "pseudosynth_error_ledger"
  )
  expect_s3_class(
    refusal(pseudo_posterior(log(income) ~ age, privacy_data(), gaussian(),
      mechanism = "censor_uw", epsilon = 0.9, ledger = book
    )), "pseudosynth_error_ledger"
  )
  # Deleted by hand, the ledger goes on
  writeBin(whole[seq_len(ends[2])], book$path)
  synthesize(histogram(), ledger = book)
  expect_equal(as.data.frame(book)$spent, c(1, 2))
  whole <- readBin(book$path, "raw", 1e5)
  # Complete but for its end: it may have been drawn for
  writeBin(whole[seq_len(length(whole) - 1)], book$path)
  expect_equal(as.data.frame(book)$spent, c(1, 2))
  synthesize(histogram(), ledger = book)
  expect_equal(as.data.frame(book)$spent, c(1, 2, 3))
})

test_that("a ledger that cannot be written draws nothing", {
  skip_on_os("windows")
  book <- new_book()
  drawn <- FALSE
  local_replaced("histogram_quantile", function(...) drawn <<- TRUE)
  local_replaced("append_line", function(path, line, ended) {
    abort_ledger("full")
  })
  expect_s3_class(
    refusal(synthesize(histogram(), ledger = book)), "pseudosynth_error_ledger"
  )
  expect_false(drawn)
})

test_that("an entry is complete before anything is drawn", {
  book <- new_book()
  local_replaced("histogram_quantile", function(...) stop("killed"))
  expect_error(synthesize(histogram(), ledger = book), "killed")
  expect_equal(as.data.frame(book)$spent, 1)
  local_replaced("synthesize_", function(...) stop("killed"))
  local_replaced("random_rows", function(...) stop("killed"))
  error <- refusal(synthesize(release_fit(), ledger = book))
  expect_s3_class(error, "pseudosynth_error_paid")
  expect_equal(as.data.frame(book)$spent, c(1, 3))
})

# Processes --------------------------------------------------------------------

test_that("processes at once lose no entry and exceed no budget", {
  skip_on_os("windows")
  book <- new_book(13)
  spend_six <- function() {
    replicate(6, inherits(refusal(
      synthesize(histogram(), ledger = book)
    ), "pseudosynth_error_budget"))
  }
  jobs <- lapply(1:3, function(i) parallel::mcparallel(spend_six()))
  refused <- unlist(parallel::mccollect(jobs))
  expect_identical(sum(!refused), 13L)
  expect_equal(as.data.frame(book)$spent, 1:13)
  expect_length(unique(ledger_charges(book)$id), 13)
  expect_false(file.exists(paste0(book$path, ".lock")))
})

test_that("the lock of a process that was killed is removed", {
  skip_if_not(dir.exists("/proc/self"))
  book <- new_book()
  child <- parallel::mcparallel(
    locked(book$path, function(is_mine) Sys.sleep(60))
  )
  withr::defer({
    tools::pskill(child$pid, tools::SIGKILL)
    suppressWarnings(parallel::mccollect(child))
  })
  wait_for <- function(done) {
    for (i in 1:200) if (done()) break else Sys.sleep(0.02)
    expect_true(done())
  }
  lock <- paste0(book$path, ".lock")
  wait_for(function() file.exists(lock))
  # While it lives it holds
  expect_s3_class(
    refusal(locked(book$path, function(is_mine) 1, patience = 0.2)),
    "pseudosynth_error_locked"
  )
  tools::pskill(child$pid, tools::SIGKILL)
  suppressWarnings(parallel::mccollect(child))
  synthesize(histogram(), ledger = book)
  expect_equal(as.data.frame(book)$spent, 1)
  expect_false(file.exists(lock))
})

test_that("a lock of another machine is removed after a minute", {
  book <- new_book()
  lock <- paste0(book$path, ".lock")
  dir.create(lock)
  writeLines(c("elsewhere 1 1", "x"), file.path(lock, "owner"))
  expect_s3_class(
    refusal(locked(book$path, function(is_mine) 1, patience = 0.1)),
    "pseudosynth_error_locked"
  )
  Sys.setFileTime(lock, Sys.time() - 61)
  expect_true(locked(book$path, function(is_mine) is_mine(), patience = 0.1))
  expect_false(file.exists(lock))
})

test_that("a process that sleeps keeps its lock for as long as it runs", {
  skip_on_os("windows")
  skip_if_not(dir.exists("/proc/self"))
  book <- new_book()
  lock <- paste0(book$path, ".lock")
  child <- parallel::mcparallel(locked(book$path, function(is_mine) {
    Sys.sleep(60)
  }))
  withr::defer({
    tools::pskill(child$pid, tools::SIGKILL)
    suppressWarnings(parallel::mccollect(child))
  })
  for (i in 1:200) if (file.exists(lock)) break else Sys.sleep(0.02)
  tools::pskill(child$pid, tools::SIGSTOP)
  Sys.setFileTime(lock, Sys.time() - 3600)
  expect_s3_class(
    refusal(locked(book$path, function(is_mine) 1, patience = 0.1)),
    "pseudosynth_error_locked"
  )
  expect_true(file.exists(lock))
})

# The lock of a machine that cannot be asked is taken after a minute. Its owner
# wakes before or after it has asked for the lock once more.
test_that("who lost the lock while asleep draws nothing and breaks nothing", {
  for (step in c("check_budget", "seal_line", "append_line")) {
    book <- new_book(100)
    synthesize(histogram(), ledger = book)
    original <- get(step, asNamespace("pseudosynth"))
    awake <- FALSE
    local({
      local_replaced(step, function(...) {
        if (!awake) {
          awake <<- TRUE
          unlink(paste0(book$path, ".lock"), recursive = TRUE)
          synthesize(histogram(), ledger = book)
        }
        original(...)
      })
      expect_s3_class(
        refusal(synthesize(histogram(), ledger = book)),
        "pseudosynth_error_locked"
      )
    })
    expect_equal(as.data.frame(book)$spent, 1:2)
    void <- any(grepl("two processes wrote at once", print_lines(book)))
    expect_identical(void, step != "check_budget")
    synthesize(histogram(), ledger = book)
    expect_equal(as.data.frame(book)$spent, 1:3)
    expect_false(file.exists(paste0(book$path, ".lock")))
  }
})

test_that("a ledger that another process made meanwhile stays", {
  path <- withr::local_tempfile()
  original <- append_line
  first <- NULL
  local_replaced("append_line", function(...) {
    original(...)
    if (is.null(first)) {
      first <<- 1
      unlink(paste0(path, ".lock"), recursive = TRUE)
      first <<- ledger(path, 3)
      synthesize(histogram(), ledger = first)
    }
  })
  # The budget of the other one holds
  expect_s3_class(refusal(ledger(path, 4)), "pseudosynth_error_ledger")
  expect_equal(ledger(path)$epsilon, 3)
  expect_equal(as.data.frame(first)$spent, 1)
  expect_length(dir(dirname(path), basename(path)), 1)
})

# Whom it protects -------------------------------------------------------------

unit_file <- function(n = 90) {
  withr::with_seed(8, data.frame(
    household = rep(seq_len(n / 3), each = 3), firm = rep(seq_len(n / 2), 2),
    sex = sample(c("f", "m"), n, TRUE),
    area = sample(c("n", "s", "w"), n, TRUE),
    income = round(stats::rlnorm(n, 10), 2)
  ))
}

unit_book <- function(records = 3) {
  codebook(data.frame(
    column = names(unit_file()),
    type = c("id", "id", "category", "category", "amount"),
    levels = c("", "", "f|m", "n|s|w", ""), lower = c(NA, NA, NA, NA, 1),
    upper = c(NA, NA, NA, NA, 1e6), digits = c(NA, NA, NA, NA, 2),
    transform = c("", "", "", "", "log"), records = c(records, 2, NA, NA, NA)
  ))
}

unit_release <- function(book, unit = NULL, epsilon = 1, ...,
                         neighbours = "add-remove", records = 3) {
  suppressWarnings(file_release(
    file_plan(unit_file(), unit_book(records), unit = unit, ...), epsilon,
    neighbours = neighbours, ledger = book
  ))
}

# Adding up rho as it is says 1.4 of what has cost a household 3.6
test_that("a release for records counts for all records of a household", {
  book <- new_book(20, delta = 1e-6)
  home <- unit_release(book, "household")
  person <- unit_release(book)
  rho <- function(x) sum(x$charges$rho_add_remove)
  least <- gaussian_epsilon(sqrt(2 * (rho(home) + 9 * rho(person))), 1e-6)
  table <- as.data.frame(book)
  expect_identical(table$unit, c("household", "record"))
  expect_gte(table$spent[2], least)
  expect_lt(table$spent[2], least * 1.01)
  expect_true(any(grepl("one household, at most 3", print_lines(book))))
  # A histogram is pure: its epsilon counts three times, as rho of 3 epsilon
  perturbed_histogram(income ~ 1, unit_file(), c(1, 1e6),
    epsilon = 0.4, ledger = book
  )
  both <- rho(home) + 9 * rho(person) + (3 * 0.4)^2 / 2
  expect_equal(as.data.frame(book)$spent[3], zcdp_epsilon(both, 1e-6))
  # Sets of a release are of its unit, and cost nothing more
  synthesize(home, ledger = book)
  synthesize(person, ledger = book)
  expect_equal(as.data.frame(book)$spent[5], as.data.frame(book)$spent[3])
  expect_identical(as.data.frame(book)$unit[4:5], c("household", "record"))
})

test_that("what was spent for records counts when households follow", {
  book <- new_book(3, delta = 1e-6)
  unit_release(book, epsilon = 1)
  expect_lt(as.data.frame(book)$spent, 1.0001)
  error <- over(unit_release(book, "household", 1))
  expect_match(conditionMessage(error), "household")
  expect_identical(nrow(as.data.frame(book)), 1L)
  # The largest stated size counts
  wide <- new_book(100, delta = 1e-6)
  unit_release(wide, epsilon = 1)
  unit_release(wide, "household", 1)
  three <- as.data.frame(wide)$spent[2]
  unit_release(wide, "household", 0.5, records = 5)
  expect_gt(as.data.frame(wide)$spent[3], 1.3 * three)
})

test_that("a ledger of units is one from its first line", {
  path <- withr::local_tempfile()
  book <- ledger(path, 10, delta = 1e-6, unit = c(household = 3))
  perturbed_histogram(income ~ 1, unit_file(), c(1, 1e6),
    epsilon = 0.5, ledger = book
  )
  expect_equal(as.data.frame(book)$spent, 1.5)
  expect_equal(ledger(path, unit = c(household = 3)), book)
  for (unit in list(c(household = 4), c(firm = 3), 3, c(household = 1.5))) {
    expect_s3_class(refusal(ledger(path, unit = unit)), "pseudosynth_error")
  }
  error <- refusal(unit_release(book, "firm"))
  expect_s3_class(error, "pseudosynth_error_unit")
  expect_s3_class(error, "pseudosynth_error_privacy")
  expect_identical(nrow(as.data.frame(book)), 1L)
  unit_release(book, "household")
})

test_that("units of two names are refused in either order", {
  for (names in list(c("household", "firm"), c("firm", "household"))) {
    book <- new_book(100, delta = 1e-6)
    unit_release(book, names[1])
    expect_s3_class(
      refusal(unit_release(book, names[2])), "pseudosynth_error_unit"
    )
    unit_release(book)
  }
})

test_that("the number of records is protected or published, not both", {
  refused <- function(code) {
    error <- refusal(code)
    expect_s3_class(error, "pseudosynth_error_protected")
    expect_match(conditionMessage(error), "number of records")
  }
  here <- environment()
  secret <- function() {
    book <- new_book(100, delta = 1e-6, frame = here)
    unit_release(book)
    expect_match(as.data.frame(book)$synthetic, "the number of records")
    book
  }
  refused(unit_release(secret(), neighbours = "replace"))
  refused(unit_release(secret(), publish = "area"))
  refused(suppressWarnings(score_release(log(income) ~ 1, unit_file(),
    epsilon = 1, reference = list("(Intercept)" = 10, sigma = 1),
    ledger = secret()
  )))
  # The other way round, and by a set of a release
  for (other in list(
    function(book) unit_release(book, neighbours = "replace"),
    function(book) {
      synthesize(unit_release(NULL, neighbours = "replace"), ledger = book)
    },
    function(book) {
      suppressWarnings(score_release(log(income) ~ 1, unit_file(),
        epsilon = 1, reference = list("(Intercept)" = 10, sigma = 1),
        ledger = book
      ))
    }
  )) {
    book <- new_book(100, delta = 1e-6)
    other(book)
    expect_match(as.data.frame(book)$published, "the number of records")
    refused(unit_release(book))
  }
  # A histogram says nothing of it, and sets of the release have a noisy number
  book <- secret()
  perturbed_histogram(income ~ 1, unit_file(), c(1, 1e6),
    epsilon = 1, ledger = book
  )
  synthesize(unit_release(book), ledger = book)
  expect_identical(nrow(as.data.frame(book)), 4L)
})

# The first form told neither a unit nor, of a whole file, whether N is public
test_that("entries of older form are taken for records and for a secret N", {
  book <- new_book(100, delta = 1e-6)
  home <- unit_release(book, "household")
  lines <- readLines(book$path)
  head <- jsonlite::fromJSON(lines[1])
  entry <- jsonlite::fromJSON(lines[2], simplifyVector = FALSE)
  entry$unit <- entry$check <- NULL
  head$format <- 1L
  head$check <- NULL
  writeLines(c(
    seal_line(head, head$salt), seal_line(entry, head$salt)
  ), book$path)
  before <- as.data.frame(book)
  expect_identical(before$unit, "record")
  expect_match(before$synthetic, "the number of records")
  # Not known to be for a household, it counts three times for one
  unit_release(book, "household")
  expect_gt(as.data.frame(book)$spent[2], 3 * before$spent)
  # Until an entry of the same noise says what it is for
  synthesize(home, ledger = book)
  expect_lt(as.data.frame(book)$spent[3], 3 * before$spent)
})

test_that("costs of a group are k epsilon, k^2 rho, and sums of delta", {
  pure <- charge("a", "a", by_relation(0.5))
  expect_equal(group_charges(pure, 4)$add_remove, 2)
  expect_equal(group_charges(pure, 4)$replace, 4)
  noisy <- charge("b", "b", rho = by_relation(0.1, 0.3), gap = 1e-9)
  expect_equal(group_charges(noisy, 3)$rho_add_remove, 0.9)
  expect_equal(group_charges(noisy, 3)$rho_replace, 2.7)
  expect_equal(group_charges(noisy, 3)$gap, 1e-9)
  loose <- charge("c", "c", by_relation(0.5, 0.5), delta = 1e-6)
  expect_equal(group_charges(loose, 3)$delta, 1e-6 * sum(exp(0.5 * 0:2)))
  # As exact as Gaussian noise of three records is
  mu <- sqrt(2 * 0.9)
  expect_equal(
    gaussian_delta(2, mu), gaussian_delta(2, 3 * sqrt(2 * 0.1))
  )
})

test_that("killed at any step, a process has never two draws for one entry", {
  skip_on_os("windows")
  skip_if_not(dir.exists("/proc/self"))
  book <- new_book(100)
  steps <- c(
    "check_budget", "seal_line", "append_line", "read_ledger", "random_rows",
    "build_synthetic_sets"
  )
  drawn <- 0
  for (step in steps) {
    out <- tempfile()
    child <- parallel::mcparallel({
      original <- get(step, asNamespace("pseudosynth"))
      local_replaced(step, function(...) {
        tools::pskill(Sys.getpid(), tools::SIGKILL)
        Sys.sleep(5)
        original(...)
      })
      saveRDS(synthesize(release_fit(), ledger = book), out)
    })
    suppressWarnings(parallel::mccollect(child))
    expect_false(file.exists(out))
  }
  # Only what was killed after its entry has one
  expect_identical(nrow(as.data.frame(book)), 2L)
  last <- synthesize(release_fit(), ledger = book)
  expect_identical(nrow(as.data.frame(book)), 3L)
  expect_identical(
    tail(ledger_charges(book)$id, 1), guarantee(last)$charges$id
  )
})

# Calls that draw noise under a ledger, by name
noisy_calls <- function() {
  data <- data.frame(
    y = exp(withr::with_seed(1, rnorm(60))), k = rep(1:3, 20),
    n = rep(0:3, 15), g = factor(rep(c("a", "b", "c"), each = 20))
  )
  crude <- list("(Intercept)" = 0, sigma = 1)
  release <- function(...) {
    function(book) score_release(..., epsilon = 0.2, ledger = book)
  }
  list(
    gaussian = release(log(y) ~ k, data, gaussian(),
      reference = crude, bounds = c(0.01, 10)
    ),
    laplace = release(log(y) ~ k, data, gaussian(),
      reference = crude, delta = 0
    ),
    count = release(n ~ k, data, poisson(),
      reference = list("(Intercept)" = 0.5), bounds = c(0, 9)
    ),
    levels = release(g ~ k, data, categorical(),
      response = public_response(levels = c("a", "b", "c"))
    ),
    histogram = function(book) {
      perturbed_histogram(log(y) ~ 1, data,
        bounds = c(0.01, 50), epsilon = 0.2, ledger = book
      )
    },
    job = function(book) {
      pseudo_posterior(log(y) ~ k, data, gaussian(),
        mechanism = "score", epsilon = 0.2, m = 2, reference = crude,
        bounds = c(0.01, 50), ledger = book
      )
    }
  )
}

test_that("the entry is there before noise is drawn", {
  calls <- noisy_calls()
  for (name in names(calls)) {
    book <- new_book(5, delta = 1e-6)
    entries <- NULL
    stopping <- function(...) {
      entries <<- nrow(as.data.frame(book))
      stop("drawn")
    }
    local({
      local_replaced("draw_noise", stopping)
      local_replaced("discrete_laplace", stopping)
      expect_error(suppressWarnings(calls[[name]](book)), "drawn")
    })
    expect_identical(entries, 1L, info = name)
  }
})

test_that("no condition carries noise away before the ledger knows", {
  calls <- noisy_calls()
  book <- new_book(1000, delta = 1e-6)
  drawn <- 0
  draw <- draw_noise
  local_replaced("draw_noise", function(...) {
    drawn <<- drawn + 1
    draw(...)
  })
  times <- by_night(40, length(calls))
  caught <- withr::with_seed(1, for (i in seq_len(times)) {
    before <- c(nrow(as.data.frame(book)), drawn)
    tryCatch(
      calls[[1 + i %% length(calls)]](book),
      condition = function(condition) NULL
    )
    after <- c(nrow(as.data.frame(book)), drawn)
    if (after[2] > before[2]) expect_identical(after[1], before[1] + 1)
  })
  expect_gt(drawn, 0)
  expect_gt(nrow(as.data.frame(book)), times / 2)
})

test_that("a release and its label cost what the ledger wrote beforehand", {
  data <- data.frame(
    y = exp(withr::with_seed(1, rnorm(400))), k = rep(1:4, 100),
    n = withr::with_seed(2, rpois(400, 3))
  )
  for (delta in c(0, 1e-6)) {
    for (neighbours in c("add-remove", "replace")) {
      book <- new_book(100, delta = 1e-6, neighbours = neighbours)
      made <- suppressWarnings(score_release(n ~ k, data, neg_binomial(),
        epsilon = 1, delta = delta, neighbours = neighbours,
        reference = list("(Intercept)" = 1, size = 2), bounds = c(0, 30),
        ledger = book
      ))
      expect_identical(made$charges$id, ledger_charges(book)$id)
      total <- guarantee(made)$epsilon$total
      expect_lte(total[[neighbours]], 1 + 1e-9)
      expect_gt(total[[neighbours]], 0.99)
    }
  }
})

test_that("a ledger without a delta says so before a job does anything", {
  data <- data.frame(y = exp(withr::with_seed(1, rnorm(60))), k = rep(1:3, 20))
  book <- new_book(5)
  said <- 0
  error <- withCallingHandlers(
    refusal(pseudo_posterior(log(y) ~ k, data, gaussian(),
      mechanism = "score", epsilon = 1,
      reference = list("(Intercept)" = 0, sigma = 1), ledger = book
    )),
    message = function(m) said <<- said + 1
  )
  expect_s3_class(error, "pseudosynth_error_budget")
  expect_match(conditionMessage(error), "delta = 0", fixed = TRUE)
  expect_identical(said, 0)
  expect_identical(nrow(as.data.frame(book)), 0L)
})

test_that("a ledger is one file, whatever link leads to it", {
  skip_on_os("windows")
  folder <- withr::local_tempdir()
  link <- file.path(folder, "link")
  real <- file.path(folder, "real.ledger")
  # Also before the file is made, and by a link to a link
  file.symlink("real.ledger", link)
  file.symlink(link, file.path(folder, "again"))
  book <- ledger(link, epsilon = 2)
  expect_identical(book$path, normalizePath(real))
  again <- ledger(file.path(folder, "again"))
  expect_identical(again$path, book$path)
  # Who holds the one holds the other
  synthesize(histogram(), ledger = book)
  over(synthesize(histogram(1.5), ledger = again))
  expect_setequal(dir(folder), c("again", "link", "real.ledger"))
})

test_that("a folder is no ledger", {
  error <- expect_error(
    ledger(withr::local_tempdir()),
    class = "pseudosynth_error_ledger"
  )
  expect_identical(error$arg, "path")
})
