# Proof tests: an exact audit of every mechanism on files that are built to
# break it. Tolerances are the grid's error, which the audit states itself.

# Long: `make test` runs it, R CMD check only where NOT_CRAN is set.
skip_on_cran()

test_that("Censor_uw costs epsilon to remove, twice that to replace, tight", {
  for (epsilon in c(1, 3)) {
    audit <- beta_audit(worst_case_data("clones", 20), "censor_uw", epsilon)
    remove <- worst_of(audit)
    replace <- worst_of(audit, "replace")
    expect_lte(remove$loss, epsilon * (1 + 1e-9))
    expect_gte(remove$loss, 0.999 * epsilon)
    expect_lte(replace$loss, 2 * epsilon * (1 + 1e-9))
    expect_gte(replace$loss, 0.98 * 2 * epsilon)
    expect_identical(remove$delta, 0)
    expect_identical(replace$delta, 0)
  }
})

test_that("a clip calibrated to replace costs epsilon to replace", {
  audit <- beta_audit(
    worst_case_data("clones", 200), "censor_uw", 1,
    neighbours = "replace"
  )
  replace <- worst_of(audit, "replace")
  expect_equal(replace$claim, 1)
  expect_lte(replace$loss, 1 + 1e-9)
  expect_gte(replace$loss, 0.98)
})

test_that("a clip at epsilon instead of epsilon / 2 is caught", {
  audit <- beta_audit(
    worst_case_data("clones", 20), function(data) list(lower = -1, upper = 1),
    1
  )
  remove <- worst_of(audit)
  expect_equal(remove$claim, 1)
  expect_gte(remove$loss, 1.99)
  expect_gt(remove$delta, 0)
  expect_match(printed(audit), "2.00 times that")
})

test_that("frozen weights keep the claim that recomputed ones break", {
  file <- worst_case_data("clusters", 40)
  frozen <- beta_audit(
    file, mechanism(
      "frozen", rule = past_rule(skewed_file(60), beta_response(c(0, 1)))
    ),
    2
  )
  expect_lte(worst_of(frozen)$loss, 2 * (1 + 1e-9))
  expect_lte(worst_of(frozen, "replace")$loss, 4 * (1 + 1e-9))

  recomputed <- beta_audit(file, "censor_w", 2)
  remove <- worst_of(recomputed)
  expect_gt(remove$ratio, 3)
  expect_gt(remove$loss - remove$error_loss, 3 * remove$claim)
  expect_gt(remove$delta, 0.1)
  # Never above what the change of all weights can cost
  losses <- recomputed$losses
  expect_true(all(losses$loss <= losses$limit * (1 + 1e-9)))
})

test_that("Lipschitz weights lose three times their index in the bulk", {
  audit <- beta_audit(worst_case_data("clusters", 40), "lw",
    cells = by_night(20000, 8000)
  )
  remove <- worst_of(audit)
  expect_identical(audit$claimed, "2 x bound")
  expect_equal(remove$claim, 2 * audit$bound)
  expect_identical(remove$loss, Inf)
  expect_gt(remove$loss_bulk - remove$error_bulk, 3 * remove$claim)
  expect_gt(remove$delta, 0.5)
})

test_that("centred censoring holds, a calibrated margin included", {
  reference <- list("(Intercept)" = 0, precision = 4)
  for (file in list(worst_case_data("clones", 20), skewed_file(30))) {
    audit <- beta_audit(
      file, "centred", 1,
      reference = reference, window = 2,
      margin = margin_histogram(c(0, 1), share = 0.2)
    )
    remove <- worst_of(audit)
    expect_equal(remove$claim, 1)
    expect_lte(remove$loss, 1 + 1e-9)
    # The histogram's share is always spent
    expect_gt(remove$loss, 0.2)
    expect_lte(worst_of(audit, "replace")$loss, 2 + 1e-9)
  }
})

test_that("two-stage weights keep the claim for the pair of draws", {
  audit <- beta_audit(
    worst_case_data("clusters", 20), "two_stage", 1,
    weight_range = c(0, 5), replacements = 8
  )
  remove <- worst_of(audit)
  expect_equal(remove$claim, 1)
  expect_lte(remove$loss, 1 + 1e-9)
  expect_gt(remove$loss, 0.5)
  expect_lte(worst_of(audit, "replace")$loss, 2 + 1e-9)
})

