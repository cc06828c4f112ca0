# Statistics of the columns of whole files: shares of levels, means, totals,
# quantiles and heaps, by survey weight, beside those of the file. Each has the
# difference that a fresh sample of the file would have by chance.

# Figures of one variable: what a distribution function does not show, because a
# few far values move them
ratio_columns <- c(
  mean = "mean_ratio", sd = "sd_ratio", total = "total_ratio",
  "90%" = "q90_ratio", "95%" = "q95_ratio", "99%" = "q99_ratio"
)

#' @param case (list) See file_case() and variable_case(): `columns`.
#' @return (list) See judgement(). Rows are `statistics`, see utility().
#' @noRd
measure_statistics <- function(case) {
  all_of <- function(file, n) {
    lapply(case$columns, column_statistics, file, case, n)
  }
  file <- list(n = NULL, rows = NULL)
  beside <- function(n) {
    # Sets have one size but for data frames
    if (!is.null(case$unit) && !is.null(file$rows)) n <- file$n
    if (!identical(file$n, n)) {
      file <<- list(n = n, rows = beside_sample(case, all_of, n))
    }
    file$rows
  }
  ratios <- if (!is.null(case$variable) && is.null(case$levels)) ratio_columns
  list(
    of = function(set, whose) {
      rows <- do.call(rbind, unname(Map(function(own, file) {
        file$file <- file$value
        file$value <- own$value
        file[c("column", "level", "statistic", "value", "file", "fresh")]
      }, all_of(set, NULL), beside(nrow(set)))))
      rows$ratio <- ifelse(
        rows$fresh > 0, abs(rows$value - rows$file) / rows$fresh, NA
      )
      shown <- match(names(ratios), rows$statistic)
      found <- (rows$value / rows$file)[shown]
      # There is no multiple of 0
      found[!is.finite(found)] <- NA
      list(
        figures = stats::setNames(found, ratios),
        rows = list(statistics = rows)
      )
    },
    fresh = function(n) stats::setNames(rep(1, length(ratios)), ratios)
  )
}

#' The file's statistics, and how far a fresh sample's are off
#'
#' Of households no formula knows that: samples tell it.
#' @noRd
beside_sample <- function(case, all_of, n) {
  rows <- all_of(case$data, n)
  if (is.null(case$unit)) {
    return(rows)
  }
  values <- function(rows) {
    unlist(lapply(rows, `[[`, "value"), use.names = FALSE)
  }
  off <- over_samples(case, n, function(sample) {
    abs(values(all_of(sample, NULL)) - values(rows))
  })
  of <- rep(seq_along(rows), vapply(rows, nrow, 1L))
  Map(function(rows, off) {
    rows$fresh[!is.na(rows$fresh)] <- off[!is.na(rows$fresh)]
    rows
  }, rows, split(off, of))
}

#' @param column (list) Of the case.
#' @param n (count or `NULL`) Records of a fresh sample of this file; `NULL`: it
#'   is a set.
#' @return (data frame) `column`, `level`, `statistic`, `value`, `fresh`.
#' @noRd
column_statistics <- function(column, file, case, n) {
  name <- column$spec$column
  # Weights are not weighted by themselves
  w <- if (name != (case$survey_weights %||% name)) case$weights(file)
  w <- w %||% rep(1, nrow(file))
  scale <- if (all(w == 1)) nrow(case$data) / nrow(file) else 1
  data.frame(column = name, rbind(
    if (length(column$levels) > 0) share_statistics(file[[name]], w, column, n),
    if (is_amount(column$spec)) {
      value_statistics(file[[name]], w, column$spec, scale, n)
    } else if (has_number_levels(column$spec)) {
      level_mean(file[[name]], w, column$spec, n)
    }
  ))
}

#' Levels that nobody has, in the file or in a set, say nothing
#' @noRd
said_statistics <- function(found) {
  said <- is.na(found$level) | found$value > 0 | found$file > 0
  key <- paste(found$column, found$level, found$statistic, sep = "\r")
  found <- found[key %in% key[said], ]
  row.names(found) <- NULL
  found
}

#' Statistics with their mean over sets
#' @noRd
mean_statistics <- function(statistics) {
  first <- statistics[statistics$set == 1, ]
  values <- matrix(statistics$value, nrow(first))
  first$value <- rowMeans(values)
  first$smallest <- apply(values, 1, min)
  first$largest <- apply(values, 1, max)
  first$ratio <- rowMeans(matrix(statistics$ratio, nrow(first)))
  first[names(first) != "set"]
}

