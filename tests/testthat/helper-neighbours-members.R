# Random files of households and of panels, and neighbours that differ in one of
# them. Also read by tests/faults/neighbours.R, which runs thousands of pairs.
#
# Both files are released with the same random words, and the neighbour's noisy
# sums are put back to the file's own. What is no noisy sum must be identical.
# How far the sums have moved is counted here again, from the files themselves.

# What columns may be: the codebook's row, usual values, and unusual ones
unit_kinds <- list(
  region = list(
    type = "category", levels = "n|s|x", outside = "x", usual = c("n", "s"),
    unusual = c("x", "q")
  ),
  sex = list(
    type = "category", levels = "1|2|9", missing = TRUE, usual = 1:2,
    unusual = c(9L, NA)
  ),
  age = list(
    type = "ordered", levels = "a|b|c|z", missing = TRUE,
    usual = c("a", "b", "c"), unusual = c("z", NA)
  ),
  work = list(
    type = "logical", missing = TRUE, usual = c(TRUE, FALSE), unusual = NA
  ),
  visits = list(
    type = "count", lower = "0", upper = "60", codes = "-9", missing = TRUE,
    zero = TRUE, usual = c(0:6, -9L), unusual = c(60L, 59L, NA)
  ),
  income = list(
    type = "amount", lower = "1", upper = "1e6", digits = "0", zero = TRUE,
    missing = TRUE, transform = "log", outside = "bound",
    usual = c(0, NA, 813, 2114, 2590, 7033, 12458, 31817),
    unusual = c(1e6, 1, 999999, 5e7)
  ),
  debt = list(
    type = "amount", lower = "-1000", upper = "1000", digits = "2",
    usual = c(-12.25, 0.5, 3.75, 40.31, 77.1), unusual = c(-1000, 1000)
  ),
  free = list(
    type = "amount", lower = "0.001", upper = "100", digits = "any",
    transform = "log", missing = TRUE,
    usual = c(0.1234567, 1.7654321, 2.5, 31.41592653), unusual = c(100, 0.001)
  ),
  pay = list(
    type = "amount", lower = "0", upper = "1e5", digits = "0", zero = TRUE,
    heaps = "10|100", usual = c(0, 100, 250, 300, 417, 1204),
    unusual = c(1e5, 99999, 7)
  ),
  loss = list(
    type = "amount", lower = "-50", upper = "1e4", digits = "0", zero = TRUE,
    transform = "log", usual = c(-12, 0, 3, 41, 178), unusual = c(-50, 1e4)
  ),
  share = list(
    type = "rate", digits = "3", missing = TRUE,
    usual = c(0.125, 0.333, 0.5, 0.871), unusual = c(0, 1, NA)
  ),
  born = list(
    type = "date", lower = "1940-01-01", upper = "2020-12-31",
    usual = as.Date("1950-01-03") + 617 * 0:9,
    unusual = as.Date(c("1940-01-01", "2020-12-31"))
  ),
  seen = list(
    type = "datetime", lower = "2000-01-01 00:00:00",
    upper = "2009-12-31 23:59:59", missing = TRUE,
    usual = as.POSIXct("2001-05-07 11:32:08", tz = "UTC") + 7654321 * 0:9,
    unusual = as.POSIXct(
      c("2000-01-01 00:00:00", "2009-12-31 23:59:59", NA), tz = "UTC"
    )
  )
)

of_kind <- function(name) unit_kinds[[sub("^home_", "", name)]]

has_values <- function(kind) !kind$type %in% c("category", "ordered", "logical")

unit_rows <- function(names) {
  fields <- c(
    "type", "levels", "lower", "upper", "digits", "codes", "heaps",
    "transform", "outside", "zero", "missing"
  )
  table <- lapply(fields, function(field) {
    vapply(unit_kinds[sub("^home_", "", names)], function(kind) {
      as.character(kind[[field]] %||% if (field %in% c("zero", "missing")) {
        FALSE
      } else {
        ""
      })
    }, "")
  })
  data.frame(column = names, stats::setNames(table, fields))
}