# Audits read how it was made, not its draws
count_fit <- function(file, epsilon, ...) {
  clones_fit(
    file$y, beta_response(c(0, 1)), epsilon,
    weights = count_weights("y", file, relative = FALSE, ...)
  )
}

clones_fit <- function(y, family, epsilon, prior = NULL, weights = NULL) {
  suppressWarnings(fit_synthesizer(
    y ~ 1, data.frame(y = y), family,
    prior = prior, privacy_weights = weights, censor = censor(epsilon),
    chains = 1, warmup = 1, draws = 1000, seed = 1, threads = 1
  ))
}

test_that("count weights with a floor stay within their factor, not epsilon", {
  audit <- audit_guarantee(count_fit(
    worst_case_data("clusters", 40), 2,
    scale = 0.5, shift = 0.5, radius = 0.01
  ), cells = 4000)
  remove <- worst_of(audit)
  expect_equal(remove$claim, 4)
  expect_equal(worst_of(audit, "replace")$claim, 6)
  expect_lte(remove$loss, 4 * (1 + 1e-9))
  expect_gt(remove$loss, 2.05)
})

# Closed forms -----------------------------------------------------------------

test_that("one-parameter models agree with their closed forms", {
  # Yes/no with weight 1: the posterior of the mean is Beta(1 + s, 1 + f), so
  # that removing a record gives the ratio of two Beta densities
  y <- rep(c(0, 1), c(7, 5))
  audit <- audit_guarantee(
    y ~ 1, data.frame(y = y), bernoulli(), "unweighted",
    prior = prior_beta_mean(), replacements = 0
  )
  mass <- 1 - 1 / 4000
  # The shortest region on the logit scale by its density there
  u <- seq(-12, 12, length.out = 2e5)
  log_p <- stats::dbeta(stats::plogis(u), 6, 8, log = TRUE) +
    stats::dlogis(u, log = TRUE)
  ordered <- order(-log_p)
  held <- cumsum(exp(log_p[ordered]) * (u[2] - u[1]))
  region <- range(u[ordered[seq_len(which(held >= mass)[1])]])
  loss <- function(u, one) {
    theta <- stats::plogis(u)
    base <- stats::dbeta(theta, 6, 8, log = TRUE)
    abs(base - stats::dbeta(theta, 6 - one, 7 + one, log = TRUE))
  }
  losses <- audit$losses
  is_one <- y[losses$record] == 1
  found <- c(losses$loss_bulk[is_one], losses$loss_bulk[!is_one])
  expected <- c(max(loss(region, 1)), max(loss(region, 0)))
  expect_equal(found, expected, tolerance = 0.01)
})

test_that("a clipped yes/no model loses what the formula says", {
  # n equal records, one other; the loss of removing it over all theta is
  # log E exp(h), h = clip(log(1 - theta))
  epsilon <- 1
  y <- c(rep(1, 9), 0)
  audit <- audit_guarantee(
    y ~ 1, data.frame(y = y), bernoulli(), "censor_uw", epsilon,
    prior = prior_normal(intercept = c(0, 2)), replacements = 0, remove = 10
  )
  clip <- function(f) pmin(pmax(f, -epsilon / 2), epsilon / 2)
  kernel <- function(u) {
    exp(9 * clip(stats::plogis(u, log.p = TRUE))) * stats::dnorm(u, 0, 2)
  }
  h <- function(u) clip(stats::plogis(-u, log.p = TRUE))
  top <- stats::integrate(
    function(u) exp(h(u)) * kernel(u), -15, 15,
    rel.tol = 1e-9, subdivisions = 1000
  )$value
  bottom <- stats::integrate(
    kernel, -15, 15,
    rel.tol = 1e-9, subdivisions = 1000
  )$value
  mean_log <- log(top / bottom)
  expected <- max(abs(h(-15) - mean_log), abs(h(15) - mean_log))
  expect_equal(worst_of(audit)$loss, expected, tolerance = 1e-4)
})

