# Noisy sums of clipped scores, and everything drawn from them: spent once,
# whatever m is.

definition_score <- function() {
  mechanism_definition(
    name = "score", kind = "scores", label = "strict", title = "score release",
    does = "releases noisy sums of clipped scores once, for any number of sets",
    short = "Score", colour = "#661100",
    settings = list(
      reference = NULL, delta = 1e-6, clip = NULL,
      step_shares = c(0.17, 0.83), spread = NULL, table_share = 0.35
    ),
    checks = c(
      reference_check, delta = function(x) check_score_delta(x),
      clip = function(x) check_positive(x, 2, "clip", null = TRUE),
      step_shares = function(x) check_positive(x, 2, "step_shares")
    ),
    settle = settle_score,
    prepare = checked_by(job_model),
    split = function(job, rest) list(first = rest, draw = 0),
    stages = function(job) {
      list(score = kept_step(job$seed, "score release", release_job(job)))
    },
    release = function(job, sets) {
      release_independent(
        job, sets, release_job, as_given(job$model$data, job$model)
      )
    },
    grid = NULL
  )
}

# A level's sums have no centre: one is asked for when the family is known
settle_score <- function(mechanism) {
  s <- mechanism$settings
  score_settings(
    s$reference %||% no_centre, s$delta, NULL, 40, s$clip, c(1, s$step_shares),
    s$spread, table_share = s$table_share
  )
  mechanism
}

#' The model with its default prior, checked
#' @noRd
job_model <- function(job) {
  model <- job$model
  used <- used_levels(job$data)
  if (!identical(lapply(used, levels), lapply(job$data, levels))) {
    given <- job$fit_arguments
    model <- new_model(
      job$formula, used, job$family, given$prior, given$response, given$scaling
    )
  }
  check_score_family(model$family)
  check_score_design(model$design)
  check_score_epsilon(job$epsilon)
  reference <- release_settings(job)$reference
  check_public_centre(reference, job$fit_arguments$prior, model)
  default <- if (!is_categorical(model$family)) {
    released_prior(reference, model$family)
  }
  model <- with_prior(model, job$fit_arguments$prior %||% default)
  score_prior(model)
  reference_draw(reference$values, model, model$spec)
  model
}

#' What score_release() has for arguments
#' @noRd
release_settings <- function(job) {
  s <- job$mechanism$settings
  margin <- job$margin
  refuse_if(
    length(margin$bins) > 1,
    "The mechanism {.val score} places its bins itself.",
    x = "{.arg bins} states breaks.",
    i = "State {.arg bounds}, and the number of bins as {.arg bins}.",
    arg = "bins"
  )
  share <- margin$share %||% 0.5
  score_settings(
    s$reference, s$delta, margin$bounds, margin$bins %||% 40, s$clip,
    c(share, (1 - share) * s$step_shares / sum(s$step_shares)), s$spread,
    job$model$family, s$table_share
  )
}

release_job <- function(job) {
  release_scores(
    job_model(job), release_settings(job), job$epsilon, job$neighbours,
    stage_seed(job$seed, "score"), job$ledger, job$m
  )
}
