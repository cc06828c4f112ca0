#' Draw synthetic data from a fit
#'
#' Each of the m sets takes a kept draw \eqn{\theta_s} of its own, chosen at
#' random without replacement, and draws \eqn{y^*_i \sim p(\cdot | x_i,
#' \theta_s)} for every record. Values come back in the variable's own unit and
#' type: whole dollars stay whole. The predictors are those of the file,
#' published as they are.
#'
#' @param fit (`synthesizer` or `perturbed_histogram`) The fit, or a
#'   [perturbed_histogram()], whose values know nothing of the predictors.
#' @param m (count) Number of sets, at most the number of kept draws. Default 1.
#' @param newdata (`NULL` or data frame) Predictors to draw for. `NULL`, the
#'   default, takes those of the file. Other records than those of the file need
#'   only public predictors. For a histogram: records that get a value each;
#'   `NULL` draws as many as its noisy counts sum to, without predictors.
#' @param margin (`perturbed_histogram` or `NULL`) Of the same response on the
#'   same scale: each synthetic value becomes the histogram's quantile of its
#'   rank among the values of its set. The model then carries the relations and
#'   the histogram the margin. It is paid once for all sets.
#' @param assignment (string) How a mixture's cluster is drawn: `"prior"`, the
#'   default, from the mixing proportions, a function of the draw alone;
#'   `"posterior"` from its distribution given the record's confidential value,
#'   as the papers do. The latter reads that value a second time, outside the
#'   mechanism: the label is then `"none"`. For reproduction only.
#' @param seed (count or `NULL`) `NULL`, the default, takes the operating
#'   system's entropy. Data made under a given seed are marked reproducible and
#'   not for release. R's own random state is neither used nor changed.
#' @param allow_unconverged (flag) Draw from a fit that has not converged?
#'   Default `FALSE`: an error. With `TRUE` the label is `"none"`.
#'
#' @return [`synthetic_data`][synthetic_data]: m data frames and their public
#'   label. Rows stay in the order of the file.
#'
#' @section Error types:
#' `pseudosynth_error_input`: more sets than kept draws, `"posterior"` for a
#' model without clusters or with `newdata`, unknown levels in `newdata`, a
#' margin of another response.
#' `pseudosynth_error_privacy`: a fit that has not converged.
#'
#' @section Privacy:
#' Every set costs one parameter draw, see [guarantee()]; a histogram and a
#' margin cost their epsilon once. The result holds no
#' confidential value: no fit, draws, weights, bounds, seed, formula or
#' environment.
#' @references
#' Hu, Savitsky and Williams, Private tabular survey data products through
#' synthetic microdata generation, section 2.
#' @seealso [guarantee()], [pseudo_posterior()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 500, seed = 1
#' )
#' syn <- synthesize(fit, m = 2)
#' syn
#' head(syn[[1]])
#' @export
synthesize <- function(fit, m = 1, newdata = NULL, margin = NULL,
                       assignment = c("prior", "posterior"), seed = NULL,
                       allow_unconverged = FALSE) {
  m <- check_count(m, min = 1)
  if (inherits(fit, "perturbed_histogram")) {
    return(synthesize_histogram(fit, m, newdata, margin, seed))
  }
  check_class(fit, "synthesizer", "Make one with {.fn fit_synthesizer}.")
  check_margin(margin, fit)
  assignment <- check_choice(assignment, c("prior", "posterior"))
  check_assignment(assignment, fit, newdata)
  check_seed(seed)
  check_converged(fit, allow_unconverged)
  n_kept <- nrow(fit$draws)
  if (m > n_kept) {
    abort_input(
      c(
        "Each synthetic set needs a draw of its own.",
        x = "{m} sets are asked for, but the fit keeps {n_kept} draw{?s}.",
        i = "Fit with more {.arg draws}."
      ),
      arg = "m"
    )
  }

  words <- seed_words(seed)
  rows <- random_rows(n_kept, m, words)
  values <- synthesize_(
    newdata_spec(fit, newdata), fit$draws[rows, , drop = FALSE], words,
    if (assignment == "posterior") 1L else 0L
  )
  if (!is.null(margin)) {
    for (j in seq_len(m)) {
      calibrated <- calibrate_margin(
        margin, values[, j], uniforms_(nrow(values), words, m + j)
      )
      # A proportion is modelled on (0, 1) and binned in its own unit
      values[, j] <- if (is.null(fit$response$bounds)) {
        calibrated
      } else {
        response_forward(fit$response, calibrated)
      }
    }
  }
  new_synthetic_data(
    fit, values, if (is.null(newdata)) fit$data else newdata,
    assignment = assignment,
    reproducible = !is.null(seed) || isTRUE(fit$seed_given),
    margin = margin
  )
}

