# How far means of sets may be from those of the file, said before anything is
# published. Post-processing of released numbers.

#' The means of a release's sets, and their standard errors about the file's
#'
#' Of amounts, counts, flags and levels that are numbers; of members and waves
#' over all of them. What is published is exact and has none; neither have
#' dates, of which nobody takes a share. A mean of which the noisy numbers tell
#' nothing is missing, and its error is infinite.
#' @param x (list) The parts of a `file_release`.
#' @return (data frame) `column`, `mean` and `error`.
#' @noRd
released_means <- function(x) {
  specs <- column_specs(x$codebook)
  specs <- specs[setdiff(names(specs), x$published)]
  found <- lapply(specs, function(spec) {
    amount <- x$amounts[[spec$column]]
    none <- x$members$none[match(spec$column, names(x$levels))]
    if (spec$kind$averaged && !is.null(amount)) {
      told_mean(spec, mean_of_amount, x, amount)
    } else if (has_mean(spec, none) && spec$column %in% names(x$levels)) {
      told_mean(spec, mean_of_levels, x, spec)
    }
  })
  of_members <- Filter(is_of_members, x$amounts)
  shared <- lapply(of_members, function(amount) {
    spec <- specs_of_amounts(x)[[amount$name]]
    if (spec$kind$averaged) told_mean(spec, mean_of_amount, x, amount)
  })
  found <- do.call(rbind, c(list(data.frame(
    column = character(), mean = double(), error = double(),
    records = double(), unsure = double()
  )), unname(found), unname(shared)))
  # Of all members of units, or of all waves, together
  variable <- found$column
  if (!is.null(x$members)) {
    one <- variables_of_columns(variable, x$members)
    variable <- ifelse(variable %in% names(of_members), variable, one)
  }
  found <- found[!is.na(variable), ]
  variable <- variable[!is.na(variable)]
  found <- split(found, factor(variable, unique(variable)))
  means <- lapply(found, function(x) {
    # A slot that nobody is in has no mean
    if (nrow(x) > 1) x <- x[x$records > 0, ]
    if (nrow(x) == 0) {
      return(list(mean = NA_real_, error = Inf))
    }
    share <- x$records / max(1, sum(x$records))
    if (nrow(x) == 1) share <- 1
    mean <- sum(share * x$mean)
    # How many each slot has is noisy, too
    moved <- (x$mean - mean)^2 * x$unsure / max(1, sum(x$records))^2
    error <- sqrt(sum(share^2 * x$error^2 + moved))
    list(mean = mean, error = if (is.finite(mean + error)) error else Inf)
  })
  if (length(x$block$pooled) > 0) means <- with_pooled_means(means, x)
  data.frame(
    column = names(means), mean = vapply(means, `[[`, 0, "mean"),
    error = vapply(means, `[[`, 0, "error"), row.names = NULL
  )
}

#' Means of levels, together with what pooled tables of members tell of them
#'
#' The noise of both is not the same: each counts by one over its variance.
#' @param means (named list) `mean` and `error` of each, by tables of slots.
#' @noRd
with_pooled_means <- function(means, x) {
  specs <- column_specs(x$members$persons$codebook)
  names <- lapply(x$block$pooled, `[[`, "names")
  for (at in which(names %in% names(means))) {
    name <- names[[at]]
    # Of an amount pooled tables have the parts
    if (specs[[name]]$kind$valued) next
    both <- list(means[[name]], pooled_mean(x$block, at, specs[[name]]))
    told <- 1 / vapply(both, `[[`, 0, "error")^2
    if (!all(is.finite(told) & told > 0)) next
    means[[name]] <- list(
      mean = sum(told * vapply(both, `[[`, 0, "mean")) / sum(told),
      error = 1 / sqrt(sum(told))
    )
  }
  means
}

