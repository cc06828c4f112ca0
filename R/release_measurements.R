# The measurements of a release, made again from what was released, and a file's
# records as they have them.

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
  c(
    if (!is.null(block$size_noise)) list(size_measurement(block$size_noise)),
    if (length(block$tables) > 0) {
      list(table_measurement(block, block$noise, names = names(x$levels)))
    },
    unlist(amounts, recursive = FALSE)
  )
}

amount_measurements <- function(x, name) {
  amount <- x$amounts[[name]]
  what <- what_of_amounts(names(x$amounts))
  margin <- margin_measurement(
    amount$margin$breaks, what, valued = FALSE, about = name
  )
  shape <- if (length(amount$family$extras) > 0) amount$reference$values[[2]]
  steps <- lapply(seq_along(amount$steps), function(k) {
    step <- amount$steps[[k]]
    own <- c(
      list(coding = amount, family = amount$family, shape = shape),
      step[c("b", "clip", "geometry")]
    )
    x <- step_measurement(what, length(step$b), own, k, name)
    with_noise_of(x, step)
  })
  c(
    list(with_noise_of(margin, amount$margin)), steps,
    if (!is.null(amount$tables)) list(binned_measurement(x, amount, what))
  )
}

#' An amount's tables of its bins by its predictors
#' @noRd
binned_measurement <- function(x, amount, what) {
  tables <- amount$tables
  names <- amount_predictor_names(x, amount)
  budget <- list(neighbours = x$neighbours, amount = NA, sigma = NA)
  free <- !names %in% names(x$levels)[x$block$published]
  plan <- binned_tables_plan(
    amount$levels, length(tables$breaks) + 1L, budget, free
  )
  told <- c(names[plan$told], paste(amount$name, "in bins"))
  table_measurement(
    plan, tables$noise, what, told,
    function(records) binned_codes(records, plan$told, tables$breaks),
    amount$name
  )
}

amount_predictor_names <- function(x, amount) {
  before <- names(x$amounts)
  earlier <- before[seq_len(match(amount$name, before) - 1)]
  earlier <- stats::setNames(rep(levels_of_bins(), length(earlier)), earlier)
  sizes <- predictor_levels(amount, x$levels, earlier)
  names(sizes)[sizes > 1]
}

#' Records as the measurements of a file release have them
#' @param file (list) See file_records().
#' @return (list) `codes`, and `amounts`: of each `predictors` and `y`, see
#'   step_measurement().
#' @noRd
measured_records <- function(x, file) {
  n <- nrow(file$codes)
  bins <- list()
  amounts <- list()
  for (name in names(x$amounts)) {
    amount <- x$amounts[[name]]
    at <- which(!is.na(file$values[, name]))
    y <- rep(NA_real_, n)
    y[at] <- to_modelled(amount, file$values[at, name])
    like <- amount_predictors(amount, file$codes, at, bins, x$levels)
    predictors <- matrix(0L, n, ncol(like$codes))
    predictors[at, ] <- like$codes
    amounts[[name]] <- list(predictors = predictors, y = y)
    bins[[name]] <- with_bins(n, at, y[at], amount$bins)
  }
  list(codes = file$codes, amounts = amounts)
}

rows_measured <- function(records, at) {
  records$codes <- records$codes[at, , drop = FALSE]
  records$amounts <- lapply(records$amounts, function(own) {
    list(predictors = own$predictors[at, , drop = FALSE], y = own$y[at])
  })
  records
}

#' The records that a measurement is of
#' @noRd
records_for <- function(x, records) {
  if (is.null(x$about)) records$codes else records$amounts[[x$about]]
}

#' moves_of() of all measurements of a release together
#' @param records,other (list) See measured_records().
#' @noRd
moves_of_all <- function(measurements, records, other = NULL) {
  Reduce(`+`, lapply(measurements, function(x) {
    moves_of(x, records_for(x, records), if (!is.null(other)) {
      records_for(x, other)
    })
  }))
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
  c(
    lapply(seq_along(x$steps), function(k) measured_step(x, file, k)),
    if (!is.null(x$margin)) {
      kind <- if (is_laplace(x$margin)) "laplace" else "gaussian"
      margin <- margin_measurement(x$margin$breaks, kind = kind)
      list(with_noise_of(margin, x$margin))
    },
    if (!is.null(x$tables)) list(score_table_measurement(x$tables))
  )
}

#' The tables of a score release: records have `codes` of all predictors
#' @noRd
score_table_measurement <- function(tables) {
  levels <- vapply(tables$residuals, nrow, 1L)
  budget <- list(neighbours = "replace", amount = NA, sigma = NA)
  plan <- binned_tables_plan(
    levels, length(tables$breaks) + 1L, budget, rep(FALSE, length(levels))
  )
  table_measurement(
    plan, tables$noise, "noisy tables", c(tables$columns, "bins"),
    function(records) {
      own <- records$codes[, tables$columns, drop = FALSE]
      # Of a level that the file did not have
      own[t(t(own) > levels)] <- 0L
      binned_codes(
        list(predictors = own, y = records$y), seq_along(levels), tables$breaks
      )
    }
  )
}

#' The file of an audit, and the responses that one record is given
#' @return (list) `y` (modelled scale), `x`, `row`, `count`, `extremes`.
#' @noRd
audit_file <- function(x, data) {
  check_data_frame(data)
  check_columns(x$response$name, data, "data")
  file <- published_rows(x$design, data)
  file$y <- record_values(x$response, data)
  file$predictors <- design_codes(file$row, file$x)
  if (!is.null(x$margin)) {
    file$codes <- table_codes(x$population$coding, data)
    colnames(file$codes) <- names(x$population$coding)
  }
  file$extremes <- switch(x$family$kind,
    categorical = , binary = , proportion = 0:1, count = c(0, 1e9),
    if (is.null(x$margin)) c(-1e9, 1e9) else range(x$margin$breaks)
  )
  file
}