test_that("masses of the grid add up to the marginal likelihood", {
  spec <- audit_of_job(
    data.frame(y = c(1, 2, 4)), gaussian(), mechanism("unweighted"),
    prior = prior_normal(intercept = c(0, 3))
  )$problem$model$spec
  parameters <- grid_parameters(spec)
  grid <- fill_grid(
    tensor_grid(lapply(1:2, function(j) {
      places <- stats::qnorm(stats::ppoints(99), c(2, 0)[j])
      axis_points(list(places), parameters$range[, j], 0, 401)
    })),
    parameters, spec
  )
  found <- log_sum(grid_posterior(grid, rep(1, 3), plain_rule(grid, 1)))
  half_t <- function(s) 2 * stats::dt(s, 3)
  over_mu <- function(s) {
    vapply(s, function(s) {
      v <- diag(s^2, 3) + 9
      exp(-0.5 * (3 * log(2 * pi) + as.numeric(determinant(v)$modulus) +
        sum(c(1, 2, 4) * solve(v, c(1, 2, 4)))))
    }, 1)
  }
  exact <- stats::integrate(
    function(s) over_mu(s) * half_t(s), 0, Inf,
    rel.tol = 1e-8
  )$value
  expect_equal(found, log(exact), tolerance = 1e-4)
})

test_that("priors on the grid integrate to one", {
  total <- function(log_density, from, to, n = 40001) {
    z <- seq(from, to, length.out = n)
    sum(exp(log_density(z))) * (z[2] - z[1])
  }
  for (extra in c("sigma", "size", "precision")) {
    expect_equal(
      total(function(z) extra_log_prior(extra, z), -30, 40), 1,
      tolerance = 1e-3
    )
  }
  # Of an even number of points none stands on the spike at 0
  one <- function(prior, n = by_night(2e5, 2e4)) {
    total(function(z) coefficient_log_prior(prior, cbind(z)), -400, 400, n)
  }
  expect_equal(one(list(kind = "beta_mean", shape1 = 2, shape2 = 1)), 1,
    tolerance = 1e-6
  )
  # A spike at 0 and tails as heavy as Student's
  expect_equal(one(list(kind = "hierarchical", df = 3, scale = 1)), 1,
    tolerance = 0.01
  )
})

# Weights ----------------------------------------------------------------------

test_that("a function of the data is called on every neighbour", {
  file <- skewed_file(12)
  seen <- integer()
  halves <- function(data) {
    seen <<- c(seen, nrow(data))
    list(weights = rep(0.5, nrow(data)), lower = -0.5, upper = 0.5)
  }
  by_function <- beta_audit(file, halves, 1, replacements = 8)
  by_name <- audit_guarantee(clones_fit(
    file$y, beta_response(c(0, 1)), 1,
    weights = public_scalar(0.5)
  ), cells = 4000, replacements = 8)
  # A function may use the whole file: their grids differ a little
  expect_equal(by_function$worst$loss, by_name$worst$loss, tolerance = 1e-3)
  expect_setequal(seen, c(12, 11))
})

test_that("an audit's count weights are those of the formula", {
  cells <- by_night(4000, 1600)
  file <- skewed_file(15)
  naive <- function(data) {
    risk <- naive_ir(data$y, rep(1, nrow(data)), 0.05, FALSE)
    list(weights = 0.5 * (1 - risk) + 0.3, lower = -0.5, upper = 0.5)
  }
  own <- audit_guarantee(
    count_fit(file, 1, scale = 0.5, shift = 0.3, radius = 0.05),
    cells = cells, replacements = 8
  )
  by_formula <- beta_audit(file, naive, 1, replacements = 8, cells = cells)
  expect_equal(
    own$losses$loss, by_formula$losses$loss,
    tolerance = 1e-9
  )
})

test_that("weights with one record more move all others", {
  file <- worst_case_data("clusters", 20)
  audit <- audit_of_job(
    file, beta_response(c(0, 1)), mechanism("censor_w"), 2,
    remove = 20
  )
  problem <- audit$problem
  grid <- locate_grid(problem, audit$mechanism, 6000)
  mechanism <- settled(audit$mechanism, problem, grid)
  with <- database_rule(problem, grid, mechanism, 0)$alpha
  counts <- neighbour_counts(problem, 1)
  without <- database_rule(problem, grid, mechanism, 1)$alpha
  expect_true(all(with[problem$counts > 5] > 0.9))
  expect_identical(sort(without[counts > 0]), c(0, 1))
})

# Grids ---------------------------------------------------------------------

