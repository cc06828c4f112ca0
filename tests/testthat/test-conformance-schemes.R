# Every scheme in the list keeps the same facts (helper-conformance.R). A scheme
# without a case fails here: write one.

# Long: `make test` runs it, R CMD check only where NOT_CRAN is set.
skip_on_cran()

own_file <- function(context, variant) list(context$data)

past_file <- function(context, variant) list(context$history)

no_file <- function(context, variant) list()

weighted_fit <- function(fit, weights) {
  suppressWarnings(
    update(fit, privacy_weights = weights, seed = 3),
    classes = "pseudosynth_warning_convergence"
  )
}

lw_of <- function(fit, ...) {
  lipschitz_weights(fit, ..., allow_unconverged = TRUE)
}

cw_of <- function(fit, shift = 0.4, ...) {
  count_weights(fit, radius = 0.2, scale = 0.5, shift = shift, ...)
}

final_of <- function(fit, weights = lw_of(fit)) {
  reweighted_weights(weighted_fit(fit, weights), 0.9)
}

truncated_of <- function(fit, weights = lw_of(fit, shift = 0.1)) {
  fit <- weighted_fit(fit, weights)
  truncate_weights(fit, 1.8 * fit$bound$overall, allow_unconverged = TRUE)
}

solved_of <- function(fit, weights, by = "scale") {
  share <- if (by == "scale") 0.6 else 1.3
  at <- max(as.double(weights) * fit$bound$record)
  suppressWarnings(
    solve_weights(
      fit, share * at, weights, by,
      tolerance = 0.5, allow_unconverged = TRUE, seed = 1
    )$privacy_weights,
    classes = "pseudosynth_warning_convergence"
  )
}

# A rule of the past, for the records of now
frozen_of <- function(context, weights = lw_of(context$past), ...) {
  predict(freeze(weights, ...), context$data)
}

paid_of <- function(context, seed = 1) {
  centre <- if (context$name == "usual") {
    list("(Intercept)" = 10.8, sigma = 1)
  }
  two_stage_weights(
    context$fit, 0.5, c(0.5, 6),
    reference = centre, chains = by_night(4, 2), draws = by_night(1500, 500),
    seed = seed
  )
}

