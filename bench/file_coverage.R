# Do 95% intervals from a file release cover the population's values? Files are
# samples of a known population with five categories and an amount that is zero
# for some and log-normal for others.
#
#   Rscript bench/file_coverage.R [files] [epsilon ...]
#
# Writes bench/results/file-coverage.csv, one row for each epsilon, source of
# the interval and statistic: `covered`; `bias`; `error`, the standard deviation
# of the estimate, beside `stated`, the root mean square of its standard error;
# for pooled sets `hidden`, the standard deviation of the estimate about the
# file's own, beside `between`, the root mean variance between sets, which
# should be it; `length` of the intervals. Sources: `tables`, `coef`,
# `summary` of
# the release; `pooled`: 10 sets of synthesize(uncertainty = TRUE); `file`: the
# confidential file itself. Files that are done are kept in a folder, so that a
# run goes on where an earlier one stopped.

suppressPackageStartupMessages(library(pseudosynth))
if (file.exists("bench/results.R")) source("bench/results.R")

picked <- function(odds) {
  below <- t(apply(exp(odds), 1, cumsum))
  u <- stats::runif(nrow(odds)) * below[, ncol(below)]
  1L + rowSums(u > below[, -ncol(below), drop = FALSE])
}

coverage_population <- function(n) {
  of <- function(code, levels) factor(levels[code], levels)
  sex <- sample(1:2, n, TRUE, c(0.49, 0.51))
  age <- sample(1:4, n, TRUE, c(0.2, 0.35, 0.3, 0.15))
  region <- sample(1:5, n, TRUE, c(0.3, 0.25, 0.2, 0.17, 0.08))
  edu <- picked(cbind(
    0.6 * (age == 4) + 0.1, 0.8, 0.4 + 0.3 * (region == 1),
    -0.2 - 0.9 * (age == 4) + 0.4 * (age == 2)
  ))
  work <- picked(cbind(
    1.2 + 0.4 * (edu - 2), -0.3 + 0.8 * (sex == 2),
    -0.6 + 2.2 * (age == 4) - 0.4 * edu + 0.7 * (age == 1)
  ))
  line <- 10 + c(0, -0.2)[sex] + c(-0.4, 0, 0.15, -0.1)[age] +
    c(0, 0.05, -0.05, 0.1, -0.15)[region] + c(-0.4, 0, 0.25, 0.6)[edu] +
    c(0, -0.7, -0.9)[work]
  pay <- exp(line + 0.6 * stats::rnorm(n))
  while (any(out <- pay <= 100 | pay >= 1e6)) {
    pay[out] <- exp(line[out] + 0.6 * stats::rnorm(sum(out)))
  }
  pay[stats::runif(n) < c(0.02, 0.1, 0.7)[work]] <- 0
  data.frame(
    sex = of(sex, c("m", "f")), age = of(age, c("young", "mid", "old", "aged")),
    region = of(region, c("n", "s", "e", "w", "isles")),
    edu = of(edu, c("low", "mid", "high", "top")),
    work = of(work, c("full", "part", "none")), pay = round(pay)
  )
}

coverage_book <- function(data) {
  book <- as.data.frame(draft_codebook(data))
  pay <- book$column == "pay"
  book[pay, c("lower", "upper", "transform")] <- c("0", "1e6", "log")
  book$zero[pay] <- TRUE
  confirm_codebook(codebook(book))
}

coverage_pairs <- list(
  c("sex", "work"), c("age", "work"), c("edu", "work"), c("age", "edu"),
  c("region", "edu")
)

# What an analyst estimates from a file, with the variance she states. The base
# of the regression's levels is what the release has it.
estimated <- function(data, base) {
  n <- nrow(data)
  share <- function(name, p) {
    p <- unclass(p)
    list(
      estimate = stats::setNames(as.vector(p), name),
      variance = stats::setNames(as.vector(p * (1 - p)) / n, name)
    )
  }
  categories <- names(base)
  single <- lapply(categories, function(name) {
    share(paste("share", name, levels(data[[name]])), table(data[[name]]) / n)
  })
  pairs <- lapply(coverage_pairs, function(pair) {
    cells <- table(data[pair]) / n
    grid <- expand.grid(dimnames(cells))
    pair <- paste(pair, collapse = " ")
    share(paste("cell", pair, grid[[1]], grid[[2]]), cells)
  })
  positive <- data[data$pay > 0, ]
  mean_of <- function(name, y) {
    list(
      estimate = stats::setNames(mean(y), name),
      variance = stats::setNames(stats::var(y) / length(y), name)
    )
  }
  groups <- unlist(lapply(categories, function(name) {
    lapply(levels(data[[name]]), function(level) {
      mean_of(
        paste("group", name, level), positive$pay[positive[[name]] == level]
      )
    })
  }), recursive = FALSE)
  for (name in categories) {
    positive[[name]] <- stats::relevel(positive[[name]], base[[name]])
  }
  fit <- stats::lm(log(pay) ~ ., positive)
  # White's variance, whatever the errors are
  x <- stats::model.matrix(fit)
  bread <- solve(crossprod(x))
  robust <- bread %*% crossprod(x * stats::resid(fit)) %*% bread
  terms <- paste("coef", names(stats::coef(fit)))
  all <- c(single, pairs, groups, list(
    mean_of("mean", positive$pay), mean_of("mean with zeros", data$pay),
    list(
      estimate = stats::setNames(stats::coef(fit), terms),
      variance = stats::setNames(diag(robust), terms)
    )
  ))
  list(
    estimate = unlist(lapply(all, `[[`, "estimate")),
    variance = unlist(lapply(all, `[[`, "variance"))
  )
}

