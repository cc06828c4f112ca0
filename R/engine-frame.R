# A data frame as an engine: a part of a file that a database has the rest of,
# and what engines are compared with.

#' The engine of a data frame
#' @noRd
frame_engine <- function(data) {
  if (nrow(data) > 0) check_data_frame(data)
  data <- plain_columns(data)
  data[] <- lapply(data, function(x) if (is.factor(x)) as_text(x) else x)
  list(
    types = function(names) lapply(unclass(data)[names], `[`, 0L),
    all_columns = function() names(data), parts = character(),
    log = new.env(parent = emptyenv()),
    cells = function(types) counted_rows(data[names(types)]),
    for_response = function(response, type, cells) {
      if (nrow(data) > 0) frame_sums(data, response, cells) else no_sums
    }
  )
}

#' See table_sums(); checks are those of records in memory
#' @noRd
frame_sums <- function(data, response, cells) {
  predictors <- names(cells$values)
  own <- data[[response$name]]
  cell <- match(
    cell_keys(data[predictors], nrow(data)), keys_of_cells(cells)
  )
  y <- NULL
  list(
    check = function(stated, terms) {
      check_response(own, response, list(kind = response$kind))
      y <<- record_values(response, data)
      for (arg in names(stated$ends)) {
        check_public_ends(stated$ends[[arg]], own, arg, stated$confirmed)
      }
      for (arg in names(stated$own)) {
        check_public_numbers(
          stated$own[[arg]], own, sprintf("{.arg %s}", arg), arg,
          stated$confirmed
        )
      }
      for (arg in names(stated$modelled)) {
        check_public_numbers(
          stated$modelled[[arg]], y, sprintf("{.arg %s}", arg), arg,
          stated$confirmed
        )
      }
      check_not_copied(y, data[predictors])
      check_not_copied(y, lapply(terms, `[`, cell))
      check_holds_none(own, data[predictors])
      refuse_formula_holding(
        is.numeric(own) &&
          holds_values(
            unique(abs(stated$constants)), abs(met_once(as.double(own)))
          )
      )
    },
    outside = function(bounds) {
      sum(as.double(own) < bounds[1] | as.double(own) > bounds[2])
    },
    whole = function(at, clip) {
      score <- score_of(y, lapply(at, `[`, cell))
      whole <- whole_scores(score, clip, at$lowest[cell])
      lapply(whole, sums_by_code, cell, length(cells$n))
    },
    tally = function(breaks) {
      bins <- length(breaks) + 1
      bin <- findInterval(y, breaks) + 1
      n <- tabulate((cell - 1) * bins + bin, length(cells$n) * bins)
      some <- which(n > 0)
      list(
        cell = (some - 1) %/% bins + 1,
        bin = as.integer((some - 1) %% bins) + 1L,
        n = as.double(n[some])
      )
    }
  )
}

#' Different rows of a data frame, with their number
#' @return (list) See with_engines().
#' @noRd
counted_rows <- function(data) {
  key <- cell_keys(data, nrow(data))
  first <- !duplicated(key)
  list(
    values = lapply(unclass(data)[names(data)], `[`, first),
    n = as.double(tabulate(match(key, key[first]), sum(first)))
  )
}
