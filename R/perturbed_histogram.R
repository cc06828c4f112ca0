#' A histogram with noise: strictly private on its own
#'
#' Counts the records whose response lies in each bin, and adds discrete Laplace
#' noise to each count. The bins must be chosen without the data. Negative
#' counts become 0. The noisy counts cost epsilon once. Anything computed from
#' them, including synthetic data, is free.
#'
#' [synthesize()] draws values from the histogram, uniform within bins. Such a
#' set does not depend on the predictors.
#'
#' The exact noise needs epsilon as a ratio of whole numbers. It uses a ratio
#' that is smaller than epsilon by at most a millionth of epsilon.
#'
#' As the `margin` of `synthesize(fit, margin = )`, the histogram gives a
#' model's synthetic values its own distribution, including heaps and spikes.
#' Each value is replaced by the histogram's quantile at the value's rank. Bins
#' whose noise is larger than their counts keep the share of values that the
#' model gave them. Otherwise noise in empty bins would raise means.
#'
#' @param x (numeric vector or formula) The confidential response, or a formula
#'   such as `log(income) ~ 1`. The left side of the formula sets the scale on
#'   which the bins are equal; for a margin use the model's own formula. The
#'   right side is ignored.
#' @param data (data frame or `NULL`) The confidential file, if `x` is a
#'   formula.
#' @param bounds (two numbers) Smallest and largest value in the response's own
#'   unit. They are public knowledge. Values outside are clamped to them.
#' @param bins (count or increasing numbers) Either the number of equal bins on
#'   the modelled scale, default 60, at most 100,000; or public breaks in the
#'   response's own unit, which then replace `bounds`.
#' @param epsilon (positive number, at least 1e-6) The histogram's cost under
#'   `neighbours`.
#' @param neighbours (string) `"add-remove"`, the default: the noise has scale
#'   \eqn{1/\epsilon}. `"replace"`: one record leaves a bin and enters another,
#'   so the noise has scale \eqn{2/\epsilon}. The papers use replace for
#'   histograms and add-remove for likelihoods, see [censor()].
#' @param noise (string) `"discrete"`, the default: exact discrete Laplace noise
#'   in whole-number arithmetic from the operating system's entropy.
#'   `"continuous"`: Laplace noise in floating point, whose last digits can
#'   reveal the count. Use it only to reproduce the papers; the label is then
#'   `"none"`.
#' @param seed (whole number or `NULL`) `NULL`, the default, takes the operating
#'   system's entropy. With a seed the histogram is reproducible and not for
#'   release.
#' @param response ([public_response()] or `NULL`) Publicly known properties of
#'   the response: the decimals of the values drawn from the histogram, and
#'   bounds in place of `bounds`. Default `NULL`: values are not rounded.
#' @param ledger ([ledger()] or `NULL`) The ledger that records or refuses the
#'   cost before any noise is drawn. Drawing from the counts later adds nothing
#'   to it. Default `NULL`: no ledger.
#' @param ... Must be empty.
#'
#' @return A `perturbed_histogram`: a list with `counts` (noisy, negatives set
#'   to 0), `noisy` (before negatives were set to 0), `breaks` (on the modelled
#'   scale), `bounds`, `response`, `epsilon`, `neighbours`, `noise`,
#'   `reproducible`, and `id`, by which labels recognise a cost that was already
#'   paid. It holds nothing else of the file and may leave the agency under its
#'   label, [guarantee()].
#'
#' @section Means and upper quantiles:
#' Noise in far, empty bins counts as records. If the file is small, values
#' drawn from the histogram itself therefore have means and standard deviations
#' that are too large, although the ECDF looks right. An example has log-normal
#' files (log standard deviation 0.5 in two groups), 60 bins on \[0.5, 100\] and
#' epsilon 0.4, averaged over 25 files. With 600 records the mean is 9% too
#' large, the standard deviation 74% and the 95% quantile 23%. With 3,000
#' records they are 2%, 23% and 3% too large.
#'
#' @section Error types:
#' `pseudosynth_error_paid`: something failed after the payment; [resume()]
#' goes on.
#' `pseudosynth_error_input`: epsilon or bounds are out of range, bounds or
#' breaks end at the file's smallest or largest value, or values are missing.
#'
#' @section Privacy:
#' Bounds and bins must be chosen without the data; the package relies on you
#' for this. It can only detect an end that equals the file's own smallest or
#' largest value. It refuses such an end unless [public_response()] confirms it.
#'
#' @references
#' Canonne, Kamath and Steinke (2020), The discrete Gaussian for differential
#' privacy, Algorithms 1 and 2. Hu, Williams and Savitsky, Mechanisms for global
#' differential privacy under Bayesian data synthesis, for the perturbed
#' histogram with noise of scale \eqn{2/\epsilon}.
#' @seealso [synthesize()], [censor()]
#' @examples
#' positive <- subset(ce_income, income > 0)
#' histogram <- perturbed_histogram(
#'   log(income) ~ 1, positive,
#'   bounds = c(10, 2e6), epsilon = 0.5
#' )
#' histogram
#' guarantee(histogram)
#' synthesize(histogram, m = 2)
#' @export
perturbed_histogram <- function(x, data = NULL, bounds, bins = 60, epsilon,
                                neighbours = c("add-remove", "replace"),
                                noise = c("discrete", "continuous"),
                                seed = NULL, response = NULL, ledger = NULL,
                                ...) {
  check_no_dots(..., hint = "See {.fn perturbed_histogram}.")
  check_present(x)
  check_argument(ledger)
  values <- histogram_values(x, data, response)
  neighbours <- check_argument(neighbours)
  noise <- check_choice(noise, c("discrete", "continuous"))
  epsilon <- check_argument(epsilon, above = -Inf, min = 1e-6, max = 1e6)
  check_argument(seed)
  breaks <- histogram_breaks(
    values, rlang::maybe_missing(
      bounds, values$response$limits %||% rlang::missing_arg()
    ), bins
  )
  ends <- range(breaks$bounds)
  tell_outside(sum(values$y < ends[1] | values$y > ends[2]))
  arguments <- list(
    values = values, breaks = breaks, epsilon = epsilon,
    neighbours = neighbours, noise = noise, ledger = ledger
  )
  start_paid("perturbed_histogram", arguments, seed, run_histogram)
}

