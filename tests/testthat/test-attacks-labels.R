# Ways to obtain a label stronger than the truth. Each attack is a function of a
# scene that tries one; it must end in the outcome that it stands under:
#
#   refused  a classed error
#   weak     a label that is not strict
#   true     a strict label that charges for all that was spent
#   stated   a strict label that rests on a false statement of the user, which
#            the package cannot know to be false: the label repeats it

scene_data <- function(seed, n = 50) {
  data.frame(y = withr::with_seed(seed, stats::rbeta(n, 0.5, 3)))
}

fit_scene <- function(data, ..., formula = y ~ 1, family = beta_response(0:1),
                      draws = 300, seed = 1,
                      control = sampler_control(min_ess = 50)) {
  suppressWarnings(
    fit_synthesizer(
      formula, data, family, ...,
      chains = 2, warmup = 200, draws = draws, seed = seed,
      control = control
    ),
    classes = "pseudosynth_warning_convergence"
  )
}

# A file, an unweighted fit of it, weights from it, a clipped fit and what was
# made of that. `clip()` is the honest way to a label.
scene <- function() {
  remember("attack_scene", local({
    data <- scene_data(1)
    plain <- fit_scene(data)
    strict <- fit_scene(data, censor = censor(5))
    margin <- perturbed_histogram(y ~ 1, data,
      bounds = 0:1, bins = 10, epsilon = 0.5
    )
    syn <- synthesize(strict, 2, margin = margin)
    list(
      data = data, other = scene_data(2), plain = plain, strict = strict,
      lw = lipschitz_weights(plain),
      history = lipschitz_weights(fit_scene(scene_data(2))),
      margin = margin, syn = syn,
      job = as_pseudo_posterior(syn, list(censored = strict), margin),
      clip = function(weights, rule = censor(5)) {
        quietly(update(plain, privacy_weights = weights, censor = rule))
      }
    )
  }))
}

quietly <- function(expr) {
  suppressWarnings(expr, classes = "pseudosynth_warning_convergence")
}

edit <- function(x, ...) {
  x[...names()] <- list(...)
  x
}

reread <- function(x) {
  path <- withr::local_tempfile()
  saveRDS(x, path)
  readRDS(path)
}

label_reached <- function(x) {
  if (inherits(x, "privacy_guarantee")) x else guarantee(x)
}

# What a label says where it is read: of an edited one the text counts
said <- function(label) {
  paste(c(capture.output(print(label)), format(label)), collapse = " ")
}

expect_attacks <- function(attacks, outcome, pattern = NULL) {
  s <- scene()
  for (name in names(attacks)) {
    reached <- tryCatch(attacks[[name]](s), error = identity)
    if (outcome == "refused") {
      expect_s3_class(reached, "pseudosynth_error")
      if (!inherits(reached, "pseudosynth_error")) fail(name)
      next
    }
    if (inherits(reached, "error")) {
      fail(paste0(name, ": ", conditionMessage(reached)))
      next
    }
    # What was broken so that it has no label is refused: weak, too
    label <- tryCatch(
      label_reached(reached),
      pseudosynth_error_edited = identity
    )
    if (inherits(label, "error")) {
      expect_identical(outcome, "weak", info = name)
      next
    }
    if (outcome == "weak") {
      expect_false(grepl("strict", said(label), fixed = TRUE), info = name)
      if (!inherits(reached, "privacy_guarantee")) {
        expect_false(label$label == "strict", info = name)
      }
    } else {
      expect_identical(label$label, "strict", info = name)
      if (outcome == "stated") {
        text <- paste(c(label$reasons, label$public_inputs), collapse = " ")
        expect_match(text, pattern[[name]], info = name)
      }
    }
  }
  length(attacks)
}

test_that("honest ways end in the labels that they deserve", {
  s <- scene()
  expect_identical(guarantee(s$plain)$label, "none")
  expect_identical(guarantee(s$strict)$label, "strict")
  expect_identical(guarantee(s$clip(s$lw))$label, "asymptotic")
  expect_identical(guarantee(s$clip(public_scalar(0.5)))$label, "strict")
  expect_identical(
    guarantee(s$clip(predict(freeze(s$history), s$data)))$label, "strict"
  )
  expect_equal(guarantee(s$syn)$epsilon$total[["add-remove"]], 10.5)
  for (x in s[c("strict", "syn", "job", "margin")]) {
    expect_identical(guarantee(reread(x)), guarantee(x))
  }
  expect_identical(
    as.double(predict(reread(freeze(s$history)), s$data)),
    as.double(predict(freeze(s$history), s$data))
  )
})

