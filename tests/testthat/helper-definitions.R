# Every scheme's weights once more from its formula, record by record and pair
# by pair: what rules, frozen or not, must agree with.

defined_values <- function(node, data, definitions = scheme_definitions) {
  inner <- lapply(node$of, defined_values, data, definitions)
  definitions[[node$scheme]](node$basis, data, inner)
}

within_01 <- function(x) pmin(1, pmax(0, x))

scheme_definitions <- list(
  lipschitz = function(basis, data, inner) {
    delta <- dense_bound(basis$model, data)
    ends <- basis$range
    risk <- if (ends$max > ends$min) {
      switch(basis$map,
        linear = (delta - ends$min) / (ends$max - ends$min),
        inverse = pmax(0, 1 - ends$min / delta),
        softmax = stats::plogis(1.69897 * (delta - ends$mean) / ends$sd),
        logistic = tanh(delta / 4)
      )
    } else {
      ifelse(delta > ends$max, 1, 0)
    }
    alpha <- basis$shift + basis$scale - basis$scale * within_01(risk)
    ifelse(is.finite(delta), within_01(alpha), 0)
  },
  count = function(basis, data, inner) {
    y <- data[[basis$variable]]
    if (!is.numeric(y)) {
      y <- as_number(y, basis$response_levels %||% response_levels(y))
    }
    pattern <- function(columns, n) {
      do.call(paste, c(list(rep("", n)), columns, sep = "\r"))
    }
    here <- pattern(lapply(data[basis$known], pattern_value), nrow(data))
    old <- pattern(
      basis$pattern$table, basis$pattern$n
    )[basis$pattern$code + 1]
    alpha <- vapply(seq_along(y), function(i) {
      same <- basis$values[old == here[i]]
      width <- basis$radius * if (basis$relative) abs(y[i]) else 1
      inside <- if (length(same) > 0) mean(abs(same - y[i]) <= width) else 0
      within_01(basis$scale * inside + basis$shift)
    }, 0)
    with_steps(alpha, basis$steps)
  },
  scalar = function(basis, data, inner) rep(basis$alpha, nrow(data)),
  reweighted = function(basis, data, inner) {
    delta <- dense_bound(basis$model, data, inner[[1]])
    raised <- pmin(1, basis$k * basis$overall * inner[[1]] / delta)
    ifelse(inner[[1]] == 0, 0, raised)
  },
  truncated = function(basis, data, inner) {
    delta <- dense_bound(basis$model, data, inner[[1]])
    inner[[1]] * (delta <= basis$epsilon / 2)
  },
  combined = function(basis, data, inner) {
    apply(matrix(unlist(inner), nrow(data)), 1, prod)
  },
  scaled = function(basis, data, inner) {
    within_01(inner[[1]] * basis$scale + basis$shift)
  },
  frozen = function(basis, data, inner) inner[[1]],
  two_stage = function(basis, data, inner) {
    delta <- dense_bound(basis$model, data)
    ends <- basis$weight_range
    share <- (ends[2] - delta) / (ends[2] - ends[1])
    with_steps(ifelse(is.finite(delta), within_01(share), 0), basis$steps)
  },
  public_scalar = function(basis, data, inner) rep(basis$alpha, nrow(data))
)

with_steps <- function(alpha, steps) {
  for (step in steps) {
    alpha <- within_01(step$shift + step$scale * alpha)
  }
  alpha
}

# max_s |alpha f(theta_s)| from the whole matrix of log densities: not by the
# streaming kernel that rules use.
dense_bound <- function(model, data, alpha = 1) {
  f <- if (is.function(model$f)) {
    do.call(cbind, lapply(seq_len(nrow(data)), function(i) {
      model$f(data[i, , drop = FALSE], model$draws)
    }))
  } else {
    log_lik_(record_spec(model, data), model$draws)
  }
  f[!is.finite(f)] <- Inf
  bound <- alpha * apply(abs(f), 2, max)
  # What takes no part is not bounded by what its density does
  bound[rep_len(alpha, nrow(data)) == 0] <- 0
  bound
}
