# Files in databases, and releases of them.

engine_persons <- function(n = 3000) {
  withr::with_seed(1, {
    d <- data.frame(
      "the \"age\"" = sample(18:80, n, TRUE),
      group = sample(c("a", "A", "a ", "it's", "\u00e4\\x"), n, TRUE),
      flag = sample(c("yes", "no"), n, TRUE),
      hours = sample(c(0.1, 20.5, 37.7, 40), n, TRUE), check.names = FALSE
    )
    line <- 0.02 * (d[[1]] - 50) + 0.3 * (d$group == "A")
    d$income <- round(exp(10.6 + line + 0.7 * stats::rt(n, 4)), 2)
    d$visits <- stats::rnbinom(n, mu = exp(1 + line), size = 2)
    d$share <- round(stats::rbeta(n, 3, 4), 4) * 0.9 + 0.05
    d$works <- stats::rbinom(n, 1, stats::plogis(line))
    d$status <- sample(c("one", "two", "three"), n, TRUE)
    d
  })
}

sqlite <- function(..., .local_envir = parent.frame()) {
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(con), envir = .local_envir)
  RSQLite::initExtension(con, "math")
  tables <- list(...)
  for (name in names(tables)) DBI::dbWriteTable(con, name, tables[[name]])
  con
}

# Runs statements whose parts are given one after the other
statements_on <- function(con) {
  function(...) DBI::dbExecute(con, paste(...))
}

released <- function(formula, data, ..., reference = income_reference,
                     bounds = c(10, 2e6), epsilon = 1, seed = 5) {
  suppressWarnings(suppressMessages(score_release(
    formula, data, ..., epsilon = epsilon, reference = reference,
    bounds = bounds, seed = seed
  )))
}
income_reference <- list("(Intercept)" = 10.8, sigma = 1)

# Two calls make two environments of the same terms
bare_release <- function(x) {
  x <- unclass(x)
  design <- unclass(x$design)
  environment(design$terms) <- globalenv()
  x$design <- design
  x
}

expect_same_release <- function(x, y) {
  expect_identical(bare_release(x), bare_release(y))
}

# The tables of a file in parts, every other one in a file that is attached
part_tables <- function(d, part, .local_envir = parent.frame()) {
  con <- sqlite(.local_envir = .local_envir)
  file <- withr::local_tempfile(fileext = ".db", .local_envir = .local_envir)
  DBI::dbExecute(con, sprintf("ATTACH '%s' AS other", file))
  Map(function(rows, k) {
    id <- DBI::Id(
      schema = c("main", "other")[k %% 2 + 1], table = paste0("part", k)
    )
    DBI::dbWriteTable(con, id, d[rows, , drop = FALSE])
    dplyr::tbl(con, id)
  }, unname(split(seq_len(nrow(d)), part)), seq_along(unique(part)))
}

parts_of <- function(d, part, .local_envir = parent.frame()) {
  united(part_tables(d, part, .local_envir))
}

united <- function(tables) Reduce(dplyr::union_all, tables)

# Copies of the income, each in its own way
copies <- function(n = 1500) {
  d <- engine_persons(n)
  # Met more than once: a column has at most half as many values as records
  d$income <- round(exp(round(log(d$income), 2)), 2)
  d$text <- sprintf("%.2f EUR", d$income)
  d$unit <- -d$income / 1000
  d$rank <- match(d$income, sort(unique(d$income)))
  d$logarithm <- round(log(d$income), 4)
  d
}

expect_copy <- function(release) {
  expect_error(release, class = "pseudosynth_error_copied_response")
}

refused_copy <- function(formula, data, ...) {
  expect_copy(released(formula, data, ...))
}

# Of a table with the records of engine_persons(), a model of each family
expect_releases_of_frame <- function(
    table, d, few = dplyr::filter(table, .data$hours > 30), which = TRUE) {
  count <- list("(Intercept)" = 1, size = 2)
  flat <- list("(Intercept)" = 0)
  cases <- list(
    list(log(income) ~ `the "age"` + group + flag, student_t()),
    list(log(income) ~ group * flag + I(`the "age"`^2) + hours,
      stats::gaussian(), response = public_response(digits = 2)),
    list(sqrt(income) ~ hours, student_t(), bounds = NULL,
      reference = list("(Intercept)" = 200, sigma = 100)),
    list(income ~ group, stats::gaussian(), delta = 0,
      reference = list("(Intercept)" = 50000, sigma = 40000),
      response = public_response(bounds = c(100, 1e6))),
    list(visits ~ flag + group, neg_binomial(), reference = count,
      bounds = c(0, 60)),
    list(visits ~ flag + hours, stats::poisson(), reference = count[1],
      bounds = NULL),
    list(share ~ flag + group, beta_response(c(0, 1)), bounds = NULL,
      reference = list("(Intercept)" = 0, precision = 3)),
    list(works ~ flag + group, bernoulli(), reference = flat, bounds = NULL),
    list(flag ~ group, bernoulli(), reference = flat, bounds = NULL,
      response = public_response(levels = c("no", "yes"))),
    list(status ~ flag + group, categorical(), reference = NULL,
      bounds = NULL,
      response = public_response(levels = c("one", "two", "three"))),
    list(log(income) ~ 1, student_t())
  )
  for (case in cases[which]) {
    of <- function(data) {
      do.call(released, c(list(case[[1]], data), case[-1]))
    }
    whole <- of(d)
    expect_same_release(of(table), whole)
    expect_same_release(of(few), of(d[d$hours > 30, ]))
  }
  whole
}