# Weights ----------------------------------------------------------------------

test_that("weights of the file cannot be laundered", {
  arithmetic <- list(
    `pmin()` = function(w) pmin(w, 0.9),
    `pmax()` = function(w) pmax(w, 0.1),
    `as.numeric()` = function(w) as.numeric(w),
    `c()` = function(w) c(w[1:10], w[11:50]),
    `ifelse()` = function(w) ifelse(w > 0.5, w, 0.5),
    `replace()` = function(w) replace(w, 1, 0.5),
    `[<-` = function(w) {
      w[3] <- 0.2
      w
    },
    `Reduce()` = function(w) Reduce(pmin, list(w, rep(0.9, 50), w)),
    `mapply()` = function(w) mapply(function(x) x, w),
    `vapply()` = function(w) vapply(w, function(x) x / 2, 0),
    `Map()` = function(w) unlist(Map(function(x) x, w)),
    `rev() twice` = function(w) rev(rev(w)),
    `sort()` = function(w) sort(w),
    `round()` = function(w) round(w, 1),
    `mean()` = function(w) mean(w),
    `max(), one number` = function(w) max(w),
    `w[1], one number` = function(w) w[[1]],
    `data frame column` = function(w) data.frame(w = w)$w,
    `transform()` = function(w) transform(data.frame(w = w), w = w * 0.9)$w,
    `within()` = function(w) within(data.frame(w = w), v <- w)$v,
    `rank()` = function(w) rank(w) / length(w),
    `times a scalar` = function(w) public_scalar(1) * w
  )
  attacks <- lapply(arithmetic, function(launder) {
    function(s) s$clip(launder(s$lw))
  })
  expect_gte(expect_attacks(attacks, "weak"), 20)
})

test_that("attributes of weights cannot be exchanged", {
  public <- function(s) predict(freeze(public_scalar(0.5)), s$data)
  expect_attacks(list(
    `scheme renamed` = function(s) {
      s$clip(structure(s$lw, scheme = "public_scalar"))
    },
    `marks of the file taken off` = function(s) {
      s$clip(structure(s$lw, made_from = character()))
    },
    `attributes of public weights` = function(s) {
      w <- as.double(s$lw)
      attributes(w) <- attributes(public(s))
      s$clip(w)
    },
    `attributes of frozen weights` = function(s) {
      w <- as.double(s$lw)
      attributes(w) <- attributes(predict(freeze(s$history), s$data))
      s$clip(w)
    },
    `digest of other weights` = function(s) {
      w <- structure(s$lw, made_from = character(), scheme = "frozen")
      attr(w, "digest") <- attr(public(s), "digest")
      s$clip(w)
    },
    `values in place of public ones` = function(s) {
      w <- unclass(public(s))
      w[] <- as.double(s$lw)
      s$clip(structure(w, class = c("privacy_weights", "numeric")))
    },
    `mostattributes<-` = function(s) {
      w <- as.double(s$lw)
      mostattributes(w) <- attributes(public(s))
      s$clip(w)
    },
    `a floor edited` = function(s) {
      w <- count_weights("y", s$data, radius = 0.1)
      attr(w, "arguments")$shift <- 0.9
      s$clip(w)
    },
    `factors of a floor edited` = function(s) {
      w <- count_weights("y", s$data, radius = 0.1, scale = 0.5, shift = 0.4)
      attr(w, "arguments") <- lapply(attr(w, "arguments"), function(x) 1)
      s$clip(w)
    },
    `charges of a first stage edited` = function(s) {
      w <- quietly(two_stage_weights(s$plain, 0.5, c(1, 6)))
      attr(w, "arguments")$epsilon0 <- 0
      s$clip(w)
    },
    `saved, read, edited` = function(s) {
      w <- reread(predict(freeze(s$history), s$data))
      w[1:50] <- as.double(s$lw)
      s$clip(w)
    },
    `class put on numbers` = function(s) {
      s$clip(structure(
        as.double(s$lw),
        scheme = "public_scalar", class = c("privacy_weights", "numeric")
      ))
    }
  ), "weak")
  expect_attacks(list(
    `a scalar of another value` = function(s) {
      w <- public_scalar(0.5)
      s$clip(`attributes<-`(mean(s$lw), attributes(w)))
    },
    `arguments of a scalar` = function(s) {
      s$clip(structure(public_scalar(0.5), arguments = list(alpha = 0.1)))
    },
    `two public scalars` = function(s) public_scalar(c(0.5, 0.6)),
    `weights as a public scalar` = function(s) public_scalar(s$lw),
    `weights as text` = function(s) s$clip(as.character(s$lw)),
    `weights as a list` = function(s) s$clip(as.list(s$lw)),
    `weights of another file` = function(s) s$clip(s$history),
    `frozen weights of other records` = function(s) {
      s$clip(predict(freeze(s$history), s$other))
    },
    `frozen weights shuffled` = function(s) {
      s$clip(predict(freeze(s$history), s$data[50:1, , drop = FALSE]))
    }
  ), "refused")
})

