#' Set the sampler and its convergence checks
#'
#' Chooses the sampler of [fit_synthesizer()], its settings, and the convergence
#' checks that a fit has to pass.
#'
#' @param sampler (string; default `"auto"`) One of
#'   * `"gibbs"`: exact conditional draws for the normal family;
#'   * `"augmentation"`: the mixture sampler. It alternates sweeps over
#'     component indicators and all unknowns with moves that sum the indicators
#'     out, trajectories of coefficients and of what they share among them. It
#'     is exact for privacy weights between 0 and 1 and supports the
#'     priors [prior_shared()] and [prior_normal()];
#'   * `"grid"`: independent draws from an adaptive grid over all parameters,
#'     without a Markov chain. It suits models with up to two parameters and
#'     handles posteriors of any shape, as censored likelihoods give;
#'   * `"surrogate"`: independent proposals from a quadratic expansion of the
#'     log-likelihood around its penalised mode under the exact prior. Each
#'     proposal passes an exact accept-reject step. It suits all models except
#'     mixtures and [categorical()], and allows weights and censoring;
#'   * `"nuts"`: Hamiltonian Monte Carlo without U-turns. It suits any model but
#'     is slower, and its chains rarely mix over the components of a mixture.
#'     Under a censored likelihood the chains start from draws of the prior.
#'     With up to 20 unknowns (hyperparameters and correlations included) they
#'     jump between the regions that short chains from other draws have found.
#'     With more unknowns they do not cross from one mode or plateau to another;
#'     if they end in different ones, the fit does not pass the convergence
#'     checks;
#'   * `"auto"`: the first of these that suits the model (the grid only under a
#'     censored likelihood; the surrogate not with more coefficients than
#'     records, unless under a censored likelihood or [prior_hierarchical()]).
#'     If the chains of the surrogate sampler agree but have too few independent
#'     draws, they continue with up to ten proposals per draw; if they disagree,
#'     they start over. If the sampler accepts too few proposals (see
#'     `min_acceptance`), or does not converge with ten proposals per draw, NUTS
#'     is run instead and the fit says so. It is not run for more than ten
#'     coefficients under [prior_hierarchical()], because it would take hours.
#'     Under a censored likelihood nothing is re-run, because the file must not
#'     decide what is run. A sampler given by name is never replaced.
#' @param thin (count or `NULL`) Sweeps of the sampler per kept draw. `NULL`,
#'   the default, depends on the sampler. Augmentation: 0.3 times the number of
#'   components, rounded up; an iteration of its warmup is always one sweep.
#'   Gibbs: 3 under [prior_hierarchical()], otherwise 1.
#'   Surrogate: 3 under that prior with more than 20 columns, otherwise 1. Under
#'   a censored likelihood each chain looks at some hundred moves of coupled
#'   pairs before it starts, and makes 1 to 20 sweeps by what they accept and
#'   how soon they meet; under that prior 10,000 divided by the number of
#'   records, but at least 3 and at most 20. Others: 1.
#' @param adapt_delta (number between 0 and 1, or `NULL`) NUTS: target
#'   acceptance rate of the step size. `NULL`, the default, is 0.95 under
#'   [prior_hierarchical()], whose narrow regions need small steps, and 0.8
#'   otherwise. Raise it if draws diverge.
#' @param max_treedepth (count from 1 to 20; default 10) NUTS: at most
#'   2^max_treedepth steps per draw.
#' @param metric (string; default `"auto"`) NUTS: the mass matrix. `"diagonal"`
#'   and `"dense"` are learnt in warm-up. `"curvature"` is the curvature of the
#'   log posterior at its mode, found once before the chains start; it suits one
#'   mode without hyperparameters or censoring. `"auto"` is `"curvature"` for
#'   [categorical()] with up to 1,000 coefficients and without censoring, and
#'   `"diagonal"` otherwise.
#' @param progress (flag; default [interactive()]) Show progress?
#' @param max_rhat (number above 1; default 1.05) Largest R-hat of a converged
#'   fit.
#' @param min_ess (positive number or `NULL`) Smallest effective sample size of
#'   a converged fit, over all chains. `NULL`, the default, is 200 in bulk for a
#'   mixture, and 400 in bulk and in the tails otherwise.
#' @param max_divergent (number in \[0, 1\]; default 0.01) Largest share of
#'   divergent draws of a converged fit.
#' @param min_acceptance (number in \[0, 1\]; default 0.3) Smallest acceptance
#'   rate with which `"auto"` keeps the surrogate sampler. Below it the
#'   quadratic expansion is a poor approximation of the posterior.
#' @return A `sampler_control` for [fit_synthesizer()].
#' @section Privacy: A label's claim holds for draws from the pseudo posterior.
#'   Convergence checks weaker than the defaults therefore rule out the label
#'   `"strict"`. Checks that allow an R-hat above 1.1, fewer than 50 effective
#'   draws or more than 10% divergent draws give the label `"none"`. The grid
#'   has no convergence checks.
#' @section Error types: `pseudosynth_error_input`: a value out of range.
#' @references Hoffman and Gelman (2014), Journal of Machine Learning Research
#'   15, 1593-1623. Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021),
#'   \doi{10.1214/20-BA1221}, for the thresholds.
#' @examples
#' sampler_control(adapt_delta = 0.95, progress = FALSE)
#' @export
sampler_control <- function(sampler = "auto", thin = NULL, adapt_delta = NULL,
                            max_treedepth = 10, metric = "auto",
                            progress = interactive(), max_rhat = 1.05,
                            min_ess = NULL, max_divergent = 0.01,
                            min_acceptance = 0.3) {
  new_result(
    "sampler_control",
    sampler = check_choice(
      sampler, c("auto", "gibbs", "augmentation", "grid", "surrogate", "nuts")
    ),
    thin = check_count(thin, min = 1, null = TRUE),
    adapt_delta = check_number(adapt_delta, above = 0, below = 1, null = TRUE),
    max_treedepth = check_count(max_treedepth, min = 1, max = 20),
    metric = check_choice(
      metric, c("auto", "diagonal", "dense", "curvature")
    ),
    progress = check_flag(progress),
    max_rhat = check_number(max_rhat, above = 1),
    min_ess = check_number(min_ess, above = 0, null = TRUE),
    max_divergent = check_number(max_divergent, min = 0, max = 1),
    min_acceptance = check_number(min_acceptance, min = 0, max = 1)
  )
}

