# Ways to obtain weights that look better than they are, each shown to have
# worked once, and what became of it.

origin_data <- function() worst_case_data("clusters", n = 60)

origin_fit <- function() {
  remember("origin", fit_synthesizer(
    y ~ 1, origin_data(), beta_response(c(0, 1)),
    chains = 2, warmup = 200, draws = 1000, seed = 1
  ))
}

origin_lw <- function() lipschitz_weights(origin_fit())

origin_weighted <- function(weights, seed = 2) {
  suppressWarnings(
    update(origin_fit(), privacy_weights = weights, seed = seed),
    classes = "pseudosynth_warning_convergence"
  )
}

# The label of a clipped fit with these weights
origin_label <- function(weights) {
  guarantee(labelled_fit(
    origin_fit(), as_privacy_weights(weights, nrow(origin_data())),
    clip = 5
  ))$label
}

made_again <- function(fit, without) {
  suppressWarnings(
    replay(fit, records_without(fit, without), NULL, 5),
    classes = "pseudosynth_warning_convergence"
  )
}

test_that("freezing what was made from this file freezes nothing", {
  f9 <- origin_weighted(public_scalar(0.9))
  made <- list(
    truncate_weights(f9, 1.9 * f9$bound$overall),
    reweight(f9, k = 0.95, seed = 3)$privacy_weights,
    solve_weights(
      origin_fit(), 0.6 * origin_fit()$bound$overall,
      tolerance = 0.3, seed = 3
    )$privacy_weights,
    scale_weights(truncate_weights(f9, 1.9 * f9$bound$overall), 0.5)
  )
  other <- data.frame(y = withr::with_seed(4, stats::rbeta(60, 2, 3)))
  for (weights in made) {
    again <- predict(freeze(weights), origin_data())
    expect_identical(dependency_of(again)$kind, "other records")
    expect_identical(origin_label(again), "asymptotic")
    # Of other records the rule is fixed
    expect_identical(
      dependency_of(predict(freeze(weights), other))$kind, "own record"
    )
  }
})

test_that("weights that were edited are of unknown origin", {
  f9 <- origin_weighted(public_scalar(0.9))
  w <- f9$privacy_weights
  lw <- as.numeric(origin_lw())
  edited <- list(
    pmin(w, lw), pmax(w, lw), structure(w, scheme = "frozen"),
    structure(w, arguments = list(alpha = 0.1)),
    `attributes<-`(lw, attributes(w))
  )
  for (weights in edited) {
    expect_identical(origin_label(weights), "asymptotic")
    expect_output(print(weights), "unknown origin")
    fit <- origin_weighted(weights)
    expect_identical(attr(fit$privacy_weights, "scheme"), "user")
    expect_error(freeze(weights), class = "pseudosynth_error_not_freezable")
  }
})

test_that("one number is no public scalar", {
  lw <- origin_lw()
  solved <- solve_weights(
    origin_fit(), 0.6 * origin_fit()$bound$overall,
    tolerance = 0.3, seed = 3
  )$privacy_weights
  for (number in list(mean(lw), solved[1], median(lw), 0.5)) {
    expect_identical(origin_label(number), "asymptotic")
    half <- as_privacy_weights(public_scalar(0.5), nrow(origin_data()))
    both <- combine_weights(number, half)
    expect_identical(origin_label(both), "asymptotic")
  }
  expect_identical(origin_label(public_scalar(0.5)), "strict")
})

test_that("weights scaled and solved several times print and replay", {
  twice <- scale_weights(scale_weights(origin_lw(), 0.9), 0.9, 0.05)
  solve <- function(weights, seed = 1) {
    solve_weights(
      origin_fit(), 0.5 * origin_fit()$bound$overall, weights,
      tolerance = 0.5, seed = seed
    )
  }
  solved <- solve(twice)
  for (weights in list(twice, solved$privacy_weights)) {
    expect_output(print(weights), "Privacy weights")
    expect_output(print(guarantee(origin_weighted(weights))), "asymptotic")
    expect_identical(mechanism_of(origin_weighted(weights)), "lw")
  }
  final <- reweight(solved, k = 0.9, seed = 4)
  expect_identical(mechanism_of(final), "lw_final")
  expect_output(print(final$privacy_weights), "LW_final")
  again <- made_again(final, without = 60)
  expect_identical(
    stated_schemes(node_of(again$privacy_weights)),
    c("reweighted", "scaled", "scaled", "scaled", "lipschitz")
  )
})

