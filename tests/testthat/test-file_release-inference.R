paid_file <- function(n) {
  group <- sample(1:3, n, TRUE, c(0.5, 0.3, 0.2))
  sex <- 1L + (stats::runif(n) < 0.4 + 0.1 * (group == 2))
  pay <- exp(9 + c(0, 0.5, -0.4)[group] + 0.3 * (sex == 2) +
    0.5 * stats::rnorm(n))
  pay <- round(pmin(pmax(pay, 101), 9e5))
  pay[stats::runif(n) < c(0.1, 0.2)[sex]] <- 0
  data.frame(
    group = factor(c("a", "b", "c")[group]), sex = factor(c("f", "m")[sex]),
    pay = pay
  )
}

paid_book <- function(data) {
  book <- as.data.frame(draft_codebook(data))
  pay <- book$column == "pay"
  book[pay, c("lower", "upper", "transform")] <- c("0", "1e6", "log")
  book$zero[pay] <- TRUE
  confirm_codebook(codebook(book))
}

paid_release <- function() {
  remember("paid release", {
    data <- withr::with_seed(3, paid_file(1000))
    suppressWarnings(
      file_release(file_plan(data, paid_book(data)), 5, seed = 1)
    )
  })
}

test_that("coefficients have the names of lm() and their covariance", {
  release <- paid_release()
  b <- coef(release)
  expect_identical(
    names(b), c("(Intercept)", "groupb", "groupc", "sexm")
  )
  expect_identical(dimnames(vcov(release)), list(names(b), names(b)))
  ends <- confint(release, "sexm", amount = "pay")
  half <- stats::qnorm(0.975) * sqrt(vcov(release)["sexm", "sexm"])
  expect_equal(unname(ends[1, ]), b[["sexm"]] + c(-half, half))
  table <- as.data.frame(release)
  expect_identical(table$term, names(b))
  expect_identical(generics::tidy(release), table)
  expect_error(coef(release, "cake"), class = "pseudosynth_error_input")
  expect_error(confint(release, "cake"), class = "pseudosynth_error_input")
})

test_that("releases without coefficients say so, and one row tells the label", {
  release <- paid_release()
  label <- guarantee(release)
  row <- generics::glance(release)
  expect_identical(row$label, "strict")
  expect_identical(row$replace, label$epsilon$total[["replace"]])
  bins <- perturbed_histogram(log(income) ~ 1, ce_positive(200),
    bounds = c(10, 2e6), epsilon = 1, seed = 1
  )
  scores <- ce_release(ce_positive(200), epsilon = 4)
  for (ask in list(coef, vcov, confint)) {
    expect_error(ask(bins), class = "pseudosynth_error_input")
    # One response has no amounts
    expect_error(ask(scores, amount = "income"), "only applies to a file")
  }
})

test_that("the summary has each statistic, the same at every call", {
  release <- paid_release()
  whole <- summary(release)
  found <- whole$table
  expect_identical(found$statistic, c(
    "mean", "mean with zeros", "10%", "25%", "50%", "75%", "90%"
  ))
  expect_identical(summary(release)$table, found)
  expect_true(all(found$noise > 0 & found$noise < found$std_error))
  expect_true(all(diff(found$estimate[3:7]) > 0))
  expect_output(print(whole), "mean with zeros")
})

test_that("many margins are drawn as each by itself", {
  amount <- paid_release()$amounts$pay
  known <- known_margin(amount)
  value <- exp(known$parts$breaks[-1])
  means_of <- function(counts) colSums(counts * value) / colSums(counts)
  random <- random_stream(c(1, 2, 3, 4), 1)
  n <- by_night(1000, 500)
  many <- drawn_margins(known, random, n)
  expect_identical(ncol(many), as.integer(n))
  many <- means_of(many)
  alone <- means_of(vapply(seq_len(n / 5), function(k) {
    drawn_margin(known, random)$counts
  }, value))
  # Draws beside each other know next to nothing of each other
  expect_lt(abs(stats::cor(many[-1], many[-n])), 5.5 / sqrt(n))
  z <- (mean(many) - mean(alone)) / (stats::sd(many) / sqrt(n / 6))
  expect_lt(abs(z), 5)
  # Of 200 draws alone a statistic was off by a fourteenth of its noise, in all
  # releases to the same side
  other <- drawn_margins(known, random_stream(c(5, 6, 7, 8), 1), n)
  z <- (mean(many) - mean(means_of(other))) / stats::sd(many)
  expect_lt(abs(z), 5.5 * sqrt(2 / n))
})

test_that("a file's own coefficients are between prior and noisy ones", {
  release <- paid_release()$amounts$pay
  file <- release$file
  # What the noise hides is less than noise and sample together
  expect_true(all(diag(file$covariance) > 0))
  gap <- eigen(
    release$covariance - file$covariance, only.values = TRUE
  )$values
  expect_gt(min(gap), 0)
})

