# The Consumer Expenditure analyses of Savitsky, Williams and Hu (2022) and of
# Hu and Savitsky (risk-weighted pseudo posterior): income of `ce_income` under
# the finite mixture, unweighted and with Lipschitz, count, scalar and risk
# weights, over the five (c, g) of the former's Table 2, against top-coding, and
# beside them the strict mechanisms of the package on the same file.
#
#   source(system.file(
#     "studies/consumer_expenditure.R", package = "pseudosynth"
#   ))
#   consumer_expenditure(1, n = 500)
#
# One replicate of the whole file takes about 45 minutes of one core. Replicates
# differ in their seeds alone. With `folder`, a run goes on where it stopped.
# synthpop is not run where it is not installed.

# resample_statistics(), and the figures of the page
source(
  system.file("studies", "harness.R", package = "pseudosynth"), local = TRUE
)

#' @param replicates (whole numbers) Each is the seed of its fits.
#' @param n (count or `NULL`) Records; `NULL` takes all positive incomes, any
#'   other number the same random ones in every replicate.
#' @param configurations (data frame) `scale` and `shift`: the papers' c and g.
#' @param folder (path or `NULL`) Where fits and strict sets are kept.
#' @param sets,resamples (counts) Synthetic sets of each release, resamples of
#'   each file.
#' @return (data frame) Long: `replicate`, `part`, `release`, `item`, `at`,
#'   `value`. Parts: `"figure"` (bounds, means, shares: one number an item),
#'   `"bound"` and `"weight"` (quantile `at` over the records), `"statistic"`
#'   (quantile `at` of the item's resampling distribution), `"density"` (of the
#'   log, at `at`; item `"confidential"` is the file), `"risk"` (quantile `at`
#'   over the records; the item is the radius), `"pair"` (`at`: true values of
#'   some records of the public file, `value`: those of a set), `"riskiest"` and
#'   `"largest"` (ten records; `at`: the true value, `value`: the risk),
#'   `"check"` (of each quantity that chains are judged by, none of which
#'   depends on how components are numbered: `value` its R-hat, `at` its
#'   effective size),
#'   `"chain"` (each chain of a fit by itself, `at`: its number, `value`: the
#'   bound, and what sets drawn from that chain alone give).
consumer_expenditure <- function(replicates, n = NULL, components = 3,
                                 chains = 4, warmup = 300, draws = 250,
                                 thin = 5, sets = 20, resamples = 200,
                                 configurations = mechanism_paper_table(),
                                 data = pseudosynth::ce_income, folder = NULL) {
  data <- data[data$income > 0, ]
  if (!is.null(n)) {
    set.seed(1)
    data <- data[sort(sample(nrow(data), n)), ]
  }
  size <- list(
    components = components, chains = chains, warmup = warmup, draws = draws,
    thin = thin, sets = sets, resamples = resamples
  )
  do.call(rbind, lapply(replicates, function(replicate) {
    if (!is.null(folder)) folder <- file.path(folder, replicate)
    kept <- keeper(folder, list(size, data))
    consumer_replicate(replicate, data, size, configurations, kept)
  }))
}

#' What is made once: `make()`, or its result from a file of `folder`
#' @param settings The files hold for these alone.
keeper <- function(folder, settings) {
  if (is.null(folder)) {
    return(function(name, make) make())
  }
  kept <- function(name, make) {
    file <- file.path(folder, paste0(gsub("[^A-Za-z0-9]+", "-", name), ".rds"))
    if (file.exists(file)) {
      return(readRDS(file))
    }
    result <- make()
    saveRDS(result, paste0(file, ".new"))
    file.rename(paste0(file, ".new"), file)
    result
  }
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  if (!identical(kept("settings", function() settings), settings)) {
    stop(folder, " holds fits of other settings: remove it")
  }
  kept
}

#' Table 2 of Savitsky, Williams and Hu (2022), with its bounds
mechanism_paper_table <- function() {
  data.frame(
    scale = c(0.7, 0.6, 0.6, 0.5, 0.5), shift = c(0, 0, -0.1, 0, -0.1),
    published = c(10.10, 8.16, 7.30, 6.09, 5.71)
  )
}

