# What a score release keeps: the positive incomes of `ce_income` against the
# gates of the design, other references and months, other responses beside the
# clipped posterior and the reference alone; coverage of its intervals.
#
#   Rscript bench/score-utility.R [releases] [part ...]
#
# Parts: gates public references months defaults tables levels coverage pooled
# priors.
# Writes bench/results/score-utility.csv, one row for each case: means over
# `releases` independent releases of five sets each; score-tables.csv, of one
# set each, beside other mechanisms; score-public.csv, of one set each;
# score-levels.csv; score-coverage.csv.
# Defaults were chosen on months 1 and 7.

suppressPackageStartupMessages(library(pseudosynth))

arguments <- commandArgs(trailingOnly = TRUE)
releases <- if (length(arguments) > 0) as.integer(arguments[1]) else 20L
parts <- arguments[-1]
if (length(parts) == 0) {
  parts <- c(
    "gates", "public", "references", "months", "defaults", "tables", "levels",
    "coverage", "pooled", "priors"
  )
}

source("bench/strict_cases.R")
source("bench/score-means.R")
source("bench/file_measures.R")

add <- function(row) {
  print(row, row.names = FALSE, digits = 3)
  keep_rows(row, "bench/results/score-utility.csv", c("case", "epsilon"))
}

released <- function(data, epsilon, reference, ...) {
  suppressMessages(score_release(
    log(income) ~ ., data, student_t(3),
    epsilon = epsilon, neighbours = "replace", reference = reference,
    bounds = c(10, 2e6), ...
  ))
}

case <- function(name, epsilon, data = positive, reference = crude, ...) {
  seconds <- numeric(releases)
  means <- lapply(seq_len(releases), function(i) {
    seconds[i] <<- system.time({
      release <- released(data, epsilon, reference, ...)
      synthesize(release, 1, data)
    })[["user.self"]]
    sets <- synthesize(release, 5, data)
    found <- utility(
      sets, data,
      groups = groups, regression = log(income) ~ .
    )$overall
    c(found[c("ecdf_max", "groups", "r_squared")], score_means_errors(
      data$income, lapply(1:5, function(j) sets[[j]]$income)
    ))
  })
  means <- do.call(rbind, means)
  add(data.frame(
    case = name, epsilon = epsilon, delta = 1e-6, n = nrow(data),
    ecdf_max = mean(means[, "ecdf_max"]), groups = mean(means[, "groups"]),
    r_squared = mean(means[, "r_squared"]),
    mean_error = mean(means[, "mean"]), sd_error = mean(means[, "sd"]),
    q95_error = mean(means[, "q95"]), q99_error = mean(means[, "q99"]),
    r_squared_file = summary(stats::lm(log(income) ~ ., data))$r.squared,
    cpu_seconds_one_set = stats::median(seconds), releases = releases
  ))
}

if ("gates" %in% parts) {
  for (epsilon in c(10, 2, 1, 0.5)) case("gates", epsilon)
}

# Beside rivals that know X is public, at an add-remove epsilon: groups, the
# median error of 37 coefficients, and the nine tables of income in tenths by
# each predictor; standard errors of the means over releases
if ("public" %in% parts) {
  truth <- linear_fit(positive, log(income) ~ .)$coefficients
  codes <- file_codes(positive, positive)
  measured <- function(set) {
    fit <- linear_fit(set, log(income) ~ .)
    c(
      ecdf = ecdf_distance_of(set$income, positive$income),
      groups = group_distance(set, positive, "income", groups),
      r_squared = fit$r_squared,
      coefficients = coefficient_error(fit$coefficients, truth),
      income_tables = table_distance(
        file_codes(set, positive), codes, 2, "income"
      )
    )
  }
  for (share in c(0.35, 0)) {
    for (epsilon in c(0.25, 1, 5)) {
      found <- vapply(seq_len(releases), function(i) {
        seconds <- system.time({
          release <- suppressWarnings(suppressMessages(score_release(
            log(income) ~ ., positive, student_t(3),
            epsilon = epsilon, reference = crude, bounds = c(10, 2e6),
            table_share = share
          )))
          set <- synthesize(release, 1, positive)[[1]]
        })[["user.self"]]
        c(measured(set), cpu_seconds = seconds)
      }, numeric(6))
      error <- apply(found, 1, stats::sd) / sqrt(releases)
      row <- data.frame(
        case = if (share > 0) "default" else "no tables", epsilon = epsilon,
        t(rowMeans(found)),
        t(stats::setNames(error[1:5], paste0(names(error)[1:5], "_se"))),
        releases = releases
      )
      print(row, row.names = FALSE, digits = 3)
      keep_rows(row, "bench/results/score-public.csv", c("case", "epsilon"))
    }
  }
}

if ("references" %in% parts) {
  for (name in names(other_references)) {
    for (epsilon in c(2, 0.5)) {
      case(name, epsilon, reference = other_references[[name]])
    }
  }
}

