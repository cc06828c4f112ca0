# Small random files with a plan: rare parts, heaps, constants, stated tables,
# units, rules, published columns, survey weights. What a release of them draws
# must do for every noise.

#' One of some values
paid_pick <- function(...) sample(list(...), 1)[[1]]

#' A random column of some records, and its row of the codebook
paid_column <- function(n, name, type = NULL) {
  type <- type %||% sample(
    c("category", "ordered", "logical", "amount", "count", "date"), 1,
    prob = c(3, 1, 1, 4, 2, 1)
  )
  switch(type,
    category = , ordered = paid_category(n, name, type),
    logical = list(
      values = stats::runif(n) < paid_pick(0, 0.02, 0.5, 1),
      row = paid_row(name, type)
    ),
    paid_amount(n, name, type)
  )
}

paid_row <- function(column, type, levels = "", lower = NA, upper = NA,
                     digits = NA, missing = FALSE, codes = "", heaps = "",
                     zero = FALSE, transform = "", family = "",
                     records = NA) {
  data.frame(
    column = column, type = type, levels = levels, lower = as.character(lower),
    upper = as.character(upper), digits = digits, missing = missing,
    codes = codes, heaps = heaps, zero = zero, transform = transform,
    family = family, records = records
  )
}

paid_category <- function(n, name, type) {
  levels <- letters[seq_len(sample(c(1:4, 9), 1))]
  share <- stats::runif(length(levels))^paid_pick(1, 8)
  values <- sample(levels, n, TRUE, share)
  gaps <- stats::runif(1) < 0.2
  if (gaps) values[-1][stats::runif(n - 1) < 0.1] <- NA
  list(
    values = values,
    row = paid_row(name, type, paste(levels, collapse = "|"), missing = gaps)
  )
}

#' An amount, count or date: parts may hold nearly all records, or none
paid_amount <- function(n, name, type) {
  digits <- if (type == "amount") paid_pick(-2, 0, 0, 1, 2) else 0
  ends <- switch(type,
    date = as.numeric(as.Date(c("1980-01-01", "2020-12-31"))),
    count = paid_pick(c(0, 3), c(0, 40), c(1, 2), c(0, 5000), c(5, 6)),
    paid_pick(
      c(0, 1e5), c(1, 2e6), c(-500, 3000), c(100, 300), c(1000, 1001), c(1, 99)
    )
  )
  # Values of any unit
  if (type == "amount" && stats::runif(1) < 0.15) {
    digits <- paid_pick(5, 7)
    ends <- c(0, 1e-3)
  }
  transform <- paid_pick("", "identity", "log", "asinh")
  # Zero lies within the bounds of a logarithm only as a part
  inside <- ends[1] <= 0 && ends[2] >= 0
  zero <- type != "date" && inside &&
    (transform == "log" || stats::runif(1) < 0.3)
  if (transform == "log" && ends[2] <= 0) transform <- ""
  step <- 10^-digits
  width <- diff(ends)
  y <- switch(paid_pick("spread", "low", "same", "ends", "far"),
    spread = stats::runif(n, ends[1], ends[2]),
    low = ends[1] + width * stats::rbeta(n, 0.3, 6),
    same = rep(stats::runif(1, ends[1], ends[2]), n),
    ends = sample(ends, n, TRUE),
    far = rep(ends, c(n - 1, 1))
  )
  y <- pmin(pmax(round(y / step) * step, ends[1]), ends[2])
  heaps <- character()
  if (type != "date" && stats::runif(1) < 0.4) {
    heaps <- if (digits < 0) {
      "1000"
    } else {
      paid_pick("10", "100", c("10", "100"), "1000")
    }
    at <- stats::runif(n) < paid_pick(0, 0.05, 0.95)
    by <- as.numeric(heaps[length(heaps)])
    heaped <- round(y / by) * by
    kept <- at & heaped >= ends[1] & heaped <= ends[2]
    y[kept] <- heaped[kept]
  }
  if (zero) {
    y[stats::runif(n) < paid_pick(0, 0.5, 0.98)] <- 0
  } else if (transform == "log") {
    y[y == 0] <- ends[2]
  }
  codes <- character()
  if (type != "date" && stats::runif(1) < 0.3) {
    codes <- "9000000"
    y[stats::runif(n) < paid_pick(0, 0.1, 0.97)] <- as.numeric(codes)
  }
  gaps <- stats::runif(1) < 0.3
  if (gaps) y[stats::runif(n) < paid_pick(0.02, 0.5, 0.98)] <- NA
  if (all(is.na(y))) y[1] <- ends[2]
  family <- if (type != "count") {
    paid_pick("", "gaussian")
  } else if (transform %in% c("", "identity")) {
    paid_pick("", "poisson", "gaussian", "student_t")
  } else {
    paid_pick("", "gaussian")
  }
  if (type == "date") {
    y <- as.Date(y, origin = "1970-01-01")
    ends <- as.Date(ends, origin = "1970-01-01")
    digits <- NA
  }
  if (type == "amount" && stats::runif(1) < 0.2) digits <- "any"
  list(values = y, row = paid_row(
    name, type, lower = as.character(ends[1]), upper = as.character(ends[2]),
    digits = if (type == "amount") digits else NA, missing = gaps,
    codes = paste(codes, collapse = "|"), heaps = paste(heaps, collapse = "|"),
    zero = zero, transform = transform, family = family
  ))
}

