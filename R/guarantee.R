#' Privacy guarantee of an object
#'
#' States the label of an object, which is determined from how the object was
#' made. Only what is proven is called epsilon-differentially private.
#'
#' There are four labels:
#' * `"strict"`: the likelihood is censored to a public interval, no draw was
#'   dropped, there are no weights or they are public or paid for, and nothing
#'   that is released was read from the file, see [public_response()].
#' * `"asymptotic"`: the papers' \eqn{\epsilon = 2\Delta}, for weights made from
#'   this file or given by hand. The papers claim it; it is not proven.
#' * `"probabilistic"`: the same at a stated epsilon, with the share of local
#'   databases that exceed it estimated by a [replicate_study()]. This is still
#'   the papers' claim: it is about \eqn{2\Delta}, not about the privacy loss.
#' * `"none"`: unweighted fits, fits that have not converged, mixtures
#'   synthesized with posterior-assigned clusters.
#'
#' Both neighbour relations are given. *Add-remove* drops one record's term and
#' costs \eqn{2\Delta}. *Replace* changes one record's response and costs twice
#' as much. For synthetic data, whose predictors and number of records are
#' published, replace comes first. For parameter draws, add-remove comes first.
#' Each of m sets takes its own parameter draw, so their costs add up.
#'
#' @section Charges:
#' A label is made once, when sets are drawn. It lists as charges what was paid:
#' the parameter draws, a margin's histogram, the draw of a first stage. All
#' figures are computed from these charges. Each charge has an identity, a
#' random word that reveals nothing. One histogram is paid for once, however
#' many sets use it; two histograms are paid for separately. Every call of
#' [synthesize()] takes new draws and is a new charge. The joint cost of several
#' releases is therefore the sum over the charges of all their labels, with each
#' identity counted once. With a seed, a fit gives the same draws again, with
#' the same identity.
#'
#' Pure epsilons are added. If one charge is in zero-concentrated differential
#' privacy, all are converted to rho, added, and converted to an epsilon at a
#' public delta (Canonne, Kamath and Steinke 2020, Proposition 12). If all
#' charges are exact Gaussian noise, the smallest epsilon that holds for it is
#' stated (Balle and Wang 2018, Theorem 8). This is 5 to 8% smaller.
#'
#' @section Stated numbers:
#' A label rests on numbers that are public: bounds, breaks, references, prior
#' constants, constants of a formula, scalings, what survey weights are divided
#' by, ends, codes and heaps of a codebook, numbers in rules. A number of more
#' than three significant digits is refused if it equals a value of the column
#' or, as far as its own digits go, the column's mean, sum, standard deviation,
#' median, an extreme or a usual quantile (1, 5, 10, 15, 20, 25, 75, 80, 85, 90,
#' 95, 99%). If such a number is public all the same, such as a top code,
#' confirm it by `confirmed` of [public_response()] or of [file_plan()]. The
#' label and the certificate list what was confirmed. Survey weights whose mean,
#' sum, median or largest value is 1, or the divisor, were divided by a number
#' of the file before. They need a confirmed divisor, too. A protected column
#' that was scaled by the file is refused: its mean is 0 or 1, its sum,
#' standard deviation or median 1, to the last digit or to the decimals that are
#' stated, if these are fine beside the spread. If it was scaled by public
#' numbers, confirm the number 1. A column that was divided by its largest value
#' looks like a share and passes.
#'
#' This rule is a guard for honest users. It is no part of the proof: that rests
#' on the user's statement that the numbers are public. The rule cannot know
#' where a number comes from. It does not see a number that was rounded to three
#' digits, moved a little, computed in another way (the mean of a group, another
#' quantile, a figure of another column) or spread over several numbers. And it
#' reads the file before anything is paid: one record can decide whether a
#' number is refused. So it only says how many numbers of which argument are
#' refused. Keep refusals inside the agency.
#'
#' @section What is published:
#' Published columns and the number of records stay as they are, under either
#' relation. What they tell of a protected column is outside every epsilon. So a
#' copy of a protected column among them is refused. In a copy, each value goes
#' with one protected value. In addition, each protected value has one of its
#' own, or there are 20 or more of them and both columns rise or fall together
#' without exception. Recodings, other units and ranks are copies.
#'
#' A column nearly determines a protected one if it gives more than 90% of the
#' protected values: a record's value is given if it is the most common one
#' among the other records with the same published value, or if it stands in the
#' published column, as it is or within a hundredth of its spread (the
#' interquartile range, without the most common value, over 1.349), in its own
#' unit or in another one. Not counted are records for which both the
#' value and the guess are the most common value of all, and records whose
#' published value nobody else has, if these are fewer than half. All published
#' columns together are looked at in the same way. The fit or the plan tells it,
#' with the share, and [release()] refuses it unless `public` names these
#' columns. Of fewer than ten records nothing is said.
#'
#' In a database, responses are compared in classes: amounts in classes one
#' hundredth of the reference's scale wide, counts above 1,000 in classes of 2%.
#' Sums of several columns, groupings of the protected column, copies with more
#' noise and group means are not looked for, nor is what a column of nearly all
#' different values stands for, such as a hash: whether they are harmless is the
#' agency's own judgement.
#'
#' @section Edited objects:
#' A label says how an object was made. Fits, synthetic data, noisy histograms,
#' jobs, studies and labels hold a hash of the parts that their label rests on.
#' If these parts were changed afterwards, even in a saved file, the label is
#' `"none"`. Functions that need the object (`update()`, [truncate_draws()], a
#' rule of [freeze()], a [censor()] rule) then refuse it. Edited weights count
#' as given by hand, see [privacy_weights]. The hash finds mistakes. It does not
#' protect against deliberate forgery.
#'
#' @param x A `synthesizer`, `synthetic_data`, a `pseudo_posterior`, or another
#'   object with a label, such as a [score_release()].
#' @param m (count) The number of parameter draws to be released. Default 1.
#'   Synthetic data and jobs have a label only for their own m, which is then
#'   the default.
#' @param public (flag) Return the version that may leave the agency? It states
#'   an epsilon only if that was fixed beforehand (`"strict"`). For an
#'   asymptotic label it names the mechanism but not the number, which is
#'   computed from the confidential file. Default `FALSE`. Synthetic data and
#'   noisy releases such as histograms have only the public version: their
#'   default is `TRUE`, and `FALSE` is an error.
#' @param study (`replicate_study` or `NULL`) A study of this very fit, for the
#'   label `"probabilistic"`. Default `NULL`: no study.
#' @param ... Not used.
#'
#' @return A `privacy_guarantee`: a list with `label`, `mechanism` (a word),
#'   `title` (the mechanism in words), `what` (parameter draws or synthetic
#'   data), `relations` (the more relevant one first), `epsilon` (list:
#'   `per_draw`, `one_off` and `total`, each named by relation, and `delta`,
#'   which is 0 if `total` is a pure epsilon; `NA` if nothing is claimed or the
#'   number is withheld), `charges` (data frame, one row per charge: `id`,
#'   `what`, `add_remove` and `replace` in epsilon, or `rho_add_remove` and
#'   `rho_replace` if `zcdp`, `gap` (of Gaussian noise), `delta`, `times`),
#'   `draws` (the `id` of the charge that grows with m; `NA` if there is none),
#'   `fit` (the identity of the fit that was drawn from), `holds` (is it
#'   proven?), `m`, `n_records`, `n_draws`, `draw_quantile`, `lipschitz_bound`
#'   and `oscillation` (confidential, `NA` in the public version), `unit`,
#'   `public_inputs` (named character), `reasons`, `empirical`, `converged`,
#'   `reproducible`, `public`. With a study it also has `exceedance` (a list:
#'   `above`, `replicates`, `share`, `share_upper`, `level`; not in the public
#'   version).
#'   `format()` gives one line, `as.list()` a plain list, [to_json()]
#'   machine-readable text. Proven figures are printed to the last digit,
#'   claimed ones to three digits, whatever the session's options.
#'
#' @section Error types:
#' `pseudosynth_error_input`: the object has no label, `m` is below 1 or differs
#' from that of the synthetic data, or an argument is not used.
#' `pseudosynth_error_edited` (a `pseudosynth_error_privacy`): a study or
#' another part was changed after it was made. `pseudosynth_error_privacy`: the
#' study is of another model, mechanism or file, or of a fit that is not
#' asymptotic, or this file exceeds its epsilon.
#'
#' @section Privacy:
#' An audit on exact posteriors (beta model, N = 2,000, weights recomputed from
#' each file) found add-remove losses of 7.9 on average and 19 at worst. The
#' claim of the Lipschitz weights was 5.2.
#'
#' @references
#' Savitsky, Williams and Hu (2022), Bayesian pseudo posterior mechanism under
#' asymptotic differential privacy, Journal of Machine Learning Research 23(55),
#' Definition 3 and Theorem 1. Canonne, Kamath and Steinke (2020), The discrete
#' Gaussian for differential privacy.
#' @seealso [synthesize()], [public_response()], [to_json()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 1
#' )
#' guarantee(fit)
#' # Censored, with a margin: two charges
#' strict <- update(fit, censor = censor(2,
#'   reference = list("(Intercept)" = 10.8, sigma = 1)
#' ))
#' margin <- perturbed_histogram(log(income) ~ 1, small,
#'   bounds = c(10, 2e6), epsilon = 0.5
#' )
#' guarantee(synthesize(strict, m = 2, margin = margin))
#' @name guarantee
#' @export
#' @order 4
guarantee.synthesizer <- function(x, m = 1, public = FALSE, study = NULL, ...) {
  check_no_dots(..., hint = "See {.fn guarantee}.")
  check_class(x, "synthesizer")
  fit_guarantee(x, m, public, study)
}

