# How near households are to those of the file: how many members they have, how
# many of a kind, what two members have in common, what their amounts sum to.
# The same of panels: which waves persons are in, and what changes over waves.

# Kinds of tables, by their names in figures: of households, and of panels
household_tables_of <- list(
  households = c(
    sizes = "sizes", numbers = "numbers and sums", members = "two members"
  ),
  panels = c(
    patterns = "who is in which", transitions = "neighbouring waves",
    ever = "how many of a kind", correlations = "correlations"
  )
)

#' @param rows (data frame) See measure_households().
#' @return (named character)
#' @noRd
household_kinds <- function(rows) {
  Find(function(kinds) any(rows$kind %in% names(kinds)), household_tables_of)
}

#' @param case (list) See file_case(): `unit`, the column of their numbers.
#' @return (list) See judgement(). Rows are `households`, see utility().
#' @noRd
measure_households <- function(case) {
  if (is.null(case$unit)) {
    return(NULL)
  }
  shared <- vapply(names(case$columns), function(name) {
    is_shared(case$columns[[name]]$codes(case$data[[name]]), case)
  }, NA)
  tables <- if (is.null(case$waves)) {
    most <- max(vapply(c(list(case$data), case$sets), function(file) {
      max(tabulate(homes_of(file, case$unit)))
    }, 1L))
    sums <- sum_breaks(case, names(shared)[!shared])
    function(file) household_tables(file, case, most, shared, sums)
  } else {
    function(file) wave_shares(file, case, shared)
  }
  own <- tables(case$data)
  named <- do.call(rbind, strsplit(names(own), "\r", fixed = TRUE))
  kind <- named[, 1]
  kinds <- names(household_kinds(list(kind = kind)))
  # What differs by rounding alone does not differ
  distances <- function(one) {
    off <- unname(mapply(share_distance, own, one, kind))
    replace(off, which(off < 1e-12), 0)
  }
  fresh <- NULL
  figures <- function(distance) {
    of <- function(x) tapply(x, factor(kind, kinds), mean)
    ratio <- of(distance) / of(fresh)
    stats::setNames(c(of(distance), ratio), c(kinds, paste0(kinds, "_ratio")))
  }
  n <- round(mean(vapply(case$sets, nrow, 1L)))
  fresh <- over_samples(case, n, function(one) distances(tables(one)))
  list(
    of = function(set, whose) {
      found <- distances(tables(set))
      rows <- data.frame(
        kind = kind, column = named[, 2], table = named[, 3],
        distance = found, fresh = fresh
      )
      list(figures = figures(found), rows = list(households = rows))
    },
    fresh = function(n) figures(fresh)
  )
}

#' How far a table is from the file's: of correlations their difference
#' @noRd
share_distance <- function(a, b, kind) {
  if (kind == "correlations") {
    # Where there is none in either file there is none to compare
    none <- is.na(c(a, b))
    return(if (any(none)) as.double(!all(none)) else abs(a - b))
  }
  # Where nobody has a second member there is none to compare
  if (sum(a) == 0 || sum(b) == 0) {
    return(as.double(sum(a) != sum(b)))
  }
  sum(abs(a / sum(a) - b / sum(b))) / 2
}

#' Do all members of every household of the file have the same level?
#' @noRd
is_shared <- function(codes, case) {
  home <- homes_of(case$data, case$unit)
  all(codes == codes[match(home, home)])
}

#' Breaks of sums of members' amounts, at equal shares of the sets' households
#' @noRd
sum_breaks <- function(case, names) {
  specs <- lapply(case$columns[names], `[[`, "spec")
  specs <- Filter(function(spec) spec$kind$summed, specs)
  lapply(specs, function(spec) {
    sums <- unlist(lapply(case$sets, household_sums, spec, case$unit))
    unique(stats::quantile(sums, seq_len(9) / 10, names = FALSE))
  })
}

#' What a column of amounts sums to in each household, without its codes
#' @noRd
household_sums <- function(file, spec, unit) {
  x <- amount_numbers(file[[spec$column]], spec)
  x[is.na(x) | x %in% spec$codes] <- 0
  home <- homes_of(file, unit)
  as.vector(rowsum(x, home))
}

#' Counts of households, named by kind, column and table
#'
#' Two members: how often a level of a member meets one of another member of the
#' same household, where every member counts once.
#' @return (named list of double)
#' @noRd
household_tables <- function(file, case, most, shared, sums) {
  home <- homes_of(file, case$unit)
  size <- tabulate(home)
  found <- list("sizes\rhousehold\rsize" = tabulate(size, most))
  key <- function(kind, name, table) paste(kind, name, table, sep = "\r")
  for (name in names(case$columns)) {
    column <- case$columns[[name]]
    codes <- column$codes(file[[name]])
    levels <- length(column$levels) + 1L
    if (shared[[name]]) {
      first <- codes[match(seq_along(size), home)]
      found[[key("sizes", name, paste("size x", name))]] <-
        tabulate(first + levels * (size - 1L), levels * most)
      next
    }
    each <- matrix(
      tabulate(home + length(size) * (codes - 1L), length(size) * levels),
      length(size)
    )
    for (k in seq_along(column$levels)) {
      table <- sprintf("members with %s %s", name, column$levels[[k]])
      table <- key("numbers", name, table)
      found[[table]] <- tabulate(each[, k] + 1L, most + 1L)
    }
    if (!is.null(sums[[name]])) {
      bin <- findInterval(
        household_sums(file, column$spec, case$unit), sums[[name]]
      )
      found[[key("numbers", name, paste("sum of", name))]] <-
        tabulate(bin + 1L, length(sums[[name]]) + 1L)
    }
    two <- key("members", name, paste(name, "of two members"))
    found[[two]] <- as.vector(two_members(each))
  }
  found
}

