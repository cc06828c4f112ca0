#' Make weights from one strictly private draw
#'
#' Makes weights that depend only on the record itself and on one parameter draw
#' whose cost is charged. Use them if there is no earlier file to make weights
#' from. A first fit, censored so that one of its draws costs
#' \eqn{\epsilon_0}, gives a draw \eqn{\theta_0}; then \deqn{\alpha_i =
#' \mathrm{clamp}\left(\frac{hi - |f_i(\theta_0)|}{hi - lo}\right)} with public
#' numbers lo and hi. Fit again with these weights and `censor(epsilon -
#' epsilon0)`. Given \eqn{\theta_0}, each weight depends only on its own record,
#' so the costs of the two stages add up to \eqn{\epsilon} for every file.
#'
#' @param x A `synthesizer`, whose model is fitted again with censoring, or a
#'   formula.
#' @param epsilon0 (number > 0) Cost of the draw under `neighbours`. A fifth of
#'   the total is a good choice.
#' @param weight_range (two numbers, `0 <= lo < hi`) lo and hi: a record with
#'   \eqn{|f_i| \le lo} keeps weight 1, one with \eqn{|f_i| \ge hi} gets 0.
#'   There is no default: they must be public and not be read from this file.
#' @param data,family If `x` is a formula: as in [fit_synthesizer()].
#' @param neighbours (string) The relation that `epsilon0` refers to, as in
#'   [censor()]. Default `"add-remove"`.
#' @param reference,window As in [censor()], for the first stage. Default
#'   `NULL`: no reference.
#' @param seed As in [fit_synthesizer()]. With a seed, everything made from the
#'   weights is reproducible and must not be released.
#' @param ... Passed to [fit_synthesizer()] or [update()][update.synthesizer].
#'
#' @return [`privacy_weights`][privacy_weights] of scheme `"two_stage"`.
#'   `arguments` holds `epsilon0` (add-remove), `epsilon0_replace`,
#'   `weight_range`, `neighbours`, `reproducible`, and `reference` (origin of
#'   the first stage's reference). [guarantee()] adds `epsilon0` once for each
#'   first stage.
#'
#' @section Error types:
#' `pseudosynth_error_input`: arguments out of range.
#' `pseudosynth_error_privacy`: the first stage has not converged, or its label
#' is not strict.
#'
#' @section Privacy:
#' As for any fit, the sampler's error of the first stage is not certified. The
#' weights are as confidential as the records: they reveal \eqn{f_i(\theta_0)}.
#' @seealso [censor()], [freeze()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' w <- two_stage_weights(log(income) ~ age + earner,
#'   epsilon0 = 0.5, weight_range = c(1, 6), data = small, family = gaussian(),
#'   reference = list("(Intercept)" = 10.8, sigma = 1),
#'   prior = prior_normal(intercept = c(10.8, 2.5)), chains = 2, warmup = 300,
#'   draws = 2000, seed = 1
#' )
#' w
#' @export
two_stage_weights <- function(x, epsilon0, weight_range, data = NULL,
                              family = NULL, neighbours = "add-remove",
                              reference = NULL, window = NULL, seed = NULL,
                              ...) {
  check_present(x)
  # The first stage is censored
  if (inherits(x, "external_fit")) abort_censored_elsewhere("x")
  response <- if (inherits(x, "synthesizer")) {
    x$response
  } else {
    check_formula(x, arg = "x")
    check_data_frame(data)
    family <- as_synth_family(family %||% normal_mixture(), arg = "family")
    new_response(x, data, family, list(...)$response)
  }
  check_response_is_public(response)
  check_present(weight_range)
  check_weight_range(weight_range)
  check_number(epsilon0, above = 0)
  check_argument(seed)
  rule <- censor(
    epsilon0, neighbours = neighbours, reference = reference, window = window
  )
  first <- if (inherits(x, "synthesizer")) {
    update(
      x, privacy_weights = NULL, censor = rule, seed = seed, quantile = 1, ...
    )
  } else {
    fit_synthesizer(x, data, family, censor = rule, seed = seed, ...)
  }
  first <- strict_first_stage(first)
  weights_of_first_stage(first, weight_range, neighbours, seed)
}

