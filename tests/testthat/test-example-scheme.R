# The scheme of the vignette "Adding a weighting scheme" in the package's list.
test_that("the example scheme conforms", {
  sys.source(
    system.file("examples", "tail_weights.R", package = "pseudosynth"),
    environment()
  )
  local_scheme(tail_scheme())
  expect_conforms("tail", list(
    weights = list(usual = function(context) {
      y <- context$data[[1]]
      middle <- range(y) + c(0.2, -0.1) * diff(range(y))
      tail_weights(context$fit, lower = middle[1], upper = middle[2])
    }),
    files = function(context, variant) list(),
    definition = function(basis, data, inner) {
      vapply(data[[basis$variable]], function(y) {
        if (y <= basis$lower) {
          1
        } else if (y >= basis$upper) {
          0
        } else {
          1 - (y - basis$lower) / (basis$upper - basis$lower)
        }
      }, 0)
    },
    bad = list(
      function(context) tail_weights(context$fit, lower = 2, upper = 1),
      function(context) tail_weights("nothing", context$data, 1, 2),
      function(context) tail_weights(context$fit, lower = NA, upper = 1)
    )
  ))
})

test_that("a scheme that is not in the list counts as unknown", {
  unknown <- new_privacy_weights(
    c(0.5, 1), "tail", list(),
    made_from = character()
  )
  expect_identical(dependency_of(unknown)$kind, "unknown")
  expect_output(print(unknown), "unknown origin")
})

failures_of <- function(code) {
  failures <- 0
  withCallingHandlers(code, expectation_failure = function(e) {
    failures <<- failures + 1
    invokeRestart("continue_test")
  }, expectation_success = function(e) invokeRestart("continue_test"))
  failures
}

test_that("the conformance test sees what is wrong with a scheme", {
  sys.source(
    system.file("examples", "tail_weights.R", package = "pseudosynth"),
    environment()
  )
  case <- list(
    weights = list(usual = function(context) {
      tail_weights(context$fit, lower = 0.5, upper = 0.9)
    }),
    files = function(context, variant) list(), bad = list()
  )
  context <- worst_context()
  right <- tail_scheme()
  # Weights of the file that say they are the record's own
  leaky <- right
  leaky$rule <- function(node, data, inner) {
    right$rule(node, data, inner) / max(1, sum(data$y))
  }
  local_scheme(leaky)
  weights <- case$weights$usual(context)
  expect_gt(failures_of(expect_own(weights, context, "leaky")), 0)
  expect_gt(failures_of(expect_rule(weights, context, "leaky")), 0)
  expect_equal(failures_of(expect_names(weights, "leaky")), 0)
})
