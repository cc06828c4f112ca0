# Calls that work: of every exported verb, of the methods of every class, of
# every family. What each argument is crossed with is decided in cases.R.

tiny_run <- list(chains = 2, warmup = 50, draws = 50, threads = 1, seed = 1)

quietly <- function(expr) suppressWarnings(suppressMessages(expr))

# An object of each class, with what it was made from
odd_objects <- function() {
  calls <- bad_input_calls()
  of <- function(call, argument) calls[[call]]$arguments[[argument]]
  data <- bad_input_data()
  fit <- of("lipschitz", "x")
  sets <- of("identification_risk", "synthetic")
  scores <- of("synthesize_scores", "fit")
  job <- of("autoplot_job", "object")
  run <- function(name) {
    quietly(do.call(calls[[name]]$f, calls[[name]]$arguments))
  }
  folder <- tempfile("book")
  study <- run("replicate_study")
  c(
    list(
      fit = fit, sets = sets, scores = scores, job = job,
      histogram = of("synthesize_histogram", "fit"),
      weights = of("lipschitz_weights", "x") |> lipschitz_weights(),
      bound = lipschitz(fit), risk = of("top_risks", "x"),
      label = guarantee(fit), rule = of("mechanism_frozen", "rule"),
      generator = quietly(as_generator(fit, m = 1, data = data)),
      ledger = ledger(folder, epsilon = 1, delta = 1e-5),
      family = student_t(), prior = prior_normal(),
      control = sampler_control(), margin = margin_histogram(c(10, 1e7)),
      mechanism = mechanism("lw"), response = public_response(0),
      scheme = lipschitz_scheme(), study = study,
      made_response = fit$response, made_design = fit$design,
      steps = quietly(mechanism(
        "score", reference = list("(Intercept)" = 10, sigma = 1)
      )),
      map = quietly(run("compare_grid")),
      score_audit = quietly(audit_guarantee(scores, data, replicates = 20))
    ),
    lapply(c(
      attribute = "risk_measured", compared = "compare",
      utility = "utility", pooled = "pool",
      external = "external_fit", censor = "censor", audit = "audit_guarantee",
      topcoded = "topcode"
    ), run)
  )
}

unseeded_scores <- function() {
  quietly(score_release(log(y) ~ g + x, bad_input_data(),
    epsilon = 5, reference = list("(Intercept)" = 10, sigma = 1),
    bounds = c(10, 1e7)
  ))
}

with_offset <- function(f, more) {
  list(f = f, arguments = c(
    list(
      formula = count ~ x + offset(log(yes + 1)), data = family_data(),
      family = stats::poisson()
    ),
    more
  ))
}