test_that("schemes of schemes keep what they were made from", {
  expect_attacks(list(
    scaled = function(s) s$clip(scale_weights(s$lw, 0.5)),
    `scaled to almost a constant` = function(s) {
      s$clip(scale_weights(s$lw, 1e-9, 0.5))
    },
    combined = function(s) {
      s$clip(combine_weights(s$lw, public_scalar(0.5)))
    },
    `numbers combined with public ones` = function(s) {
      s$clip(combine_weights(as.double(s$lw), public_scalar(1)))
    },
    `a floor beside weights of the file` = function(s) {
      floor <- count_weights("y", s$data,
        radius = 0.1, scale = 0.4, shift = 0.5
      )
      s$clip(combine_weights(floor, s$lw))
    },
    `re-weighted` = function(s) {
      fit <- update(s$plain, privacy_weights = public_scalar(0.9), seed = 2)
      s$clip(reweight(fit, k = 0.95, seed = 3)$privacy_weights)
    },
    `truncated from public ones` = function(s) {
      fit <- update(s$plain, privacy_weights = public_scalar(0.9), seed = 2)
      s$clip(truncate_weights(fit, 1.9 * fit$bound$overall))
    },
    `frozen on its own file` = function(s) {
      s$clip(predict(freeze(s$lw), s$data))
    },
    `frozen, stated to be public` = function(s) {
      s$clip(predict(freeze(s$lw, "public"), s$data))
    },
    `frozen twice` = function(s) {
      once <- predict(freeze(s$lw), s$data)
      s$clip(predict(freeze(once), s$data))
    },
    `scaled after freezing` = function(s) {
      s$clip(scale_weights(predict(freeze(s$lw), s$data), 0.5))
    },
    `frozen re-weighted ones` = function(s) {
      fit <- update(s$plain, privacy_weights = public_scalar(0.9), seed = 2)
      weights <- reweight(fit, k = 0.95, seed = 3)$privacy_weights
      s$clip(predict(freeze(weights), s$data))
    },
    `a matrix of log-likelihoods` = function(s) {
      s$clip(lipschitz_weights(log_lik(s$plain)))
    }
  ), "weak")
  # Weights that are paid for are charged, and once for each first draw
  s <- scene()
  paid <- lapply(1:2, function(i) {
    quietly(two_stage_weights(s$plain, 0.5, c(1, 6)))
  })
  total <- function(...) {
    label <- guarantee(s$clip(combine_weights(...)))
    expect_identical(label$label, "strict")
    label$epsilon$total[["add-remove"]]
  }
  expect_equal(total(paid[[1]], public_scalar(0.9)), 5.5)
  expect_equal(total(paid[[1]], paid[[1]]), 5.5)
  expect_equal(total(paid[[1]], paid[[2]]), 6)
  floor <- count_weights("y", s$data, radius = 0.1, scale = 0.5, shift = 0.4)
  expect_gte(guarantee(s$clip(floor))$epsilon$total[["add-remove"]], 10)
})

# Histories --------------------------------------------------------------------

test_that("a history of the file itself is found", {
  rule_of <- function(data) freeze(lipschitz_weights(fit_scene(data)))
  from <- function(change) {
    function(s) {
      history <- data.frame(y = change(s$data$y))
      s$clip(predict(rule_of(history), s$data))
    }
  }
  changes <- list(
    shuffled = rev,
    `one record fewer` = function(y) y[-1],
    `one record changed` = function(y) replace(y, 7, 0.5),
    `a third fewer` = function(y) y[1:34],
    `half of them` = function(y) y[1:25],
    `a tenth of them` = function(y) y[1:5],
    `one record twice` = function(y) c(y, y[1]),
    `all twice` = function(y) c(y, y),
    `with as many others` = function(y) c(y, scene_data(3)$y),
    `read back from text` = function(y) as.double(sprintf("%.12g", y)),
    `noise of 1e-12` = function(y) y + 1e-12,
    `there and back by logarithms` = function(y) exp(log(y))
  )
  expect_attacks(lapply(changes, from), "weak")
  reference <- lapply(changes, function(change) {
    function(s) {
      fit <- fit_scene(data.frame(y = change(s$data$y)))
      s$clip(NULL, censor(5, reference = fit, window = 3))
    }
  })
  expect_attacks(reference, "refused")
})