scheme_cases <- list(
  lipschitz = list(
    weights = list(
      linear = function(context) lw_of(context$fit, 0.8, 0.1),
      inverse = function(context) lw_of(context$fit, 2, map = "inverse"),
      softmax = function(context) lw_of(context$fit, map = "softmax"),
      logistic = function(context) {
        lw_of(context$fit, map = "logistic", quantile = 0.9)
      }
    ),
    files = own_file,
    bad = list(
      function(context) lw_of(context$fit, scale = -1),
      function(context) lw_of(context$fit, shift = NA),
      function(context) lw_of(context$fit, map = "cubic"),
      function(context) lw_of(weighted_fit(context$fit, 0.5))
    )
  ),
  count = list(
    weights = list(
      floor = function(context) cw_of(context$fit),
      scaled = function(context) scale_weights(cw_of(context$fit), 0.8, 0.1),
      no_floor = function(context) cw_of(context$fit, shift = 0),
      absolute = function(context) cw_of(context$fit, relative = FALSE)
    ),
    files = own_file,
    again = function(data) {
      count_weights("y", data, radius = 0.3, scale = 0.6, shift = 0.2)
    },
    bad = list(
      function(context) count_weights(context$fit),
      function(context) count_weights(context$fit, radius = -1),
      function(context) count_weights("nothing", context$data, radius = 1),
      function(context) {
        response <- context$fit$response$name
        count_weights(response, context$data[0, , drop = FALSE], radius = 1)
      },
      function(context) cw_of(context$fit, known = "nothing")
    )
  ),
  risk = list(
    weights = list(usual = function(context) {
      sets <- synthesize(context$fit, 2, seed = 1, allow_unconverged = TRUE)
      risk_weights(sets, context$fit, radius = 0.2)
    }),
    files = own_file,
    bad = list(function(context) {
      risk_weights(list(context$data), context$data, radius = 0.2)
    })
  ),
  scalar = list(
    weights = list(
      bound = function(context) {
        suppressWarnings(
          solve_weights(
            context$fit, 0.6 * context$fit$bound$overall,
            tolerance = 0.5, allow_unconverged = TRUE, seed = 1
          )$privacy_weights,
          classes = "pseudosynth_warning_convergence"
        )
      },
      solved = function(context) solved_of(context$fit, public_scalar(1))
    ),
    files = own_file,
    bad = list(
      function(context) solve_weights(context$fit),
      function(context) solve_weights(context$fit, 1, risk = 0.5),
      function(context) solve_weights(context$fit, -1)
    )
  ),
  reweighted = list(
    weights = list(
      lw = function(context) final_of(context$fit),
      cw = function(context) final_of(context$fit, cw_of(context$fit)),
      twice = function(context) {
        final_of(context$fit, final_of(context$fit))
      },
      public = function(context) final_of(context$fit, public_scalar(0.5))
    ),
    files = own_file,
    bad = list(
      function(context) reweight(context$fit),
      function(context) reweight(weighted_fit(context$fit, 0.5), k = 2)
    )
  ),
  truncated = list(
    weights = list(
      lw = function(context) truncated_of(context$fit),
      twice = function(context) {
        truncated_of(context$fit, truncated_of(context$fit))
      },
      public = function(context) truncated_of(context$fit, public_scalar(0.5))
    ),
    files = own_file,
    bad = list(
      function(context) truncate_weights(context$fit, 1),
      function(context) truncate_weights(weighted_fit(context$fit, 0.5), 0),
      function(context) truncate_weights(weighted_fit(context$fit, 0.5), 1e-9)
    )
  ),
  combined = list(
    weights = list(
      file = function(context) {
        combine_weights(
          lw_of(context$fit), cw_of(context$fit), public_scalar(0.9)
        )
      },
      own = function(context) {
        combine_weights(
          paid_of(context), frozen_of(context),
          frozen_of(context, cw_of(context$past))
        )
      }
    ),
    files = function(context, variant) {
      c(list(context$data), if (variant == "own") list(context$history))
    },
    bad = list(
      function(context) combine_weights(cw_of(context$fit)),
      function(context) combine_weights(cw_of(context$fit), c(0.5, 1))
    )
  ),
  scaled = list(
    weights = list(
      stated = function(context) scale_weights(lw_of(context$fit), 0.6, 0.1),
      twice = function(context) {
        scale_weights(scale_weights(lw_of(context$fit), 0.6), 0.9, 0.1)
      },
      solved = function(context) solved_of(context$fit, lw_of(context$fit)),
      shifted = function(context) {
        solved_of(
          context$fit, lw_of(context$fit, scale = 0.5),
          by = "shift"
        )
      },
      solved_floor = function(context) {
        solved_of(context$fit, cw_of(context$fit))
      },
      solved_scaled = function(context) {
        solved_of(context$fit, scale_weights(lw_of(context$fit), 0.9, 0.05))
      }
    ),
    files = own_file,
    bad = list(
      function(context) scale_weights(lw_of(context$fit), -1),
      function(context) scale_weights(0.5, 0.5),
      function(context) solve_weights(context$fit, 1, by = "luck")
    )
  ),
  frozen = list(
    weights = list(
      lw = function(context) frozen_of(context),
      maps = function(context) {
        frozen_of(context, lw_of(context$past, 0.9, 0.05, "softmax"), "public")
      },
      cw = function(context) frozen_of(context, cw_of(context$past)),
      final = function(context) frozen_of(context, final_of(context$past)),
      truncated = function(context) {
        frozen_of(context, truncated_of(context$past))
      },
      solved = function(context) {
        frozen_of(context, solved_of(context$past, lw_of(context$past)))
      },
      scaled = function(context) scale_weights(frozen_of(context), 0.7, 0.1)
    ),
    files = past_file,
    bad = list(
      function(context) freeze(0.5),
      function(context) freeze(lw_of(context$past), history = "secret"),
      function(context) {
        predict(freeze(lw_of(context$past)), data.frame(other = 1:3))
      }
    )
  ),
  two_stage = list(
    weights = list(
      usual = function(context) paid_of(context),
      scaled = function(context) scale_weights(paid_of(context), 0.7, 0.1)
    ),
    files = own_file,
    bad = list(
      function(context) two_stage_weights(context$fit, 0, c(1, 2)),
      function(context) two_stage_weights(context$fit, 1, c(2, 1))
    )
  ),
  public_scalar = list(
    weights = list(
      one = function(context) public_scalar(0.5),
      all = function(context) {
        as_privacy_weights(public_scalar(0.3), nrow(context$data))
      }
    ),
    files = no_file,
    bad = list(
      function(context) public_scalar(1.5),
      function(context) public_scalar(NA),
      function(context) public_scalar(c(0.5, 0.5)),
      function(context) public_scalar(lw_of(context$fit))
    )
  ),
  user = list(
    weights = list(
      vector = function(context) {
        as_privacy_weights(
          rep(c(0.4, 0.8), length.out = nrow(context$data)),
          nrow(context$data)
        )
      },
      number = function(context) as_privacy_weights(0.5, nrow(context$data)),
      edited = function(context) {
        as_privacy_weights(pmin(lw_of(context$fit), 0.5), nrow(context$data))
      }
    ),
    files = no_file,
    bad = list(
      function(context) weighted_fit(context$fit, 2),
      function(context) weighted_fit(context$fit, c(0.5, 0.5))
    )
  )
)