test_that("uncertain sets differ by what the noise hides, and can be pooled", {
  release <- paid_release()
  m <- by_night(3, 2)
  sets <- synthesize(release, m, uncertainty = TRUE, seed = 1)
  expect_identical(sets$made_by$combine, "rubin")
  expect_identical(synthesize(release, m, uncertainty = TRUE, seed = 1)[[2]],
    sets[[2]]
  )
  expect_false(identical(sets[[1]], sets[[2]]))
  expect_identical(lapply(sets[[1]], levels), lapply(
    synthesize(release, seed = 1)[[1]], levels
  ))
  expect_match(
    guarantee(sets)$public_inputs[["sets"]], "multiple imputation"
  )
  expect_error(
    synthesize(release, 2, uncertainty = TRUE, n = 50),
    class = "pseudosynth_error_input"
  )
  best <- synthesize(release, 2, seed = 1)
  expect_error(
    pool(with(best, lm(log1p(pay) ~ sex))), class = "pseudosynth_error_input"
  )
})

test_that("counts are drawn from a normal law without negative parts", {
  random <- random_stream(c(1, 2, 3, 4), 1)
  noisy <- c(3, -1, 8)
  n <- by_night(1200, 600)
  draws <- replicate(n, drawn_counts(noisy, 4, random))
  expect_equal(colSums(draws), rep(10, n))
  expect_true(all(draws >= 0))
  # By enumeration on a grid of the simplex
  grid <- expand.grid(a = seq(0, 10, 0.05), b = seq(0, 10, 0.05))
  grid$c <- 10 - grid$a - grid$b
  grid <- grid[grid$c >= 0, ]
  density <- exp(-colSums((t(grid) - noisy)^2) / 8)
  known <- colSums(grid * density) / sum(density)
  # Five and a half standard errors of draws with a deviation of at most 2
  expect_lt(max(abs(rowMeans(draws) - known)), 5.5 * 2 / sqrt(n))
})

test_that("interactions are drawn around the shrunk ones", {
  random <- random_stream(c(1, 2, 3, 4), 2)
  levels <- c(3, 4)
  residual <- centred_table(c(60, -30, 5, 0, 40, -20, 7, 12, -9, 3, 1, 2) * 5,
    levels
  )
  axes <- lapply(levels, function(l) axes_of(expected_alike(rep(1, l))))
  draws <- replicate(
    by_night(2000, 1000), drawn_residual(residual, axes, 25, random)
  )
  expect_equal(
    max(abs(apply(draws, 2, function(x) rowSums(matrix(x, 3))))), 0,
    tolerance = 1e-8
  )
  # Nearly all is signal: the mean is near, the variance that of the noise
  expect_lt(max(abs(rowMeans(draws) - residual)), 6)
  spread <- mean(apply(draws, 1, stats::var))
  expect_gt(spread, 0.8 * 25 * 6 / 12)
  expect_lt(spread, 1.1 * 25 * 6 / 12)
})

test_that("intervals of a small case cover", {
  skip_unless_nightly()
  population <- withr::with_seed(11, paid_file(1e5))
  truth <- as.vector(table(population[c("group", "sex")])) / 1e5
  book <- confirm_codebook(draft_codebook(population[c("group", "sex")]))
  held <- withr::with_seed(12, vapply(1:80, function(k) {
    data <- population[sample(nrow(population), 800), c("group", "sex")]
    release <- file_release(file_plan(data, book), 2, seed = k)
    cells <- as.data.frame(tables(release, c("group", "sex")))
    sets <- synthesize(release, 5, uncertainty = TRUE, seed = k)
    pooled <- as.data.frame(pool(with(sets, {
      p <- as.vector(table(group, sex)) / length(sex)
      names(p) <- paste("cell", 1:6)
      list(estimate = p, variance = p * (1 - p) / length(sex))
    })))
    c(
      mean(cells$low <= truth & truth <= cells$high),
      mean(pooled$conf_low <= truth & truth <= pooled$conf_high),
      # How much longer the noise makes them
      mean(cells$std_error / sqrt(truth * (1 - truth) / 800))
    )
  }, numeric(3)))
  # At .95 a mean of 80 files below .85 has a chance below one in a million,
  # were all six cells of a file held or missed together
  expect_gt(mean(held[1, ]), 0.85)
  expect_gt(mean(held[2, ]), 0.85)
  expect_lt(mean(held[3, ]), 2)
})

test_that("coefficients of a small case cover", {
  skip_unless_nightly()
  skip_on_cran()
  population <- withr::with_seed(11, paid_file(1e5))
  book <- paid_book(population)
  positive <- population[population$pay > 0, ]
  b <- coef(stats::lm(log(pay) ~ group + sex, positive))[-1]
  miss <- withr::with_seed(13, vapply(1:12, function(k) {
    data <- population[sample(nrow(population), 1500), ]
    release <- suppressWarnings(
      file_release(file_plan(data, book), 5, seed = k)
    )
    (coef(release)[names(b)] - b) / sqrt(diag(vcov(release)))[names(b)]
  }, numeric(3)))
  # A sum of squares of 36 normal numbers: mean 1, deviation .24
  expect_gt(mean(miss^2), 0.2)
  expect_lt(mean(miss^2), 2.7)
})

test_that("clipped scores of an amount are warned of without a reference", {
  clipped <- paid_release()
  clipped$amounts$pay$steps[[2]][c("share", "share_noise")] <- list(0.01, 0.01)
  expect_warning(
    confint(clipped), "noisy margin", class = "pseudosynth_warning_reference"
  )
})
