# Small fits shared by the tests of the privacy layer, made once.

privacy_cache <- new.env()

remember <- function(name, value) {
  if (is.null(privacy_cache[[name]])) {
    privacy_cache[[name]] <- value
  }
  privacy_cache[[name]]
}

privacy_data <- function(n = 150) {
  columns <- c("income", "age", "education", "earner")
  ce_income[ce_income$income > 0, columns][seq_len(n), ]
}

unweighted_fit <- function() {
  remember("unweighted", fit_synthesizer(
    log(income) ~ age + earner, privacy_data(), gaussian(),
    prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 11
  ))
}

lw_fit <- function() {
  remember("lw", update(
    unweighted_fit(),
    privacy_weights = lipschitz_weights(unweighted_fit()), seed = 12
  ))
}

lw_final_fit <- function() {
  remember("lw_final", reweight(lw_fit(), k = 0.95, seed = 13))
}

small_job <- function() {
  remember("job", suppressMessages(pseudo_posterior(
    log(income) ~ age + earner, privacy_data(), gaussian(),
    mechanism = "lw_final", m = 3, k = 0.95, prior = prior_normal(),
    chains = 2, warmup = 200, draws = 1000, seed = 14
  )))
}

# Fits as no user can make them: labels read how a fit was made, not its draws.
resealed <- function(fit, ...) {
  fit[...names()] <- list(...)
  seal(fit)
}

censored <- function(fit, width = 1) {
  resealed(fit, censor = structure(
    list(lower = -width / 2, upper = width / 2),
    class = "censoring_rule"
  ))
}

with_weights <- function(fit, weights) {
  resealed(fit, privacy_weights = weights)
}

# How many of these doubles and strings does the serialized object hold?
count_held <- function(object, values) {
  bytes <- serialize(object, NULL, xdr = TRUE)
  sum(vapply(values, function(value) {
    pattern <- if (is.character(value)) {
      charToRaw(value)
    } else {
      writeBin(as.double(value), raw(), endian = "big")
    }
    length(grepRaw(pattern, bytes, fixed = TRUE)) > 0
  }, TRUE))
}

holds_value <- function(object, value) count_held(object, list(value)) > 0

# Environments and functions anywhere in a list, attributes included
holds_environment <- function(x) {
  if (is.environment(x) || is.function(x) || is.language(x)) {
    return(TRUE)
  }
  parts <- attributes(x)
  if (is.list(x)) {
    parts <- c(parts, unclass(x))
  }
  any(vapply(parts, holds_environment, TRUE))
}

# A confidential file full of marks: doubles that occur nowhere else, strings in
# every place where R may carry them along.
planted <- function(n = 120) {
  withr::with_seed(8, {
    data <- data.frame(
      row.names = sprintf("PLANTEDROW%03d", seq_len(n)),
      y = exp(rnorm(n, 10, 1)),
      group = factor(
        sample(c("a", "b"), n, TRUE),
        levels = c("a", "b", "none")
      ),
      x = round(rnorm(n), 1)
    )
  })
  comment(data$x) <- "PLANTEDCOMMENT"
  attr(data, "note") <- "PLANTEDNOTE"
  data
}

planted_fits <- function() {
  remember("planted", local({
    data <- planted()
    planted_string <- "PLANTEDSTRING"
    secret <- data$y
    formula <- log(y) ~ group + x
    first <- fit_synthesizer(
      formula, data, gaussian(),
      prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 3
    )
    second <- update(first,
      privacy_weights = lipschitz_weights(first), seed = 4
    )
    list(data = data, first = first, second = second)
  }))
}
