skip_if_not_installed("jsonlite")

test_that("a release is sets, codebook and certificate, and nothing else", {
  syn <- leaving_sets()
  path <- tempfile("release")
  made <- release(syn, path, c("csv", "rds"), data = privacy_data())
  withr::defer(unlink(path, recursive = TRUE))
  expect_setequal(left_in(path), c(
    "set-1.csv", "set-2.csv", "set-1.rds", "set-2.rds", "codebook.csv",
    "certificate.json", "certificate.txt"
  ))
  expect_setequal(made$file, left_in(path))
  expect_identical(
    made$sha256, unname(cli::hash_file_sha256(file.path(path, made$file)))
  )
  for (set in 1:2) {
    read <- readRDS(file.path(path, sprintf("set-%d.rds", set)))
    expect_identical(
      sort(read$income), sort(syn[[set]]$income)
    )
    # Rows stay whole, in an order of their own
    key <- function(x) sort(do.call(paste, x))
    expect_identical(key(read), key(syn[[set]]))
    expect_false(identical(read, syn[[set]]))
    expect_identical(names(attributes(read)), c("names", "row.names", "class"))
    text <- read.csv(
      file.path(path, sprintf("set-%d.csv", set)), stringsAsFactors = TRUE
    )
    expect_identical(key(text), key(read))
  }
  # Only what was made is there, and nothing beside it
  expect_length(grep("^[.]release-", left_in(dirname(path))), 0)
})

test_that("the certificate says what the label says and vouches for files", {
  syn <- leaving_sets()
  path <- release_to(syn, data = release_fit())
  read <- jsonlite::fromJSON(file.path(path, "certificate.json"))
  label <- guarantee(syn)
  expect_identical(read$guarantee$label, "strict")
  expect_equal(
    read$guarantee$epsilon$total[["replace"]],
    label$epsilon$total[["replace"]]
  )
  expect_identical(read$guarantee$charges$id, label$charges$id)
  expect_identical(read$model$formula, "log(income) ~ age + earner")
  expect_identical(read$sets, 2L)
  expect_identical(read$published, c("age", "earner"))
  expect_identical(
    read$files$sha256,
    unname(cli::hash_file_sha256(file.path(path, read$files$file)))
  )
  text <- readLines(file.path(path, "certificate.txt"))
  expect_true(all(vapply(read$files$sha256, function(hash) {
    any(grepl(hash, text, fixed = TRUE))
  }, TRUE)))
  expect_match(text, "total 4 for m = 2", all = FALSE)
})

test_that("the codebook has every column and level, and what is synthetic", {
  path <- release_to(leaving_sets(), data = privacy_data(), long = TRUE)
  book <- read.csv(file.path(path, "codebook.csv"))
  expect_identical(unique(book$variable), c("set", "income", "age", "earner"))
  expect_identical(
    unique(book$origin[book$variable == "income"]), "synthetic"
  )
  levels <- book$level[book$variable == "age"]
  expect_identical(levels, levels(leaving_sets()[[1]]$age))
  expect_identical(book$code[book$variable == "age"], seq_along(levels))
  sets <- read.csv(file.path(path, "sets.csv"))
  expect_identical(sets$set, rep(1:2, each = 150))
})

test_that("a column called set leaves the set's number another name", {
  expect_identical(set_column(c("a", "Set")), "synthetic_set")
  expect_identical(
    set_column(c("set", "Synthetic_set", "set_1")), "set_2"
  )
  expect_identical(set_column("a"), "set")
})