#' Shares of levels; of an amount those of its parts without values
#' @param n (count or `NULL`) Records of a fresh sample of this file; `NULL`: it
#'   is a set.
#' @return (data frame) `level`, `statistic`, `value`, `fresh`.
#' @noRd
share_statistics <- function(x, w, column, n) {
  levels <- c(column$levels, "not in the codebook")
  codes <- column$codes(x)
  squares <- if (!is.null(n)) as.vector(sum_by(w^2, codes, length(levels)))
  share <- sum_by(w, codes, length(levels)) / sum(w)
  fresh <- rep(NA_real_, length(levels))
  if (!is.null(n)) {
    # Of weighted records some weigh more: as many equal ones vary as much
    variance <- (1 - share)^2 * squares + share^2 * (sum(squares) - squares)
    equal <- share * (1 - share) * sum(w)^2 / variance * n / length(w)
    varies <- share > 0 & share < 1
    fresh[varies] <- fresh_deviations(share[varies], equal[varies])
    fresh[!varies] <- 0
  }
  kept <- setdiff(seq_along(levels), column$bins)
  data.frame(
    level = levels[kept], statistic = "share", value = share[kept],
    fresh = fresh[kept]
  )
}

sum_by <- function(w, codes, n) {
  if (all(w == 1)) {
    return(as.double(tabulate(codes, n)))
  }
  sums <- double(n)
  found <- rowsum(w, codes)
  sums[as.integer(rownames(found))] <- found
  sums
}

#' Means, totals, quantiles and heaps of the values of an amount
#'
#' Missing values, and codes beyond the bounds such as -8 for no answer, are no
#' amounts. A code inside the bounds is one: 40 hours of work are 40 hours.
#' @param scale (number) Which the total is multiplied by.
#' @return As share_statistics(); without values or weight all but the total are
#'   `NA`.
#' @noRd
value_statistics <- function(x, w, spec, scale, n) {
  x <- amount_numbers(x, spec)
  # A file that is rounded when it is released is compared as it is then
  if (!is.null(spec$digits)) {
    fine <- which(has_more_decimals(x, spec))
    x[fine] <- rounded_amount(x[fine], spec)
  }
  there <- !is.na(x) &
    !(x %in% spec$codes & (x < spec$lower | x > spec$upper))
  records <- length(x)
  y <- x[there]
  w <- w[there]
  summed <- spec$kind$summed
  if (length(y) == 0 || sum(w) == 0) {
    # As many rows as of others
    any <- list(codes = double(), lower = 0, upper = 0, kind = spec$kind)
    known <- value_statistics(0, 1, any, 1, NULL)
    known$value <- ifelse(known$statistic == "total", 0, NA)
    return(known)
  }
  even <- if (all(w == w[1])) NULL else w
  mean <- weighted_mean(y, even)
  sd <- if (length(y) > 1) weighted_sd(y, even) else 0
  quantiles <- weighted_quantile(y, even, shown_quantiles)
  heaps <- if (summed) unlist(heaping_of(y, w))
  fresh <- if (!is.null(n)) {
    # A weighted mean of a function of records, in a fresh sample of them
    error <- function(part) {
      sqrt(2 / pi * sum((w * part)^2) / sum(w)^2 * records / n)
    }
    equal <- sum(w)^2 / sum(w^2) * n / records
    c(
      error(y - mean), if (sd > 0) error((y - mean)^2 - sd^2) / (2 * sd) else 0,
      if (summed) sqrt(
        2 / pi * (sum((w * y)^2) / records - (sum(w * y) / records)^2) / n
      ) * records,
      fresh_quantiles(y, even, quantiles, equal),
      # An extreme of a sample has no stable distance
      NA,
      if (summed) fresh_heaps(y, w, heaps, records, n)
    )
  }
  value <- c(
    mean = mean, sd = sd, if (summed) c(total = sum(w * y) * scale),
    stats::setNames(quantiles, names(shown_quantiles)), max = max(y),
    if (summed) stats::setNames(heaps, paste("multiples of", names(heaps)))
  )
  data.frame(
    level = NA, statistic = names(value), value = unname(value),
    fresh = fresh %||% NA_real_
  )
}

