# What a score release keeps: the positive incomes of `ce_income` against the
# gates of the design, other references and months; coverage of its intervals.
#
#   Rscript bench/score-utility.R [releases] [part ...]
#
# Parts: gates references months defaults coverage. Writes
# bench/results/score-utility.csv, one row for each case: means over `releases`
# independent releases of five sets each. Defaults were chosen on months 1 and
# 7.

suppressPackageStartupMessages(library(pseudosynth))

arguments <- commandArgs(trailingOnly = TRUE)
releases <- if (length(arguments) > 0) as.integer(arguments[1]) else 20L
parts <- arguments[-1]
if (length(parts) == 0) {
  parts <- c("gates", "references", "months", "defaults", "coverage")
}

groups <- c("education", "earner", "family_size", "marital", "age")
crude <- list("(Intercept)" = 10.8, sigma = 1)
positive <- droplevels(subset(ce_income, income > 0))
path <- "bench/results/score-utility.csv"

add <- function(row) {
  print(row, row.names = FALSE, digits = 3)
  number <- vapply(row, is.double, TRUE)
  row[number] <- lapply(row[number], function(x) {
    format(signif(x, 4), trim = TRUE)
  })
  row[] <- lapply(row, as.character)
  if (file.exists(path)) {
    old <- utils::read.csv(path, colClasses = "character")
    again <- old$case == row$case & old$epsilon == row$epsilon
    row <- rbind(old[!again, ], row)
  }
  utils::write.csv(row, path, row.names = FALSE)
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
    summary(utility(
      sets, data,
      groups = groups, formula = log(income) ~ .
    ))$means
  })
  means <- do.call(rbind, means)
  add(data.frame(
    case = name, epsilon = epsilon, delta = 1e-6, n = nrow(data),
    ecdf_max = mean(means[, "ecdf_max"]), groups = mean(means[, "groups"]),
    r_squared = mean(means[, "r_squared"]),
    r_squared_file = summary(stats::lm(log(income) ~ ., data))$r.squared,
    cpu_seconds_one_set = stats::median(seconds), releases = releases
  ))
}

if ("gates" %in% parts) {
  for (epsilon in c(10, 2, 1, 0.5)) case("gates", epsilon)
}

if ("references" %in% parts) {
  others <- list(
    "intercept 10.0" = list("(Intercept)" = 10, sigma = 1),
    "intercept 11.6" = list("(Intercept)" = 11.6, sigma = 1),
    "scale 0.5" = list("(Intercept)" = 10.8, sigma = 0.5),
    "scale 2" = list("(Intercept)" = 10.8, sigma = 2)
  )
  for (name in names(others)) {
    for (epsilon in c(2, 0.5)) case(name, epsilon, reference = others[[name]])
  }
}

if (any(c("months", "defaults") %in% parts)) {
  source("data-raw/load_rpms_ce.R")
  months <- load_rpms_ce()
  codes <- new.env()
  source("R/ce_codes.R", local = codes)
  coded <- function(month) {
    frame <- codes$ce_recode(months[months$QINTRVMO == month, ], rpms_columns)
    droplevels(stats::na.omit(frame[which(frame$income > 0), ]))
  }
}

# None of them served for choosing
if ("months" %in% parts) {
  for (month in c(4, 12)) {
    for (epsilon in c(2, 0.5)) {
      case(paste("month", month), epsilon, coded(month))
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
  data <- coded(1)
  for (name in names(settings)) {
    for (epsilon in c(2, 0.5)) {
      do.call(case, c(
        list(paste("month 1,", name), epsilon, data), settings[[name]]
      ))
    }
  }
}

# 95% intervals of all coefficients, 500 simulated files of 3,000 records
if ("coverage" %in% parts) {
  truth <- c(10.3, 0.3, -0.5, 0.6, 0.4, 0.25)
  for (epsilon in c(1, 0.5)) {
    set.seed(11)
    covered <- replicate(500, {
      n <- 3000
      data <- data.frame(
        a = factor(sample(letters[1:4], n, TRUE, c(0.5, 0.3, 0.15, 0.05))),
        g = factor(sample(c("m", "f"), n, TRUE)), x = stats::rnorm(n)
      )
      data$y <- drop(stats::model.matrix(~ a + g + x, data) %*% truth) +
        0.6 * stats::rt(n, 3)
      ends <- stats::confint(suppressWarnings(score_release(
        y ~ a + g + x, data, student_t(3),
        epsilon = epsilon, reference = crude, scaling = list(x = c(0, 1))
      )))
      ends[, 1] <= truth & truth <= ends[, 2]
    })
    cat(sprintf("coverage at add/remove %s:", epsilon), rowMeans(covered), "\n")
  }
}
