# The Consumer Expenditure analyses of Savitsky, Williams and Hu (2022) and of
# Hu and Savitsky (risk-weighted pseudo posterior): income of `ce_income` under
# the finite mixture, unweighted and with Lipschitz, count, scalar and risk weights,
# over the five (c, g) of the former's Table 2, against top-coding, and beside
# them the strict mechanisms of the package on the same file.
#
#   source(system.file(
#     "studies/consumer_expenditure.R", package = "pseudosynth"
#   ))
#   consumer_expenditure(1, n = 500)
#
# One replicate of the whole file takes about ten minutes of one core.
# Replicates differ in their seeds alone. Replicate 0 of the stored table is a
# trial of 400 records.

#' @param replicates (whole numbers) Each is the seed of its fits.
#' @param n (count or `NULL`) Records; `NULL` takes all positive incomes, any
#'   other number the same random ones in every replicate.
#' @param configurations (data frame) `scale` and `shift`: the papers' c and g.
#' @param sets,resamples (counts) Synthetic sets of each release, resamples of
#'   each file.
#' @return (data frame) Long: `replicate`, `part`, `release`, `item`, `at`,
#'   `value`. Parts: `"figure"` (bounds, means, shares: one number an item),
#'   `"bound"` and `"weight"` (quantile `at` over the records), `"statistic"`
#'   (quantile `at` of the item's resampling distribution), `"density"` (of the
#'   log, at `at`; item `"confidential"` is the file), `"risk"` (quantile `at`
#'   over the records; the item is the radius).
consumer_expenditure <- function(replicates, n = NULL, components = 3,
                                 chains = 4, warmup = 120, draws = 300,
                                 sets = 20, resamples = 200,
                                 configurations = mechanism_paper_table()) {
  data <- subset(pseudosynth::ce_income, income > 0)
  if (!is.null(n)) {
    set.seed(1)
    data <- data[sort(sample(nrow(data), n)), ]
  }
  size <- list(
    components = components, chains = chains, warmup = warmup, draws = draws,
    sets = sets, resamples = resamples
  )
  do.call(rbind, lapply(replicates, function(replicate) {
    consumer_replicate(replicate, data, size, configurations)
  }))
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

consumer_replicate <- function(replicate, data, size, configurations) {
  seeds <- 1000 * replicate + seq_len(1000)
  next_seed <- function() {
    seeds <<- seeds[-1]
    seeds[1]
  }
  control <- pseudosynth::sampler_control(progress = FALSE, thin = 2)
  quiet <- function(expr) suppressWarnings(suppressMessages(expr))
  refit <- function(weights) {
    quiet(stats::update(
      unweighted,
      privacy_weights = weights, warmup = 50, seed = next_seed()
    ))
  }
  # Bounds move by a tenth from run to run: where three refits do not come near,
  # the nearest is taken
  to_bound <- function(target, weights = pseudosynth::public_scalar(1)) {
    tryCatch(
      quiet(pseudosynth::solve_weights(
        unweighted,
        target = target, weights = weights, tolerance = 0.08, max_refits = 3,
        allow_unconverged = TRUE, below = TRUE, warmup = 50, seed = next_seed()
      )),
      pseudosynth_error_unreachable = function(e) {
        refit(pseudosynth::scale_weights(weights, e$value))
      }
    )
  }
  lipschitz <- function(scale = 1, shift = 0) {
    pseudosynth::lipschitz_weights(
      unweighted, scale, shift,
      allow_unconverged = TRUE
    )
  }
  unweighted <- quiet(pseudosynth::fit_synthesizer(
    log(income) ~ ., data, pseudosynth::normal_mixture(size$components),
    chains = size$chains, warmup = size$warmup, draws = size$draws,
    seed = next_seed(), control = control
  ))
  lw <- refit(lipschitz())
  count <- pseudosynth::count_weights(
    "income", data,
    radius = 0.2, known = known_columns
  )
  fits <- list(
    Unweighted = unweighted, LW = lw, SW = to_bound(lw$bound$overall),
    CW = refit(count), "CW at LW's bound" = to_bound(lw$bound$overall, count)
  )
  for (i in seq_len(nrow(configurations))) {
    own <- configurations[i, ]
    name <- sprintf("(%s, %s)", format(own$scale), format(own$shift))
    fits[[paste("LW", name)]] <- refit(lipschitz(own$scale, own$shift))
    fits[[paste("SW", name)]] <- to_bound(
      fits[[paste("LW", name)]]$bound$overall
    )
  }
  draw <- function(fit) {
    quiet(pseudosynth::synthesize(
      fit, size$sets,
      seed = next_seed(), allow_unconverged = TRUE, bounds = c(1, 1e7)
    ))
  }
  released <- lapply(fits, draw)
  risk_of <- function(release, radius = 0.2) {
    pseudosynth::identification_risk(
      release, data, known_columns, radius,
      variable = "income"
    )
  }
  fits$Weights_V <- refit(pseudosynth::risk_weights(
    risk_of(released$Unweighted)
  ))
  released$Weights_V <- draw(fits$Weights_V)
  released$Centred <- strict_sets("centred", data, size$sets, next_seed)
  released$Score <- strict_sets("score", data, size$sets, next_seed)
  # About the 3% that the surveys replace by their mean
  coded <- pseudosynth::topcode(
    income ~ ., data,
    top = 250000, replace = "mean"
  )
  parts <- list(
    fit_parts(fits), statistic_parts(released, data, size$resamples),
    density_parts(released, data), utility_parts(released, data),
    risk_parts(released, coded, risk_of), rival_parts(replicate, data, size)
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
  margins <- lapply(seq_len(min(size$sets, 5)), function(j) {
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
strict_sets <- function(mechanism, data, sets, next_seed) {
  reference <- list("(Intercept)" = 10.8, sigma = 1)
  job <- function(m) {
    suppressWarnings(suppressMessages(pseudosynth::pseudo_posterior(
      log(income) ~ ., data, pseudosynth::student_t(3),
      mechanism = mechanism, epsilon = 1, m = m, reference = reference,
      bounds = c(10, 2e6),
      response = pseudosynth::public_response(digits = 0, bounds = c(1, 1e7)),
      seed = next_seed(), allow_unconverged = TRUE
    )$synthetic))
  }
  # Of a score release any number of sets costs what one does
  if (mechanism == "score") {
    return(job(sets))
  }
  lapply(seq_len(min(sets, 5)), function(j) job(1)[[1]])
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
  "Unweighted", "LW", "SW", "CW", "CW at LW's bound", "Weights_V", "Centred",
  "Score"
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
      long("figure", name, "converged", NA, as.double(fit$converged))
    )
  }, fits, names(fits)))
}

statistic_parts <- function(released, data, resamples) {
  first <- lapply(released, function(sets) as.list(sets)[seq_len(min(
    length(sets), 5
  ))])
  set.seed(1)
  found <- pseudosynth::resample_statistics(
    first, data, list(
      "mean", "median", "90%",
      earner = function(d) {
        stats::coef(stats::lm(log(income) ~ age + earner, d))[["earneryes"]]
      }
    ),
    variable = "income", replicates = resamples
  )
  draws <- split(found$draws, list(found$draws$release, found$draws$statistic))
  rows <- lapply(draws, function(d) {
    quantile_rows("statistic", d$release[1], d$statistic[1], d$value, 0.05)
  })
  table <- as.data.frame(found)
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