#' A histogram from its checked arguments
#' @noRd
run_histogram <- function(values, breaks, epsilon, neighbours, noise, ledger,
                          seed) {
  made <- list(
    breaks = breaks$scale, bounds = breaks$bounds, response = values$response,
    epsilon = epsilon, neighbours = neighbours, noise = noise,
    reproducible = is_seeded(seed), id = new_charge_id()
  )
  measurement <- histogram_measurement(made)
  counts <- measurement$counts(values)
  made$id <- spend_noise(
    ledger, histogram_charge(made, claims = TRUE), "perturbed_histogram",
    values$response$name, NULL, values$y,
    seed = seed, label = if (noise == "continuous") "none" else "strict"
  )$id
  noisy <- measured(measurement, counts, list(seed))[[1]]
  made <- c(list(counts = pmax(noisy, 0), noisy = noisy), made)
  # The same seed and outcome are the same histogram, which is paid once
  if (is_seeded(seed)) {
    made$id <- hashed_id(made[setdiff(names(made), "id")], given_seed(seed))
  }
  do.call(new_noisy_release, c("perturbed_histogram", made))
}

#' What a histogram is charged
#'
#' @param x (list) A histogram, with or without its counts.
#' @param claims (flag) Is it as it was made?
#' @noRd
histogram_charge <- function(x, claims = is_sealed(x)) {
  epsilon <- if (claims && x$noise == "discrete") {
    own_cost(histogram_measurement(x))$epsilon
  } else {
    by_relation(NA_real_)
  }
  charge(x$id, paste("perturbed histogram of", x$response$label), epsilon)
}

