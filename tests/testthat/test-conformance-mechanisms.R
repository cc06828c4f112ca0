# The same block for every mechanism of the list. A new one needs a case here:
#
#   settings  list: what mechanism() is given besides its name
#   bad       list of lists: settings that are refused, by the argument's name
#   job       list: what a job has besides, such as epsilon
#   grid      list: settings that differ in an exact audit of the beta model
#   counts    list: those that differ for the Poisson model
#
# All parts but `settings` may be left out where a mechanism has no such part.

# Long: `make test` runs it, R CMD check only where NOT_CRAN is set.
skip_on_cran()

reference <- list("(Intercept)" = 10.8, sigma = 1)
# Clipped hard without a centre, the posterior of few records falls apart
centre <- prior_normal(1, c(10.8, 2.5))

history_rule <- function() {
  remember("history_rule", freeze(lipschitz_weights(quick_fit(
    log(income) ~ age + earner, privacy_data(400)[151:400, ],
    prior = prior_normal(), draws = 1000
  ))))
}

bad_lipschitz <- list(
  list(scale = -1), list(shift = "a"), list(map = "cubic")
)
bad_search <- list(
  list(quantile = 0), list(tolerance = 0), list(max_refits = 0)
)
bad_balls <- list(
  list(radius = -1), list(radius = NULL), list(relative = NA)
)

# Made once: two of them hold rules that are fitted
mechanism_cases <- function() {
  remember("mechanism_cases", make_mechanism_cases())
}

make_mechanism_cases <- function() {
  skewed <- skewed_file(30, 2)
  list(
    centred = list(
      settings = list(reference = reference),
      bad = list(
        list(reference = NULL), list(reference = 3), list(window = -1)
      ),
      job = list(epsilon = 6),
      grid = list(
        reference = list("(Intercept)" = 0, precision = 4), window = 2
      ),
      counts = list(reference = list("(Intercept)" = 0))
    ),
    censor_uw = list(job = list(epsilon = 24, prior = centre)),
    frozen = list(
      settings = list(rule = history_rule()),
      bad = list(list(rule = NULL), list(rule = 0.5)),
      job = list(epsilon = 12, prior = centre),
      grid = list(rule = past_rule(skewed, beta_response(c(0, 1)))),
      counts = list(rule = past_rule(
        data.frame(y = rep(0:3, 5)), poisson(),
        prior = prior_normal(intercept = c(0, 2))
      ))
    ),
    two_stage = list(
      settings = list(weight_range = c(1, 6), reference = reference),
      bad = list(
        list(weight_range = NULL), list(weight_range = c(3, 1)),
        list(weight_range = c(-1, 3)), list(first_share = 1),
        list(window = 0)
      ),
      job = list(epsilon = 12),
      grid = list(weight_range = c(0, 5), reference = NULL)
    ),
    score = list(
      settings = list(reference = reference),
      bad = list(
        # Without a reference it is one for levels
        list(reference = 3), list(delta = 2), list(clip = 1),
        list(step_shares = 1), list(spread = 0)
      ),
      job = list(epsilon = 6)
    ),
    censor_w = list(
      bad = bad_lipschitz, job = list(epsilon = 24, prior = centre)
    ),
    lw = list(
      settings = list(tolerance = 0.1), bad = c(bad_lipschitz, bad_search),
      job = list(epsilon = 6, prior = prior_normal())
    ),
    lw_final = list(
      settings = list(k = 0.95),
      bad = c(list(list(k = 2), list(k = "b")), bad_lipschitz, bad_search),
      job = list(prior = prior_normal())
    ),
    cw = list(
      settings = list(radius = 0.3), bad = c(bad_balls, bad_search),
      job = list(prior = prior_normal()), grid = list(radius = 0.05)
    ),
    cw_final = list(
      settings = list(radius = 0.3, k = 0.95),
      bad = c(bad_balls, list(list(k = 0)), bad_search),
      job = list(prior = prior_normal()), grid = list(radius = 0.05)
    ),
    weighted_e = list(
      settings = list(tolerance = 0.1), bad = c(bad_lipschitz, bad_search),
      job = list(epsilon = 13, prior = prior_normal())
    ),
    scalar = list(
      settings = list(tolerance = 0.1), bad = bad_search,
      job = list(epsilon = 6, prior = prior_normal())
    ),
    risk = list(
      settings = list(radius = 0.3, risk_sets = 5),
      bad = c(bad_balls, list(list(risk_sets = 0), list(quantile = 2))),
      job = list(prior = prior_normal())
    ),
    unweighted = list(
      bad = list(list(quantile = 0)), job = list(prior = prior_normal())
    ),
    perturbed_histogram = list(job = list(epsilon = 2)),
    topcode = list(
      settings = list(top = 2e5), bad = list(list(top = NULL), list(top = "a"))
    ),
    reference = list(
      settings = list(reference = reference),
      bad = list(list(reference = NULL), list(reference = "a"))
    )
  )
}