#' A random plan's public part, and the file that it is of
#' @param ... Fields that are not random.
#' @return (list) `panel` (flag), `slots`, `own` and `shared` (columns),
#'   `weights` (one of these, or `NULL`), `linked` (two tables?), `sized` and
#'   `numbered` (have they a number of members, and persons numbers?), `codes`
#'   and `complete` (of waves), `order`, `book`, `rules`; and `data`.
#' @noRd
random_units <- function(panel, homes = sample(15:50, 1), ...) {
  one_of <- function(x, size = 1) x[sample(length(x), min(size, length(x)))]
  chance <- function(p) stats::runif(1) < p
  case <- list(panel = panel, slots = if (panel) {
    sample(2:6, 1, prob = c(4, 4, 2, 1, 1))
  } else {
    sample(1:8, 1, prob = c(3, 6, 6, 3, 2, 1, 1, 1))
  })
  few <- max(2, min(5, 10 %/% case$slots))
  # Amounts take longest
  kinds <- setdiff(names(unit_kinds), "region")
  often <- ifelse(kinds %in% c("sex", "age", "work"), 3, 1)
  case$own <- sample(kinds, one_of(2:few), prob = often)
  case$shared <- one_of(
    c("region", paste0("home_", c("work", "income", "visits", "born"))),
    sample(0:3, 1)
  )
  case$weights <- if (chance(0.4)) "home_income"
  case$linked <- !panel && chance(0.2) && length(case$shared) > 0
  case$sized <- !panel && chance(0.2)
  case$numbered <- !panel && chance(0.2)
  case$complete <- panel && chance(0.3)
  case[...names()] <- list(...)
  if (!all(case$weights %in% case$shared)) case$weights <- NULL
  if (panel) case$codes <- 2000L + 2L * seq_len(case$slots)
  case$order <- stats::setNames(
    sample(c(-1, 1), 2, TRUE), sample(case$own, 2)
  )
  case$book <- unit_book(case)
  case$data <- do.call(rbind, lapply(seq_len(homes), random_unit, case = case))
  unusual <- stats::runif(nrow(case$data)) < 0.03
  name <- one_of(case$own)
  case$data[[name]][unusual] <- unusual_of(name)[1]
  case$rules <- Filter(function(rule) chance(0.4), unit_rules(case))
  case
}

unit_book <- function(case) {
  rows <- unit_rows(c(case$shared, case$own))
  weight <- rows$column %in% case$weights
  rows$zero[weight] <- rows$missing[weight] <- FALSE
  more <- data.frame(
    column = c("unit", "year", "size", "person"),
    type = c("id", "ordered", "count", "id")
  )
  more[setdiff(names(rows), c("column", "type"))] <- ""
  more[c("zero", "missing")] <- FALSE
  more$levels[2] <- paste(case$codes, collapse = "|")
  more[3, c("lower", "upper")] <- c("1", "60")
  more <- more[c(TRUE, case$panel, case$sized, case$numbered), ]
  book <- rbind(more, rows)
  book$records <- NA
  codebook(book)
}

unit_rules <- function(case) {
  has <- function(...) all(c(...) %in% c(case$own, case$shared))
  later <- case$slots > 1
  Filter(Negate(is.null), list(
    if (has("work", "age")) ~ !work | age != "a",
    if (has("income", "work")) ~ is.na(income) | income < 1e6 | !work,
    if (has("visits", "region")) ~ region != "x" | is.na(visits) | visits < 60,
    if (has("age") && case$panel) ~ n_waves(age == "z") <= 1,
    if (has("age") && !case$panel) ~ n_members(age == "z") <= 2,
    if (has("debt") && case$panel) ~ wave(2002)$debt < 800,
    if (has("debt") && !case$panel && later) ~ member(2)$debt < 800
  ))
}

usual_of <- function(name) of_kind(name)$usual
unusual_of <- function(name) of_kind(name)$unusual