#' A histogram as a measurement: a record adds 1 to the count of its bin
#' @param x (list) `breaks`, `bounds`, `epsilon`, `neighbours` and `noise`.
#' @return (`measurement`) Of values, see histogram_values().
#' @noRd
histogram_measurement <- function(x) {
  rate <- width_of_epsilon(x$epsilon, x$neighbours)
  draw <- if (x$noise == "discrete") discrete_laplace else continuous_laplace
  breaks <- x[c("breaks", "bounds")]
  bins <- length(x$breaks) - 1
  bound <- by_relation(1, 2)
  new_measurement(
    "perturbed histogram", "counts", bins,
    bound = function(kind) bound,
    vectors = function(values, part) {
      1 * outer(binned_values(values, breaks), seq_len(bins), `==`)
    },
    counts = function(values) {
      as.double(tabulate(binned_values(values, breaks), bins))
    },
    sums = list,
    noise = list(
      scale = 1 / rate, epsilon = bound * rate,
      draw = function(n, seed) draw(n, rate, seed)
    )
  )
}

# Input ----------------------------------------------------------------------

#' The response and the scale of its bins
#' @return (list) `y` (own unit), `response` (`synth_response`).
#' @noRd
histogram_values <- function(x, data, stated = NULL) {
  if (inherits(x, "formula")) {
    check_formula(x, arg = "x")
    check_data_frame(data, arg = "data")
    response <- parse_response(x, data)
    y <- data[[response$name]]
  } else {
    refuse_if(
      is.numeric(x) && !is.null(data),
      "{.arg data} is only used if {.arg x} is a formula.",
      x = "{.arg x} is {describe_type(x)}.", arg = "data"
    )
    response <- list(name = "x", transform = "identity", constant = 1)
    y <- x
  }
  refuse_if(
    !is.numeric(y) || is.object(y) || !is.null(dim(y)) || length(y) == 0,
    "{.arg x} must be a numeric vector, or a formula whose left side is a
     numeric column of {.arg data}.",
    x = "It is {describe_type(y)}.", arg = "x"
  )
  bad <- which(is.na(y))
  refuse_if(
    length(bad) > 0, "The response must have no missing values.",
    x = "It is missing for {length(bad)} of {length(y)} record{?s}.",
    arg = "x", rows = bad
  )
  # The values of a vector have no column of their own
  response$column <- inherits(x, "formula")
  response$kind <- "continuous"
  response <- state_response(
    c(response, list(type = "double", digits = NA_integer_)), stated
  )
  check_public_ends(response$limits, y, "bounds", response)
  check_own_scale(
    facts_of(y), stated_digits(response), response$confirmed, response$name
  )
  if (response$column) {
    check_public_ends(formula_numbers(x, names(data)), y, "formula", response)
  }
  response$label <- response_label(response)
  list(
    y = as.double(y),
    response = do.call(new_result, c("synth_response", response))
  )
}

#' Breaks on the modelled scale, from public numbers
#' @return (list) `scale` (breaks on the modelled scale), `bounds` (own unit).
#' @noRd
histogram_breaks <- function(values, bounds, bins) {
  stated <- is.numeric(bins) && !is.object(bins) && length(bins) > 1
  if (stated) {
    check_breaks(bins)
    ends <- as.double(range(bins))
  } else {
    n_bins <- check_count(bins, min = 2, max = most_bins, arg = "bins")
    ends <- check_bounds(bounds)
  }
  arg <- if (stated) "bins" else "bounds"
  # Between two ends equally wide bins say nothing more
  asked <- if (stated && !are_even(bins)) bins else ends
  check_public_ends(asked, values$y, arg, values$response)
  # On the scale of the formula by mistake, they are no less the file's
  modelled <- suppressWarnings(response_forward(values$response, values$y))
  check_public_ends(asked, modelled, arg, values$response)
  scaled <- response_forward(
    values$response, if (stated) as.double(bins) else ends
  )
  refuse_if(
    !all(is.finite(scaled)),
    "{.arg bounds} must be finite on the scale of the bins.",
    x = "{.code {values$response$label}} is not finite there.", arg = "bounds"
  )
  if (!stated) scaled <- seq(scaled[1], scaled[2], length.out = n_bins + 1)
  check_ends_hold(ends, values$response, arg)
  list(scale = scaled, bounds = ends)
}