test_that("rules, references and clips cannot be edited", {
  expect_attacks(list(
    `history called public` = function(s) {
      predict(edit(freeze(s$history), history = "public"), s$data)
    },
    `marks taken off a rule` = function(s) {
      rule <- freeze(s$lw)
      rule$node$made_from <- character()
      rule$node$basis$history <- NULL
      predict(rule, s$data)
    },
    `a rule of public weights with others inside` = function(s) {
      predict(edit(freeze(public_scalar(1)), node = freeze(s$lw)$node), s$data)
    },
    `saved rule edited` = function(s) {
      rule <- reread(freeze(s$history))
      rule$node$basis$history <- NULL
      predict(rule, s$data)
    },
    `reference of the file, marks taken off` = function(s) {
      rule <- censor(5, reference = s$plain, window = 3)
      rule$reference$rows <- rule$reference$fingerprint <- NULL
      s$clip(NULL, rule)
    },
    `the same, put into another rule` = function(s) {
      reference <- censor(5, reference = s$plain, window = 3)$reference
      reference$rows <- reference$fingerprint <- NULL
      s$clip(NULL, censor(5, reference = reference, window = 3))
    },
    `reference called public` = function(s) {
      rule <- censor(5, reference = s$plain, window = 3)
      rule$reference$origin <- "public"
      s$clip(NULL, rule)
    },
    `ends of an interval exchanged` = function(s) {
      s$clip(NULL, edit(censor(5), lower = 2.5, upper = -2.5))
    },
    `a wider interval at the same epsilon` = function(s) {
      s$clip(NULL, edit(censor(1), lower = -50, upper = 50))
    },
    `an interval that costs more than epsilon` = function(s) {
      censor(1, lower = -5, upper = 5)
    },
    `a window without a reference` = function(s) censor(1, window = 2),
    `a list in place of a rule` = function(s) {
      s$clip(NULL, list(lower = -1, upper = 1, epsilon = 0.1))
    }
  ), "refused")
})

test_that("a fit of the file with other data put in tells nothing", {
  expect_attacks(list(
    `as a reference` = function(s) {
      decoy <- edit(s$plain, data = s$other)
      decoy$spec$y <- s$other$y
      s$clip(NULL, censor(5, reference = decoy, window = 3))
    }
  ), "refused")
  expect_attacks(list(
    `as a rule` = function(s) {
      decoy <- edit(s$plain, data = s$other)
      s$clip(predict(freeze(lipschitz_weights(decoy)), s$data))
    },
    `with its bound` = function(s) {
      decoy <- edit(s$plain, data = s$other)
      decoy$id <- fit_scene(s$other)$id
      s$clip(predict(freeze(lipschitz_weights(decoy), "public"), s$data))
    }
  ), "weak")
})

# Fits -------------------------------------------------------------------------