test_that("every scheme has a case", {
  expect_setequal(names(scheme_cases), names(weighting_schemes()))
})

for (name in names(weighting_schemes())) {
  test_that(paste("the scheme", name, "conforms"), {
    expect_conforms(name, scheme_cases[[name]])
  })
}

test_that("one record and a model fitted elsewhere keep their schemes", {
  one <- list(
    count_weights("y", data.frame(y = 3), radius = 0.1, shift = 0.5),
    lipschitz_weights(matrix(c(-1, -2), 2, 1)), public_scalar(1),
    scale_weights(count_weights("y", data.frame(y = 3), radius = 0.1), 0.5)
  )
  for (weights in one) {
    expect_length(weights, 1)
    expect_output(print(weights), "Privacy weights")
    expect_false(node_of(weights)$scheme == "user")
    expect_no_error(guarantee(labelled_fit(
      usual_context()$fit, as_privacy_weights(rep(weights, 60), 60)
    )))
  }
  # Draws of a function: its hash outlives compilation and saving
  f <- function(data_i, draws) {
    stats::dnorm(data_i$y, draws[, 1], 1, log = TRUE)
  }
  data <- data.frame(y = c(0.3, 1, 2.5, 4))
  draws <- matrix(seq(0.5, 2, length.out = 400))
  fit <- external_fit(
    f,
    refit = function(alpha, ...) draws, data = data, draws = draws,
    chains = 4, converged = TRUE
  )
  weights <- lipschitz_weights(fit, allow_unconverged = TRUE)
  expect_identical(dependency_of(weights)$kind, "other records")
  for (call in 1:5) f(data[1, , drop = FALSE], draws)
  path <- withr::local_tempfile()
  saveRDS(weights, path)
  expect_identical(node_of(readRDS(path))$scheme, "lipschitz")
  expect_identical(node_of(weights)$scheme, "lipschitz")
  expect_equal(
    defined_values(node_of(weights), data), as.double(weights)
  )
  rule <- freeze(weights)
  expect_identical(dependency_of(predict(rule, data))$kind, "other records")
  other <- predict(rule, data.frame(y = c(7, 8, 9)))
  expect_identical(dependency_of(other)$kind, "own record")
})
