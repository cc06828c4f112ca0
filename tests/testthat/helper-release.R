# Sets that may leave: no seed anywhere, a proven label.

release_fit <- function() {
  remember("release", fit_synthesizer(
    log(income) ~ age + earner, privacy_data(), gaussian(),
    prior = prior_normal(1, c(10.8, 2.5)), chains = 2, warmup = 200,
    draws = 1000,
    response = public_response(digits = 0, bounds = c(1, 2e6)),
    censor = censor(2, reference = list("(Intercept)" = 10.8, sigma = 1))
  ))
}

leaving_sets <- function(m = 2) {
  remember(paste0("leaving", m), synthesize(release_fit(), m = m))
}

# A histogram's values: fast, strict, with any columns beside them
histogram_sets <- function(data, formula = y ~ 1, bounds = c(0, 100), m = 1,
                           response = NULL, newdata = data) {
  synthesize(perturbed_histogram(
    formula, data,
    bounds = bounds, epsilon = 1, response = response
  ), m, newdata = newdata)
}

release_to <- function(x, ..., path = tempfile("release")) {
  withr::defer(unlink(path, recursive = TRUE), parent.frame())
  release(x, path, ...)
  path
}

refusal <- function(expr) {
  tryCatch({
    expr
    NULL
  }, error = identity)
}

# What is left in a folder, hidden files too
left_in <- function(folder) {
  dir(folder, all.files = TRUE, no.. = TRUE)
}

# An object of the package's namespace replaced until the test ends
local_replaced <- function(name, value, frame = parent.frame()) {
  namespace <- asNamespace("pseudosynth")
  put <- function(x) {
    unlockBinding(name, namespace)
    assign(name, x, namespace)
    lockBinding(name, namespace)
  }
  old <- get(name, namespace)
  put(value)
  withr::defer(put(old), frame)
}

# One of the package's lists with more on it.
local_listed <- function(name, more, frame = parent.frame()) {
  known <- get(name, asNamespace("pseudosynth"))()
  local_replaced(name, function() c(known, more), frame)
}