fit_guarantee <- function(x, m, public, study = NULL) {
  m <- check_argument(m)
  check_flag(public)
  label <- label_of_fit(x, m)
  if (!is.null(study)) label <- probabilistic_guarantee(label, x, study)
  if (public) publish_guarantee(label) else label
}

#' @rdname external_fit
#' @param m,public As in [guarantee()].
#' @export
guarantee.external_fit <- function(x, m = 1, public = FALSE, ...) {
  check_no_dots(..., hint = "See {.fn guarantee}.")
  fit_guarantee(x, m, public)
}

# The label of a fit and of what is drawn from it: the verdict, the charges and
# the public inputs put together, once.

#' @param m (count) Parameter draws.
#' @param what (string) `"parameter draws"` or `"synthetic data"`.
#' @param assignment (string) How a mixture's clusters are drawn.
#' @param reproducible (flag) Was a seed given besides those of the fit, its
#'   weights and the margin?
#' @param margin (list or `NULL`) See margin_part().
#' @param bounds (two numbers or `NULL`) Of the released values.
#' @param draws_id (string) The identity of the draws. By default that of the
#'   fit, whose draws are yet to be taken.
#' @noRd
label_of_fit <- function(fit, m, what = "parameter draws",
                         assignment = "prior", reproducible = FALSE,
                         margin = NULL, draws_id = fit$id, bounds = NULL) {
  dependency <- tested_dependency(fit$privacy_weights, fit$data)
  verdict <- if (is_sealed(fit)) {
    verdict_of(fit, dependency, assignment)
  } else {
    edited_verdict("fit")
  }
  verdict <- with_margin(verdict, margin)
  strict <- verdict$label == "strict"
  epsilon <- epsilon_of(fit, verdict, dependency)
  new_privacy_guarantee(
    verdict, mechanism = mechanism_of(fit), title = describe_mechanism(fit),
    what = what, draws = charges_of_draws(fit, draws_id, epsilon, m),
    paid = join_charges(dependency$charges, margin$charges), m = m,
    fit = fit$id, n_records = length(fit$bound$record),
    n_draws = nrow(fit$draws), draw_quantile = fit$quantile,
    lipschitz_bound = fit$bound$overall,
    oscillation = max(fit$bound$oscillation), unit = fit$bound$unit,
    public_inputs = fit$inputs %||%
      public_inputs_of(fit, strict, margin, bounds),
    empirical = empirical_notes(fit, strict), converged = isTRUE(fit$converged),
    reproducible = reproducible || isTRUE(fit$seed_given) ||
      dependency$reproducible || isTRUE(margin$reproducible)
  )
}