#' A household, or person, of one sort
#' @param sort (string) `"usual"`, or what makes it extreme.
#' @noRd
random_unit <- function(id, case, sort = "usual") {
  slots <- case$slots
  size <- if (case$complete) {
    slots
  } else if (case$panel) {
    if (sort == "alone") 1 else sample(slots, 1)
  } else {
    switch(sort,
      alone = 1, crowd = slots + sample(c(1, 25), 1),
      alike = , different = slots, sample(slots + 1, 1)
    )
  }
  values <- function(name, n) {
    usual <- usual_of(name)
    far <- unusual_of(name)
    weight <- name %in% case$weights
    if (weight) {
      usual <- usual[usual > 0 & !is.na(usual)]
      far <- far[far > 0]
    }
    x <- switch(sort,
      usual = , alone = , crowd = , ties = usual,
      alike = rep(sample(c(usual, far), 1), 2), far = c(usual, far),
      different = unique(c(usual, far)), bounds = rep(far, 2),
      missing = if (weight || !anyNA(c(usual, far))) usual else usual[NA],
      unknown = usual
    )
    if (sort == "different" && length(x) >= n) {
      return(sample(x, n))
    }
    x[sample(length(x), n, TRUE)]
  }
  shared <- lapply(stats::setNames(nm = case$shared), function(name) {
    rep(values(name, 1), size)
  })
  own <- lapply(stats::setNames(nm = case$own), values, size)
  if (sort == "ties") own[[1]][] <- own[[1]][1]
  if (sort == "unknown") own <- with_unknown(own)
  year <- if (case$panel) list(year = case$codes[sort(sample(slots, size))])
  list2DF(c(
    list(unit = rep(id, size)), year, shared, own,
    if (case$sized) list(size = rep(size, size)),
    if (case$numbered) list(person = 100 * id + seq_len(size))
  ))
}

#' A value that the codebook does not have: a household that is refused
#' @noRd
with_unknown <- function(own) {
  for (name in names(own)) {
    x <- own[[name]]
    if (is.character(x)) {
      own[[name]][1] <- "?"
      return(own)
    }
    if (name == "debt") {
      own[[name]][1] <- 2e5
      return(own)
    }
  }
  own
}

unit_sorts <- c(
  "usual", "alone", "crowd", "ties", "alike", "far", "different", "bounds",
  "missing", "unknown"
)

#' A neighbour: one household more, less, or in the place of another
#' @return (list) `data`, `change`, `sort`, `before` and `after` (numbers of
#'   the household, or `NULL`).
#' @noRd
neighbour_units <- function(case, changes, sorts) {
  ids <- unique(case$data$unit)
  change <- sample(changes, 1)
  sort <- sample(sorts, 1)
  before <- if (change != "added") ids[sample(length(ids), 1)]
  after <- if (change != "dropped") max(ids) + 1L
  kept <- case$data[!case$data$unit %in% before, ]
  new <- if (!is.null(after)) random_unit(after, case, sort)
  # First or last: nothing follows the order
  data <- if (stats::runif(1) < 0.5) rbind(new, kept) else rbind(kept, new)
  list(
    data = data, change = change, before = before, after = after,
    sort = if (is.null(after)) "" else sort
  )
}

#' The same file: rows in another order, numbers of another type
#' @noRd
disguised <- function(data) {
  data <- data[sample(nrow(data)), ]
  row.names(data) <- NULL
  data$shown <- data$unit
  number <- sample(9999, max(data$unit))[data$unit]
  data$unit <- switch(sample(4, 1),
    number, sprintf("h%05d", number), factor(sprintf("%d", number)),
    number + 2^40
  )
  data
}

unit_plan <- function(case, data) {
  data$shown <- NULL
  members <- if (case$panel) {
    waves("year", constant = if (length(case$shared) > 0) case$shared,
      complete = case$complete
    )
  } else {
    order <- paste(ifelse(case$order < 0, "-", "+"), names(case$order))
    members(
      stats::as.formula(paste("~", paste(order, collapse = " "))), case$slots,
      if (!case$linked && length(case$shared) > 0) case$shared,
      size = if (case$sized) "size", person = if (case$numbered) "person"
    )
  }
  if (case$linked) {
    shared <- c(case$shared, if (case$sized) "size")
    data <- list(
      homes = data[!duplicated(data$unit), c("unit", shared)],
      persons = data[setdiff(names(data), shared)]
    )
  }
  suppressMessages(file_plan(
    data, case$book, unit = "unit", members = members,
    rules = if (length(case$rules) > 0) case$rules,
    survey_weights = case$weights, confirmed = c(1, 999999)
  ))
}