# The distance of the audit's own grid from the whole posterior, on a dense
# grid around the places where this has its mass.
distance_of_audit <- function(fit, stretch = 1.3) {
  mechanism <- fit_mechanism(fit, 0)
  neighbours <- audit_neighbours(unclass(fit), 1L, 0, NULL)
  problem <- audit_problem(unclass(fit), neighbours, NULL)
  grid <- locate_grid(problem, mechanism, by_night(60000, 30000))
  mechanism <- settled(mechanism, problem, grid)
  rule <- database_rule(problem, grid, mechanism, 0)
  found <- grid_marginals(grid, list(counts = problem$counts, rule = rule))
  dense <- dense_posterior(fit, stretch = stretch)
  max(vapply(seq_along(found), function(j) {
    axis <- dense$axes[[j]]
    at <- match(dense$points[, j], axis)
    share <- cumsum(as.vector(tapply(dense$mass, at, sum)))
    max(abs(share - found[[j]](axis + diff(axis[1:2]) / 2)))
  }, 0))
}

test_that("the grid resolves the posteriors of clones", {
  cases <- list(
    list(rep(c(0.5, 0.52, 0.9995), c(120, 79, 1)), beta_response(c(0, 1)), 0.3),
    list(c(rep(10.8, 199), 12), gaussian(), 5, prior_normal(1, c(0, 30))),
    list(c(rep(0, 99), 1), student_t(3), 1, prior_normal(1, c(0, 2))),
    list(rep(c(-1, 1, 6), c(60, 60, 1)), gaussian(), 5,
      prior_normal(1, c(0, 2))),
    list(rep(c(3, 30, 500), c(50, 50, 1)), neg_binomial(), 1,
      prior_normal(1, c(0, 2)))
  )
  for (case in by_night(cases, cases[1])) {
    fit <- do.call(clones_fit, unname(case))
    expect_lt(distance_of_audit(fit), 0.02)
  }
})

test_that("two narrow plateaus far apart share the mass by the prior", {
  # In a range of 200,000 one of either 100 clones is .3 wide and holds e^100
  # times the density of the rest; the prior alone tells them apart
  file <- data.frame(y = c(rep(c(0, 1000), each = 100), 500))
  for (epsilon in c(1, 5)) {
    audit <- audit_of_job(
      file, gaussian(), mechanism("censor_uw"), epsilon,
      prior = prior_normal(intercept = c(0, 1500))
    )
    problem <- audit$problem
    grid <- locate_grid(problem, audit$mechanism, 60000)
    mechanism <- settled(audit$mechanism, problem, grid)
    rule <- database_rule(problem, grid, mechanism, 0)
    found <- grid_marginals(grid, list(counts = problem$counts, rule = rule))
    expect_equal(
      found[[1]](c(-10, 500, 1010)), c(0, stats::plogis(2 / 9), 1),
      tolerance = 0.02
    )
    # Within a plateau log sigma has the half-t's density times its width
    expect_lt(found[[2]](log(1e-4)), 0.01)
    expect_gt(found[[2]](-0.9 - epsilon / 2), 0.99)
  }
})

test_that("no replacements, with a predictor, is an audit of removals", {
  audit <- audit_guarantee(
    y ~ x, data.frame(y = rep(0:1, 10), x = 1:20 / 10), bernoulli(),
    "censor_uw", 1,
    prior = prior_normal(1, c(0, 2)), remove = 1:2, replacements = 0,
    cells = 2500
  )
  expect_identical(audit$worst$neighbours, "add-remove")
  expect_lte(audit$worst$loss, 1 + 1e-9)
})

test_that("more replacements than there are records are all of them", {
  file <- skewed_file(6)
  audits <- lapply(c(48, .Machine$integer.max), function(n) {
    beta_audit(file, "censor_uw", 1, replacements = n, cells = 1000)
  })
  expect_identical(audits[[2]]$worst, audits[[1]]$worst)
})

test_that("a grid that does not resolve a posterior is an error", {
  refused <- function(...) {
    expect_error(
      beta_audit(worst_case_data("clones", 50), "censor_uw", 1, ...),
      "does not resolve",
      class = "pseudosynth_error_sampler"
    )
  }
  refused(range = cbind(c(3, 15), c(-9, 13)))
  refused(range = cbind(c(-15, 15), c(-9, 0)))
  refused(cells = 16)
})

# Fits -------------------------------------------------------------------------

