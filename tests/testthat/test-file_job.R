# Whole files under the papers' mechanisms: one weight a record.

# A category, an amount with parts and far values, and a yes/no that follows
small_file <- function(n = 300, seed = 1) {
  withr::with_seed(seed, {
    group <- factor(sample(c("a", "b", "c"), n, TRUE), c("a", "b", "c", "d"))
    pay <- round(exp(stats::rnorm(n, 8 + (group == "b"), 0.7)))
    pay[sample(n, n %/% 10)] <- 0
    pay[sample(n, n %/% 20)] <- NA
    yes <- stats::runif(n) < ifelse(pay %in% 0 | is.na(pay), 0.2, 0.7)
    data.frame(group = group, pay = pay, yes = yes)
  })
}

small_book <- function() {
  codebook(data.frame(
    column = c("group", "pay", "yes"),
    type = c("category", "amount", "logical"),
    levels = c("a|b|c|d", NA, NA), lower = c(NA, 0, NA),
    upper = c(NA, 1e6, NA), missing = c(FALSE, TRUE, FALSE),
    zero = c(NA, TRUE, NA), transform = c(NA, "log", NA),
    family = c(NA, "student_t", NA), digits = c(NA, 0, NA)
  ))
}

small_plan <- function(data = small_file(), ...) {
  file_plan(data, small_book(), ...)
}

quick_file <- function(plan = small_plan(), how = "lw", ..., seed = 1) {
  suppressWarnings(suppressMessages(fit_file(
    plan, how, ..., chains = 2, warmup = 200, draws = 600, seed = seed
  )))
}

small_fit <- function() remember("small_fit", quick_file())

test_that("a record's bound is the sum over its regressions, by a loop", {
  fit <- small_fit()
  n <- nobs(fit)
  data <- small_file()
  alpha <- as.double(fit$privacy_weights)
  total <- numeric(n)
  for (name in names(fit$models)) {
    for (own in regressions_of(fit$models[[name]])) {
      columns <- stats::model.matrix(
        stats::delete.response(stats::terms(own$fit$formula)), own$fit$data
      )
      draws <- own$fit$draws
      b <- draws[, seq_len(ncol(columns)), drop = FALSE]
      y <- own$fit$data$y
      for (i in which(own$used)) {
        eta <- drop(b %*% columns[i, ])
        f <- if (ncol(draws) == ncol(columns)) {
          stats::dbinom(y[i], 1, stats::plogis(eta), log = TRUE)
        } else {
          sigma <- draws[, ncol(draws)]
          stats::dt((y[i] - eta) / sigma, 3, log = TRUE) - log(sigma)
        }
        total[i] <- total[i] + max(abs(alpha[i] * f))
      }
    }
  }
  expect_equal(fit$bound$record, total, tolerance = 1e-6)
  expect_identical(lipschitz(fit)$overall, max(fit$bound$record))
  # Smaller than the sum of the largest
  expect_lt(fit$bound$overall, sum(column_bounds(fit)))
  expect_identical(
    as.double(fit$privacy_weights),
    as.double(lipschitz_weights(fit$stage_bounds$unweighted$bound))
  )
})

test_that("a part without a value adds no amount, and each record its halves", {
  fit <- small_fit()
  data <- small_file()
  value <- fit$models$pay$value
  expect_identical(value$used, !is.na(data$pay) & data$pay != 0)
  expect_true(all(value$fit$bound$record[!value$used] == 0))
  expect_identical(value$fit$spec$alpha[!value$used], numeric(sum(!value$used)))
  # Three parts: missing and zero apart from values, then from each other
  ends <- vapply(fit$models$pay$part$steps, function(step) {
    c(step$low, step$middle, step$high)
  }, c(0, 0, 0))
  expect_identical(ends, cbind(c(1, 2, 3), c(1, 1, 2)))
  used <- lapply(fit$models$pay$part$steps, `[[`, "used")
  expect_true(all(used[[1]]))
  expect_identical(used[[2]], !value$used)
  # Four levels: two regressions each
  used <- lapply(fit$models$group$part$steps, `[[`, "used")
  expect_identical(Reduce(`+`, used), rep(2L, nobs(fit)))
})

test_that("all regressions have the record's one weight", {
  data <- small_file()
  far <- which(data$pay %in% 1:1e6)[3]
  data$pay[far] <- 999999
  fit <- quick_file(small_plan(data))
  alpha <- as.double(fit$privacy_weights)
  expect_identical(which.min(alpha), far)
  expect_identical(alpha[far], 0)
  for (own in all_regressions(fit$models)) {
    expect_identical(own$fit$spec$alpha, alpha * own$used)
  }
})

