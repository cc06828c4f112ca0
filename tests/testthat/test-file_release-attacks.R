# What an attacker tried on whole files, and what an agency may do by mistake.

flags <- rep(c("m", "f"), 150)

amount_book <- function(..., columns = c("g", "x"), digits = c(NA, "any")) {
  codebook(data.frame(
    column = columns, type = c("category", "amount"), levels = c("m|f", NA),
    lower = c(NA, 0), upper = c(NA, 1e6), digits = digits, ...
  ))
}

test_that("a file without a value of an amount is released like any other", {
  book <- amount_book(zero = c(NA, TRUE))
  none <- file_plan(data.frame(g = flags, x = 0), book)
  one <- file_plan(data.frame(g = flags, x = c(5, rep(0, 299))), book)
  released <- lapply(list(none, one), file_release, epsilon = 1, seed = 1)
  expect_identical(names(released[[1]]), names(released[[2]]))
  expect_identical(
    lengths(released[[1]]$amounts$x), lengths(released[[2]]$amounts$x)
  )
  audit <- audit_guarantee(
    released[[1]], none, replays = by_night(3, 1)
  )
  expect_true(all(audit$worst$exact <= audit$worst$claimed * (1 + 1e-9)))
  # A set may have no record with a value
  single <- amount_book(missing = c(FALSE, TRUE))
  for (k in seq_len(by_night(5, 2))) {
    release <- suppressWarnings(file_release(
      file_plan(data.frame(g = "m", x = 5), single), 1, seed = k
    ))
    expect_s3_class(synthesize(release, seed = k), "synthetic_data")
  }
})

test_that("an edited plan is no plan", {
  data <- data.frame(g = rep(c("m", "f"), 50), id = rep(1:25, 4))
  plan <- file_plan(data, codebook(data.frame(
    column = c("g", "id"), type = c("category", "id"),
    levels = c("m|f", NA), records = c(NA, 4)
  )), unit = "id")
  edits <- list(
    function(p) replace(p, "unit", list(replace(p$unit, "records", list(1L)))),
    function(p) replace(p, "codes", list(rbind(p$codes, p$codes))),
    function(p) replace(p, "published", list("g")),
    function(p) replace(p, "rules", list(list(list(text = "x"))))
  )
  for (edit in edits) {
    expect_error(
      file_release(edit(plan), 1), class = "pseudosynth_error_edited"
    )
  }
})

test_that("attributes of attributes stay in the file", {
  data <- data.frame(g = flags, x = as.double(seq_along(flags)))
  attr(data$x, "format.stata") <- structure(c(a = "%9.0g"), secret = data$x)
  # A protected column has the label of the codebook, which states none here
  attr(data$x, "label") <- structure(c(a = "X"), secret = data$x)
  plan <- file_plan(data, amount_book())
  expect_identical(plan$schema$x$attributes, list(format.stata = "%9.0g"))
  release <- file_release(plan, 1, seed = 1)
  own <- attributes(synthesize(release, seed = 1)[[1]]$x)
  expect_identical(own, list(format.stata = "%9.0g"))
  published <- file_plan(data, amount_book(), publish = "x")
  expect_identical(published$schema$x$attributes$label, "X")
})

test_that("no message tells a secret number of records", {
  warning <- expect_warning(
    file_release(
      file_plan(data.frame(g = flags, x = 1:300), amount_book()), 1,
      delta = 0.01, seed = 1
    ), class = "pseudosynth_warning_delta"
  )
  expect_no_match(conditionMessage(warning), "300")
})

test_that("an edited release has the label none, whatever was edited", {
  release <- file_release(
    file_plan(data.frame(g = flags, x = 1:300), amount_book()), 1, seed = 1
  )
  for (field in c("amounts", "tables", "unit", "block", "schema")) {
    edited <- release
    edited[[field]] <- c(edited[[field]], list(zz = 1))
    expect_identical(guarantee(edited)$label, "none")
    edited[[field]] <- NULL
    expect_identical(guarantee(edited)$label, "none")
  }
})

test_that("values of different decimals meet a strict comparison", {
  data <- withr::with_seed(1, {
    t <- round(stats::runif(400) * 50) + 1
    data.frame(t = t, u = round(t * stats::runif(400) * 0.9, 2))
  })
  book <- codebook(data.frame(
    column = c("t", "u"), type = "amount", lower = 0, upper = 1000,
    digits = c(0, 2), zero = TRUE
  ))
  release <- file_release(
    file_plan(data, book, rules = ~ u < t), 1, seed = 1
  )
  for (set in as.list(synthesize(release, 3, seed = 2))) {
    expect_true(all(set$u < set$t))
  }
})

test_that("codebooks that no set could follow are refused", {
  bad <- list(
    list(lower = c(NA, 5), upper = c(NA, 5)),
    list(lower = c(NA, 0), upper = c(NA, 1e160)),
    list(levels = c("missing|m", NA), missing = c(TRUE, FALSE))
  )
  for (fields in bad) {
    all <- utils::modifyList(list(
      column = c("g", "x"), type = c("category", "amount"),
      levels = c("m|f", NA), lower = c(NA, 0), upper = c(NA, 1)
    ), fields)
    expect_error(
      codebook(as.data.frame(all)), class = "pseudosynth_error_input"
    )
  }
})

test_that("a release under the class of another one has no label", {
  data <- data.frame(g = flags, x = rep(c(5, 20, 100), 100))
  releases <- list(
    file_release(
      file_plan(data, amount_book(digits = c(NA, 0))), 3, seed = 1
    ),
    score_release(
      x ~ g, data, gaussian(), epsilon = 3, bounds = c(0, 1e3), seed = 1,
      reference = list("(Intercept)" = 50, sigma = 50)
    ),
    perturbed_histogram(
      x ~ 1, data, bounds = c(0, 1e3), epsilon = 3, seed = 1
    )
  )
  edited <- "pseudosynth_error_edited"
  for (i in 1:3) {
    for (j in setdiff(1:3, i)) {
      other <- releases[[i]]
      class(other) <- class(releases[[j]])
      if (j == 1) {
        expect_identical(guarantee(other)$label, "none")
      } else {
        expect_error(guarantee(other), class = edited)
      }
      expect_error(synthesize(other), class = edited)
      expect_error(coef(other), class = edited)
    }
  }
})

test_that("sums that tell very much of tiny values are solved", {
  # Of 60 values 59 are 0, a thousandth is the largest; two columns are one
  n <- 60
  book <- codebook(data.frame(
    column = c("v", "g", "h"), type = c("amount", "category", "category"),
    levels = c("", "a|b|c", "a|b|c"), lower = c("0", "", ""),
    upper = c("0.001", "", ""), digits = c("any", "", ""),
    transform = c("identity", "", ""), family = c("gaussian", "", "")
  ))
  for (seed in c(16, 21, 24, 29)) {
    data <- withr::with_seed(seed, data.frame(
      v = rep(c(0.001, 0), c(1, n - 1)), g = sample(c("a", "b", "c"), n, TRUE)
    ))
    data$h <- data$g
    release <- suppressMessages(suppressWarnings(
      file_release(file_plan(data, book), 5, seed = seed)
    ))
    expect_true(all(is.finite(coef(release, amount = "v"))))
    sets <- synthesize(release, 2, uncertainty = TRUE, seed = 1)
    expect_true(all(is.finite(unlist(lapply(as.list(sets), `[[`, "v")))))
  }
})