print_lines.sampler_control <- function(x) {
  values <- vapply(x, function(value) format(value %||% "default"), "")
  c("<sampler_control>", paste0("  ", format(names(x)), " ", values))
}

#' Choose the sampler of a model
#' @return (string) The first of the samplers that suits, or the one asked for.
#' @noRd
choose_sampler <- function(sampler, spec) {
  # Omega given b is a Wishart draw, which needs lkj above 1/2
  draws_omega <- spec$prior$kind != "hierarchical" || spec$prior$lkj > 0.5
  suits <- c(
    gibbs = spec$family == "gaussian" && is.null(spec$censor) && draws_omega,
    augmentation = spec$family == "normal_mixture" && is.null(spec$censor) &&
      spec$prior$kind != "hierarchical",
    grid = isTRUE(count_parameters(spec) <= 2) &&
      (spec$prior$kind != "hierarchical" || spec$n_columns == 1),
    surrogate = !spec$family %in% c("normal_mixture", "categorical") &&
      draws_omega,
    nuts = TRUE
  )
  if (sampler == "auto") {
    # Chains get lost on censored likelihoods only, and are faster elsewhere
    suits[["grid"]] <- suits[["grid"]] && !is.null(spec$censor)
    # With fewer records than coefficients the prior rules most directions, and
    # a quadratic expansion at the mode is far from the posterior
    few <- is.null(spec$censor) && spec$prior$kind != "hierarchical" &&
      length(spec$alpha) < spec$n_columns
    suits[["surrogate"]] <- suits[["surrogate"]] && !few
    return(names(suits)[suits][1])
  }
  refuse_if(
    !suits[[sampler]], "{.arg sampler} must suit the model.",
    x = "{.val {sampler}} does not.",
    i = "This model can use {.or {.val {names(suits)[suits]}}}.",
    arg = "sampler"
  )
  sampler
}

# Coefficients above which products with a matrix of them cost more than the
# steps that it saves
most_dense <- 1000