# The intruder of Hu and Savitsky, section 6.2
known_columns <- c("sex", "age", "education", "marital", "earner")

#' Each fit and each job has seeds of its own, so that it does not depend on
#' which others are run
consumer_replicate <- function(replicate, data, size, configurations, kept) {
  own <- sprintf(
    "(%s, %s)", vapply(configurations$scale, format, ""),
    vapply(configurations$shift, format, "")
  )
  named <- c(
    "Unweighted", "Weights_V", "Clusters", "Weights_V, clusters", "Centred",
    "Score", "LW", "SW", "CW", "CW at LW's bound", paste("LW", own),
    paste("SW", own)
  )
  seed_of <- function(name, j = 1) {
    10000 * replicate + 50 * match(name, named) + j
  }
  quiet <- function(expr) suppressWarnings(suppressMessages(expr))
  fits <- list(Unweighted = kept("Unweighted", function() {
    quiet(pseudosynth::fit_synthesizer(
      log(income) ~ ., data, pseudosynth::normal_mixture(size$components),
      chains = size$chains, warmup = size$warmup, draws = size$draws,
      seed = seed_of("Unweighted"), control = pseudosynth::sampler_control(
        progress = FALSE, thin = size$thin
      )
    ))
  }))
  # A weighted fit that fails its checks is made once more, twice as long
  checked <- function(fit, name) {
    if (fit$converged) {
      return(fit)
    }
    quiet(stats::update(
      fit,
      seed = seed_of(name, 3), control = pseudosynth::sampler_control(
        progress = FALSE, thin = 2 * size$thin
      )
    ))
  }
  refit <- function(name, weights) {
    kept(name, function() {
      checked(quiet(stats::update(
        fits$Unweighted,
        privacy_weights = weights, seed = seed_of(name)
      )), name)
    })
  }
  # The fit whose `weights`, multiplied, bring its bound near `target`: that of
  # the search itself. Bounds move by a tenth from run to run, so another fit
  # with the same weights would be farther off. Where no refit comes near, the
  # nearest is taken.
  at_bound <- function(name, target, weights) {
    checked(quiet(pseudosynth::solve_weights(
      fits$Unweighted,
      target = target, weights = weights, tolerance = 0.08, max_refits = 3,
      allow_unconverged = TRUE, below = NA, seed = seed_of(name)
    )), name)
  }
  # Bounds of fits with one weight follow a power of it: the search, whose first
  # refit multiplies weights by target / bound, starts where that says
  one_weight <- function(name, target) {
    kept(name, function() {
      found <- fits[intersect(c("Unweighted", "SW"), names(fits))]
      of <- function(what) log(vapply(found, what, 0))
      bound <- of(function(fit) fit$bound$overall)
      weight <- of(function(fit) stats::weights(fit)[1])
      guess <- log(target) - bound[1]
      if (length(found) > 1) {
        line <- stats::lm(weight ~ bound)
        guess <- stats::predict(line, data.frame(bound = log(target)))[[1]]
      }
      start <- min(1, exp(guess + bound[1] - log(target)))
      at_bound(name, target, pseudosynth::public_scalar(start))
    })
  }
  lipschitz <- function(scale = 1, shift = 0) {
    pseudosynth::lipschitz_weights(
      fits$Unweighted, scale, shift,
      allow_unconverged = TRUE
    )
  }
  draw <- function(fit, name, ..., j = 49) {
    quiet(pseudosynth::synthesize(
      fit, size$sets,
      seed = seed_of(name, j), allow_unconverged = TRUE, bounds = c(1, 1e7),
      ...
    ))
  }
  risk_of <- function(release, radius = 0.2) {
    pseudosynth::identification_risk(
      release, data, known_columns, radius,
      variable = "income"
    )
  }
  released <- list(Unweighted = draw(fits$Unweighted, "Unweighted"))
  fits$Weights_V <- refit("Weights_V", pseudosynth::risk_weights(
    risk_of(released$Unweighted)
  ))
  # As in the paper: a record's cluster given its income, risks, weights, and
  # clusters given the income again
  clusters <- list(Clusters = draw(
    fits$Unweighted, "Clusters",
    assignment = "posterior"
  ))
  of_clusters <- refit("Weights_V, clusters", pseudosynth::risk_weights(
    risk_of(clusters$Clusters)
  ))
  clusters[["Weights_V, clusters"]] <- draw(
    of_clusters, "Weights_V, clusters",
    assignment = "posterior"
  )
  # The riskiest of some sets are less risky in others, without any weights
  again <- list(
    "Unweighted, again" = draw(fits$Unweighted, "Unweighted", j = 48),
    "Clusters, again" = draw(
      fits$Unweighted, "Clusters",
      assignment = "posterior", j = 48
    )
  )
  strict <- lapply(c(Centred = "Centred", Score = "Score"), function(name) {
    kept(name, function() {
      strict_sets(tolower(name), data, size$sets, function(j) seed_of(name, j))
    })
  })
  fits$LW <- refit("LW", lipschitz())
  count <- pseudosynth::count_weights(
    "income", data,
    radius = 0.2, known = known_columns
  )
  fits$CW <- refit("CW", count)
  fits$SW <- one_weight("SW", fits$LW$bound$overall)
  for (i in seq_along(own)) {
    name <- paste(c("LW", "SW"), own[i])
    fits[[name[1]]] <- refit(
      name[1], lipschitz(configurations$scale[i], configurations$shift[i])
    )
    fits[[name[2]]] <- one_weight(name[2], fits[[name[1]]]$bound$overall)
  }
  lower <- "CW at LW's bound"
  fits[[lower]] <- kept(lower, function() {
    at_bound(lower, fits$LW$bound$overall, count)
  })
  others <- setdiff(names(fits), "Unweighted")
  released <- c(released, Map(draw, fits[others], others), strict, clusters)
  # About the 3% that the surveys replace by their mean
  coded <- pseudosynth::topcode(
    income ~ ., data,
    top = 250000, replace = "mean"
  )
  parts <- list(
    fit_parts(c(fits, list("Weights_V, clusters" = of_clusters))),
    chain_parts(fits, data, size, risk_of, kept),
    statistic_parts(released, data, size$resamples),
    density_parts(released, data), utility_parts(released, data),
    risk_parts(released, coded, risk_of),
    record_parts(released, again, coded, data, risk_of),
    rival_parts(replicate, data, size)
  )
  size <- long("figure", "file", "records", NA, nrow(data))
  cbind(replicate = replicate, do.call(rbind, c(list(size), parts)))
}

