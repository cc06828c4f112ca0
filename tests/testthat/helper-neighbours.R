# Neighbouring files: what is no noisy sum must not differ between them. Also
# read by tests/faults/neighbours.R, which runs thousands of pairs.
#
# The noisy sums of a file are kept on a tape and played to its neighbour. All
# else of a release, and of its sets, then has to be identical: whatever is not,
# was read from the records in another way.

# A confidential file as text, and the codebook that is stated of it.
random_case <- function(n = sample(12:60, 1), columns = sample(2:4, 1)) {
  pick <- function(x, size = n) sample(x, size, TRUE)
  text <- data.frame(
    plain = pick(c("1", "2")), flag = pick(c("T", "F")), yes = pick(0:1),
    visits = stats::rpois(n, 3),
    whole = sprintf("%.0f", stats::rlnorm(n, 8, 1)),
    cents = sprintf("%.2f", stats::rlnorm(n, 6, 1)),
    free = shortest_text(signif(stats::rnorm(n), 3)),
    born = format(as.Date("1950-01-01") + pick(0:20000))
  )
  log_of <- sample(c("log", "identity"), 2, TRUE)
  book <- data.frame(
    column = names(text),
    type = c(
      "category", sample(c("category", "ordered"), 1), "logical", "count",
      "amount", "amount", "amount", "date"
    ),
    levels = c("1|2|x", "T|F|U", rep("", 6)),
    lower = c("", "", "", "0", "1", "0.01", "-100", "1940-01-01"),
    upper = c("", "", "", "60", "1e6", "1e5", "100", "2020-12-31"),
    digits = c("", "", "", "", "0", "2", "any", ""),
    codes = c("", "", "", "-9", "-9", "", "", ""),
    heaps = c("", "", "", "", sample(c("", "10|100"), 1), "", "", ""),
    outside = c("", "", "", rep("bound", 5)),
    missing = TRUE, zero = FALSE,
    transform = c("", "", "", "", log_of, "identity", ""),
    records = NA
  )
  used <- sort(sample(length(text), columns))
  list(
    text = lapply(text[used], as.character), book = codebook(book[used, ]),
    n = n
  )
}

# What a record may have in place of its value, each of which could move a type,
# an end, a level or the number of decimals of a file.
unusual_values <- list(
  plain = c("x", NA, "1"), flag = c("U", NA, "T"), yes = c("1", NA),
  visits = c("-9", "59", "400", NA),
  whole = c("123.5", "2000000000000", "-9", "12345678", NA),
  cents = c("17", "0.005", "33.333", "1e7", NA),
  free = c("5", "99.123456789", "1e9", NA),
  born = c("1875-03-04", "2019-12-31", NA)
)

# The same file but for one record: a value of it, or all of it
neighbour_text <- function(case) {
  text <- case$text
  change <- sample(c("value", "drop", "add", "clear"), 1, prob = c(7, 1, 1, 1))
  row <- sample(case$n, 1)
  for (name in if (change == "value") sample(names(text), 1)) {
    text[[name]][row] <- sample(unusual_values[[name]], 1)
  }
  if (change == "clear") text <- lapply(text, replace, row, NA)
  if (change == "drop") text <- lapply(text, `[`, -row)
  if (change == "add") {
    text <- Map(c, text, lapply(unusual_values[names(text)], sample, 1))
  }
  text
}

# The ways in which an agency may read such text
file_readers_of <- list(
  csv = function(text, case, con) {
    path <- tempfile(fileext = ".csv")
    on.exit(unlink(path))
    utils::write.csv(
      as.data.frame(text), path, row.names = FALSE, quote = FALSE
    )
    frame <- utils::read.csv(path, na.strings = "NA")
    for (name in intersect("born", names(frame))) {
      frame[[name]] <- as.Date(frame[[name]])
    }
    frame
  },
  # Columns of no type hold what each value is; dates are no type of SQLite's
  sqlite = function(text, case, con) {
    table_of_text(text, con, function(name) {
      switch(name,
        plain = ,
        flag = "TEXT",
        yes = ,
        visits = "INTEGER",
        "NUMERIC"
      )
    })
  },
  # As an agency may have written it from R
  written = function(text, case, con) {
    frame <- file_readers_of$csv(text, case, con)
    # In its way R writes T as 1
    frame[c("born", "flag")] <- NULL
    table_in(con, frame)
  },
  postgresql = function(text, case, con) {
    table_of_text(text, con, function(name) {
      switch(name,
        plain = , flag = "text", yes = , visits = "integer", born = "date",
        whole = "numeric", free = "double precision", "numeric(20,4)"
      )
    })
  }
)