#' The first stage, of which no draw is chosen yet: is it worth its charge?
#' @noRd
strict_first_stage <- function(first) {
  refuse_privacy(
    !isTRUE(first$converged), "The first stage must have converged.",
    x_bullets(first$problems), i = "Increase {.arg warmup} and {.arg draws}.",
    problems = first$problems
  )
  verdict <- verdict_of(first, dependency("own record"))
  refuse_privacy(
    verdict$label != "strict", "The first stage must have a strict label.",
    x = "It is {.val {verdict$label}}.", i = "{cli_escape(verdict$reasons)}"
  )
  first
}

#' @param first (`synthesizer`) See strict_first_stage().
#' @noRd
weights_of_first_stage <- function(first, weight_range, neighbours, seed) {
  # One draw is paid for, chosen by the system's entropy unless seeded
  row <- random_rows(n_draws(first), 1, seed_words(seed, "first"))
  kept <- seq_len(n_draws(first)) == row
  basis <- list(
    weight_range = weight_range,
    model = frozen_model(replace(first, "censor", list(NULL)), kept),
    history = fit_rows(first), charge_id = first[["id"]]
  )
  cost <- first_stage_cost(first)
  new_privacy_weights(
    two_stage_values(basis, first$data), "two_stage",
    list(
      epsilon0 = cost[["add-remove"]],
      epsilon0_replace = cost[["replace"]], weight_range = weight_range,
      neighbours = neighbours, reproducible = is_seeded(seed) ||
        isTRUE(first$seed_given),
      reference = first$censor$reference$origin %||% "none"
    ),
    made_from = history_mark(first), basis = basis, records = model_marks(first)
  )
}

#' What one draw of the first stage costs
#' @noRd
first_stage_cost <- function(first) {
  by_relation(first$censor$upper - first$censor$lower)
}

first_stage_charge <- function(id, cost) {
  charge(id, "parameter draw of a first stage", cost)
}

check_weight_range <- function(weight_range) {
  check_that(
    are_numbers(weight_range, 2) && weight_range[1] >= 0 &&
      weight_range[1] < weight_range[2], weight_range,
    "{.arg weight_range} must be two finite numbers, at least 0 and increasing."
  )
  weight_range
}

two_stage_scheme <- function() {
  new_weighting_scheme(
    "two_stage",
    title = "two-stage weights", short = "Two-stage", word = "two_stage",
    clipped = c(censored = "two_stage", centred = "two_stage"),
    inputs = c("epsilon0", "weight_range", scaling_names),
    dependency = function(node, inner) {
      a <- node$arguments
      dependency(
        "own record",
        charges = first_stage_charge(
          node$basis$charge_id,
          by_relation(a[["epsilon0"]], a[["epsilon0_replace"]])
        ),
        history = if (a[["reference"]] == "history") "confidential" else "none",
        reproducible = a[["reproducible"]]
      )
    },
    reads = reads_model,
    rule = function(node, data, inner) two_stage_values(node$basis, data),
    rescale = function(node, scale, shift) {
      node$arguments <- with_scaling(node$arguments, scale, shift)
      with_step(node, scale, shift)
    }
  )
}

#' Weights of records at the one draw
#' @noRd
two_stage_values <- function(basis, data) {
  delta <- model_bound(basis$model, data)
  apply_steps(two_stage_rule(basis, delta), basis$steps)
}

two_stage_rule <- function(basis, delta) {
  range <- basis$weight_range
  alpha <- clamp((range[2] - delta) / diff(range))
  alpha[!is.finite(delta)] <- 0
  alpha
}