#' What others offer, measured alike: a noisy margin alone, of the same proven
#' epsilon of 1, and the regression trees of synthpop, without a label, where it
#' is installed. At seeds of their own, so that they can be run alone.
rival_parts <- function(replicate, data, size) {
  seeds <- 1000 * replicate + 900 + seq_len(100)
  published <- setdiff(names(data), "income")
  margins <- lapply(seq_len(size$sets), function(j) {
    histogram <- pseudosynth::perturbed_histogram(
      log(income) ~ ., data,
      bounds = c(10, 2e6), epsilon = 1, seed = seeds[2 * j - 1]
    )
    suppressMessages(pseudosynth::synthesize(
      histogram,
      newdata = data[published], seed = seeds[2 * j]
    ))[[1]]
  })
  rivals <- list(Histogram = margins)
  if (requireNamespace("synthpop", quietly = TRUE)) {
    method <- ifelse(names(data) == "income", "cart", "")
    rivals$synthpop <- synthpop::syn(
      data,
      method = method, visit.sequence = c(published, "income"),
      m = size$sets, seed = seeds[100], print.flag = FALSE
    )$syn
  }
  risk <- do.call(rbind, Map(function(sets, name) {
    found <- pseudosynth::identification_risk(
      sets, data, known_columns, 0.2,
      variable = "income"
    )
    long(
      "figure", name, c("risk 0.2", "matches 0.2", "largest risk 0.2"), NA,
      found$overall[c("mean_risk", "expected_match_share", "max_risk")]
    )
  }, rivals, names(rivals)))
  rbind(utility_parts(rivals, data), risk)
}

