test_that("a record's vectors are what the tables say of it", {
  plan <- people_plan(people(150))
  release <- suppressWarnings(
    file_release(plan, 3, seed = 1), classes = "pseudosynth_warning"
  )
  shown <- record_vectors(release, plan, 7)
  table <- as.data.frame(shown)
  expect_identical(names(shown$vectors), table$part)
  # Of its own level L - 1, of the others -1, in a unit that is public
  level <- plan$codes[7, "sex"]
  factor <- release$block$looks[[1]]$noise$factor[2]
  expect_identical(release$block$tables[[2]], 2L)
  expect_equal(shown$vectors$sex, factor * ifelse(1:2 == level, 1, -1))
  expect_true(all(unlist(shown$vectors) == round(unlist(shown$vectors))))
  expect_identical(lengths(shown$vectors, FALSE), as.integer(table$numbers))
  expect_true(all(table$length <= table$bound))
  expect_equal(table$share, table$length / table$noise)
  # All together as the audit counts it
  expect_equal(shown$moved, sqrt(sum(table$share^2)))
  records <- measured_records(release, file_records(plan))
  moves <- Reduce(`+`, lapply(file_measurements(release), function(x) {
    moves_of(x, records_for(x, records))
  }))
  expect_equal(shown$moved^2, moves[7])
  expect_lte(shown$moved, shown$claimed)
  expect_match(printed(shown), "for the agency only", fixed = TRUE)
  # A record of the same file without it
  fewer <- plan
  fewer$codes <- plan$codes[-7, ]
  own <- Filter(function(m) is.null(m$about), file_measurements(release))
  for (m in own) {
    difference <- Map(
      `-`, whole_sums(m, plan$codes), whole_sums(m, fewer$codes)
    )
    expect_equal(
      difference, unname(shown$vectors[m$parts]), ignore_attr = TRUE
    )
  }
})

test_that("all records of a unit are shown together", {
  plan <- household_plan(100)
  release <- suppressWarnings(
    file_release(plan, 3, seed = 1), classes = "pseudosynth_warning"
  )
  of_unit <- which(plan$unit$index == plan$unit$index[4])
  expect_length(of_unit, 2)
  shown <- record_vectors(release, plan, 4)
  expect_identical(shown$records, 2L)
  expect_identical(
    shown$vectors, record_vectors(release, plan, setdiff(of_unit, 4))$vectors
  )
  one <- file_measurements(release)[[1]]
  # As many records as a unit may have
  expect_equal(
    shown$table$bound[1], 3 * one$bound("gaussian")[["add-remove"]]
  )
  expect_equal(shown$vectors[[1]], 2 * one$noise$factor)
  expect_true(all(shown$table$length <= shown$table$bound))
  expect_lte(shown$moved, shown$claimed)
})

test_that("records of scores and histograms are shown, too", {
  data <- ce_positive(200)
  release <- ce_release(data, epsilon = 1, bounds = c(10, 2e6), delta = 0)
  shown <- record_vectors(release, data, 3)
  expect_identical(shown$unit, "epsilon")
  expect_identical(shown$table$part, c("margin", "step 1", "step 2"))
  expect_equal(shown$table$length, unname(vapply(
    shown$vectors, function(v) sum(abs(v)), 0
  )))
  expect_lte(shown$moved, shown$claimed)
  counted <- perturbed_histogram(log(income) ~ 1, data,
    bounds = c(10, 2e6), bins = 9, epsilon = 0.5, neighbours = "replace"
  )
  shown <- record_vectors(counted, data, 3)
  bin <- findInterval(log(data$income[3]), counted$breaks)
  expect_identical(shown$vectors$counts, as.double(1:9 == bin))
  expect_equal(c(shown$moved, shown$claimed), c(0.25, 0.25))
  expect_identical(shown$table$bound_replace, 2)
  same <- record_vectors(counted, data, 3)
  expect_identical(same, shown)
})

test_that("what is no release, or not of this file, is refused", {
  plan <- people_plan(people(100))
  release <- suppressWarnings(
    file_release(plan, 3, seed = 1), classes = "pseudosynth_warning"
  )
  refused <- function(..., class = "pseudosynth_error_input") {
    expect_error(record_vectors(...), class = class)
  }
  refused(plan, plan, 1)
  refused(release, people(100), 1)
  refused(release, people_plan(people(100), publish = "sex"), 1)
  refused(release, plan, 101)
  refused(release, plan, 0)
  release$block$n <- 5
  refused(release, plan, 1, class = "pseudosynth_error_edited")
})
