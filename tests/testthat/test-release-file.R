# What leaves from a file release: the sets, the release, their certificate.

released <- function(publish = NULL, formats = c("csv", "rds"), m = 2,
                     frame = parent.frame(), ...) {
  path <- tempfile("release")
  withr::defer(unlink(path, recursive = TRUE), frame)
  sets <- synthesize(canary_release(publish), m)
  release(sets, path, formats, data = canary_file(), ...)
  path
}

test_that("nothing of the file is in any file of a release", {
  skip_if_not_installed("jsonlite")
  for (publish in list(NULL, c("region", "flag"))) {
    path <- released(publish)
    files <- dir(path)
    expect_setequal(files, c(
      "certificate.json", "certificate.txt", "codebook.csv", "set-1.csv",
      "set-1.rds", "set-2.csv", "set-2.rds"
    ))
    for (file in files) {
      bytes <- if (endsWith(file, "rds")) {
        serialize(readRDS(file.path(path, file)), NULL, xdr = FALSE)
      } else {
        bytes_of(file.path(path, file))
      }
      expect_no_canary(bytes, file)
    }
  }
})

test_that("no product holds the file, its frame or a secret size", {
  release <- canary_release(seed = 5)
  sets <- synthesize(release, 2, n = 50, seed = 4)
  files <- data.frame(file = "a", bytes = 1, sha256 = "b")
  found <- utility(sets, canary_file())
  # Made where the file is at hand
  products <- local({
    data <- canary_file()
    secret <- data$wealth
    list(
      release = release, sets = sets, label = guarantee(sets),
      certificate = release_certificate(sets, sets, NULL, files, FALSE),
      object = new_certificate(
        release, files, list(object = "file release"),
        object_columns(release)$synthetic, release$published, NULL
      ),
      frame = as.data.frame(sets), margins = plot(release),
      noise = plot(release, "pairs"), figure = plot(sets),
      beside = plot(sets, data = data), utility = plot(found)
    )
  })
  # By day all figures at once: what they share is searched once
  drawn <- c("margins", "noise", "figure", "beside", "utility")
  groups <- c(as.list(setdiff(names(products), drawn)), list(drawn))
  for (name in by_night(as.list(names(products)), groups)) {
    bytes <- serialize(products[name], NULL, xdr = FALSE)
    expect_no_canary(bytes, toString(name))
    # A column in its order
    code <- canary_file()$income[1:60]
    expect_length(grepRaw(writeBin(code, raw()), bytes, fixed = TRUE), 0)
  }
  public <- products[c("release", "sets", "label", "certificate", "object")]
  for (name in names(public)) {
    expect_false(canary_n %in% numbers_within(public[[name]]), label = name)
  }
  said <- c(
    utils::capture.output(print(release), print(sets), print(guarantee(sets))),
    certificate_lines(products$object, release)
  )
  expect_no_match(said, as.character(canary_n))
  expect_match(said, "N not stated", all = FALSE)
})

test_that("what chance or a bug puts into sets is found", {
  skip_if_not_installed("jsonlite")
  file <- canary_file()
  caught <- function(change, publish = NULL) {
    sets <- synthesize(canary_release(publish), 1)
    sets$sets[[1]] <- change(sets$sets[[1]])
    path <- tempfile("release")
    error <- expect_error(
      release(seal(sets), path, data = file), class = "pseudosynth_error_found"
    )
    expect_false(file.exists(path))
    expect_no_match(conditionMessage(error), "MARK")
    invisible(error)
  }
  # One unrounded amount of the file, whatever its column
  caught(function(set) {
    set$wealth[7] <- file$wealth[40]
    set
  })
  # The rounded amounts of the file that are no heap, rows in any order
  error <- caught(function(set) {
    own <- file$income[file$income %% 100 != 0]
    set$income[sample(nrow(set), length(own))] <- own
    set
  })
  expect_true(all(file$income[error$rows] %% 100 != 0))
  # Text of another column, and a level that no codebook has
  caught(function(set) {
    levels(set$region)[1] <- "MARKID007"
    set
  })
  # In their places, where columns are published
  caught(function(set) {
    set$income <- file$income
    set
  }, c("region", "flag"))
})

test_that("heaps, codes and bounds of a codebook are no secrets", {
  specs <- column_specs(canary_book())
  numbers <- data.frame(
    number = c(123456700, 123456789, 123456700, 2e6, 0.1),
    column = c("income", "income", "wealth", "wealth", "wealth")
  )
  expect_identical(
    not_stated(numbers, specs)$number, c(123456789, 123456700)
  )
})

test_that("values of other draws raise no false alarm", {
  withr::local_seed(2)
  alarms <- vapply(seq_len(by_night(200, 60)), function(i) {
    draw <- function() round(exp(stats::rnorm(2000, 8, 0.8)))
    length(rows_met(draw(), draw(), 1, 1)) > 0
  }, NA)
  expect_identical(sum(alarms), 0L)
  # Half of the values are those of the file
  y <- round(exp(stats::rnorm(2000, 10, 0.8)))
  mixed <- c(y[1:1000], round(exp(stats::rnorm(1000, 10, 0.8))))
  expect_gt(length(rows_met(y, mixed, 1, 1)), 500)
})