# None of them served for choosing
if ("months" %in% parts) {
  for (month in c(2, 4, 9, 12)) {
    for (epsilon in c(2, 0.5)) {
      case(paste("month", month), epsilon, ce_month(month))
    }
  }
}

# What the defaults were chosen by: one setting changed at a time
if ("defaults" %in% parts) {
  settings <- list(
    "as it is" = list(), "kappa 0.7" = list(spread = 0.7),
    "kappa 1.4" = list(spread = 1.4),
    "clip 1.5, 0.5" = list(clip = c(1.5, 0.5)),
    "clip 1.5, 1.2" = list(clip = c(1.5, 1.2)),
    "clip 2.5, 0.8" = list(clip = c(2.5, 0.8)),
    "margin 0.2" = list(shares = c(0.2, 0.137, 0.663)),
    "margin 0.4" = list(shares = c(0.4, 0.103, 0.497)),
    "first step 0.05" = list(shares = c(0.3, 0.05, 0.65)),
    "first step 0.25" = list(shares = c(0.3, 0.25, 0.45)),
    "25 bins" = list(bins = 25), "60 bins" = list(bins = 60)
  )
  data <- ce_month(1)
  for (name in names(settings)) {
    for (epsilon in c(2, 0.5)) {
      do.call(case, c(
        list(paste("month 1,", name), epsilon, data), settings[[name]]
      ))
    }
  }
}

# Beside the clipped posteriors and the reference alone: one set of a release of
# its own each, at the same add-remove total
if ("tables" %in% parts) {
  incomes <- function(month) {
    c(
      list(
        name = paste("income, month", month), data = ce_month(month),
        weight_range = c(3, 8)
      ),
      # Its smallest levels take the chains longer
      if (month == 2) list(draws = 8000, warmup = 1000)
    )
  }
  cases <- c(
    lapply(c(2, 4, 9, 12), incomes),
    list(
      list(
        name = "salary", data = sdr_simulated, formula = log(salary) ~ .,
        reference = list("(Intercept)" = 11.4, sigma = 0.5),
        bounds = c(1000, 1e6), measured = c("gender", "age"),
        weight_range = c(3, 8)
      ),
      list(
        name = "salary in thousands, a count", data = salary_thousands(),
        family = neg_binomial(), formula = salary ~ .,
        reference = list("(Intercept)" = log(90), size = 4), window = 2,
        bounds = c(0, 1000), measured = c("gender", "age")
      ),
      list(
        name = "others in the family, a count",
        data = transform(positive,
          others = as.integer(family_size) - 1L, family_size = NULL
        ),
        family = neg_binomial(), formula = others ~ . - income,
        reference = list("(Intercept)" = 0.4, size = 3), window = 2,
        bounds = c(0, 20)
      ),
      list(
        name = "income above 50,000, two values",
        data = transform(ce_income, high = income > 5e4, income = NULL),
        family = bernoulli(), formula = high ~ .,
        reference = list("(Intercept)" = 0), window = 2, bounds = NULL
      )
    )
  )
  for (one in cases) {
    name <- one$name
    weight_range <- one$weight_range
    one[c("name", "weight_range")] <- NULL
    margin <- function(share, bins) {
      if (!"bounds" %in% names(one) || !is.null(one$bounds)) {
        list(margin_share = share, bins = bins)
      } else {
        list(margin_share = NULL, bins = NULL)
      }
    }
    rows <- function(mechanisms, share, bins, ...) {
      if (mechanisms == "score") one$window <- NULL
      do.call(compared_rows, c(
        list("tables", name,
          mechanisms = mechanisms, epsilon = c(1, 0.25), sets = releases, ...
        ), margin(share, bins), one
      ))
    }
    keep <- function(found) {
      keep_rows(
        found, "bench/results/score-tables.csv", c("case", "mechanism", "asked")
      )
    }
    keep(rows("score", 0.3, 40))
    keep(rows("centred", 0.4, 60, alone = TRUE))
    if (!is.null(weight_range)) {
      keep(rows("two_stage", 0.4, 60,
        weight_range = weight_range, calibrate = "two_stage"
      ))
    }
  }
}

