tells <- function(x, y) tells_response(x, y)

test_that("copies, classes and determining columns are seen", {
  y <- exp(withr::with_seed(1, stats::rnorm(200)))
  classes <- cut(y, c(0, 0.5, 1, 2, Inf), labels = c("z", "a", "m", "b"))
  for (x in list(
    y, -y, log(y), rank(y), round(y, 1), floor(10 * y), y > 1, classes,
    as.character(classes), factor(classes, ordered = TRUE),
    factor(findInterval(y, c(0.5, 2)))
  )) {
    expect_true(tells(x, y))
  }
  # Heaped responses under a code of their own
  heaped <- withr::with_seed(2, sample(c(10, 20, 30, 40, 50), 200, TRUE))
  code <- c("q", "c", "x", "a", "k")[heaped / 10]
  expect_true(tells(code, heaped))
  expect_true(tells(c(7, 3, 9, 1, 5)[heaped / 10], heaped))
  # and a column that is finer than the response
  finer <- heaped + withr::with_seed(3, stats::runif(200))
  expect_true(tells(finer, heaped))
  expect_true(tells(rep(c("u", "v"), 100), rep(c(0, 1), 100)))
})

test_that("ordinary predictors are not", {
  withr::local_seed(4)
  y <- exp(stats::rnorm(200))
  for (x in list(
    stats::rnorm(200), y + stats::rnorm(200, 0, 0.1),
    sample(letters[1:4], 200, TRUE), seq_len(200), sprintf("id%03d", 1:200),
    rep(1, 200), y > max(y[-which.max(y)]), ifelse(y > 1, y, 0.5) > 1e9
  )) {
    expect_false(tells(x, y))
  }
  yes <- as.double(stats::runif(200) < 0.1)
  expect_false(tells(sample(c("f", "m"), 200, TRUE), yes))
  expect_false(tells(sprintf("id%03d", 1:200), yes))
  # Few records may be in order by accident
  expect_false(tells(1:8, c(2, 3, 5, 7, 11, 13, 17, 19)))
})

test_that("a copy with some records changed is a copy", {
  withr::local_seed(6)
  for (n in c(200, 12000)) {
    y <- round(exp(stats::rnorm(n, 10)))
    for (share in c(0.001, 0.05)) {
      changed <- sample(n, ceiling(share * n))
      copy <- y
      copy[changed] <- sample(y, length(changed))
      for (x in list(
        copy, -copy, log(copy + 1), format(copy, big.mark = ","), rank(copy)
      )) {
        expect_true(tells(x, y))
      }
    }
    # What agrees in half of the records, or nearly in all, is no copy
    half <- y
    changed <- sample(n, n / 2)
    half[changed] <- sample(y, n / 2)
    last_year <- y * exp(stats::rnorm(n, 0, 0.1))
    expect_false(tells(half, y))
    expect_false(tells(last_year, y))
    expect_false(tells(sample(18:85, n, TRUE), y))
    # nor what goes up with a rare count
    expect_false(tells(stats::rnorm(n), stats::rpois(n, 0.02) * 20))
  }
})

test_that("a chance order is refused less than once in many files", {
  withr::local_seed(5)
  found <- replicate(2000, {
    n <- sample(2:30, 1)
    tells(
      sample(seq_len(sample(2:n, 1)), n, TRUE),
      sample(seq_len(sample(2:n, 1)), n, TRUE)
    )
  })
  expect_false(any(found))
})

test_that("nothing is synthesized beside a copy of the response", {
  data <- privacy_data()
  data$copy <- log(data$income) + 3
  fit <- suppressWarnings(fit_synthesizer(log(income) ~ age + copy, data,
    gaussian(),
    prior = prior_normal(), chains = 2, warmup = 200, draws = 500, seed = 1
  ))
  error <- tryCatch(
    synthesize(fit, allow_unconverged = TRUE), error = identity
  )
  expect_s3_class(error, "pseudosynth_error_copied_response")
  expect_s3_class(error, "pseudosynth_error_privacy")
  expect_match(conditionMessage(error), "copy")
  # nor with other predictors for the same records
  plain <- unweighted_fit()
  expect_error(
    synthesize(plain, newdata = transform(
      privacy_data(), earner = factor(c("no", "yes")[(income > 5e4) + 1])
    )), class = "pseudosynth_error_copied_response"
  )
})

test_that("a histogram never publishes the response that it was made from", {
  data <- privacy_data()
  by_vector <- perturbed_histogram(
    data$income,
    bounds = c(1, 2e6), epsilon = 0.1
  )
  expect_error(
    synthesize(by_vector, newdata = data), class = "pseudosynth_error_privacy"
  )
  expect_identical(names(synthesize(by_vector)[[1]]), "x")
  histogram <- perturbed_histogram(
    log(income) ~ 1, data,
    bounds = c(1, 2e6), epsilon = 0.1
  )
  syn <- synthesize(histogram, newdata = data)
  expect_false(any(syn[[1]]$income %in% data$income))
  expect_match(
    guarantee(syn)$public_inputs[["predictors"]], "age, education, earner"
  )
  expect_error(
    synthesize(histogram, newdata = transform(data, class = income > 4e4)),
    class = "pseudosynth_error_copied_response"
  )
})

test_that("a long file is looked at whole where a part of it shows nothing", {
  withr::local_seed(8)
  n <- 50000
  # Some of the records see a constant, or a class that fails later
  y <- numeric(n)
  y[sample(n, 400)] <- stats::rnorm(400)
  expect_true(tells_response(2 * y, y))
  expect_true(tells_response(ifelse(y > 0, "high", "low"), y))
  y <- stats::rnorm(n)
  almost <- y > 0
  almost[n - 1] <- !almost[n - 1]
  expect_false(tells_response(almost, y))
  expect_true(tells_response(exp(y), y))
  expect_false(tells_response(sample(letters, n, TRUE), y))
})

test_that("a copy is seen as text, as a factor and as a date, too", {
  y <- withr::with_seed(1, round(exp(stats::rnorm(300, 10))))
  for (x in list(
    as.character(y), factor(paste0("$", y)), format(y, big.mark = ","),
    as.Date("2000-01-01") + y, as.POSIXct("2000-01-01", tz = "UTC") - y,
    sprintf("%09.0f", y), format(as.Date("2026-01-01") - y)
  )) {
    expect_true(tells(x, y))
  }
  cents <- y / 100
  for (x in list(
    sprintf("%.8e", cents), paste("EUR", format(cents,
      big.mark = ".", decimal.mark = ",", nsmall = 2, trim = TRUE
    ))
  )) {
    expect_true(tells(x, cents))
  }
  expect_false(tells(withr::with_seed(2, sample(as.character(y))), y))
  expect_error(
    check_holds_none(y, data.frame(x = rev(paste(y, "USD")))),
    class = "pseudosynth_error_copied_response"
  )
  expect_identical(numbers_in(c("-1,200.5", "$ 3")), c(-1200.5, 3))
  expect_identical(numbers_in(c("1.000,5 EUR", "20")), c(1000.5, 20))
  expect_null(numbers_in(c("1", "none")))
})

test_that("a score release's sets stand beside no copy of the response", {
  data <- transform(privacy_data(), k = rank(earner) + seq_along(income) %% 3)
  release <- suppressMessages(score_release(
    log(income) ~ k, data, gaussian(),
    epsilon = 1, reference = list("(Intercept)" = 10.8, sigma = 1)
  ))
  expect_error(
    synthesize(release, newdata = transform(data, k = round(income))),
    class = "pseudosynth_error_copied_response"
  )
})