# The cases with a part of their definition
cases_with <- function(part) {
  mechanism_cases()[names(mechanisms_with(part))]
}

make_mechanism <- function(name, settings) {
  do.call(mechanism, c(name, as.list(settings)))
}

changed <- function(settings, change) {
  settings[names(change)] <- change
  Filter(Negate(is.null), as.list(settings))
}

case_job <- function(name, case, ..., neighbours = "add-remove") {
  run <- list(
    log(income) ~ age + earner, privacy_data(), gaussian(),
    mechanism = make_mechanism(name, case$settings), ...,
    neighbours = neighbours, chains = 2, warmup = by_night(500, 200),
    draws = by_night(2000, 700), seed = 21, threads = 1
  )
  suppressWarnings(
    suppressMessages(do.call(pseudo_posterior, c(run, case$job))),
    classes = "pseudosynth_warning_convergence"
  )
}

test_that("every mechanism has a case, and every case a mechanism", {
  expect_setequal(names(mechanism_cases()), names(mechanisms()))
})

test_that("names, titles and colours are there and distinct", {
  all <- mechanisms()
  for (part in c("name", "title", "short", "colour")) {
    values <- vapply(all, `[[`, "", part)
    expect_true(all(nzchar(values)), info = part)
    expect_identical(anyDuplicated(values), 0L, info = part)
  }
  words <- unlist(lapply(all, `[[`, "words"))
  expect_identical(anyDuplicated(words), 0L)
  expect_silent(grDevices::col2rgb(vapply(all, `[[`, "", "colour")))
  for (definition in all) {
    expect_true(definition$label %in% c(
      names(label_titles), "no data"
    ), info = definition$name)
    can <- c("stages", "release", "grid")
    expect_false(
      all(vapply(definition[can], is.null, TRUE)),
      info = definition$name
    )
  }
})

test_that("an object holds its settings, prints, and reloads", {
  cases <- cases_with(c("stages", "release"))
  for (name in names(cases)) {
    mechanism <- make_mechanism(name, cases[[name]]$settings)
    expect_s3_class(mechanism, "privacy_mechanism")
    takes <- as.character(settings_of(mechanisms()[[name]]))
    expect_setequal(as.character(names(mechanism$settings)), takes)
    expect_output(print(mechanism), sprintf("Mechanism \"%s\"", name))
    expect_output(print(mechanism), mechanism$label)
    expect_match(format(mechanism), mechanism$title, fixed = TRUE)
    expect_length(format(mechanism), 1)
    path <- withr::local_tempfile()
    saveRDS(mechanism, path)
    again <- readRDS(path)
    expect_identical(again$settings[takes != "rule"],
      mechanism$settings[takes != "rule"],
      info = name
    )
    expect_identical(definition_of(again)$name, name)
    # No functions: a saved object meets the definition of the day
    expect_false(any(vapply(mechanism, is.function, TRUE)), info = name)
  }
})

test_that("bad settings are refused by name, before any fit", {
  cases <- cases_with(c("stages", "release"))
  for (name in names(cases)) {
    case <- cases[[name]]
    for (bad in case$bad) {
      settings <- changed(case$settings, bad)
      error <- expect_error(
        make_mechanism(name, settings),
        class = "pseudosynth_error_input"
      )
      expect_identical(error$arg, names(bad), info = name)
      run <- c(
        list(log(income) ~ age + earner, privacy_data(), gaussian()),
        settings
      )
      fitted <- !is.null(mechanisms()[[name]]$stages)
      expect_early(
        if (fitted) {
          do.call(pseudo_posterior, c(
            run, mechanism = name, epsilon = case$job$epsilon
          ))
        } else {
          do.call(compare, c(run, mechanisms = name))
        },
        names(bad)
      )
    }
  }
})