more_calls <- function(objects) {
  data <- bad_input_data(30)
  call <- function(f, ...) list(f = f, arguments = list(...))
  o <- objects
  reference <- list("(Intercept)" = 10, sigma = 1)
  known <- list(
    as_generator = call(as_generator, x = o$fit, m = 1),
    compare_sets = call(compare,
      job = o$job, groups = "g", regression = log(y) ~ x
    ),
    report = call(report,
      x = o$job, path = tempfile(fileext = ".html"), audience = "agency",
      known = "g", radius = 0.2
    ),
    report_public = call(report,
      x = o$job, path = tempfile(fileext = ".html"), audience = "public"
    ),
    release_job = call(release,
      x = synthesize(o$histogram, newdata = data[c("y", "g", "x")]),
      path = tempfile(), formats = "csv", require = "none"
    ),
    resume = call(resume, path = tempfile(), ledger = NULL),
    pp_check = call(pp_check, object = o$fit, type = "dens_overlay"),
    prior_summary = call(prior_summary, object = o$fit),
    as_draws_array = call(as_draws_array, x = o$fit),
    as_draws_df = call(as_draws_df, x = o$fit),
    as_draws_matrix = call(as_draws_matrix, x = o$fit),
    autoplot_any = call(autoplot, object = o$fit),
    mechanism_censor_uw = call(mechanism, name = "censor_uw"),
    bernoulli = call(bernoulli), categorical = call(categorical),
    lognormal = call(lognormal), neg_binomial = call(neg_binomial),
    perturbed_histogram_sets = call(perturbed_histogram,
      x = y ~ 1, data = data, bounds = c(10, 1e7), epsilon = 1
    ),
    pool_sets = call(pool, fits = with(o$sets, lm(log(y) ~ x)), level = 0.9),
    lipschitz_matrix = call(lipschitz, x = -matrix(stats::rexp(60), 6)),
    audit_score = call(audit_guarantee,
      x = o$scores, data = bad_input_data(), replicates = 20
    ),
    # Without a seed, as they may leave
    release_scores = call(release,
      x = unseeded_scores(), path = tempfile(), formats = "rds",
      data = bad_input_data(), require = "none"
    ),
    release_histogram = call(release,
      x = perturbed_histogram(
        log(y) ~ 1, bad_input_data(),
        bounds = c(10, 1e7), epsilon = 1
      ), path = tempfile(), formats = "rds", data = bad_input_data(),
      require = "none"
    ),
    release_generator = call(release,
      x = o$generator, path = tempfile(), formats = "rds",
      data = bad_input_data(), require = "none"
    ),
    synthesize_uncertain = call(synthesize,
      fit = unseeded_scores(), m = 2, newdata = bad_input_data(),
      uncertainty = TRUE
    ),
    synthesize_generator = call(synthesize,
      fit = o$generator, m = 1, newdata = bad_input_data()
    ),
    fit_offset = with_offset(fit_synthesizer, tiny_run),
    score_offset = with_offset(score_release, list(
      epsilon = 5, reference = list("(Intercept)" = 0), bounds = c(0, 20)
    )),
    count_of_values = call(count_weights,
      x = "y", data = data, radius = 0.2
    )
  )
  c(known, family_calls(data), job_calls(data, reference))
}

family_data <- function(data = bad_input_data(30)) {
  n <- nrow(data)
  transform(data,
    count = as.integer(seq_len(n) %% 7), part = (seq_len(n) - 0.5) / n,
    kind = factor(rep(c("u", "v", "w"), length.out = n)), flag = yes == 1
  )
}

odd_families <- function() {
  list(
    gaussian = list(log(y) ~ x, stats::gaussian(), bounds = c(10, 1e7)),
    student_t = list(log(y) ~ x, student_t(), bounds = c(10, 1e7)),
    mixture = list(log(y) ~ x, normal_mixture(3), bounds = c(10, 1e7)),
    lognormal = list(y ~ x, lognormal(), bounds = c(10, 1e7)),
    poisson = list(count ~ x, stats::poisson(), bounds = c(0, 20)),
    neg_binomial = list(count ~ x, neg_binomial(), bounds = c(0, 20)),
    bernoulli = list(yes ~ x, bernoulli()),
    categorical = list(kind ~ x, categorical(),
      response = public_response(levels = c("u", "v", "w"))
    ),
    beta = list(part ~ x, beta_response(c(0, 1)), bounds = c(0, 1))
  )
}

family_reference <- function(family) {
  c(
    list("(Intercept)" = 0),
    if (family %in% c("gaussian", "student_t", "lognormal")) list(sigma = 1),
    if (family == "neg_binomial") list(size = 1),
    if (family == "beta") list(precision = 1)
  )
}

family_calls <- function(data) {
  data <- family_data(data)
  families <- odd_families()
  fits <- lapply(families, function(family) {
    list(f = fit_synthesizer, arguments = c(
      list(
        formula = family[[1]], data = data, family = family[[2]],
        response = family$response
      ),
      tiny_run
    ))
  })
  scored <- families[names(families) != "mixture"]
  scores <- Map(function(family, name) {
    arguments <- list(
      formula = family[[1]], data = data, family = family[[2]], epsilon = 5,
      reference = if (name != "categorical") family_reference(name),
      bounds = family$bounds,
      response = family$response, seed = 1
    )
    list(f = score_release, arguments = arguments)
  }, scored, names(scored))
  c(
    stats::setNames(fits, paste0("fit_", names(fits))),
    stats::setNames(scores, paste0("score_", names(scores)))
  )
}

