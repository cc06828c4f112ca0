#' How the sampler runs and when a fit counts as converged
#'
#' @param sampler (string; default `"auto"`) One of
#'   * `"gibbs"`: exact conditional draws for the normal family;
#'   * `"augmentation"`: the mixture sampler with component indicators, exact
#'     for privacy weights between 0 and 1, for the priors [prior_shared()] and
#'     [prior_normal()];
#'   * `"nuts"`: Hamiltonian Monte Carlo without U-turns, for any model, slower;
#'     chains rarely mix over the components of a mixture;
#'   * `"auto"`: the first of these that suits the model.
#' @param thin (count or `NULL`) Sweeps of the sampler for each kept draw.
#'   `NULL`, the default, takes twice the number of components for the
#'   augmentation sampler (0.8 times it from six components on, where a sweep
#'   holds a Hamiltonian move as well), 3 for the Gibbs sampler under
#'   [prior_hierarchical()] and 1 otherwise.
#' @param adapt_delta (number between 0 and 1; default 0.8) NUTS: the acceptance
#'   that the step size aims at. Raise it when draws diverge.
#' @param max_treedepth (count from 1 to 20; default 10) NUTS: at most
#'   2^max_treedepth steps a draw.
#' @param metric (string; default `"diagonal"`) NUTS: `"diagonal"` or `"dense"`.
#' @param progress (flag; default [interactive()]) Show progress?
#' @param max_rhat (number above 1; default 1.05) The largest R-hat of a
#'   converged fit.
#' @param min_ess (positive number or `NULL`) The smallest effective sample size
#'   of a converged fit, over all chains. `NULL`, the default, is 200 in bulk
#'   for a mixture, and 400 in bulk and in the tails otherwise.
#' @param max_divergent (number in \[0, 1\]; default 0.01) The largest share of
#'   divergent draws of a converged fit.
#' @return A `sampler_control` for [fit_synthesizer()].
#' @section Error types: `pseudosynth_error_input` for a value out of range.
#' @references Hoffman and Gelman (2014), Journal of Machine Learning Research
#'   15, 1593-1623. Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021),
#'   \doi{10.1214/20-BA1221}, for the thresholds.
#' @examples
#' sampler_control(adapt_delta = 0.95, progress = FALSE)
#' @export
sampler_control <- function(sampler = "auto", thin = NULL, adapt_delta = 0.8,
                            max_treedepth = 10, metric = "diagonal",
                            progress = interactive(), max_rhat = 1.05,
                            min_ess = NULL, max_divergent = 0.01) {
  structure(
    list(
      sampler = check_choice(
        sampler, c("auto", "gibbs", "augmentation", "nuts")
      ),
      thin = check_count(thin, min = 1, null = TRUE),
      adapt_delta = check_number(adapt_delta, above = 0, below = 1),
      max_treedepth = check_count(max_treedepth, min = 1, max = 20),
      metric = check_choice(metric, c("diagonal", "dense")),
      progress = check_flag(progress),
      max_rhat = check_number(max_rhat, above = 1),
      min_ess = check_number(min_ess, above = 0, null = TRUE),
      max_divergent = check_number(max_divergent, min = 0, max = 1)
    ),
    class = "sampler_control"
  )
}

#' @export
print.sampler_control <- function(x, ...) {
  values <- vapply(x, function(value) {
    if (is.null(value)) "default" else format(value)
  }, "")
  cat("<sampler_control>\n", paste0("  ", format(names(x)), " ", values, "\n"),
    sep = ""
  )
  invisible(x)
}

#' Choose the sampler of a model
#' @return (string) `"gibbs"`, `"augmentation"` or `"nuts"`.
#' @noRd
choose_sampler <- function(sampler, spec, call = rlang::caller_env()) {
  suits <- c(
    # the Gibbs step of Omega is a Wishart draw, which needs lkj above 1/2
    gibbs = spec$family == "gaussian" && is.null(spec$censor) &&
      (spec$prior$kind != "hierarchical" || spec$prior$lkj > 0.5),
    augmentation = spec$family == "normal_mixture" && is.null(spec$censor) &&
      spec$prior$kind != "hierarchical",
    nuts = TRUE
  )
  if (sampler == "auto") {
    return(names(suits)[suits][1])
  }
  if (!suits[[sampler]]) {
    possible <- names(suits)[suits]
    abort_input(
      c(
        "{.arg sampler} must suit the model.",
        x = "{.val {sampler}} does not.",
        i = "This model can use {.or {.val {possible}}}."
      ),
      arg = "sampler", call = call
    )
  }
  sampler
}

# Hamiltonian moves a sweep. They cost several sweeps: many components gain from
# them, few mix as well on sweeps alone.
default_hamiltonian_moves <- function(spec) as.integer(spec$K > 5)

# Sweeps a kept draw. More components move more slowly, about in proportion;
# with Hamiltonian moves fewer sweeps do. Under the hierarchical prior tau and b
# hold each other back, and a Gibbs sweep costs next to nothing.
default_thin <- function(sampler, spec) {
  if (sampler == "augmentation") {
    per_component <- if (default_hamiltonian_moves(spec) > 0) 0.8 else 2
    as.integer(ceiling(per_component * spec$K))
  } else if (sampler == "gibbs" && spec$prior$kind == "hierarchical") {
    3L
  } else {
    1L
  }
}

#' Threads of a fit when nothing is said
#'
#' The option `pseudosynth.threads`, else two, or one on a machine with one
#' core. Results do not depend on it.
#' @noRd
default_threads <- function() {
  getOption(
    "pseudosynth.threads", min(2L, RcppParallel::defaultNumThreads())
  )
}
