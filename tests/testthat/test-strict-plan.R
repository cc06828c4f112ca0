# What is run for a strict release is fixed before the file is seen.

# How often the chains were run, and with what, while `code` is evaluated.
runs_of <- function(code) {
  before <- sample_posterior_
  runs <- list()
  counting <- function(spec, control) {
    plan <- c(
      "sampler", "chains", "warmup", "draws", "thin", "most_sweeps"
    )
    runs[[length(runs) + 1]] <<- control[plan]
    before(spec, control)
  }
  utils::assignInNamespace("sample_posterior_", counting, "pseudosynth")
  withr::defer(
    utils::assignInNamespace("sample_posterior_", before, "pseudosynth")
  )
  value <- suppressMessages(
    suppressWarnings(code, classes = "pseudosynth_warning_convergence")
  )
  list(value = value, runs = runs)
}

strict_job <- function(data, formula = log(income) ~ age + earner,
                       bounds = c(10, 2e6), ...) {
  runs_of(pseudo_posterior(
    formula, data, student_t(3),
    mechanism = "centred", epsilon = 2,
    reference = list("(Intercept)" = 10.8, sigma = 1), bounds = bounds,
    response = public_response(digits = 0, bounds = bounds), chains = 2,
    seed = 1, threads = 1, ...
  ))
}

with_income <- function(data, rows, value) {
  data$income[rows] <- value
  data
}

test_that("neighbouring files run through the same plan, once", {
  file <- privacy_data()
  cases <- list(
    file, file[-1, ], with_income(file, 1, 1e12), with_income(file, 1, -5),
    with_income(file, 1, 0.5)
  )
  jobs <- lapply(by_night(cases, cases[1:3]), strict_job)
  plans <- lapply(jobs, function(job) {
    guarantee(job$value)$public_inputs[["sampling plan"]]
  })
  expect_length(unique(plans), 1)
  expect_match(plans[[1]], paste(
    "surrogate sampler, 2 chains, .* draws each,",
    "thin 1 to 5 as coupled pairs show before each, run once"
  ))
  for (job in jobs) {
    expect_length(job$runs, 1)
    expect_identical(job$runs, jobs[[1]]$runs)
    expect_identical(guarantee(job$value)$label, "strict")
  }
  # The agency is told what was clamped, the label is not
  fits <- lapply(jobs, function(job) job$value$internal$fits[[1]])
  expect_match(fits[[3]]$remarks, "1 of .* records lay outside", all = FALSE)
  expect_no_match(format(guarantee(jobs[[3]]$value)), "outside")
})

test_that("a clipped fit that fails its gates is not run again", {
  short <- function(...) {
    runs_of(fit_synthesizer(
      log(income) ~ age + earner, privacy_data(), student_t(3),
      prior = prior_normal(1, c(10.8, 2.5)), chains = 2, warmup = 100,
      draws = 60, seed = 1, threads = 1, ...
    ))
  }
  clipped <- short(censor = censor(2))
  expect_length(clipped$runs, 1)
  expect_false(clipped$value$converged)
  expect_identical(guarantee(clipped$value)$label, "none")
  expect_error(
    synthesize(clipped$value, bounds = c(1, 2e6)),
    class = "pseudosynth_error_privacy"
  )
  # Without a clip no strict label is at stake, and a longer run may help
  expect_gt(length(short()$runs), 1)
})

clipped_heaps <- function(n = 60, epsilon = 1, ...) {
  data <- withr::with_seed(4, {
    x <- stats::rnorm(n)
    data.frame(y = round(stats::rnorm(n, 0.5 * x, 0.7)), x)
  })
  suppressWarnings(fit_synthesizer(
    y ~ x, data, student_t(3),
    prior = prior_normal(1, c(0, 2)), censor = censor(epsilon), seed = 3,
    threads = 1, scaling = list(x = c(0, 1)), ...
  ), classes = "pseudosynth_warning_convergence")
}

test_that("sweeps told by pairs leave a chain what a fixed thin makes it", {
  told <- clipped_heaps(warmup = 200, draws = 40)
  expect_length(told$sweeps, 4)
  expect_true(all(told$sweeps %in% 1:5))
  # Each chain has its own
  for (k in unique(told$sweeps)) {
    fixed <- clipped_heaps(
      warmup = 200, draws = 40,
      control = sampler_control(thin = k, progress = FALSE)
    )
    expect_null(fixed$sweeps)
    own <- rep(told$sweeps == k, each = 40)
    expect_identical(told$draws[own, ], fixed$draws[own, ])
  }
  # The agency's print has them, what may be published has the rule
  printed <- utils::capture.output(print(told))
  expect_match(printed, "as pairs of chains told", all = FALSE)
  plan <- guarantee(told)$public_inputs[["sampling plan"]]
  expect_match(plan, "thin 1 to 5 as coupled pairs show")
})

test_that("a hard file has more sweeps than an easy one", {
  local_replaced("most_sweeps", 20)
  sweeps <- function(...) mean(clipped_heaps(..., draws = 20)$sweeps)
  # At epsilon 5 records that fit exactly make a narrow mode
  expect_gt(sweeps(300, 5), 2 * sweeps(60, 0.1))
})

test_that("under the hierarchical prior fewer records get more sweeps", {
  local_replaced("most_sweeps", 20)
  plan <- function(n) {
    spec <- list(
      prior = list(kind = "hierarchical"), n_columns = 3, censor = list(),
      y = numeric(n)
    )
    default_thin("surrogate", spec)
  }
  expect_identical(
    vapply(c(100, 1000, 5478, 1e5), plan, 1L), c(20L, 10L, 3L, 3L)
  )
})

test_that("a constant response is no error where records are clipped", {
  file <- with_income(privacy_data(), TRUE, 50000)
  job <- strict_job(file, log(income) ~ 1)
  expect_identical(guarantee(job$value)$label, "strict")
  expect_length(job$runs, 1)
  # Also where clamping makes it so
  far <- with_income(file, seq(1, nrow(file), 2), 1e9)
  job <- strict_job(
    with_income(far, seq(2, nrow(file), 2), 1e10), log(income) ~ 1
  )
  expect_identical(guarantee(job$value)$label, "strict")
  for (mechanism in list("lw", "censor_w", "unweighted")) {
    expect_error(
      pseudo_posterior(
        log(income) ~ 1, file, gaussian(), mechanism,
        epsilon = if (mechanism == "censor_w") 1
      ),
      "must vary",
      class = "pseudosynth_error_input"
    )
  }
  expect_error(
    fit_synthesizer(log(income) ~ 1, file, gaussian()), "must vary",
    class = "pseudosynth_error_input"
  )
  clipped <- job$value$internal$fits[[1]]
  expect_error(
    update(clipped, censor = NULL), "must vary",
    class = "pseudosynth_error_input"
  )
})

test_that("stated decimals hold proportions within their bounds", {
  file <- data.frame(y = c(-0.2, 0, 0.3, 0.5, 1, 7))
  fit <- suppressWarnings(fit_synthesizer(
    y ~ 1, file, beta_response(c(0, 1)),
    censor = censor(1), response = public_response(digits = 2), seed = 1,
    chains = 2, threads = 1
  ))
  expect_equal(fit$spec$y, c(0.01, 0.01, 0.3, 0.5, 0.99, 0.99))
  expect_match(fit$remarks, "4 of 6 records", all = FALSE)
})