#' A file without the households that by themselves are refused
#' @noRd
with_fine_units <- function(case) {
  for (round in 1:5) {
    plan <- tryCatch(unit_plan(case, case$data), error = identity)
    if (!inherits(plan, "error") || is.null(plan$rows)) break
    bad <- case$data$unit[plan$rows]
    case$data <- case$data[!case$data$unit %in% bad, ]
    if (nrow(case$data) == 0) break
  }
  case$plan <- plan
  case
}

# Released ---------------------------------------------------------------------

#' What leaves, and all noisy sums on the way
#' @param before (list or `NULL`) The tape of the file itself.
#' @return (list) `parts`, or an `error`; `tape`: of each part its whole `sums`,
#'   `scale`, `what` and `noisy`.
#' @noRd
released_units <- function(plan, case, before = NULL) {
  tape <- list()
  told <- character()
  hear <- function(condition) {
    told <<- c(told, conditionMessage(condition))
    rlang::cnd_muffle(condition)
  }
  parts <- with_taped_sums(function(own) {
    function(sums, noise, seed, what) {
      k <- length(tape) + 1
      noisy <- own(sums, noise, seed, what)
      same <- !is.null(before) && k <= length(before) &&
        length(before[[k]]$noisy) == length(noisy)
      if (same) noisy <- before[[k]]$noisy
      tape[[k]] <<- list(
        sums = sums, scale = noise$scale, what = what, noisy = noisy
      )
      noisy
    }
  }, tryCatch(withCallingHandlers({
    release <- file_release(plan, case$epsilon, case$delta, case$neighbours,
      tables = case$tables, seed = 1
    )
    set <- synthesize(release, n = 15, seed = 2)
    list(
      release = release, set = set, label = print_lines(guarantee(set)),
      shown = utils::capture.output(print(release), print(set))
    )
  }, message = hear, warning = hear), error = identity))
  list(parts = parts, tape = tape, told = told)
}

#' What differs between two runs beside noisy sums
#' @return (character)
#' @noRd
differing_parts <- function(first, second) {
  about <- function(run) lapply(run$tape, `[`, c("what", "scale"))
  if (inherits(second$parts, "error")) {
    return(paste("error:", conditionMessage(second$parts)))
  }
  one <- unclass(first$parts$release)
  other <- unclass(second$parts$release)
  c(
    if (!identical(about(first), about(second))) "noise",
    if (!identical(first$told, second$told)) "messages",
    Filter(function(name) {
      !identical(first$parts[[name]], second$parts[[name]])
    }, names(first$parts)),
    Filter(function(name) !identical(one[[name]], other[[name]]), names(one))
  )
}

# Counted again ----------------------------------------------------------------

#' What each household is in the words of the plan's levels
#' @param rows (data frame) Of one household.
#' @return (list) `wide` (named strings: levels), `values` (named numbers).
#' @noRd
naive_unit <- function(rows, case) {
  slots <- case$slots
  place <- if (case$panel) {
    match(rows$year, case$codes)
  } else {
    keys <- union(names(case$order), case$own)
    sorted <- do.call(order, unlist(lapply(keys, function(name) {
      x <- naive_number(rows[[name]], name)
      sign <- if (name %in% names(case$order)) case$order[[name]] else 1
      list(is.na(x), sign * x)
    }), recursive = FALSE))
    order(sorted)
  }
  at <- match(seq_len(slots), place)
  suffix <- if (case$panel) case$codes else seq_len(slots)
  cells <- lapply(c(case$shared, case$own), function(name) {
    of <- if (name %in% case$own) at else 1
    text <- naive_level(rows[[name]][of], name, case)
    lacking <- is.na(of)
    text[lacking] <- NA
    x <- naive_value(rows[[name]][of], name)
    x[lacking | text %in% c("missing", "zero", "code -9")] <- NA
    names <- if (name %in% case$own) paste0(name, ".", suffix) else name
    list(text = stats::setNames(text, names), x = stats::setNames(x, names))
  })
  first <- if (case$panel) {
    c(entry = as.character(min(rows$year)))
  } else {
    c(members = as.character(min(nrow(rows), slots)))
  }
  list(
    wide = c(first, unlist(lapply(cells, `[[`, "text"))),
    values = unlist(lapply(cells, `[[`, "x"))
  )
}

