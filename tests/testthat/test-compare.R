strict_job <- function() {
  remember("strict job", suppressMessages(pseudo_posterior(
    log(income) ~ age + earner, privacy_data(), gaussian(),
    mechanism = "score", epsilon = 4, m = 2,
    reference = list("(Intercept)" = 10.8, sigma = 1), bounds = c(10, 2e6),
    seed = 3
  )))
}

test_that("finished jobs stand beside each other with their own labels", {
  final <- small_job()
  strict <- strict_job()
  found <- compare(
    final, Proven = strict,
    groups = "earner", radius = 0.2, known = "earner",
    regression = log(income) ~ age
  )
  table <- found$table
  expect_identical(table$mechanism, c("final", "Proven"))
  expect_identical(table$label, c("asymptotic", "strict"))
  expect_identical(table$asked, c(NA, 4))
  total <- guarantee(final)$epsilon$total
  expect_identical(table$add_remove[1], total[["add-remove"]])
  by_hand <- utility(final, groups = "earner", regression = log(income) ~ age)
  means <- by_hand$overall
  for (name in c("ecdf_max", "groups", "r_squared", "overlap")) {
    expect_equal(table[[name]][1], means[[name]])
  }
  risk <- identification_risk(strict, known = "earner", radius = 0.2)
  expect_equal(table$risk[2], risk$overall[["mean_risk"]])
  expect_output(print(found), "Sets of income")
  expect_match(autoplot(found)$labels$subtitle, "sets given")
  expect_no_error(ggplot2::ggplot_build(autoplot(found)))
})

test_that("jobs on other records, and what is no job, are refused", {
  final <- small_job()
  other <- suppressMessages(pseudo_posterior(
    log(income) ~ age, head(privacy_data(), 100), gaussian(), "score",
    epsilon = 4, reference = list("(Intercept)" = 10.8, sigma = 1), seed = 3
  ))
  expect_error(
    compare(final, other), "other",
    class = "pseudosynth_error_input"
  )
  swapped <- privacy_data()
  levels(swapped$age) <- rev(levels(swapped$age))
  other <- suppressMessages(pseudo_posterior(
    log(income) ~ age, swapped, gaussian(), "score",
    epsilon = 4, reference = list("(Intercept)" = 10.8, sigma = 1), seed = 3
  ))
  expect_error(
    compare(final, other), "other",
    class = "pseudosynth_error_input"
  )
  expect_error(compare(final, 3), class = "pseudosynth_error_input")
  expect_error(compare(), class = "pseudosynth_error_input")
  expect_error(compare(final, groups = "nowhere"), "nowhere")
})

test_that("jobs without a name are called by what they did", {
  final <- small_job()
  strict <- strict_job()
  jobs <- list(final, strict)
  expect_identical(
    do.call(compare, jobs)$table$mechanism, c("lw_final", "score")
  )
})

test_that("one job, or jobs without a stated epsilon, have a figure", {
  final <- small_job()
  strict <- strict_job()
  for (found in list(
    compare(final), compare(strict), compare(final, other = final),
    compare(final, strict, groups = "earner")
  )) {
    drawn <- withr::with_pdf(NULL, testthat::capture_messages(
      print(autoplot(found))
    ))
    expect_length(drawn, 0)
  }
})

test_that("a misspelt argument is named, and the response is no group", {
  error <- expect_error(
    compare(small_job(), regresion = ~age),
    class = "pseudosynth_error_input"
  )
  expect_match(conditionMessage(error), "`regresion` is neither a set nor")
  error <- expect_error(
    compare(small_job(), groups = "income"),
    class = "pseudosynth_error_input"
  )
  expect_identical(error$arg, "groups")
})

test_that("sets without a job stand beside those with one", {
  job <- small_job()
  data <- privacy_data()
  coded <- topcode(income ~ age + earner, data, top = 150000)
  found <- compare(
    sets = job$synthetic, job, plain = as.list(job$synthetic), coded,
    data = data, groups = "earner", radius = 0.2
  )
  table <- found$table
  expect_identical(table$mechanism, c("sets", "job", "plain", "coded"))
  figures <- c("ecdf_max", "groups", "risk")
  for (row in 2:3) {
    expect_equal(table[row, figures], table[1, figures], ignore_attr = TRUE)
  }
  # Sets have the label that may be published, plain data frames have none
  expect_identical(table$label, c(rep("asymptotic", 2), "-", "none"))
  expect_identical(is.na(table$add_remove), c(TRUE, FALSE, TRUE, TRUE))
  truth <- utility(coded, data, groups = "earner", transform = "log")$table
  expect_equal(table$groups[4], truth$groups)
  expect_output(print(found), "Sets of income")
  expect_s3_class(autoplot(found, "map"), "ggplot")
  expect_error(
    compare(plain = as.list(job$synthetic), data = data), "variable",
    class = "pseudosynth_error_input"
  )
})

test_that("fits and score releases are told to draw sets first", {
  error <- expect_error(compare(lw_fit()), class = "pseudosynth_error_input")
  expect_match(conditionMessage(error), "synthesize")
})
