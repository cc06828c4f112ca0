test_that("amounts that a set has no record of have finite numbers", {
  data <- home_persons(60)
  data$wage <- withr::with_seed(4, ifelse(
    data$work, round(exp(rnorm(nrow(data), 8))), 0
  ))
  book <- confirm_codebook(edit_codebook(
    draft_codebook(data), home = "id", wage = list(upper = 1e6)
  ))
  plan <- file_plan(data, book, unit = "home", members = home_members(8))
  release <- home_release(plan, 1, seed = 3)
  expect_named(release$amounts, "wage")
  for (amount in release$amounts) {
    parts <- amount[c("coefficients", "covariance", "draws", "file")]
    expect_true(all(is.finite(unlist(parts))))
  }
})

test_that("a plan says what stands for other values of members", {
  data <- data.frame(
    home = rep(1:40, each = 2), st = rep_len(c("w", "u", "x"), 80)
  )
  book <- codebook(data.frame(
    column = c("home", "st"), type = c("id", "category"),
    levels = c("", "w|u"), outside = c(NA, "u")
  ))
  plan <- file_plan(data, book, unit = "home", members = members(~st, 2))
  expect_match(printed(plan), "records of st as u", fixed = TRUE)
  expect_error(
    file_plan(data, book, unit = "home",
      members = members(~st, 2, person = "who")
    ), "`person`", fixed = TRUE, class = input_error
  )
})

test_that("a plan of members gives the members back, numbered anew", {
  data <- home_persons()
  plan <- home_plan(data, home_members(4))
  found <- decode_file(plan)
  expect_identical(names(found), names(data))
  expect_identical(found$home, sort(found$home))
  expect_identical(
    vapply(found[-1], typeof, ""), vapply(data[-1], typeof, "")
  )
  # The same households, whatever their numbers are
  texts <- function(x) {
    rows <- do.call(paste, lapply(x[-1], as.character))
    sort(unname(vapply(split(rows, x$home), function(own) {
      toString(sort(own))
    }, "")))
  }
  expect_identical(texts(found), texts(data))
  expect_identical(plan$n_records, length(unique(data$home)))
  expect_true(all(plan$members$slot %in% 0:4))
})

test_that("numbers of any type, and rows in any order, give the same plan", {
  data <- home_persons(40)
  plan <- home_plan(data)
  number <- match(data$home, unique(data$home))
  kinds <- list(factor(data$home), number + 2^40)
  for (own in by_night(kinds, kinds[1])) {
    other <- home_plan(replace(data, "home", list(own)))
    expect_identical(other$codes, plan$codes)
  }
  # Within households the order of rows is nothing
  mixed <- withr::with_seed(1, data[order(number, runif(nrow(data))), ])
  expect_identical(home_plan(mixed)$codes, plan$codes)
  sorted <- function(codes) {
    sort(apply(codes, 1, paste, collapse = " "))
  }
  mixed <- withr::with_seed(1, data[sample(nrow(data)), ])
  expect_identical(sorted(home_plan(mixed)$codes), sorted(plan$codes))
})

test_that("each household of a set is one, in every form", {
  release <- home_release()
  sets <- synthesize(release, m = 2)
  for (set in sets$sets) expect_households(set)
  expect_equal(max(sets$sets[[1]]$home), round(release$block$n))
  expect_households(as.data.frame(sets, set = 2))
  both <- as.data.frame(sets)
  for (k in 1:2) expect_households(both[both$set == k, -1])
  # In another order of households
  expect_false(identical(both$home, as.data.frame(sets)$home))
  expect_households(synthesize(release, n = 60)[[1]])
  drawn <- synthesize(release, m = 2, uncertainty = TRUE)
  for (set in drawn$sets) expect_households(set)
})

test_that("a list of sets knows whose numbers households have", {
  data <- home_persons(40)
  sets <- synthesize(home_release(home_plan(data)), m = 2)
  # A number that the file has, too
  data$home <- match(data$home, unique(data$home))
  expect_identical(attr(as.list(sets), "unit"), "home")
  expect_identical(
    replicated_uniques(as.list(sets), data), replicated_uniques(sets, data)
  )
})

