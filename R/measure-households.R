# How near households are to those of the file: how many members they have, how
# many of a kind, what two members have in common, what their amounts sum to.

# Mean distances of the kinds of tables: of sizes, of numbers of members and
# sums, of two members
household_figures <- c("sizes", "numbers", "members")

#' @param case (list) See file_case(): `unit`, the column of their numbers.
#' @return (list) See judgement(). Rows are `households`, see utility().
#' @noRd
measure_households <- function(case) {
  if (is.null(case$unit)) {
    return(NULL)
  }
  most <- max(vapply(c(list(case$data), case$sets), function(file) {
    max(tabulate(homes_of(file, case$unit)))
  }, 1L))
  shared <- vapply(names(case$columns), function(name) {
    is_shared(case$columns[[name]]$codes(case$data[[name]]), case)
  }, NA)
  sums <- sum_breaks(case, names(shared)[!shared])
  tables <- function(file) {
    household_tables(file, case, most, shared, sums)
  }
  own <- tables(case$data)
  distances <- function(one) {
    mapply(function(a, b) {
      # Where nobody has a second member there is none to compare
      if (sum(a) == 0 || sum(b) == 0) {
        return(as.double(sum(a) != sum(b)))
      }
      sum(abs(a / sum(a) - b / sum(b))) / 2
    }, own, one)
  }
  named <- do.call(rbind, strsplit(names(own), "\r", fixed = TRUE))
  kind <- named[, 1]
  fresh <- NULL
  figures <- function(distance) {
    of <- function(x) tapply(x, factor(kind, household_figures), mean)
    ratio <- of(distance) / of(fresh)
    names <- c(household_figures, paste0(household_figures, "_ratio"))
    stats::setNames(c(of(distance), ratio), names)
  }
  n <- round(mean(vapply(case$sets, nrow, 1L)))
  fresh <- over_samples(case, n, function(one) distances(tables(one)))
  list(
    of = function(set, whose) {
      found <- distances(tables(set))
      rows <- data.frame(
        kind = kind, column = named[, 2], table = named[, 3],
        distance = unname(found), fresh = unname(fresh)
      )
      list(figures = figures(found), rows = list(households = rows))
    },
    fresh = function(n) figures(fresh)
  )
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

#' Means over sets
#' @noRd
mean_households <- function(rows) {
  first <- rows[rows$set == 1, c("kind", "column", "table", "fresh")]
  first$distance <- rowMeans(matrix(rows$distance, nrow(first)))
  first$ratio <- ifelse(first$fresh == 0, 1, first$distance / first$fresh)
  first
}
