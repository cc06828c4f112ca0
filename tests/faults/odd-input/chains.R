# Odd files through the whole chain: a response of each kind, for each family
# and source of sets, then everything that is made of what came out. Each step
# is a case of its own; a refusal ends what depends on it.

odd_responses <- function(n = 30) {
  y <- bad_input_data(n)$y
  list(
    usual = y, equal = rep(5, n), one = 5, two = c(5, 7), three = c(1, 2, 4),
    zero = rep(0, n), mostly_zero = replace(rep(0, n), 1:3, 1:3),
    negative = -y, both_signs = y - stats::median(y), giant = y * 1e295,
    tiny = y * 1e-300, far = 1e12 + y, ties = round(y, -5) + 1,
    two_values = rep(c(1, 2), length.out = n), counts = seq_len(n) %% 7,
    big_counts = round(y) * 1e6, half_counts = seq_len(n) / 2,
    parts = seq_len(n) / (n + 1), ends = seq(0, 1, length.out = n),
    outlier = replace(rep(5, n), 1, 1e9), missing = replace(y, 2, NA),
    infinite = replace(y, 2, Inf), not_a_number = replace(y, 2, NaN),
    text = rep(c("u", "v", "w"), length.out = n),
    factor = factor(rep(c("u", "v", "w"), length.out = n)),
    one_level = factor(rep("u", n)), unused = factor(rep("u", n), c("u", "v")),
    all_levels = factor(seq_len(n)), flags = seq_len(n) %% 2 == 0,
    all_true = rep(TRUE, n), dates = as.Date("2020-01-01") + seq_len(n),
    times = as.POSIXct("2020-01-01", tz = "UTC") + seq_len(n),
    spans = as.difftime(seq_len(n), units = "mins"),
    labelled = odd_labelled(as.double(seq_len(n))), integers = seq_len(n)
  )
}

# What each family is asked for: as is, and on the log scale
chain_sources <- function() {
  families <- odd_families()
  sources <- c(
    fit = "fit", nuts = "nuts", score = "score", lw = "lw", cw = "cw",
    centred = "centred", censor_uw = "censor_uw", scalar = "scalar"
  )
  expand.grid(
    family = names(families), source = unname(sources),
    stringsAsFactors = FALSE
  )
}

chain_cases <- function() {
  made <- merge(
    chain_sources(), data.frame(response = names(odd_responses())),
    by = NULL
  )
  other <- merge(
    data.frame(family = "none", source = c("histogram", "topcode", "counts")),
    data.frame(response = names(odd_responses())),
    by = NULL
  )
  rbind(made, other)
}

chain_start <- function(case) {
  y <- odd_responses()[[case$response]]
  data <- bad_input_data(length(y))
  data$y <- y
  numbers <- if (is.numeric(y)) as.double(unclass(y)) else 1
  numbers <- numbers[is.finite(numbers)]
  bounds <- signif(range(c(numbers, 1)) + c(-0.7, 1.3), 1)
  family <- if (case$family != "none") odd_families()[[case$family]][[2]]
  of_logs <- all(numbers > 0) &&
    case$family %in% c("gaussian", "student_t", "mixture")
  if (of_logs) bounds <- c(min(numbers) / 3, max(numbers) * 3)
  formula <- if (of_logs) log(y) ~ g + x else y ~ g + x
  environment(formula) <- globalenv()
  reference <- if (case$family != "categorical") family_reference(case$family)
  response <- if (case$family == "categorical") {
    y <- if (inherits(y, "haven_labelled")) unclass(y) else y
    public_response(levels = sort(unique(as.character(y))))
  }
  public <- list(
    reference = reference, bounds = if (is.null(response)) bounds
  )
  job <- function(mechanism, ...) {
    list(f = pseudo_posterior, arguments = c(
      list(
        formula = formula, data = data, family = family, mechanism = mechanism,
        allow_unconverged = TRUE, ...
      ),
      tiny_run
    ))
  }
  start <- switch(case$source,
    fit = list(f = fit_synthesizer, arguments = c(
      list(formula = formula, data = data, family = family), tiny_run
    )),
    nuts = list(f = fit_synthesizer, arguments = c(list(
      formula = formula, data = data, family = family,
      control = sampler_control("nuts"), prior = prior_normal()
    ), tiny_run)),
    score = list(f = score_release, arguments = c(
      list(
        formula = formula, data = data, family = family, epsilon = 2,
        response = response
      ),
      public
    )),
    histogram = list(f = perturbed_histogram, arguments = list(
      x = formula, data = data, bounds = bounds, epsilon = 1
    )),
    topcode = list(f = topcode, arguments = list(
      formula = y ~ g, data = data, top = bounds[2] / 2
    )),
    counts = list(f = count_weights, arguments = list(
      x = formula, data = data, radius = 0.2
    )),
    cw = job("cw", radius = 0.2),
    centred = job("centred", epsilon = 5, reference = reference),
    job(case$source, epsilon = if (case$source != "lw") 5)
  )
  list(data = data, formula = formula, start = start)
}