naive_number <- function(x, name) {
  kind <- of_kind(name)
  if (kind$type %in% c("category", "ordered")) {
    match(as.character(x), strsplit(kind$levels, "|", fixed = TRUE)[[1]])
  } else {
    naive_value(x, name)
  }
}

#' As the codebook has it, which moves values to its bounds
#' @noRd
naive_value <- function(x, name) {
  kind <- of_kind(name)
  if (!has_values(kind)) {
    return(suppressWarnings(as.double(x)))
  }
  x <- as.double(x)
  if (isTRUE(kind$outside == "bound")) x <- pmin(x, 1e6)
  x
}

naive_level <- function(x, name, case) {
  kind <- of_kind(name)
  if (!has_values(kind)) {
    text <- as.character(x)
    text[!is.na(x) & text == "q"] <- "x"
    return(replace(text, is.na(x), "missing"))
  }
  x <- as.double(x)
  text <- ifelse(x < 0 & isTRUE(kind$transform == "log"), "negative", "value")
  if (!is.null(kind$heaps)) {
    text[x %% 10 == 0] <- "multiple of 10"
    text[x %% 100 == 0] <- "multiple of 100"
  }
  if (!is.null(kind$codes)) text[x == -9] <- "code -9"
  if (isTRUE(kind$zero) && !name %in% case$weights) text[x == 0] <- "zero"
  replace(text, is.na(x), "missing")
}

#' The whole residual of one cell, from its definition
#' @param cell (integer) The levels; `NULL`: none.
#' @noRd
naive_residual <- function(cell, levels) {
  as.vector(Reduce(outer, Map(function(at, size) {
    size * (seq_len(size) == at) - 1
  }, cell, levels)))
}

#' What a household adds to each noisy part that is counted here again
#' @return (list, as long as the tape) `NULL` where it is not.
#' @noRd
naive_vectors <- function(unit, case, release) {
  block <- release$block
  levels <- release$levels
  none <- release$members$none
  code <- vapply(names(levels), function(name) {
    text <- unit$wide[[name]]
    if (is.na(text)) {
      none[match(name, names(levels))]
    } else {
      match(text, levels[[name]])
    }
  }, 1L)
  stopifnot(!anyNA(code))
  size <- if (!is.null(block$size_noise)) list(block$size_noise$factor)
  tables <- unlist(lapply(block$looks, function(look) {
    Map(function(columns, factor) {
      factor * naive_residual(code[columns], lengths(levels)[columns])
    }, block$tables[look$at], look$noise$factor)
  }), recursive = FALSE)
  pooled <- unlist(lapply(block$pooled_looks, function(look) {
    Map(function(one, factor) {
      factor * naive_pooled(unit, one, case, levels)
    }, block$pooled[look$at], look$noise$factor)
  }), recursive = FALSE)
  amounts <- lapply(release$amounts, function(amount) {
    x <- unlist(unit$values[amount$slots %||% amount$name])
    c(
      if (!is.null(amount$look)) list(naive_margin(x, amount$look, amount)),
      list(naive_margin(x, amount$margin, amount)),
      list(naive_together(x, amount))[!is.null(amount$together)],
      vector("list", (!is.null(amount$links)) + length(amount$steps)),
      vector("list", tables_of_looks(amount$tables$looks))
    )
  })
  c(size, tables, pooled, unlist(unname(amounts), recursive = FALSE))
}

#' How many noisy tables there are, each look by itself
#' @noRd
tables_of_looks <- function(looks) sum(lengths(lapply(looks, `[[`, "at")))

#' How near each member of those with a value is to the one before
#' @param x (double) Of all members, by slot.
#' @noRd
naive_together <- function(x, amount) {
  x <- x[!is.na(x)]
  if (length(x) < 2) {
    return(0)
  }
  ranks <- amount$together$ranks
  y <- if (amount$transform == "log") log(abs(x)) else x
  below <- stats::approx(
    ranks$breaks, c(0, cumsum(ranks$counts)) / sum(ranks$counts), y, rule = 2
  )$y
  score <- pmin(2.5, pmax(-2.5, stats::qnorm(below)))
  one <- score[-1]
  other <- score[-length(score)]
  near <- pmin((one + other)^2, 1) - pmin((one - other)^2, 1)
  trunc(mean(trunc(2^14 * near)))
}

