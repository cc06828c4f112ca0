# What the tests of audits share.

# Grids of the tests are coarse: about 4,000 cells take a tenth of a second.
beta_audit <- function(data, mechanism, epsilon = NULL, ..., cells = 4000) {
  audit_guarantee(
    y ~ 1, data, beta_response(c(0, 1)), mechanism, epsilon, ...,
    cells = cells
  )
}

# A row of the table, of one relation.
worst_of <- function(audit, neighbours = "add-remove") {
  audit$worst[audit$worst$neighbours == neighbours, ]
}

skewed_file <- function(n, seed = 1) {
  withr::with_seed(seed, {
    data.frame(y = pmin(pmax(stats::rbeta(n, 0.5, 3), 1e-4), 1 - 1e-4))
  })
}

printed <- function(x) {
  gsub("\\s+", " ", paste(capture.output(print(x)), collapse = " "))
}

# A rule that another file has fixed
past_rule <- function(history, family, ...) {
  fit <- suppressWarnings(fit_synthesizer(
    y ~ 1, history, family, ...,
    chains = 2, warmup = 300, draws = 1000, seed = 1, threads = 1
  ), classes = "pseudosynth_warning_convergence")
  freeze(lipschitz_weights(fit, allow_unconverged = TRUE))
}

# The parts of an audit that removes a record
audit_of_job <- function(file, family, mechanism, epsilon = NULL, prior = NULL,
                         remove = 1L) {
  given <- if (!is.null(prior)) list(prior = prior) else list()
  job <- suppressMessages(assign_mechanism(
    new_job(y ~ 1, file, family, given, "add-remove", NULL, FALSE),
    mechanism, epsilon
  ))
  model <- job$model
  list(
    mechanism = job_mechanism(job),
    problem = audit_problem(
      model, audit_neighbours(model, remove, 0, NULL), NULL
    )
  )
}
