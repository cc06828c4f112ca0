test_that("a fit of rstan gives sets from a vector of its program", {
  stored <- stored_stan()
  model <- stan_model_of(
    data = stored$records, formula = log(income) ~ x, predict = "y_rep"
  )
  lw <- update(model, privacy_weights = lipschitz_weights(model))
  sets <- suppressMessages(synthesize(lw, m = 3))
  y_rep <- as.matrix(stored$weighted, pars = "y_rep")
  for (set in as.list(sets)) {
    set <- set[match(stored$records$x, set$x), ]
    # Each is one draw of the program, rounded as the file is
    found <- which(colSums(t(round(exp(y_rep))) == set$income) == 12)
    expect_length(found, 1)
  }
  expect_identical(guarantee(sets)$label, "asymptotic")
  expect_identical(sort(names(sets[[1]])), c("income", "x"))
  # Draws that were truncated are not among them
  cut <- truncate_draws(lw, 0.5)
  values <- values_at_draws(cut, 1:400, cut$spec, seed_words(NULL))
  expect_equal(values, unname(t(y_rep[lipschitz(lw, 0.5)$kept, ])))
  # The refit's, not the first fit's
  one <- values_at_draws(lw, 1:800, lw$spec, seed_words(NULL))
  expect_equal(one, unname(t(y_rep)))
  expect_error(
    synthesize(lw, newdata = data.frame(x = 1)),
    class = "pseudosynth_error_predict"
  )
})

test_that("a function draws sets, of the file and of new data", {
  model <- outside_model(seeded = FALSE)
  lw <- update(model, privacy_weights = lipschitz_weights(model))
  one <- suppressMessages(synthesize(lw, m = 2, seed = 3))
  two <- suppressMessages(synthesize(lw, m = 2, seed = 3))
  expect_identical(one$sets, two$sets)
  expect_true(guarantee(one)$reproducible)
  expect_false(identical(one[[1]]$income, one[[2]]$income))
  # R's state is neither used nor changed
  withr::with_seed(1, {
    before <- .Random.seed
    a <- suppressMessages(synthesize(lw))
    expect_identical(.Random.seed, before)
  })
  b <- withr::with_seed(1, suppressMessages(synthesize(lw)))
  expect_false(identical(a[[1]], b[[1]]))
  new <- data.frame(age = c(20, 70), sex = factor(c("f", "m")))
  expect_identical(nrow(synthesize(lw, newdata = new)[[1]]), 2L)
  expect_error(
    synthesize(lw, newdata = new["age"]), class = "pseudosynth_error_input"
  )
  # Means of many sets are those of the posterior
  sets <- values_at_draws(lw, seq_len(800), lw$spec, seed_words(8, "x"))
  mean <- rowMeans(outer(outside_columns(lw$data)$x, lw$fit[, 2]) +
    rep(lw$fit[, 1], each = 120))
  error <- sqrt(mean(lw$fit[, 3]^2) / 800)
  expect_lt(max(abs(rowMeans(sets) - mean)), 4.5 * error)
})