# `a$scale` once took what was `scaled_by`
test_that("a scale that was put on weights is not that of the weights", {
  w <- scale_weights(origin_lw(), 0.5, 0.2)
  final <- reweight(origin_weighted(w), k = 0.9, seed = 3)
  again <- made_again(final, without = 60)
  inner <- node_of(again$privacy_weights)$of[[1]]
  expect_identical(inner$scheme, "scaled")
  expect_equal(inner$arguments$scaled_by, 0.5)
  expect_equal(inner$arguments$shifted_by, 0.2)
  expect_equal(inner$of[[1]]$arguments$scale, 1)
  expect_equal(inner$of[[1]]$arguments$shift, 0)
})

test_that("every truncation of a loop is done again", {
  fit <- origin_weighted(scale_weights(origin_lw(), 0.9, 0.1))
  for (round in 1:2) {
    weights <- truncate_weights(fit, 1.9 * fit$bound$overall)
    fit <- origin_weighted(weights, 3 + round)
  }
  again <- made_again(fit, without = 1)
  expect_identical(
    stated_schemes(node_of(again$privacy_weights)),
    c("truncated", "truncated", "scaled", "lipschitz")
  )
})

test_that("nothing made from risk weights claims an epsilon", {
  sets <- synthesize(origin_fit(), 2, seed = 1)
  risk <- risk_weights(sets, origin_fit(), radius = 0.01)
  fit <- origin_weighted(risk)
  derived <- list(
    risk, reweight(fit, k = 0.9, seed = 3)$privacy_weights,
    combine_weights(risk, origin_lw()), scale_weights(risk, 0.5),
    truncate_weights(fit, 1.9 * fit$bound$overall)
  )
  for (weights in derived) {
    expect_identical(guarantee(origin_weighted(weights))$label, "none")
  }
})

test_that("count weights with a floor have one claim", {
  weights <- count_weights(
    origin_fit(),
    radius = 0.05, scale = 0.5, shift = 0.25
  )
  fit <- labelled_fit(origin_fit(), weights, clip = 1)
  claim <- guarantee(fit)$epsilon$per_draw
  expect_equal(claim[["add-remove"]], 3)
  expect_equal(claim[["replace"]], 4)
  exact <- audit_guarantee(fit, cells = 2500, remove = 60, replacements = 8)
  expect_equal(exact$worst$claim, unname(claim[exact$worst$neighbours]))
  clipped <- fit
  sampled <- audit_guarantee(
    clipped,
    method = "sampled", files = 1, seed = 4,
    refit = function(data) clipped
  )
  expect_equal(sampled$worst$claim, claim[["add-remove"]])
})

test_that("a frozen public scalar can be used, and has no history", {
  rule <- freeze(public_scalar(0.5))
  weights <- predict(rule, origin_data())
  expect_identical(as.numeric(weights), rep(0.5, nrow(origin_data())))
  expect_identical(dependency_of(weights)$kind, "own record")
  expect_identical(dependency_of(weights)$history, "none")
  expect_identical(origin_label(weights), "strict")
  expect_identical(alpha_of(origin_weighted(weights)), as.numeric(weights))
})

# Histories that hold the current records --------------------------------------

test_that("a rule from most of this file is a rule from this file", {
  data <- privacy_data()
  fit_to <- function(data, ...) {
    quick_fit(log(income) ~ age, data, prior = prior_normal(), ...)
  }
  kind <- function(history, data) {
    rule <- freeze(lipschitz_weights(fit_to(history), allow_unconverged = TRUE))
    dependency_of(predict(rule, data))$kind
  }
  expect_identical(kind(data[-1, ], data), "other records")
  expect_identical(kind(data, data[-(1:5), ]), "other records")
  expect_identical(kind(data[sample(150, 100), ], data), "other records")
  expect_identical(kind(data[-(1:5), ], data[1:140, ]), "other records")
  expect_identical(kind(rbind(data, current_data()), data), "other records")
  # A history that is a tenth of this file
  expect_identical(kind(data, data[1:15, ]), "other records")
  changed <- data
  changed$income[1:3] <- changed$income[1:3] + 1
  expect_identical(kind(data, changed), "other records")
  # Other records of the same survey share a few values by chance
  expect_identical(kind(data, current_data()), "own record")
  count <- freeze(count_weights("income", data[-1, ], radius = 0.2))
  expect_identical(dependency_of(predict(count, data))$kind, "other records")
})