test_that("with weights of 0 all draws are the prior's", {
  fit <- update(small_fit(), privacy_weights = rep(0, 300), seed = 3)
  expect_identical(fit$bound$overall, 0)
  for (own in all_regressions(fit$models)) {
    draws <- own$fit$draws
    slopes <- draws[, grepl("^x|^z", colnames(draws)), drop = FALSE]
    # 1,200 draws: standard errors of .021 in a standard deviation
    if (ncol(slopes) > 0) {
      expect_lt(max(abs(apply(slopes, 2, stats::sd) - 1)), 0.15)
      expect_lt(max(abs(colMeans(slopes))), 0.15)
    }
    intercept <- own$fit$prior$intercept
    expect_lt(
      abs(stats::sd(draws[, 1]) / intercept[2] - 1), 0.15
    )
  }
})

test_that("of one column bound and weights are those of its job", {
  n <- 200
  yes <- withr::with_seed(2, sample(c(TRUE, FALSE), n, TRUE))
  amount <- withr::with_seed(2, round(exp(stats::rnorm(n, 8, 1)), 2))
  same <- function(data, book, formula, family, prior, frame) {
    file <- quick_file(file_plan(data, book))
    job <- suppressMessages(pseudo_posterior(
      formula, frame, family, "lw", prior = prior, chains = 2, warmup = 200,
      draws = 600, seed = 1
    ))
    one <- job$internal$fits
    expect_identical(
      file$bound$record, one$lw$bound$record
    )
    expect_identical(
      file$stage_bounds$unweighted$bound$record, one$unweighted$bound$record
    )
    expect_identical(
      as.double(file$privacy_weights), as.double(one$lw$privacy_weights)
    )
    expect_identical(
      guarantee(file)$epsilon, guarantee(one$lw)$epsilon
    )
  }
  same(
    data.frame(yes), codebook(data.frame(column = "yes", type = "logical")),
    yes ~ 1, bernoulli(), prior_normal(1, c(0, 2.5)), data.frame(yes)
  )
  book <- codebook(data.frame(
    column = "amount", type = "amount", lower = 1, upper = 1e6,
    transform = "log", family = "gaussian", digits = 2
  ))
  plan <- file_plan(data.frame(amount), book)
  unit <- public_unit(amount_model(column_specs(book)$amount))
  expect_equal(unit$centre, mean(log(c(1, 1e6))))
  same(
    data.frame(amount), book, y ~ 1, gaussian(),
    prior_normal(1, c(0, log(1e6) / 4)),
    data.frame(y = log(amount) - unit$centre)
  )
})

test_that("nothing of a model's geometry is read off the file", {
  designs <- function(fit) {
    lapply(all_regressions(fit$models), function(own) {
      list(
        colnames(own$fit$draws), own$fit$design$levels, own$fit$design$scale,
        own$fit$design$centre, own$fit$spec$prior, own$share,
        own$fit$response$type, own$amount[c("breaks", "part")], own$centre,
        own$scale
      )
    })
  }
  data <- small_file()
  one <- data
  # A level of one record, no zero, other amounts
  one$group <- factor(rep("a", 300), levels(data$group))
  one$group[1] <- "d"
  one$pay <- ifelse(data$pay %in% 0, 7, data$pay / 2)
  one$pay <- round(one$pay)
  fits <- list(small_fit(), quick_file(small_plan(one)))
  expect_identical(designs(fits[[1]]), designs(fits[[2]]))
  codings <- function(fit) lapply(fit$models, `[[`, "coding")
  expect_identical(codings(fits[[1]]), codings(fits[[2]]))
})