#' The mass matrix of NUTS, or the one asked for
#' @noRd
choose_metric <- function(metric, spec) {
  hyper <- spec$prior$kind %in% c("hierarchical", "shared")
  one_mode <- is.null(spec$censor) && !hyper && spec$family != "normal_mixture"
  refuse_if(
    metric == "curvature" && !one_mode,
    "{.code metric = \"curvature\"} needs a model with one mode.",
    x = "Censored records, mixtures and hyperparameters make several, or none.",
    i = "Use {.code metric = \"dense\"}.", arg = "metric"
  )
  log_concave <- one_mode && spec$family == "categorical" &&
    spec$n_columns * (spec$K - 1) <= most_dense
  if (metric != "auto") {
    return(metric)
  }
  if (log_concave) "curvature" else "diagonal"
}

#' What "auto" tries after a run of the surrogate sampler
#'
#' Nothing where records are censored: a strict label speaks of a plan that was
#' fixed before the file was seen.
#'
#' Too few accepted proposals: NUTS. Enough of them, but chains that do not pass
#' the gates: up to ten proposals a draw, which cost little, then NUTS. Not NUTS
#' for many coefficients under the hierarchical prior: their correlations and
#' funnels would take it hours and defeat it. Nor where records are censored:
#' its trajectories do not cross plateaus, and then chains that agree say
#' nothing.
#'
#' @param fit (`synthesizer`) Diagnosed.
#' @param asked (`sampler_control`) As the user gave it.
#' @return The settings of the next run, or `NULL` to keep this one.
#' @noRd
next_attempt <- function(fit, asked) {
  control <- fit$control
  share <- mean(fit$sampler$accept_stat)
  accepts <- !isTRUE(share < control$min_acceptance)
  may_run_again <- is.null(fit$censor) && !isTRUE(fit$interrupted) &&
    asked$sampler == "auto" && control$sampler == "surrogate"
  if (!may_run_again || (accepts && fit$converged)) {
    return(NULL)
  }
  hopeless <- fit$spec$prior$kind == "hierarchical" && fit$spec$n_columns > 10
  if ((accepts || hopeless) && is.null(asked$thin) && control$thin < 10L) {
    control$thin <- if (accepts) larger_thin(fit) else 10L
    return(control)
  }
  if (hopeless) {
    return(NULL)
  }
  control$replaced <- if (accepts) {
    "did not mix"
  } else {
    sprintf("accepted %s of its proposals", format_figure(share, 2))
  }
  control$sampler <- "nuts"
  control$thin <- asked$thin %||% 1L
  control
}

# Proposals a draw after a run that did not pass. Where the draws are only too
# few: what they lack and half as much again, in whole multiples, so that chains
# can go on. Ten where the chains disagree.
larger_thin <- function(fit) {
  times <- min(ceiling(1.5 * lacks(fit)), 10 %/% fit$control$thin)
  if (!has_too_few(fit) || times < 2) {
    return(10L)
  }
  as.integer(times * fit$control$thin)
}

# Wanted draws for each effective one, where fewest are.
lacks <- function(fit) {
  fit$control$min_ess / min(fit$diagnostics$ess_bulk, fit$diagnostics$ess_tail)
}

# Do the chains agree, and draw too little?
has_too_few <- function(fit) {
  isTRUE(lacks(fit) > 1) &&
    isTRUE(all(fit$diagnostics$rhat <= fit$control$max_rhat))
}

# Sweeps a kept draw of clipped records
most_sweeps <- 20

# Sweeps a kept draw. More components move more slowly, about in proportion.
# Under the hierarchical prior tau and b hold each other back, and a Gibbs sweep
# costs next to nothing.
default_thin <- function(sampler, spec) {
  hierarchical <- spec$prior$kind == "hierarchical"
  as.integer(switch(sampler,
    augmentation = ceiling(0.3 * spec$K),
    gibbs = if (hierarchical) 3 else 1,
    surrogate = if (hierarchical && !is.null(spec$censor)) {
      # There is no second run. Fewer records, which are public, leave the
      # posterior less like a normal one, and cost less
      clamp(ceiling(10000 / length(spec$y)), 3, most_sweeps)
    } else {
      # As with Gibbs: many tau move slowly
      if (hierarchical && spec$n_columns > 20) 3 else 1
    },
    1
  ))
}

#' What a converged fit has to pass when nothing is said
#'
#' The defaults of `sampler_control()`; a strict label needs no less.
#' @param family (string) Of the specification.
#' @noRd
default_gates <- function(family) {
  least <- if (identical(family, "normal_mixture")) 200 else 400
  list(max_rhat = 1.05, min_ess = least, max_divergent = 0.01)
}