test_that("text of any kind comes back from a csv as it was", {
  frame <- data.frame(
    text = c("a,b", "say \"yes\"", "two\nlines", "K\u00f6ln", "", NA),
    number = c(1 / 3, 1e15, -0.1, 1e-300, 123456789.123456789, NA),
    whole = c(100000L, -1L, 0L, NA, 5L, 2147483647L),
    flag = c(TRUE, FALSE, NA, TRUE, TRUE, FALSE),
    check.names = FALSE
  )
  names(frame)[1] <- "a \"name\", quoted"
  file <- withr::local_tempfile()
  write_csv(frame, file)
  read <- read.csv(file,
    check.names = FALSE, na.strings = character(), fileEncoding = "UTF-8",
    colClasses = "character"
  )
  expect_identical(names(read), names(frame))
  expect_identical(read[[1]], c(frame[[1]][1:5], ""))
  expect_identical(as.double(read$number), frame$number)
  expect_identical(as.integer(read$whole), frame$whole)
  expect_identical(as.logical(read$flag), frame$flag)
})

test_that("a csv is the same in every locale", {
  frame <- data.frame(a = c("K\u00f6ln", "b"), b = c(1.5, 1e6))
  files <- c(withr::local_tempfile(), withr::local_tempfile())
  write_csv(frame, files[1])
  withr::with_locale(c(LC_CTYPE = "C", LC_COLLATE = "C"), {
    withr::with_options(list(OutDec = ",", digits = 3, scipen = -9), {
      write_csv(frame, files[2])
    })
  })
  expect_identical(
    unname(cli::hash_file_md5(files[1])), unname(cli::hash_file_md5(files[2]))
  )
})

test_that("Stata and SPSS files keep values, levels and odd names", {
  skip_if_not_installed("haven")
  data <- data.frame(
    y = stats::runif(60, 1, 99), check = rep(c(TRUE, FALSE), 30)
  )
  data[["a b"]] <- factor(rep(c("low \u00fc", "high", "none"), 20))
  data[["A_B"]] <- rep(1:6, 10)
  data[["byte"]] <- rep(c("p", "q"), 30)
  syn <- histogram_sets(data)
  path <- release_to(syn, c("dta", "sav"), data = data)
  book <- read.csv(file.path(path, "codebook.csv"))
  for (format in c("dta", "sav")) {
    reader <- if (format == "dta") haven::read_dta else haven::read_sav
    read <- reader(file.path(path, paste0("set-1.", format)))
    expect_identical(names(read), c("y", "check", "a_b", "A_B_2", "v_byte"))
    expect_identical(unique(book$name_in_dta_and_sav), names(read))
    expect_identical(sort(as.vector(read$y)), sort(syn[[1]]$y))
    expect_identical(
      sort(as.character(haven::as_factor(read$a_b))),
      sort(as.character(data[["a b"]]))
    )
    expect_identical(attr(read$a_b, "label"), "a b")
  }
})

test_that("parquet files give back what was written", {
  skip_if_not_installed("nanoparquet")
  syn <- leaving_sets()
  path <- release_to(syn, "parquet", data = privacy_data())
  read <- nanoparquet::read_parquet(file.path(path, "set-1.parquet"))
  expect_identical(sort(read$income), sort(syn[[1]]$income))
  expect_identical(sort(as.character(read$age)), sort(as.character(
    syn[[1]]$age
  )))
})

test_that("a format whose package is absent is refused before anything", {
  local_replaced("format_packages", c(dta = "nosuchpackage"))
  folder <- withr::local_tempdir()
  error <- refusal(release(leaving_sets(), file.path(folder, "a"), "dta",
    data = privacy_data()
  ))
  expect_s3_class(error, "pseudosynth_error_input")
  expect_match(conditionMessage(error), "nosuchpackage")
  expect_length(left_in(folder), 0)
})

# Refusals ---------------------------------------------------------------------

not_releasable <- function(x, reason, ...) {
  folder <- withr::local_tempdir()
  error <- refusal(release(x, file.path(folder, "a"), ...))
  expect_s3_class(error, "pseudosynth_error_not_releasable")
  expect_s3_class(error, "pseudosynth_error_privacy")
  expect_match(error$reasons, reason, all = FALSE)
  expect_length(left_in(folder), 0)
}

test_that("what was made under a seed is refused", {
  seeded <- synthesize(release_fit(), seed = 1)
  not_releasable(seeded, "given seed", data = privacy_data())
  not_releasable(
    synthesize(lw_fit()), "given seed",
    data = privacy_data(), require = "none"
  )
})