#' Values drawn from a histogram: post-processing, whatever m is
#' @noRd
synthesize_histogram <- function(x, m, newdata, margin, seed,
                                 call = rlang::caller_env()) {
  check_seed(seed, call = call)
  if (!is.null(margin)) {
    abort_input(
      c(
        "{.arg margin} is for models.",
        x = "{.arg fit} is a histogram itself."
      ),
      arg = "margin", call = call
    )
  }
  check_records_frame(newdata, call)
  n <- if (is.null(newdata)) round(sum(x$counts)) else nrow(newdata)
  words <- seed_words(seed)
  values <- vapply(seq_len(m), function(j) {
    histogram_quantile(x, uniforms_(n, words, j))
  }, numeric(n))
  variable <- x$response$variable
  label <- guarantee_of_histogram(
    x,
    what = "synthetic data", m = m, n_records = as.integer(n),
    reproducible = x$reproducible || !is.null(seed)
  )
  build_synthetic_sets(
    matrix(values, n, m), x$response, newdata, c(variable, setdiff(
      names(newdata), variable
    )),
    label, assignment = "prior"
  )
}

check_records_frame <- function(newdata, call) {
  if (!is.null(newdata)) {
    check_data_frame(newdata, arg = "newdata", call = call)
  }
}

check_margin <- function(margin, fit, call = rlang::caller_env()) {
  if (is.null(margin)) {
    return(invisible())
  }
  check_class(
    margin, "perturbed_histogram", "Make one with {.fn perturbed_histogram}.",
    arg = "margin", call = call
  )
  check_margin_kind(fit$response, call)
  scale <- c("variable", "transform", "constant")
  same <- identical(
    unclass(margin$response)[scale], unclass(fit$response)[scale]
  )
  if (!same) {
    abort_input(
      c(
        "{.arg margin} must be a histogram of the modelled response.",
        x = "The model is of {.code {response_label(fit$response)}}, the
             histogram of {.code {response_label(margin$response)}}.",
        i = "Give {.fn perturbed_histogram} the model's formula."
      ),
      arg = "margin", call = call
    )
  }
  invisible()
}

check_margin_kind <- function(response, call) {
  if (identical(response$kind, "binary")) {
    abort_input(
      c(
        "{.arg margin} is for responses of more than two values.",
        i = "Leave it out."
      ),
      arg = "margin", call = call
    )
  }
}

check_assignment <- function(assignment, fit, newdata,
                             call = rlang::caller_env()) {
  if (assignment == "prior") {
    return(invisible())
  }
  if (!is_mixture(fit$family)) {
    abort_input(
      c(
        "{.code assignment = \"posterior\"} is for mixtures.",
        x = "The family of {.arg fit} has no clusters.",
        i = "Leave {.arg assignment} out."
      ),
      arg = "assignment", call = call
    )
  }
  if (!is.null(newdata)) {
    abort_input(
      c(
        "{.code assignment = \"posterior\"} reads the confidential response.",
        x = "{.arg newdata} has none.",
        i = "Leave {.arg assignment} or {.arg newdata} out."
      ),
      arg = "assignment", call = call
    )
  }
}
