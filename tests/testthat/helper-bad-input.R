# Calls of every public function on small data, and values that no argument
# should stumble over. test-bad-input.R crosses them.

# Values that occur nowhere else, so that a message that holds one shows it
bad_input_data <- function(n = 60) {
  withr::with_seed(6, data.frame(
    row.names = sprintf("SECRETROW%03d", seq_len(n)),
    y = exp(rnorm(n, 10, 1)),
    g = factor(sample(c("a", "b"), n, TRUE)),
    x = round(rnorm(n), 1),
    yes = sample(0:1, n, TRUE),
    name = sprintf("SECRETNAME%03d", seq_len(n))
  ))
}

bad_values <- function() {
  data <- bad_input_data()
  list(
    null = NULL, na = NA, na_text = NA_character_, nan = NaN, inf = Inf,
    minus = -1, zero = 0, half = 0.5, huge = 1e10, two = c(1, 2),
    none = character(), empty = "", word = "zzz", words = c("a", "zzz"),
    true = TRUE, list = list(1), empty_list = list(), fun = function(...) 1,
    call = quote(f(x)), date = as.Date("2020-01-01"), complex = 1i,
    raw = as.raw(1), matrix = matrix(1:4, 2), frame = data.frame(),
    factor = factor("a"), formula = ~1, environment = new.env(),
    numbers = data$y, names = data$name, file = data
  )
}

# An argument that is left out
left_out <- structure(list(), class = "left_out")

bad_input_calls <- function() {
  remember("bad_input_calls", make_bad_input_calls())
}

