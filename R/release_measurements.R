# The measurements of a release, made again from what was released, and a file's
# records as they have them.

#' The measurements of a release, and the records of a file as they have them
#' @return (list) `of` (what it is) and `described` (which one); `tried`: what
#'   an audit does besides computing, `"sample"` the noise, `"replay"` the
#'   release or `"none"`; `measurements`; `n` (records); `records`
#'   (function of a measurement and numbers of records, `NULL`: all); `claimed`
#'   (by relation: mu, or epsilon); `unit` (of each record, or `NULL`) and
#'   `most` (records of one); `home`, the record that each of the file's is a
#'   member of, or `NULL`; for an audit `pairs` (function of a count of
#'   arbitrary records and two words: gives by relation what worst_pair() tries)
#'   and `how` (function of that count: says what is tried).
#' @noRd
measurements_of <- function(release, data) UseMethod("measurements_of")

measurements_of.file_release <- function(release, data) {
  data <- plan_of_release(release, data)
  file <- file_records(data)
  n <- nrow(file$codes)
  as_function <- function(own) {
    function(x, at = NULL) {
      records_for(x, if (is.null(at)) own else rows_measured(own, at))
    }
  }
  own <- measured_records(release, file)
  list(
    of = "file release", described = "file release", tried = "replay",
    measurements = file_measurements(release), n = n,
    records = as_function(own),
    claimed = sqrt(2 * total_charges(release$charges, release$delta)$rho),
    unit = data$unit$index, home = data$members$home,
    most = release$unit$records %||% 1,
    # The published part of a record stays as it is. Each arbitrary record is in
    # place of the one whose published part it has, and where nothing is
    # published of another arbitrary one
    pairs = function(rows, words) {
      kept <- random_records(n, rows, words, 0)
      far <- arbitrary_records(data, rows, words)
      far <- measured_records(release, with_published(far, file, kept, data))
      others <- as_function(far)
      replaced <- list(list(as_function(rows_measured(own, kept)), others))
      if (length(release$published) == 0) {
        shifted <- as_function(rows_measured(far, c(seq_len(rows)[-1], 1L)))
        replaced <- c(replaced, list(list(shifted, others)))
      }
      list(
        "add-remove" = list(list(as_function(own)), list(others)),
        replace = replaced
      )
    },
    how = function(rows) {
      sprintf(
        "Exact: computed from the noise and from the vectors that the release
         adds up, for all records of the file and %s arbitrary records.%s",
        format_count(rows), if (isTRUE(release$unit$records > 1)) {
          " All records of a unit are assumed to be as far out as the farthest."
        } else {
          ""
        }
      )
    }
  )
}

#' The plan that a file release was made from, with published amounts in bins
#' @noRd
plan_of_release <- function(x, data) {
  check_class(data, "file_plan", "Give the plan of the release.", arg = "data")
  data <- with_published_bins(in_memory(data, "an audit"))
  same <- identical(names(data$levels), names(x$levels)) &&
    identical(data$published, x$published) &&
    identical(released_members(data$members), x$members)
  refuse_if(
    !same, "{.arg data} must be the plan that the release was made from.",
    arg = "data"
  )
  data
}