test_that("unique households are counted by all their members together", {
  data <- home_persons(60)
  sets <- suppressWarnings(synthesize_file(home_plan(data, home_members(4))))
  keys <- c("region", "age", "sex", "work")
  found <- replicated_uniques(sets, data, keys, households = TRUE)
  homes <- function(x) {
    text <- do.call(paste, lapply(x[keys], as.character))
    tapply(text, x$home, function(own) toString(sort(own)))
  }
  alone <- function(x) names(which(table(x) == 1))
  own <- homes(data)
  set <- homes(sets[[1]])
  expect_equal(found$unique_file, length(alone(own)))
  expect_equal(found$unique_set, length(alone(set)))
  expect_equal(found$in_file, sum(alone(set) %in% own))
  both <- intersect(alone(own), alone(set))
  expect_equal(found$replicated, length(both))
  expect_identical(
    attr(found, "rows")[[1]],
    which(data$home %in% names(own)[own %in% both])
  )
  # More than persons who are unique
  expect_gt(found$unique_file, replicated_uniques(sets, data, keys)$unique_file)
  # Order of rows, of the file or of members, is nothing
  mixed <- data[rev(seq_len(nrow(data))), ]
  again <- replicated_uniques(sets, mixed, keys, households = TRUE)
  expect_equal(again$replicated, found$replicated)
  expect_error(
    replicated_uniques(as.data.frame(sets), data, keys, households = TRUE),
    class = "pseudosynth_error_input"
  )
})

test_that("sizes are counted, and are a column where the file has one", {
  data <- home_persons()
  data$size <- as.integer(ave(seq_along(data$home), data$home, FUN = length))
  plan <- home_plan(data, home_members(3, size = "size"))
  set <- synthesize(home_release(plan))[[1]]
  expect_identical(set$size, tabulate(set$home)[set$home])
  expect_identical(class(set$size), "integer")
  expect_error(
    home_plan(replace(data, "size", 2L), home_members(3, size = "size")),
    class = "pseudosynth_error_input"
  )
})

test_that("one slot, twelve slots, and all columns the household's but one", {
  data <- home_persons(80)
  one <- synthesize(home_release(home_plan(data, home_members(1))))[[1]]
  expect_identical(one$home, seq_len(nrow(one)))
  twelve <- home_plan(data[c("home", "region", "age")], home_members(12))
  set <- synthesize(home_release(twelve, 10))[[1]]
  expect_true(all(diff(set$home) %in% 0:1))
  expect_gt(max(tabulate(set$home)), 1)
  few <- home_plan(data[c("home", "region", "age")])
  expect_identical(few$members$columns, "age")
})

test_that("rules hold for every member, and across members", {
  data <- home_persons()
  rules <- list(
    ~ !work | age != "0-19", ~ any_member(age != "0-19"),
    ~ n_members(age == "0-19") <= 1, ~ member(1)$age != "0-19",
    ~ region == "north" | n_members() < 4
  )
  data$age[duplicated(paste(data$home, data$age)) & data$age == "0-19"] <-
    "20-59"
  plan <- home_plan(data, rules = rules)
  expect_match(printed(plan), "n_members(age == \"0-19\") <= 1", fixed = TRUE)
  set <- synthesize(home_release(plan, 1))[[1]]
  child <- set$age == "0-19"
  expect_false(any(set$work & child))
  expect_true(all(tapply(child, set$home, sum) <= 1))
  expect_false(any(child & !duplicated(set$home)))
  # Records that break a rule are those of the file
  data$age[1:2] <- "0-19"
  data$home[1:2] <- "alone"
  data$region[1:2] <- "north"
  error <- expect_error(
    home_plan(data, rules = ~ member(1)$age != "0-19"),
    class = "pseudosynth_error_rule"
  )
  expect_identical(error$rows, 1:2)
  expect_match(conditionMessage(error), "member(1)$age", fixed = TRUE)
  wrong <- list(
    ~ member(4)$age == "60+", ~ any_member(region == "n"), ~ any_member(),
    ~ member(x)$age == "60+", ~ member()$age == "60+", ~ member(1) == "60+",
    ~ member(1.5)$age == "60+", ~ any_member(home == "a"), ~ members > 1,
    ~ n_members(age == "60+", work) > 0, ~ any_member(any_member(work))
  )
  data <- home_persons(20)
  for (rule in by_night(wrong, wrong[c(1, 4, 7)])) {
    expect_error(
      home_plan(data, rules = rule), class = "pseudosynth_error_input"
    )
  }
})

