# The Stan side: programs compiled once a run, and their diagnostics.

require_rstan <- function() {
  if (!requireNamespace("rstan", quietly = TRUE)) {
    stop(
      "rstan is not installed. These benchmarks need a current one from CRAN,",
      " for instance\n  install.packages(\"rstan\")\nin a library of its own",
      " named by the environment variable R_LIBS.",
      call. = FALSE
    )
  }
}

#' Compile bench/stan/<name>.stan; the time it takes is not counted anywhere.
#' Compiled programs are kept in bench/.cache, by the version of rstan.
compiled_model <- function(name) {
  require_rstan()
  # One object for the whole session: rstan loses the library of a program that
  # is there twice
  if (is.null(compiled_here[[name]])) {
    compiled_here[[name]] <- read_or_compile(name)
  }
  compiled_here[[name]]
}

compiled_here <- new.env()

read_or_compile <- function(name) {
  file <- file.path("bench", "stan", paste0(name, ".stan"))
  stamp <- sprintf(
    "%s-%s-%s.rds", name, unname(tools::md5sum(file)),
    utils::packageVersion("rstan")
  )
  cache <- file.path("bench", ".cache", stamp)
  if (file.exists(cache)) {
    return(readRDS(cache))
  }
  message("compiling ", file)
  model <- rstan::stan_model(file, model_name = name, auto_write = FALSE)
  dir.create(dirname(cache), showWarnings = FALSE)
  saveRDS(model, cache)
  model
}

#' A compiled program on its data, without any draw.
stan_target <- function(model, data) {
  suppressMessages(rstan::sampling(model, data, chains = 0))
}

#' What Stan says about its own run, one row.
#' @param pars (character) the quantities that are judged.
stan_diagnostics <- function(fit, pars) {
  steps <- rstan::get_sampler_params(fit, inc_warmup = FALSE)
  draws <- as.array(fit, pars = pars)
  apply_to <- function(f) suppressWarnings(apply(draws, 3, f))
  energy <- vapply(steps, function(chain) {
    e <- chain[, "energy__"]
    sum(diff(e)^2) / sum((e - mean(e))^2)
  }, 0)
  depth <- unlist(lapply(steps, function(chain) chain[, "treedepth__"]))
  out <- data.frame(
    divergences = sum(vapply(steps, function(s) sum(s[, "divergent__"]), 0)),
    at_max_depth = sum(depth >= 10),
    median_leapfrogs = stats::median(
      unlist(lapply(steps, function(s) s[, "n_leapfrog__"]))
    ),
    min_bfmi = min(energy),
    max_rhat = max(apply_to(posterior::rhat)),
    min_ess_bulk = min(apply_to(posterior::ess_bulk)),
    min_ess_tail = min(apply_to(posterior::ess_tail))
  )
  # The warnings that rstan itself would give
  out$passes <- out$divergences == 0 && out$at_max_depth == 0 &&
    out$min_bfmi > 0.2 && out$max_rhat < 1.05 &&
    min(out$min_ess_bulk, out$min_ess_tail) > 100 * length(steps)
  out
}
