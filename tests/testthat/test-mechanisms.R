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
    function() mechanism_lw(c = 0.5), function() mechanism_lw_final(c = 0.5),
    function() mechanism_cw(0.2, c = 0.5),
    function() mechanism_cw_final(0.2, c = 0.5),
    function() mechanism_weighted_e(c = 1),
    function() mechanism_censor_w(c = 1),
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
    for (make in list(mechanism_cw, mechanism_cw_final, mechanism_risk)) {
      error <- expect_error(
        make(0.2, known = known),
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
  row <- rows[grepl("mechanism_two_stage()", rows, fixed = TRUE)]
  expect_match(row, "strict")
  expect_match(row, "`weight_range`, `first_share`, `reference`, `window`")
})

test_that("every mechanism has its constructor, exported", {
  exported <- getNamespaceExports("pseudosynth")
  for (definition in mechanisms_with("stages")) {
    name <- paste0("mechanism_", definition$name)
    expect_true(name %in% exported)
    expect_identical(formals(definition$make), formals(get(name)))
  }
})