# What is made of an object: name and code, in the order of their doing
chain_steps <- function() {
  alist(
    print = print(x), format = format(x), summary = print(summary(x)),
    tidy = generics::tidy(x), glance = generics::glance(x),
    frame = as.data.frame(x), guarantee = print(guarantee(x)),
    plot = odd_draw(autoplot(x)), coef = stats::coef(x),
    lipschitz = print(lipschitz(x)),
    lipschitz_weights = odd_draw(autoplot(
      lipschitz_weights(x, allow_unconverged = TRUE)
    )),
    update = update(x,
      privacy_weights = rep(0.5, nrow(data)), seed = 2
    ),
    log_lik = log_lik(x), predict = posterior_predict(x, draws = 3),
    pp_check = odd_draw(pp_check(x)),
    generator = print(as_generator(x, data = data, allow_unconverged = TRUE)),
    confint = stats::confint(x),
    report = report(x, tempfile(fileext = ".html"), known = "g"),
    report_public = report(x, tempfile(fileext = ".html"), "public"),
    truncate = truncate_draws(x, 0.9)
  )
}

set_steps <- function() {
  alist(
    sets_print = print(sets), sets_summary = print(summary(sets)),
    sets_plot = odd_draw(autoplot(sets)), sets_tidy = generics::tidy(sets),
    sets_frame = as.data.frame(sets), set = sets[[1]],
    utility = print(utility(sets, data)),
    utility_more = print(utility(sets, data,
      variable = "y", groups = "g", regression = formula, pmse = TRUE
    )),
    utility_plot = odd_draw(autoplot(utility(sets, data, groups = "g"))),
    identification = print(identification_risk(sets, data,
      known = "g", radius = 0.2, variable = "y"
    )),
    identification_plot = odd_draw(autoplot(identification_risk(sets, data,
      known = "g", radius = 0.2, variable = "y"
    ))),
    attribute = print(risk(sets, data, keys = "g")),
    uniques = replicated_uniques(sets, data, keys = c("g", "x")),
    risk_weights = risk_weights(sets, data, known = "g", radius = 0.2),
    pool = print(pool(with(sets, stats::lm(as.numeric(y) ~ 1)))),
    release = release(sets, tempfile(), data = data, require = "none"),
    release_long = release(sets, tempfile(), c("csv", "rds"),
      data = data, require = "none", long = TRUE
    ),
    as_job = as_pseudo_posterior(sets, list(first = x))
  )
}

# Generics of others are asked where the object has a method of ours
applies <- function(code, x) {
  generics <- intersect(all.names(code), c(
    "tidy", "glance", "autoplot", "coef", "update", "log_lik", "confint",
    "posterior_predict", "pp_check", "as.data.frame"
  ))
  registered <- asNamespace("pseudosynth")[[".__NAMESPACE__."]]$S3methods
  ours <- registered[registered[, 2] %in% class(x), 1]
  all(generics %in% c(ours, if (any(generics == "autoplot") &&
    "lipschitz_weights" %in% all.names(code)) "autoplot"))
}

# A figure is drawn for its errors, into nothing
odd_draw <- function(figure) {
  if (inherits(figure, "ggplot")) {
    ggplot2::ggplotGrob(figure)
  }
  figure
}

run_chain <- function(case, record) {
  begun <- tryCatch(chain_start(case), error = identity)
  if (inherits(begun, "error")) {
    # What the user states of this response is an error itself: of its levels
    return(record("make", function() stop(begun)))
  }
  frame <- list2env(begun, parent = environment())
  step <- function(name, code) {
    record(name, function() eval(code, frame))
  }
  frame$x <- record("make", function() {
    f_of(begun$start$f, begun$start$arguments)
  })
  if (is.null(frame$x)) return(invisible())
  steps <- chain_steps()
  for (name in names(steps)) {
    if (applies(steps[[name]], frame$x)) step(name, steps[[name]])
  }
  frame$sets <- if (inherits(frame$x, "synthetic_data")) {
    frame$x
  } else if (inherits(frame$x, "pseudo_posterior")) {
    frame$x$synthetic
  } else if (!inherits(frame$x, "privacy_weights")) {
    step("synthesize", quote(synthesize(x, 2,
      newdata = if (inherits(x, "synthesizer")) NULL else data,
      allow_unconverged = TRUE
    )))
  }
  if (is.null(frame$sets)) return(invisible())
  steps <- set_steps()
  for (name in names(steps)) step(name, steps[[name]])
}
