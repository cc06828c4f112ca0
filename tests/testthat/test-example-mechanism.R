# A mechanism that the package does not have: one definition, one line. It
# censors the likelihood under the same public weight for every record.

definition_halved <- function() {
  mechanism_definition(
    name = "halved", kind = "censored", label = "strict",
    title = "censored likelihood, public scalar weight",
    does = "censors under one public weight", short = "Halved",
    colour = "#117733", settings = list(by = 0.5),
    checks = list(by = function(x) check_number(x, above = 0, arg = "by")),
    stages = function(job) {
      weight <- public_scalar(job$mechanism$settings$by)
      clipped_stage(job, job_rule(job), weight)
    }
  )
}

local_halved <- function(frame = parent.frame()) {
  local_listed("mechanisms", list(halved = definition_halved()), frame)
}

test_that("a new mechanism is one definition and one line", {
  local_halved()
  run <- function(...) {
    suppressMessages(pseudo_posterior(
      log(income) ~ age, privacy_data(), gaussian(), ...,
      prior = prior_normal(1, c(10.8, 2.5)), chains = 2, warmup = 300,
      draws = 800, seed = 1, threads = 1
    ))
  }
  job <- run(mechanism = "halved", epsilon = 2, m = 2, by = 0.3)
  expect_identical(job$mechanism, "halved")
  expect_identical(guarantee(job)$label, "strict")
  expect_equal(guarantee(job)$epsilon$total[["add-remove"]], 2)
  expect_output(print(job), "public scalar weight")
  alpha <- final_fit(job)$spec$alpha
  expect_equal(range(alpha), c(0.3, 0.3))
  expect_error(
    run(mechanism = "halved", epsilon = 2, above = 1), "by",
    class = "pseudosynth_error_input"
  )
  expect_error(run(mechanism = "halved"), class = "pseudosynth_error_input")
})

test_that("a new mechanism is compared and audited like any other", {
  local_halved()
  data <- data.frame(y = rep(0:1, c(7, 13)))
  audit <- audit_guarantee(
    y ~ 1, data, bernoulli(),
    mechanism = "halved", epsilon = 1, prior = prior_normal()
  )
  expect_true(all(audit$worst$loss <= audit$worst$claim * (1 + 1e-9)))
  compared <- suppressMessages(compare(
    log(income) ~ age, privacy_data(), gaussian(),
    mechanisms = c("halved", "unweighted"), epsilon = 4, m = 1,
    prior = prior_normal(1, c(10.8, 2.5)), chains = 2, warmup = 300,
    draws = 800, seed = 1, threads = 1
  ))
  expect_identical(compared$table$mechanism, c("halved", "unweighted"))
})