test_that("its sets go through every verb, to the certificate", {
  withr::local_seed(1)
  model <- outside_model()
  ledger <- ledger(withr::local_tempfile(fileext = ".csv"), 100, delta = 0)
  job <- suppressMessages(pseudo_posterior(
    model, mechanism = "lw_final", m = 2, ledger = ledger
  ))
  expect_identical(names(job$internal$fits), c("unweighted", "lw", "lw_final"))
  final <- job$internal$fits$lw_final
  # The bound is the largest weighted log-likelihood, by hand
  alpha <- as.numeric(final$privacy_weights)
  f <- outside_matrix(final$fit, outside_columns(outside_file()))
  expect_equal(final$bound$record, alpha * apply(abs(f), 2, max))
  expect_lte(final$bound$overall, 1.02 * job$internal$fits$lw$bound$overall)
  label <- guarantee(job)
  expect_identical(label$label, "asymptotic")
  expect_false(label$reproducible)
  expect_true(any(grepl("fitted elsewhere", label$reasons)))
  expect_equal(
    label$epsilon$total[["add-remove"]], 4 * final$bound$overall
  )
  expect_identical(nrow(as.data.frame(ledger)), 1L)

  folder <- withr::local_tempfile()
  suppressMessages(release(job, folder, ledger = ledger))
  certificate <- readLines(file.path(folder, "certificate.txt"))
  expect_true(any(grepl("log(income) ~ age + sex", certificate, fixed = TRUE)))
  expect_true(any(grepl("withheld", certificate)))
  expect_identical(
    names(utils::read.csv(file.path(folder, "set-1.csv"))),
    c("age", "sex", "income")
  )
  expect_error(
    release(job, withr::local_tempfile(), require = "strict"),
    class = "pseudosynth_error_not_releasable"
  )
  # Step by step, the fit standing for its file
  sets <- suppressMessages(synthesize(final, m = 2, ledger = ledger))
  expect_identical(nrow(as.data.frame(ledger)), 2L)
  expect_no_error(suppressMessages(
    release(sets, withr::local_tempfile(), data = final, ledger = ledger)
  ))
  expect_error(
    release(sets, withr::local_tempfile(), data = job$internal$fits$lw),
    class = "pseudosynth_error_input"
  )
  risk <- identification_risk(sets, final, known = "sex", radius = 0.2)
  expect_identical(risk$n_records, 120L)
  expect_s3_class(
    risk_weights(sets, final, known = "sex", radius = 0.2), "privacy_weights"
  )
  expect_s3_class(utility(job), "utility")
  expect_s3_class(pool(with(sets, lm(log(income) ~ age))), "pooled_estimates")
  table <- compare(job = job, again = job)$table
  expect_identical(nrow(table), 2L)
  parts <- as_pseudo_posterior(sets, job$internal$fits)
  expect_identical(guarantee(parts)$label, "asymptotic")
  expect_s3_class(count_weights(model, radius = 0.2), "privacy_weights")
  solved <- suppressMessages(solve_weights(
    model, risk = 0.1, known = "sex", radius = 0.2, m = 2, tolerance = 0.5,
    allow_unconverged = TRUE, seed = 1
  ))
  expect_s3_class(solved, "external_fit")
})

test_that("a study makes the mechanism again on other files", {
  model <- outside_model()
  lw <- update(model, privacy_weights = lipschitz_weights(model))
  study <- replicate_study(lw, epsilon = 40, replicates = 3, seed = 2)
  expect_identical(nrow(study$table), 3L)
  # By hand: the first local database
  values <- local_values(lw, 3, 2)[, 1]
  data <- drawn_records(lw, values)$data
  seed <- stage_seed(2, "replicate", 1)
  at <- function(weights, stage) {
    with_r_seed(stage_seed(seed, "replay", stage) %% .Machine$integer.max, {
      lw$way$refit(weights, data)
    })
  }
  matrix_of <- function(draws) outside_matrix(draws, outside_columns(data))
  first <- apply(abs(matrix_of(at(rep(1, 120), 1))), 2, max)
  alpha <- 1 - (first - min(first)) / (max(first) - min(first))
  second <- alpha * apply(abs(matrix_of(at(alpha, 0))), 2, max)
  expect_equal(study$table$lipschitz_bound[1], max(second))
  expect_identical(study$estimands$source[1], "local database")
  expect_no_error(guarantee(lw))
  alone <- outside_model(refit = function(alpha) outside_refit(alpha))
  error <- expect_error(
    replicate_study(alone, 10, 2), class = "pseudosynth_error_input"
  )
  expect_match(conditionMessage(error), "data")
  # Whose log-likelihood would be that of the file
  blind <- external_fit(
    model$fit, outside_refit, data = outside_file(), chains = 2,
    log_lik = function(fit) outside_values(fit, outside_file()),
    formula = log(income) ~ age, predict = outside_predict
  )
  expect_error(replicate_study(blind, 10, 2), class = "pseudosynth_error_input")
  expect_s3_class(
    replicate_study(
      alone, 40, 2, seed = 1, refit = function(data) outside_model(data = data)
    ),
    "replicate_study"
  )
})

test_that("a job of a model fitted elsewhere is resumed where it stopped", {
  # Functions as a user has them: they find one another in the workspace
  kit <- new.env(parent = globalenv())
  for (name in ls(environment(outside_model), pattern = "^outside_|^random_")) {
    f <- get(name, environment(outside_model))
    environment(f) <- kit
    assign(name, f, kit)
  }
  # A resumed job has its own copy of what they have written down
  kit$calls <- 0
  kit$flag <- withr::local_tempfile()
  file.create(kit$flag)
  refit <- function(alpha, data = outside_file()) {
    calls <<- calls + 1
    if (calls == 2 && file.exists(flag)) stop("power cut")
    outside_refit(alpha, data)
  }
  environment(refit) <- kit
  model <- kit$outside_model(refit, seeded = FALSE)
  folder <- withr::local_tempfile()
  run <- function() {
    suppressMessages(pseudo_posterior(
      model, mechanism = "lw_final", m = 2, checkpoint = folder
    ))
  }
  error <- expect_error(run(), class = "pseudosynth_error_input")
  expect_identical(names(error$fits), c("unweighted", "weighted"))
  unlink(kit$flag)
  job <- suppressMessages(resume(folder))
  # The fit that was finished is the one that was gone on from
  expect_identical(job$internal$fits$lw$fit, error$fits$weighted$fit)
  expect_identical(suppressMessages(resume(folder))$synthetic, job$synthetic)
  expect_error(
    suppressMessages(pseudo_posterior(
      outside_model(), mechanism = "lw_final", m = 2, checkpoint = folder
    )),
    class = "pseudosynth_error_checkpoint"
  )
})