#' Say how many records lie outside of public bounds
#' @noRd
tell_outside <- function(outside) {
  if (outside > 0) {
    # Not by cli, which takes a tenth of a release
    rlang::inform(c(
      sprintf(
        ngettext(
          outside,
          "%d record lies outside `bounds` and is counted in the outer bins.",
          "%d records lie outside `bounds` and are counted in the outer bins."
        ), outside
      ),
      i = "For the agency only: this count is confidential."
    ))
  }
}

are_even <- function(breaks) {
  width <- diff(breaks)
  max(width) - min(width) <= 1e-9 * sum(width)
}

# Exact noise takes 17 microseconds a bin
most_bins <- 1e5

check_breaks <- function(bins) {
  refuse_if(
    !all(is.finite(bins)) || is.unsorted(bins, strictly = TRUE),
    "Breaks given as {.arg bins} must be finite and increasing.", arg = "bins"
  )
  check_count(length(bins) - 1, max = most_bins, arg = "bins")
}

#' Bins of the clamped values
#' @param breaks (list) `breaks` (modelled scale) and `bounds`.
#' @noRd
binned_values <- function(values, breaks) {
  y <- stated_values(values$response, values$y)
  z <- response_forward(
    values$response, clamp(y, breaks$bounds[1], breaks$bounds[2])
  )
  bins_of(z, breaks$breaks)
}

#' How many records each bin holds; the outer ones hold all beyond them
#' @param z (double, N) The response on the modelled scale.
#' @return (double)
#' @noRd
bin_counts <- function(z, breaks) {
  as.double(tabulate(bins_of(z, breaks), length(breaks) - 1))
}

bins_of <- function(z, breaks) {
  findInterval(z, breaks, rightmost.closed = TRUE, all.inside = TRUE)
}

# Noise ----------------------------------------------------------------------

#' Exact discrete Laplace noise, P(x) proportional to exp(-rate |x|)
#' @param rate (number) Epsilon over the sensitivity.
#' @noRd
discrete_laplace <- function(n, rate, seed = NULL) {
  ratio <- ratio_below(rate)
  discrete_laplace_(
    n, ratio[["s"]], ratio[["t"]],
    if (is_seeded(seed)) seed_words(seed, "histogram")
  )
}

#' The largest ratio of whole numbers at or below a rate, s in \[2^20, 2^21\]
#'
#' t is a power of 2, so that s = floor(rate t) is exact.
#' @return (named double) `s`, `t`.
#' @noRd
ratio_below <- function(rate) {
  power <- max(0, 20 - floor(log2(rate)))
  s <- floor(rate * 2^power)
  while (s %% 2 == 0 && power > 0) {
    s <- s / 2
    power <- power - 1
  }
  c(s = s, t = 2^power)
}

continuous_laplace <- function(n, rate, seed = NULL) {
  u <- uniforms_(n, seed_words(seed, "histogram"), 0L) - 0.5
  -sign(u) * log1p(-2 * abs(u)) / rate
}

# The distribution -----------------------------------------------------------

#' The nearest counts that are not negative and keep the total
#'
#' Euclidean projection onto a simplex: all counts move down by the same number,
#' negatives become 0. Post-processing of the noisy counts.
#' @noRd
project_counts <- function(noisy) {
  total <- sum(noisy)
  if (total <= 0) {
    return(pmax(noisy, 0))
  }
  sorted <- sort(noisy, decreasing = TRUE)
  shift <- (cumsum(sorted) - total) / seq_along(sorted)
  pmax(noisy - shift[max(which(sorted > shift))], 0)
}