test_that("values that all files share do not make two files one", {
  draw <- function(seed, n = 400) {
    withr::with_seed(seed, data.frame(
      y = stats::rpois(n, 2), g = sample(c("a", "b"), n, TRUE)
    ))
  }
  same <- function(new, old) is_same_file(new, row_hashes(as.list(old)))
  apart <- vapply(1:50, function(seed) same(draw(seed), draw(seed + 50)), TRUE)
  expect_false(any(apart))
  larger <- vapply(1:20, function(seed) same(draw(seed), draw(99, 5000)), TRUE)
  expect_false(any(larger))
  one <- draw(1)
  expect_true(same(one[-1, ], one))
  expect_true(same(one, one[-(1:2), ]))
  yes <- function(seed) {
    withr::with_seed(seed, data.frame(y = stats::rbinom(1000, 1, 0.3)))
  }
  often <- mean(vapply(1:100, function(seed) same(yes(seed), yes(-seed)), TRUE))
  expect_lt(often, 0.12)
  expect_true(same(yes(1)[-1, , drop = FALSE], yes(1)))
  # Incomes in steps of 5,000: some are shared
  heaped <- function(seed, n = 300) {
    withr::with_seed(seed, data.frame(
      y = round(exp(stats::rnorm(n, 10.8, 1)) / 5000), x = sample(9, n, TRUE)
    ))
  }
  apart <- vapply(1:30, function(seed) same(heaped(seed), heaped(-seed)), TRUE)
  expect_false(any(apart))
  expect_true(same(heaped(1), heaped(1)[-(1:20), ]))
})

test_that("a reference from most of this file is refused", {
  data <- privacy_data()
  past <- quick_fit(log(income) ~ age, data[-1, ], prior = prior_normal())
  expect_error(
    quick_fit(
      log(income) ~ age, data,
      prior = prior_normal(1, c(10.8, 2.5)),
      censor = censor(2, reference = past)
    ),
    class = "pseudosynth_error_privacy"
  )
  other <- quick_fit(log(income) ~ age, current_data(), prior = prior_normal())
  clipped <- suppressWarnings(quick_fit(
    log(income) ~ age, data,
    prior = prior_normal(1, c(10.8, 2.5)), draws = 100,
    censor = censor(2, reference = other)
  ), classes = "pseudosynth_warning_convergence")
  expect_s3_class(clipped, "synthesizer")
})

test_that("a history keeps no record in plain", {
  data <- data.frame(y = c(1.25, 2.5), g = c("PLANTED", "b"))
  kept <- row_hashes(as.list(data))
  expect_identical(lengths(kept$rows), c(hash = 2L, n = 1L))
  expect_equal(count_held(kept, list("PLANTED", 1.25, 2.5)), 0)
  expect_false(is.unsorted(kept$rows$hash))
  # Equal records have equal hashes, of whatever type
  expect_identical(
    hash_rows(list(c(1, 2)), "s"), hash_rows(list(pattern_value(1:2)), "s")
  )
})

test_that("a small part of a large file, with twins or without, is found", {
  withr::local_seed(5)
  same <- function(new, old) {
    is_same_file(data.frame(x = new), row_hashes(list(x = old)))
  }
  id <- c(1:140000, rep(140000 + 1:50000, 2)) + 0
  expect_true(same(sample(id, 60), id))
  expect_true(same(id, sample(id, 60)))
  # Two thirds of a small file
  expect_true(same(c(sample(1:140000, 67), -(1:33)), id))
  expect_false(same(-(1:100), id))
  # How often a record is there counts where few differ
  expect_identical(
    met_hashes(c(3, 1, 3, 2, 1, 3)), list(hash = c(1, 2, 3), n = c(2L, 1L, 3L))
  )
  expect_identical(met_hashes(c(3, 1)), list(hash = c(1, 3), n = 1L))
})

