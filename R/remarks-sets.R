# Remarks on sets beside the file that they stand for. They rest on confidential
# values: for the agency, as all of a job is.

# Sets that are off by more are remarked on
sets_off <- c(
  mean = 0.05, mean_errors = 2, one_mean = 0.25, sd = 1 / 3, r_squared = 0.1,
  beyond = 0.005
)

# A value that so many records share is one that readers look for
shared_value <- 0.05

#' What an analyst would find in the sets and not in the file
#'
#' @param x (`synthetic_data`)
#' @param fit (`synthesizer` or `score_release`) They were drawn from.
#' @param data (data frame) The file.
#' @return (character) One sentence each.
#' @noRd
remarks_of_sets <- function(x, fit, data) {
  response <- fit$response
  if (is.null(data) || x$n_records != nrow(data)) {
    return(character())
  }
  give_back_memory(nrow(data))
  variable <- response$name
  y <- data[[variable]]
  if (has_labels(response)) {
    values <- lapply(as.list(x), `[[`, variable)
    return(as.character(if (is.factor(y)) remarks_of_values(y, values)))
  }
  sets <- in_file_order(as.list(x), data, variable)
  values <- lapply(sets, function(set) as.double(set[[variable]]))
  as.character(c(
    remarks_of_values(y, values), remark_r_squared(fit, data, values)
  ))
}

#' Say at the prompt what sets are remarked on
#' @noRd
tell_set_remarks <- function(remarks) {
  if (length(remarks) > 0) {
    texts <- sprintf("{remarks[[%d]]}", seq_along(remarks))
    tell_of(
      "remarks",
      "!" = "The sets differ from the file.",
      stats::setNames(texts, rep("*", length(remarks))),
      i = "For the agency only, not for release.", exact = TRUE
    )
  }
}

#' The same of numbers alone
#' @param y (numeric) The file's.
#' @param values (list of numeric) Those of each set.
#' @return (character or `NULL`)
#' @noRd
remarks_of_values <- function(y, values) {
  if (is.factor(y)) {
    # Levels that are numbers have a mean
    number <- text_number(levels(y))
    if (anyNA(number)) {
      return(NULL)
    }
    known_of <- function(x) {
      found <- number[match(as.character(x), levels(y))]
      found[!is.na(found)]
    }
    known <- known_of(y)
    found <- lapply(values, known_of)
    # Of labels without an order a mean means nothing
    return(if (is.ordered(y) && length(known) > 1 && all(lengths(found) > 0)) {
      remark_mean(known, found)
    })
  }
  y <- as.double(y)
  values <- lapply(values, as.double)
  all <- if (length(values) == 1) values[[1]] else unlist(values)
  # Each takes some memory on the way
  remarks <- list(
    function() remark_mean(y, values), function() remark_sd(y, values),
    function() remark_range(y, all), function() remark_shared(y, all)
  )
  unlist(lapply(remarks, function(remark) {
    give_back_memory(length(y), full = FALSE)
    remark()
  }))
}

