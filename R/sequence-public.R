# Regressions of the columns of a file of which nothing is read off the file:
# levels, bins, centres and scales are those of the codebook. What a record adds
# to a regression then depends on that record alone.

#' How a regression sees a predictor, by its row of the codebook alone
#' @return (list) See predictor_coding().
#' @noRd
public_coding <- function(spec) {
  if (!is_amount(spec)) {
    return(list(level = seq_along(block_levels(spec))))
  }
  parts <- amount_parts(spec)
  coding <- list(transform = spec$transform)
  if (any(parts$valued)) {
    amount <- amount_model(spec)
    unit <- public_unit(amount)
    coding$breaks <- public_breaks(amount)
    coding[c("centre", "scale")] <- list(unit$centre, unit$spread)
  }
  # Parts with values have bins in their place
  level <- cumsum(!parts$valued)
  level[parts$valued] <- 1L
  bins <- if (is.null(coding$breaks)) 0L else length(coding$breaks) + 1L
  coding$level <- c(level, sum(!parts$valued) + seq_len(bins))
  coding
}

#' Breaks of an amount's bins, in its own unit: equally wide on the modelled
#' scale
#' @noRd
public_breaks <- function(amount) {
  ends <- range(modelled_ends(amount))
  inner <- seq(ends[1], ends[2], length.out = regression_bins + 1)
  back <- response_transforms[[amount$transform]]$back
  breaks <- back(inner[-c(1, length(inner))])
  # A logarithm takes negative values without their sign
  if (amount$transform == "log" && any(amount$parts$kind == "negative")) {
    breaks <- c(-breaks, 0, breaks)
  }
  low <- min(amount$parts$low)
  high <- max(amount$parts$high)
  sort(unique(breaks[breaks > low & breaks < high]))
}

#' What an amount is measured in where it is modelled
#'
#' A logarithm has a unit of its own, in which the papers' bounds are. Other
#' values are measured in sixths of their range, so that a bound does not depend
#' on the currency.
#' @return (list) `centre` and `scale` of the modelled response, `spread`: a
#'   sixth of the range.
#' @noRd
public_unit <- function(amount) {
  ends <- range(modelled_ends(amount))
  spread <- if (diff(ends) > 0) diff(ends) / 6 else 1
  plain <- amount$transform == "identity"
  list(
    centre = mean(ends), scale = if (plain) spread else 1, spread = spread,
    ends = ends
  )
}

#' A model of a made-up frame that has every level: its design is that of the
#' codebook, whatever levels the file has
#' @param coding (named list) Of the predictors, see public_coding().
#' @param parts (integer or `NULL`) Parts of the amount that is modelled.
#' @return (list) See new_model().
#' @noRd
public_model <- function(coding, family, prior, parts = NULL) {
  levels <- lapply(coding, function(own) seq_len(max(own$level)))
  names(levels) <- sprintf("x%d", seq_along(coding))
  if (length(parts) > 1) levels$part <- parts
  # A factor of one level tells nothing
  levels <- levels[lengths(levels) > 1]
  lines <- sprintf("z%d", which(!vapply(coding, function(own) {
    is.null(own$breaks)
  }, TRUE)))
  n <- max(2L, lengths(levels))
  frame <- lapply(levels, function(x) factor(rep_len(x, n), x))
  frame[lines] <- list(rep_len(c(-1, 1), n))
  y <- rep_len(0:1, n)
  frame$y <- if (family$kind == "continuous") as.double(y) else y
  model <- new_model(
    on_all_others(frame),
    structure(frame, class = "data.frame", row.names = .set_row_names(n)),
    family, prior,
    scaling = stats::setNames(rep(list(c(0, 1)), length(lines)), lines)
  )
  # The made-up records are no evidence of collinear columns
  model$design$aliased <- character()
  model
}

#' The same model of the records of a file
#' @param frame (data frame) See regression_frame().
#' @param y (numeric) Whatever a record has that is not used.
#' @noRd
model_of_records <- function(model, frame, y) {
  frame$y <- y
  model$data <- frame[names(model$data)]
  model$spec <- model_spec(model)
  model
}

