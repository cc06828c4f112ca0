test_that("a copy of the file has no distance, and a wrong one has", {
  data <- home_persons(80)
  release <- home_release(home_plan(data, home_members(4)))
  sets <- synthesize(release)
  copy <- data
  copy$home <- match(data$home, unique(data$home))
  same <- resealed(sets, sets = list(copy))
  found <- utility(same, data)
  kinds <- names(household_tables_of$households)
  expect_identical(unname(found$overall[kinds]), c(0, 0, 0))
  expect_true(all(found$households$distance == 0))
  # Persons as they were, in other households
  copy$home <- withr::with_seed(1, sample(copy$home))
  mixed <- utility(resealed(sets, sets = list(copy)), data)
  expect_identical(mixed$overall[["one_way"]], 0)
  expect_gt(mixed$overall[["sizes"]], 0)
  expect_true(all(mixed$overall[kinds] > 0))
  expect_match(printed(mixed), "two members", fixed = TRUE)
  expect_s3_class(plot(mixed, "households"), "ggplot")
})

test_that("tables of households are what counting by hand gives", {
  file <- data.frame(h = c(1, 1, 2, 3, 3, 3), x = c(1, 2, 1, 2, 2, 1))
  column <- list(
    spec = list(column = "x"), levels = c("a", "b"), codes = as.integer
  )
  case <- list(unit = "h", columns = list(x = column))
  found <- household_tables(file, case, 3, c(x = FALSE), list())
  names(found) <- sub(".*\r", "", names(found))
  expect_equal(found[["size"]], c(1, 1, 1))
  expect_equal(found[["members with x a"]], c(0, 3, 0, 0))
  expect_equal(found[["members with x b"]], c(1, 1, 1, 0))
  # Of 1 and 2; of 2, 2 and 1, where each meets two others
  pairs <- matrix(found[["x of two members"]], 3)
  expect_equal(pairs[1:2, 1:2], matrix(c(0, 2, 2, 1), 2))
  expect_equal(sum(pairs), 5)
  rows <- sample(6)
  again <- household_tables(file[rows, ], case, 3, c(x = FALSE), list())
  expect_equal(unname(again), unname(found))
})

test_that("two members are counted as a loop over them counts", {
  each <- withr::with_seed(1, matrix(rpois(60, 0.7), 20))
  each <- each[rowSums(each) > 0, ]
  found <- matrix(0, 3, 3)
  for (home in seq_len(nrow(each))) {
    codes <- rep(1:3, each[home, ])
    for (i in seq_along(codes)) {
      for (j in seq_along(codes)[-i]) {
        found[codes[i], codes[j]] <- found[codes[i], codes[j]] +
          1 / (length(codes) - 1)
      }
    }
  }
  expect_equal(two_members(each), found)
})

test_that("a fresh sample has whole households", {
  data <- home_persons(60)
  sample <- fresh_sample(data, 300, 1, "home")
  size <- tabulate(sample$home)
  own <- table(data$home)
  expect_true(all(size %in% own))
  expect_lt(abs(length(size) - 300 * 60 / nrow(data)), 1)
  expect_identical(fresh_sample(data, 300, 1, "home"), sample)
  # More records times households than whole numbers there are
  many <- data.frame(home = seq_len(50000))
  expect_identical(nrow(fresh_sample(many, 50000L, 1, "home")), 50000L)
  # It is as far off as it says
  release <- home_release(home_plan(data, home_members(4)))
  copy <- fresh_sample(data, nrow(data), 77, "home")
  found <- utility(resealed(synthesize(release), sets = list(copy)), data)
  kinds <- names(household_tables_of$households)
  ratios <- found$overall[paste0(kinds, "_ratio")]
  expect_true(all(ratios > 0.2 & ratios < 3))
})

test_that("numbers of households are no column to judge or to guess", {
  data <- home_persons(60)
  sets <- synthesize(home_release(home_plan(data)))
  found <- utility(sets, data, regression = work ~ .)
  expect_false("home" %in% found$columns)
  expect_false(any(grepl("home", found$coefficients$term)))
  expect_error(
    utility(sets, data, regression = work ~ home), "home",
    class = "pseudosynth_error_input"
  )
  expect_false("home" %in% risk(sets, data, "age")$table$column)
  expect_error(risk(sets, data, "home"), class = "pseudosynth_error_input")
  expect_identical(
    replicated_uniques(sets, data),
    replicated_uniques(sets, data, names(data)[-1])
  )
  expect_error(
    utility(sets, data[-1]), class = "pseudosynth_error_input"
  )
  data$home[1] <- NA
  expect_error(utility(sets, data), class = "pseudosynth_error_input")
})