test_that("a member is compared with another one", {
  data <- home_persons(40)
  data$sex[sequence(rle(data$home)$lengths) == 2] <- "f"
  data$age[!duplicated(data$home)] <- "60+"
  data$sex[!duplicated(data$home)] <- "m"
  plan <- home_plan(data, members(~ -age + sex, 2, "region"), rules = list(
    ~ member(2)$age <= member(1)$age,
    ~ member(1)$sex != member(2)$sex | member(2)$age == "60+"
  ))
  # Whoever has a second member; whoever has none is excused
  forbidden <- vapply(plan$rules, function(rule) nrow(rule$forbidden), 1L)
  texts <- vapply(plan$rules, `[[`, "", "text")
  own <- match("member(2)$age <= member(1)$age", texts)
  expect_identical(forbidden[own], 3L)
  own <- grep("member(1)$sex", texts, fixed = TRUE)
  expect_identical(forbidden[own], 4L)
})

test_that("amounts are in order, missing ones last, and no way around rules", {
  data <- home_persons(60)[c("home", "region", "sex", "age")]
  data$income <- withr::with_seed(2, round(stats::rlnorm(nrow(data), 9)))
  data$income[data$age == "0-19"] <- 0
  data$sex[data$income == 0] <- "f"
  data$income[c(1, 5, 9)] <- NA
  data$sex[1:20] <- NA
  data$age <- as.Date("2000-01-01") - 10 * seq_len(nrow(data))
  book <- suppressMessages(confirm_codebook(edit_codebook(
    draft_codebook(data),
    home = list(type = "id"), sex = list(missing = TRUE),
    age = list(type = "date", lower = "1900-02-15", upper = "2000-12-31"),
    income = list(lower = 1, upper = 1e6, zero = TRUE)
  )))
  planned <- function(columns) {
    kept <- as.data.frame(book)$column %in% columns
    suppressMessages(file_plan(data[columns],
      codebook(as.data.frame(book)[kept, ]),
      unit = "home", members = members(~ -income, 3, "region"),
      rules = ~ sex == "f" | is.na(income) | income > 0
    ))
  }
  sorted <- function(set) {
    own <- split(set$income, set$home)
    identical(own, lapply(own, sort, decreasing = TRUE, na.last = TRUE))
  }
  found <- decode_file(planned(names(data)))
  expect_true(all(found$age %in% data$age))
  expect_s3_class(found$age, "Date")
  expect_true(sorted(found))
  release <- home_release(planned(setdiff(names(data), "age")))
  set <- synthesize(release)[[1]]
  expect_true(sorted(set))
  expect_true(anyNA(set$sex))
  expect_false(any(set$sex == "m" & set$income == 0, na.rm = TRUE))
  # Slots exist as a whole
  codes <- draw_block(release$block, 1, 200, c(1, 2))[[1]]
  colnames(codes) <- names(release$levels)
  for (name in c("sex", "income")) {
    for (k in 2:3) {
      column <- paste0(name, ".", k)
      level <- release$levels[[column]][codes[, column]]
      none <- level %in% c("no such member", "code -1")
      expect_identical(none, unname(codes[, "members"]) < k)
    }
  }
})

# Bad input --------------------------------------------------------------------

test_that("what is no file of households is refused before anything is paid", {
  data <- home_persons(30)
  refused <- function(data, rows, ...) {
    error <- expect_error(
      home_plan(data, ...), class = "pseudosynth_error_members"
    )
    expect_identical(error$rows, rows)
    expect_no_match(conditionMessage(error), "SECRET", fixed = TRUE)
  }
  # Without a household
  for (none in c(NA, "")) {
    other <- data
    other$home[3] <- none
    refused(other, 3L)
  }
  # A column that members do not share
  at <- which(duplicated(data$home))[1]
  other <- data
  other$region[at] <- setdiff(c("north", "south"), other$region[at])
  error <- expect_error(home_plan(other), class = "pseudosynth_error_members")
  expect_true(all(error$rows %in% which(data$home == data$home[at])))
  # A person twice
  data$person <- seq_len(nrow(data))
  other <- data
  other$person[2] <- 1L
  book <- function(data, ...) {
    suppressMessages(confirm_codebook(edit_codebook(
      draft_codebook(data), home = list(type = "id", ...),
      person = list(type = "id")
    )))
  }
  planned <- function(data, ...) {
    suppressMessages(file_plan(data, book(data, ...),
      unit = "home", members = home_members(person = "person")
    ))
  }
  expect_s3_class(planned(data), "file_plan")
  error <- expect_error(planned(other), class = "pseudosynth_error_members")
  expect_identical(error$rows, 1:2)
  # More records than the codebook says
  expect_error(
    planned(data, records = 2), class = "pseudosynth_error_members"
  )
})

