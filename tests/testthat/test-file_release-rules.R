rule_book_of <- function(data) {
  codebook(data.frame(
    column = names(data),
    type = ifelse(vapply(data, is.logical, NA), "logical", "category"),
    levels = vapply(data, function(x) {
      if (is.logical(x)) "" else paste(sort(unique(x)), collapse = "|")
    }, "")
  ))
}

# Children have no activity, and nobody who is not asked has an answer
household_file <- function(n, seed = 1) {
  withr::with_seed(seed, {
    age <- sample(c("child", "middle", "old"), n, TRUE, c(0.2, 0.5, 0.3))
    activity <- sample(c("works", "school", "home"), n, TRUE)
    activity[age == "child"] <- "none"
    works <- activity == "works"
    hours <- sample(c("few", "some", "many"), n, TRUE)
    hours[!works] <- "not asked"
    data.frame(
      age, activity, `at work` = works, hours, check.names = FALSE,
      sex = sample(c("m", "f"), n, TRUE)
    )
  })
}

released_rules <- function(data, epsilon, seed = 1, ...) {
  plan <- file_plan(data, rule_book_of(data), ...)
  suppressWarnings(file_release(plan, epsilon, seed = seed))
}

test_that("rules that noisy tables show are proposed as text for the plan", {
  data <- household_file(6000)
  release <- released_rules(data, 1)
  found <- release$proposed
  expect_true('~ age != "child" | activity == "none"' %in% found$rule)
  expect_true('~ activity != "works" | hours != "not asked"' %in% found$rule ||
    '~ hours != "not asked" | activity != "works"' %in% found$rule)
  expect_output(print(release), "proposed by the noisy tables, none applied")
  # As they stand they are rules of a plan, and hold in the file
  again <- released_rules(data, 1, rules = found$rule)
  expect_length(again$rules, nrow(found))
  formulas <- lapply(found$rule, stats::as.formula)
  expect_identical(
    file_plan(data, rule_book_of(data), rules = formulas)$rules,
    file_plan(data, rule_book_of(data), rules = found$rule)$rules
  )
  # What is a rule already is not proposed
  expect_false(any(again$proposed$rule %in% found$rule))
  # The release alone was read: the same numbers give the same text
  expect_identical(
    proposed_rules(
      release$block, release$levels, column_specs(release$codebook)
    ),
    found
  )
  # Sets are drawn without them
  expect_identical(release$rules, character())
})

test_that("amounts, flags and numbers are named so that a plan reads them", {
  n <- 5000
  data <- withr::with_seed(4, data.frame(
    rooms = sample(1:4, n, TRUE), owner = sample(c(TRUE, FALSE), n, TRUE),
    rent = stats::runif(n, 10, 90)
  ))
  data$rent[data$owner] <- 0
  data$rooms[data$owner & data$rooms == 1] <- 2
  book <- as.data.frame(draft_codebook(data))
  book$type <- c("category", "logical", "amount")
  book$levels <- list(c("1", "2", "3", "4"), character(), character())
  book$lower <- c(NA, NA, "0")
  book$upper <- c(NA, NA, "100")
  book$zero <- c(FALSE, FALSE, TRUE)
  book$digits <- c(NA, NA, "any")
  plan <- file_plan(data, confirm_codebook(codebook(book)))
  release <- suppressWarnings(file_release(plan, 2, seed = 3))
  expect_match(release$proposed$rule, "part(owner)", fixed = TRUE, all = FALSE)
  rules <- release$proposed$rule
  book <- confirm_codebook(codebook(book))
  expect_length(file_plan(data, book, rules = rules)$rules, length(rules))
  # Text is read as code, with its tilde and without
  expect_identical(
    file_plan(data, book, rules = "rooms > 0 | owner")$rules,
    file_plan(data, book, rules = ~ rooms > 0 | owner)$rules
  )
  expect_identical(
    file_plan(data, book, rules = "owner | !owner")$rules,
    file_plan(data, book, rules = ~ owner | !owner)$rules
  )
  bad <- list(
    "rooms >", "a ~ rooms > 2", NA_character_, "", 3, release$proposed,
    list("rooms > 0", c("owner", "owner"))
  )
  for (rule in bad) {
    expect_error(
      file_plan(data, book, rules = rule), "one-sided formulas",
      class = "pseudosynth_error_input"
    )
  }
  # A number is neither true nor false, beside what is, either
  for (rule in list("rooms", ~ rooms | owner, ~ !rooms, quote(xor(1, owner)))) {
    expect_error(
      file_plan(data, book, rules = rule), "true or false",
      class = "pseudosynth_error_input"
    )
  }
})

test_that("noise proposes no rule, and rare combinations are none", {
  # Related columns whose every combination has at least two fifths of what the
  # margins expect
  data <- withr::with_seed(2, {
    n <- 4000
    a <- sample(letters[1:4], n, TRUE)
    follow <- function(x) {
      ifelse(stats::runif(n) < 0.6, sample(letters[1:4], n, TRUE), x)
    }
    b <- follow(a)
    data.frame(a, b, c = follow(b), d = follow(a), e = sample(1:9, n, TRUE))
  })
  found <- unlist(lapply(seq_len(by_night(60, 15)), function(seed) {
    epsilon <- c(0.2, 1, 5)[1 + seed %% 3]
    released_rules(data, epsilon, seed)$proposed$rule
  }))
  expect_length(found, 0)
})

test_that("columns of members show their rules, whoever is there", {
  data <- home_persons(by_night(4000, 1500))
  plan <- home_plan(data)
  release <- home_release(plan, 10, seed = 2)
  rule <- "~ age != \"0-19\" | part(work) != \"TRUE\""
  expect_true(rule %in% release$proposed$rule)
  # Pasted into the plan it holds, of every member
  rules <- release$proposed$rule
  again <- home_release(home_plan(data, rules = rules), 10, seed = 2)
  expect_false(any(release$proposed$rule %in% again$proposed$rule))
  set <- synthesize(again, seed = 1)[[1]]
  expect_false(any(set$work[set$age == "0-19"]))
  # Where nothing is closed nothing is proposed, members that are not there
  # among others
  data$work <- withr::with_seed(2, sample(c(TRUE, FALSE), nrow(data), TRUE))
  expect_identical(
    home_release(home_plan(data), 10, seed = 1)$proposed$rule, character()
  )
})

test_that("what follows from stated rules is not proposed", {
  withr::local_seed(1)
  n <- 6000
  kid <- stats::runif(n) < 0.2
  other <- function(own, others) ifelse(kid, own, sample(others, n, TRUE))
  file <- data.frame(
    a = other("kid", c("u", "v")), b = other("none", c("x", "y", "z")),
    c = other("no", c("p", "q"))
  )
  book <- codebook(data.frame(
    column = c("a", "b", "c"), type = "category",
    levels = c("kid|u|v", "none|x|y|z", "no|p|q")
  ))
  proposed <- function(rules) {
    plan <- file_plan(file, book, rules = rules)
    suppressMessages(file_release(plan, 5, seed = 1))$proposed
  }
  expect_gt(nrow(proposed(NULL)), 4)
  expect_identical(nrow(proposed(list(
    ~ (a == "kid") == (b == "none"), ~ (b == "none") == (c == "no")
  ))), 0L)
})
