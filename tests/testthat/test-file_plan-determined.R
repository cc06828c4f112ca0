test_that("a published column that tells another is warned of, by its share", {
  file <- withr::with_seed(1, data.frame(
    a = factor(sample(c("x", "y"), 200, TRUE)),
    b = factor(sample(c("x", "y"), 200, TRUE))
  ))
  file$copy <- factor(ifelse(file$a == "x", "one", "two"))
  file$copy[1] <- "one"
  book <- draft_codebook(file)
  told <- expect_warning(
    plan <- file_plan(file, book, publish = "copy"),
    class = "pseudosynth_warning_determined"
  )
  expect_identical(names(told$share), "a")
  expect_gt(told$share[["a"]], 0.9)
  expect_identical(told$by, list(a = "copy"))
  # Said once, by the plan
  expect_no_warning(fit_file(plan))
  expect_no_warning(file_plan(file, book, publish = "b"))
  expect_no_warning(file_plan(file, book, publish = c("a", "copy")))
  expect_no_warning(file_plan(file, book))
})

test_that("amounts of other values each are told by a copy, or by a sum", {
  file <- withr::with_seed(1, data.frame(
    pay = stats::rlnorm(300, 10), rent = stats::rlnorm(300, 8),
    group = factor(sample(letters[1:3], 300, TRUE))
  ))
  file$income <- file$pay + file$rent
  file$euros <- file$income / 4.2
  file$income[1:5] <- NA
  book <- draft_codebook(file)
  told <- function(publish) {
    warning <- expect_warning(
      file_plan(file, book, publish = publish),
      class = "pseudosynth_warning_determined"
    )
    warning$by
  }
  expect_identical(told("euros")$income, "euros")
  expect_setequal(told(c("pay", "rent", "group"))$income, c("pay", "rent"))
  expect_no_warning(file_plan(file, book, publish = c("group", "rent")))
})

test_that("a value is told by the other records of its class", {
  told <- function(by, y) {
    most <- y != which.max(tabulate(y))
    counted <- which(most & tabulate(by)[by] > 1)
    mean(vapply(counted, function(i) {
      others <- tabulate(y[setdiff(which(by == by[i]), i)], max(y))
      others[y[i]] > 0 && others[y[i]] == max(others)
    }, TRUE))
  }
  withr::local_seed(1)
  for (classes in c(6, 40)) {
    by <- sample(classes, 150, TRUE)
    y <- (by + sample(0:3, 150, TRUE, c(0.6, 0.2, 0.1, 0.1))) %% 5 + 1
    # Numbers of values in the order in which they come, as ties are broken
    y <- match(y, unique(y))
    expect_equal(told_share(by, y), told(by, y))
  }
  expect_identical(told_share(1:50, 1:50), 0)
})
