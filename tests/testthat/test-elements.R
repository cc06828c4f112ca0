# As a user asks, outside of the package, whose own code is answered NULL
asked <- function(object, name) {
  eval(
    call("$", quote(object), as.name(name)),
    list2env(list(object = object), parent = globalenv())
  )
}

test_that("a name that an object does not have is an error that says which", {
  fit <- lw_fit()
  sets <- synthesize(fit, 2, seed = 1)
  data <- privacy_data()
  objects <- list(
    fit, fit$bound, guarantee(fit), utility(sets, data),
    identification_risk(sets, data, "earner", 0.2),
    risk(sets, data, "income", "earner"), censor(2),
    pool(lapply(sets, function(d) stats::lm(log(income) ~ age, d))),
    sets, small_job()
  )
  for (object in objects) {
    there <- names(unclass(object))[1]
    expect_identical(asked(object, there), unclass(object)[[there]])
    error <- expect_error(
      asked(object, "cake"), "have no element",
      class = "pseudosynth_error_input"
    )
    expect_match(cli::ansi_strip(conditionMessage(error)), there, fixed = TRUE)
    # A list would take the beginning of a name
    expect_error(
      asked(object, substr(there, 1, nchar(there) - 1)),
      class = "pseudosynth_error_input"
    )
  }
})

test_that("an element that is NULL, or that some objects lack, is NULL", {
  fit <- unweighted_fit()
  expect_true("censor" %in% names(fit))
  expect_null(asked(fit, "censor"))
  expect_false("reweighting" %in% names(fit))
  expect_null(asked(fit, "reweighting"))
})

test_that("a column of the file is not one of a fit", {
  expect_error(
    asked(unweighted_fit(), "income"), "x\\$data\\$income",
    class = "pseudosynth_error_input"
  )
})

test_that("weights have no elements", {
  expect_error(
    asked(lw_fit()$privacy_weights, "alpha"), "summary",
    class = "pseudosynth_error_input"
  )
})

test_that("a wrong name is told wherever code is evaluated", {
  # At top level, in source() and in documents no frame asks
  fit <- lw_fit()
  objects <- list(fit, guarantee(fit), fit$bound, small_job())
  for (object in objects) {
    assign("asked_object", object, globalenv())
    expect_error(
      eval(quote(asked_object$cake), globalenv()), "have no element",
      class = "pseudosynth_error_input"
    )
    # As lapply() asks, whose dots hold the name
    expect_error(
      eval(quote(lapply(list(asked_object), `$`, "cake")), globalenv()),
      "cake",
      class = "pseudosynth_error_input"
    )
    there <- names(unclass(object))[1]
    expect_identical(
      lapply(list(object), `$`, there), list(unclass(object)[[there]])
    )
    rm("asked_object", envir = globalenv())
  }
  assign("asked_weights", weights(fit), globalenv())
  expect_error(
    eval(quote(asked_weights$cake), globalenv()), "summary",
    class = "pseudosynth_error_input"
  )
  rm("asked_weights", envir = globalenv())
})

test_that("sets of whom all have got an attribute are edited", {
  data <- data.frame(y = rep(3:8, 10), x = seq_len(60) %% 7)
  release <- suppressMessages(suppressWarnings(score_release(y ~ x, data,
    poisson(),
    epsilon = 1, reference = list("(Intercept)" = 1.6), seed = 1
  )))
  sets <- synthesize(release, 1, newdata = data["x"], seed = 1)
  edited <- unclass(sets)
  attr(edited$sets, "file") <- data$y
  class(edited) <- class(sets)
  expect_false(is_sealed(edited))
  edited <- unclass(sets)
  attr(edited$sets[[1]], "file") <- data$y
  class(edited) <- class(sets)
  expect_true(is_sealed(sets))
  expect_false(is_sealed(edited))
})

test_that("an object with the class of another prints a classed error", {
  file <- ce_income[1:60, c("age", "sex")]
  plan <- file_plan(file, draft_codebook(file))
  made <- list(
    plan, suppressMessages(synthesize_file(plan)), plan$codebook, censor(1),
    cleared_tables(plan, multiple = 3, least = 3)
  )
  made <- c(made, list(guarantee(made[[2]]), lipschitz(matrix(-1, 4, 5))))
  classes <- lapply(made, class)
  classes <- c(classes, list(c("privacy_weights", "numeric")))
  n_errors <- 0
  for (x in made) {
    for (class in setdiff(classes, list(class(x)))) {
      other <- x
      class(other) <- class
      error <- suppressWarnings(tryCatch(
        utils::capture.output(print(other)), error = identity
      ))
      if (inherits(error, "error")) {
        n_errors <- n_errors + 1
        expect_s3_class(error, "pseudosynth_error_edited")
        expect_match(conditionMessage(error), class[1], fixed = TRUE)
      }
    }
  }
  expect_gt(n_errors, 25)
})

test_that("an error of print() on an intact object is shown as it is", {
  x <- seal(new_result("odd_result", a = 1))
  fails <- function() stop("a fault of ours")
  expect_error(unless_edited(x, fails()), "a fault of ours")
  x$a <- 2
  expect_error(unless_edited(x, fails()), class = "pseudosynth_error_edited")
})