#' @param x (double) Of the household, or of all its members.
#' @noRd
naive_margin <- function(x, margin, amount) {
  bins <- length(margin$breaks) - 1
  vector <- numeric(bins)
  x <- x[!is.na(x)]
  if (!is.null(amount$slots)) {
    # Sixty parts are shared among those with a value
    amount$slots <- NULL
    each <- lapply(x, naive_margin, margin, amount)
    return(60 %/% max(1, length(x)) * Reduce(`+`, each, vector))
  }
  if (length(x) == 0) {
    return(vector)
  }
  unit <- if (is.null(margin$parts)) 2^18 else 2^12
  y <- if (amount$transform == "log") log(abs(x)) else x
  bin <- min(bins, max(1, sum(margin$breaks <= y)))
  # The square root of prefix sums
  lag <- seq_len(bins - bin + 1) - 1
  vector[bin:bins] <- round(unit * choose(2 * lag, lag) / 4^lag)
  vector
}

naive_pooled <- function(unit, one, case, levels) {
  size <- as.integer(unit$wide[["members"]])
  specs <- lapply(one$names, function(name) {
    if (name %in% case$own) {
      text <- unit$wide[paste0(name, ".", seq_len(size))]
      # The first member's levels are those of persons
      match(text, levels[[paste0(name, ".1")]])
    } else {
      rep(match(unit$wide[[name]], levels[[name]]), size)
    }
  })
  members <- lapply(seq_len(size), function(k) {
    naive_residual(vapply(specs, `[`, 1L, k), one$levels)
  })
  whole <- Reduce(`+`, members)
  most <- 64^2 * (case$slots + 2) * prod(one$levels - 1)
  each <- 0:64
  max(each[each^2 * sum(whole^2) / prod(one$levels) <= most]) * whole
}

#' The longest vector of any household, part by part, from public numbers alone
#' @return (double, as long as the tape) `NA`: not counted here.
#' @noRd
naive_bounds <- function(case, release) {
  block <- release$block
  cells <- function(levels) sqrt(prod(levels * (levels - 1)))
  tables <- unlist(lapply(block$looks, function(look) {
    mapply(function(columns, factor) {
      factor * cells(lengths(release$levels)[columns])
    }, block$tables[look$at], look$noise$factor)
  }))
  pooled <- unlist(lapply(block$pooled_looks, function(look) {
    mapply(function(one, factor) {
      factor * 64 * sqrt(case$slots + 2) * cells(one$levels)
    }, block$pooled[look$at], look$noise$factor)
  }))
  first <- function(margin) {
    all <- naive_margin(-Inf, margin, list(transform = "identity"))
    sqrt(sum(all^2)) * if (is.null(margin$parts)) 1 else 60
  }
  amounts <- lapply(release$amounts, function(amount) {
    c(
      if (!is.null(amount$look)) first(amount$look), first(amount$margin),
      if (!is.null(amount$together)) 2^14,
      if (!is.null(amount$links)) sqrt(length(amount$links$with)) * 2^14,
      # A score of a clip times the longest vector, and a fifth for its count
      rep(2^22 * sqrt(1 + 0.2^2), length(amount$steps)),
      rep(NA_real_, tables_of_looks(amount$tables$looks))
    )
  })
  unlist(c(block$size_noise$factor, tables, pooled, unname(amounts)))
}

#' What the longest vectors cost beside what is paid, the largest of charges
#' @noRd
naive_cost <- function(case, base) {
  release <- base$parts$release
  bound <- naive_bounds(case, release)
  stated <- record_vectors(release, case$plan, 1)$table$bound
  open <- is.na(bound)
  alike <- isTRUE(all.equal(bound[!open], stated[!open], tolerance = 1e-6))
  bound[open] <- stated[open]
  squares <- (bound / vapply(base$tape, `[[`, 0, "scale"))^2
  what <- vapply(base$tape, `[[`, "", "what")
  charges <- release$charges
  spent <- vapply(charges$what, function(x) sum(squares[what == x]), 0)
  if (alike) max(spent / (2 * charges$rho_add_remove)) else Inf
}