test_that("jobs refuse what a model fitted elsewhere cannot do", {
  model <- outside_model(seeded = FALSE)
  refuse <- function(..., formula = model, class = "pseudosynth_error_input") {
    expect_error(
      suppressMessages(pseudo_posterior(formula, ...)), class = class
    )
  }
  for (name in c("centred", "score", "censor_w", "perturbed_histogram")) {
    refuse(mechanism = name, epsilon = 2)
  }
  refuse(mechanism = "lw", prior = prior_normal())
  refuse(mechanism = "lw", chains = 2)
  refuse(outside_file(), mechanism = "lw")
  refuse(mechanism = "lw", family = gaussian())
  lw <- update(model, privacy_weights = 0.5)
  refuse(mechanism = "lw", formula = lw)
  edited <- model
  edited$data$income[1] <- 1
  refuse(
    mechanism = "lw", formula = edited, class = "pseudosynth_error_edited"
  )
  refuse(mechanism = "lw", formula = matrix_fit())
  # Too many sets
  refuse(mechanism = "lw", m = 801)
  expect_error(as_generator(lw), class = "pseudosynth_error_input")
})

test_that("what is missing for sets is named, with the line to add", {
  error <- expect_error(
    synthesize(matrix_fit(converged = TRUE)),
    class = "pseudosynth_error_no_formula"
  )
  expect_match(conditionMessage(error), "formula = ", fixed = TRUE)
  expect_error(
    count_weights(matrix_fit(), radius = 0.2),
    class = "pseudosynth_error_no_formula"
  )
  no_way <- outside_model(predict = NULL)
  error <- expect_error(
    synthesize(no_way), class = "pseudosynth_error_predict"
  )
  expect_match(conditionMessage(error), "predict = function")
  give <- function(value) {
    model <- outside_model(predict = function(fit, draws, data) {
      if (is.function(value)) value(fit, draws, data) else value
    })
    expect_error(
      synthesize(model, m = 2), class = "pseudosynth_error_input"
    )
  }
  right <- function(fit, draws, data) outside_predict(fit, draws, data)
  wrong <- list(
    1, matrix(0, 2, 119), matrix(0, 120, 2), NULL, "a", matrix("a", 2, 120),
    array(0, c(2, 120, 1)), data.frame(a = 1), list(1),
    function(fit, draws, data) right(fit, draws, data) * NA,
    function(fit, draws, data) right(fit, draws, data) / 0,
    function(fit, draws, data) t(right(fit, draws, data)),
    function(fit, draws, data) stop("income 7654321")
  )
  for (value in wrong) give(value)
  error <- give(wrong[[length(wrong)]])
  expect_no_match(conditionMessage(error), "7654321")
  stored <- stored_stan()
  unknown <- stan_model_of(
    data = stored$records, formula = log(income) ~ x, predict = "y_new"
  )
  expect_error(synthesize(unknown), class = "pseudosynth_error_predict")
})

test_that("published copies of the response are refused", {
  file <- outside_file()
  file$copy <- rank(file$income, ties.method = "first") + 10 * file$income
  expect_error(
    suppressMessages(synthesize(external_fit(
      outside_refit(rep(1, 120), file), log_lik = outside_values, data = file,
      formula = log(income) ~ age + copy, predict = outside_predict,
      converged = TRUE
    ))),
    class = "pseudosynth_error_copied_response"
  )
})

