#' What one record adds to the noisy numbers of a release
#'
#' For a reviewer at the agency. A release with noise is a list of measurements.
#' Each is a sum over records of vectors of whole numbers, plus exact noise.
#' This function shows the vectors of one record, how long they are, the public
#' bound that no record's vector exceeds, and the noise that hides them. The
#' charge, the noisy sums and [audit_guarantee()] use the same vectors and
#' bounds.
#'
#' @param release A [file_release()], [score_release()] or
#'   [perturbed_histogram()].
#' @param data What the release was made from: the [file_plan()] of a file
#'   release, the data frame of a score release, and of a histogram its `data`
#'   or its vector.
#' @param i (count) The record's number in the file. If the plan has units or
#'   households with [members()], all records of this record's unit are shown
#'   together.
#' @return A `record_vectors`, a confidential list with
#'   * `table` (data frame, a row for each sum of vectors): `part` (its name),
#'     `amount` (the amount that it is about, or `NA`), `paid_by` (the charge),
#'     `numbers` (how many noisy numbers it has), `length` (of the record's
#'     vector), `bound` and `bound_replace` (the largest length of any record's
#'     vector, and of the difference of two), `noise` (the scale) and `share`:
#'     `length / noise`;
#'   * `vectors` (list of vectors of whole numbers, one for each row);
#'   * `moved` and `claimed`: how far dropping the record moves all noisy
#'     numbers together, and how far the label allows; `unit` says whether these
#'     are mu (Gaussian noise) or epsilon (Laplace noise);
#'   * `record` and `records`: the record's number, and how many records are
#'     shown together.
#'
#'   For Gaussian noise, a length is the Euclidean one; for Laplace noise, it is
#'   the sum of absolute values. A length of 0 means that the record is not in
#'   this sum: it may have no value of the amount.
#' @section Privacy: The vectors are functions of a true record. They are
#'   confidential and never part of a release.
#'   Whether `data` has the release's own records cannot be checked: a release
#'   keeps nothing of them.
#' @section Error types: `pseudosynth_error_input`: `release` is no release with
#'   noise, `data` has other columns or bounds, or there is no record `i`.
#'   `pseudosynth_error_edited`: the release was changed by hand.
#' @seealso [audit_guarantee()], [plot.record_vectors()]
#' @examples
#' people <- subset(ce_income, income > 0, c("income", "sex", "age"))[1:300, ]
#' book <- edit_codebook(draft_codebook(people),
#'   income = list(lower = 1, upper = 2e6, transform = "log")
#' )
#' plan <- file_plan(people, confirm_codebook(book))
#' release <- suppressWarnings(file_release(plan, epsilon = 2))
#' shown <- record_vectors(release, plan, 1)
#' shown
#' shown$vectors[["sex"]]
#' @export
record_vectors <- function(release, data, i) {
  check_present(release)
  check_present(data)
  refuse_if(
    !inherits(release, "noisy_release"),
    "{.arg release} must be a release with noise.",
    x = "It is {describe_type(release)}.",
    i = "Give a {.cls file_release}, a {.cls score_release} or a
         {.cls perturbed_histogram}.", arg = "release"
  )
  check_sealed(release)
  i <- check_count(i, min = 1)
  found <- measurements_of(release, data)
  unit <- found$home %||% found$unit %||% seq_len(found$n)
  refuse_if(
    i > length(unit), "{.arg i} must be the number of a record.",
    x = "The file has {length(unit)} record{?s}.", arg = "i"
  )
  together <- which(unit == unit[i])
  at <- if (is.null(found$home)) together else unit[i]
  shown_vectors(found, at, i, length(together))
}

#' @param found (list) See measurements_of().
#' @param at (integer) Records of the plan that are shown together.
#' @param i,records (count) The record of the file, and how many it has that are
#'   shown with it.
#' @noRd
shown_vectors <- function(found, at, i, records) {
  laplace <- is_laplace(found$measurements[[1]]$noise)
  vectors <- lapply(found$measurements, function(x) {
    own <- found$records(x, at)
    lapply(seq_along(x$parts), function(part) colSums(x$vectors(own, part)))
  })
  table <- do.call(rbind, Map(function(x, vectors) {
    length <- vapply(vectors, vector_length, 0, laplace)
    bound <- bounds_of(x, laplace) * found$most
    data.frame(
      part = x$parts, amount = x$about %||% NA_character_, paid_by = x$what,
      numbers = x$size, length = length, bound = bound[, 1],
      bound_replace = bound[, 2], noise = x$noise$scale,
      share = length / x$noise$scale, row.names = NULL
    )
  }, found$measurements, vectors))
  new_result(
    "record_vectors",
    table = table,
    vectors = stats::setNames(unlist(vectors, recursive = FALSE), table$part),
    moved = if (laplace) sum(table$share) else sqrt(sum(table$share^2)),
    claimed = found$claimed[["add-remove"]],
    unit = if (laplace) "epsilon" else "mu", record = i, records = records
  )
}

vector_length <- function(v, laplace) {
  if (laplace) sum(abs(v)) else sqrt(sum(v^2))
}

#' The bounds of all parts
#' @return (matrix, a row for each part, a column for each relation)
#' @noRd
bounds_of <- function(x, laplace = is_laplace(x$noise)) {
  bound <- x$bound(if (laplace) "laplace" else "gaussian")
  matrix(unlist(bound), ncol = 2, byrow = TRUE)
}

# Rows of the table that are printed or drawn, at most
most_parts <- 12

#' The parts that a record moves most, with the amount in their names
#' @noRd
largest_parts <- function(x) {
  shown <- utils::head(x$table[order(-x$table$share), ], most_parts)
  of <- shown$amount
  shown$part <- ifelse(is.na(of), shown$part, paste0(of, ": ", shown$part))
  shown
}

print_lines.record_vectors <- function(x) {
  shown <- largest_parts(x)
  left <- nrow(x$table) - nrow(shown)
  c(
    sprintf(
      "What record %s adds to a release%s", format_count(x$record),
      if (x$records > 1) {
        sprintf(", with its unit of %s records", format_count(x$records))
      } else {
        ""
      }
    ),
    sprintf(
      "  Without it all noisy numbers move by %s %s of %s", x$unit,
      format_figure(x$moved), format_figure(x$claimed)
    ),
    paste0("  ", format_table(data.frame(
      part = shown$part, numbers = as.integer(shown$numbers),
      length = shown$length, bound = shown$bound, noise = shown$noise,
      "length / noise" = shown$share, check.names = FALSE
    ))),
    if (left > 0) {
      sprintf("  and %s more, see as.data.frame()", format_count(left))
    },
    paste0("  ", confidential_line("Vectors"))
  )
}