# Compared ---------------------------------------------------------------------

#' All that must hold of a pair of neighbouring files
#' @param base (list) See released_units(), of the file itself.
#' @param other (list) See neighbour_units().
#' @return (data frame) A row for each kind of measurement, and for all:
#'   `ratio` (squared mu that was moved over what was paid), `length` (the
#'   largest over its stated bound); `bad`, what does not hold.
#' @noRd
compared_units <- function(case, base, other) {
  row <- function(what, bad, ratio = 0, length = 0) {
    data.frame(
      change = other$change, sort = other$sort, what, ratio, length,
      bad = toString(unique(bad[bad != ""])), row.names = NULL
    )
  }
  shown <- disguised(other$data)
  plan <- tryCatch(unit_plan(case, shown), error = identity)
  if (inherits(plan, "error")) {
    # For what the household by itself shows
    own <- length(plan$rows) > 0 && !is.null(other$after) &&
      all(shown$shown[plan$rows] == other$after)
    return(row("refused", if (own) "" else conditionMessage(plan)))
  }
  second <- released_units(plan, case, base$tape)
  bad <- c(differing_plans(plan, case$plan), differing_parts(base, second))
  if (length(bad) > 0) {
    return(row("all", bad))
  }
  moved <- Map(function(one, two) two$sums - one$sums, base$tape, second$tape)
  stated <- stated_vectors(case, other, base$parts$release, plan, shown)
  counted <- counted_vectors(case, other, base$parts$release)
  found <- compared_moves(base, moved, stated$table, other$change)
  parts <- paste0(found$about, ": ", stated$table$part)
  bad <- c(
    named_parts("vectors", parts, differ(stated$vectors, moved)),
    named_parts("counts", parts, differ(counted, moved)),
    named_parts("bound", parts, found$length > 1 + 1e-12),
    if (any(found$ratio > 1 + 1e-9)) "more than was paid"
  )
  kind <- factor(found$kind, unique(found$kind))
  row(
    c(levels(kind), "all"), bad,
    c(tapply(found$ratio, kind, max), found$all[1]),
    c(tapply(found$length, kind, max), max(found$length))
  )
}

named_parts <- function(what, parts, at) {
  if (any(at)) paste(what, "of", parts[at][1])
}

#' Fields of a plan that may not follow its records, and do
#' @noRd
differing_plans <- function(plan, other) {
  own <- c(
    "codes", "amounts", "n_records", "unit", "members", "outside", "rounded",
    "left_out"
  )
  Filter(
    function(name) !identical(plan[[name]], other[[name]]),
    setdiff(names(plan), own)
  )
}

#' How far each part has moved beside its bound, and each charge beside what is
#' paid
#' @return (data frame) A row for each part; `all`: of all charges.
#' @noRd
compared_moves <- function(base, moved, table, change) {
  relation <- if (change == "replaced") "replace" else "add_remove"
  bound <- table[[if (change == "replaced") "bound_replace" else "bound"]]
  length <- vapply(moved, function(x) sqrt(sum(x^2)), 0)
  squares <- (length / vapply(base$tape, `[[`, 0, "scale"))^2
  what <- vapply(base$tape, `[[`, "", "what")
  charges <- base$parts$release$charges
  paid <- 2 * charges[[paste0("rho_", relation)]]
  spent <- vapply(charges$what, function(x) sum(squares[what == x]), 0)
  share <- function(x, of) ifelse(x == 0, 0, x / of)
  data.frame(
    about = table$amount, kind = ifelse(
      is.na(table$amount), sub("noisy ", "", what), ifelse(
        grepl("^step", table$part), "steps",
        ifelse(table$part %in% c("margin", "links"), table$part,
          "tables of amounts"
        )
      )
    ),
    length = share(length, bound),
    ratio = share(spent, paid)[match(what, charges$what)],
    all = sum(spent) / sum(paid)
  )
}

