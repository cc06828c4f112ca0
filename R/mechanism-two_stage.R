# Censored under weights from a first draw of this file, which is paid for.

definition_two_stage <- function() {
  mechanism_definition(
    scheme = two_stage_scheme(), kind = "censored", label = "strict",
    does = "censors under weights from a paid draw", colour = "#88CCEE",
    settings = list(
      weight_range = needed("Give two public numbers, lo and hi. A record keeps
        weight 1 if its log-likelihood is at most lo in absolute value, and gets
        weight 0 from hi on."),
      first_share = 0.2, reference = NULL, window = NULL
    ),
    checks = c(
      reference_check, weight_range = function(x) check_weight_range(x)
    ),
    settle = settle_two_stage,
    prepare = function(job) prepare_clip(with_centred_prior(job)),
    split = split_two_stage, stages = stages_two_stage, grid = grid_two_stage
  )
}

# A centre changes what the likelihood is called
settle_two_stage <- function(mechanism) {
  centred <- !is.null(mechanism$settings$reference)
  mechanism$title <- title_of_fit(two_stage_scheme()$title, TRUE, centred)
  settle_window(mechanism)
}

split_two_stage <- function(job, rest) {
  first <- job$mechanism$settings$first_share * rest
  list(first = first, draw = (rest - first) / job$m)
}

stages_two_stage <- function(job) {
  tell_step("Fitting the first stage")
  first <- strict_first_stage(first_stage_fit(job))
  # All that comes after rests on the draw
  variable <- first$response$name
  spend_noise(
    job$ledger, first_stage_charge(first$id, first_stage_cost(first)),
    "two_stage", variable,
    first$data[setdiff(published_columns(first, first$data), variable)],
    first$data[[variable]], n_records = nrow(first$data), seed = job$seed
  )
  weights <- weights_of_first_stage(
    first, job$mechanism$settings$weight_range, job$neighbours,
    stage_seed(job$seed, "first")
  )
  clipped_stage(job, job_rule(job), weights)
}

#' Censored around 0 a first stage seldom converges: centred where possible
#' @noRd
first_stage_fit <- function(job) {
  rule <- job_rule(job, epsilon = job$budget$first)
  job_fit(job, "first", censor = resolve_censor(rule, job$family))
}

#' Both censors: an audit takes cells of the first stage for the draw that the
#' weights depend on
#' @noRd
grid_two_stage <- function(job) {
  first <- first_stage_fit(job)
  fit <- clipped_fit(job, job_rule(job))
  fit$first <- list(
    censor = first$censor, weight_range = job$mechanism$settings$weight_range,
    epsilon = first$censor$upper - first$censor$lower
  )
  list(two_stage = fit)
}