#' A file, its codebook and all that is asked of it
#' @return (list) `data`, `book`, `plan` and `release`: arguments.
paid_case <- function(seed) {
  withr::with_seed(seed, {
    n <- sample(c(1, 2, 3, 5, 10, 20, 40, 60, 100, 200), 1)
    k <- sample(1:6, 1)
    names <- paste0("v", seq_len(k))
    made <- lapply(names, function(name) paid_column(n, name))
    data <- data.frame(row.names = seq_len(n))
    for (j in seq_len(k)) data[[names[j]]] <- made[[j]]$values
    book <- do.call(rbind, lapply(made, `[[`, "row"))
    unit <- weights <- rules <- publish <- tables <- NULL
    if (stats::runif(1) < 0.2) {
      most <- sample(2:4, 1)
      data$home <- paste0("h", ceiling(seq_len(n) / most))
      book <- rbind(book, paid_row("home", "id", records = most))
      unit <- "home"
    }
    if (stats::runif(1) < 0.2) {
      data$w <- round(stats::runif(n, 1, 50), 1)
      book <- rbind(book, paid_row(
        "w", "amount", lower = 0.5, upper = 100, digits = 1, transform = "log"
      ))
      weights <- "w"
    }
    if (stats::runif(1) < 0.35) {
      publish <- sample(names, min(k, sample(1:3, 1)))
    }
    if (stats::runif(1) < 0.3) rules <- paid_rules(data, book)
    parts <- book$missing | book$zero | nzchar(book$codes) | nzchar(book$heaps)
    coded <- book$column[
      book$type %in% c("category", "ordered", "logical") |
        parts & book$type != "id"
    ]
    if (length(coded) >= 3 && stats::runif(1) < 0.3) {
      tables <- list(sample(coded, min(length(coded), sample(3:4, 1))))
    }
    list(
      data = data, book = book,
      plan = list(
        publish = publish, unit = unit, rules = rules, survey_weights = weights
      ),
      release = list(
        epsilon = signif(10^stats::runif(1, -2, 1), 3),
        delta = paid_pick(1e-6, 1e-9, 1e-3),
        neighbours = paid_pick("add-remove", "add-remove", "replace"),
        tables = tables
      )
    )
  })
}

