# Does anything come out silently wrong? Left sides and families at random on
# three files, each without ends and with stated ones. A case fails where a
# value lies outside of stated ends (OUTSIDE), where the mean of all sets
# (SILENT) or of a single one (ONE SET) is off the file's by more than a quarter
# and no remark names the mean, or where the error is not the package's own
# (FOREIGN ERROR). From the root directory:
#
#   Rscript bench/transforms.R            20 left sides
#   Rscript bench/transforms.R 8          the fixed ones of them alone

source(file.path("bench", "results.R"))

most_off <- 0.25
failures <- c("OUTSIDE", "SILENT", "ONE SET", "FOREIGN ERROR")

#' Files with public ends that hold all their records
transform_files <- function(n = 200) {
  take <- function(data) {
    data.frame(data[round(seq(1, nrow(data), length.out = n)), ])
  }
  income <- pseudosynth::ce_income[c("income", "age", "earner")]
  losses <- income$income < 0
  files <- list(
    # With losses
    ce = rbind(take(income[!losses, ]), income[which(losses)[1:3], ]),
    # Zeros and a long tail, in units of 1
    visits = withr::with_seed(1, {
      age <- stats::rnorm(n)
      mu <- exp(1 + 0.3 * age)
      data.frame(
        visits = stats::rnbinom(n, mu = mu, size = 0.7), age = age,
        group = factor(sample(c("a", "b"), n, TRUE))
      )
    }),
    # Positive, with a log that spreads widely
    firms = withr::with_seed(2, {
      size <- stats::rnorm(n)
      data.frame(
        sales = round(exp(8 + 0.8 * size + stats::rnorm(n, sd = 1.6)), 2) + 1,
        size = size
      )
    })
  )
  ends <- list(ce = c(-1e6, 2e6), visits = c(0, 100), firms = c(1, 5e6))
  Map(function(data, ends) {
    names(data)[1] <- "y"
    stopifnot(min(data$y) >= ends[1], max(data$y) <= ends[2])
    list(data = data, ends = ends)
  }, files, ends)
}

transform_families <- function(ends) {
  list(
    gaussian = stats::gaussian(),
    lognormal = pseudosynth::lognormal(),
    `student_t(3)` = pseudosynth::student_t(3),
    `student_t(1.5)` = pseudosynth::student_t(1.5),
    `student_t(1)` = pseudosynth::student_t(1),
    `normal_mixture(2)` = pseudosynth::normal_mixture(2),
    poisson = stats::poisson(),
    neg_binomial = pseudosynth::neg_binomial(),
    # Records must lie between the bounds
    beta_response = pseudosynth::beta_response(ends + c(-1, 1))
  )
}

#' Left sides: eight that people write, others with constants at random
left_sides <- function(n = 20, seed = 1) {
  fixed <- c(
    "y", "log(y)", "log1p(y)", "sqrt(y)", "asinh(y)", "asinh(y / 1000)",
    "log(y + 1)", "I(y / 1000)"
  )
  random <- withr::with_seed(seed, {
    constant <- signif(exp(stats::runif(4, 0, log(1e5))), 3)
    other <- c(
      "log2(y)", "log10(y)", "y^(1 / 3)", "1 / y", "y^2", "qlogis(y / 1e7)",
      "sinh(y)", "own(y)", "-log(y)", "2 * y", "exp(y)", "sqrt(y + 1)",
      "sqrt(abs(y))", "log(-y)"
    )
    c(sprintf("asinh(y / %s)", constant), sample(other))
  })
  c(fixed, random)[seq_len(n)]
}