test_that("the label has a charge for each column, which add up to epsilon", {
  fit <- small_fit()
  label <- guarantee(fit, m = 3)
  expect_identical(label$label, "asymptotic")
  expect_identical(label$mechanism, "lw")
  expect_identical(
    label$charges$what,
    sprintf("parameter draw of `%s`", c("group", "pay", "yes"))
  )
  expect_identical(label$charges$times, rep(3, 3))
  expect_identical(anyDuplicated(label$charges$id), 0L)
  expect_equal(
    label$epsilon$total[["add-remove"]], 3 * 2 * lipschitz(fit)$overall
  )
  expect_equal(
    label$epsilon$total[["replace"]], 3 * 4 * lipschitz(fit)$overall
  )
  expect_equal(
    label$epsilon$per_draw[["add-remove"]], 2 * lipschitz(fit)$overall
  )
  expect_output(print(label), "3 parameter draws of `pay`, each: epsilon")
  # What may leave has no figure of the file
  public <- guarantee(fit, public = TRUE)
  expect_true(all(is.na(public$charges$add_remove)))
  sets <- synthesize(fit, m = 2, seed = 4)
  own <- guarantee(sets)
  expect_identical(own$label, "asymptotic")
  expect_identical(own$what, "synthetic data")
  expect_true(all(is.na(own$charges$replace)))
  expect_identical(names(sets[[1]]), names(small_file()))
  expect_true(own$reproducible)
})

test_that("every call takes draws of its own, each set another", {
  fit <- quick_file(seed = NULL)
  first <- synthesize(fit)
  second <- synthesize(fit)
  expect_false(any(guarantee(first)$charges$id %in%
    guarantee(second)$charges$id))
  expect_error(synthesize(fit, m = 1201), "at most")
  again <- synthesize(fit, seed = 9)
  expect_identical(
    guarantee(again)$charges$id, guarantee(synthesize(fit, seed = 9))$charges$id
  )
  expect_identical(again[[1]], synthesize(fit, seed = 9)[[1]])
})

test_that("what was edited has no label and draws nothing", {
  fit <- small_fit()
  edits <- list(
    bound = function(x) {
      x$bound$overall <- 1
      x
    },
    shares = function(x) {
      x$shares[] <- 0
      x
    },
    draws = function(x) {
      x$models$yes$part$steps[[1]]$fit$draws[] <- 0
      x
    },
    weights = function(x) {
      x$privacy_weights <- public_scalar(0.1)
      x
    },
    plan = function(x) {
      x$plan$codes[1, 1] <- 2L
      x
    },
    no_bound = function(x) {
      x["bound"] <- list(NULL)
      x
    },
    converged = function(x) {
      x$converged <- NA
      x
    },
    class = function(x) structure(x, class = class(x)[-1])
  )
  for (edit in edits) {
    other <- edit(unclass(fit))
    class(other) <- class(fit)
    if (identical(edit, edits$class)) other <- edits$class(fit)
    expect_error(
      suppressWarnings(synthesize(other)), class = "pseudosynth_error"
    )
    if (!is.null(unclass(other)$bound)) {
      expect_identical(guarantee(other)$label, "none")
    }
    expect_error(update(other, privacy_weights = NULL),
      class = "pseudosynth_error"
    )
  }
})

test_that("weights of other files, and edited ones, count as given by hand", {
  fit <- small_fit()
  own <- update(fit, privacy_weights = as.double(fit$privacy_weights), seed = 1)
  expect_identical(guarantee(own)$label, "asymptotic")
  expect_match(guarantee(own)$reasons[1], "by hand")
  expect_identical(
    guarantee(update(fit, privacy_weights = NULL, seed = 1))$label, "none"
  )
  expect_error(update(fit, privacy_weights = c(0.2, 0.3)), "weights")
})

test_that("drafts, trees, units and other mechanisms are refused", {
  data <- small_file()
  refused <- function(text, ..., class = "pseudosynth_error_input") {
    expect_error(fit_file(...), text, class = class)
  }
  refused("confirm", data, "lw", class = "pseudosynth_error_unconfirmed")
  plan <- small_plan(data)
  refused("Trees", plan, "lw", model = "tree")
  refused("Trees", plan, "lw", model = c("regression", pay = "tree"))
  refused("quantile", plan, "lw", quantile = 0.9)
  other <- "pseudosynth_error_mechanism"
  refused("file_release", plan, "score", class = other)
  refused("file_release", plan, "scalar", class = other)
  refused("draw of its own", plan, "risk", radius = 1, risk_sets = 1e6)
  refused("must be one of", plan, "cake")
  refused("epsilon", plan, "censor_uw")
  refused("prior", plan, "lw", prior = prior_normal())
  refused("bounds", plan, "lw", bounds = c(0, 1))
  refused("cake", plan, "lw", cake = 1)
  refused("draw of its own", plan, "lw", m = 100, draws = 40, chains = 1)
  refused("circle", plan, "lw",
    predictors = list(pay = "yes", yes = "pay"),
    class = "pseudosynth_error_order"
  )
  data$home <- rep(seq_len(150), 2)
  book <- rbind(
    as.data.frame(small_book()),
    replace(
      replace(as.data.frame(small_book())[1, ], TRUE, NA), c("column", "type"),
      list("home", "id")
    )
  )
  book$records[4] <- 2
  units <- file_plan(data, codebook(book), unit = "home")
  refused("unit", units, "lw")
})