test_that("hashes are equal where records are, to ten digits", {
  data <- withr::with_seed(1, data.frame(
    y = c(0, NA, NaN, Inf, 1e-300, round(stats::rnorm(5000), 2)),
    g = sample(c("a", "b", NA, "\u00e4", ""), 5005, TRUE),
    w = sample(c(TRUE, FALSE), 5005, TRUE)
  ))
  hash <- hash_rows(lapply(data, pattern_value), "salt")
  key <- do.call(paste, c(lapply(data, as.character), sep = "\r"))
  expect_identical(match(hash, hash), match(key, key))
  expect_true(all(hash == round(hash) & hash >= 0 & hash < 2^52))
  # Spread evenly: a lumpy hash finds records that are not there
  even <- stats::chisq.test(tabulate(unique(hash) %/% 2^47 + 1, 32))$p.value
  expect_gt(even, 1e-6)
  of <- function(x) hash_rows(list(x), "salt")
  expect_identical(of(1 / 3), of(0.3333333333))
  expect_identical(of(0), of(-0))
  expect_false(of(1 / 3) == of(0.333333333))
  expect_false(of(1) == hash_rows(list(1), "pepper"))
  # Moving a value to another column makes another record
  expect_false(
    hash_rows(list("a", "b"), "s") == hash_rows(list("b", "a"), "s")
  )
  latin <- "\xe4"
  Encoding(latin) <- "latin1"
  expect_identical(of(pattern_value(latin)), of("\u00e4"))
})

test_that("hashes of an earlier form are not taken for other records", {
  data <- data.frame(y = as.double(1:50))
  kept <- row_hashes(as.list(data))
  expect_true(is_same_file(data, kept))
  kept$form <- NULL
  expect_error(is_same_file(data, kept), class = "pseudosynth_error_privacy")
})

test_that("weights that change with other records are not each record's own", {
  sys.source(
    system.file("examples", "tail_weights.R", package = "pseudosynth"),
    environment()
  )
  honest <- tail_scheme()
  lying <- function(rule) {
    scheme <- honest
    scheme$rule <- rule
    scheme
  }
  rules <- list(
    ranks = function(node, data, inner) rank(data$y) / nrow(data),
    `the largest` = function(node, data, inner) data$y / max(data$y),
    `another record` = function(node, data, inner) {
      rev(honest$rule(node, data, inner))
    }
  )
  data <- data.frame(y = withr::with_seed(1, stats::rbeta(60, 2, 3)))
  other <- data.frame(y = withr::with_seed(2, stats::rbeta(60, 2, 3)))
  label <- function(weights, ...) {
    guarantee(suppressWarnings(
      fit_synthesizer(
        y ~ 1, data, beta_response(0:1),
        censor = censor(5), privacy_weights = weights, draws = 500, seed = 1,
        control = sampler_control(progress = FALSE)
      ),
      classes = "pseudosynth_warning_convergence"
    ))
  }
  # As its constructor would make them
  made <- function(scheme, data) {
    basis <- list(variable = "y", lower = 0.2, upper = 0.9)
    new_privacy_weights(
      scheme$rule(list(basis = basis), data), "tail",
      basis[c("lower", "upper")], made_from = character(), basis = basis,
      records = record_marks(data, "y")
    )
  }
  for (rule in rules) {
    scheme <- lying(rule)
    local({
      local_scheme(scheme)
      weights <- made(scheme, data)
      expect_identical(dependency_of(weights)$kind, "own record")
      found <- label(weights)
      expect_identical(found$label, "asymptotic")
      expect_match(found$reasons, "made from this file", all = FALSE)
      frozen <- predict(freeze(made(scheme, other)), data)
      expect_identical(dependency_of(frozen)$kind, "other records")
      expect_identical(label(frozen)$label, "asymptotic")
    })
  }
  local_scheme(honest)
  expect_identical(label(made(honest, data))$label, "strict")
  frozen <- predict(freeze(made(honest, other)), data)
  expect_identical(label(frozen)$label, "strict")
})
