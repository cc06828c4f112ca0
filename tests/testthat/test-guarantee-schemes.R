# Labels of every weighting scheme: strict only where that is proven.

test_that("the label does not show that all weights happen to be 1", {
  fit <- unweighted_fit()
  label <- function(values) {
    weights <- made_by("lipschitz", map = "linear", values = values)
    guarantee(censored(with_weights(fit, weights)), public = TRUE)
  }
  expect_identical(label(1), label(c(0.5, 0.9)))
})

test_that("strict only for own-value weights and floored count weights", {
  local_untried_weights()
  label_of <- function(weights, clip = TRUE) {
    fit <- with_weights(unweighted_fit(), weights)
    guarantee(if (clip) censored(fit, 2) else fit)
  }
  strict <- list(
    NULL, made_by("public_scalar", character(), alpha = 0.5),
    frozen_by("public"), paid_by(0.2),
    made_by("count", scale = 0.5, shift = 0.5)
  )
  for (weights in strict) {
    expect_identical(label_of(weights)$label, "strict")
    expect_true(label_of(weights, FALSE)$label %in% c("none", "asymptotic"))
  }
  lw <- node_of(made_by("lipschitz", scale = 1, shift = 0.5))
  edited <- made_by("public_scalar", character(), alpha = 0.5)
  attr(edited, "arguments")$alpha <- 0.6
  claimed <- list(
    made_by("lipschitz", scale = 1, shift = 0.5),
    made_by("scalar", target = 1), made_by("reweighted", of = list(lw)),
    made_by("truncated", of = list(lw)), made_by("combined", of = list(lw, lw)),
    made_by("user", NA),
    made_by("count", scale = 1, shift = 0),
    made_by("count", scale = 1, shift = -0.1),
    made_by("scaled",
      of = list(node_of(made_by("count", scale = 0.5, shift = 0.5))),
      solved = TRUE, target = 1
    ),
    made_by("scaled", character(), of = list(lw)),
    made_by("reweighted", of = list(node_of(made_by("count",
      scale = 0.5, shift = 0.5
    )))),
    # Of its own file nothing is frozen
    frozen_by("public", own = "a file"),
    # A scheme's name alone raises nothing
    edited, structure(frozen_by("public"), arguments = list()),
    made_by("unheard_of", character()),
    structure(rep(0.5, 150),
      scheme = "public_scalar", class = c("privacy_weights", "numeric")
    )
  )
  for (weights in claimed) {
    expect_identical(label_of(weights)$label, "asymptotic")
    expect_false(label_of(weights)$holds)
    expect_match(
      paste(label_of(weights)$reasons, collapse = " "), "774|by hand"
    )
  }
})

test_that("count weights with a floor pay their factors", {
  fit <- censored(with_weights(
    unweighted_fit(), made_by("count", scale = 0.5, shift = 0.25)
  ), 2)
  epsilon <- guarantee(fit)$epsilon$per_draw
  expect_equal(epsilon[["add-remove"]], 2 * 3)
  expect_equal(epsilon[["replace"]], 2 * 4)
  expect_output(print(guarantee(fit)), "multiplied by\\s+3")
  # The bound shrinks contributions towards 0, which must be inside
  fit$censor$lower <- 1
  fit$censor$upper <- 3
  fit <- seal(fit)
  expect_identical(guarantee(fit)$label, "asymptotic")
})

test_that("a first stage is paid once", {
  local_untried_weights()
  fit <- censored(with_weights(
    unweighted_fit(), paid_by(0.2)
  ), 0.8)
  epsilon <- guarantee(fit, m = 3)$epsilon
  expect_equal(epsilon$one_off[["add-remove"]], 0.2)
  expect_equal(epsilon$one_off[["replace"]], 0.4)
  expect_equal(epsilon$total[["add-remove"]], 0.2 + 3 * 0.8)
  expect_equal(epsilon$total[["replace"]], 2 * (0.2 + 3 * 0.8))
})

test_that("a confidential history needs a label of its own", {
  text <- function(fit) paste(guarantee(fit)$reasons, collapse = " ")
  frozen <- function(history) {
    censored(with_weights(unweighted_fit(), frozen_by(history)))
  }
  expect_match(text(frozen("confidential")), "label of its own")
  expect_no_match(text(frozen("public")), "label of its own")
  fit <- censored(unweighted_fit())
  fit$censor$reference <- structure(
    list(origin = "history", values = c(sigma = 0.123456789)),
    class = "censor_reference"
  )
  fit$censor$window <- 4
  fit$censor$alpha <- 0.125
  fit <- seal(fit)
  expect_match(text(fit), "reference comes from an earlier file")
  label <- guarantee(fit, public = TRUE)
  expect_match(label$public_inputs[["reference"]], "fit on other data")
  expect_equal(count_held(label, 0.123456789), 0)
  fit$censor$reference$origin <- "public"
  fit <- seal(fit)
  expect_no_match(text(fit), "label of its own")
  expect_match(
    guarantee(fit)$public_inputs[["reference"]], "sigma = 0.123456789"
  )
})

test_that("dropped draws, an improper prior or no clip are never strict", {
  cut <- resealed(censored(unweighted_fit()), dropped = 1L)
  expect_identical(guarantee(cut)$label, "asymptotic")
  expect_match(guarantee(cut)$reasons, "dropped", all = FALSE)
  flat <- censored(unweighted_fit())
  flat$prior$scale <- Inf
  flat <- seal(flat)
  expect_identical(guarantee(flat)$label, "asymptotic")
})

test_that("risk weights claim nothing of their own", {
  risk <- made_by("risk")
  fit <- with_weights(unweighted_fit(), risk)
  expect_identical(guarantee(fit)$mechanism, "risk")
  derived <- list(
    risk, made_by("reweighted", of = list(node_of(risk))),
    made_by("truncated", of = list(node_of(risk))), scale_weights(risk, 0.5),
    combine_weights(risk, made_by("lipschitz"))
  )
  for (weights in derived) {
    fit <- with_weights(unweighted_fit(), weights)
    expect_identical(guarantee(fit)$label, "none")
    expect_identical(guarantee(censored(fit))$label, "asymptotic")
  }
})

test_that("every scheme has its name", {
  names <- c(
    lipschitz = "lw", count = "cw", risk = "risk", scalar = "scalar",
    truncated = "weighted_e", combined = "combined", user = "weighted"
  )
  for (scheme in names(names)) {
    fit <- with_weights(unweighted_fit(), made_by(scheme))
    expect_identical(mechanism_of(fit), names[[scheme]])
    expect_identical(
      mechanism_of(censored(fit)),
      switch(names[[scheme]],
        lw = "censor_w", cw = "censor_cw", paste0("censor_", names[[scheme]])
      )
    )
    expect_true(nzchar(describe_mechanism(censored(fit))))
  }
  final <- made_by("reweighted", of = list(node_of(made_by("count"))))
  expect_identical(
    mechanism_of(with_weights(unweighted_fit(), final)), "cw_final"
  )
})

test_that("what was solved from the file is no public input", {
  weights <- made_by("scaled",
    of = list(node_of(made_by("lipschitz", map = "linear"))),
    solved = TRUE, value = 0.123456789, target = 1
  )
  public <- guarantee(with_weights(unweighted_fit(), weights), public = TRUE)
  expect_match(public$public_inputs[["weights"]], "solved")
  expect_no_match(paste(format(public$public_inputs)), "0.1234")
})