#' One job: what it did
#' @param way (string) How ends are stated: "none", "bounds" or "response".
#' @param mechanism (string) One that claims no epsilon.
transform_case <- function(left, family, file, ends, way, mechanism) {
  warned <- NULL
  job <- tryCatch(
    withCallingHandlers(
      do.call(pseudosynth::pseudo_posterior, c(
        list(
          stats::as.formula(paste(left, "~ ."), list2env(list(own = log))),
          file, family,
          mechanism = mechanism, m = 3, seed = 1, chains = 2, warmup = 150,
          draws = 150, threads = 1, allow_unconverged = TRUE
        ),
        switch(way,
          bounds = list(bounds = ends),
          response = list(
            response = pseudosynth::public_response(bounds = ends)
          )
        )
      )),
      warning = function(w) {
        warned <<- c(warned, conditionMessage(w))
        invokeRestart("muffleWarning")
      },
      message = function(m) invokeRestart("muffleMessage")
    ),
    error = function(e) e
  )
  if (inherits(job, "error")) {
    own <- inherits(job, "pseudosynth_error")
    return(list2DF(list(
      outcome = if (own) "error" else "FOREIGN ERROR",
      ratio = NA_real_, worst = NA_real_, chance = NA_real_,
      outside = NA_integer_,
      said = if (own) class(job)[1] else conditionMessage(job)
    )))
  }
  judge_case(job, file$y, if (way != "none") ends)
}

#' @param ends (two numbers or `NULL`)
judge_case <- function(job, y, ends) {
  sets <- lapply(as.list(job$synthetic), function(set) as.double(set$y))
  ratios <- vapply(sets, mean, 0) / mean(y)
  # Infinite or missing ones first
  worst <- ratios[order(-abs(ratios - 1), na.last = FALSE)][1]
  far <- function(ratio) !is.finite(ratio) || abs(ratio - 1) > most_off
  values <- unlist(sets)
  outside <- if (is.null(ends)) {
    0L
  } else {
    sum(is.na(values) | values < ends[1] | values > ends[2])
  }
  # A remark counts where it is of the sets' mean
  named <- any(grepl("mean of the sets", job$remarks, fixed = TRUE))
  list2DF(list(
    outcome = if (outside > 0) {
      "OUTSIDE"
    } else if (far(mean(ratios)) && !named) {
      "SILENT"
    } else if (far(worst) && !named) {
      "ONE SET"
    } else if (far(worst)) {
      "remark"
    } else {
      "fine"
    },
    ratio = mean(ratios), worst = worst,
    chance = stats::sd(y) / sqrt(length(y)) / mean(y), outside = outside,
    said = paste(substr(job$remarks, 1, 60), collapse = " | ")
  ))
}

bench_transforms <- function(n = 20, mechanism = "lw") {
  files <- transform_files()
  cases <- expand.grid(
    ends = c(FALSE, TRUE), left = left_sides(n),
    family = names(transform_families(c(0, 1))), file = names(files),
    stringsAsFactors = FALSE
  )
  withr::local_seed(1)
  # By either argument
  either <- sample(c("bounds", "response"), nrow(cases), TRUE)
  cases$way <- ifelse(cases$ends, either, "none")
  cases$ends <- NULL
  # At random, so that a run that is stopped leaves a sample of all cases
  cases <- cases[sample(nrow(cases)), ]
  table <- NULL
  for (i in seq_len(nrow(cases))) {
    case <- cases[i, ]
    file <- files[[case$file]]
    family <- transform_families(file$ends)[[case$family]]
    table <- rbind(table, cbind(case, transform_case(
      case$left, family, file$data, file$ends, case$way, mechanism
    )))
    if (i %% 20 == 0 || i == nrow(cases)) {
      keep_table(table, "transforms", show = FALSE)
    }
  }
  counts <- stats::xtabs(~ paste(family, way) + outcome, table)
  print(counts)
  failed <- table[table$outcome %in% failures, ]
  if (nrow(failed) > 0) print(failed, row.names = FALSE, right = FALSE)
  cat(nrow(table), "cases,", nrow(failed), "failed\n")
  invisible(table)
}

if (sys.nframe() == 0) {
  asked <- suppressWarnings(as.integer(commandArgs(trailingOnly = TRUE)))
  bench_transforms(c(asked[!is.na(asked)], 20L)[1])
}