#' @param each (matrix) How many members of each household have each level.
#' @return (matrix) By the level of one member and that of the other.
#' @noRd
two_members <- function(each) {
  others <- pmax(rowSums(each) - 1, 1)
  # Nobody is another member of one's own
  crossprod(each / others, each) - diag(colSums(each / others), ncol(each))
}

#' Counts of persons of a panel, and correlations, named by kind, column and
#' table
#' @return (named list of double)
#' @noRd
wave_shares <- function(file, case, shared) {
  home <- homes_of(file, case$unit)
  wave <- case$columns[[case$waves]]
  codes <- wave$levels
  at <- cbind(home, wave$codes(file[[case$waves]]))
  known <- at[, 2] <= length(codes)
  # A row for each person, a column for each wave
  by_wave <- function(x) {
    all <- matrix(NA, max(home, 0), length(codes))
    all[at[known, , drop = FALSE]] <- x[known]
    all
  }
  there <- !is.na(by_wave(home))
  pattern <- drop(there %*% 2^(seq_along(codes) - 1))
  waves <- rowSums(there)
  most <- length(codes)
  key <- function(kind, name, table) paste(kind, name, table, sep = "\r")
  found <- list(
    "patterns\rwaves\rwhich waves" = tabulate(pattern, 2^most - 1),
    "patterns\rwaves\rhow many waves" = tabulate(waves, most)
  )
  next_to <- seq_len(most)[-1]
  for (name in setdiff(names(case$columns), case$waves)) {
    column <- case$columns[[name]]
    levels <- length(column$levels) + 1L
    own <- by_wave(column$codes(file[[name]]))
    if (shared[[name]]) {
      first <- own[cbind(seq_len(nrow(own)), max.col(there, "first"))]
      found[[key("patterns", name, paste("how many waves x", name))]] <-
        tabulate(first + levels * (waves - 1L), levels * most)
      next
    }
    for (k in next_to) {
      table <- sprintf("%s, %s to %s", name, codes[k - 1], codes[k])
      both <- own[, k - 1] + levels * (own[, k] - 1L)
      found[[key("transitions", name, table)]] <- tabulate(
        both[!is.na(both)], levels^2
      )
    }
    for (k in seq_along(column$levels)) {
      table <- sprintf("waves with %s %s", name, column$levels[[k]])
      found[[key("ever", name, table)]] <- tabulate(
        rowSums(own == k, na.rm = TRUE) + 1L, most + 1L
      )
    }
    if (column$spec$kind$summed) {
      values <- by_wave(modelled_values(file[[name]], column$spec))
      for (apart in next_to - 1) {
        table <- sprintf("%s, %s apart", name, counted(apart, "wave"))
        found[[key("correlations", name, table)]] <-
          mean_correlation(values, apart)
      }
    }
  }
  found
}

#' Values of an amount on the scale on which it is modelled, `NA` for others
#' @noRd
modelled_values <- function(x, spec) {
  x <- amount_numbers(x, spec)
  x[x %in% spec$codes] <- NA
  if (identical(spec$transform, "log")) x[!(x > 0) %in% TRUE] <- NA
  response_transforms[[spec$transform %||% "identity"]]$forward(x)
}

#' The mean correlation of waves that are so far apart; `NA`: there is none
#' @noRd
mean_correlation <- function(values, apart) {
  found <- vapply(seq_len(ncol(values) - apart), function(k) {
    both <- values[, c(k, k + apart), drop = FALSE]
    both <- both[!is.na(rowSums(both)), , drop = FALSE]
    flat <- nrow(both) < 3 || any(apply(both, 2, stats::var) == 0)
    if (flat) NA else stats::cor(both[, 1], both[, 2])
  }, 0)
  if (all(is.na(found))) NA_real_ else mean(found, na.rm = TRUE)
}

#' Means over sets
#' @noRd
mean_households <- function(rows) {
  first <- rows[rows$set == 1, c("kind", "column", "table", "fresh")]
  first$distance <- rowMeans(matrix(rows$distance, nrow(first)))
  # Where a fresh sample never differs, a set that does is as far off as can be
  first$ratio <- ifelse(first$fresh == 0 & first$distance == 0, 1,
    first$distance / first$fresh
  )
  first
}