# The regressions of a column --------------------------------------------------

#' The regressions of a column, to be fitted
#'
#' Each has all records of the file, so that their number tells nothing; those
#' that it is not of are not `used`: they have weight 0.
#' @param file (list) See records_of_plan().
#' @param plan (`file_plan`) Which columns are of members that need not exist.
#' @return (list) `coding`; `part` (`steps`: list, see public_halves()) and
#'   `value` (see public_value()), or `NULL`.
#' @noRd
public_regressions <- function(file, name, specs, predictors, plan) {
  spec <- specs[[name]]
  there <- has_member(file, name, plan)
  coding <- lapply(specs[predictors], public_coding)
  frame <- regression_frame(coding, file, specs)
  code <- column_code(file, name)
  valued <- is_amount(spec) && any(amount_parts(spec)$valued)
  levels <- seq_along(block_levels(spec))
  # Nobody who exists has the level of those who do not
  levels <- setdiff(levels, absent_place(spec, plan))
  size <- length(levels)
  whole <- if (valued && size > 1) 1 / 2 else 1
  list(
    coding = coding,
    part = if (size > 1) {
      list(
        steps = public_halves(code, there, levels, coding, frame, whole),
        levels = levels
      )
    },
    value = if (valued) {
      public_value(spec, file, coding, frame, whole)
    }
  )
}

#' Levels by halves: is it in the second half, of the first or of the second?
#'
#' A record is in as many regressions as its level has halves around it, at most
#' the logarithm of the number of levels.
#' @param there (logical, N) Records that can have a level at all.
#' @param levels (integer) Those that there are.
#' @param whole (number) The column's share of a record's contribution that its
#'   levels may have.
#' @return (list) Each `low`, `middle` and `high` (of `levels`), `model`, `used`
#'   (logical, N), `share`.
#' @noRd
public_halves <- function(code, there, levels, coding, frame, whole) {
  place <- match(code, levels, 0L)
  size <- length(levels)
  halves <- function(low, high) {
    if (low == high) {
      return(NULL)
    }
    middle <- (low + high) %/% 2L
    c(
      list(list(low = low, middle = middle, high = high)), halves(low, middle),
      halves(middle + 1L, high)
    )
  }
  model <- public_model(coding, bernoulli(), prior_normal(1, c(0, 2.5)))
  deep <- ceiling(log2(size))
  lapply(halves(1L, size), function(half) {
    used <- there & place >= half$low & place <= half$high
    y <- as.integer(used & place > half$middle)
    c(half, list(
      model = model_of_records(model, frame, y), used = used,
      share = whole / deep
    ))
  })
}

#' The values of an amount, all parts that have some together
#' @return (list) As fit_values(), with `model`, `used` and `share` for `fit`.
#' @noRd
public_value <- function(spec, file, coding, frame, whole) {
  amount <- amount_model(spec)
  parts <- amount$part
  unit <- public_unit(amount)
  located <- is_location(amount$family)
  centre <- if (located) unit$centre else 0
  scale <- if (located) unit$scale else 1
  intercept <- if (located) {
    c(0, max(2.5, diff(unit$ends) / scale / 4))
  } else {
    # Of a log link the middle of what the bounds allow
    rep(max(2.5, log1p(max(unit$ends)) / 2), 2)
  }
  prior <- prior_normal(1, intercept)
  values <- file$values[[spec$column]]
  used <- !is.na(values)
  code <- column_code(file, spec$column)
  # Records without a value have any: they are not used
  frame$part <- factor(ifelse(used, code, parts[1]), parts)
  y <- rep_len(c(0, 1), length(values))
  y[used] <- (to_modelled(amount, values[used]) - centre) / scale
  model <- public_model(coding, amount$family, prior, parts)
  list(
    amount = amount, centre = centre, scale = scale,
    model = model_of_records(model, frame, y), used = used, share = whole
  )
}
