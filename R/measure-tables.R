# How near the tables of all columns, and of all pairs of columns, are to those
# of the file.

#' @param case (list) See file_case(): `columns` of the codebook.
#' @return (list) See judgement(). Rows are `pairs`, see utility().
#' @noRd
measure_tables <- function(case) {
  if (!is.null(case$variable)) {
    return(NULL)
  }
  columns <- case$columns
  names <- names(columns)
  levels <- vapply(columns, function(column) length(column$levels) + 1L, 1L)
  tables <- tables_of(length(names))
  counts <- function(file) {
    codes <- vapply(names, function(name) {
      columns[[name]]$codes(file[[name]])
    }, integer(nrow(file)))
    codes <- matrix(codes, nrow(file))
    table_counts_(codes, levels, tables, default_threads())
  }
  file <- counts(case$data)
  shares <- lapply(file, `/`, nrow(case$data))
  of_households <- NULL
  # Distances, and errors of the propensity as multiples of what independent
  # records have: members of a household are not
  fresh <- function(n) {
    if (is.null(case$unit)) {
      own <- vapply(shares, fresh_distance, 1, n)
      return(data.frame(fresh = own, ratio = 1))
    }
    of_households <<- of_households %||% over_samples(case, n, function(one) {
      found <- Map(table_distance, file, counts(one))
      data.frame(
        fresh = vapply(found, `[[`, 1, "distance"),
        ratio = vapply(found, `[[`, 1, "pmse_ratio")
      )
    })
    of_households
  }
  pairs <- data.frame(
    first = vapply(tables, function(j) names[j[1]], ""),
    second = vapply(tables, function(j) names[j[2]], "")
  )
  list(
    of = function(set, whose) {
      found <- Map(table_distance, file, counts(set))
      part <- function(name) vapply(found, `[[`, 1, name)
      rows <- data.frame(
        pairs, distance = part("distance"), fresh = fresh(nrow(set))$fresh,
        pmse = part("pmse"), pmse_ratio = part("pmse_ratio")
      )
      list(figures = mean_tables(rows), rows = list(pairs = rows))
    },
    fresh = function(n) {
      own <- fresh(n)
      rows <- data.frame(
        pairs, distance = own$fresh, fresh = own$fresh, pmse_ratio = own$ratio
      )
      mean_tables(rows)
    }
  )
}

#' All columns, and all pairs of them
#' @return (list of integer)
#' @noRd
tables_of <- function(d) {
  pairs <- if (d > 1) asplit(unname(utils::combn(d, 2)), 2)
  c(as.list(seq_len(d)), lapply(pairs, as.integer))
}

#' How far a set's table is from the file's
#'
#' A propensity model with a parameter for each cell has the share of the set in
#' the cell as its score. Its error is a chi-squared statistic, times a constant
#' (Raab, Nowok and Dibben 2021).
#' @param file,set (double) Counts of all cells.
#' @return (list) `distance`, `pmse`, `pmse_ratio`: of the cells that one of the
#'   two has; 1 where there is one cell.
#' @noRd
table_distance <- function(file, set) {
  seen <- file + set > 0
  file <- file[seen]
  set <- set[seen]
  both <- sum(file, set)
  share <- sum(set) / both
  chi <- sum(
    (set - file * share / (1 - share))^2 / ((file + set) * share)
  )
  list(
    distance = sum(abs(file / sum(file) - set / sum(set))) / 2,
    pmse = chi * share * (1 - share)^2 / both,
    pmse_ratio = if (length(set) > 1) chi / (length(set) - 1) else 1
  )
}

#' Means over the tables of one column and over those of two
#' @param one (data frame) Those of a set.
#' @noRd
mean_tables <- function(one) {
  of <- function(rows) {
    mean <- colMeans(one[rows, c("distance", "fresh", "pmse_ratio")])
    c(mean[["distance"]], mean[["distance"]] / mean[["fresh"]],
      mean[["pmse_ratio"]])
  }
  figures <- c("%s", "%s_ratio", "%s_pmse_ratio")
  order <- c(1, 4, 2, 5, 3, 6)
  stats::setNames(
    c(of(is.na(one$second)), of(!is.na(one$second))),
    c(sprintf(figures, "one_way"), sprintf(figures, "two_way"))
  )[order]
}

#' Pairs with their mean over sets
#' @noRd
mean_pairs <- function(pairs) {
  first <- pairs[pairs$set == 1, c("first", "second", "fresh")]
  over <- function(x) rowMeans(matrix(x, nrow(first)))
  first$distance <- over(pairs$distance)
  first$pmse_ratio <- over(pairs$pmse_ratio)
  # A column of one level is as good as can be
  first$ratio <- ifelse(first$fresh == 0, 1, first$distance / first$fresh)
  first
}