#' Which vectors are other ones than sums have moved by; `NULL` is not compared
#' @noRd
differ <- function(vectors, moved) {
  mapply(function(own, moved) {
    !is.null(own) && !identical(as.vector(own), as.vector(moved))
  }, vectors, moved)
}

#' What comes less what goes
#' @param before,after (list of double, or `NULL`) By part.
#' @noRd
changed_by <- function(before, after) {
  if (is.null(before)) {
    return(after)
  }
  after <- after %||% lapply(before, function(x) if (!is.null(x)) 0 * x)
  Map(function(one, two) if (!is.null(one)) two - one, before, after)
}

#' How far the sums move by record_vectors()
#' @return (list) `vectors`, by part, and one `table`.
#' @noRd
stated_vectors <- function(case, other, release, plan, shown) {
  shown_of <- function(plan, ids, id) {
    if (!is.null(id)) record_vectors(release, plan, match(id, ids))
  }
  before <- shown_of(case$plan, case$data$unit, other$before)
  after <- shown_of(plan, shown$shown, other$after)
  list(
    vectors = changed_by(before$vectors, after$vectors),
    table = (before %||% after)$table
  )
}

#' The same, counted from the files themselves
#' @noRd
counted_vectors <- function(case, other, release) {
  of <- function(data, id) {
    if (!is.null(id)) {
      naive_vectors(naive_unit(data[data$unit == id, ], case), case, release)
    }
  }
  changed_by(of(case$data, other$before), of(other$data, other$after))
}

#' Pairs of neighbouring files of one plan
#' @param case (list) See random_units(), and how it is released: `epsilon`,
#'   `delta`, `neighbours`, `tables`.
#' @return (data frame) See compared_units(); `pair`. A plan that is refused has
#'   one row.
#' @noRd
compared_case <- function(case, pairs, sorts = unit_sorts) {
  refused <- function(what, error) {
    data.frame(
      change = "", sort = "", what = what, ratio = 0, length = 0, bad = "",
      pair = 0, why = conditionMessage(error)
    )
  }
  case <- with_fine_units(case)
  if (inherits(case$plan, "error")) {
    return(refused("no plan", case$plan))
  }
  base <- released_units(case$plan, case)
  if (inherits(base$parts, "error")) {
    return(refused("no release", base$parts))
  }
  changes <- c("added", "dropped", "replaced")
  if (case$neighbours == "replace") changes <- "replaced"
  found <- do.call(rbind, lapply(seq_len(pairs), function(pair) {
    other <- neighbour_units(case, changes, sorts)
    cbind(compared_units(case, base, other), pair)
  }))
  over <- spent_delta(base$parts$release, case) > case$delta * (1 + 1e-6)
  if (over) found$bad <- paste("more than epsilon;", found$bad)
  over <- naive_cost(case, base) > 1 + 1e-6
  if (over) found$bad <- paste("bounds cost more than is paid;", found$bad)
  cbind(found, why = "")
}

#' Delta of Gaussian noise at the stated epsilon, for all that is charged
#' @noRd
spent_delta <- function(release, case) {
  rho <- release$charges[[paste0("rho_", sub("-", "_", case$neighbours))]]
  mu <- sqrt(2 * sum(rho))
  at <- case$epsilon / mu
  stats::pnorm(mu / 2 - at) - exp(case$epsilon) * stats::pnorm(-mu / 2 - at)
}

#' A random plan, and how it is released
#' @noRd
random_release <- function(panel, ...) {
  case <- random_units(panel, ...)
  case$epsilon <- sample(c(0.3, 1, 4, 10), 1)
  case$delta <- sample(c(1e-6, 1e-30), 1, prob = c(9, 1))
  case$neighbours <- sample(relation_names, 1)
  wide <- wide_names(case)
  if (length(wide) > 2 && stats::runif(1) < 0.3) {
    case$tables <- list(sample(wide, 3))
  }
  case
}

#' Columns of the wide record that always have levels
#' @noRd
wide_names <- function(case) {
  plain <- intersect(case$own, c("sex", "age", "work", "visits", "income"))
  suffix <- case$codes %||% seq_len(case$slots)
  c(intersect("region", case$shared), outer(plain, suffix, paste, sep = "."))
}