#' Sets of a proven epsilon of 1 in all, add-remove: a job for each, so that
#' each pays for one set
strict_sets <- function(mechanism, data, sets, seed_of) {
  reference <- list("(Intercept)" = 10.8, sigma = 1)
  job <- function(m, j) {
    suppressWarnings(suppressMessages(pseudosynth::pseudo_posterior(
      log(income) ~ ., data, pseudosynth::student_t(3),
      mechanism = mechanism, epsilon = 1, m = m, reference = reference,
      bounds = c(10, 2e6),
      response = pseudosynth::public_response(digits = 0, bounds = c(1, 1e7)),
      seed = seed_of(j), allow_unconverged = TRUE
    )$synthetic))
  }
  # Of a score release any number of sets costs what one does
  if (mechanism == "score") {
    return(job(sets, 1))
  }
  # As many as of the others: a record's risk is a mean over sets, whose largest
  # value falls with their number
  lapply(seq_len(sets), function(j) job(1, j)[[1]])
}

# Parts of the table -----------------------------------------------------------

long <- function(part, release, item, at, value) {
  data.frame(
    part = part, release = release, item = item, at = at, value = value
  )
}

quantile_rows <- function(part, release, item, x, step = 0.025) {
  at <- seq(0, 1, step)
  long(part, release, item, at, stats::quantile(x, at, names = FALSE))
}

# Those whose records are shown one by one
shown <- c(
  "Unweighted", "LW", "SW", "CW", "CW at LW's bound", "Weights_V", "Clusters",
  "Weights_V, clusters", "Centred", "Score"
)

fit_parts <- function(fits) {
  do.call(rbind, Map(function(fit, name) {
    rbind(
      if (name %in% shown) rbind(
        quantile_rows("bound", name, "record", fit$bound$record),
        quantile_rows("weight", name, "record", as.double(stats::weights(fit)))
      ),
      long("figure", name, "delta", NA, fit$bound$overall),
      long("figure", name, "mean weight", NA, mean(stats::weights(fit))),
      long("figure", name, "converged", NA, as.double(fit$converged)),
      long("figure", name, "sweeps", NA, fit$control$thin),
      long("figure", name, c("largest R-hat", "least effective size"), NA, c(
        max(fit$diagnostics$rhat, na.rm = TRUE),
        min(fit$diagnostics$ess_bulk, na.rm = TRUE)
      ))
    )
  }, fits, names(fits)))
}

#' Each chain by itself: do conclusions depend on which one is looked at?
chain_parts <- function(fits, data, size, risk_of, kept) {
  of_fit <- function(fit, name) {
    check <- fit$diagnostics
    by_chain <- lapply(seq_len(size$chains), function(chain) {
      rows <- which(fit$chain == chain)
      found <- c(
        delta = max(fit$bound$draw[rows]),
        set_figures(of_draws(fit, rows), data, size$sets, chain, risk_of)
      )
      long("chain", name, names(found), chain, unname(found))
    })
    rbind(
      long("check", name, check$variable, check$ess_bulk, check$rhat),
      do.call(rbind, by_chain)
    )
  }
  do.call(rbind, Map(function(fit, name) {
    kept(paste("chains of", name), function() of_fit(fit, name))
  }, fits, names(fits)))
}

#' A fit with some of its draws alone
of_draws <- function(fit, rows) {
  n <- nrow(fit$draws)
  fit$draws <- fit$draws[rows, , drop = FALSE]
  pseudosynth:::seal(pseudosynth:::keep_synthesizer_draws(fit, rows, n))
}

set_figures <- function(fit, data, sets, seed, risk_of) {
  drawn <- suppressWarnings(suppressMessages(pseudosynth::synthesize(
    fit, sets,
    seed = seed, allow_unconverged = TRUE, bounds = c(1, 1e7)
  )))
  each <- vapply(as.list(drawn), function(set) {
    points <- c(data$income, set$income)
    c(
      ecdf_max = max(abs(
        stats::ecdf(data$income)(points) - stats::ecdf(set$income)(points)
      )),
      mean = mean(set$income),
      "90%" = stats::quantile(set$income, 0.9, names = FALSE)
    )
  }, numeric(3))
  risk <- risk_of(drawn)$overall
  c(
    rowMeans(each),
    "risk 0.2" = risk[["mean_risk"]], "largest risk 0.2" = risk[["max_risk"]]
  )
}