make_bad_input_calls <- function() {
  data <- bad_input_data()
  model <- log(y) ~ g + x
  reference <- list("(Intercept)" = 10, sigma = 1)
  # Too short to converge, which is not what this is about
  run <- list(chains = 1, warmup = 30, draws = 50, seed = 1, threads = 1)
  fit <- suppressWarnings(do.call(fit_synthesizer, c(
    list(model, data, stats::gaussian(), prior = prior_normal()), run
  )))
  # As good as converged: what is tested is what the arguments do
  fit <- resealed(fit, converged = TRUE)
  weights <- lipschitz_weights(fit)
  weighted <- resealed(suppressWarnings(
    update(fit, privacy_weights = weights, seed = 2)
  ), converged = TRUE)
  sets <- synthesize(fit, 2, seed = 1)
  histogram <- perturbed_histogram(log(y) ~ 1, data,
    bounds = c(10, 1e7), epsilon = 1
  )
  unseeded <- synthesize(histogram, newdata = data[c("y", "g", "x")])
  # So few records that it warns of its noise
  scores <- suppressWarnings(suppressMessages(score_release(model, data,
    epsilon = 5, reference = reference, bounds = c(10, 1e7), seed = 1
  )))
  risk <- identification_risk(sets, data, known = "g", radius = 0.2)
  bound <- lipschitz(fit)
  job <- as_pseudo_posterior(sets, list(unweighted = fit))
  fits <- lapply(sets$sets, function(set) stats::lm(log(y) ~ x, set))
  book <- draft_codebook(data)
  plan <- file_plan(data, book)
  call <- function(f, ...) list(f = f, arguments = list(...))
  with_run <- function(f, ...) {
    list(f = f, arguments = c(list(...), run))
  }
  list(
    fit_synthesizer = with_run(fit_synthesizer,
      formula = model, data = data, family = stats::gaussian(),
      prior = prior_normal(), privacy_weights = NULL, censor = NULL,
      control = sampler_control(), response = NULL, scaling = NULL
    ),
    update = list(f = update, arguments = list(
      object = fit, privacy_weights = weights, censor = NULL, quantile = 1,
      seed = 1
    )),
    pseudo_posterior = with_run(pseudo_posterior,
      formula = model, data = data, family = stats::gaussian(),
      mechanism = "unweighted", epsilon = NULL, m = 1,
      neighbours = "add-remove", margin = NULL, allow_unconverged = TRUE,
      ledger = NULL
    ),
    compare = with_run(compare,
      formula = model, data = data, family = stats::gaussian(),
      mechanisms = "unweighted", epsilon = 1, m = 1, groups = NULL,
      regression = NULL, calibrate = NULL
    ),
    compare_grid = with_run(compare,
      formula = model, data = data, family = stats::gaussian(),
      grid = data.frame(mechanism = "unweighted"), m = 1, groups = NULL,
      regression = NULL
    ),
    lipschitz = call(lipschitz, x = fit, quantile = 1),
    truncate_draws = call(truncate_draws, fit = fit, quantile = 0.9),
    lipschitz_weights = call(lipschitz_weights,
      x = fit, scale = 1, shift = 0, map = "linear", quantile = 1,
      allow_unconverged = FALSE
    ),
    count_weights = call(count_weights,
      x = model, data = data, radius = 0.2, relative = TRUE, known = "g",
      scale = 1, shift = 0
    ),
    risk_weights = call(risk_weights,
      synthetic = sets, data = data, known = "g", radius = 0.2,
      relative = TRUE, lower = 0, upper = 1, mid = 0.5, slope = 5
    ),
    truncate_weights = call(truncate_weights,
      fit = weighted, epsilon = 10, allow_unconverged = TRUE
    ),
    scale_weights = call(scale_weights,
      weights = weights, scale = 1, shift = 0
    ),
    combine_weights = call(combine_weights, weights, weights),
    public_scalar = call(public_scalar, alpha = 0.5),
    solve_weights = call(solve_weights,
      fit = fit, target = 2, weights = weights, by = "scale", tolerance = 1,
      max_refits = 1, quantile = 1, allow_unconverged = TRUE, risk = NULL,
      known = NULL, relative = TRUE, m = 1
    ),
    two_stage_weights = call(two_stage_weights,
      x = model, epsilon0 = 1, weight_range = c(0.1, 1), data = data,
      family = stats::gaussian(), neighbours = "add-remove",
      reference = NULL, window = NULL, seed = 1, chains = 1, warmup = 30,
      draws = 50
    ),
    reweight = call(reweight,
      fit = weighted, k = 0.9,
      tolerance = 0.5, max_refits = 1, quantile = 1, allow_unconverged = TRUE
    ),
    freeze = call(freeze, weights = weights, history = "confidential"),
    censor = call(censor,
      epsilon = 1, neighbours = "add-remove", reference = reference,
      window = NULL, interval = "auto"
    ),
    censor_bounds = call(censor, lower = -1, upper = 1),
    guarantee = call(guarantee, x = fit, m = 1, public = FALSE, study = NULL),
    guarantee_sets = call(guarantee, x = sets, m = 2, public = TRUE),
    to_json = call(to_json, x = guarantee(fit), pretty = TRUE),
    synthesize = call(synthesize,
      fit = fit, m = 1, newdata = NULL, margin = NULL, assignment = "prior",
      seed = 1, allow_unconverged = FALSE, ledger = NULL, uncertainty = FALSE
    ),
    synthesize_histogram = call(synthesize,
      fit = histogram, m = 1, newdata = data, margin = NULL,
      assignment = "prior", seed = 1
    ),
    synthesize_scores = call(synthesize,
      fit = scores, m = 1, newdata = data, margin = NULL,
      assignment = "prior", seed = 1, uncertainty = TRUE
    ),
    synthetic_set = call(`[[`, sets, 1),
    synthetic_frame = call(as.data.frame, x = sets, set = 1),
    release = call(release,
      x = unseeded, path = tempfile(), formats = "csv", data = data,
      require = "none", epsilon = NULL, neighbours = "add-remove",
      long = FALSE, public = character(), ledger = NULL
    ),
    ledger = call(ledger,
      path = tempfile(), epsilon = 1, delta = 0, neighbours = "add-remove"
    ),
    codebook = call(codebook, x = as.data.frame(book)),
    # A word would be a file here
    write_codebook = call(
      function(book) write_codebook(book, tempfile(fileext = ".csv")),
      book = book
    ),
    draft_codebook = call(draft_codebook, data = data),
    confirm_codebook = call(confirm_codebook,
      book = book, columns = "y", data = data
    ),
    edit_codebook = call(edit_codebook, .book = book, y = list(upper = 1e6)),
    file_plan = call(file_plan,
      data = data, codebook = book, publish = "g", unit = NULL, rules = ~ y > 0
    ),
    members = call(members,
      order = ~ -y, slots = 2, household = "g", size = "x", person = "name"
    ),
    waves = call(waves,
      column = "y", codes = 1:2, constant = "g", complete = FALSE
    ),
    decode_file = call(decode_file,
      plan = plan, codes = plan$codes, amounts = plan$amounts
    ),
    autoplot_plan = call(autoplot, object = plan),
    perturbed_histogram = call(perturbed_histogram,
      x = log(y) ~ 1, data = data, bounds = c(10, 1e7), bins = 20, epsilon = 1,
      neighbours = "add-remove", noise = "discrete", seed = 1, response = NULL
    ),
    topcode = call(topcode,
      formula = y ~ g, data = data, top = 1e5, bottom = 0,
      replace = "threshold"
    ),
    score_release = call(score_release,
      formula = model, data = data, family = student_t(), epsilon = 1,
      delta = 1e-6, neighbours = "add-remove", reference = reference,
      bounds = c(10, 1e7), bins = 20, prior = NULL, clip = NULL,
      shares = c(0.3, 0.12, 0.58), spread = 1, response = NULL, scaling = NULL,
      seed = 1
    ),
    utility = call(utility,
      synthetic = sets, data = data, variable = "y", groups = "g",
      regression = log(y) ~ x, transform = "log", pmse = FALSE
    ),
    identification_risk = call(identification_risk,
      synthetic = sets, data = data, known = "g", radius = 0.2,
      relative = TRUE, variable = "y", threads = 1
    ),
    risk_measured = call(pseudosynth::risk,
      synthetic = sets, data = data, keys = "g", variables = "y", intervals = 5
    ),
    replicated_uniques = call(replicated_uniques,
      synthetic = sets, data = data, keys = c("g", "x")
    ),
    top_risks = call(top_risks, x = risk, n = 5, data = data),
    pool = call(pool, fits = fits, level = 0.95, rule = "rubin"),
    replicate_study = call(replicate_study,
      fit = fit, epsilon = 5, replicates = 2, generate = NULL, refit = NULL,
      level = 0.95, seed = 1
    ),
    audit_guarantee = call(audit_guarantee,
      x = y ~ 1, data = worst_case_data("clones", n = 20),
      family = beta_response(c(0, 1)), mechanism = "unweighted",
      epsilon = NULL, prior = NULL, remove = 1, replacements = 2,
      values = NULL, cells = 300, range = NULL
    ),
    record_vectors = call(record_vectors,
      release = histogram, data = data, i = 1
    ),
    worst_case_data = call(worst_case_data,
      design = "clones", n = 20, value = 0.5, bounds = c(0, 1)
    ),
    as_pseudo_posterior = call(as_pseudo_posterior,
      synthetic = sets, fits = list(unweighted = fit), margin = NULL
    ),
    public_response = call(public_response,
      digits = 0, levels = NULL, bounds = c(0, 1)
    ),
    sampler_control = call(sampler_control,
      sampler = "auto", thin = NULL, adapt_delta = 0.9, max_treedepth = 10,
      metric = "auto", progress = FALSE, max_rhat = 1.05, min_ess = 400,
      max_divergent = 0, min_acceptance = 0.1
    ),
    prior_normal = call(prior_normal, scale = 2, intercept = c(0, 5)),
    prior_hierarchical = call(prior_hierarchical, lkj = 2, df = 3, scale = 2),
    prior_shared = call(prior_shared,
      scale = 2, df = 3, intercept = c(0, 5), slope = c(0, 2)
    ),
    prior_beta_mean = call(prior_beta_mean, shape1 = 1, shape2 = 1),
    student_t = call(student_t, df = 4),
    beta_response = call(beta_response, bounds = c(0, 1)),
    normal_mixture = call(normal_mixture, K = 2, sigma_floor = 0.1),
    margin_histogram = call(margin_histogram,
      bounds = c(0, 1), bins = 20, share = 0.3
    ),
    mechanism_lw = call(mechanism,
      name = "lw", scale = 1, shift = 0, map = "linear", quantile = 1,
      tolerance = 0.1, max_refits = 5
    ),
    mechanism_cw = call(mechanism,
      name = "cw", radius = 0.2, relative = TRUE, known = "g", scale = 1,
      shift = 0, quantile = 1, tolerance = 0.1, max_refits = 5
    ),
    mechanism_cw_final = call(mechanism,
      name = "cw_final", radius = 0.2, k = 0.9
    ),
    mechanism_lw_final = call(mechanism, name = "lw_final", k = 0.9),
    mechanism_centred = call(mechanism,
      name = "centred", reference = reference, window = 4
    ),
    mechanism_frozen = call(mechanism, name = "frozen", rule = freeze(weights)),
    mechanism_risk = call(mechanism,
      name = "risk", radius = 0.2, relative = TRUE, known = "g", risk_sets = 2,
      quantile = 1
    ),
    mechanism_scalar = call(mechanism,
      name = "scalar", quantile = 1, tolerance = 0.1, max_refits = 5
    ),
    mechanism_score = call(mechanism,
      name = "score", reference = reference, delta = 1e-6, clip = c(1, 1),
      step_shares = c(0.2, 0.8), spread = 1
    ),
    mechanism_two_stage = call(mechanism,
      name = "two_stage", weight_range = c(0.1, 1), first_share = 0.2,
      reference = reference, window = NULL
    ),
    mechanism_unweighted = call(mechanism, name = "unweighted", quantile = 1),
    mechanism_weighted_e = call(mechanism, name = "weighted_e", scale = 1),
    mechanism_censor_w = call(mechanism,
      name = "censor_w", scale = 1, shift = 0, map = "linear"
    ),
    stage_seed = call(stage_seed, seed = 1, stage = "fit", number = 1),
    read_ce = call(read_ce,
      path = system.file("extdata", "fmli_example.csv",
        package = "pseudosynth"
      ),
      month = NULL, year = NULL, income = "FINCBTXM", incomplete = "drop"
    ),
    read_sdr = call(read_sdr,
      path = "no such file", variables = NULL, incomplete = "drop"
    ),
    log_lik = call(
      log_lik,
      object = fit, draws = 2, records = 1:3, draw_ids = NULL
    ),
    posterior_predict = call(
      posterior_predict,
      object = fit, draws = 2, draw_ids = NULL
    ),
    as_draws = call(as_draws, x = fit),
    external_fit = call(external_fit,
      x = log_lik(fit), refit = NULL, privacy_weights = NULL, data = fit$data,
      draws = NULL, formula = log(y) ~ g, predict = "y_rep",
      log_lik = NULL, response = NULL, weighted = FALSE, seeded = NA,
      chains = 1, converged = TRUE, unit = "log(y)", name = "model"
    ),
    autoplot_fit = call(autoplot, object = fit, type = "trace"),
    autoplot_sets = call(autoplot, object = sets, prefix = "$"),
    autoplot_bound = call(autoplot, object = bound),
    autoplot_weights = call(autoplot, object = weights),
    autoplot_risk = call(autoplot, object = risk),
    autoplot_job = call(autoplot, object = job, type = "density"),
    autoplot_histogram = call(autoplot, object = histogram),
    predict_rule = call(stats::predict,
      object = freeze(weights), newdata = data
    ),
    utility_files = call(utility,
      synthetic = peer_sets(), data = peer_file(), regression = earner ~ age,
      pmse = FALSE, survey_weights = NULL
    ),
    risk_of_files = call(pseudosynth::risk,
      synthetic = peer_sets(), data = peer_file(), keys = "age",
      variables = "earner", intervals = 5
    )
  )
}