#' Each value becomes the quantile of its rank; equal values are put in a random
#' order
#' @param x (list) `counts` and `breaks`.
#' @param values (numeric, N) On the modelled scale.
#' @param tie (numeric, N) Random numbers.
#' @noRd
quantile_of_rank <- function(x, values, tie) {
  n <- length(values)
  rank <- integer(n)
  rank[order(values, tie)] <- seq_len(n)
  histogram_quantile(x, (rank - 0.5) / n)
}

#' Breaks that are not equally wide are a statement of their own
#' @noRd
bins_text <- function(x) {
  width <- diff(x$breaks)
  equal <- max(width) - min(width) <= 1e-9 * sum(width)
  sprintf("%d bins%s", length(x$counts), if (equal) "" else " of stated breaks")
}

# Printing -------------------------------------------------------------------

#' @export
format.perturbed_histogram <- function(x, ...) {
  sprintf(
    "perturbed histogram of %s, %s on [%s, %s], epsilon %s (%s)",
    x$response$label, bins_text(x), format_count(x$bounds[1]),
    format_count(x$bounds[2]), format(x$epsilon), x$neighbours
  )
}

print_lines.perturbed_histogram <- function(x) {
  c(
    strwrap(capitalize(format(x)), 78, exdent = 2),
    sprintf(
      "  %s noise, noisy total %s",
      if (x$noise == "discrete") "exact discrete Laplace" else
        "floating-point Laplace",
      format_count(round(sum(x$counts)))
    ),
    wrap_line(paste("label:", format(guarantee(x))))
  )
}

# The label of a noisy histogram, and its part in the label of what it is the
# margin of.

#' @param n_records (count) Of what is drawn from it, for synthetic data.
#' @param published (character) Columns published beside what is drawn.
#' @param bounds (two numbers or `NULL`) Of what is drawn.
#' @noRd
release_label.perturbed_histogram <- function(
  x, what = "the noisy counts", m = 1, n_records = NA_integer_,
  reproducible = x$reproducible, published = NULL, bounds = NULL, ...
) {
  check_class(x, "perturbed_histogram")
  new_privacy_guarantee(
    histogram_verdict(x), mechanism = "perturbed_histogram",
    title = "perturbed histogram", what = what, paid = histogram_charge(x),
    m = m, n_records = n_records, unit = x$response$label,
    public_inputs = in_plain_figures(c(
      response = x$response$label,
      values = rounding_text(with_bounds(x$response, bounds)),
      histogram = sprintf(
        "%s on [%s, %s], noise of scale %s", bins_text(x),
        format_exact(x$bounds[1]), format_exact(x$bounds[2]),
        format_exact(1 / width_of_epsilon(x$epsilon, x$neighbours))
      ),
      confirmed_text(x$response$confirmed),
      if (length(published) > 0) c(predictors = published_text(published))
    )),
    reproducible = isTRUE(reproducible), public = TRUE
  )
}

#' What a histogram puts into the label of what it is the margin of
#'
#' @return (list) `label` and `reasons` of its own, `charges`, `text` (its
#'   public settings), `reproducible`; `NULL` without a margin.
#' @noRd
margin_part <- function(x) {
  if (!is.null(x)) {
    c(histogram_verdict(x), list(
      charges = histogram_charge(x), text = in_plain_figures(format(x)),
      reproducible = x$reproducible
    ))
  }
}

histogram_verdict <- function(x) {
  if (!is_sealed(x)) {
    return(edited_verdict("histogram"))
  }
  exact <- x$noise == "discrete"
  list(label = if (exact) "strict" else "none", reasons = if (exact) {
    unwrapped("Bounds and bins are public. One record changes one count by 1, or
       two counts under replace. The noise is exact discrete Laplace noise.")
  } else {
    unwrapped("The noise is Laplace noise in floating point, whose last digits
       can reveal the counts. It serves only to reproduce the papers.")
  })
}