test_that("arguments that do not fit are refused with the line that works", {
  data <- home_persons(20)
  book <- draft_codebook(data)
  input <- "pseudosynth_error_input"
  expect_error(file_plan(data, book, members = home_members()), class = input)
  expect_error(home_plan(data, publish = "region"), class = input)
  expect_error(home_plan(data, survey_weights = "sex"), class = input)
  for (own in list(
    list(), members(~region, 2, "region"), members(~zz, 2),
    home_members(household = "zz"), home_members(size = "zz"),
    home_members(person = "sex"), home_members(person = "zz")
  )) {
    expect_error(home_plan(data, own), class = input)
  }
  named <- stats::setNames(data, c("home", "region", "age", "age.1", "work"))
  expect_error(home_plan(named), class = input)
  for (order in list(~ age * sex, ~1, y ~ age, "age", NULL)) {
    expect_error(members(order, 2), class = input)
  }
  for (slots in list(0, 21, 2.5, "a", NULL, c(1, 2))) {
    expect_error(members(~age, slots), class = input)
  }
  expect_error(members(~age, 2, household = 1), class = input)
  expect_error(members(~age, 2, size = 1), class = input)
  expect_error(members(~age), class = input)
  expect_match(printed(members(~ -age, 2)), "age, descending", fixed = TRUE)
})

test_that("members beyond the slots are counted for the agency alone", {
  data <- home_persons()
  beyond <- sum(pmax(table(data$home) - 2, 0))
  book <- suppressMessages(confirm_codebook(edit_codebook(
    draft_codebook(data), home = "id"
  )))
  expect_message(
    plan <- file_plan(data, book, unit = "home", members = home_members(2)),
    class = "pseudosynth_message_members"
  )
  expect_equal(plan$members$beyond, beyond)
  expect_match(printed(plan), paste(beyond, "members"), fixed = TRUE)
  release <- home_release(plan)
  expect_null(release$members$beyond)
  expect_null(release$members$file)
  expect_null(release$members$home)
  expect_no_match(printed(release), "left out  ", fixed = TRUE)
})

# Guarantee --------------------------------------------------------------------

test_that("a household more moves the noisy sums alone, within their bound", {
  plan <- home_plan(home_persons(60), home_members(2))
  for (neighbours in by_night(relation_names, relation_names[1])) {
    release <- home_release(plan, neighbours = neighbours, seed = 1)
    audit <- audit_guarantee(
      release, plan, rows = by_night(500, 100), replays = by_night(12, 4),
      seed = 2
    )
    expect_true(all(audit$replays$over == "" & audit$replays$differs == ""))
    expect_true(all(audit$replays$moved <= audit$replays$allowed))
    expect_true(all(audit$replays$moved > 0))
  }
})

test_that("a reviewer sees the household of a record of the file", {
  data <- home_persons(30)
  plan <- home_plan(data)
  release <- home_release(plan)
  i <- which(data$home == data$home[nrow(data)])
  shown <- lapply(i, function(i) record_vectors(release, plan, i))
  expect_identical(shown[[1]]$vectors, shown[[length(i)]]$vectors)
  expect_identical(shown[[1]]$records, length(i))
  first <- record_vectors(release, plan, 1)
  expect_false(identical(first$vectors, shown[[1]]$vectors))
  # Its number of members is the file's
  counted <- as.vector(shown[[1]]$vectors$members)
  other <- as.vector(first$vectors$members)
  sizes <- c(length(i), sum(data$home == data$home[1]))
  expect_identical(identical(counted, other), sizes[1] == sizes[2])
  expect_error(
    record_vectors(release, plan, nrow(data) + 1),
    paste("has", nrow(data), "records"), class = "pseudosynth_error_input"
  )
  # Members in another order are another plan
  other <- home_plan(data, members(~ age + sex, 3, "region"))
  expect_error(
    audit_guarantee(release, other), class = "pseudosynth_error_input"
  )
  expect_error(
    record_vectors(release, other, 1), class = "pseudosynth_error_input"
  )
})

