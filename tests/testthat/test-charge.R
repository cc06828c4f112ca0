test_that("a charge states both relations and how often it was paid", {
  one <- charge("a", "draw", by_relation(0.5), times = 3)
  expect_identical(one$add_remove, 0.5)
  expect_identical(one$replace, 1)
  expect_false(one$zcdp)
  total <- total_charges(one)
  expect_equal(total$epsilon, by_relation(1.5))
  expect_identical(total$delta, 0)
  expect_null(total$rho)
  expect_error(charge("a", "both", by_relation(1), rho = by_relation(1)))
  expect_error(charge("a", "neither"))
  expect_identical(total_charges(no_charges())$epsilon, by_relation(0))
})

test_that("the same identity is paid once, two identities twice", {
  a <- charge("a", "histogram", by_relation(1))
  b <- charge("b", "histogram", by_relation(1))
  expect_identical(nrow(join_charges(a, a, NULL, a)), 1L)
  expect_equal(total_charges(join_charges(a, b, a))$epsilon[[1]], 2)
  # More draws of the same order hold the fewer
  joined <- join_charges(
    charge("d", "draw", by_relation(0.2), times = 2), b,
    charge("d", "draw", by_relation(0.2), times = 5), a
  )
  expect_identical(joined$id, c("b", "d", "a"))
  expect_identical(joined$times, c(1, 5, 1))
  expect_identical(join_charges(joined, joined), joined)
  expect_error(
    join_charges(a, charge("a", "histogram", by_relation(2))),
    "one identity stands for two costs"
  )
  # What is not claimed stays one thing as well
  none <- charge("n", "draw", by_relation(NA_real_))
  expect_identical(nrow(join_charges(none, none)), 1L)
  expect_true(is.na(total_charges(join_charges(none, a))$epsilon[[1]]))
})

test_that("identities are random and say nothing", {
  withr::local_seed(1)
  state <- .Random.seed
  ids <- replicate(200, new_charge_id())
  expect_identical(.Random.seed, state)
  expect_identical(anyDuplicated(ids), 0L)
  expect_match(ids, "^[0-9a-f]{16}$")
  expect_identical(hashed_id("x", 1), hashed_id("x", 1))
  expect_false(hashed_id("x", 1) == hashed_id("x", 2))
})

# The conversion ---------------------------------------------------------------

brute_epsilon <- function(rho, delta) {
  a <- 1 + exp(seq(-12, 25, length.out = 2e5))
  max(0, min(rho * a - log(a * delta) / (a - 1) + log1p(-1 / a)))
}

test_that("zcdp_epsilon() is the smallest epsilon over the orders", {
  for (rho in c(1e-8, 1e-4, 0.01, 0.1, 0.5, 1, 5, 50, 1000)) {
    for (delta in c(1e-12, 1e-6, 1e-3, 0.1)) {
      expect_equal(
        zcdp_epsilon(rho, delta), brute_epsilon(rho, delta),
        tolerance = 1e-6
      )
    }
  }
})

test_that("zcdp_epsilon() lies between what is published and what is exact", {
  # Bun and Steinke (2016), Proposition 1.3: rho + 2 sqrt(rho log(1/delta))
  for (rho in c(0.01, 0.1, 1, 3)) {
    simple <- rho + 2 * sqrt(rho * log(1e6))
    expect_lt(zcdp_epsilon(rho, 1e-6), simple)
  }
  # The Gaussian mechanism is rho-zCDP with rho = mu^2 / 2; its own delta is
  # known exactly (Balle and Wang 2018, Theorem 8) and cannot be larger
  gaussian_delta <- function(mu, epsilon) {
    stats::pnorm(mu / 2 - epsilon / mu) -
      exp(epsilon) * stats::pnorm(-mu / 2 - epsilon / mu)
  }
  for (mu in c(0.1, 0.5, 1, 2)) {
    for (delta in c(1e-9, 1e-6, 1e-3)) {
      exact <- gaussian_delta(mu, zcdp_epsilon(mu^2 / 2, delta))
      expect_lte(exact, delta)
      expect_gt(exact, delta / 200)
    }
  }
  # The 2020 Census redistricting data were published with epsilon 17.14 for
  # persons (rho 2.56) and 2.47 for units (rho 0.07) at delta 1e-10 (Abowd and
  # others 2022); the rhos are rounded
  expect_lt(zcdp_epsilon(2.555, 1e-10), 17.14)
  expect_gt(zcdp_epsilon(2.565, 1e-10), 17.14)
  expect_lt(zcdp_epsilon(0.065, 1e-10), 2.47)
  expect_gt(zcdp_epsilon(0.075, 1e-10), 2.47)
})

test_that("nothing spent costs nothing, and no delta buys nothing", {
  expect_identical(zcdp_epsilon(0, 1e-6), 0)
  expect_identical(zcdp_epsilon(0.1, 0), Inf)
  expect_identical(zcdp_epsilon(Inf, 1e-6), Inf)
})

test_that("pure charges beside zCDP enter by half their square", {
  mixed <- join_charges(
    charge("p", "draw", by_relation(0.4), times = 3),
    charge("g", "noisy sum", rho = by_relation(0.01, 0.02), times = 2)
  )
  total <- total_charges(mixed, 1e-6)
  expect_equal(
    total$rho, by_relation(3 * 0.4^2 / 2 + 0.02, 3 * 0.8^2 / 2 + 0.04)
  )
  expect_equal(
    total$epsilon[["replace"]], brute_epsilon(3 * 0.32 + 0.04, 1e-6),
    tolerance = 1e-6
  )
  expect_identical(total$delta, 1e-6)
  # A pure epsilon is never stated better than it was paid
  for (epsilon in c(0.01, 0.1, 1, 10)) {
    alone <- total_charges(charge("p", "draw", by_relation(epsilon)), 1e-6)
    expect_identical(alone$epsilon[[1]], epsilon)
  }
  approximate <- charge("d", "other", by_relation(1), delta = 1e-6, times = 2)
  expect_equal(total_charges(approximate)$delta, 2e-6)
  expect_error(total_charges(rbind(mixed, approximate), 1e-6), "do not add up")
})

test_that("the mu of an epsilon gives it back", {
  for (delta in c(1e-30, 1e-9, 1e-3)) {
    for (epsilon in c(0.1, 1, 10)) {
      back <- zcdp_epsilon(zcdp_mu(epsilon, delta)^2 / 2, delta)
      expect_lte(back, epsilon)
      expect_equal(back, epsilon, tolerance = 1e-6)
    }
  }
})
