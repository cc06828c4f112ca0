# Offsets: what the linear predictor of a record starts from, such as the log of
# its exposure. Columns of the file like predictors, and published as these are,
# but without a coefficient: neither coded nor scaled.

#' The offsets that a formula states
#'
#' R leaves out an interaction with an offset, keeps one that is taken away, and
#' gives `I(offset(x))` a coefficient. Here one is a term of its own, or an
#' error.
#' @param right (code) The right side.
#' @return (list of calls)
#' @noRd
stated_offsets <- function(right) {
  stated <- list()
  walk_code(right, function(part) {
    head <- if (is.call(part)) called_name(part[[1]])
    if (identical(head, "offset")) {
      stated <<- c(stated, list(part))
      NULL
    } else if (isTRUE(head %in% c("+", "("))) {
      as.list(part)[-1]
    } else if (identical(head, "-") && length(part) == 3) {
      check_without_offset(part[[3]])
      list(part[[2]])
    } else {
      check_without_offset(part)
      NULL
    }
  })
  stated
}

check_without_offset <- function(code) {
  refuse_if(
    any(c("offset", "stats::offset") %in% check_functions(code)),
    "An offset must be a term of its own.",
    x = "{.arg formula} uses one inside another term or subtracts one.",
    i = "Add it: {.code y ~ x + offset(log(exposure))}.", arg = "formula"
  )
}

#' Refuse offsets that are not of each record alone, and one stated twice
#'
#' `offset(scale(x))` would start from other values in new data.
#' @param stated (list of calls) See stated_offsets().
#' @noRd
check_offsets <- function(stated, terms) {
  used <- unlist(lapply(stated, function(offset) {
    if (length(offset) != 2) "offset" else check_functions(offset[[2]])
  }))
  other <- setdiff(sub("^.*::", "", used), row_wise_functions)
  problem <- if (length(other) > 0) {
    cli::format_inline("It uses {.fn {other}}.")
  } else if (length(stated) != length(attr(terms, "offset"))) {
    "It states the same offset twice, which R counts once."
  }
  refuse_if(
    !is.null(problem),
    "The offset of {.arg formula} must depend on each record alone.",
    x = "{problem}",
    i = "Make a column of {.arg data} first, and write
         {.code offset(column)}.",
    arg = "formula"
  )
}

#' Refuse an offset that is no finite number for every record
#' @param term (string) Its code.
#' @param data (data frame) What it was computed from.
#' @noRd
check_offset_values <- function(x, term, data) {
  n <- nrow(data)
  refuse_if(
    !is.numeric(x) || length(x) != n || NCOL(x) != 1,
    "The offset {.code {term}} must be one number for each record.",
    x = "It is {describe_type(x)}, for {n} record{?s}.",
    i = "Compute it as a numeric column of {.arg data} first.", arg = "formula"
  )
  bad <- which(!is.finite(x))
  n_bad <- length(bad)
  columns <- intersect(all.vars(str2lang(term)), names(data))
  refuse_if(
    n_bad > 0, "The offset {.code {term}} must be finite.",
    x = "It is not finite for {n_bad} of {n} record{?s}. It is computed from the
         {cli::qty(columns)}column{?s} {.val {columns}}.",
    i = "An exposure must be above 0. Correct or drop
         {cli::qty(n_bad)}{?this record/these records}.",
    arg = "formula", rows = bad
  )
}

#' The sum of a design's offsets
#' @param frame (data frame) Its variables.
#' @return (double, N) `NULL` where there is none.
#' @noRd
sum_offsets <- function(frame, design) {
  if (length(design$offset) > 0) {
    as.double(Reduce(`+`, lapply(frame[design$offset], as.double)))
  }
}

#' Refuse an offset where records have several linear predictors, or sums that
#' know of none
#' @noRd
check_family_offset <- function(design, family) {
  if (isTRUE(law_of(family)$several)) {
    check_no_offset(
      design, "{.code {format(family)}} has several linear predictors.",
      "Offsets are for {.code poisson()}, {.fn neg_binomial},
       {.code gaussian()}, {.fn lognormal}, {.fn student_t},
       {.fn beta_response} and {.fn bernoulli}."
    )
  }
}

#' @param why,how (strings) For cli.
#' @noRd
check_no_offset <- function(design, why, how, .envir = rlang::caller_env()) {
  refuse_if(
    length(design$offset) > 0,
    "{.arg formula} must have no offset here.", x = why, i = how,
    arg = "formula", .envir = .envir
  )
}

#' Refuse the file's margin for records of other exposures: by ranks, they would
#' get the counts of the file's
#' @param spec (list) Of the records that values are drawn for.
#' @noRd
check_margin_offset <- function(design, spec) {
  range <- design$offset_range
  beyond <- which(spec$offset < range[1] | spec$offset > range[2])
  refuse_if(
    length(beyond) > 0,
    "A margin needs offsets within the file's range.",
    x = "{.code {design$offset}} is outside it for {length(beyond)} of
         {length(spec$offset)} record{?s}, which would get the values of the
         file's records.",
    i = "Leave out the margin or these records.",
    arg = "newdata", rows = beyond
  )
}