test_that("one household more is one record more, whatever it is like", {
  data <- home_persons(60)
  codes <- home_plan(data)$codes
  far <- data.frame(
    home = "far", region = "north", age = data$age[rep(1, 90)], sex = "m",
    work = TRUE
  )
  more <- home_plan(rbind(far, data))$codes
  expect_identical(more[-1, ], codes)
  # Its first three members of 90 count
  expect_true(all(more[1, ] > 0))
  # The file's books, levels and slots do not follow it
  one <- home_plan(data)
  two <- home_plan(rbind(data, far))
  for (part in c("levels", "codebook", "schema", "rules", "table")) {
    expect_identical(two[[part]], one[[part]])
  }
  expect_identical(
    two$members[c("slot", "columns", "persons")],
    one$members[c("slot", "columns", "persons")]
  )
})

test_that("weights that were scaled by all households are refused", {
  data <- home_persons(60)
  weight <- withr::with_seed(1, stats::rlnorm(60))
  planned <- function(weight, ...) {
    data$w <- weight[match(data$home, unique(data$home))]
    data$inc <- withr::with_seed(1, round(stats::rlnorm(nrow(data), 8)))
    # A bound of 1, of another column, confirms nothing
    book <- suppressMessages(confirm_codebook(edit_codebook(
      draft_codebook(data), home = "id",
      w = list(lower = 0.001, upper = 1000, digits = "any", transform = "log"),
      inc = list(lower = 1, upper = 1e6, transform = "log")
    )))
    suppressMessages(file_plan(data, book,
      unit = "home", survey_weights = "w",
      members = home_members(household = c("region", "w")), ...
    ))
  }
  public <- "pseudosynth_error_public_ends"
  expect_error(planned(weight / mean(weight)), class = public)
  expect_s3_class(planned(weight / mean(weight), confirmed = 1), "file_plan")
  expect_s3_class(planned(2 * weight), "file_plan")
})

test_that("numbers of units that may have lost digits are refused", {
  data <- home_persons(30)
  # As read.csv() reads numbers of 19 digits
  data$home <- 2^60 + match(data$home, data$home)
  error <- expect_error(home_plan(data), class = "pseudosynth_error_input")
  expect_identical(error$rows, seq_len(nrow(data)))
  book <- confirm_codebook(edit_codebook(
    draft_codebook(data), home = list(type = "id", records = 99)
  ))
  expect_error(
    file_plan(data, book, unit = "home"), "2^53", fixed = TRUE,
    class = "pseudosynth_error_input"
  )
})

test_that("nothing of the file's households is in what leaves", {
  data <- home_persons()
  release <- home_release(home_plan(data))
  sets <- synthesize(release)
  for (x in list(release, sets, guarantee(sets))) {
    bytes <- rawToChar(replace(
      all <- serialize(x, NULL), all == as.raw(0), as.raw(32)
    ))
    expect_no_match(bytes, "SECRETHOME", fixed = TRUE, useBytes = TRUE)
  }
  folder <- withr::local_tempdir()
  release(sets, file.path(folder, "sets"), data = data)
  release(release, file.path(folder, "object"), data = data)
  text <- readLines(file.path(folder, "sets", "certificate.txt"))
  text <- paste(text, collapse = " ")
  expect_match(text, "one home, with all its members", fixed = TRUE)
  expect_match(text, "one household with all its members is left out")
  book <- utils::read.csv(file.path(folder, "sets", "codebook.csv"))
  expect_identical(book$column, names(data))
  expect_match(book$label[1], "numbered anew", fixed = TRUE)
  expect_households(utils::read.csv(
    file.path(folder, "sets", "set-1.csv"), stringsAsFactors = TRUE
  ))
})