test_that("levels come as levels or as their numbers", {
  file <- outside_file()
  file$owner <- factor(rep_len(c("no", "yes"), 120))
  file$region <- rep_len(c("east", "north", "south"), 120)
  values <- matrix(-1 - 0.001 * seq_len(120 * 20), 20, 120)
  sets_of_way <- function(formula, predict) {
    as.data.frame(synthesize(external_fit(
      values, data = file, formula = formula, predict = predict,
      converged = TRUE
    )))
  }
  forms <- list(
    function(fit, draws, data) matrix("yes", length(draws), nrow(data)),
    function(fit, draws, data) matrix(1L, length(draws), nrow(data)),
    function(fit, draws, data) matrix(TRUE, length(draws), nrow(data)),
    # One draw as a factor
    function(fit, draws, data) factor(rep("yes", nrow(data)), c("yes", "no"))
  )
  for (form in forms) {
    set <- sets_of_way(owner ~ age, form)
    expect_identical(set$owner, factor(rep("yes", 120), c("no", "yes")))
  }
  third <- function(fit, draws, data) matrix(3, length(draws), nrow(data))
  expect_identical(
    sets_of_way(region ~ age, third)$region, rep("south", 120)
  )
  for (wrong in list(2, -1, 0.5, NA, "maybe")) {
    expect_error(
      sets_of_way(owner ~ age, function(fit, draws, data) {
        matrix(wrong, length(draws), nrow(data))
      }),
      class = "pseudosynth_error_predict"
    )
  }
  zero <- function(fit, draws, data) matrix(0, length(draws), nrow(data))
  expect_error(
    sets_of_way(region ~ age, zero), class = "pseudosynth_error_predict"
  )
})

# At night: real programs, from fit to certificate -----------------------------

#' The whole way of a model, the same for all packages
#' @param fit_at (function of weights and data)
#' @param density (function of a fit) Unweighted log-likelihoods by hand, S x N.
#' @param holds (flag) Does the package's log-likelihood hold the weights?
#' @param formula (formula) As external_fit() takes it.
expect_whole_way <- function(fit_at, density, file, holds, predict = NULL,
                             formula = log(income) ~ age + sex) {
  first <- fit_at(rep(1, nrow(file)))
  make <- function(...) {
    external_fit(
      first, fit_at, data = file, formula = formula, predict = predict, ...
    )
  }
  model <- make()
  expect_true(model$converged)
  expect_equal(
    model$bound$record, apply(abs(density(model$fit)), 2, max),
    tolerance = 1e-6
  )
  weights <- lipschitz_weights(model)
  lw <- update(model, privacy_weights = weights)
  expect_equal(
    lw$bound$record,
    as.numeric(weights) * apply(abs(density(lw$fit)), 2, max),
    tolerance = 1e-6
  )
  expect_false(lw$way$seeded)
  # Weights that are nearly all 1 would leave it open
  for (refused in list(weights, rep(0.5, nrow(file)))) {
    expect_error(
      update(
        make(weighted = !holds, seeded = FALSE), privacy_weights = refused
      ),
      class = "pseudosynth_error_weighted"
    )
  }
  job <- suppressMessages(pseudo_posterior(
    model, mechanism = "lw_final", m = 2
  ))
  label <- guarantee(job)
  expect_identical(label$label, "asymptotic")
  expect_false(label$reproducible)
  expect_lte(
    job$stages$lipschitz_bound[3], 1.02 * job$stages$lipschitz_bound[2]
  )
  folder <- withr::local_tempfile()
  suppressMessages(release(job, folder))
  expect_true("certificate.txt" %in% dir(folder))
  if (rmarkdown::pandoc_available()) {
    pages <- withr::local_tempfile(fileext = c(".html", ".html"))
    report(job, pages[1])
    report(job, pages[2], audience = "public")
    expect_true(all(file.exists(pages)))
  }
  distance <- utility(job)$table$ecdf_max
  expect_lt(max(distance), 0.2)
  study <- replicate_study(lw, epsilon = 20, replicates = 2, seed = 1)
  expect_identical(nrow(study$table), 2L)
  list(model = model, lw = lw, weights = weights)
}

regression_density <- function(draws, file) {
  x <- stats::model.matrix(~ age + sex, file)
  f <- stats::dnorm(
    rep(log(file$income), each = nrow(draws)), tcrossprod(draws[, 1:3], x),
    draws[, 4],
    log = TRUE
  )
  matrix(f, nrow(draws))
}