job_settings <- function(reference) {
  list(
    centred = list(epsilon = 5, reference = reference),
    censor_uw = list(epsilon = 5), censor_w = list(epsilon = 5),
    cw = list(radius = 0.2), cw_final = list(radius = 0.2),
    lw = list(), lw_final = list(), risk = list(radius = 0.2, risk_sets = 2),
    scalar = list(epsilon = 5), score = list(
      epsilon = 5, reference = reference, bounds = c(10, 1e7)
    ),
    two_stage = list(
      epsilon = 8, weight_range = c(0.5, 2), reference = reference,
      control = sampler_control(max_rhat = 9, min_ess = 1, min_acceptance = 0)
    ),
    unweighted = list(), weighted_e = list(epsilon = 5)
  )
}

job_calls <- function(data, reference) {
  settings <- job_settings(reference)
  jobs <- Map(function(setting, mechanism) {
    list(f = pseudo_posterior, arguments = c(
      list(
        formula = log(y) ~ x, data = data, family = stats::gaussian(),
        mechanism = mechanism, m = 1, allow_unconverged = TRUE
      ),
      setting,
      if (mechanism == "score") list(seed = 1) else tiny_run
    ))
  }, settings, names(settings))
  stats::setNames(jobs, paste0("job_", names(jobs)))
}

# Methods: of each object, each generic that has one for it
generic_of <- function(name) {
  for (package in c(
    "pseudosynth", "base", "stats", "utils", "graphics", "generics", "loo",
    "bayesplot", "knitr", "ggplot2", "posterior"
  )) {
    if (requireNamespace(package, quietly = TRUE)) {
      found <- get0(name, asNamespace(package), mode = "function")
      if (!is.null(found)) return(found)
    }
  }
  stop("No generic ", name)
}

further_arguments <- function(generic, object) {
  switch(generic,
    "$" = , "[[" = , "[" = list(1),
    "[<-" = , "[[<-" = list(1, value = 0.5), "length<-" = list(value = 2),
    with = list(quote(1 + 1)), predict = list(newdata = bad_input_data()),
    audit_guarantee = if (inherits(object, "score_release")) {
      list(data = bad_input_data(), replicates = 20)
    } else {
      list()
    },
    list()
  )
}

method_calls <- function(objects) {
  registered <- asNamespace("pseudosynth")[[".__NAMESPACE__."]]$S3methods
  single <- c("Ops", "Math", "Summary")
  calls <- list()
  for (i in seq_len(nrow(registered))) {
    generic <- registered[i, 1]
    name <- names(objects)[vapply(objects, inherits, TRUE, registered[i, 2])][1]
    if (is.na(name)) next
    object <- objects[[name]]
    fs <- if (generic == "$") {
      list("$" = function(x, name) eval(call("$", x, as.name(name))))
    } else if (generic %in% single) {
      list(sum = sum, range = range, `+` = `+`, `!` = `!`,
        sqrt = sqrt, cumsum = cumsum)
    } else {
      stats::setNames(list(generic_of(generic)), generic)
    }
    method <- get0(registered[i, 3], asNamespace("pseudosynth"))
    for (f in names(fs)) {
      more <- if (generic == "$") list(name = "m") else
        further_arguments(generic, object)
      calls[[paste0(f, ".", registered[i, 2])]] <- list(
        f = fs[[f]], arguments = c(list(object), more),
        formals = if (is.function(method)) names(formals(method))[-1]
      )
    }
  }
  calls
}

odd_calls <- function(objects) {
  calls <- c(bad_input_calls(), more_calls(objects), file_calls(objects))
  covered <- unlist(lapply(getNamespaceExports("pseudosynth"), function(name) {
    f <- getExportedValue("pseudosynth", name)
    if (!is.function(f)) return(TRUE)
    any(vapply(calls, function(call) identical(call$f, f), TRUE))
  }))
  names(covered) <- getNamespaceExports("pseudosynth")
  if (!all(covered)) {
    stop("No call of ", toString(names(covered)[!covered]))
  }
  c(calls, method_calls(objects))
}
