# A data frame as an engine: a part of a file that a database has the rest of,
# and what engines are compared with.

#' The engine of a data frame
#' @noRd
frame_engine <- function(data) {
  check_data_frame(data)
  data <- plain_columns(data)
  data[] <- lapply(data, function(x) if (is.factor(x)) as_text(x) else x)
  list(
    begin = function() NULL, end = function() NULL,
    columns = function(names) lapply(unclass(data)[names], `[`, 0L),
    all_columns = function() names(data),
    cells = function(names) counted_rows(data[names]),
    for_response = function(response, cells) {
      frame_sums(data, response, cells)
    }
  )
}

#' See table_sums(); checks are those of records in memory
#' @noRd
frame_sums <- function(data, response, cells) {
  predictors <- setdiff(names(cells), "n")
  own <- data[[response$name]]
  cell <- match(cell_keys(data[predictors]), cell_keys(cells[predictors]))
  y <- NULL
  list(
    check = function(stated, types) {
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
      check_holds_none(own, data[predictors])
    },
    outside = function(bounds) {
      sum(as.double(own) < bounds[1] | as.double(own) > bounds[2])
    },
    whole = function(at, clip) {
      score <- score_of(y, lapply(at, `[`, cell))
      whole <- whole_scores(score, clip, at$lowest[cell])
      lapply(whole, sums_by_code, cell, nrow(cells))
    },
    tally = function(breaks) {
      bins <- length(breaks) + 1
      bin <- findInterval(y, breaks) + 1
      n <- tabulate((cell - 1) * bins + bin, nrow(cells) * bins)
      some <- which(n > 0)
      list(
        cell = (some - 1) %/% bins + 1,
        bin = as.integer((some - 1) %% bins) + 1L,
        n = as.double(n[some])
      )
    }
  )
}

#' Different rows of a data frame, with their number `n`
#' @noRd
counted_rows <- function(data) {
  if (length(data) == 0) {
    return(data.frame(n = as.double(nrow(data))))
  }
  key <- cell_keys(data)
  first <- !duplicated(key)
  rows <- data[first, , drop = FALSE]
  rows$n <- as.double(tabulate(match(key, key[first]), sum(first)))
  rownames(rows) <- NULL
  rows
}

#' Rows as text, equal where the rows are
#' @noRd
cell_keys <- function(data) {
  if (length(data) == 0) {
    return(rep("", nrow(data)))
  }
  columns <- lapply(unclass(data), function(x) {
    if (is.numeric(x)) sprintf("%.17g", as.double(x)) else as_text(x)
  })
  do.call(paste, c(unname(columns), sep = "\r"))
}