#' The mean of levels that a pooled margin of members tells
#' @param at (count) Its place among pooled tables.
#' @return (list) `mean` and `error`.
#' @noRd
pooled_mean <- function(block, at, spec) {
  value <- level_numbers(spec)
  mean_of <- function(counts) {
    sum(counts[seq_along(value)] * value) / sum(counts[seq_along(value)])
  }
  drawn <- block$pooled_targets[[at]]$target
  uncut <- block$pooled_residuals[[at]] + sum(drawn) / length(drawn)
  # What large households have beyond their room is known by sets alone
  cut <- centred_table(block$pooled_cut[[at]], length(drawn))
  noisy <- uncut + cut
  mean <- mean_of(drawn)
  by_noise <- block$pooled_noise$variance[at] * sum((value - mean)^2) /
    sum(drawn[seq_along(value)])^2
  list(
    mean = mean,
    error = law_error * sqrt(
      by_noise + (mean - mean_of(noisy))^2 + (mean_of(noisy) - mean_of(uncut))^2
    )
  )
}

#' The number that each level is; of a flag 0 and 1
#' @noRd
level_numbers <- function(spec) {
  if (has_number_levels(spec)) text_number(spec$levels) else 0:1
}

#' A mean and its error, whatever the noise
#'
#' The release is paid for, and this adds to it alone: where the noise leaves
#' nothing to count with, such as curves that no matrix can be solved for, the
#' mean is as uncertain as can be, and is said to be so.
#' @param estimate (function of `...`) Gives `mean`, `error`, how many `records`
#'   it is of and how `unsure` that is (a variance), or `NULL`.
#' @return (data frame) A row with these and its `column`.
#' @noRd
told_mean <- function(spec, estimate, ...) {
  found <- tryCatch(estimate(...), error = function(error) NULL)
  mean <- found$mean %||% NA_real_
  error <- found$error %||% Inf
  data.frame(
    column = spec$column, mean = if (is.finite(mean)) mean else NA_real_,
    error = if (is.finite(mean + error)) error else Inf,
    records = max(0, found$records), unsure = found$unsure %||% 0
  )
}

#' The mean of levels that are numbers, or the share of a flag
#'
#' The noisy counts give it without a bias; of sets it is another, of which rare
#' levels have less noise. How far noise moves it is counted: the margin that
#' sets are drawn from gets the noise again. How far it is from the unbiased one
#' is added.
#' @param spec (list) See column_spec().
#' @return (list or `NULL`, without a value) See told_mean().
#' @noRd
mean_of_levels <- function(x, spec) {
  block <- x$block
  own <- match(spec$column, names(x$levels))
  value <- level_numbers(spec)
  # That there is no such member has a number, too
  valued <- setdiff(seq_along(value), x$members$none[own])
  value <- value[valued]
  mean_of <- function(counts) {
    sum(counts[valued] * value) / max(1e-300, sum(counts[valued]))
  }
  drawn <- block$margins[[own]]
  if (sum(drawn[valued]) <= 0) {
    return(NULL)
  }
  l <- length(drawn)
  counts <- table_estimate(block, own)$part + block$n / l
  n <- max(1, sum(counts[valued]))
  mean <- mean_of(drawn)
  moved <- mean - sum(counts[valued] * value) / n
  list(
    mean = mean, error = min(
      law_error * sqrt(moved_by_noise(block, own, mean_of) + moved^2),
      diff(range(value))
    ),
    records = n,
    unsure = count_noise(block, own, replace(numeric(l), valued, 1))
  )
}

#' The variance that noise gives to the mean of a column's levels
#'
#' That of the margin, and of the number of records, of which each level has the
#' same share.
#' @noRd
moved_by_noise <- function(block, own, mean_of, draws = margins_of_error) {
  place <- residual_place(block, own)
  if (is.na(place)) {
    return(0)
  }
  drawn <- block$margins[[own]]
  l <- length(drawn)
  random <- random_stream(c(1, 2, 3, 4), 3)
  noise <- matrix(stats::qnorm(random(draws * (l + 1))), ncol = draws)
  of_levels <- sqrt(block$noise$variance[place])
  of_size <- sqrt(size_variance(block))
  again <- apply(noise, 2, function(noise) {
    size <- of_size * noise[l + 1]
    noise <- of_levels * noise[seq_len(l)]
    mean_of(level_counts(
      block, own, drawn + noise - base::mean(noise) + size / l,
      max(1, block$n + size), block$rules
    ))
  })
  base::mean((again - mean_of(drawn))^2)
}