# What becomes of a call: "fine", "refused" or what is wrong with it
outcome_of <- function(f, arguments) {
  said <- character()
  note <- function(condition) {
    said <<- c(said, conditionMessage(condition))
    restart <- if (inherits(condition, "warning")) {
      "muffleWarning"
    } else {
      "muffleMessage"
    }
    if (inherits(condition, c("warning", "message"))) invokeRestart(restart)
  }
  error <- NULL
  result <- tryCatch(
    withCallingHandlers({
      utils::capture.output(value <- f_of(f, arguments))
      value
    }, warning = note, message = note),
    error = function(e) error <<- e
  )
  text <- c(said, if (!is.null(error)) {
    c(conditionMessage(error), deparse(conditionCall(error)))
  })
  if (tells_secret(text)) {
    "tells a confidential value"
  } else if (is.null(error)) {
    "fine"
  } else if (inherits(error, "pseudosynth_error")) {
    "refused"
  } else {
    paste("unclassed:", gsub("\\s+", " ", conditionMessage(error)))
  }
}

# Arguments by name, as a user writes them: a call holds no value of theirs
f_of <- function(f, arguments) {
  names <- sprintf("given_%d", seq_along(arguments))
  frame <- new.env(parent = globalenv())
  for (i in seq_along(arguments)) assign(names[i], arguments[[i]], frame)
  frame$f <- f
  given <- lapply(names[seq_along(arguments)], as.name)
  names(given) <- names(arguments)
  call <- as.call(c(list(as.name("f")), given))
  eval(call, frame)
}

tells_secret <- function(text) {
  text <- paste(text, collapse = " ")
  grepl("SECRET", text, fixed = TRUE) || any(vapply(
    sprintf("%.7g", bad_input_data()$y), grepl, TRUE,
    x = text, fixed = TRUE
  ))
}