measurements_of.score_release <- function(release, data) {
  file <- audit_file(release, data)
  total <- total_charges(release$charges, release$delta)
  n <- length(file$row)
  records <- function(y, among = seq_len(n)) {
    function(x, at = NULL) {
      at <- if (is.null(at)) among else among[at]
      list(
        row = file$row[at], y = y[at],
        predictors = file$predictors[at, , drop = FALSE],
        told = if (!is.null(file$told)) file$told[at, , drop = FALSE]
      )
    }
  }
  list(
    of = "score release", described = format(release),
    tried = if (release$delta > 0) "sample" else "none",
    measurements = score_measurements(release, file),
    n = n, records = records(file$y),
    claimed = if (release$delta == 0) total$epsilon else sqrt(2 * total$rho),
    most = 1, pairs = function(rows, words) {
      each <- which(!duplicated(cbind(file$row, file$told)))
      ends <- lapply(file$extremes, function(y) records(rep(y, n), each))
      list("add-remove" = lapply(ends, list), replace = list(ends))
    },
    how = function(rows) {
      unwrapped("Exact: computed from the noise and from the vectors that the
         release adds up, for each combination of the predictors, with responses
         at either end.")
    }
  )
}

measurements_of.perturbed_histogram <- function(release, data) {
  y <- if (is.data.frame(data)) {
    check_columns(release$response$name, data, "data")
    data[[release$response$name]]
  } else {
    data
  }
  check_that(
    is.numeric(y) && length(y) > 0 && !is.object(y) && !anyNA(y), y,
    "{.arg data} must be the numbers that the histogram has counted.",
    arg = "data"
  )
  measurement <- histogram_measurement(release)
  records <- function(y) {
    function(x, at = seq_along(y)) {
      list(y = as.double(y[at]), response = release$response)
    }
  }
  list(
    of = "histogram", described = format(release), tried = "none",
    measurements = list(measurement), n = length(y),
    records = records(y), claimed = own_cost(measurement)$epsilon, most = 1,
    pairs = function(rows, words) {
      far <- records(rep(range(release$bounds), length.out = length(y)))
      list(
        "add-remove" = list(list(records(y))),
        replace = list(list(records(y), far))
      )
    },
    how = function(rows) {
      unwrapped("Exact: computed from the noise, and from the bin that each
         record is in, or could be in.")
    }
  )
}

# Of a file --------------------------------------------------------------------

#' All that a file release has measured, in the order of its noise
#'
#' From what was released alone.
#' @param x (`file_release`)
#' @return (list of `measurement`)
#' @noRd
file_measurements <- function(x) {
  block <- x$block
  block$replaced <- replaced_block
  block$lengths <- block$noise
  amounts <- lapply(names(x$amounts), amount_measurements, x = x)
  all <- c(
    if (!is.null(block$size_noise)) list(size_measurement(block$size_noise)),
    if (length(block$tables) > 0) {
      look_measurements(block$looks, function(at, noise) {
        table_measurement(
          some_tables(block, at), noise, names = names(x$levels)
        )
      })
    },
    if (length(block$pooled) > 0) {
      look_measurements(block$pooled_looks, function(at, noise) {
        pooled_measurement(block$pooled[at], noise)
      })
    },
    unlist(amounts, recursive = FALSE)
  )
  # What was paid for and is not looked at would be audited as nothing
  lost <- setdiff(x$charges$what, vapply(all, `[[`, "", "what"))
  refuse_privacy(
    length(lost) > 0,
    "A release must have the noise of all that it paid for.",
    x = "It lacks that of {.val {lost}}: another version of the package made
         it.",
    i = "Look at it with that version.",
    arg = "release", class = "pseudosynth_error_edited"
  )
  all
}

amount_measurements <- function(x, name) {
  amount <- x$amounts[[name]]
  what <- what_of_amounts(names(x$amounts))
  names <- amount_predictor_names(x, amount)
  levels <- tabled_levels(amount)
  own <- response_measurements(
    amount, amount, rep(what, 4), name, stats::setNames(levels, names),
    !names %in% names(x$levels)[x$block$published], x$neighbours
  )
  all <- c(if (!is.null(amount$look)) {
    look <- margin_of_amount(amount$look$breaks, what, name, parts_of(amount))
    list(with_noise_of(look, amount$look))
  }, own[1], if (!is.null(amount$links)) {
    links <- link_measurement(length(amount$links$with), what, name)
    list(with_noise_of(links, amount$links))
  }, if (!is.null(amount$together)) {
    list(with_noise_of(link_measurement(1, what, name), amount$together))
  }, own[-1])
  if (is_of_members(amount)) lapply(all, of_units) else all
}

#' The measurements of a response: its margin, two steps, its tables
#'
#' @param x (list) A score release, or an amount of a file release.
#' @param coding (list) Of its predictors, see level_lines().
#' @param what (four strings) What pays for the margin, the steps, the tables.
#' @param about (string or `NULL`) The amount. `NULL`: every record has a value.
#' @param levels (named integer) Of the predictors that may have a table.
#' @param free (logical) Which of them are protected.
#' @noRd
response_measurements <- function(x, coding, what, about, levels, free,
                                  neighbours) {
  steps <- lapply(seq_along(x$steps), function(k) {
    measured_step(x, coding, k, what[k + 1], about)
  })
  c(
    if (!is.null(x$margin)) {
      kind <- if (is_laplace(x$margin)) "laplace" else "gaussian"
      margin <- margin_measurement(
        x$margin$breaks, what[1], kind, is.null(about), about,
        x$margin$unit %||% count_unit, parts_of(x)
      )
      list(with_noise_of(margin, x$margin))
    },
    steps,
    if (!is.null(x$tables)) {
      binned_measurements(
        x$tables, what[4], about, levels, free, neighbours, parts_of(x)
      )
    }
  )
}

#' Tables of a response's bins by its predictors
#' @noRd
binned_measurements <- function(tables, what, about, levels, free, neighbours,
                                parts) {
  budget <- list(neighbours = neighbours, amount = NA, sigma = NA)
  plan <- binned_tables_plan(
    unname(levels), length(tables$breaks) + 1L, budget, free, parts
  )
  # Those of a score release are measured once
  once <- list(list(at = seq_along(plan$tables), noise = tables$noise))
  names <- c(
    names(levels)[plan$told], paste(c(about, "in bins"), collapse = " ")
  )
  look_measurements(tables$looks %||% once, function(at, noise) {
    table_measurement(
      some_tables(plan, at), noise, what, names, function(records) {
        records$predictors <- records[["told"]] %||% records$predictors
        binned_codes(records, plan$told, tables$breaks)
      }, about
    )
  })
}

amount_predictor_names <- function(x, amount) {
  before <- names(x$amounts)
  earlier <- before[seq_len(match(amount$name, before) - 1)]
  earlier <- vapply(x$amounts[earlier], levels_in_bins, 1L)
  sizes <- predictor_levels(amount, x$levels, earlier)
  c(names(sizes)[sizes > 1], expected_name[!is.null(amount$curve)])
}

#' Records as the measurements of a file release have them
#' @param file (list) See file_records().
#' @return (list) `codes`, and `amounts`: of each `predictors` and `y`, see
#'   step_measurement().
#' @noRd
measured_records <- function(x, file) {
  on <- list(codes = file$codes, levels = x$levels)
  amounts <- list()
  for (name in names(x$amounts)) {
    amount <- x$amounts[[name]]
    if (is_of_members(amount) && is.null(on$home)) on <- members_of_set(x, on)
    values <- if (is_of_members(amount)) {
      file$values[, amount$slots, drop = FALSE][cbind(on$home, on$slot)]
    } else {
      file$values[, name]
    }
    n <- length(values)
    at <- which(!is.na(values))
    y <- rep(NA_real_, n)
    y[at] <- to_modelled(amount, values[at])
    like <- amount_predictors(
      amount, on$codes, at, on$bins, on$scores, on$levels, on$home
    )
    predictors <- matrix(0L, n, ncol(like$codes))
    predictors[at, ] <- like$codes
    if (!is.null(amount$ranks)) on$scores[[name]] <- margin_scores(amount, y)
    amounts[[name]] <- if (is_of_members(amount)) {
      list(
        predictors = like$codes, y = y[at], unit = on$home[at],
        parts = parts_of_records(on$home[at]), units = nrow(file$codes),
        links = home_links(margin_scores(amount$together, y[at]), on$home[at])
      )
    } else {
      list(
        predictors = predictors, y = y, links = if (!is.null(amount$links)) {
          whole_links(on$scores[[name]], on$scores[amount$links$with])
        }
      )
    }
    on$bins[[name]] <- with_bins(n, at, y[at], amount)
  }
  list(codes = file$codes, amounts = amounts)
}

rows_measured <- function(records, at) {
  records$codes <- records$codes[at, , drop = FALSE]
  records$amounts <- lapply(records$amounts, function(own) {
    if (!is.null(own$unit)) {
      rows <- split(seq_along(own$unit), factor(own$unit, seq_len(own$units)))
      rows <- unname(rows[at])
      kept <- unlist(rows)
      return(list(
        predictors = own$predictors[kept, , drop = FALSE], y = own$y[kept],
        unit = rep(seq_along(at), lengths(rows)), parts = own$parts[kept],
        units = length(at), links = own$links[kept, , drop = FALSE]
      ))
    }
    list(
      predictors = own$predictors[at, , drop = FALSE], y = own$y[at],
      links = own$links[at, , drop = FALSE]
    )
  })
  records
}

#' The records that a measurement is of
#' @noRd
records_for <- function(x, records) {
  if (is.null(x$about)) records$codes else records$amounts[[x$about]]
}

# Of a score release -----------------------------------------------------------

#' All that a score release has measured
#' @param x (`score_release`)
#' @param file (list) See audit_file(); of its predictors, which are published.
#' @return (list of `measurement`)
#' @noRd
score_measurements <- function(x, file) {
  if (is_categorical(x$family)) {
    prior <- prior_spec(x$prior, x$design$is_level)
    z <- levels_geometry(file, prior, x$spread)$z
    measurement <- levels_measurement(z, length(x$response$levels))
    return(list(with_noise_of(measurement, x$steps[[1]])))
  }
  levels <- coded_levels(x$population$coding %||% list())
  response_measurements(
    x, row_coding(file$x), paste("noisy", c(
      "margin", "scores, step 1", "scores, step 2", "tables"
    )), NULL, levels, rep(FALSE, length(levels)), "replace"
  )
}

#' The file of an audit, and the responses that one record is given
#' @return (list) `y` (modelled scale), `x`, `row`, `count`, `extremes`,
#'   `predictors` (of the steps) and `told` (of the tables).
#' @noRd
audit_file <- function(x, data) {
  check_data_frame(data)
  check_columns(x$response$name, data, "data")
  file <- published_rows(x$design, data)
  file$y <- record_values(x$response, data)
  file$predictors <- design_codes(file$row, file$x)
  if (!is.null(x$margin)) {
    coding <- x$population$coding
    file$told <- table_codes(coding, data)
    # Of a level that the file did not have
    file$told[t(t(file$told) > coded_levels(coding))] <- 0L
  }
  file$extremes <- switch(x$family$kind,
    categorical = , binary = , proportion = 0:1, count = c(0, 1e9),
    if (is.null(x$margin)) c(-1e9, 1e9) else range(x$margin$breaks)
  )
  file
}

# Records of a file, true and arbitrary ones --------------------------------

#' Records as a table of codes and one of amounts, `NA` where there is no value
#' @return (list) `codes` and `values` (matrix, a column for each amount).
#' @noRd
file_records <- function(plan) {
  n <- nrow(plan$codes)
  values <- vapply(plan$amounts, function(own) {
    all <- rep(NA_real_, n)
    all[own$records] <- own$values
    all
  }, numeric(n))
  list(codes = plan$codes, values = matrix(
    values, n, dimnames = list(NULL, names(plan$amounts))
  ))
}

some_records <- function(file, at) {
  lapply(file, function(x) x[at, , drop = FALSE])
}

#' Records of any levels and values that the codebook allows
#' @param ends (number) The share of amounts at either end of their part.
#' @return (list) See file_records().
#' @noRd
arbitrary_records <- function(plan, n, words, ends = 0.2) {
  sizes <- lengths(plan$levels)
  codes <- vapply(seq_along(sizes), function(j) {
    ceiling(sizes[j] * uniforms_(n, words, j))
  }, numeric(n))
  codes <- matrix(
    as.integer(pmax(codes, 1)), n, dimnames = list(NULL, names(sizes))
  )
  specs <- column_specs(plan$codebook)
  values <- vapply(seq_along(plan$amounts), function(k) {
    name <- names(plan$amounts)[k]
    all <- rep(NA_real_, n)
    # Zero and one other value are codes: nothing is left to measure
    if (!any(amount_parts(specs[[name]])$valued)) {
      return(all)
    }
    amount <- amount_model(specs[[name]])
    at <- valued_rows(amount, codes)
    u <- uniforms_(n, words, length(sizes) + k)[at]
    u <- clamp((u - ends) / (1 - 2 * ends), 0, 1)
    part <- part_number(amount, codes, at)
    range <- modelled_ends(amount)[part, , drop = FALSE]
    all[at] <- response_transforms[[amount$transform]]$back(
      range[, 1] + u * (range[, 2] - range[, 1])
    )
    all
  }, numeric(n))
  list(codes = codes, values = matrix(
    values, n, dimnames = list(NULL, names(plan$amounts))
  ))
}

random_records <- function(n, m, words, stream) {
  as.integer(pmax(1, ceiling(n * uniforms_(m, words, stream))))
}

#' Arbitrary records with the published columns of some records of the file
#' @param plan (list) See with_published_bins().
#' @noRd
with_published <- function(far, file, kept, plan) {
  published <- c(plan$published, names(plan$levels)[is_published_code(plan)])
  Map(function(far, own) {
    fixed <- intersect(colnames(own), published)
    far[, fixed] <- own[kept, fixed]
    far
  }, far, file)
}