test_that("an edited fit has no label, nor has what is drawn from it", {
  edits <- list(
    `a clip put on` = function(s) edit(s$plain, censor = s$strict$censor),
    `a narrower clip` = function(s) edit(s$strict, censor = censor(0.1)),
    `an end of the clip` = function(s) {
      s$strict$censor$lower <- 0
      s$strict
    },
    `weights taken off` = function(s) {
      fit <- s$clip(s$lw)
      fit["privacy_weights"] <- list(NULL)
      fit
    },
    `public weights put on` = function(s) {
      edit(s$clip(s$lw), privacy_weights = public_scalar(0.5))
    },
    `one weight, which takes the class off` = function(s) {
      fit <- s$clip(s$lw)
      fit$privacy_weights[3] <- 0.1
      fit
    },
    `draws of another fit` = function(s) edit(s$strict, draws = s$plain$draws),
    `draws chosen` = function(s) {
      edit(s$strict, draws = s$strict$draws[1:10, , drop = FALSE])
    },
    `called converged` = function(s) {
      fit <- quietly(fit_scene(s$data, censor = censor(5), draws = 8))
      edit(fit, converged = TRUE)
    },
    `all draws called kept` = function(s) {
      edit(truncate_draws(s$strict, 0.9), quantile = 1, dropped = 0L)
    },
    `a prior called proper` = function(s) {
      edit(s$strict, prior = prior_normal())
    },
    `weights of the specification` = function(s) {
      s$strict$spec$alpha <- as.double(s$lw)
      s$strict
    },
    `records of the specification` = function(s) {
      s$strict$spec$y <- s$other$y
      s$strict
    },
    `the data` = function(s) edit(s$strict, data = s$other),
    `the seed forgotten` = function(s) {
      edit(fit_scene(s$data, censor = censor(5), seed = 1), seed_given = FALSE)
    },
    `another identity` = function(s) edit(s$strict, id = s$plain$id),
    `the seal of another fit` = function(s) {
      structure(
        edit(s$strict, draws = s$plain$draws),
        seal = attr(s$plain, "seal")
      )
    },
    `the seal taken off` = function(s) structure(s$strict, seal = NULL),
    `saved, read, edited` = function(s) {
      edit(reread(s$strict), bound = s$plain$bound)
    },
    `family` = function(s) edit(s$strict, family = gaussian())
  )
  expect_attacks(edits, "weak")
  drawn <- lapply(edits, function(make) {
    function(s) synthesize(make(s), allow_unconverged = TRUE)
  })
  expect_attacks(drawn[setdiff(names(drawn), "family")], "weak")
  expect_attacks(lapply(edits, function(make) {
    function(s) update(make(s))
  }), "refused")
})

test_that("levels, rounding and bounds of a response are not edited in", {
  s <- scene()
  data <- data.frame(
    y = ifelse(s$data$y > 0.1, "rich", "poor"), x = s$other$y
  )
  read <- fit_scene(data, censor = censor(5), family = bernoulli())
  expect_identical(guarantee(read)$label, "asymptotic")
  levels <- public_response(levels = c("poor", "rich"))
  stated <- fit_scene(
    data,
    censor = censor(5), family = bernoulli(), response = levels
  )
  expect_identical(guarantee(stated)$label, "strict")
  expect_attacks(list(
    `levels put in` = function(s) edit(read, response = stated$response),
    `their rounding` = function(s) {
      fit <- s$strict
      fit$response$digits <- 3L
      fit
    },
    `rounding put in, then drawn` = function(s) {
      fit <- s$strict
      fit$response$stated <- public_response(digits = 3)
      synthesize(fit)
    }
  ), "weak")
  expect_attacks(list(
    `levels put in, then fitted again` = function(s) {
      update(edit(read, response = stated$response))
    },
    `levels that are not the file's` = function(s) {
      fit_scene(
        data,
        censor = censor(5), family = bernoulli(),
        response = public_response(levels = c("a", "b"))
      )
    }
  ), "refused")
})

test_that("chains of updates and truncations keep what they lost", {
  expect_attacks(list(
    `draws dropped` = function(s) truncate_draws(s$strict, 0.9),
    `draws dropped, then fitted again` = function(s) {
      quietly(update(truncate_draws(s$strict, 0.9)))
    },
    `fitted with fewer draws kept` = function(s) {
      quietly(update(s$strict, quantile = 0.9))
    },
    `weights kept` = function(s) quietly(update(s$clip(s$lw), seed = 1)),
    `clip taken off` = function(s) update(s$strict, censor = NULL),
    `weights and clip taken off` = function(s) {
      update(s$clip(s$lw), privacy_weights = NULL, censor = NULL)
    },
    `clip put on weights of the file` = function(s) {
      fit <- update(s$plain, privacy_weights = s$lw, seed = 2)
      quietly(update(fit, censor = censor(0.01)))
    },
    `not converged, drawn all the same` = function(s) {
      fit <- quietly(fit_scene(s$data, censor = censor(5), draws = 8))
      synthesize(fit, allow_unconverged = TRUE)
    }
  ), "weak")
  expect_attacks(list(
    `an edited fit truncated` = function(s) {
      truncate_draws(edit(s$plain, censor = censor(1)), 0.9)
    },
    `fewer draws than none` = function(s) guarantee(s$strict, m = 0),
    `half a draw` = function(s) guarantee(s$strict, m = 0.5),
    `draws without a number` = function(s) guarantee(s$strict, m = NA),
    `more sets than draws` = function(s) synthesize(s$strict, 1e4),
    `fewer sets than drawn` = function(s) guarantee(s$syn, m = 1),
    `an argument that nothing takes` = function(s) {
      guarantee(s$strict, epsilon = 0.1)
    }
  ), "refused")
})