table_in <- function(con, frame, types = NULL) {
  if (DBI::dbExistsTable(con, "persons")) DBI::dbRemoveTable(con, "persons")
  DBI::dbWriteTable(con, "persons", frame, field.types = types)
  dplyr::tbl(con, "persons")
}

table_of_text <- function(text, con, type) {
  frame <- utils::type.convert(as.data.frame(text), as.is = TRUE)
  for (name in intersect(c("plain", "flag"), names(text))) {
    frame[[name]] <- text[[name]]
  }
  sqlite <- inherits(con, "SQLiteConnection")
  if (sqlite) frame$born <- NULL else if (!is.null(frame$born)) {
    frame$born <- as.Date(frame$born)
  }
  types <- vapply(stats::setNames(nm = names(frame)), type, "")
  table_in(con, frame, types)
}

# What leaves: a release, a set of it and all that describes both
released_parts <- function(text, case, reader, con, epsilon = 1) {
  data <- file_readers_of[[reader]](text, case, con)
  names <- if (is.data.frame(data)) names(data) else colnames(data)
  book <- case$book[match(names, case$book$table$column), ]
  plan <- suppressMessages(file_plan(data, codebook(book)))
  release <- suppressMessages(suppressWarnings(
    file_release(plan, epsilon, seed = 1)
  ))
  set <- suppressMessages(synthesize(release, n = 20, seed = 2))
  list(release = release, set = set, label = print_lines(guarantee(set)))
}

# Code with another noisy_sums(), which also the package's functions call
with_taped_sums <- function(f, code) {
  namespace <- asNamespace("pseudosynth")
  own <- get("noisy_sums", namespace)
  put <- function(x) {
    unlockBinding("noisy_sums", namespace)
    assign("noisy_sums", x, namespace)
    lockBinding("noisy_sums", namespace)
  }
  on.exit(put(own))
  put(f(own))
  code
}

# A release with the tape of its noisy sums; `released` makes it
taped <- function(released) {
  tape <- list()
  parts <- with_taped_sums(function(own) {
    function(sums, noise, seed, what) {
      noisy <- own(sums, noise, seed, what)
      tape[[length(tape) + 1]] <<- list(
        noisy = noisy, about = list(noise, what)
      )
      noisy
    }
  }, released())
  list(parts = parts, tape = tape)
}

# The parts of a neighbour's release that are not identical, by name
parts_moved <- function(base, released) {
  place <- 0
  parts <- with_taped_sums(function(own) {
    function(sums, noise, seed, what) {
      place <<- place + 1
      one <- if (place <= length(base$tape)) base$tape[[place]]
      # How many there are, and their noise, is no sum
      same <- length(sums) == length(one$noisy) &&
        identical(one$about, list(noise, what))
      if (!same) stop("sums of another number or noise")
      one$noisy
    }
  }, tryCatch(released(), error = identity))
  # Ctrl-C after payment is an error
  if (inherits(parts, "pseudosynth_error_interrupt")) rlang::interrupt()
  if (inherits(parts, "error")) {
    return(paste("error:", conditionMessage(parts)))
  }
  moved <- Filter(function(name) {
    !identical(base$parts[[name]], parts[[name]])
  }, names(parts))
  within <- if ("release" %in% moved) {
    releases <- lapply(list(base$parts$release, parts$release), unclass)
    Filter(function(name) {
      !identical(releases[[1]][[name]], releases[[2]][[name]])
    }, names(releases[[1]]))
  }
  c(if (place != length(base$tape)) "number of sums", moved, within)
}