test_that("a job refuses what it cannot use, before any fit", {
  cases <- cases_with("stages")
  for (name in names(cases)) {
    case <- cases[[name]]
    refuse <- function(arg, ...) {
      expect_early(
        do.call(pseudo_posterior, c(
          list(
            log(income) ~ age + earner, privacy_data(), gaussian(),
            mechanism = name
          ), case$settings, list(...)
        )),
        arg
      )
    }
    refuse("colour", epsilon = case$job$epsilon, colour = "red")
    refuse("neighbours",
      epsilon = case$job$epsilon, neighbours = "replace-one"
    )
    kind <- mechanisms()[[name]]$kind
    if (kind %in% c("censored", "scores")) refuse("epsilon")
    if (kind == "no claim") refuse("epsilon", epsilon = 1)
    if (!kind %in% c("censored", "scores")) {
      claims <- if (kind == "weighted") list(epsilon = 1)
      asked <- list(bounds = c(10, 2e6), bins = 30)
      do.call(refuse, c("margin", claims, asked))
    }
    for (epsilon in list(0, "1")) refuse("epsilon", epsilon = epsilon)
  }
})

test_that("epsilon is spent to the last bit, under either relation", {
  cases <- cases_with(c("stages", "release"))
  for (name in names(cases)) {
    definition <- mechanisms()[[name]]
    if (definition$kind %in% c("no claim", "no data")) next
    for (neighbours in relation_names) {
      for (m in c(1, 3)) {
        job <- list(
          epsilon = 0.7, m = m, neighbours = neighbours,
          mechanism = make_mechanism(name, cases[[name]]$settings)
        )
        if (definition$kind != "weighted") {
          job$margin <- margin_histogram(c(10, 2e6), share = 0.3)
        }
        spent <- split_epsilon(job)
        expect_equal(
          spent$margin + spent$first + m * spent$draw, 0.7,
          tolerance = 4 * .Machine$double.eps, info = name
        )
        expect_true(min(spent$margin, spent$first, spent$draw) >= 0)
        # 2 Delta of a draw under add-remove, 4 Delta under replace
        times <- if (neighbours == "replace") 4 else 2
        expect_equal(times * spent$bound, spent$draw, info = name)
      }
    }
  }
})

test_that("a job's label is the mechanism's and its total what was asked", {
  cases <- cases_with("stages")
  with_margin <- by_night(names(cases), "centred")
  expect_true(all(with_margin %in% names(cases)))
  for (name in names(cases)) {
    case <- cases[[name]]
    definition <- mechanisms()[[name]]
    job <- case_job(name, case, m = 2)
    label <- guarantee(job)
    expect_identical(label$label, definition$label, info = name)
    expect_identical(label$mechanism, name)
    expect_identical(job$mechanism, name)
    expect_identical(utils::tail(job$stages$stage, 1), name)
    expect_length(job$synthetic$sets, 2)
    # One vocabulary: the label's words are the mechanism's
    title <- make_mechanism(name, case$settings)$title
    expect_output(print(job), paste("mechanism:", title), fixed = TRUE)
    expect_match(format(label), title, fixed = TRUE)
    epsilon <- case$job$epsilon
    total <- label$epsilon$total[["add-remove"]]
    if (definition$kind == "censored") {
      expect_equal(total, epsilon, tolerance = 1e-12, info = name)
    } else if (definition$kind == "scores") {
      # The noise is rounded up to whole units, and delta has a reserve
      expect_lte(total, epsilon)
      expect_gt(total, 0.999 * epsilon)
    } else if (definition$kind == "no claim") {
      expect_true(is.na(total))
    } else if (!is.null(epsilon)) {
      # What lies below the target is not above it
      expect_lte(total, 1.1 * epsilon)
    }
    if (definition$kind != "censored" || !name %in% with_margin) next
    margin <- margin_histogram(c(10, 2e6), share = 0.25)
    job <- case_job(name, case, margin = margin, neighbours = "replace")
    total <- guarantee(job)$epsilon$total
    expect_equal(total[["replace"]], epsilon, tolerance = 1e-12)
    expect_equal(total[["add-remove"]], epsilon / 2, tolerance = 1e-12)
    expect_equal(guarantee(job$synthetic)$label, definition$label)
  }
})