#' The mean of an amount over all records that have a value or are 0
#' @return (list or `NULL`, without a value) See told_mean().
#' @noRd
mean_of_amount <- function(x, amount) {
  found <- margin_mean(amount)
  if (is.null(found)) {
    return(NULL)
  }
  mean <- found$mean
  variance <- found$error^2
  told <- told_parts(x, amount)
  negative <- amount$all_parts$kind == "negative"
  if (amount$transform == "log" && any(negative) && !is.null(told)) {
    # The margin has absolute values
    share <- part_share(told, which(negative), amount$part)
    variance <- (1 - 2 * share$share)^2 * variance +
      4 * mean^2 * share$variance
    mean <- (1 - 2 * share$share) * mean
  }
  part <- amount_share(x, amount)
  if (!is.null(part)) {
    variance <- part$share^2 * variance + mean^2 * part$variance
    mean <- part$share * mean
  }
  counted <- c(amount$part, which(amount$all_parts$kind == "zero"))
  list(
    mean = mean, error = sqrt(variance),
    records = part$n %||% sum(amount$sizes),
    unsure = if (is.null(told)) 0 else told$noise(
      replace(0 * told$counts, counted, 1)
    )
  )
}

# What is said of it -----------------------------------------------------------

# Means that two standard errors may move by more are said
uncertain_mean <- 0.05

#' How uncertain means are: two standard errors, as shares of them
#'
#' Of a mean of 0, or one that is missing, any share.
#' @param means (data frame or `NULL`, none are known) See released_means().
#' @return (named double, none of them missing)
#' @noRd
mean_uncertainty <- function(means) {
  if (is.null(means)) {
    return(double())
  }
  share <- 2 * means$error / abs(means$mean)
  share[is.na(share)] <- Inf
  share[means$error == 0] <- 0
  stats::setNames(share, means$column)
}

#' Say which means, and whether the number of records, the noise leaves open
#' @param block (list or `NULL`, not known) See release_plan().
#' @noRd
tell_means <- function(means, block = NULL) {
  share <- mean_uncertainty(means)
  share <- sort(share[share > uncertain_mean], decreasing = TRUE)
  size <- if (!is.null(block)) 2 * sqrt(size_variance(block)) / block$n
  size <- size[size > uncertain_mean]
  if (length(share) + length(size) > 0) {
    tell_of(
      "means",
      "!" = "Noise leaves figures uncertain, by two of its standard errors:",
      "*" = "{uncertain_means(share, size)}.",
      i = "This rests on released numbers alone, and is so for every set.",
      i = "Tighter bounds help, where {.field outside} may count values beyond a
           bound as the bound; {.code transform = \"log\"} for skewed amounts;
           a coarser type, such as a few ranges as levels; or more
           {.arg epsilon}."
    )
  }
}

#' @param share (named double) See mean_uncertainty().
#' @param size (double) The same of the number of records, if it is told.
#' @return (string)
#' @noRd
uncertain_means <- function(share, size = NULL, most = 12) {
  what <- c(
    rep("the number of records, with all totals,", length(size)),
    sprintf("the mean of `%s`", names(share))
  )
  share <- c(size, share)
  text <- paste(what, "by", ifelse(
    is.finite(share), ifelse(
      share < 10, paste0(format_figure(100 * share, 2), "%"),
      "more than ten times its size"
    ), "any share"
  ))
  more <- length(text) - most
  paste(c(
    utils::head(text, most), if (more > 0) sprintf("and %d more", more)
  ), collapse = ", ")
}

#' The line of a print
#' @return (string or `NULL`)
#' @noRd
means_text <- function(means) {
  share <- mean_uncertainty(means)
  if (length(share) == 0) {
    return(NULL)
  }
  share <- sort(share, decreasing = TRUE)
  far <- share[share > uncertain_mean]
  rest <- share[share <= uncertain_mean]
  text <- c(
    if (length(far) > 0) paste("uncertain:", uncertain_means(far)),
    if (length(rest) > 0) sprintf(
      "%s within %s%%", if (length(far) > 0) "others" else "all",
      format_figure(100 * max(rest), 2)
    )
  )
  paste0(paste(text, collapse = "; "), " (two standard errors of noise)")
}