#' The mean over sets, or that of one set that is far off
#' @noRd
remark_mean <- function(y, values) {
  means <- vapply(values, mean, 0)
  error <- stats::sd(y) / sqrt(length(y))
  # The set that is farthest off; what is not finite first
  found <- means[order(-abs(means - mean(y)), na.last = FALSE)][1]
  alone <- !is.finite(found) ||
    abs(found - mean(y)) > sets_off[["one_mean"]] * abs(mean(y)) &&
      !is_near_zero(y, error)
  if (!alone) found <- mean(means)
  if (!alone && !is_off(found, mean(y), error, is_near_zero(y, error))) {
    return(NULL)
  }
  sprintf(
    unwrapped("The mean of the sets is %s: it is %s in %s and %s in the file.
       Use another family, tighter public bounds or a margin."),
    off_text(found, mean(y), error), format_figure(found),
    if (alone) "one set" else "the sets", format_figure(mean(y))
  )
}

#' A share of a mean that may as well be 0 says nothing
#' @noRd
is_near_zero <- function(y, error) {
  min(y) < 0 && max(y) > 0 && abs(mean(y)) < 2 * error
}

#' Is a mean off by more than a share of it, or than two standard errors?
#' @param error (number) The standard error of the file's mean.
#' @param near_zero (flag) Do standard errors count alone?
#' @noRd
is_off <- function(found, mean, error, near_zero = FALSE) {
  off <- abs(found - mean)
  # Near the largest number there is no error
  !is.finite(off) || isTRUE(off > sets_off[["mean_errors"]] * error) ||
    !isTRUE(near_zero) && off > sets_off[["mean"]] * abs(mean)
}

#' @noRd
off_text <- function(found, mean, error) {
  share <- abs(found - mean) / abs(mean)
  errors <- abs(found - mean) / error
  # Of a mean that may as well be 0 a share says nothing
  paste0(
    if (isTRUE(share < 10)) format_share(share) else "far", " off",
    if (is.finite(errors)) {
      sprintf(
        " (%s standard errors of the file's mean)", format_figure(errors, 2)
      )
    }
  )
}

#' A spread that another family would have met
#'
#' Of half of the sets, and beyond what chance does to those of both: where
#' tails are long it does much. Twice or half of it is told whatever chance
#' does.
#' @noRd
remark_sd <- function(y, values) {
  ratio <- stats::median(vapply(values, stats::sd, 0)) / stats::sd(y)
  # Standard error of the logarithm of a standard deviation
  error <- function(y) {
    squares <- (y - mean(y))^2
    stats::sd(squares) / mean(squares) / 2 / sqrt(length(y))
  }
  chance <- 4 * (error(y) + stats::median(vapply(values, error, 0)))
  off <- abs(log(ratio))
  most <- min(chance, log(2), na.rm = TRUE)
  text_if(
    is.finite(off) && off > max(log1p(sets_off[["sd"]]), most),
    unwrapped("The standard deviation of the sets is %s times that of the file.
       Use another family, tighter public bounds or a margin."),
    format_figure(ratio, 2)
  )
}

#' Many records share a value, such as 0 or a top code: few of the sets' have it
#' @noRd
remark_shared <- function(y, values) {
  most <- commonest_number(y)
  value <- most$value
  share <- most$n / length(y)
  found <- mean(values == value)
  text_if(
    most$n >= 3 && share >= shared_value && found < share / 2,
    "%s of the file's values are %s, but only %s of the synthetic ones.",
    format_share(share), format_figure(value), format_share(found)
  )
}

#' Values of a sign, or far outside of a range, that the file has none of
#' @noRd
remark_range <- function(y, values) {
  if (lies_within(values, c(min(y), max(y)))) {
    return(NULL)
  }
  if (min(y) >= 0 && min(values) < 0) {
    return(sprintf(
      unwrapped("%s of the synthetic values are negative; the file has none.
         State public `bounds`."),
      format_share(mean(values < 0))
    ))
  }
  beyond <- mean(values < min(y) | values > max(y))
  # The next sample of a file has one or two of them
  if (beyond > max(sets_off[["beyond"]], 10 / length(y))) {
    farthest <- remark_farthest(max(abs(values)) / max(abs(y)))
    paste0(
      format_share(mean(values < min(y))), " of the synthetic values lie below",
      " the file's smallest, ", format_share(mean(values > max(y))),
      " above its largest", farthest, "."
    )
  }
}

#' @param far (number) The farthest value from 0 over the file's farthest.
#' @noRd
remark_farthest <- function(far) {
  # Not "1 times as far", nor "Inf times" of a file that has zeros only
  if (far >= 1.1 && is.finite(far)) {
    sprintf(
      "; one is %s times as far from 0 as any value of the file",
      format_figure(far, 2)
    )
  } else {
    text_if(far > 1, "; one is farther from 0 than any value of the file")
  }
}

#' Weights and censoring hold back the records that lie far from the regression:
#' the errors shrink, and relations look closer than they are
#' @noRd
remark_r_squared <- function(fit, data, values, most = 20000) {
  response <- fit$response
  kept <- spaced_rows(nrow(data), most)
  if (fit$family$kind != "continuous" || length(fit$design$columns) < 2) {
    return(NULL)
  }
  parts <- design_parts(fit$design, data[kept, , drop = FALSE])
  rows <- distinct_rows(parts)
  offset <- parts$offset %||% 0
  z <- record_values(response, data)[kept] - offset
  own <- r_squared_of(rows, z)
  theirs <- mean(vapply(values, function(value) {
    value <- response_forward(response, value[kept]) - offset
    if (all(is.finite(value))) r_squared_of(rows, value) else NA_real_
  }, 0))
  # What chance adds with so many columns
  chance <- 3 * sqrt(4 * own * (1 - own)^2 / length(z)) +
    length(fit$design$columns) / length(z)
  why <- if (inherits(fit, "score_release")) {
    "noise in the coefficients looks like a relation."
  } else {
    unwrapped("the fit gives little weight to records far from the regression,
       so relations look stronger than they are.")
  }
  text_if(
    theirs - own > max(sets_off[["r_squared"]] * own, chance),
    "R2 of the model's regression is %s in the sets and %s in the file: %s",
    format_figure(theirs, 2), format_figure(own, 2), why
  )
}

#' R2 of least squares on distinct rows of a design
#' @noRd
r_squared_of <- function(rows, z) {
  sums <- drop(rowsum(z, rows$row, reorder = TRUE))
  x <- rows$x * sqrt(rows$count)
  fitted <- stats::lm.fit(x, sums / sqrt(rows$count))$fitted.values /
    sqrt(rows$count)
  mean <- mean(z)
  sum(rows$count * (fitted - mean)^2) / sum((z - mean)^2)
}

#' Sets of other many records than the file, which may be another one
#' @noRd
remark_records <- function(x, data) {
  found <- x$n_records / nrow(data)
  text_if(
    abs(found - 1) > sets_off[["mean"]],
    "The sets have %s times as many records as the file.", format_figure(found)
  )
}

#' The same of whole files: how many records, ranges of amounts, means
#' @param x (`synthetic_data`)
#' @param data (data frame) The file.
#' @param means See remarks_of_means().
#' @return (character)
#' @noRd
remarks_of_files <- function(x, data, means) {
  amounts <- Filter(is_amount, column_specs(x$codebook)[x$columns$name])
  beyond <- vapply(amounts, function(spec) {
    values_of <- function(file) {
      y <- amount_numbers(file[[spec$column]], spec)
      y[!is.na(y) & !y %in% spec$codes]
    }
    y <- values_of(data)
    found <- unlist(lapply(x$sets, values_of))
    if (length(y) == 0 || length(found) == 0) {
      return(0)
    }
    share <- mean(found < min(y) | found > max(y))
    # The next sample of a file has one or two of them
    if (share > max(sets_off[["beyond"]], 10 / length(y))) share else 0
  }, 0)
  beyond <- sort(beyond[beyond > 0], decreasing = TRUE)
  c(
    remark_records(x, data),
    text_if(
      length(beyond) > 0,
      "Values that lie beyond all of the file's: %s. State closer bounds.",
      toString(sprintf(
        "%s of `%s`", format_share(beyond), names(beyond)
      ))
    ),
    remarks_of_means(means)
  )
}

#' The means of whole files that are far off
#' @param means (data frame or `NULL`) `column`, `value`, `file` and `error`,
#'   see means_beside().
#' @return (character) One sentence each, the farthest first.
#' @noRd
remarks_of_means <- function(means, most = 8) {
  if (is.null(means)) {
    return(NULL)
  }
  off <- !mapply(function(found, mean, error) {
    is.na(mean) || !is_off(found, mean, error, abs(mean) < 2 * error)
  }, means$value, means$file, means$error)
  means <- means[as.logical(off), , drop = FALSE]
  if (nrow(means) == 0) {
    return(NULL)
  }
  means <- means[order(-abs(means$value / means$file - 1)), ]
  text <- vapply(seq_len(nrow(means)), function(i) {
    one <- means[i, ]
    # As many digits as tell the two apart
    digits <- Find(function(digits) {
      format_figure(one$value, digits) != format_figure(one$file, digits)
    }, 3:9) %||% 9
    sprintf(
      "The mean of `%s` is %s: %s in the sets, %s in the file.", one$column,
      off_text(one$value, one$file, one$error),
      format_figure(one$value, digits), format_figure(one$file, digits)
    )
  }, "")
  more <- length(text) - most
  c(utils::head(text, most), text_if(
    more > 0, "So are the means of %s.", counted(more, "other column")
  ))
}