test_that("an edited release or plan of members has no label", {
  plan <- home_plan(home_persons(40))
  release <- home_release(plan)
  edited <- release
  edited$members$slots <- 2
  expect_identical(guarantee(edited)$label, "none")
  plan$members$slots <- 2
  expect_error(file_release(plan, 1), class = "pseudosynth_error_edited")
  sets <- synthesize(release)
  sets$unit <- NULL
  expect_identical(guarantee(sets)$label, "none")
})

test_that("a ledger counts a household's records for releases of records", {
  data <- home_persons(60)
  open <- function() {
    ledger(withr::local_tempfile(.local_envir = parent.frame(2)), 50, 1e-5)
  }
  book <- open()
  error <- expect_error(
    home_release(home_plan(data), ledger = book),
    class = "pseudosynth_error_input"
  )
  expect_match(conditionMessage(error), "records = 12", fixed = TRUE)
  expect_identical(nrow(as.data.frame(book)), 0L)
  plan <- home_plan(data, records = list(records = 6))
  release <- home_release(plan, 1, ledger = book)
  synthesize(release, ledger = book)
  entries <- as.data.frame(book)
  expect_identical(unique(entries$unit), "home")
  # The columns of the file, not those of wide records
  expect_match(entries$synthetic, "region, age, sex, work", fixed = TRUE)
  spent <- entries$spent[2]
  records <- suppressWarnings(file_plan(data, plan$members$persons$codebook))
  suppressWarnings(file_release(records, 1, ledger = book))
  # For six records, not for one
  expect_gt(utils::tail(as.data.frame(book)$spent, 1), spent + 3)
})

test_that("what does not know households refuses them", {
  plan <- home_plan(home_persons(40))
  expect_error(cleared_tables(plan), class = "pseudosynth_error_input")
  expect_error(
    file_plan(home_persons(40), plan$members$persons$codebook,
      unit = "home", members = home_members(), publish = "region"
    ), class = "pseudosynth_error_input"
  )
})

test_that("weights are the household's, and designs know its members", {
  skip_unless_nightly()
  skip_if_not_installed("survey")
  data <- home_persons(80)
  weight <- withr::with_seed(1, round(stats::runif(9999, 100, 900)))
  data$w <- weight[match(data$home, unique(data$home))]
  book <- suppressMessages(confirm_codebook(edit_codebook(
    draft_codebook(data), home = "id",
    w = list(
      type = "amount", lower = 50, upper = 1000, transform = "log",
      digits = 0
    )
  )))
  plan <- suppressMessages(file_plan(data, book,
    unit = "home", survey_weights = "w",
    members = home_members(household = c("region", "w"))
  ))
  sets <- synthesize(home_release(plan), m = 2, uncertainty = TRUE)
  set <- sets[[1]]
  expect_identical(set$w, set$w[match(set$home, set$home)])
  design <- survey_design(sets)$designs[[1]]
  expect_identical(nrow(unique(design$cluster)), max(set$home))
  expect_error(
    rake_weights(sets, data.frame(sex = c("f", "m"), total = c(9, 9))),
    "households"
  )
})

test_that("parts that are written have numbers of their own", {
  release <- home_release(home_plan(home_persons(60)))
  local_replaced("part_records", 50)
  folder <- file.path(withr::local_tempdir(), "sets")
  written <- synthesize(release, n = 120, into = folder)
  parts <- lapply(
    file.path(folder, written$table$file), utils::read.csv
  )
  expect_gt(length(parts), 1)
  all <- do.call(rbind, parts)
  expect_identical(sort(unique(all$home)), 1:120)
  expect_equal(written$n_records, nrow(all))
  expect_identical(rle(all$home)$lengths, tabulate(all$home))
})

# Rules of amounts -------------------------------------------------------------

# The oldest first, and an amount of 0 to 10 million
amount_plan <- function(rules = NULL, data = amount_persons(), ...) {
  inc <- utils::modifyList(
    list(
      type = "amount", lower = 0, upper = 1e7, digits = 0,
      transform = "identity"
    ), list(...)
  )
  book <- suppressMessages(confirm_codebook(edit_codebook(
    draft_codebook(data), home = "id", inc = inc
  )))
  suppressMessages(file_plan(data, book,
    unit = "home", members = members(~ -inc, 3, "region"), rules = rules
  ))
}