#' The mean of levels that are numbers
#' @inheritParams value_statistics
#' @noRd
level_mean <- function(x, w, spec, n) {
  own <- values_of_mean(x, spec, w)
  mean <- if (sum(own$w) > 0) stats::weighted.mean(own$y, own$w) else NA_real_
  data.frame(
    level = NA, statistic = "mean", value = mean,
    fresh = if (is.null(n)) NA_real_ else sqrt(
      2 / pi * sum((own$w * (own$y - mean))^2) / sum(own$w)^2 * length(x) / n
    )
  )
}

#' Mean absolute deviation of quantiles of a fresh sample
#'
#' The share of the file up to a sample's quantile has a beta distribution.
#' @param equal (number) Records of the sample, as in fresh_deviations().
#' @noRd
fresh_quantiles <- function(y, w, quantiles, equal) {
  grid <- stats::ppoints(200)
  unname(mapply(function(share, own) {
    reached <- stats::qbeta(grid, equal * share, equal * (1 - share))
    mean(abs(weighted_quantile(y, w, reached) - own))
  }, shown_quantiles, quantiles))
}

#' @param heaps (named numbers) Of heaping_of().
#' @noRd
fresh_heaps <- function(y, w, heaps, records, n) {
  w <- w[y != 0]
  y <- y[y != 0]
  mapply(function(step, share) {
    round <- abs(y) < 2^53 & y %% step == 0
    variance <- sum((w * (round - share))^2) / sum(w)^2 * records / n
    if (share > 0 && share < 1) {
      fresh_deviations(share, share * (1 - share) / variance)
    } else {
      0
    }
  }, heaping_steps, heaps)
}

#' What people rounded and sets did not
#'
#' A fifth of the values at a multiple is more than whole numbers have by
#' chance; half of it lost is more than chance takes away.
#' @param statistics (data frame) Of one column, see mean_statistics().
#' @return (string or `NULL`)
#' @noRd
heaping_remark <- function(statistics) {
  heaps <- statistics[grepl("^multiples", statistics$statistic), ]
  heaps <- heaps[heaps$file >= 0.2 & heaps$value < heaps$file / 2, ]
  # The step that lost most
  worst <- heaps[which.max(heaps$file - heaps$value), ]
  text_if(
    nrow(worst) > 0,
    unwrapped("Heaping is lost: %s of the file's values are %s, but only %s of
       the values in sets."),
    format_share(worst$file), worst$statistic, format_share(worst$value)
  )
}

# Means ------------------------------------------------------------------------

#' Values of a column that a mean is of, and their weights
#'
#' Of amounts, of flags and of levels that are numbers; neither dates nor codes.
#' @param w (double or `NULL`) Survey weights.
#' @return (list or `NULL`) `y`, `w`.
#' @noRd
values_of_mean <- function(x, spec, w = NULL) {
  if (spec$kind$averaged) {
    y <- amount_numbers(x, spec)
    y[y %in% spec$codes & (y < spec$lower | y > spec$upper)] <- NA
  } else if (has_mean(spec)) {
    x <- as.character(column_values(x))
    y <- text_number(x)
    flags <- match(x, c("FALSE", "TRUE"))
    y[!is.na(flags)] <- flags[!is.na(flags)] - 1
  } else {
    return(NULL)
  }
  there <- !is.na(y)
  rows <- which(there)
  list(y = y[rows], rows = rows, w = (w %||% rep(1, length(there)))[rows])
}

#' Means of sets beside those of the file
#' @param survey_weights (string or `NULL`)
#' @return (data frame) `column`, `value` (mean over sets), `file`, `error`: the
#'   standard error of the file's mean.
#' @noRd
means_beside <- function(sets, data, survey_weights = NULL) {
  specs <- column_specs(sets$codebook)[sets$columns$name]
  found <- lapply(specs, function(spec) {
    name <- spec$column
    plain <- is.null(survey_weights) || name == survey_weights
    of <- function(file) {
      w <- if (!plain) as.double(file[[survey_weights]])
      values_of_mean(file[[name]], spec, w)
    }
    own <- of(data)
    if (is.null(own) || length(own$y) < 2) {
      return(NULL)
    }
    mean <- stats::weighted.mean(own$y, own$w)
    means <- vapply(sets$sets, function(set) {
      one <- of(set)
      stats::weighted.mean(one$y, one$w)
    }, 0)
    off <- own$w * (own$y - mean)
    # Members of a household are drawn together
    if (!is.null(sets$unit)) off <- rowsum(off, data[[sets$unit]][own$rows])
    data.frame(
      column = name, value = mean(means), file = mean,
      error = sqrt(sum(off^2)) / sum(own$w)
    )
  })
  do.call(rbind, unname(found))
}
