test_that("the papers' words and ours are one", {
  words <- c(
    "LW" = "lw", "LW_final" = "lw_final", "CW" = "cw", "CW_final" = "cw_final",
    "Weighted-e" = "weighted_e", "Weighted_e" = "weighted_e",
    "Censor_uw" = "censor_uw", "Censor_w" = "censor_w", "SW" = "scalar",
    "EMweighted" = "scalar", "Weights_V" = "risk", "two-stage" = "two_stage",
    "DPweighted" = "lw", "Weighted" = "lw", "Countweighted" = "cw",
    "Weights_S" = "scalar", "Unweighted" = "unweighted",
    "Centred" = "centred"
  )
  for (word in names(words)) {
    expect_identical(find_mechanism(word, "stages")$name, words[[word]])
  }
})

test_that("the papers' letters are told in our words", {
  fit <- unweighted_fit()
  tries <- list(
    function() mechanism("lw", c = 0.5),
    function() mechanism("lw_final", c = 0.5),
    function() mechanism("cw", radius = 0.2, c = 0.5),
    function() mechanism("cw_final", radius = 0.2, c = 0.5),
    function() mechanism("weighted_e", c = 1),
    function() mechanism("censor_w", c = 1),
    function() lipschitz_weights(fit, c = 0.5),
    function() count_weights(fit, radius = 0.2, c = 0.5),
    function() scale_weights(lw_fit()$privacy_weights, c = 0.5)
  )
  for (try in tries) {
    expect_error(try(), "`scale`", class = "pseudosynth_error_input")
  }
  expect_error(
    lipschitz_weights(fit, g = 0.5), "`shift`",
    class = "pseudosynth_error_input"
  )
  expect_error(
    lipschitz_weights(fit, bad = 0.5), "`bad`",
    class = "pseudosynth_error_input"
  )
  expect_identical(find_mechanism("PH", "release")$name, "perturbed_histogram")
})

test_that("a word that is none is refused with what is near to it", {
  refused <- function(word, match) {
    error <- expect_error(
      find_mechanism(word, "stages"),
      class = "pseudosynth_error_input"
    )
    expect_match(conditionMessage(error), match)
  }
  refused("strict", "is a label.*choose .*centred")
  refused("asymptotic", "is a label.*choose .*lw")
  refused("lw_fnal", "Did you mean \"lw_final\"")
  refused("topcode", "It is \"topcode\"")
  # Bytes that are no text in this session
  refused("K\xf6ln", "known encoding")
  # Two audits know it and a fit does not
  refused("public_scalar", "It is")
})

test_that("a known pattern of a mechanism is names of columns", {
  for (known in list(1, NA_character_, factor("age"), list("age"))) {
    for (name in c("cw", "cw_final", "risk")) {
      error <- expect_error(
        mechanism(name, radius = 0.2, known = known),
        class = "pseudosynth_error_input"
      )
      expect_identical(error$arg, "known")
    }
  }
})

test_that("names in figures come from the list, others stay as they are", {
  expect_identical(
    mechanism_shorts(c("lw", "a stage", "centred")),
    c("LW", "a stage", "Centred")
  )
  colours <- release_colours(mechanism_shorts(c("unweighted", "a stage", "lw")))
  expect_named(colours, c("Unweighted", "a stage", "LW"))
  expect_identical(anyDuplicated(colours), 0L)
})

test_that("the help page has a row for each mechanism with its settings", {
  rows <- strsplit(mechanism_table(), "\n")[[1]]
  offered <- mechanisms_with("stages")
  expect_length(rows, length(offered) + 2)
  row <- rows[grepl("`\"two_stage\"`", rows, fixed = TRUE)]
  expect_match(row, "strict")
  expect_match(row, paste0(
    "`weight_range`, `first_share = 0.2`, `reference = NULL`, ",
    "`window = NULL`"
  ))
})

test_that("mechanism() takes the settings of the definition and no others", {
  lw <- mechanism("LW", scale = 0.5)
  expect_equal(
    lw$settings, modifyList(mechanisms()$lw$settings, list(scale = 0.5))
  )
  # What is NULL is not stated
  expect_identical(mechanism("lw", scale = NULL), mechanism("lw"))
  refused <- function(code, arg, match) {
    error <- expect_error(code, match, class = "pseudosynth_error_input")
    expect_identical(error$arg, arg)
  }
  refused(mechanism(), "name", "must be given")
  refused(mechanism("lw_fnal"), "name", "lw_final")
  refused(mechanism(lw), "name", "string")
  refused(mechanism("lw", window = 2), "window", "argument of .*centred")
  refused(mechanism("lw", bounds = c(0, 1)), "bounds", "Unused")
  refused(mechanism("lw", 0.5), "...", "named")
  refused(mechanism("lw", scale = 1, scale = 2), "scale", "once")
  empty <- formals(function(scale) scale) # a place with nothing in it
  refused(do.call(mechanism, c("lw", empty)), "...", "must have values")
  refused(mechanism("lw", , scale = 1), "...", "must have values")
  refused(mechanism("cw"), "radius", "needs `radius`")
  refused(mechanism("cw", radius = 20), "radius", "share of the true value")
  refused(mechanism("two_stage", weight_range = 1:2, window = 1), "window",
    "needs a `reference`"
  )
})

test_that("a setting is checked as the argument of the same name is", {
  fit <- unweighted_fit()
  said <- function(code) {
    error <- expect_error(code, class = "pseudosynth_error_input")
    strsplit(conditionMessage(error), "\n")[[1]]
  }
  pairs <- list(
    scale = list(-1, function(x) lipschitz_weights(fit, scale = x)),
    shift = list("a", function(x) lipschitz_weights(fit, shift = x)),
    map = list("cubic", function(x) lipschitz_weights(fit, map = x)),
    quantile = list(2, function(x) truncate_draws(fit, quantile = x)),
    tolerance = list(0, function(x) solve_weights(fit, 1, tolerance = x)),
    max_refits = list(0, function(x) solve_weights(fit, 1, max_refits = x))
  )
  for (name in names(pairs)) {
    given <- stats::setNames(pairs[[name]][1], name)
    expect_identical(
      said(do.call(mechanism, c("lw", given))),
      said(pairs[[name]][[2]](given[[1]]))
    )
  }
})

test_that("attributes of a setting go no further", {
  marked <- structure(0.5, names = "SECRET", note = "SECRET")
  expect_identical(
    mechanism("lw", scale = marked), mechanism("lw", scale = 0.5)
  )
  clip <- structure(c(1, 2), note = "SECRET")
  expect_identical(
    mechanism("score", clip = clip), mechanism("score", clip = c(1, 2))
  )
})