test_that("what has not converged is refused whatever is asked for", {
  fit <- release_fit()
  fit$converged <- FALSE
  syn <- synthesize(seal(fit), allow_unconverged = TRUE)
  not_releasable(
    syn, "not converged",
    data = privacy_data(), require = "none"
  )
})

test_that("what was edited is refused whatever is asked for", {
  syn <- leaving_sets()
  syn$sets[[1]]$income[1] <- 5L
  not_releasable(syn, "edited", data = privacy_data(), require = "none")
})

test_that("a label weaker than asked for is refused", {
  data <- privacy_data()
  plain <- fit_synthesizer(
    log(income) ~ age + earner, data, gaussian(),
    prior = prior_normal(), chains = 2, warmup = 200, draws = 500
  )
  none <- synthesize(plain)
  not_releasable(none, "\"none\"", data = data)
  expect_length(left_in(release_to(none, data = data, require = "none")), 4)
  weighted <- update(plain, privacy_weights = lipschitz_weights(plain))
  asymptotic <- synthesize(weighted)
  not_releasable(asymptotic, "\"asymptotic\"", data = data, require = "strict")
  not_releasable(asymptotic, "withheld", data = data, epsilon = 100)
  expect_length(left_in(release_to(asymptotic, data = data)), 4)
  # A job knows what it claims
  job <- as_pseudo_posterior(
    asymptotic, list(unweighted = plain, lw = weighted)
  )
  claimed <- guarantee(job)$epsilon$total[["add-remove"]]
  not_releasable(job, "cost is epsilon", epsilon = claimed * 0.999)
  path <- release_to(job, epsilon = claimed)
  # .. and keeps it: the certificate withholds the number
  text <- unlist(lapply(dir(path, full.names = TRUE), readLines))
  expect_false(any(grepl(format_figure(claimed), text, fixed = TRUE)))
})

test_that("what costs more than asked for is refused, by either relation", {
  syn <- leaving_sets()
  data <- privacy_data()
  not_releasable(syn, "cost is epsilon 4", data = data, epsilon = 3.99)
  not_releasable(syn, "cost is epsilon 8",
    data = data, epsilon = 7.99, neighbours = "replace"
  )
  expect_length(left_in(release_to(syn,
    data = data, epsilon = 8, neighbours = "replace", require = "strict"
  )), 5)
})

test_that("a large delta is refused beside epsilon unless it is asked for", {
  data <- privacy_data()
  sets <- function(delta) {
    release <- suppressWarnings(suppressMessages(score_release(
      log(income) ~ age, data,
      epsilon = 0.5, delta = delta,
      reference = list("(Intercept)" = 10.8, sigma = 1)
    )))
    suppressMessages(synthesize(
      release,
      newdata = data, bounds = c(1, 2e6)
    ))
  }
  loose <- sets(0.1)
  not_releasable(
    loose, "delta 0.1, but `delta` allows", data = data, epsilon = 0.5
  )
  not_releasable(loose, "`delta` allows 0.09", data = data, delta = 0.09)
  expect_length(left_in(release_to(loose,
    data = data, epsilon = 0.5, delta = 0.1
  )), 4)
  expect_length(left_in(release_to(loose, data = data)), 4)
  expect_length(left_in(release_to(sets(1e-6), data = data, epsilon = 0.5)), 4)
})