# Histograms -------------------------------------------------------------------

test_that("no label is had by lowering what counts as converged", {
  # A chain of 10 draws, R-hat 1.2 and 5 of them effective
  lowered <- function(...) {
    function(s) {
      data <- transform(s$data, x = rep(c("a", "b"), 25))
      quietly(fit_synthesizer(
        y ~ x, data, beta_response(0:1),
        censor = censor(5), prior = prior_normal(1, c(0, 2)), chains = 1,
        warmup = 30, draws = 10, seed = 1,
        control = sampler_control("nuts", ...)
      ))
    }
  }
  attacks <- list(
    `all gates` = lowered(max_rhat = 1e9, min_ess = 1e-9, max_divergent = 1),
    `max_rhat` = lowered(max_rhat = 10, min_ess = 1e-9),
    `min_ess` = lowered(max_rhat = 1.5, min_ess = 5),
    `released` = function(s) {
      fit <- lowered(max_rhat = 10, min_ess = 1)(s)
      synthesize(fit, allow_unconverged = TRUE)
    },
    `divergent` = function(s) {
      quietly(update(
        lowered()(s),
        control = sampler_control("surrogate", max_divergent = 0.5),
        chains = 2, warmup = 300, draws = 500
      ))
    }
  )
  expect_attacks(attacks, "weak")
  expect_true(lowered(max_rhat = 10, min_ess = 1)(scene())$converged)
})

test_that("an edited histogram has no label, nor what it is the margin of", {
  edits <- list(
    epsilon = function(s) edit(s$margin, epsilon = 0.01),
    neighbours = function(s) edit(s$margin, neighbours = "replace"),
    `counts of the file` = function(s) {
      counts <- tabulate(findInterval(s$data$y, s$margin$breaks), 10)
      edit(s$margin, noisy = counts, counts = counts)
    },
    `noise called discrete` = function(s) {
      edit(
        perturbed_histogram(
          y ~ 1, s$data,
          bounds = 0:1, epsilon = 1, noise = "continuous"
        ),
        noise = "discrete"
      )
    },
    `the seed forgotten` = function(s) {
      edit(
        perturbed_histogram(y ~ 1, s$data,
          bounds = 0:1, epsilon = 1, seed = 1
        ),
        reproducible = FALSE
      )
    },
    `identity of another` = function(s) {
      again <- perturbed_histogram(y ~ 1, s$data, bounds = 0:1, epsilon = 0.5)
      edit(again, id = s$margin$id)
    },
    `saved, read, edited` = function(s) edit(reread(s$margin), epsilon = 1e-6)
  )
  expect_attacks(edits, "weak")
  expect_attacks(lapply(edits, function(make) {
    function(s) synthesize(make(s))
  }), "weak")
  expect_attacks(lapply(edits, function(make) {
    function(s) synthesize(s$strict, margin = make(s))
  }), "weak")
  expect_attacks(list(
    `bounds that are the data's range` = function(s) {
      perturbed_histogram(y ~ 1, s$data, bounds = range(s$data$y), epsilon = 1)
    },
    `no epsilon` = function(s) {
      perturbed_histogram(y ~ 1, s$data, bounds = 0:1, epsilon = 0)
    },
    `the file published beside a histogram of a vector` = function(s) {
      h <- perturbed_histogram(s$data$y, bounds = 0:1, epsilon = 1)
      synthesize(h, newdata = s$data)
    },
    `a margin of another response` = function(s) {
      h <- perturbed_histogram(log(y) ~ 1, s$data,
        bounds = c(0.001, 1), epsilon = 1
      )
      synthesize(s$strict, margin = h)
    }
  ), "refused")
})

test_that("a margin of another file or epsilon is paid in full", {
  s <- scene()
  other <- perturbed_histogram(y ~ 1, s$other, bounds = 0:1, epsilon = 0.7)
  label <- guarantee(synthesize(s$strict, 3, margin = other))
  expect_equal(label$epsilon$total[["add-remove"]], 15.7)
  continuous <- perturbed_histogram(y ~ 1, s$data,
    bounds = 0:1, epsilon = 1, noise = "continuous"
  )
  expect_identical(
    guarantee(synthesize(s$strict, margin = continuous))$label, "none"
  )
  # An unweighted fit is not made better by a strict margin
  expect_identical(
    guarantee(synthesize(s$plain, margin = s$margin))$label, "none"
  )
})