test_that("a fit is audited by how it was made", {
  cells <- by_night(6000, 3600)
  file <- data.frame(y = withr::with_seed(3, stats::rnorm(30, 2, 1)))
  fit <- fit_synthesizer(
    y ~ 1, file, gaussian(),
    prior = prior_normal(intercept = c(0, 5)), seed = 1, chains = 2
  )
  unweighted <- audit_guarantee(fit, cells = cells, replacements = 8)
  expect_identical(unweighted$mechanism, "unweighted")
  expect_identical(worst_of(unweighted)$loss, Inf)

  lw <- update(fit, privacy_weights = lipschitz_weights(fit), seed = 2)
  from_fit <- audit_guarantee(lw, cells = cells, replacements = 8)
  from_formula <- audit_guarantee(
    y ~ 1, file, gaussian(), "lw",
    prior = prior_normal(intercept = c(0, 5)), cells = cells, replacements = 8
  )
  expect_identical(from_fit$mechanism, "lw")
  expect_equal(from_fit$worst, from_formula$worst, tolerance = 1e-9)
  # The bulk reaches a little further than 2,000 draws do
  expect_gt(from_fit$bound, 0.95 * lw$bound$overall)
  expect_lt(from_fit$bound, 1.6 * lw$bound$overall)

  centred <- update(
    fit,
    censor = censor(1, reference = list("(Intercept)" = 1.5, sigma = 1)),
    chains = by_night(4, 2), warmup = by_night(1000, 200),
    draws = by_night(2000, 500), seed = 2
  )
  by_fit <- audit_guarantee(centred, cells = cells, replacements = 8)
  by_name <- audit_guarantee(
    y ~ 1, file, gaussian(), "centred", 1,
    prior = prior_normal(intercept = c(0, 5)), cells = cells, replacements = 8,
    reference = list("(Intercept)" = 1.5, sigma = 1), window = 4
  )
  expect_equal(by_fit$worst, by_name$worst, tolerance = 1e-6)
  expect_lte(worst_of(by_fit)$loss, 1 + 1e-9)
})

test_that("what was paid once is added to the loss and to the claim", {
  file <- data.frame(y = withr::with_seed(3, stats::rnorm(30, 2, 1)))
  job <- pseudo_posterior(
    y ~ 1, file, gaussian(),
    mechanism = "centred", epsilon = 1, bounds = c(-10, 10),
    reference = list("(Intercept)" = 2, sigma = 1),
    prior = prior_normal(intercept = c(0, 5)), draws = 2000, seed = 1
  )
  audit <- audit_guarantee(job, cells = 4000, replacements = 8)
  label <- guarantee(job)
  expect_equal(
    audit$worst$claim, unname(label$epsilon$total[audit$worst$neighbours])
  )
  expect_gt(worst_of(audit)$loss, 0.2)
  expect_lte(worst_of(audit)$loss, 1 + 1e-9)
})

test_that("fits with frozen, paid, public and count weights are audited", {
  file <- data.frame(y = withr::with_seed(3, stats::rnorm(30, 2, 1)))
  history <- data.frame(y = withr::with_seed(5, stats::rnorm(50, 2, 1.2)))
  fit_to <- function(data, ...) {
    fit_synthesizer(
      y ~ 1, data, gaussian(),
      prior = prior_normal(intercept = c(0, 5)), seed = 1, chains = 2,
      draws = by_night(2000, 1000), ...
    )
  }
  past <- fit_to(history)
  frozen <- predict(freeze(lipschitz_weights(past)), file)
  reference <- censor(1, reference = list("(Intercept)" = 2, sigma = 1))
  counted <- count_weights(
    "y", file,
    radius = 0.5, relative = FALSE, scale = 0.5, shift = 0.5
  )
  weights <- list(frozen, public_scalar(0.5), counted)
  claims <- c(1, 1, 2)
  for (j in seq_along(weights)) {
    fit <- suppressWarnings(fit_to(
      file,
      privacy_weights = weights[[j]],
      censor = if (j == 3) censor(1) else reference
    ))
    audit <- audit_guarantee(
      fit,
      cells = by_night(4000, 2500), replacements = by_night(16, 8)
    )
    remove <- worst_of(audit)
    expect_equal(remove$claim, claims[j])
    expect_lte(remove$loss, claims[j] * (1 + 1e-9))
    expect_gt(remove$loss, 0.1)
    replace <- worst_of(audit, "replace")
    expect_lte(replace$loss, replace$claim * (1 + 1e-9))
  }
})

# Input and output -------------------------------------------------------------