test_that("other objects, folders and arguments are refused by class", {
  syn <- leaving_sets()
  data <- privacy_data()
  folder <- withr::local_tempdir()
  to <- file.path(folder, "a")
  wrong <- function(...) {
    expect_s3_class(refusal(release(...)), "pseudosynth_error_input")
  }
  wrong(data, to)
  wrong(release_fit(), to)
  wrong(syn, to)
  wrong(syn, to, data = privacy_data()["age"])
  wrong(syn, to, data = unweighted_fit())
  for (of in list(as.complex, function(y) as.list(y))) {
    other <- data
    other$income <- of(data$income)
    wrong(syn, to, data = other)
  }
  wrong(syn, to, data = "a")
  wrong(syn, 5, data = data)
  wrong(syn, file.path(folder, "no", "such"), data = data)
  for (formats in list("xlsx", character(), c("csv", "csv"), 1, NA)) {
    wrong(syn, to, formats, data = data)
  }
  wrong(syn, to, data = data, require = "best")
  wrong(syn, to, data = data, epsilon = 0)
  wrong(syn, to, data = data, delta = 2)
  wrong(syn, to, data = data, long = NA)
  wrong(syn, to, data = data, public = 1)
  wrong(syn, to, data = data, ledger = "a")
  expect_length(left_in(folder), 0)
  dir.create(to)
  file.create(file.path(to, "b"))
  wrong(syn, to, data = data)
  expect_identical(left_in(to), "b")
  # An empty folder is fine
  unlink(file.path(to, "b"))
  release(syn, to, data = data)
  expect_length(left_in(to), 5)
})

# All or nothing ---------------------------------------------------------------

test_that("a failure at any step leaves nothing behind", {
  for (step in c(
    "write_csv", "file_table", "write_certificate", "check_none_found"
  )) {
    local({
      folder <- withr::local_tempdir()
      local_replaced(step, function(...) stop("no space"))
      error <- refusal(release(leaving_sets(), file.path(folder, "a"),
        data = privacy_data()
      ))
      expect_s3_class(error, "error")
      if (step != "check_none_found") {
        expect_s3_class(error, "pseudosynth_error_write")
      }
      expect_length(left_in(folder), 0)
    })
  }
})

test_that("an interrupt leaves nothing behind", {
  folder <- withr::local_tempdir()
  local_replaced("write_certificate", function(...) rlang::interrupt())
  stopped <- tryCatch(
    release(leaving_sets(), file.path(folder, "a"), data = privacy_data()),
    interrupt = function(e) "interrupted"
  )
  expect_identical(stopped, "interrupted")
  expect_length(left_in(folder), 0)
})

test_that("while it is written nobody else may look, afterwards by the umask", {
  skip_on_os("windows")
  folder <- withr::local_tempdir()
  to <- file.path(folder, "a")
  modes <- NULL
  original <- check_none_found
  local_replaced("check_none_found", function(folder, ...) {
    modes <<- file.info(folder)$mode
    original(folder, ...)
  })
  old <- Sys.umask("027")
  withr::defer(Sys.umask(old))
  release(leaving_sets(), to, data = privacy_data())
  expect_identical(format(modes), "700")
  expect_identical(format(file.info(to)$mode), "750")
  expect_identical(format(file.info(file.path(to, "set-1.csv"))$mode), "640")
})

test_that("columns that tell the file's response do not leave", {
  y <- withr::with_seed(1, stats::runif(300, 1, 99))
  data <- data.frame(y = round(y, 2))
  data$age <- rep(20:69, 6)
  histogram <- perturbed_histogram(
    y ~ 1, data,
    bounds = c(0, 100), epsilon = 1
  )
  for (beside in list(
    data.frame(gross = data$y), data.frame(text = as.character(data$y)),
    data.frame(log = log(data$y)), data.frame(rank = -rank(data$y))
  )) {
    # The file has no such column, whose values would find a set's rows: they
    # are refused because they are distinct
    made <- synthesize(histogram, newdata = beside)
    expect_s3_class(
      refusal(release_to(made, data = data)),
      "pseudosynth_error_distinct_column"
    )
  }
  made <- synthesize(histogram, newdata = data["age"])
  expect_true(dir.exists(release_to(made, data = data)))
})