# Sets, jobs, labels -----------------------------------------------------------

test_that("edited sets, jobs and labels claim nothing", {
  plain <- function(s) synthesize(s$plain, 2)
  expect_attacks(list(
    `a label renamed` = function(s) {
      edit(guarantee(s$plain), label = "strict", holds = TRUE)
    },
    `the label of other sets` = function(s) {
      edit(plain(s), guarantee = guarantee(s$syn))
    },
    `values of the file in a set` = function(s) {
      s$syn$sets[[1]]$y <- s$data$y
      s$syn
    },
    `sets of an unclipped fit` = function(s) {
      edit(s$syn, sets = plain(s)$sets)
    },
    `a set more` = function(s) {
      edit(s$syn, sets = c(s$syn$sets, plain(s)$sets), m = 4L)
    },
    `epsilon of a label` = function(s) {
      label <- guarantee(s$syn)
      label$epsilon$total[] <- 0.1
      label
    },
    `charges of a label` = function(s) {
      label <- guarantee(s$syn)
      label$charges <- label$charges[0, ]
      label
    },
    `reasons of a label` = function(s) {
      edit(guarantee(s$syn), reasons = "Proven.")
    },
    `a label's seed forgotten` = function(s) {
      fit <- fit_scene(s$data, censor = censor(5), seed = 1)
      edit(guarantee(fit), reproducible = FALSE)
    },
    `a saved label edited` = function(s) {
      edit(reread(guarantee(s$clip(s$lw))), label = "strict")
    },
    `a job's label` = function(s) {
      s$job$internal$label <- guarantee(s$strict)
      s$job
    },
    `a job's sets` = function(s) edit(s$job, synthetic = plain(s)),
    `a job's figures` = function(s) {
      s$job$internal$label$epsilon$total[] <- 0.1
      s$job
    }
  ), "weak")
  expect_attacks(list(
    `a job of another fit` = function(s) {
      cheap <- fit_scene(s$data, censor = censor(0.5))
      as_pseudo_posterior(s$syn, list(a = cheap), s$margin)
    },
    `a job without its margin` = function(s) {
      as_pseudo_posterior(s$syn, list(a = s$strict))
    },
    `a job with another margin` = function(s) {
      again <- perturbed_histogram(y ~ 1, s$data, bounds = 0:1, epsilon = 0.1)
      as_pseudo_posterior(s$syn, list(a = s$strict), again)
    },
    `a job of an edited fit` = function(s) {
      as_pseudo_posterior(
        s$syn, list(a = edit(s$strict, censor = censor(0.1))), s$margin
      )
    },
    `a job's sets counted anew` = function(s) guarantee(s$job, m = 1),
    `a label of anything` = function(s) guarantee(list(label = "strict")),
    `a label of a file` = function(s) guarantee(s$data)
  ), "refused")
  # A job's table is made again from its fits
  job <- scene()$job
  job$stages$epsilon_add_remove <- 0.001
  job$internal$fits$censored$censor$lower <- 0
  expect_no_match(said(summary(job)$guarantee), "0.001", fixed = TRUE)
  expect_identical(summary(job)$stages$label, "none")
  # What is written tells the same
  skip_if_not_installed("jsonlite")
  label <- edit(guarantee(scene()$plain), label = "strict", holds = TRUE)
  expect_no_match(to_json(label), "strict", fixed = TRUE)
})

test_that("the response is not published beside synthetic values", {
  s <- scene()
  data <- data.frame(y = s$data$y, x = s$other$y)
  fit <- fit_scene(
    data,
    formula = y ~ x, censor = censor(5), prior = prior_normal(),
    draws = 1000, control = sampler_control()
  )
  expect_identical(guarantee(synthesize(fit))$label, "strict")
  # Values that both have by chance are none of it
  many <- withr::with_seed(5, data.frame(
    y = stats::rpois(300, 20), x = stats::rpois(300, 20)
  ))
  expect_no_error(check_not_copied(many$y, many["x"]))
  expect_no_error(check_not_copied(0:299, data.frame(x = many$x %% 2)))
  copied <- list(
    `in place of a predictor` = function(d) transform(d, x = y),
    `in another order` = function(d) transform(d, x = y)[50:1, ],
    `with a record more` = function(d) transform(d, x = y)[c(1:50, 1), ],
    `as ranks` = function(d) transform(d, x = rank(y))[c(2:50, 1), ],
    `with a sign` = function(d) transform(d, x = -y)[50:1, ]
  )
  expect_attacks(lapply(copied, function(copy) {
    function(s) synthesize(fit, newdata = copy(data))
  }), "refused")
  # Without the response no record is paired with another's value: such rows are
  # the user's own, and release() finds them distinct
  for (x in list(rev(data$y), data$y[1:20])) {
    set <- synthesize(fit, newdata = data.frame(x = x))
    expect_error(
      check_none_distinct(set, character()),
      class = "pseudosynth_error_distinct_column"
    )
  }
})

