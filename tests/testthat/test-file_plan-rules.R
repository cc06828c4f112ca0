rule_file <- function() {
  withr::with_seed(8, {
    n <- 300
    age <- sample(c("young", "middle", "old"), n, TRUE)
    benefit <- ifelse(age == "old", sample(c(0, 50, 75.5), n, TRUE), 0)
    data.frame(
      age = factor(age, c("young", "middle", "old"), ordered = TRUE),
      sex = sample(c("m", "f"), n, TRUE), benefit = benefit,
      wage = sample(c(-9, NA, 0, 10, 20), n, TRUE), kids = sample(0:3, n, TRUE),
      works = sample(c(TRUE, FALSE), n, TRUE)
    )
  })
}

rule_book <- function() {
  codebook(data.frame(
    column = c("age", "sex", "benefit", "wage", "kids", "works"),
    type = c("ordered", "category", "amount", "amount", "ordered", "logical"),
    levels = c("young|middle|old", "m|f", "", "", "0|1|2|3", ""),
    lower = c(NA, NA, 0, 0, NA, NA), upper = c(NA, NA, 100, 50, NA, NA),
    codes = c("", "", "", "-9", "", ""), zero = 1:6 == 3, missing = 1:6 == 4,
    digits = c("", "", "any", "any", "", "")
  ))
}

test_that("forbidden combinations are those that a loop over records finds", {
  data <- rule_file()
  plan <- file_plan(data, rule_book(), rules = list(
    ~ benefit == 0 | age >= "old", quote(!(benefit > 0) | age == "old")
  ))
  expect_identical(plan$rules[[1]]$forbidden, plan$rules[[2]]$forbidden)
  rule <- plan$rules[[1]]
  expect_identical(colnames(plan$codes)[rule$columns], c("age", "benefit"))
  # zero, value; two ages that are not old
  expect_identical(rule$forbidden, cbind(1:2, 2L))
  broken <- which(data$age != "old")[1:3]
  data$benefit[broken] <- 12.5
  error <- expect_error(
    file_plan(data, rule_book(), rules = ~ benefit == 0 | age >= "old"),
    "3 records do", class = "pseudosynth_error_rule"
  )
  expect_identical(error$rows, broken)
  expect_false(grepl("12.5", conditionMessage(error), fixed = TRUE))
})

test_that("rules on any records are what R says of them", {
  data <- rule_file()
  data$benefit <- 0
  rules <- list(
    ~ sex == "m" | kids > 1, ~ kids * 2 + 1 <= 5, ~ sex %in% c("f", "m"),
    ~ xor(works, kids %in% 0:1), ~ is.na(wage) | age < "old",
    ~ wage %in% -9 | works, ~ wage >= 0 & sex == "f",
    ~ part(wage) == "value" | works, ~ 0 <= wage, ~ wage != -9 | kids != 2,
    ~ wage < 0 | works
  )
  part <- function(x) {
    ifelse(is.na(x), "missing", ifelse(x == -9, "code -9", "value"))
  }
  for (rule in rules) {
    met <- eval(rule[[2]], data, environment())
    error <- tryCatch(
      file_plan(data, rule_book(), rules = rule), error = identity
    )
    rows <- if (inherits(error, "error")) error$rows else integer()
    expect_identical(rows, which(met %in% FALSE))
  }
})

test_that("rules that no row can meet are found at the plan", {
  data <- rule_file()
  never <- function(...) {
    expect_error(
      file_plan(data, rule_book(), rules = list(...)), "able to meet",
      class = "pseudosynth_error_rule"
    )
  }
  never(~ sex == "m" & sex == "f")
  never(~ works, ~ !works)
  # In a circle, each alone and each two of them can be met
  never(~ kids == 0 | works, ~ !works | sex == "m", ~ sex == "f", ~ kids > 0)
  never(~ benefit < 0)
})

test_that("rules that ask what parts cannot tell are refused", {
  refused <- function(rule, text) {
    expect_error(
      file_plan(rule_file(), rule_book(), rules = rule), text,
      class = input_error
    )
  }
  refused(~ benefit == 5, "in another way")
  refused(~ benefit == wage, "in another way")
  refused(~ benefit + wage > 5, "in another way")
  refused(~ benefit, "in another way")
  refused(~ log(benefit) > 0, "only use")
  refused(~ sex == "male", "names")
  refused(~ pay == 0, "columns")
  refused(~ 1 == 1, "columns")
  refused(~ sex < "m", "order")
  refused(~ kids != -3, "names \"-3\"")
  refused(~ kids %in% c(0, 99), "names \"99\"")
  refused(~ part(benefit) != "valeu", "names \"valeu\"")
  refused(~ kids, "true or false")
  refused(~ get("sex") == "m" | works, "only use")
  refused(sex ~ kids, "one-sided")
  refused("kids >", "one-sided")
})

