synthetic_values <- function(data, m) {
  withr::with_seed(9, lapply(seq_len(m), function(j) {
    set <- data
    moved <- runif(nrow(data)) < 0.6
    set$y[moved] <- sample(data$y, sum(moved), TRUE)
    set
  }))
}

test_that("risks equal the naive loop, exactly", {
  data <- awkward_data()
  sets <- synthetic_values(data, 3)
  for (known in list(NULL, "a", c("a", "b"))) {
    code <- if (is.null(known)) {
      rep(1, nrow(data))
    } else {
      do.call(paste, data[known])
    }
    for (radius in c(1e-9, 0.2)) {
      for (relative in c(TRUE, FALSE)) {
        risk <- identification_risk(
          sets, data, known, radius, relative,
          variable = "y"
        )
        naive <- lapply(sets, function(set) {
          naive_matches(data$y, set$y, code, radius, relative)
        })
        ir <- lapply(naive, function(x) x$t * (x$size - x$c) / x$size)
        expect_equal(risk$record$risk, Reduce(`+`, ir) / 3, tolerance = 1e-14)
        expect_equal(
          risk$record$own, Reduce(`+`, lapply(naive, `[[`, "t")) / 3
        )
        expect_equal(
          risk$record$matches, Reduce(`+`, lapply(naive, `[[`, "c")) / 3
        )
        expect_equal(risk$record$pattern_size, naive[[1]]$size)
        for (j in 1:3) {
          x <- naive[[j]]
          unique <- x$c == 1
          row <- risk$set[j, ]
          expect_equal(row$mean_risk, mean(ir[[j]]))
          expect_equal(
            row$expected_match_risk, sum((x$t / x$c)[x$t == 1])
          )
          expect_equal(row$true_match_rate, mean(unique & x$t == 1))
          expect_equal(
            row$false_match_rate,
            if (any(unique)) sum(unique & x$t == 0) / sum(unique) else NA_real_
          )
          expect_identical(row$unique_matches, sum(unique))
        }
      }
    }
  }
})

test_that("a file released as it is names every lonely record", {
  data <- data.frame(y = c(1, 10, 100, 1000), g = "x")
  risk <- identification_risk(data, data, "g", 0.1, variable = "y")
  expect_equal(risk$record$risk, rep(0.75, 4))
  expect_equal(unname(risk$overall[c(
    "expected_match_risk", "true_match_rate", "false_match_rate"
  )]), c(4, 1, 0))
  away <- transform(data, y = rev(y))
  risk <- identification_risk(away, data, "g", 0.1, variable = "y")
  expect_equal(risk$record$risk, rep(0, 4))
  expect_equal(risk$overall[["false_match_rate"]], 1)
})

test_that("risks are the same at any number of threads", {
  data <- awkward_data(500)
  sets <- synthetic_values(data, 4)
  run <- function(threads) {
    identification_risk(sets, data, "a", 0.2, variable = "y", threads = threads)
  }
  expect_identical(run(1), run(2))
})

test_that("synthetic data know their variable and stay aligned", {
  job <- small_job()
  data <- privacy_data()
  risk <- identification_risk(job$synthetic, data, c("age", "earner"), 0.2)
  expect_identical(risk$variable, "income")
  expect_identical(risk$m, 3L)
  expect_identical(
    identification_risk(
      job$synthetic, unweighted_fit(), c("age", "earner"), 0.2
    ),
    risk
  )
  other <- job$synthetic[[1]]
  other$age <- rev(other$age)
  expect_error(
    identification_risk(other, data, "age", 0.2, variable = "income"),
    "those of `data`", class = "pseudosynth_error_input"
  )
  # Where nobody knows the column that differs, as well
  away <- data
  away$age <- rev(away$age)
  expect_error(
    identification_risk(job$synthetic, away, "earner", 0.2),
    "those of `data`", class = "pseudosynth_error_input"
  )
})

test_that("top-coding protects the values that it changes, and no others", {
  data <- privacy_data()
  coded <- topcode(income ~ age + earner, data, top = 50000)
  risk <- identification_risk(coded, data, "age", 0.05)
  changed <- data$income > 50000 / 0.95
  expect_true(any(changed) && any(!changed))
  expect_true(all(risk$record$risk[changed] == 0))
  expect_true(all(risk$record$own[data$income <= 50000] == 1))
})

test_that("bad input is a classed error", {
  data <- awkward_data()
  refuse <- function(...) {
    expect_error(identification_risk(...), class = "pseudosynth_error_input")
  }
  refuse(data, data, radius = 0.1)
  refuse(data[-1, ], data, radius = 0.1, variable = "y")
  refuse(1, data, radius = 0.1, variable = "y")
  refuse(list(), data, radius = 0.1, variable = "y")
  refuse(data, data, variable = "y")
  refuse(data, data, radius = 0, variable = "y")
  refuse(data, data, radius = 0, relative = FALSE, variable = "y")
  for (relative in c(TRUE, FALSE)) {
    error <- refuse(
      data, data,
      radius = Inf, relative = relative, variable = "y"
    )
    expect_match(conditionMessage(error), "must be finite and above 0")
  }
  refuse(data, data, radius = 0.1, variable = "z")
  refuse(data["y"], data, "a", radius = 0.1, variable = "y")
  broken <- data
  broken$y[2] <- NaN
  refuse(broken, data, radius = 0.1, variable = "y")
  refuse(data, broken, radius = 0.1, variable = "y")
})

test_that("prints and figures say that they are confidential", {
  data <- awkward_data()
  sets <- synthetic_values(data, 2)
  risk <- identification_risk(sets, data, "a", 0.2, variable = "y")
  expect_output(print(risk), "not for release")
  expect_output(print(summary(risk)), "false rate")
  expect_identical(as.data.frame(risk), risk$record)
  figure <- autoplot(risk, risk, file = risk)
  expect_silent(built <- ggplot2::ggplot_build(figure))
  expect_match(figure$labels$caption, "not for release")
  expect_identical(
    levels(figure$data$release), c("synthetic", "release 2", "file")
  )
  withr::local_pdf(NULL)
  expect_s3_class(plot(risk), "ggplot")
  expect_error(autoplot(risk, 1), class = "pseudosynth_error_input")
})
