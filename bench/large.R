# Large files in memory: seconds and memory of whole jobs, by the number of
# records.
#
#   Rscript bench/large.R                   all jobs, 1e5 and 1e6 records
#   Rscript bench/large.R 1e7               all jobs, 1e7 records
#   Rscript bench/large.R score,lw 1e6      some jobs
#   Rscript bench/large.R threads 1e6       passes on one thread and on two
#
# A file has five factors (4, 5, 6, 3 and 2 levels) and a count or an amount.
# Each job runs in a fresh process that has read its file; rows are kept in
# bench/results/large.csv, those of the same job and size replaced, and copied
# to vignettes/large-files.csv, which the page "Large files" shows. `before_mb`
# is what the process held with the file in it, `peak_mb` the largest it held
# from then on (VmHWM, Linux), and `bytes` what lies between, for each record.
# LARGE_PROFILE=path profiles the job by Rprof() instead of keeping rows.

source(file.path("bench", "results.R"))
suppressPackageStartupMessages(library(pseudosynth))

columns <- function(n, response) {
  set.seed(1)
  levels <- c(4L, 5L, 6L, 3L, 2L)
  eta <- 0
  file <- list()
  for (f in seq_along(levels)) {
    code <- sample.int(levels[f], n, TRUE)
    eta <- eta + stats::rnorm(levels[f], sd = 0.3)[code]
    file[[sprintf("f%d", f)]] <- factor(code, seq_len(levels[f]))
  }
  file$y <- if (response == "count") {
    stats::rnbinom(n, mu = exp(1 + eta), size = 2)
  } else {
    tails <- pmin(pmax(stats::rt(n, 5), -12), 12)
    round(exp(10 + eta + 0.5 * tails))
  }
  list2DF(rev(file))
}

# Jobs: stages in their order, functions of the file and of what came before.
# `target`: seconds allowed at a number of records.
quiet <- sampler_control(progress = FALSE)
fit_counts <- function(file, weights = NULL, threads = 2) {
  fit_synthesizer(
    y ~ ., file, neg_binomial(), privacy_weights = weights, chains = 2,
    warmup = 500, draws = 500, threads = threads, control = quiet
  )
}
fit_amounts <- function(file, weights = NULL, threads = 2) {
  fit_synthesizer(
    log(y) ~ ., file, student_t(5), privacy_weights = weights, chains = 2,
    warmup = 500, draws = 500, threads = threads, control = quiet
  )
}
workflow <- function(fit) {
  list(
    `first fit` = function(file, made) fit(file),
    weights = function(file, made) lipschitz_weights(made$`first fit`),
    `second fit` = function(file, made) {
      update(made$`first fit`, privacy_weights = made$weights)
    },
    `third fit` = function(file, made) reweight(made$`second fit`, k = 0.95),
    bounds = function(file, made) lipschitz(made$`third fit`),
    set = function(file, made) {
      synthesize(made$`third fit`, bounds = set_bounds(file))
    }
  )
}
set_bounds <- function(file) if (is.double(file$y)) c(1, 1e8)
scores <- function(formula, family, reference, bounds) {
  list(
    release = function(file, made) {
      score_release(
        formula, file, family, epsilon = 1, delta = 1e-9,
        reference = reference, bounds = bounds
      )
    },
    set = function(file, made) synthesize(made$release, newdata = file[-1])
  )
}
one_call <- function(formula, family, bounds = NULL) {
  list(job = function(file, made) {
    pseudo_posterior(
      formula, file, family, mechanism = mechanism("lw_final", k = 0.95),
      chains = 2, warmup = 500, draws = 500, threads = 2, bounds = bounds,
      control = quiet
    )
  })
}
written <- function(formula, family, reference, bounds) {
  c(scores(formula, family, reference, bounds), list(
    `release to CSV` = function(file, made) {
      folder <- tempfile("release")
      on.exit(unlink(folder, recursive = TRUE))
      release(made$set, folder, "csv", data = file, require = "strict")
    }
  ))
}
counts <- list(y ~ ., neg_binomial(), list("(Intercept)" = 1, size = 2), NULL)
amounts <- list(
  log(y) ~ ., student_t(5), list("(Intercept)" = 10, sigma = 0.5), c(1, 1e8)
)
jobs <- list(
  `score count` = list(
    response = "count", stages = do.call(written, counts)
  ),
  `score amount` = list(
    response = "amount", stages = do.call(written, amounts)
  ),
  `lw count` = list(response = "count", stages = workflow(fit_counts)),
  `lw amount` = list(response = "amount", stages = workflow(fit_amounts)),
  `job count` = list(
    response = "count", stages = one_call(y ~ ., neg_binomial())
  ),
  `job amount` = list(
    response = "amount", stages = one_call(log(y) ~ ., student_t(5), c(1, 1e8))
  )
)

