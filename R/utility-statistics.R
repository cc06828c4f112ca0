# Statistics of the columns of whole files: shares of levels, means, totals,
# quantiles and heaps, by survey weight, beside those of the file. Each has the
# difference that a fresh sample of the file would have by chance.

#' @param survey_weights (string or `NULL`)
#' @return (data frame) See utility().
#' @noRd
file_statistics <- function(sets, data, survey_weights) {
  columns <- file_levels(sets$codebook, sets$sets, quantile_steps)
  weights_of <- function(file, name) {
    # Weights are not weighted by themselves
    plain <- is.null(survey_weights) || identical(name, survey_weights)
    as.double(if (plain) rep(1, nrow(file)) else file[[survey_weights]])
  }
  found <- lapply(columns, function(column) {
    name <- column$spec$column
    one <- function(file, n = NULL) {
      w <- weights_of(file, name)
      scale <- if (all(w == 1)) nrow(data) / nrow(file) else 1
      rbind(
        share_statistics(file[[name]], w, column, n),
        if (is_amount(column$spec)) {
          value_statistics(file[[name]], w, column$spec, scale, n)
        } else if (has_number_levels(column$spec)) {
          level_mean(file[[name]], w, column$spec, n)
        }
      )
    }
    file <- one(data, sets$n_records)
    do.call(rbind, lapply(seq_along(sets$sets), function(i) {
      data.frame(
        set = i, column = name, file[c("level", "statistic")],
        value = one(sets$sets[[i]])$value, file = file$value,
        fresh = file$fresh
      )
    }))
  })
  found <- do.call(rbind, found)
  # Levels that nobody has say nothing
  said <- is.na(found$level) | found$value > 0 | found$file > 0
  key <- paste(found$column, found$level, found$statistic, sep = "\r")
  found <- found[key %in% key[said], ]
  found$ratio <- ifelse(
    found$fresh > 0, abs(found$value - found$file) / found$fresh, NA
  )
  found <- found[order(found$set), ]
  row.names(found) <- NULL
  found
}

#' Shares of levels; of an amount those of its parts without values
#' @param n (count or `NULL`) Records of a fresh sample of this file; `NULL`: it
#'   is a set.
#' @return (data frame) `level`, `statistic`, `value`, `fresh`.
#' @noRd
share_statistics <- function(x, w, column, n) {
  levels <- c(column$levels, "not in the codebook")
  codes <- level_codes(x, column)
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
      if (summed) fresh_heaps(y, w, heaps, records, n)
    )
  }
  value <- c(
    mean = mean, sd = sd, if (summed) c(total = sum(w * y) * scale),
    stats::setNames(quantiles, names(shown_quantiles)),
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

# Means ------------------------------------------------------------------------

#' Values of a column that a mean is of, and their weights
#'
#' Of amounts and of levels that are numbers; neither dates nor codes.
#' @param w (double or `NULL`) Survey weights.
#' @return (list or `NULL`) `y`, `w`.
#' @noRd
values_of_mean <- function(x, spec, w = NULL) {
  if (spec$kind$averaged) {
    y <- amount_numbers(x, spec)
    y[y %in% spec$codes & (y < spec$lower | y > spec$upper)] <- NA
  } else if (has_number_levels(spec)) {
    y <- text_number(as.character(column_values(x)))
  } else {
    return(NULL)
  }
  there <- !is.na(y)
  list(y = y[there], w = if (is.null(w)) rep(1, sum(there)) else w[there])
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
    data.frame(
      column = name, value = mean(means), file = mean,
      error = sqrt(sum((own$w * (own$y - mean))^2)) / sum(own$w)
    )
  })
  do.call(rbind, unname(found))
}
