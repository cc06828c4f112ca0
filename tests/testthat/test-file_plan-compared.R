# Rules that compare values of amounts: in the plan, and in every row of a set.

taxed_file <- function(n = 600) {
  withr::with_seed(8, {
    income <- round(stats::rlnorm(n, 10, 1))
    income[seq_len(60)] <- 0
    status <- factor(sample(c("employed", "other"), n, TRUE))
    data.frame(
      status = status, income = income,
      tax = floor(income * stats::rbeta(n, 2, 6)),
      hours = ifelse(
        status == "employed", sample(20:60, n, TRUE), sample(0:99, n, TRUE)
      )
    )
  })
}

taxed_book <- function() {
  confirm_codebook(codebook(data.frame(
    column = c("status", "income", "tax", "hours"),
    type = c("category", "amount", "amount", "amount"),
    levels = c("employed|other", "", "", ""),
    lower = c("", "0", "0", "0"), upper = c("", "1e6", "1e6", "99"),
    digits = c("", "0", "0", "0"), zero = c("", "TRUE", "TRUE", ""),
    transform = c("", "log", "log", "")
  )))
}

test_that("every row of a set meets rules that compare amounts and numbers", {
  file <- taxed_file()
  rules <- list(
    ~ tax <= income, ~ status != "employed" | hours >= 20,
    ~ !(status == "employed" & hours > 60)
  )
  plan <- file_plan(file, taxed_book(), rules = rules)
  release <- file_release(plan, epsilon = 2, seed = 1)
  sets <- synthesize(release, 3, seed = 2)
  for (set in as.list(sets)) {
    expect_true(all(set$tax <= set$income))
    employed <- set$status == "employed"
    expect_true(all(set$hours[employed] >= 20 & set$hours[employed] <= 60))
    expect_true(any(set$hours[!employed] < 20) && any(set$hours > 60))
    for (name in c("income", "tax", "hours")) {
      expect_true(all(set[[name]] == round(set[[name]])))
    }
    # The tax still follows the income, and keeps its level
    both <- set$income > 0 & set$tax > 0
    expect_gt(cor(log(set$income[both]), log(set$tax[both])), 0.5)
    expect_equal(
      mean(log1p(set$tax)), mean(log1p(file$tax)), tolerance = 0.25
    )
  }
})

test_that("strict comparisons, either order and published amounts hold, too", {
  file <- taxed_file()
  file$tax <- pmin(file$tax, pmax(file$income - 1, 0))
  rules <- ~ income > tax | income == 0
  for (publish in list(NULL, "income", "tax")) {
    plan <- file_plan(file, taxed_book(), rules = rules, publish = publish)
    set <- synthesize(file_release(plan, epsilon = 2, seed = 3), seed = 4)[[1]]
    expect_true(all(set$income > set$tax | set$income == 0))
  }
})

test_that("a chain of amounts leaves room for all of them", {
  file <- withr::with_seed(9, {
    z <- stats::runif(400, 2, 1000)
    data.frame(
      c = 0, g = sample(0:1, 400, TRUE), a = z, b = z * stats::runif(400)
    )
  })
  file$c <- file$b * 0.4
  book <- confirm_codebook(codebook(data.frame(
    column = c("c", "g", "a", "b"),
    type = c("amount", "logical", "amount", "amount"),
    lower = c("0", "", "0", "0"), upper = c("1000", "", "1000", "1000"),
    digits = c("any", "", "any", "any")
  )))
  plan <- file_plan(file, book, rules = list(~ c < b, ~ b <= a))
  set <- synthesize(file_release(plan, epsilon = 4, seed = 5), seed = 6)[[1]]
  expect_true(all(set$c < set$b & set$b <= set$a))
})

test_that("records that break a comparison are counted, without their values", {
  file <- taxed_file()
  file$tax[c(100, 200)] <- file$income[c(100, 200)] + 12345
  error <- expect_error(
    file_plan(file, taxed_book(), rules = ~ tax <= income),
    class = "pseudosynth_error_rule"
  )
  expect_identical(error$rows, c(100L, 200L))
  expect_false(grepl("12345|[0-9]{4}", conditionMessage(error)))
})

test_that("circles and more than one comparison in a rule are refused", {
  file <- taxed_file()
  expect_error(
    file_plan(
      file, taxed_book(), rules = list(~ tax <= income, ~ income <= hours,
        ~ hours <= tax
      )
    ), "circle", class = "pseudosynth_error_rule"
  )
  expect_error(
    file_plan(file, taxed_book(), rules = ~ tax <= income & hours < 50),
    class = "pseudosynth_error_rule"
  )
  expect_error(
    file_plan(file, taxed_book(), rules = ~ tax == income),
    class = "pseudosynth_error_rule"
  )
})

test_that("a rule says where its comparison must hold", {
  plan <- file_plan(
    taxed_file(), taxed_book(), rules = ~ status == "other" | hours <= 60
  )
  compared <- plan$rules[[1]]$compared
  expect_length(compared, 1)
  expect_identical(compared[[1]][c("left", "fn", "right")], list(
    left = "hours", fn = "<=", right = 60
  ))
  expect_identical(nrow(compared[[1]]$cells), 1L)
  expect_identical(nrow(plan$rules[[1]]$forbidden), 0L)
})