amount_persons <- function() {
  data <- home_persons(40)
  data$inc <- withr::with_seed(1, round(stats::rlnorm(nrow(data), 10)))
  data
}

test_that("a rule across members states no number of the file's persons", {
  data <- amount_persons()
  # One of a member beyond the slots, who is in no wide record
  place <- ave(-data$inc, data$home, FUN = rank)
  for (own in c(max(data$inc), data$inc[place > 3][1])) {
    rules <- list(
      bquote(member(2)$inc <= .(own)), bquote(any_member(inc <= .(own))),
      bquote(member(1)$inc >= -.(own)), bquote(n_members(inc > .(own)) < 9),
      bquote(sex == "m" | n_members() < 9 | member(1)$inc < .(own))
    )
    for (rule in by_night(rules, rules[1:2])) {
      expect_error(
        amount_plan(rule), class = "pseudosynth_error_public_ends"
      )
    }
  }
  expect_s3_class(amount_plan(~ member(2)$inc <= 9e6), "file_plan")
  # What is confirmed passes
  plan <- amount_plan()
  own <- max(data$inc)
  expect_s3_class(suppressMessages(file_plan(
    data, plan$members$persons$codebook, unit = "home",
    members = members(~ -inc, 3, "region"), confirmed = own,
    rules = bquote(member(2)$inc <= .(own))
  )), "file_plan")
})

test_that("conditions on members ask no values, and the line said works", {
  rules <- list(
    ~ region == "north" | any_member(inc >= 18 & sex == "m"),
    ~ n_members(18 <= inc) >= 1, ~ any_member(inc >= 18)
  )
  for (rule in by_night(rules, rules[1])) {
    error <- expect_error(amount_plan(rule), class = "pseudosynth_error_rule")
    expect_no_match(conditionMessage(error), "inc.2", fixed = TRUE)
  }
  error <- expect_error(amount_plan(~ any_member(inc >= 18)))
  expect_match(conditionMessage(error), "member(1)$inc >= 18", fixed = TRUE)
  data <- amount_persons()
  expect_s3_class(amount_plan(~ member(1)$inc >= 18), "file_plan")
  data$inc[data$home == data$home[1]] <- 2
  error <- expect_error(
    amount_plan(~ member(1)$inc >= 18, data), class = "pseudosynth_error_rule"
  )
  expect_identical(error$rows, which(data$home == data$home[1]))
  # Parts are levels
  plan <- amount_plan(
    ~ any_member(inc == 0) | n_members(part(inc) == "value") > 0,
    zero = TRUE
  )
  expect_s3_class(plan, "file_plan")
})

test_that("errors speak of members, not of wide columns", {
  rules <- list(
    ~ member(2)$inc > member(1)$inc, ~ member(1)$inc + member(2)$inc > 3,
    ~ member(1)$inc > 5 & member(2)$inc > 7
  )
  for (rule in by_night(rules, rules[1])) {
    error <- expect_error(amount_plan(rule), class = "pseudosynth_error_rule")
    expect_match(conditionMessage(error), "member(2)$inc", fixed = TRUE)
    expect_no_match(conditionMessage(error), "inc.[123]")
  }
  own <- list(slots = 2, columns = c("a", "a.1"))
  expect_identical(
    pseudosynth:::spoken_members("\"a.1\", a.1.2, xa.1, a.12, a.2.", own),
    "member(1)$a, member(2)$a.1, xa.1, a.12, member(2)$a."
  )
})

test_that("a member that is none excuses within a condition, too", {
  data <- home_persons(30)
  data <- data[!duplicated(data$home), ]
  rule <- ~ !any_member(sex == "m" & member(2)$sex != "f")
  expect_s3_class(home_plan(data, rules = rule), "file_plan")
  # But no member that there is
  data <- rbind(data, data[1, ])
  data$sex[data$home == data$home[1]] <- "m"
  error <- expect_error(
    home_plan(data, rules = rule), class = "pseudosynth_error_rule"
  )
  expect_identical(error$rows, c(1L, nrow(data)))
})

test_that("rules that name no member by number are refused as such", {
  rules <- list(
    ~ member(region)$inc > 2, ~ member(1e10)$inc > 2, ~ member("a")$inc > 2,
    ~ member(1L + 1L)$inc < 9, ~ member(1)$inc(2) > 2, ~ member(1)[["inc"]] > 2
  )
  for (rule in by_night(rules, rules[1:2])) {
    expect_no_warning(expect_error(
      amount_plan(rule), class = "pseudosynth_error_input"
    ))
  }
})

