test_that("risks are those of synthpop and sdcMicro", {
  file <- peer_file()
  sets <- peer_sets()
  risk <- risk(sets, file, peer_keys)
  known <- peer_figures()
  same <- function(ours, theirs) expect_equal(100 * ours, theirs)
  same(risk$set$disclosive_file, rep(known$attrib$Dorig, length.out = 2))
  same(risk$set$disclosive_set, known$attrib$DiS)
  same(risk$set$disclosive_right, known$attrib$DiSCO)
  same(risk$set$disclosive_both, known$attrib$DiSDiO)
  same(risk$set$attribution, known$attrib$DCAPd)
  same(risk$set$attribution_file, known$caps$CAPd)
  same(risk$set$attribution_margin, known$caps$baseCAPd)
  same(risk$set$tcap, known$caps$TCAP)
  same(risk$overall[["in_set"]], mean(known$attrib$iS))
  same(risk$overall[["unique_file"]], known$ident$UiO[1])
  same(risk$overall[["unique_in_set"]], mean(known$ident$UiOiS))
  same(risk$overall[["unique_both"]], mean(known$ident$repU))
  counts <- c("unique_file", "unique_set", "in_file", "replicated")
  expect_equal(
    unname(t(risk$uniques[risk$uniques$columns == "keys", counts])),
    unname(known$uniques)
  )
  skip_if_not_installed("synthpop")
  theirs <- peer_script()
  expect_equal(unname(theirs$uniques), unname(known$uniques))
  for (part in c("ident", "attrib", "caps")) {
    columns <- names(known[[part]])
    expect_equal(
      theirs[[part]][columns], known[[part]],
      ignore_attr = TRUE
    )
  }
})

test_that("sizes of patterns are those of sdcMicro", {
  skip_if_not_installed("sdcMicro")
  file <- peer_file()
  # It takes missing keys for any value
  keys <- c("sex", "age", "region")
  theirs <- asNamespace("sdcMicro")$freqCalc(file, match(keys, names(file)))$fk
  found <- risk(peer_sets(), file, keys, "earner")
  expect_equal(found$record$pattern_size, theirs)
  expect_equal(found$overall[["unique_file"]], mean(theirs == 1))
})

test_that("each column has the risk that it has alone", {
  file <- survey_file()
  book <- as.data.frame(draft_codebook(file))
  book$codes[[which(book$column == "income")]] <- c("no answer" = "-8")
  book$family[book$type == "count?"] <- "student_t"
  book <- confirm_codebook(codebook(book))
  release <- suppressWarnings(file_release(file_plan(file, book), 4, seed = 1))
  sets <- synthesize(release, 2, seed = 1)
  risk <- risk(sets, file, c("sex", "edu"), intervals = 5)
  expect_identical(risk$table$column, setdiff(names(file), c("sex", "edu")))
  for (name in c("smoke", "income")) {
    one <- risk(sets, file, c("sex", "edu"), name, intervals = 5)
    row <- risk$table[risk$table$column == name, ]
    for (measure in intersect(names(row), names(one$overall))) {
      expect_equal(row[[measure]], one$overall[[measure]])
    }
  }
  # By hand: missing and no answer are values, others are intervals
  valued <- !is.na(file$income) & file$income != -8
  breaks <- unique(stats::quantile(
    file$income[valued], 1:4 / 5, type = 1, names = FALSE
  ))
  class <- function(x) {
    ifelse(is.na(x), "missing", ifelse(
      x == -8, "code", findInterval(x, breaks, left.open = TRUE)
    ))
  }
  key <- function(x) paste(x$sex, x$edu)
  hit <- sapply(1:2, function(j) {
    mean(sapply(seq_len(nrow(file)), function(i) {
      near <- class(sets[[j]]$income[key(sets[[j]]) == key(file)[i]])
      if (length(near)) mean(near == class(file$income[i])) else 0
    }))
  })
  expect_equal(
    risk$set$attribution[risk$set$column == "income"], hit
  )
  expect_null(risk$identification)
  expect_identical(summary(risk), risk$set)
  expect_identical(as.data.frame(risk), risk$table)
  expect_identical(nobs(risk), nrow(file))
  expect_output(print(risk), "no row of a set belongs to a person")
  expect_output(print(risk), "for the agency only")
})

test_that("sets may have another number of records", {
  sets <- peer_sets()
  file <- peer_file()
  once <- risk(sets, file, peer_keys)$set
  sets$sets <- lapply(sets$sets, function(set) set[rep(1:400, 2), ])
  twice <- risk(sets, file, peer_keys)$set
  # The shares in a pattern are the same
  expect_equal(once$attribution, twice$attribution)
  expect_equal(once$disclosive_right, twice$disclosive_right)
})