# Releases of a table are of one moment, whatever another connection does
expect_one_moment <- function(con, other, d) {
  plain <- asked
  local_replaced("asked", function(con, query, most = -1) {
    found <- plain(con, query, most)
    # Once the combinations are counted
    if ("n" %in% names(found)) {
      DBI::dbExecute(other, "UPDATE persons SET income = income * 2")
      DBI::dbExecute(other, "DELETE FROM persons WHERE hours > 30")
    }
    found
  })
  table <- dplyr::tbl(con, "persons")
  expect_same_release(
    released(log(income) ~ flag, table), released(log(income) ~ flag, d)
  )
  # A transaction of the user's own is left as it is
  DBI::dbBegin(con)
  DBI::dbExecute(con, "CREATE TABLE mine (x INTEGER)")
  expect_error(
    released(log(income) ~ flag, table), "transaction of its own",
    class = "pseudosynth_error_engine"
  )
  DBI::dbCommit(con)
  expect_true(DBI::dbExistsTable(con, "mine"))
}

works_of <- function(formula, data) {
  released(formula, data, family = bernoulli(), bounds = NULL,
    reference = list("(Intercept)" = 0)
  )
}

status_of <- function(formula, data) {
  released(formula, data, family = categorical(), bounds = NULL,
    reference = NULL,
    response = public_response(levels = c("one", "two", "three"))
  )
}

# None of the answers that a release asks for has an income of these records
expect_no_income_asked <- function(data, d, least) {
  results <- list()
  plain <- asked
  local_replaced("asked", function(...) {
    found <- plain(...)
    results <<- c(results, list(found))
    found
  })
  released(log(income) ~ flag + group, data, epsilon = 10)
  expect_gt(length(results), least)
  own <- c(d$income, log(d$income))
  for (found in results) {
    numbers <- unlist(Filter(is.numeric, as.list(found)))
    expect_false(any(numbers %in% setdiff(own, 0:5000)))
    expect_false("income" %in% names(found) && nrow(found) > 0)
  }
}

# Levels that engines may read in another way, and both zeros
odd_persons <- function(n = 900) {
  d <- engine_persons(n)
  withr::with_seed(2, {
    d$text <- sample(c(
      "", "a\rb", "a\nb", "it's \"q\"", "\\", "\u00e4", "\u00c4", "NULL"
    ), n, TRUE)
    d$number <- sample(c(0, -0, 1, -1e-300, 1e15, 0.1 + 0.2, 1 / 3), n, TRUE)
    d$none <- ifelse(stats::runif(n) < 0.5, -0, d$visits)
    # Hardly any of them twice
    d$many <- round(exp(stats::rnorm(n, 15, 5)))
  })
  d
}

expect_odd_releases_of_frame <- function(table, d) {
  counts <- list("(Intercept)" = 1)
  for (formula in list(
    visits ~ text * number, visits ~ I(number^2) + text, visits ~ 1,
    none ~ text, many ~ text
  )) {
    of <- function(data) {
      released(formula, data, stats::poisson(), reference = counts,
        bounds = NULL
      )
    }
    expect_same_release(of(table), of(d))
  }
  expect_same_release(
    released(log(income) ~ text + number, table),
    released(log(income) ~ text + number, d)
  )
}