memory <- function(field) {
  line <- grep(
    paste0("^", field, ":"), readLines("/proc/self/status"), value = TRUE
  )
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

# The peak counts from here on
forget_peak <- function() cat("5", file = "/proc/self/clear_refs")

measure_job <- function(name, n, path) {
  file <- readRDS(path)
  invisible(gc())
  before <- memory("VmRSS")
  stages <- jobs[[name]]$stages
  profile <- Sys.getenv("LARGE_PROFILE")
  made <- list()
  rows <- list()
  if (nzchar(profile)) {
    utils::Rprof(profile, interval = 0.02, gc.profiling = TRUE)
  }
  for (stage in names(stages)) {
    forget_peak()
    took <- system.time(suppressWarnings(suppressMessages({
      made[[stage]] <- stages[[stage]](file, made)
    })))
    rows[[stage]] <- data.frame(
      job = name, records = n, stage = stage, clock = took[["elapsed"]],
      processor = took[["user.self"]] + took[["sys.self"]],
      before_mb = before, peak_mb = memory("VmHWM")
    )
  }
  if (nzchar(profile)) utils::Rprof(NULL)
  rows <- do.call(rbind, rows)
  total <- data.frame(
    job = name, records = n, stage = "all", clock = sum(rows$clock),
    processor = sum(rows$processor), before_mb = before,
    peak_mb = max(rows$peak_mb)
  )
  rows <- rbind(rows, total)
  rows$bytes <- (rows$peak_mb - before) * 2^20 / n
  print(rows[-(1:2)], row.names = FALSE, digits = 3)
  rows
}

# Passes over records: medians of the clock on one thread and on two, in turn,
# on a machine that does nothing else
measure_threads <- function(n, rounds = 5) {
  internal <- asNamespace("pseudosynth")
  clock <- function(code) system.time(code)[["elapsed"]]
  rows <- lapply(c("count", "amount"), function(response) {
    file <- columns(n, response)
    fit <- suppressWarnings(list(count = fit_counts, amount = fit_amounts)[[
      response
    ]](file))
    passes <- list(
      bounds = function(threads) {
        internal$lipschitz_(fit$spec, fit$draws, threads)
      },
      set = function(threads) {
        internal$synthesize_(fit$spec, fit$draws[1, , drop = FALSE], 1:2, 0L,
          threads)
      },
      `two chains` = function(threads) {
        control <- replace(fit$control, "threads", threads)
        control$seed <- 1:2
        internal$sample_posterior_(fit$spec, control)
      }
    )
    rows <- lapply(names(passes), function(pass) {
      taken <- vapply(seq_len(rounds), function(round) {
        c(clock(passes[[pass]](1L)), clock(passes[[pass]](2L)))
      }, numeric(2))
      data.frame(
        pass = pass, response = response, records = n,
        one = stats::median(taken[1, ]), two = stats::median(taken[2, ]),
        ratio = stats::median(taken[1, ] / taken[2, ])
      )
    })
    do.call(rbind, rows)
  })
  rows <- do.call(rbind, rows)
  print(rows, row.names = FALSE, digits = 3)
  keep_rows(
    rows, file.path(results_dir, "large-threads.csv"),
    c("pass", "response", "records")
  )
}

arguments <- commandArgs(trailingOnly = TRUE)
sizes <- suppressWarnings(as.numeric(arguments))
asked <- unlist(strsplit(arguments[is.na(sizes)], ","))
sizes <- sizes[!is.na(sizes)]
if (length(sizes) == 0) sizes <- c(1e5, 1e6)
chosen <- names(jobs)
if (length(asked) > 0) {
  chosen <- chosen[vapply(chosen, function(name) {
    any(startsWith(name, asked))
  }, TRUE)]
}

own <- Sys.getenv("LARGE_FILE")
if ("threads" %in% asked) {
  for (n in sizes) measure_threads(n)
} else if (nzchar(own)) {
  rows <- measure_job(Sys.getenv("LARGE_JOB"), sizes[1], own)
  if (!nzchar(Sys.getenv("LARGE_PROFILE"))) {
    keep_rows(
      rows, file.path(results_dir, "large.csv"), c("job", "records", "stage")
    )
  }
} else {
  for (n in sizes) {
    for (response in c("count", "amount")) {
      some <- chosen[vapply(jobs[chosen], `[[`, "", "response") == response]
      if (length(some) == 0) next
      path <- tempfile("large", fileext = ".rds")
      saveRDS(columns(n, response), path, compress = FALSE)
      invisible(gc())
      for (name in some) {
        cat(sprintf("\n%s, %g records\n", name, n))
        Sys.setenv(LARGE_FILE = path, LARGE_JOB = name)
        status <- system2(
          file.path(R.home("bin"), "Rscript"), c("bench/large.R", n)
        )
        if (status != 0) cat("FAILED\n")
      }
      Sys.setenv(LARGE_FILE = "")
      unlink(path)
    }
  }
  # What the page shows
  file.copy(
    file.path(results_dir, "large.csv"),
    file.path("vignettes", "large-files.csv"), overwrite = TRUE
  )
}