test_that("comparisons release every mechanism that needs no fit", {
  cases <- cases_with("release")
  for (name in names(cases)) {
    case <- cases[[name]]
    job <- new_job(
      log(income) ~ age + earner, privacy_data(), gaussian(), list(),
      "add-remove", 5, FALSE
    )
    noise <- mechanisms()[[name]]$kind == "histogram"
    job <- assign_mechanism(
      job, make_mechanism(name, case$settings), case$job$epsilon,
      margin = if (noise) margin_histogram(c(10, 2e6))
    )
    found <- count_fits(made <- definition_of(job$mechanism)$release(job, 2))
    expect_null(found$error)
    expect_identical(found$fits, 0)
    for (set in as.list(made$sets)) {
      expect_setequal(names(set), c("income", "age", "earner"))
    }
    expect_identical(made$label$label, mechanisms()[[name]]$label)
    if (noise) {
      expect_equal(
        made$label$epsilon$total[["add-remove"]], case$job$epsilon
      )
    }
  }
})

# Audits -----------------------------------------------------------------------

case_audit <- function(name, case, part, formula, data, family, ...) {
  settings <- changed(case$settings, as.list(case$grid))
  settings <- changed(settings, as.list(case[[part]]))
  definition <- mechanisms()[[name]]
  # Weighted-e and the scalar take one, too: large enough to leave records
  epsilon <- if (definition$kind == "censored") {
    2
  } else if ("epsilon" %in% names(definition$needs)) {
    8
  }
  audit_guarantee(
    formula, data, family, make_mechanism(name, settings), epsilon,
    replacements = by_night(8, 2), ...
  )
}

test_that("the exact audit's loss stays within a strict label", {
  beta <- worst_case_data("clusters", by_night(20, 12))
  counts <- data.frame(y = c(rep(0, 9), 1, 1, 40))
  cases <- cases_with("grid")
  for (name in names(cases)) {
    definition <- mechanisms()[[name]]
    case <- cases[[name]]
    audits <- list(case_audit(
      name, case, "grid", y ~ 1, beta, beta_response(c(0, 1)),
      cells = by_night(2000, 900)
    ))
    # By day of those alone that promise something
    if (is_nightly() || definition$label == "strict") {
      audits[[2]] <- case_audit(
        name, case, "counts", y ~ 1, counts, poisson(),
        cells = by_night(801, 301), prior = prior_normal(intercept = c(0, 2))
      )
    }
    for (audit in audits) {
      expect_identical(audit$mechanism, name)
      for (neighbours in relation_names) {
        worst <- worst_of(audit, neighbours)
        if (definition$label == "strict") {
          expect_lte(worst$loss, worst$claim * (1 + 1e-9))
          expect_lte(worst$delta, 1e-9)
          # An audit that sees nothing shows nothing
          expect_gt(worst$loss, 0.1)
        } else {
          expect_gt(worst$loss_bulk, 0, label = name)
        }
      }
    }
    if (definition$label == "strict") {
      expect_equal(worst_of(audits[[1]])$claim, 2, info = name)
      expect_equal(worst_of(audits[[1]], "replace")$claim, 4, info = name)
    }
  }
})

test_that("an audit says which mechanisms it can do", {
  file <- skewed_file(10)
  for (name in setdiff(names(mechanisms()), names(mechanisms_with("grid")))) {
    error <- expect_error(
      beta_audit(file, name, 1),
      class = "pseudosynth_error_input"
    )
    expect_match(conditionMessage(error), "censor_uw")
  }
  expect_error(
    beta_audit(file, mechanism("risk", radius = 0.2)), "censor_uw",
    class = "pseudosynth_error_input"
  )
})

test_that("an audit takes a mechanism's name and settings, too", {
  file <- skewed_file(10)
  run <- function(...) {
    beta_audit(file, ..., cells = 900, remove = 1, replacements = 0)$worst
  }
  expect_identical(
    run("cw", radius = 0.3, shift = 0.1),
    run(mechanism("cw", radius = 0.3, shift = 0.1))
  )
  # Solved for, as in a job
  expect_equal(run("lw", 2)$claim, 2, tolerance = 0.03)
})