#' A rule that all records meet
paid_rules <- function(data, book) {
  found <- list()
  texts <- book$column[book$type == "category" & !book$missing]
  if (length(texts) >= 2) {
    pair <- sample(texts, 2)
    a <- strsplit(book$levels[match(pair[1], book$column)], "|", fixed = TRUE)
    b <- strsplit(book$levels[match(pair[2], book$column)], "|", fixed = TRUE)
    cells <- expand.grid(a = a[[1]], b = b[[1]], stringsAsFactors = FALSE)
    free <- !paste(cells$a, cells$b) %in%
      paste(data[[pair[1]]], data[[pair[2]]])
    if (any(free)) {
      cell <- cells[sample(which(free), 1), ]
      found <- c(found, list(call(
        "|", call("!=", as.name(pair[1]), cell$a),
        call("!=", as.name(pair[2]), cell$b)
      )))
    }
  }
  numbers <- book$column[book$type == "amount" & !book$missing]
  if (length(numbers) >= 2) {
    pair <- sample(numbers, 2)
    if (all(data[[pair[1]]] <= data[[pair[2]]])) {
      found <- c(found, list(call("<=", as.name(pair[1]), as.name(pair[2]))))
    }
  }
  if (length(found) > 0) found
}

#' What becomes of a case: each step's name and what it said
#'
#' @return (data frame) `step`, `outcome` (`"done"`, `"refused"`: an error
#'   before payment, `"failed"`), `class` and `said`.
paid_outcome <- function(seed) {
  # How often a margin is drawn is no matter of what can fail
  local_replaced("drawn_of_statistics", 50)
  case <- paid_case(seed)
  steps <- list()
  quiet <- function(code) {
    suppressMessages(suppressWarnings(utils::capture.output(code)))
  }
  run <- function(step, code, before = FALSE) {
    error <- tryCatch({
      code
      NULL
    }, error = identity)
    ours <- inherits(error, "pseudosynth_error")
    paid <- inherits(error, "pseudosynth_error_paid")
    steps[[step]] <<- data.frame(
      seed = seed, step = step,
      outcome = if (is.null(error)) {
        "done"
      } else if (before && ours && !paid) {
        "refused"
      } else {
        "failed"
      },
      class = class(error)[1],
      said = if (is.null(error)) {
        ""
      } else {
        gsub("\\s+", " ", conditionMessage(error))
      }
    )
    is.null(error)
  }
  release <- NULL
  got <- run("release", quiet({
    plan <- do.call(file_plan, c(
      list(case$data, codebook(case$book)), case$plan
    ))
    release <- do.call(file_release, c(
      list(plan, seed = seed), case$release
    ))
  }), before = TRUE)
  if (got) {
    run("print", quiet(print(release)))
    run("summary", quiet(print(summary(release))))
    run("guarantee", quiet(print(guarantee(release))))
    run("tables", quiet(for (one in unique(release$tables$columns)) {
      print(tables(release, strsplit(one, " x ", fixed = TRUE)[[1]]))
    }))
    for (name in names(release$amounts)) {
      run(paste("coef", name), quiet({
        stopifnot(all(is.finite(coef(release, name))))
        stopifnot(all(is.finite(vcov(release, name))))
        print(confint(release, amount = name))
      }))
    }
    sets <- NULL
    if (run("sets", quiet(sets <- synthesize(release, m = 2, seed = 1)))) {
      run("sets_print", quiet({
        print(sets)
        stopifnot(paid_fits(sets[[1]], case))
      }))
    }
    run("uncertain", quiet(
      synthesize(release, m = 2, uncertainty = TRUE, seed = 1)
    ))
  }
  do.call(rbind, steps)
}

#' Are a set's values within what the codebook states?
paid_fits <- function(set, case) {
  all(vapply(seq_len(nrow(case$book)), function(i) {
    row <- case$book[i, ]
    x <- set[[row$column]]
    if (row$type == "id") {
      return(is.null(x))
    }
    if (!row$missing && anyNA(x)) {
      return(FALSE)
    }
    if (!row$type %in% c("amount", "count")) {
      return(TRUE)
    }
    codes <- as.numeric(strsplit(row$codes, "|", fixed = TRUE)[[1]])
    x <- x[!is.na(x) & !x %in% codes]
    ends <- as.numeric(c(row$lower, row$upper))
    all(x >= ends[1] & x <= ends[2] | (row$zero & x == 0))
  }, NA))
}
