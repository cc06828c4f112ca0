test_that("a replicate of the beta simulation has every mechanism", {
  file <- system.file("studies", "beta_simulation.R", package = "pseudosynth")
  study <- new.env()
  sys.source(file, study)
  found <- study$beta_simulation(1, n = 300, epsilons = c(5, 4))
  expect_setequal(unique(found$mechanism), c(
    "Unweighted", "Weighted", "Weighted-e", "Censor_w", "Censor_uw", "PH",
    "Weighted, downscaled", "Weighted-e, downscaled", "Censor_w, downscaled",
    "centred"
  ))
  clipped <- found$mechanism %in% c("Censor_uw", "Censor_w")
  expect_true(all(found$delta[clipped] <= found$epsilon[clipped] / 2 + 1e-12))
  again <- study$beta_simulation(1, n = 300, epsilons = c(5, 4))
  expect_identical(found, again)
})

test_that("the stored table is the full size of the study", {
  file <- system.file(
    "studies", "beta_simulation.csv.gz",
    package = "pseudosynth"
  )
  stored <- read.csv(gzfile(file))
  expect_equal(nrow(stored), 1800)
  expect_equal(sort(unique(stored$replicate)), 1:100)
  # the gates of the study: published 247, 419, 809
  uw <- stored[stored$mechanism == "Censor_uw", ]
  means <- tapply(uw$touched, uw$epsilon, mean)
  expect_true(all(abs(means[c("5", "4", "3")] / c(247, 419, 809) - 1) < 0.1))
})

test_that("the walk from local to global bounds is repeatable", {
  study <- new.env()
  sys.source(
    system.file("studies", "local_to_global.R", package = "pseudosynth"), study
  )
  found <- study$local_to_global(1, n = 200)
  expect_equal(nrow(found), 6)
  expect_identical(found, study$local_to_global(1, n = 200))
  lw <- found$release == "LW"
  expect_true(all(found$delta[lw] < found$delta[found$release == "Unweighted"]))
})
