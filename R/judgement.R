# A judgement: sets beside the file that they stand for, and beside a fresh
# sample, which is as many records as a set has, drawn from the file with
# replacement. What is compared is a list of measures. Each is a file of its
# own, measure-*.R, and a line in utility_measures() or risk_measures().

#' Compare sets with the file by a list of measures
#'
#' @param case (list) `data` (the file), `sets` (list of data frames) and what
#'   the measures ask for: columns, models, keys.
#' @param measures (named list of functions) A measure takes the case. It gives
#'   `NULL` where it has no meaning or was not asked for, otherwise a list:
#'   * `of(set, whose)`: what a set (called `whose` in messages) shows, a list
#'     of `figures` (named numbers), `rows` (named list of data frames, with a
#'     row for each column, table or term; may be `NULL`) and `record` (data
#'     frame with a row for each record of the file; may be `NULL`);
#'   * `fresh(n)`: the expected figures of a fresh sample of `n` records; `NULL`
#'     if they have no closed form. Samples are drawn then.
#' @param fresh (flag) Beside a fresh sample?
#' @return (list) `table` (a row for each set: `set` and all figures),
#'   `overall` and `fresh` (named numbers: means over sets, and those of a fresh
#'   sample), `rows` (list of data frames, by the names that measures give),
#'   `record` (data frame or `NULL`: means over sets).
#' @noRd
judgement <- function(case, measures, fresh = TRUE) {
  made <- Filter(Negate(is.null), lapply(measures, function(make) make(case)))
  whose <- sprintf("set %d", seq_along(case$sets))
  found <- lapply(made, function(measure) Map(measure$of, case$sets, whose))
  figures <- lapply(found, figure_rows)
  table <- do.call(cbind, unname(c(
    list(data.frame(set = seq_along(case$sets))), Filter(length, figures)
  )))
  list(
    table = table, overall = over_all(table[-1]),
    fresh = if (fresh) {
      unlist(unname(lapply(names(made), function(name) {
        fresh_figures(case, made[[name]], names(figures[[name]]))
      })))
    },
    rows = do.call(c, unname(lapply(found, rows_by_set))),
    record = do.call(cbind, unname(
      Filter(length, lapply(found, record_over_sets))
    ))
  )
}

#' A row for each set
#' @noRd
figure_rows <- function(found) {
  figures <- lapply(found, `[[`, "figures")
  if (length(figures[[1]]) > 0) {
    as.data.frame(do.call(rbind, unname(figures)))
  }
}

#' Means over sets; of what no set has none
#' @noRd
over_all <- function(table) {
  means <- colMeans(table, na.rm = TRUE)
  replace(means, is.nan(means), NA)
}

rows_by_set <- function(found) {
  names <- names(found[[1]]$rows)
  lapply(stats::setNames(nm = names), function(name) {
    all <- do.call(rbind, lapply(seq_along(found), function(i) {
      rows <- found[[i]]$rows[[name]]
      data.frame(set = rep(i, nrow(rows)), rows, check.names = FALSE)
    }))
    row.names(all) <- NULL
    all
  })
}

record_over_sets <- function(found) {
  records <- lapply(found, `[[`, "record")
  if (!is.null(records[[1]])) Reduce(`+`, records) / length(records)
}

# A fresh sample --------------------------------------------------------------

# Of measures without a closed form so many samples are drawn, of large files
# fewer: together they have no more than so many records
fresh_samples <- 20L
fresh_records <- 1e6

#' @param names (character) Of the figures.
#' @return (named numbers) `NA` of figures that say nothing of a sample.
#' @noRd
fresh_figures <- function(case, measure, names) {
  if (length(names) == 0) {
    return(NULL)
  }
  n <- round(mean(vapply(case$sets, nrow, 1L)))
  found <- if (!is.null(measure$fresh)) {
    measure$fresh(n)
  } else {
    over_samples(case, n, function(sample) {
      measure$of(sample, "a fresh sample")$figures
    })
  }
  stats::setNames(found[names], names)
}

#' Means over fresh samples
#' @param of (function of a sample) Gives numbers.
#' @noRd
over_samples <- function(case, n, of) {
  samples <- max(3, min(fresh_samples, fresh_records %/% n))
  found <- lapply(seq_len(samples), function(i) {
    of(fresh_sample(case$data, n, i, case$unit))
  })
  Reduce(`+`, found) / samples
}

#' The number of each record's household
#' @noRd
homes_of <- function(file, unit) match(file[[unit]], unique(file[[unit]]))

#' The same samples in every call, and R's own random numbers as they were
#' @param n (count) Records; of households as many as have them on average.
#' @param unit (string or `NULL`) The column that numbers households.
#' @noRd
fresh_sample <- function(data, n, number, unit = NULL) {
  homes <- if (!is.null(unit)) homes_of(data, unit)
  records <- nrow(data)
  if (!is.null(homes)) n <- max(1, round(as.double(n) * max(homes) / records))
  share <- uniforms_(n, seed_words(1, "fresh sample", number), 0L)
  drawn <- 1 + floor(share * (if (is.null(homes)) records else max(homes)))
  if (is.null(homes)) {
    return(data[drawn, , drop = FALSE])
  }
  rows <- split(seq_len(records), homes)[drawn]
  data <- data[unlist(rows), , drop = FALSE]
  # A household that is drawn twice is two
  data[[unit]] <- rep(seq_along(rows), lengths(rows))
  data
}
