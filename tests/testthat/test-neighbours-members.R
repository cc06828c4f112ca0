# Exact audits on pairs of files that differ in one household, or one person
# with all waves; tests/faults/neighbours.R runs thousands.

pairs_of <- function(pairs, seed, ...) {
  withr::with_seed(seed, {
    case <- random_units(..., homes = 15)
    case[c("epsilon", "delta")] <- c(2, 1e-6)
    case$neighbours <- "add-remove"
    # What moves the sums far
    far <- c("alike", "far", "different", "bounds")
    compared_case(case, pairs, by_night(unit_sorts, far))
  })
}

expect_paid <- function(found, kinds) {
  expect_identical(unique(found$bad), "")
  most <- function(what, of) max(found[[of]][found$what == what])
  expect_lte(max(found$ratio), 1 + 1e-9)
  # Some of them are as far out as there is room for
  for (kind in kinds) {
    expect_gt(most(kind, "length"), 0.9, label = kind)
    expect_lte(most(kind, "length"), 1 + 1e-12, label = kind)
  }
  expect_gt(most("all", "ratio"), 0.6)
}

test_that("a household with amounts moves what it pays for, alone", {
  found <- pairs_of(
    by_night(60, 3), 21,
    panel = FALSE, slots = 2, own = c("age", "income"),
    shared = c("region", "home_income"), linked = FALSE
  )
  expect_paid(found, c(
    "number of records", "tables", "tables of members", "margin", "steps"
  ))
})

test_that("a person with all waves moves what is paid for, alone", {
  found <- pairs_of(
    by_night(60, 12), 23,
    panel = TRUE, slots = 3, own = c("work", "free"), shared = "region",
    complete = FALSE
  )
  expect_paid(found, c("number of records", "tables", "margin", "links"))
})
