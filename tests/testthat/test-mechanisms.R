test_that("the papers' words and ours are one", {
  words <- c(
    "LW" = "lw", "LW_final" = "lw_final", "CW" = "cw", "CW_final" = "cw_final",
    "Weighted-e" = "weighted_e", "Weighted_e" = "weighted_e",
    "Censor_uw" = "censor_uw", "Censor_w" = "censor_w", "SW" = "scalar",
    "EMweighted" = "scalar", "Weights_V" = "risk", "two-stage" = "two_stage",
    "Centred" = "centred"
  )
  for (word in names(words)) {
    expect_identical(find_mechanism(word, "stages")$name, words[[word]])
  }
})

test_that("a word that is none is refused with what is near to it", {
  refused <- function(word, match) {
    error <- expect_error(
      find_mechanism(word, "stages"),
      class = "pseudosynth_error_input"
    )
    expect_match(conditionMessage(error), match)
  }
  refused("strict", "is a label, which .*centred.* can carry")
  refused("asymptotic", "is a label, which .*lw")
  refused("lw_fnal", "Did you mean \"lw_final\"")
  refused("topcode", "It is \"topcode\"")
  # Two audits know it and a fit does not
  refused("public_scalar", "It is")
  expect_identical(find_mechanism("public_scalar", "grid")$kind, "clipped")
})

test_that("names in figures come from the list, others stay as they are", {
  expect_identical(
    mechanism_shorts(c("lw", "a stage", "centred")),
    c("LW", "a stage", "Centred")
  )
  colours <- mechanism_colours(c("unweighted", "a stage", "lw"))
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