statistic_parts <- function(released, data, resamples) {
  first <- lapply(released, function(sets) as.list(sets)[seq_len(min(
    length(sets), 5
  ))])
  set.seed(1)
  found <- resample_statistics(
    first, data, list(
      "mean", "median", "90%",
      earner = function(d) {
        stats::coef(stats::lm(log(income) ~ age + earner, d))[["earneryes"]]
      }
    ),
    "income", resamples
  )
  draws <- split(found$draws, list(found$draws$release, found$draws$statistic))
  rows <- lapply(draws, function(d) {
    quantile_rows("statistic", d$release[1], d$statistic[1], d$value, 0.05)
  })
  table <- found$table
  rbind(
    do.call(rbind, rows),
    long(
      "figure", table$release, paste("overlap", table$statistic), NA,
      table$overlap
    )
  )
}

density_parts <- function(released, data) {
  at <- seq(log(500), log(1e6), length.out = 60)
  curve <- function(y, name) {
    found <- stats::density(
      log(y),
      bw = 0.12, n = 60, from = at[1], to = at[60]
    )
    long("density", name, "log income", at, found$y)
  }
  first <- Map(function(sets, name) {
    curve(as.list(sets)[[1]]$income, name)
  }, released[shown], shown)
  rbind(curve(data$income, "confidential"), do.call(rbind, first))
}

utility_parts <- function(released, data) {
  do.call(rbind, Map(function(sets, name) {
    table <- pseudosynth::utility(
      sets, data, "income",
      groups = c("education", "earner", "family_size", "marital", "age"),
      regression = log(income) ~ ., transform = "log"
    )$table
    figures <- c("ecdf_max", "groups", "r_squared", "overlap")
    long("figure", name, figures, NA, colMeans(table[figures]))
  }, released, names(released)))
}

#' What the papers show record by record; the file is public
record_parts <- function(released, again, coded, data, risk_of, pairs = 600) {
  of_paper <- c("Unweighted", "Weights_V", "Clusters", "Weights_V, clusters")
  first <- lapply(released[of_paper], function(sets) as.list(sets)[[1]]$income)
  set.seed(2)
  some <- sort(sample(nrow(data), min(pairs, nrow(data))))
  risks <- lapply(
    c(lapply(c(released[of_paper], again), as.list), list("Top-coded" = coded)),
    function(sets) risk_of(sets)$record$risk
  )
  ten <- function(part, by) {
    rows <- utils::head(order(-by), 10)
    do.call(rbind, Map(function(risk, name) {
      long(part, name, as.character(seq_along(rows)), data$income[rows],
        risk[rows]
      )
    }, risks, names(risks)))
  }
  rbind(
    do.call(rbind, Map(function(income, name) {
      long("pair", name, "income", data$income[some], income[some])
    }, first, names(first))),
    ten("riskiest", risks$Unweighted), ten("riskiest given", risks$Clusters),
    ten("largest", data$income)
  )
}

risk_parts <- function(released, coded, risk_of) {
  of <- function(release, name, radius) {
    risk <- risk_of(release, radius)
    rbind(
      if (name %in% c(shown, "Top-coded")) {
        quantile_rows("risk", name, format(radius), risk$record$risk)
      },
      long(
        "figure", name, paste(c("risk", "matches", "largest risk"), radius), NA,
        c(
          risk$overall[["mean_risk"]], risk$overall[["expected_match_share"]],
          risk$overall[["max_risk"]]
        )
      )
    )
  }
  rows <- Map(function(sets, name) of(as.list(sets), name, 0.2),
    released, names(released)
  )
  radii <- lapply(c(0.05, 0.1), function(radius) {
    rbind(
      of(as.list(released$Unweighted), "Unweighted", radius),
      of(as.list(released$LW), "LW", radius),
      of(coded, "Top-coded", radius)
    )
  })
  rbind(
    do.call(rbind, rows), do.call(rbind, radii), of(coded, "Top-coded", 0.2)
  )
}