test_that("what members() made is taken whole, or not at all", {
  data <- home_persons(20)
  fields <- list(
    list(note = data), list(order = c(age = NA)), list(slots = 50L),
    list(slot = 1L)
  )
  for (field in fields) {
    edited <- home_members()
    edited[names(field)] <- field
    expect_error(home_plan(data, edited), class = "pseudosynth_error_edited")
  }
  edited <- structure(home_members(), note = data)
  expect_error(home_plan(data, edited), class = "pseudosynth_error_edited")
  # Nothing rides on an argument
  carry <- function(x) structure(x, note = "SECRET")
  own <- members(~ -age, carry(3), carry("region"), carry("s"), carry("p"))
  expect_identical(
    own, members(~ -age, 3, "region", size = "s", person = "p")
  )
})

test_that("no member has a code that every amount and date leaves free", {
  data <- amount_persons()
  kept <- function(...) decode_file(amount_plan(data = data, ...))$inc
  first <- kept()
  if (is_nightly()) expect_identical(kept(lower = -1e15), first)
  expect_identical(
    kept(lower = -1e15, upper = 1e15, codes = c(none = "-2e15")), first
  )
  data$inc <- as.Date("2000-01-01") + seq_len(nrow(data))
  dated <- function(...) {
    amount_plan(data = data, type = "date", digits = NULL, ...)
  }
  found <- decode_file(dated(lower = "0000-01-01", upper = "2020-12-31"))
  expect_true(all(found$inc %in% data$inc))
  error <- expect_error(
    dated(lower = "0000-01-01", upper = "9999-12-31"),
    class = "pseudosynth_error_input"
  )
  expect_no_match(conditionMessage(error), "inc.2", fixed = TRUE)
})

test_that("dates and times in rules are as public as numbers", {
  data <- home_persons(40)
  days <- as.Date("2000-01-05") + seq_len(nrow(data))
  times <- as.POSIXct(days, tz = "UTC") + 4271
  for (born in by_night(list(days, times), list(times))) {
    data$born <- born
    timed <- inherits(born, "POSIXct")
    ends <- c("1990-01-01", "2020-12-31")
    if (timed) ends <- paste(ends, "00:00:01")
    book <- suppressMessages(confirm_codebook(edit_codebook(
      draft_codebook(data), home = "id", born = list(
        type = if (timed) "datetime" else "date",
        lower = ends[1], upper = ends[2]
      )
    )))
    own <- format(max(born), if (timed) "%Y-%m-%d %H:%M:%S" else "%Y-%m-%d")
    planned <- function(rule, ...) {
      suppressMessages(file_plan(data, book, rules = rule, ...))
    }
    across <- function(rule, ...) {
      planned(rule, unit = "home", members = members(~ -born, 2), ...)
    }
    class <- "pseudosynth_error_public_ends"
    rule <- bquote(sex == "m" | born <= .(own))
    expect_error(planned(rule), class = class)
    expect_s3_class(planned(rule, confirmed = own), "file_plan")
    rule <- bquote(member(1)$sex == "m" | member(1)$born <= .(own))
    expect_error(across(rule), class = class)
    expect_s3_class(across(rule, confirmed = own), "file_plan")
  }
})

test_that("a rule may be a household's flag alone, but no number of a member", {
  data <- data.frame(
    home = rep(1:50, each = 2), age = rep(1:5, 20), owner = TRUE
  )
  book <- codebook(data.frame(
    column = names(data), type = c("id", "ordered", "logical"),
    levels = c(NA, "1|2|3|4|5", NA)
  ))
  planned <- function(rule) {
    file_plan(data, book, unit = "home", rules = rule,
      members = members(~age, slots = 2, household = "owner")
    )
  }
  expect_identical(planned("owner")$n_records, 50L)
  expect_identical(planned("owner")$rules, planned(~owner)$rules)
  for (rule in c("member(2)$age", "age", "member(1)$age | owner")) {
    expect_error(
      planned(rule), "true or false", class = "pseudosynth_error_input"
    )
  }
})