# Sums stay whole numbers where a row stands for very many records
expect_sums_of_many <- function(con, backend) {
  DBI::dbWriteTable(con, "few", data.frame(
    g = c("a", "a", "b", "b", "b"), y = c(9, 0.25, -9, 0.25, 3)
  ))
  column <- function(name, type) {
    sql_column(backend, quoted_column(name), type)
  }
  columns <- list(column("g", ""))
  cells <- list(values = list(g = c("a", "b")), n = c(2, 3))
  records <- list(
    from = "few f", columns = columns, variable = column("y", 0),
    numbers = cell_numbers(backend, columns, cells), counted = TRUE
  )
  query <- sql_whole(
    backend, records, "y", data.frame(centre = 0:1, spread = 1, lowest = -1), 1
  )
  each <- sprintf("CAST(%s AS BIGINT) AS n", c("COUNT(*)", "2199023255552"))
  query <- sub(each[1], each[2], query, fixed = TRUE)
  found <- asked(con, query)
  found <- found[order(found$cell), ]
  expect_identical(found$n, 2^41 * c(2, 3))
  expect_identical(found$inside, 2^41 * c(1, 1))
  expect_identical(
    found$q, 2^41 * c(1024 + 256, -1024 - 768 + 1024)
  )
}

# Of whole files ---------------------------------------------------------------

# Columns of all types but dates, which not all engines have
file_persons <- function(n = 900) {
  d <- engine_persons(n)
  d$group[d$group == "a "] <- "b"
  d$visits <- as.integer(d$visits)
  d$share <- round(d$share, 4)
  withr::with_seed(2, {
    for (name in c("flag", "income", "visits")) d[sample(n, 30), name] <- NA
    d$select <- sample(c("x", "y"), n, TRUE)
    d$weight <- round(stats::runif(n, 0.5, 2), 3)
    d$far <- sample(c(1e10, 0.25, 7), n, TRUE)
    d$case <- sprintf("case %d", rep(seq_len(n / 2), each = 2))
    d
  })
}

file_persons_book <- function(d) {
  book <- as.data.frame(draft_codebook(d))
  rownames(book) <- book$column
  book["case", "records"] <- 2L
  book["weight", c("type", "lower", "upper", "transform", "family")] <- c(
    "amount", "0.1", "5", "log", "student_t"
  )
  book$zero[book$column == "weight"] <- FALSE
  book["far", "missing"] <- TRUE
  confirm_codebook(codebook(book))
}

# Chunks of few records, so that a small file has several
local_small_chunks <- function(frame = parent.frame()) {
  local_replaced("least_rows", 100, frame = frame)
  local_replaced("chunk_values", 1000, frame = frame)
}

# Of a table with the records of a data frame, in their order
expect_plans_of_frame <- function(table, d, ...) {
  book <- file_persons_book(d)
  expect_identical(draft_codebook(table), draft_codebook(d))
  of <- function(data) {
    suppressWarnings(file_plan(data, book,
      publish = c("select", "visits"), unit = "case", survey_weights = "weight",
      rules = ~ is.na(income) | visits >= 0, ...
    ))
  }
  whole <- of(d)
  expect_identical(of(table), whole)
  few <- dplyr::filter(dplyr::select(table, -"far"), .data$hours > 30)
  less <- d[d$hours > 30, names(d) != "far"]
  rownames(less) <- NULL
  book <- book[book$table$column != "far", ]
  expect_identical(file_plan(few, book), file_plan(less, book))
  invisible(whole)
}

# A plan is of one moment, whatever another connection does
expect_plan_of_one_moment <- function(con, other, d, book) {
  local_small_chunks()
  whole <- file_plan(d, book)
  plain <- read_column
  changed <- FALSE
  local_replaced("read_column", function(...) {
    if (!changed) {
      DBI::dbExecute(other, "UPDATE persons SET hours = 40")
      DBI::dbExecute(other, "DELETE FROM persons WHERE visits > 2")
    }
    changed <<- TRUE
    plain(...)
  })
  expect_identical(file_plan(dplyr::tbl(con, "persons"), book), whole)
  expect_true(changed)
  expect_lt(
    file_plan(dplyr::tbl(con, "persons"), book)$n_records, nrow(d)
  )
}

# Persons with a gap about the median and about other records
persons_with_gaps <- function() {
  d <- engine_persons(600)
  d$income <- round(d$income) + 0.25
  d
}

# What is said of stated numbers in gaps is what is said of the data frame
expect_numbers_looked_for <- function(data, d) {
  outcome <- function(data, centre) {
    tryCatch({
      released(income ~ flag, data, stats::gaussian(), bounds = NULL,
        reference = list("(Intercept)" = centre, sigma = 40000)
      )
      "released"
    }, error = function(error) class(error)[1])
  }
  income <- sort(d$income)
  # The median, elsewhere between its records, and between others
  gap <- income[300:301]
  numbers <- c(mean(gap), gap[1] + 0.9 * diff(gap), mean(income[410:411]))
  found <- vapply(numbers, outcome, "", data = d)
  expect_length(unique(found), 2)
  expect_identical(vapply(numbers, outcome, "", data = data), found)
}