test_that("the codebook of a release reads what was written", {
  skip_if_not_installed("jsonlite")
  path <- released(m = 1)
  book <- codebook(file.path(path, "codebook.csv"))
  # As it was stated
  expect_identical(book, book_of(
    canary_book(), setdiff(canary_book()$table$column, "id")
  ))
  csv <- utils::read.csv(file.path(path, dir(
    path, "set.*csv"
  )))
  csv$born <- as.Date(csv$born)
  set <- readRDS(file.path(path, dir(path, "set.*rds")))
  back <- decode_file(file_plan(csv, book))
  expect_identical(set$region, back$region)
  expect_equal(set$income, back$income)
  expect_equal(as.double(set$born), as.double(back$born))
  expect_identical(set$flag, back$flag)
  expect_identical(lapply(set, class), lapply(canary_file()[-1], class))
})

test_that("the certificate states the terms and the charges that were added", {
  skip_if_not_installed("jsonlite")
  path <- released(c("region", "flag"))
  certificate <- jsonlite::read_json(file.path(path, "certificate.json"))
  terms <- certificate$deployment
  expect_setequal(names(terms), c(
    "flavour", "unit", "neighbours", "privacy_loss", "model", "protected",
    "published", "accounting", "implementation", "post_processing",
    "not_covered"
  ))
  for (by in relation_names) {
    loss <- terms$privacy_loss[[by]]
    rho <- sum(vapply(terms$accounting$charges, function(charge) {
      charge$rho[[by]]
    }, 1))
    expect_equal(loss$rho, rho, tolerance = 1e-6)
    expect_equal(loss$mu^2 / 2, rho, tolerance = 1e-6)
    expect_equal(
      loss$epsilon, guarantee(canary_release(c("region", "flag")))$
        epsilon$total[[by]], tolerance = 1e-4
    )
  }
  expect_identical(terms$published, "region, flag, the number of records")
  expect_identical(terms$unit, "a record")
  lines <- readLines(file.path(path, "certificate.txt"))
  expect_match(lines, "NIST SP 800-226", all = FALSE)
  # Figures are not rounded down
  shown <- as.double(format_up(c(1.74101, 0.2)))
  expect_identical(shown, c(1.742, 0.2))
})

test_that("a release leaves without the order of the file, and draws later", {
  skip_if_not_installed("jsonlite")
  x <- canary_release(c("region", "income"))
  file <- canary_file()
  path <- withr::local_tempfile()
  release(x, path, data = file, public = c("region", "income"))
  expect_setequal(
    dir(path), c("file-release.rds", "certificate.json", "certificate.txt")
  )
  saved <- readRDS(file.path(path, "file-release.rds"))
  expect_true(is_sealed(saved))
  expect_identical(guarantee(saved)$label, "strict")
  own <- synthesize(x)[[1]][c("region", "income")]
  moved <- synthesize(saved)[[1]][c("region", "income")]
  expect_false(identical(own, moved))
  sorted <- function(d) d[order(d$region, d$income), ]
  expect_equal(sorted(own), sorted(moved), ignore_attr = "row.names")
  bytes <- serialize(saved, NULL, xdr = FALSE)
  expect_length(
    grepRaw(writeBin(file$income[1:60], raw()), bytes, fixed = TRUE), 0
  )
  # In a fresh session, where the file never was
  text <- sprintf(
    "x <- readRDS('%s'); s <- pseudosynth::synthesize(x, 2); %s",
    normalizePath(file.path(path, "file-release.rds")),
    "cat(length(s), nrow(s[[1]]), pseudosynth::guarantee(s)$label)"
  )
  said <- system2(
    file.path(R.home("bin"), "Rscript"), c("--vanilla", "-e", shQuote(text)),
    stdout = TRUE,
    env = paste0("R_LIBS=", paste(.libPaths(), collapse = ":"))
  )
  expect_identical(said, paste(2, canary_n, "strict"))
  expect_error(as_generator(x), "needs no generator")
})