test_that("equal values are refused, a part without records is not", {
  data <- small_file()
  data$pay[data$pay %in% 1:1e6] <- 5
  expect_error(quick_file(small_plan(data)), "must vary")
  data$pay <- rep(c(0, NA), length.out = 300)
  fit <- quick_file(small_plan(data))
  expect_true(fit$converged)
  expect_identical(sum(fit$models$pay$value$used), 0L)
  set <- synthesize(fit, seed = 1)[[1]]
  expect_identical(nrow(set), 300L)
})

test_that("an epsilon is solved for", {
  fit <- small_fit()
  wanted <- round(1.2 * lipschitz(fit)$overall, 2)
  solved <- quick_file(epsilon = wanted)
  expect_equal(
    guarantee(solved)$epsilon$total[["add-remove"]], wanted, tolerance = 0.03
  )
  expect_identical(guarantee(solved)$label, "asymptotic")
})

test_that("published columns are kept and predict others", {
  data <- small_file()
  fit <- quick_file(small_plan(data, publish = "group"))
  expect_identical(names(fit$models), c("pay", "yes"))
  expect_identical(fit$predictors$pay, "group")
  set <- synthesize(fit, seed = 1)[[1]]
  # Rows are in random order
  expect_identical(sort(set$group), sort(data$group))
  expect_match(guarantee(fit)$public_inputs[["predictors"]], "group")
})

test_that("relations of columns and shares of parts are kept", {
  data <- small_file(4000)
  # Weights move shares of parts, whose records are rare
  fit <- update(quick_file(small_plan(data)), privacy_weights = NULL, seed = 1)
  set <- synthesize(fit, n = 20000, seed = 1)[[1]]
  expect_lt(abs(mean(is.na(set$pay)) - mean(is.na(data$pay))), 0.02)
  expect_lt(abs(mean(set$pay %in% 0) - mean(data$pay %in% 0)), 0.02)
  middle <- function(x, g) {
    stats::median(log(x$pay[x$group == g & x$pay > 0]), na.rm = TRUE)
  }
  gap <- function(x) middle(x, "b") - middle(x, "a")
  expect_lt(abs(gap(set) - gap(data)), 0.15)
  share <- function(x) mean(x$yes[x$pay %in% 1:1e6]) - mean(x$yes[x$pay %in% 0])
  expect_lt(abs(share(set) - share(data)), 0.08)
})

test_that("re-weighting keeps the joint bound and raises weights", {
  lw <- small_fit()
  final <- quick_file(how = "lw_final")
  expect_identical(final$stages$stage, c("unweighted", "lw", "lw_final"))
  expect_identical(guarantee(final)$mechanism, "lw_final")
  expect_identical(final$stage_bounds$lw$bound$record, lw$bound$record)
  expect_lte(lipschitz(final)$overall, 1.02 * lipschitz(lw)$overall)
  expect_gt(
    mean(as.double(final$privacy_weights)), mean(as.double(lw$privacy_weights))
  )
  # By the sums of the weighted fit
  k <- final$reweighting$k
  alpha <- as.double(lw$privacy_weights)
  expect_equal(
    as.double(final$privacy_weights),
    ifelse(
      alpha > 0, pmin(1, k * alpha * lw$bound$overall / lw$bound$record), 0
    )
  )
  expect_identical(final$stages$label, c("none", "asymptotic", "asymptotic"))
  # The same by hand
  own <- reweight(lw, k = k, seed = 2)
  expect_identical(
    as.double(own$privacy_weights), as.double(final$privacy_weights)
  )
  expect_identical(guarantee(own)$label, "asymptotic")
  expect_s3_class(synthesize(own, seed = 3), "synthetic_data")
})

censored_file <- function(...) {
  data <- small_file(by_night(400, 200))
  quick_file(small_plan(data), "censor_uw", ..., seed = NULL)
}