#' What m parameter draws cost; of a whole file one charge for each column
#' @noRd
charges_of_draws <- function(fit, id, epsilon, m) {
  shares <- fit$shares %||% 1
  whole <- is.null(names(shares))
  do.call(rbind, lapply(seq_along(shares), function(k) {
    of <- if (!whole) sprintf(" of `%s`", names(shares)[k])
    charge(
      if (whole) id else hashed_id(id, k), paste0("parameter draw", of),
      epsilon * shares[[k]], times = m
    )
  }))
}

#' A margin keeps a label only where its own noise is exact
#' @noRd
with_margin <- function(verdict, margin) {
  if (is.null(margin)) {
    return(verdict)
  }
  parts <- Filter(function(x) x$label == "none", list(verdict, margin))
  if (length(parts) > 0) {
    reasons <- unlist(lapply(parts, `[[`, "reasons"))
    return(list(label = "none", reasons = reasons))
  }
  verdict$reasons <- c(verdict$reasons, unwrapped("The margin is a perturbed
     histogram of this file, paid for once; calibrating values to it costs
     nothing more."))
  verdict
}

#' Claimed or proven epsilon of one parameter draw, by relation
#' @noRd
epsilon_of <- function(fit, verdict, dependency) {
  if (verdict$label == "none") {
    by_relation(NA_real_)
  } else if (is.null(fit$censor)) {
    by_relation(2 * fit$bound$overall)
  } else {
    (fit$censor$upper - fit$censor$lower) * dependency$factor
  }
}

# Names ------------------------------------------------------------------------

# What fits without privacy weights are called, as their mechanisms are
without_weights <- list(
  weighted = "unweighted", censored = "censor_uw", centred = "centred"
)

#' What made the fit, in a word: its weights' scheme says it
#'
#' The word of a mechanism where one makes such fits.
#' @noRd
mechanism_of <- function(fit) {
  words <- if (is.null(fit$privacy_weights)) {
    without_weights
  } else {
    scheme_words(fit$privacy_weights)
  }
  if (is.null(fit$censor)) {
    words$weighted
  } else if (is.null(fit$censor$reference)) {
    words$censored
  } else {
    words$centred
  }
}

#' The same in words
#' @noRd
describe_mechanism <- function(fit) {
  weights <- fit$privacy_weights
  title_of_fit(
    if (!is.null(weights)) scheme_title(weights), !is.null(fit$censor),
    !is.null(fit$censor$reference)
  )
}

#' @param weights (string or `NULL`) The title of their scheme.
#' @noRd
title_of_fit <- function(weights, censored, centred = FALSE) {
  around <- if (centred) " ratio to a reference"
  words <- c(if (censored) paste0("censored likelihood", around), weights)
  if (is.null(words)) "unweighted posterior" else toString(words)
}

# What it rests on -------------------------------------------------------------

empirical_notes <- function(fit, strict) {
  if (strict) {
    return(meeting_notes(fit$met))
  }
  n_draws <- nrow(fit$draws)
  sprintf(
    unwrapped("The Lipschitz bound is a maximum over S = %s draws, not a
       supremum: one more draw exceeds it with probability 1/%s."),
    format_count(n_draws), format_count(n_draws + 1)
  )
}

#' What was measured of the sampler, which certifies nothing
#' @param met (list or `NULL`) See measure_meeting().
#' @noRd
meeting_notes <- function(met) {
  if (is.null(met)) {
    return(character())
  }
  none <- ", after which their estimated bound on total variation is 0"
  c(
    if (is.na(met$distance)) "One chain: the sampler's error was not measured.",
    text_if(
      !is.na(met$distance), unwrapped("The sampler: the draws of each of %s
         chains are within Kolmogorov distance %s of the other chains' draws."),
      format_count(met$chains), format_figure(met$distance, 2)
    ),
    text_if(
      met$pairs > 0, unwrapped("The sampler: %s of %s coupled pairs of chains,
         started at independent draws of the prior, met within warmup. The last
         met after %s sweeps%s."),
      format_count(met$pairs - met$apart), format_count(met$pairs),
      format_count(met$latest), if (met$apart == 0) none else ""
    )
  )
}

#' What the label rests on and the user has stated
#' @return (named character)
#' @noRd
public_inputs_of <- function(fit, strict, margin = NULL, bounds = NULL) {
  response <- fit$response
  if (strict) response <- released_response(response)
  response <- with_bounds(response, bounds)
  in_plain_figures(c(
    response = paste0(fit$bound$unit, " (the unit of the bound)"),
    values = rounding_text(response), confirmed_text(response$confirmed),
    predictors = if (is.null(fit$design)) {
      "as in the model fitted elsewhere; N is also public"
    } else {
      published_text(fit$design$variables)
    },
    model = format(fit$family), prior = format(fit$prior),
    survey_text(fit$survey), scheme_inputs(fit$privacy_weights),
    if (fit$quantile < 1) c("draw quantile" = format_exact(fit$quantile)),
    censor_inputs(fit$censor),
    if (!is.null(fit$censor) && !is.null(fit$control)) {
      c("sampling plan" = plan_text(fit$control))
    },
    if (!is.null(margin)) c(margin = margin$text)
  ))
}

#' What was run: numbers that no record decided, and the rule of the others
#'
#' How many sweeps a chain has made is not said: it depends on the file.
#' @noRd
plan_text <- function(control) {
  if (control$sampler == "grid") {
    return(sprintf(
      "%s independent draws, run once",
      format_count(control$chains * control$draws)
    ))
  }
  sprintf(
    "%s sampler, %s chains, %s warm-up, %s draws each, %s, run once",
    control$sampler, format_count(control$chains), format_count(control$warmup),
    format_count(control$draws), sweeps_text(control)
  )
}

sweeps_text <- function(control) {
  if (is.null(control$most_sweeps)) {
    return(paste("thin", format_count(control$thin)))
  }
  sprintf(
    "thin 1 to %s as coupled pairs show before each",
    format_count(control$most_sweeps)
  )
}

#' @param columns (character) Published beside what is synthetic.
#' @noRd
published_text <- function(columns) {
  listed <- paste0(
    toString(columns), ": values as published; N is also public"
  )
  if (length(columns) == 0) "none; N is public" else listed
}

censor_inputs <- function(censor) {
  if (is.null(censor)) {
    return(NULL)
  }
  exact <- vapply(censor[c("lower", "upper")], format_exact, "")
  window <- text_if(
    !is.null(censor$reference), "%s: every weight is multiplied by %s",
    format_exact(censor$window), format_exact(censor$alpha)
  )
  c(
    interval = sprintf("[%s, %s]", exact[1], exact[2]),
    reference = if (!is.null(censor$reference)) format(censor$reference),
    window = window
  )
}

# The label "probabilistic": a study of the very fit.

#' The label of a fit with a study of it
#' @noRd
probabilistic_guarantee <- function(label, fit, study) {
  check_class(study, "replicate_study")
  check_sealed(study)
  why <- if (label$label != "asymptotic" || !is.null(fit$censor)) {
    c(x = "The fit's own label is {.val {label$label}}{if (!is.null(fit$censor))
           ', from censoring'}. A study is about weights made from a file.")
  } else if (!identical(study$of, mechanism_mark(fit))) {
    c(
      x = "The study was made for another model, mechanism or file.",
      i = "Make a study of this fit."
    )
  } else if (2 * fit$bound$overall > study$epsilon) {
    c(
      x = "Twice this file's Lipschitz bound exceeds the stated epsilon.",
      i = "Make a study with a larger {.arg epsilon}."
    )
  } else if (study$file_rank == 0) {
    c(
      x = "This file's Lipschitz bound exceeds every local database's, so the
           local databases are not like the file.",
      i = "Fit a model with tails like the file's, or give {.arg generate}."
    )
  }
  refuse_if(
    !is.null(why), "The study cannot give this fit a probabilistic label.",
    why, abort = abort_privacy
  )
  label$label <- "probabilistic"
  label <- charge_draws(label, by_relation(study$epsilon))
  label$exceedance <- study[
    c("above", "replicates", "share", "share_upper", "level")
  ]
  label$reasons <- c(
    paste(
      "Epsilon was stated. The share of databases like this one that exceed it",
      "was estimated on local databases",
      if (study$generated) "made by a rule." else "drawn from this fit."
    ),
    label$reasons
  )
  seal(label)
}

#' What a study must share with the fit that it speaks of
#' @noRd
mechanism_mark <- function(fit) {
  weights <- fit$privacy_weights
  rlang::hash(list(
    deparse1(fit$formula), format(fit$family), format(fit$prior),
    if (!is.null(weights)) stated_arguments(node_of(weights)), fit$quantile,
    fit$bound$unit, history_mark(fit)
  ))
}

#' Schemes and arguments of weights and of all that they were computed from
#' @noRd
stated_arguments <- function(node) {
  c(node[c("scheme", "arguments")], lapply(node$of, stated_arguments))
}
