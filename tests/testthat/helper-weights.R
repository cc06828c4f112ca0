# Naive O(N^2) loops that the fast kernels must agree with, exactly.

naive_ir <- function(y, pattern, radius, relative) {
  vapply(seq_along(y), function(i) {
    members <- which(pattern == pattern[i])
    width <- if (relative) radius * abs(y[i]) else radius
    sum(abs(y[members] - y[i]) > width) / length(members)
  }, 0)
}

naive_matches <- function(y, synthetic, pattern, radius, relative) {
  rows <- lapply(seq_along(y), function(i) {
    members <- which(pattern == pattern[i])
    width <- if (relative) radius * abs(y[i]) else radius
    close <- abs(synthetic[members] - y[i]) <= width
    data.frame(
      size = length(members), c = sum(close),
      t = as.integer(abs(synthetic[i] - y[i]) <= width)
    )
  })
  do.call(rbind, rows)
}

# Ties, zeros, negatives, patterns of one record, values on the ball's edge
awkward_data <- function(n = 120) {
  withr::with_seed(4, {
    y <- sample(c(-3:3, 0, 0, 0.1, -0.1, 10, 12, 100, -100), n, TRUE)
    data.frame(
      y = y * sample(c(1, 1, 1.1, 1 / 3), n, TRUE),
      a = factor(c("alone", sample(c("u", "v", "w"), n - 1, TRUE))),
      b = sample(1:3, n, TRUE)
    )
  })
}

weights_data <- function(n = 150) privacy_data(n)

# Two halves of a file: one is the history of the other
current_data <- function() {
  columns <- c("income", "age", "education", "earner")
  ce_income[ce_income$income > 0, columns][201:320, ]
}

# Weights that say they were made by a scheme, for what is read from that alone
made_by <- function(scheme, made_from = "a file", ..., of = list(),
                    basis = NULL, values = c(0.5, 0.9), n = 150) {
  new_privacy_weights(
    rep(values, length.out = n), scheme, list(...),
    made_from = made_from, of = of, basis = basis
  )
}

frozen_by <- function(history, own = character()) {
  made_by("frozen", own,
    rule = "lipschitz", history = history,
    of = list(node_of(made_by("lipschitz")))
  )
}

paid_by <- function(epsilon0, id = "a draw", n = 150, reproducible = FALSE) {
  made_by("two_stage",
    epsilon0 = epsilon0, epsilon0_replace = 2 * epsilon0, reference = "none",
    reproducible = reproducible, basis = list(charge_id = id), n = n
  )
}

# Weights that no scheme made have no rule that a label could try: for one test
# it believes what their scheme states.
local_untried_weights <- function(env = parent.frame()) {
  before <- tested_dependency
  put <- function(f) {
    utils::assignInNamespace("tested_dependency", f, "pseudosynth")
  }
  put(function(weights, data) dependency_of(weights))
  withr::defer(put(before), envir = env)
}