test_that("rows that are persons are found by keys as a loop finds them", {
  file <- ce_income[1:400, c("sex", "age", "earner", "marital")]
  book <- confirm_codebook(draft_codebook(file))
  plan <- file_plan(file, book, publish = c("sex", "age"))
  sets <- synthesize(file_release(plan, 1, seed = 1), 2, seed = 1)
  keys <- c("sex", "age", "marital")
  risk <- risk(sets, file, keys)
  expect_identical(risk$table$status, "synthetic")
  text <- function(x) do.call(paste, lapply(x[keys], as.character))
  # Rows are nobody's by their place, but by what is published beside them
  expect_false(identical(sets[[1]][c("sex", "age")], file[c("sex", "age")]))
  aligned <- in_file_order(as.list(sets), file, sets$columns$name)
  for (j in 1:2) {
    expect_identical(aligned[[j]]$sex, file$sex)
    expect_identical(aligned[[j]]$age, file$age)
    own <- text(file)
    released <- text(aligned[[j]])
    close <- sapply(own, function(k) sum(released == k))
    right <- released == own
    expect_equal(
      risk$identification$expected_match_risk[j], sum((1 / close)[right])
    )
    expect_equal(
      risk$identification$true_match_rate[j], mean(right & close == 1)
    )
    expect_equal(
      risk$identification$false_match_rate[j], mean(!right[close == 1])
    )
  }
  # By published columns alone, rows are found as in the file itself
  by_both <- risk(sets, file, c("sex", "age"), "earner")$identification
  expect_equal(
    by_both$expected_match_risk, rep(nrow(unique(file[c("sex", "age")])), 2)
  )
  expect_output(print(risk), "persons expected to be found by keys")
  # A published column is told as such
  told <- risk(sets, file, "marital")
  expect_identical(
    told$table$status, c("published", "published", "synthetic")
  )
  expect_output(print(told), "known")
  # The same of rows in another order; rows of another file are nobody's
  moved <- sets
  moved$sets <- lapply(sets$sets, function(set) set[400:1, ])
  expect_identical(
    nrow(risk(moved, file, keys)$identification), 2L
  )
  moved$sets <- lapply(sets$sets, function(set) set[c(1, 1:399), ])
  expect_null(risk(moved, file, keys)$identification)
})

test_that("what is no file, no key and no column is refused", {
  sets <- peer_sets()
  file <- peer_file()
  error <- "pseudosynth_error_input"
  expect_error(risk(file, file, "sex"), class = error)
  expect_error(risk(sets, file), "at least one", class = error)
  expect_error(risk(sets, file, "nothing"), class = error)
  expect_error(risk(sets, file, "sex", "sex"), class = error)
  expect_error(risk(sets, file, peer_columns), class = error)
  expect_error(risk(sets, file, "sex", intervals = 1), class = error)
  expect_error(risk(sets, file[-1], "age"), class = error)
  expect_error(risk(sets, keys = "age"), class = error)
  expect_error(risk(sets, file, "age", "age"), class = error)
  expect_error(risk(sets, file, variables = "age"), class = error)
})

test_that("times among keys are compared as times, however they are shown", {
  day <- as.POSIXct("2019-01-01", tz = "UTC") + 86400 * rep(0:9, 20)
  file <- data.frame(time = day, h = rep(1:2, 100))
  shown <- file
  attr(shown$time, "tzone") <- "Europe/Vienna"
  book <- suppressMessages(confirm_codebook(draft_codebook(file)))
  sets <- suppressMessages(synthesize(
    file_release(file_plan(file, book), 10, seed = 1), seed = 1
  ))
  figures <- function(data) {
    found <- risk(sets, data, keys = "time", variables = "h")
    found$overall[c("in_set", "attribution")]
  }
  expect_gt(figures(file)[["in_set"]], 0.5)
  expect_identical(figures(shown), figures(file))
})

test_that("dates among keys are met in each form that a file may have", {
  day <- as.Date("2019-01-01") + rep(0:9, 20)
  file <- data.frame(time = day, h = rep(1:2, 100))
  book <- suppressMessages(confirm_codebook(draft_codebook(file)))
  sets <- suppressMessages(synthesize(
    file_release(file_plan(file, book), 10, seed = 1), seed = 1
  ))
  met <- function(sets, time) {
    file$time <- time
    risk(sets, file, keys = "time", variables = "h")$overall[["in_set"]]
  }
  expect_gt(met(sets, day), 0.9)
  text <- as.character(day)
  expect_identical(met(sets, text), met(sets, day))
  forms <- list(day, text, factor(text), as.POSIXct(text, tz = "UTC"))
  for (form in forms) {
    set <- data.frame(time = day, h = file$h)
    set$time <- form
    expect_identical(met(list(set), text), 1)
  }
  # Parts of a second are no other moment
  moment <- as.POSIXct("2019-01-01 10:00:00", tz = "UTC") + rep(0:9, 20) * 60
  pattern <- known_pattern(data.frame(time = moment + 0.4), "time")
  expect_identical(
    match_pattern(data.frame(time = moment[1:3]), pattern$table), 0:2
  )
})
