# One model fitted by rstan, brms and this package, each from the unweighted fit
# to sets: 1,000 incomes, a normal regression of their logarithm. rstanarm is
# missing: its version 2.21 does not use the weights of a normal regression.
#
#   source(system.file("studies/own_stan_model.R", package = "pseudosynth"))
#   own_stan_model(1)
#
# Needs the packages rstan and brms, and a C++ compiler. A replicate takes about
# six minutes.

#' @param replicates (whole numbers) Which.
#' @param n (count) Records.
#' @param makers (character) Which packages.
#' @return (data frame) `replicate`, `maker`, `stage`, `item`, `value`, `text`.
#'   Items of a stage: `"bound"`, `"weight"` (mean), `"weight_below_half"`
#'   (share), `"converged"`, `"draws"`, `"label"` (`text`). Of a job (`stage` is
#'   `""`): `"compile"` and `"seconds"` (of the processor), `"refits"`, `"ecdf"`
#'   and `"q90"` (of 10 sets: largest distance, ratio of the 90% quantiles).
own_stan_model <- function(replicates, n = 1000,
                           makers = c("rstan", "brms", "package")) {
  columns <- c("income", "age", "education", "earner")
  file <- droplevels(subset(ce_income, income > 0, columns)[seq_len(n), ])
  do.call(rbind, lapply(replicates, function(replicate) {
    do.call(rbind, lapply(makers, function(maker) {
      found <- stan_makers[[maker]](file)
      cbind(replicate = replicate, maker = maker, found)
    }))
  }))
}

stan_formula <- log(income) ~ age + education + earner

# Two chains of 1,000 draws everywhere
stan_makers <- list(
  rstan = function(file) {
    if (!nzchar(rstan::rstan_options("boost_lib"))) {
      # Debian's package BH leaves Boost where the system has it
      rstan::rstan_options(boost_lib = "/usr/include")
    }
    program <- system.file(
      "examples", "weighted_regression.stan", package = "pseudosynth"
    )
    compile <- stan_time(program <- rstan::stan_model(program))
    refit <- function(weights, data = file) {
      x <- stats::model.matrix(stan_formula, data)
      rstan::sampling(
        program,
        list(
          N = nrow(x), P = ncol(x), X = x, y = log(data$income),
          alpha = weights
        ),
        pars = c("b", "sigma", "log_lik", "y_rep"), chains = 2, iter = 2000,
        refresh = 0, cores = 1
      )
    }
    elsewhere_job(refit, file, compile, predict = "y_rep")
  },
  brms = function(file) {
    first <- NULL
    compile <- stan_time(first <- brms::brm(
      log(income) | weights(w) ~ age + education + earner,
      data = transform(file, w = 1),
      prior = c(
        brms::set_prior("normal(0, 1)", class = "b"),
        brms::set_prior("normal(10.8, 2.5)", class = "Intercept"),
        brms::set_prior("student_t(3, 0, 1)", class = "sigma")
      ),
      chains = 0
    ))
    refit <- function(weights, data = file) {
      stats::update(
        first, newdata = transform(data, w = weights), recompile = FALSE,
        chains = 2, iter = 2000, refresh = 0, cores = 1
      )
    }
    elsewhere_job(refit, file, compile)
  },
  package = function(file) {
    seconds <- stan_time(job <- pseudo_posterior(
      stan_formula, file, stats::gaussian(),
      mechanism = "lw_final", m = 10, bounds = c(1, 2e6),
      prior = prior_normal(1, c(10.8, 2.5)), chains = 2, threads = 1
    ))
    stan_rows(job, 0, seconds)
  }
)

elsewhere_job <- function(refit, file, compile = 0, ...) {
  seconds <- stan_time({
    model <- external_fit(
      refit(rep(1, nrow(file))), refit,
      data = file, formula = stan_formula, ...
    )
    job <- pseudo_posterior(
      model, mechanism = "lw_final", m = 10, bounds = c(1, 2e6)
    )
  })
  stan_rows(job, compile, seconds)
}

# Of the processor, children such as the compiler included
stan_time <- function(code) {
  sum(system.time(
    utils::capture.output(suppressWarnings(suppressMessages(code)))
  )[c(1, 2, 4, 5)], na.rm = TRUE)
}

stan_rows <- function(job, compile, seconds) {
  row <- function(stage, item, value = NA_real_, text = NA_character_) {
    data.frame(stage = stage, item = item, value = value, text = text)
  }
  stages <- do.call(rbind, lapply(names(job$internal$fits), function(stage) {
    fit <- job$internal$fits[[stage]]
    weights <- fit$privacy_weights
    alpha <- rep(1, stats::nobs(fit))
    if (!is.null(weights)) alpha <- as.numeric(weights)
    rbind(
      row(stage, "bound", fit$bound$overall),
      row(stage, "weight", mean(alpha)),
      row(stage, "weight_below_half", mean(alpha < 0.5)),
      row(stage, "converged", as.numeric(isTRUE(fit$converged))),
      row(stage, "draws", length(fit$bound$draw)),
      row(stage, "label", text = guarantee(fit)$label)
    )
  }))
  file <- job$internal$fits[[1]]$data
  quantile <- function(set) {
    stats::quantile(set$income, 0.9, names = FALSE) /
      stats::quantile(file$income, 0.9, names = FALSE)
  }
  rbind(
    stages,
    row("", "compile", compile), row("", "seconds", seconds),
    row("", "refits", nrow(job$internal$fits$lw_final$reweighting$search)),
    row("", "ecdf", mean(vapply(as.list(job$synthetic), function(set) {
      both <- sort(unique(c(file$income, set$income)))
      max(abs(stats::ecdf(file$income)(both) - stats::ecdf(set$income)(both)))
    }, 0))),
    row("", "q90", mean(vapply(as.list(job$synthetic), quantile, 0)))
  )
}