test_that("what must not leave is refused, and nothing is left behind", {
  skip_if_not_installed("jsonlite")
  file <- canary_file()
  refused <- function(x, class, ..., path = tempfile("release")) {
    expect_error(release(x, path, data = file, ...), class = class)
    if (!dir.exists(path)) expect_identical(left_in(dirname(path)), before)
  }
  before <- left_in(tempdir())
  none <- "pseudosynth_error_not_releasable"
  sets <- synthesize(canary_release(), 1)
  refused(synthesize(canary_release(), seed = 1), none)
  refused(canary_release(seed = 5), none)
  refused(synthesize(canary_release(seed = 5)), none)
  edited <- sets
  edited$sets[[1]]$income[1] <- 1L
  refused(edited, none)
  other <- canary_release()
  other$epsilon <- 0.1
  refused(other, none)
  refused(synthesize(other), none)
  refused(sets, none, epsilon = 0.5, delta = 1e-6)
  refused(sets, none, require = "strict", delta = 1e-9)
  taken <- withr::local_tempdir()
  writeLines("old", file.path(taken, "old"))
  refused(sets, "pseudosynth_error_input", path = taken)
  expect_identical(readLines(file.path(taken, "old")), "old")
  expect_identical(dir(taken), "old")
  before <- left_in(tempdir())
  refused(sets, "pseudosynth_error_input", formats = "doc")
  expect_error(
    release(sets, tempfile()), class = "pseudosynth_error_input"
  )
  expect_error(
    release(sets, tempfile(), data = file[-4]),
    class = "pseudosynth_error_input"
  )
  local_replaced("check_installed", function(packages, arg) {
    if ("haven" %in% packages) abort_input("no haven", arg = arg)
  })
  refused(sets, "pseudosynth_error_input", formats = "dta")
})

test_that("published columns that tell a protected one are refused", {
  skip_if_not_installed("jsonlite")
  file <- canary_file()
  book <- as.data.frame(canary_book())
  book <- codebook(rbind(
    book, transform(book[book$column == "income", ], column = "copy")
  ))
  file$copy <- file$income
  expect_error(
    file_plan(file, book, publish = "copy"),
    class = "pseudosynth_error_copied_response"
  )
  # For a few records another one
  known <- which(!is.na(file$income))
  odd <- known[seq(1, length(known), 40)]
  file$copy[odd] <- rev(file$income[odd])
  x <- suppressWarnings(file_release(
    file_plan(file, book, publish = "copy"), 4
  ))
  for (leaving in list(x, synthesize(x))) {
    expect_error(
      release(leaving, tempfile("release"), data = file),
      class = "pseudosynth_error_privacy"
    )
  }
  expect_error(
    check_published_file(file, synthesize(x), "copy"), NA
  )
})

test_that("every format holds whole files, also one file of all sets", {
  skip_if_not_installed("jsonlite")
  formats <- c("csv", "rds")
  for (format in c("dta", "sav", "parquet")) {
    if (requireNamespace(format_packages[[format]], quietly = TRUE)) {
      formats <- c(formats, format)
    }
  }
  for (long in c(FALSE, TRUE)) {
    path <- released(formats = formats, long = long)
    sets <- dir(path, "^set")
    expect_length(sets, length(formats) * if (long) 1 else 2)
    if (long) {
      all <- readRDS(file.path(path, "sets.rds"))
      expect_identical(names(all)[1], "set")
      expect_s3_class(all$born, "Date")
      expect_identical(levels(all$region), levels(canary_file()$region))
    }
  }
})

test_that("stated days, padded codes and unused levels are nobody's", {
  skip_if_not_installed("jsonlite")
  n <- 60
  file <- withr::with_seed(3, data.frame(
    when = as.POSIXct("2020-01-01 08:00:00", tz = "UTC") +
      round(c(60, 86400 + stats::runif(n - 1) * 86400 * 300)),
    # Numbers of 4 digits, padded, of which the certificate has some
    case = factor(sprintf("%6d", 1001:1060), sprintf("%6d", 1:9999)),
    x = rep(1:6, 10)
  ))
  book <- confirm_codebook(suppressMessages(draft_codebook(file)))
  expect_identical(book$table$type[2], "id")
  made <- suppressMessages(suppressWarnings(
    file_release(file_plan(file, book), 5)
  ))
  path <- withr::local_tempfile()
  suppressMessages(release(synthesize(made), path, data = file))
  expect_true(file.exists(file.path(path, "certificate.txt")))
  # A level that nobody has and that stands there all the same
  secrets <- release_secrets(file, synthesize(made), character())
  secrets$text <- data.frame(text = "nobody01", column = "case")
  folder <- withr::local_tempdir()
  writeLines("x nobody01 y", file.path(folder, "a.csv"))
  found <- tryCatch(check_none_found(folder, secrets), error = identity)
  expect_identical(found$found$records, 0L)
  expect_match(conditionMessage(found), "droplevels")
})

test_that("values of records that trees give are refused, unless public", {
  skip_if_not_installed("jsonlite")
  skip_if_not_installed("rpart")
  file <- withr::with_seed(3, data.frame(
    pay = round(exp(stats::rnorm(400, 9, 1)), 2), g = rep(c("a", "b"), 200)
  ))
  plan <- suppressMessages(file_plan(file, draft_codebook(file)))
  leave <- function(sets, ...) {
    suppressMessages(release(
      sets, withr::local_tempfile(), data = file, require = "none", ...
    ))
  }
  trees <- suppressMessages(synthesize(fit_file(plan, model = "tree")))
  expect_error(
    leave(trees), "model = \"regression\"", class = "pseudosynth_error_found"
  )
  expect_no_error(leave(trees, public = "pay"))
  lines <- suppressMessages(synthesize(fit_file(plan, model = "regression")))
  expect_no_error(leave(lines))
})