# The levels that the release compares others with
base_of <- function(release) {
  terms <- sub("^coef ", "", names(stats::coef(release)))
  categories <- setdiff(names(release$levels), "pay")
  vapply(categories, function(name) {
    setdiff(release$levels[[name]], sub(paste0("^", name), "", terms))[1]
  }, "")
}

rows_of <- function(source, statistic, estimate, low, high, se) {
  data.frame(source, statistic, estimate, low, high, se, row.names = NULL)
}

#' All intervals of one file
#' @param population (data frame) `truth_of(base)` gives its values.
one_file <- function(population, book, n, epsilon, truth_of, sets = 10) {
  data <- population[sample(nrow(population), n), ]
  row.names(data) <- NULL
  release <- suppressWarnings(file_release(file_plan(data, book), epsilon))
  base <- base_of(release)
  own <- estimated(data, base)
  z <- stats::qnorm(0.975)
  single <- as.data.frame(tables(release))
  single <- single[single$column != "pay", ]
  pairs <- do.call(rbind, lapply(coverage_pairs, function(pair) {
    cells <- as.data.frame(tables(release, pair))
    cbind(
      name = paste("cell", paste(pair, collapse = " "), cells[[1]], cells[[2]]),
      cells[-(1:2)]
    )
  }))
  ends <- stats::confint(release)
  means <- summary(release)$table
  quantile <- grepl("%", means$statistic)
  means$statistic[quantile] <- paste("quantile", means$statistic[quantile])
  drawn <- synthesize(release, sets, uncertainty = TRUE)
  pooled <- as.data.frame(
    pool(lapply(drawn$sets, estimated, base), rule = "rubin")
  )
  found <- rbind(
    rows_of(
      "tables", paste("share", single$column, single$level), single$estimate,
      single$low, single$high, single$std_error
    ),
    rows_of(
      "tables", pairs$name, pairs$estimate, pairs$low, pairs$high,
      pairs$std_error
    ),
    rows_of(
      "coef", paste("coef", rownames(ends)), stats::coef(release), ends[, 1],
      ends[, 2], sqrt(diag(stats::vcov(release)))
    ),
    rows_of(
      "summary", means$statistic, means$estimate, means$low, means$high,
      means$std_error
    ),
    rows_of(
      "pooled", pooled$term, pooled$estimate, pooled$conf_low, pooled$conf_high,
      pooled$std_error
    ),
    rows_of(
      "file", names(own$estimate), own$estimate,
      own$estimate - z * sqrt(own$variance),
      own$estimate + z * sqrt(own$variance), sqrt(own$variance)
    )
  )
  truth <- truth_of(base)
  found$truth <- truth[found$statistic]
  # The file's own value, and what the pooled sets say of its distance
  found$own <- own$estimate[found$statistic]
  found$between <- NA_real_
  found$between[found$source == "pooled"] <- sqrt(pooled$between)
  found
}

#' True values; a regression for each base of its levels
truths <- function(population) {
  known <- list()
  positive <- population$pay[population$pay > 0]
  quantiles <- stats::quantile(positive, c(0.1, 0.25, 0.5, 0.75, 0.9))
  names(quantiles) <- paste("quantile", names(quantiles))
  function(base) {
    key <- paste(base, collapse = " ")
    if (is.null(known[[key]])) {
      known[[key]] <<- c(estimated(population, base)$estimate, quantiles)
    }
    known[[key]]
  }
}

summed_up <- function(all, epsilon, n) {
  all$covered <- all$low <= all$truth & all$truth <= all$high
  parts <- split(all, paste(all$source, all$statistic), drop = TRUE)
  do.call(rbind, lapply(parts, function(x) {
    off <- x$estimate - x$truth
    data.frame(
      epsilon = epsilon, n = n, source = x$source[1],
      statistic = x$statistic[1], covered = mean(x$covered),
      bias = mean(off), error = stats::sd(off), stated = sqrt(mean(x$se^2)),
      hidden = stats::sd(x$estimate - x$own), between = sqrt(mean(x$between^2)),
      length = mean(x$high - x$low), files = nrow(x), row.names = NULL
    )
  }))
}

main <- function(arguments) {
  files <- if (length(arguments) > 0) as.integer(arguments[1]) else 500L
  epsilons <- as.numeric(arguments[-1])
  if (length(epsilons) == 0) epsilons <- c(1, 5)
  n <- 3000
  kept <- file.path("bench", "output", "file-coverage")
  dir.create(kept, showWarnings = FALSE, recursive = TRUE)
  set.seed(1)
  population <- coverage_population(4e5)
  truth_of <- truths(population)
  book <- coverage_book(population[1:5000, ])
  for (epsilon in epsilons) {
    all <- lapply(seq_len(files), function(k) {
      path <- file.path(kept, sprintf("%s-%d.rds", epsilon, k))
      if (!file.exists(path)) {
        set.seed(1000 + k)
        saveRDS(one_file(population, book, n, epsilon, truth_of), path)
      }
      readRDS(path)
    })
    rows <- summed_up(do.call(rbind, all), epsilon, n)
    # A baseline that was rare among files says nothing
    rows <- rows[rows$files >= files / 2, ]
    kinds <- sub(" .*", "", rows$statistic)
    print(stats::aggregate(
      covered ~ kind + source, cbind(rows, kind = kinds),
      function(x) round(c(mean = mean(x), least = min(x), most = max(x)), 3)
    ))
    keep_rows(
      rows, file.path(results_dir, "file-coverage.csv"),
      c("epsilon", "source", "statistic")
    )
  }
}

if (sys.nframe() == 0) main(commandArgs(trailingOnly = TRUE))