# Education given the rest: the mean total-variation error of its tables with
# each other column, income in tenths, with and without privacy. What the
# default spread was chosen by: education and marital status in months 1 and 7.
if ("levels" %in% parts) {
  ce <- ce_income
  # A round scale, so that nnet's optimiser gets anywhere
  ce$income <- ce$income / 1e5
  levels <- levels(ce$education)
  published <- ce[setdiff(names(ce), "education")]
  tenths <- unique(stats::quantile(ce$income, 0:10 / 10))
  published$income <- cut(ce$income, tenths, include.lowest = TRUE)
  error <- function(education) {
    mean(vapply(published, function(column) {
      table <- function(y) prop.table(base::table(y, column))
      sum(abs(table(education) - table(ce$education))) / 2
    }, 0))
  }
  add_level <- function(what, epsilon, found, seconds) {
    row <- data.frame(
      case = what, epsilon = epsilon, two_way = mean(found),
      seconds = stats::median(seconds), n = nrow(ce), releases = length(found)
    )
    print(row, row.names = FALSE, digits = 3)
    keep_rows(row, "bench/results/score-levels.csv", c("case", "epsilon"))
  }
  if (requireNamespace("nnet", quietly = TRUE)) {
    seconds <- system.time(plain <- nnet::multinom(
      education ~ ., ce,
      MaxNWts = 5000, maxit = 300, trace = FALSE
    ))[["user.self"]]
    p <- stats::predict(plain, type = "probs")
    add_level("multinomial logit, no privacy", Inf, replicate(releases, {
      gumbel <- -log(-log(matrix(stats::runif(length(p)), nrow(p))))
      error(factor(levels[max.col(log(p) + gumbel)], levels))
    }), seconds)
  }
  for (epsilon in c(5, 1, 0.5)) {
    seconds <- numeric(releases)
    found <- vapply(seq_len(releases), function(i) {
      seconds[i] <<- system.time(
        release <- suppressWarnings(score_release(education ~ ., ce,
          categorical(), epsilon,
          response = public_response(levels = levels)
        ))
      )[["user.self"]]
      error(synthesize(release, 1, ce)[[1]]$education)
    }, 0)
    add_level("score release", epsilon, found, seconds)
  }
}

# 95% intervals of all coefficients, simulated files of 3,000 records: of the
# release itself, beside those of lm() on the same files, which say what the
# files' own luck is; and pooled over five sets
simulated_file <- function(truth, error, n = 3000) {
  data <- data.frame(
    a = factor(sample(letters[1:4], n, TRUE, c(0.5, 0.3, 0.15, 0.05))),
    g = factor(sample(c("m", "f"), n, TRUE)), x = stats::rnorm(n)
  )
  data$y <- drop(stats::model.matrix(~ a + g + x, data) %*% truth) +
    0.6 * error(n)
  data
}

covered_shares <- function(name, error, family, epsilon, files, pooled) {
  truth <- c(10.3, 0.3, -0.5, 0.6, 0.4, 0.25)
  hit <- function(ends) ends[, 1] <= truth & truth <= ends[, 2]
  set.seed(11)
  covered <- replicate(files, {
    data <- simulated_file(truth, error)
    release <- suppressWarnings(score_release(
      y ~ a + g + x, data, family,
      epsilon = epsilon, reference = crude, scaling = list(x = c(0, 1))
    ))
    unlist(if (pooled) {
      sets <- synthesize(release, 5, data)
      fits <- pool(with(sets, stats::lm(y ~ a + g + x)))
      list(pooled = hit(stats::confint(fits)))
    } else {
      list(
        release = hit(stats::confint(release)),
        "lm of the file" = hit(stats::confint(stats::lm(y ~ a + g + x, data)))
      )
    })
  })
  share <- rowMeans(covered)
  row <- data.frame(
    case = paste0(name, " errors, ", sub("[.].*", "", names(share))),
    term = sub(".*?[.]", "", names(share)), epsilon = epsilon,
    covered = share, files = files
  )
  print(row, row.names = FALSE, digits = 3)
  keep_rows(
    row, "bench/results/score-coverage.csv", c("case", "term", "epsilon")
  )
}

t_errors <- function(n) stats::rt(n, 3)
for (epsilon in c(1, 0.5)) {
  if ("coverage" %in% parts) {
    covered_shares("normal", stats::rnorm, stats::gaussian(), epsilon, 1000,
      pooled = FALSE
    )
    covered_shares("t(3)", t_errors, student_t(3), epsilon, 1000,
      pooled = FALSE
    )
  }
  if ("pooled" %in% parts) {
    covered_shares("normal", stats::rnorm, stats::gaussian(), epsilon, 500,
      pooled = TRUE
    )
  }
}

# The same with all predictors of `ce_income`, whose baselines are rare, under
# the default prior and a wide one: means and the least over 37 coefficients
if ("priors" %in% parts) {
  plain <- stats::lm(log(income) ~ ., positive)
  truth <- stats::coef(plain)
  priors <- list(
    "default prior" = NULL, "wide prior" = prior_normal(5, c(10.8, 10))
  )
  for (epsilon in c(1, 0.25)) {
    for (name in names(priors)) {
      set.seed(3)
      covered <- replicate(100, {
        data <- positive
        errors <- 0.7 * stats::rt(nrow(data), 3)
        data$income <- exp(stats::fitted(plain) + errors)
        ends <- stats::confint(suppressWarnings(score_release(
          log(income) ~ ., data, student_t(3),
          epsilon = epsilon, reference = crude, prior = priors[[name]]
        )))
        ends[, 1] <= truth & truth <= ends[, 2]
      })
      share <- rowMeans(covered)
      row <- data.frame(
        case = paste("ce_income,", name), term = c("mean", "least"),
        epsilon = epsilon, covered = c(mean(share), min(share)), files = 100
      )
      print(row, row.names = FALSE, digits = 3)
      keep_rows(
        row, "bench/results/score-coverage.csv", c("case", "term", "epsilon")
      )
    }
  }
}