test_that("bad input is refused with its name", {
  file <- skewed_file(10)
  refused <- function(...) {
    expect_error(beta_audit(file, ...), class = "pseudosynth_error_input")
  }
  refused("censor_uw")
  refused("censor_uw", 0)
  refused("censored", 1)
  refused("centred", 1)
  refused("frozen", 1)
  refused("two_stage", 1)
  refused("cw")
  refused("censor_uw", 1, scales = 2)
  refused("censor_uw", 1, lower = -1)
  refused("censor_uw", 1, chains = 2)
  refused("risk", radius = 0.2)
  refused("public_scalar", 1)
  refused("centred", 1, reference = list(sigma = 1), window = 2)
  refused("censor_uw", 1, remove = 11)
  refused("censor_uw", 1, values = 2:3)
  refused("censor_uw", 1, cells = 1e9)
  refused(function(data) list(weights = "a"), 1)
  expect_error(audit_guarantee(1), class = "pseudosynth_error_input")
  ce <- head(subset(pseudosynth::ce_income, income > 0), 50)
  expect_error(
    audit_guarantee(log(income) ~ education, ce, gaussian(), "censor_uw", 1),
    class = "pseudosynth_error_input"
  )
})

test_that("prints state losses and claims and never say passed", {
  audit <- beta_audit(skewed_file(10), "censor_uw", 1, replacements = 8)
  text <- printed(audit)
  expect_match(text, "largest loss found is")
  expect_match(text, "the claim is")
  expect_match(text, "could find")
  expect_no_match(text, "pass|safe|valid|proven")
  expect_match(format(audit), "found")
  expect_s3_class(as.data.frame(audit), "data.frame")
  expect_s3_class(autoplot(audit), "ggplot")
  expect_s3_class(
    ggplot2::ggplot_build(autoplot(beta_audit(
      skewed_file(10), "lw",
      replacements = 8
    ))), "ggplot_built"
  )
})

test_that("worst-case files are as described", {
  expect_error(
    worst_case_data(n = .Machine$integer.max),
    class = "pseudosynth_error_memory"
  )
  clones <- worst_case_data("clones", 5, value = 1, outlier = 9)
  expect_identical(clones$y, c(1, 1, 1, 1, 9))
  clusters <- worst_case_data("clusters", 9, share = 0.25, variable = "z")
  expect_identical(clusters$z, rep(c(0.5, 0.52, 0.9995), c(2, 6, 1)))
  bounds <- worst_case_data("bounds", 5)
  expect_identical(bounds$y, c(0.001, 0.001, 0.999, 0.999, 0.5))
  expect_error(worst_case_data(n = 2), class = "pseudosynth_error_input")
  expect_error(
    worst_case_data(
      "bounds",
      bounds = structure(c(0, 1), class = "haven_labelled")
    ),
    class = "pseudosynth_error_input"
  )
  expect_error(
    worst_case_data("bounds", bounds = c(1, 0)),
    class = "pseudosynth_error_input"
  )
})

test_that("an audit takes bounds as a job does, and drops no margin", {
  file <- data.frame(y = c(2, 3, 5, 8, 40))
  audit <- function(data, ...) {
    audit_guarantee(log(y) ~ 1, data, gaussian(),
      epsilon = 1, prior = prior_normal(intercept = c(1, 2)),
      replacements = 4, cells = 1500, ...
    )
  }
  refused <- function(...) {
    expect_error(audit(file, ...), class = "pseudosynth_error_input")
  }
  own <- data.frame(y = c(2.345, 3, 5, 8, 40.67))
  expect_error(
    audit(own, mechanism = "censor_uw", bounds = range(own$y)),
    class = "pseudosynth_error_public_ends"
  )
  refused(
    mechanism = "censor_uw", bounds = c(1, 99), margin_share = 0, bins = 9
  )
  clip <- function(data) {
    list(weights = rep(1, nrow(data)), lower = -0.5, upper = 0.5)
  }
  refused(mechanism = clip, margin = margin_histogram(c(1, 100)))
  refused(mechanism = clip, bounds = c(1, 100))
})

test_that("an axis of equal draws has points all the same", {
  for (draws in list(rep(1, 100), rep(1:2, 50))) {
    points <- axis_points(list(draws), c(-10, 10), 0, 50)
    expect_length(points, 50)
    expect_equal(range(points), c(-10, 10))
    expect_true(all(diff(points) > 0))
  }
})