test_that("a censored file is strict, and columns share its epsilon", {
  fit <- remember("censored_file", censored_file(epsilon = 60))
  label <- guarantee(fit)
  expect_identical(label$label, "strict")
  expect_identical(label$mechanism, "censor_uw")
  expect_equal(label$epsilon$total, c("add-remove" = 60, replace = 120))
  expect_equal(label$charges$add_remove, c(20, 20, 20))
  # What a record adds stays within the whole interval, on any path
  widths <- vapply(all_regressions(fit$models), function(own) {
    own$fit$censor$upper - own$fit$censor$lower
  }, 1)
  expect_equal(widths, c(rep(10, 3), 5, 5, 10, 20))
  expect_true(all(lipschitz(fit)$record <= 30))
  sets <- synthesize(fit, m = 2)
  expect_equal(
    guarantee(sets)$epsilon$total, c(replace = 240, "add-remove" = 120)
  )
  expect_output(print(guarantee(sets)), "columns share it evenly")
  # A set is what may leave: no fit, weight or draw in it
  expect_false(any(c("models", "bound") %in% names(unclass(sets))))
})

test_that("epsilon is that of all sets, under the stated relation", {
  fit <- censored_file(epsilon = 240, m = 2, neighbours = "replace")
  expect_equal(guarantee(fit, m = 2)$epsilon$total[["replace"]], 240)
  expect_equal(guarantee(fit)$epsilon$per_draw[["replace"]], 120)
  expect_equal(fit$censor$upper, 30)
})

test_that("a ledger takes the charges of all columns once", {
  skip_if_not_installed("jsonlite")
  fit <- remember("censored_file", censored_file(epsilon = 60))
  path <- withr::local_tempfile(fileext = ".ledger")
  book <- ledger(path, epsilon = 100)
  synthesize(fit, ledger = book)
  expect_error(
    synthesize(fit, ledger = book), class = "pseudosynth_error_budget"
  )
  expect_error(
    synthesize(small_fit(), ledger = ledger(path)),
    class = "pseudosynth_error"
  )
})

test_that("weights made from the file are not strict under a clip, either", {
  fit <- remember("censored_file", censored_file(epsilon = 60))
  data <- small_file(by_night(400, 200))
  alpha <- lipschitz_weights(update(
    quick_file(small_plan(data)), privacy_weights = NULL, seed = 1
  ))
  expect_identical(
    guarantee(update(fit, privacy_weights = alpha))$label, "asymptotic"
  )
  expect_identical(
    guarantee(update(fit, privacy_weights = public_scalar(0.5)))$label, "strict"
  )
})

test_that("a whole file has no bound of single draws", {
  expect_error(truncate_draws(small_fit(), 0.9), "quantile")
  expect_error(lipschitz(small_fit(), 0.9), "quantile")
  expect_error(freeze(small_fit()$privacy_weights))
})

test_that("figures and summaries of a file's bounds are drawn", {
  fit <- small_fit()
  expect_s3_class(plot(fit), "ggplot")
  expect_s3_class(plot(lipschitz(fit)), "ggplot")
  expect_output(print(summary(lipschitz(fit))), "record bound")
  expect_output(print(fit), "columns' own bounds add up to")
})

test_that("weights of other records, orders or rules are refused", {
  data <- small_file(200)
  fit <- quick_file(small_plan(data))
  again <- update(fit, privacy_weights = fit$privacy_weights, seed = 2)
  expect_identical(guarantee(again)$label, "asymptotic")
  refused <- function(weights) {
    expect_error(
      update(fit, privacy_weights = weights, seed = 2),
      class = "pseudosynth_error_other_records"
    )
  }
  reversed <- quick_file(small_plan(data[200:1, ]))
  refused(reversed$privacy_weights)
  refused(lipschitz_weights(update(reversed, privacy_weights = NULL, seed = 1)))
  # A rule of one column knows nothing of the others
  history <- data.frame(x = c(stats::qnorm(stats::ppoints(60)), 4, -4))
  column <- suppressWarnings(fit_synthesizer(x ~ 1, history, gaussian(),
    prior = prior_normal(), chains = 2, warmup = 200, draws = 600, seed = 1
  ))
  rule <- freeze(lipschitz_weights(column), history = "public")
  refused(predict(rule, data.frame(x = rep(c(0, 4), 100))))
})

test_that("one regression of a file has no label of its own", {
  fit <- quick_file(small_plan(small_file(200)), "censor_uw", 60)
  own <- fit$models$yes$part$steps[[1]]$fit
  expect_identical(guarantee(own)$label, "none")
  expect_match(guarantee(own)$reasons[1], "one regression of a file")
})