test_that("models fitted elsewhere are never strict", {
  log_lik_of <- function(s) log_lik(s$plain)
  external <- function(s, ...) {
    external_fit(log_lik_of(s), converged = TRUE, ...)
  }
  expect_attacks(list(
    `said to be converged` = function(s) external(s),
    `public weights` = function(s) {
      external(s, privacy_weights = public_scalar(0.5))
    },
    `a clip put on` = function(s) {
      edit(external(s), censor = s$strict$censor, prior = s$strict$prior)
    },
    `called a synthesizer` = function(s) {
      x <- external(s, privacy_weights = public_scalar(0.5))
      x <- edit(x, censor = s$strict$censor, prior = s$strict$prior)
      class(x) <- "synthesizer"
      x
    },
    `a smaller bound` = function(s) {
      x <- external(s, privacy_weights = public_scalar(0.5))
      x$bound$overall <- 0.01
      x
    },
    `weights said to be in it` = function(s) {
      external(s, privacy_weights = public_scalar(1e-3), weighted = TRUE)
    },
    `its weights in a clipped fit` = function(s) {
      s$clip(lipschitz_weights(external(s)))
    }
  ), "weak")
  s <- scene()
  small <- external(s, privacy_weights = public_scalar(0.5))
  small$bound$overall <- 0.01
  expect_identical(guarantee(small)$label, "none")
})

# What the user states ---------------------------------------------------------

test_that("what only the user can know is repeated by the label", {
  expect_attacks(
    list(
      `a public scalar from the file` = function(s) {
        s$clip(public_scalar(mean(s$lw)))
      },
      # Rounded: in full it is refused
      `a reference from the file` = function(s) {
        centre <- round(stats::qlogis(mean(s$data$y)), 2)
        s$clip(NULL, censor(5,
          reference = list("(Intercept)" = centre, precision = 4),
          window = 3
        ))
      },
      `a window from the file` = function(s) {
        s$clip(NULL, censor(5,
          reference = list("(Intercept)" = -1, precision = 4),
          window = 1 + max(s$data$y)
        ))
      },
      `an interval from the file` = function(s) {
        ends <- range(log_lik(s$plain))
        s$clip(NULL, censor(lower = ends[1], upper = ends[2]))
      },
      `bounds from the file` = function(s) {
        ends <- range(s$data$y) + c(-1e-3, 1e-3)
        fit_scene(s$data, censor = censor(5), family = beta_response(ends))
      },
      `a mirrored history` = function(s) {
        mirrored <- data.frame(y = 1 - s$data$y)
        rule <- freeze(lipschitz_weights(fit_scene(mirrored)))
        s$clip(predict(rule, s$data))
      },
      `synthetic records of the file as history` = function(s) {
        set <- synthesize(fit_scene(s$data, censor = censor(50)))[[1]]
        s$clip(predict(freeze(lipschitz_weights(fit_scene(set))), s$data))
      },
      `breaks of a histogram from the file` = function(s) {
        breaks <- round(stats::quantile(s$data$y, 1:4 / 5, names = FALSE), 2)
        synthesize(perturbed_histogram(y ~ 1, s$data,
          bins = c(0, breaks, 1), epsilon = 1
        ))
      }
    ), "stated",
    c(
      `a public scalar from the file` = "alpha",
      `a reference from the file` = "public values \\(Intercept\\)",
      `a window from the file` = "every weight is multiplied by",
      `an interval from the file` = "\\[-?[0-9.]+, [0-9.]+\\]",
      `bounds from the file` = "beta_response\\(",
      `a mirrored history` = "no records in common",
      `synthetic records of the file as history` =
        "no records in common",
      `breaks of a histogram from the file` = "bins of stated breaks"
    )
  )
  s <- scene()
  breaks <- stats::quantile(s$data$y, 1:4 / 5, names = FALSE)
  expect_error(
    perturbed_histogram(y ~ 1, s$data, bins = c(0, breaks, 1), epsilon = 1),
    class = "pseudosynth_error_public_ends"
  )
})