test_that("bounds decide comparisons that every value answers", {
  parts <- amount_parts(column_specs(rule_book())$benefit)
  expect_identical(parts$part, c("zero", "value"))
  expect_identical(part_answers(">", 0, parts), c(FALSE, TRUE))
  expect_identical(part_answers("<=", 100, parts), c(TRUE, TRUE))
  expect_identical(part_answers("<", 100, parts), c(TRUE, NA))
  expect_identical(part_answers("==", 50, parts), c(FALSE, NA))
  expect_identical(part_answers("!=", 0, parts), c(FALSE, TRUE))
})

test_that("a file that meets its rules shows that they can be met", {
  # Pigeons: each of nine in a hole of its own, of ten. The search alone would
  # take minutes for nine holes
  names <- paste0("x", 1:9)
  pigeons <- function(holes, data) {
    book <- codebook(data.frame(
      column = names, type = "category",
      levels = paste(letters[seq_len(holes)], collapse = "|")
    ))
    rules <- utils::combn(names, 2, function(pair) {
      list(stats::reformulate(paste(pair, collapse = " != ")))
    })
    file_plan(data, book, rules = rules)
  }
  data <- as.data.frame(stats::setNames(as.list(letters[1:9]), names))
  expect_length(pigeons(10, data)$rules, 36)
  # Eight holes are too few, which is not looked for for ever: by day for fewer
  # steps
  expect_lte(most_steps, 1e4)
  local_fault(most_steps = by_night(most_steps, 1e3))
  data[] <- rep("a", 9)
  error <- expect_error(pigeons(8, data), class = "pseudosynth_error_rule")
  expect_identical(error$rows, 1L)
})

test_that("levels that are numbers are also asked for as text", {
  data <- data.frame(zip = c("01", "02", "1"), n = c(1, 2, 2))
  book <- codebook(data.frame(
    column = c("zip", "n"), type = "category", levels = c("01|02|1", "1|2|3")
  ))
  broken <- function(rule) {
    error <- tryCatch(file_plan(data, book, rules = rule), error = identity)
    if (inherits(error, "error")) error$rows else integer()
  }
  expect_identical(broken(~ zip == "01"), 2:3)
  expect_identical(broken(~ zip %in% c("01", "1")), 2L)
  expect_identical(broken(~ "1" != zip), 3L)
  expect_identical(broken(~ n == "1"), 2:3)
  expect_identical(broken(~ n == 1), 2:3)
  expect_identical(broken(~ n < 2), 2:3)
  # By the alphabet "10" comes before "9"
  expect_error(file_plan(data, book, rules = ~ n < "2"), class = input_error)
  expect_error(
    file_plan(data, book, rules = ~ zip == "3"), "names", class = input_error
  )
})

test_that("a rule that compares with NA says how to ask for missing values", {
  # Of a file whose records all meet them: NA is neither true nor false, and
  # such a rule would always hold
  asked <- list(
    # nolint start: equals_na_linter.
    ~ wage == NA | works, ~ wage %in% c(10, NA) | works, ~ sex != NA,
    ~ kids == NA_integer_, quote(NA != sex), ~ NA | works
    # nolint end
  )
  for (rule in asked) {
    expect_error(
      file_plan(rule_file(), rule_book(), rules = rule), "is.na",
      class = input_error
    )
  }
  error <- expect_error(
    # nolint start: equals_na_linter.
    file_plan(rule_file(), rule_book(), rules = ~ kids == 1 | wage == NA),
    # nolint end
    class = input_error
  )
  expect_match(conditionMessage(error), "is.na(wage)", fixed = TRUE)
  expect_error(
    file_plan(rule_file(), rule_book(), rules = ~ sex != "NA"), "is.na",
    class = input_error
  )
})

test_that("a rule that nothing can break is said", {
  said <- function(rule) {
    expect_message(
      file_plan(rule_file(), rule_book(), rules = rule), "can break",
      class = "pseudosynth_message_idle_rule"
    )
  }
  said(~ kids + 1 != 99)
  said(~ benefit <= 1e12)
  expect_no_message(
    file_plan(
      rule_file(), rule_book(), rules = ~ benefit == 0 | age >= "old"
    )
  )
})