test_that("what sets are drawn from leaves as sets do, read back and drawn", {
  data <- privacy_data()
  noisy <- suppressWarnings(suppressMessages(score_release(
    log(income) ~ age + earner, data, gaussian(),
    epsilon = 4, reference = list("(Intercept)" = 10.8, sigma = 1),
    bounds = c(10, 2e6)
  )))
  histogram <- perturbed_histogram(log(income) ~ 1, data,
    bounds = c(10, 2e6), epsilon = 1
  )
  generator <- as_generator(release_fit(), m = 2, data = data)
  for (x in list(noisy, histogram, generator)) {
    path <- release_to(x, data = data, require = "strict", epsilon = 5)
    file <- setdiff(dir(path), c("certificate.json", "certificate.txt"))
    expect_match(file, "[.]rds$")
    expect_identical(readRDS(file.path(path, file)), x)
    certificate <- jsonlite::read_json(file.path(path, "certificate.json"))
    expect_identical(certificate$guarantee$label, "strict")
    expect_identical(
      certificate$files[[1]]$sha256,
      cli::hash_file_sha256(file.path(path, file))
    )
    text <- readLines(file.path(path, "certificate.txt"))
    expect_true(any(grepl(certificate$object, text, fixed = TRUE)))
  }
})

test_that("what sets are drawn from is refused as sets are", {
  data <- privacy_data()
  make <- function(...) {
    perturbed_histogram(log(income) ~ 1, data,
      bounds = c(10, 2e6), epsilon = 1, ...
    )
  }
  refused <- function(x, class = "pseudosynth_error_not_releasable", ...) {
    path <- tempfile("release")
    expect_error(release(x, path, data = data, ...), class = class)
    expect_false(file.exists(path))
  }
  refused(make(seed = 1))
  refused(make(noise = "continuous"), require = "strict")
  refused(structure(make(), note = data$income))
  refused(make(), epsilon = 0.5)
  refused(make(), ledger = ledger(withr::local_tempfile(), epsilon = 9))
  refused(make(), formats = "csv", class = "pseudosynth_error_input")
  expect_error(release(make(), tempfile()), class = "pseudosynth_error_input")
  # Values of the file in it, sealed all the same
  data$income[3] <- 54321.98765
  bad <- make()
  bad$noisy[2] <- data$income[3]
  refused(seal(bad), class = "pseudosynth_error_found")
})

test_that("levels that no record has are published and told, tibbles stay", {
  data <- privacy_data()
  levels(data$age) <- c(levels(data$age), "over 120")
  class(data) <- c("tbl_df", "tbl", "data.frame")
  fit <- fit_synthesizer(log(income) ~ age + earner, data, gaussian(),
    prior = prior_normal(1, c(10.8, 2.5)), chains = 2, warmup = 200,
    draws = 1000, response = public_response(digits = 0, bounds = c(1, 2e6)),
    censor = censor(2, reference = list("(Intercept)" = 10.8, sigma = 1))
  )
  path <- file.path(withr::local_tempdir(), "out")
  expect_message(
    release(synthesize(fit), path, c("csv", "rds"), data = data),
    "age (`over 120`)",
    fixed = TRUE, class = "pseudosynth_message_unused_levels"
  )
  book <- read.csv(file.path(path, "codebook.csv"))
  expect_true("over 120" %in% book$level[book$variable == "age"])
  set <- readRDS(file.path(path, "set-1.rds"))
  expect_identical(class(set), c("tbl_df", "tbl", "data.frame"))
  expect_true("over 120" %in% levels(set$age))
  expect_setequal(names(attributes(set)), c("names", "row.names", "class"))
})

test_that("a file of other many records than the sets is said", {
  skip_if_not_installed("jsonlite")
  data <- withr::with_seed(2, data.frame(y = round(stats::runif(400, 1, 90))))
  made <- perturbed_histogram(y ~ 1, data, bounds = c(0, 100), epsilon = 5)
  sets <- synthesize(made)
  leave <- function(data) {
    release(sets, withr::local_tempfile(), data = data)
  }
  expect_message(
    leave(data[1:100, , drop = FALSE]), "times as many records",
    class = "pseudosynth_message_remarks"
  )
  expect_false(any(grepl("as many records", vapply(
    testthat::capture_messages(leave(data)), identity, ""
  ))))
})