test_that("a program of rstan goes the whole way", {
  skip_unless_nightly()
  package <- "rstan"
  skip_if_not_installed(package)
  rstan <- asNamespace(package)
  if (!nzchar(rstan$rstan_options("boost_lib"))) {
    rstan$rstan_options(boost_lib = "/usr/include")
  }
  file <- outside_file(250)
  program <- rstan$stan_model(test_path("stan", "normal.stan"))
  for (seed in c(NA, 1)) {
    fit_at <- function(weights, data = file) {
      rstan$sampling(
        program, list(
          N = nrow(data), x = data$age / 50, y = log(data$income),
          alpha = weights
        ),
        chains = 2, iter = 2400, refresh = 0, cores = 1,
        seed = if (is.na(seed)) random_seed() else seed
      )
    }
    density <- function(fit) {
      outside_values(as.matrix(fit, pars = c("a", "b", "sigma")), file)
    }
    if (is.na(seed)) {
      expect_whole_way(fit_at, density, file, FALSE, predict = "y_rep")
      next
    }
    model <- external_fit(fit_at(rep(1, 250)), fit_at)
    fixed <- update(model, privacy_weights = lipschitz_weights(model))
    expect_true(guarantee(fixed)$reproducible)
  }
  failed <- fit_at(c(rep(1, 249), 2))
  expect_error(
    external_fit(failed), class = "pseudosynth_error_log_lik"
  )
})

test_that("a model of rstanarm goes the whole way", {
  skip_unless_nightly()
  skip_if_not_installed("rstanarm")
  stan_glm <- getExportedValue("rstanarm", "stan_glm")
  normal <- getExportedValue("rstanarm", "normal")
  exponential <- getExportedValue("rstanarm", "exponential")
  file <- outside_file(250)
  fit_at <- function(weights, data = file, family = Gamma(link = "log"),
                     formula = income ~ age + sex) {
    data$w <- weights
    suppressWarnings(stan_glm(
      formula,
      data = data, weights = w, prior = normal(0, 1), family = family,
      prior_intercept = normal(10.8, 2.5), prior_aux = exponential(1),
      chains = 2, iter = 2000, refresh = 0, cores = 1
    ))
  }
  made <- expect_whole_way(fit_at, function(fit) {
    draws <- as.matrix(fit)
    x <- stats::model.matrix(~ age + sex, file)
    shape <- draws[, "shape"]
    f <- stats::dgamma(
      rep(file$income, each = nrow(draws)), shape,
      shape / exp(tcrossprod(draws[, 1:3], x)),
      log = TRUE
    )
    matrix(f, nrow(draws))
  }, file, TRUE, formula = income ~ age + sex)
  # Of the gaussian family it takes weights and does not use them
  normal_at <- function(weights, data = file) {
    fit_at(weights, data, stats::gaussian(), log(income) ~ age + sex)
  }
  model <- external_fit(normal_at(rep(1, 250)), normal_at)
  expect_error(
    update(model, privacy_weights = lipschitz_weights(model)),
    class = "pseudosynth_error_weights_ignored"
  )
  scaled <- external_fit(made$model$fit, function(weights) {
    fit_at(weights / mean(weights))
  })
  expect_error(
    update(scaled, privacy_weights = made$weights),
    class = "pseudosynth_error_weights_changed"
  )
  for (verb in list(lipschitz, lipschitz_weights, external_fit)) {
    expect_error(verb(made$lw$fit), class = "pseudosynth_error_weights_changed")
  }
})

test_that("a model of brms goes the whole way", {
  skip_unless_nightly()
  package <- "brms"
  skip_if_not_installed(package)
  brms <- asNamespace(package)
  rstan <- asNamespace("rstan")
  if (!nzchar(rstan$rstan_options("boost_lib"))) {
    rstan$rstan_options(boost_lib = "/usr/include")
  }
  file <- outside_file(250)
  formula <- stats::as.formula("log(income) | weights(w) ~ age + sex")
  first <- suppressMessages(brms$brm(
    formula, transform(file, w = 1),
    prior = c(
      brms$set_prior("normal(0, 1)", class = "b"),
      brms$set_prior("normal(10.8, 2.5)", class = "Intercept"),
      brms$set_prior("student_t(3, 0, 1)", class = "sigma")
    ), chains = 2, iter = 1500, refresh = 0, cores = 1
  ))
  fit_at <- function(weights, data = file) {
    suppressMessages(update(
      first, newdata = transform(data, w = weights), recompile = FALSE,
      chains = 2, iter = 1500, refresh = 0, cores = 1
    ))
  }
  names <- c("b_Intercept", "b_age", "b_sexm", "sigma")
  made <- expect_whole_way(fit_at, function(fit) {
    regression_density(as.matrix(fit)[, names], file)
  }, file, TRUE)
  scaled <- external_fit(made$model$fit, function(weights) {
    fit_at(weights / mean(weights))
  })
  expect_error(
    update(scaled, privacy_weights = made$weights),
    class = "pseudosynth_error_weights_changed"
  )
})
