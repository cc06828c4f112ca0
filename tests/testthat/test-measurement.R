# Every measurement keeps one law, whatever release it is of: what a record adds
# is whole and within the public bound, the sums are those of all records, the
# cost is what was charged, and no record moves more than that.

# The sums that a release hears before their noise, in order
heard_by <- function(call) {
  heard <- list()
  own <- noisy_sums
  local_fault(noisy_sums = function(sums, noise, seed, what) {
    heard[[length(heard) + 1]] <<- list(what = what, sums = sums)
    own(sums, noise, seed, what)
  })
  release <- suppressWarnings(
    suppressMessages(call()), classes = "pseudosynth_warning"
  )
  list(release = release, heard = heard)
}

expect_one_law <- function(x, records, others, n, charges, neighbours,
                           delta, unit, heard) {
  for (m in x) {
    laplace <- is_laplace(m$noise)
    norm <- function(v) {
      if (laplace) rowSums(abs(v)) else sqrt(rowSums(v^2))
    }
    own <- records(m)
    far <- others(m)
    sums <- whole_sums(m, own)
    bound <- bounds_of(m)
    expect_length(sums, length(m$parts))
    of_vectors <- list(dropped = 0, replaced = 0)
    for (part in seq_along(m$parts)) {
      v <- m$vectors(own, part)
      w <- m$vectors(far, part)
      expect_identical(dim(v), c(n, as.integer(m$size[part])))
      expect_true(all(v == round(v)) && all(w == round(w)))
      expect_true(max(abs(v), abs(w)) < 2^53)
      expect_equal(sums[[part]], colSums(v), tolerance = 1e-14)
      expect_lte(max(norm(v), norm(w)), bound[part, 1] * (1 + 1e-12))
      expect_lte(max(norm(v - w)), bound[part, 2] * (1 + 1e-12))
      power <- if (laplace) 1 else 2
      of_vectors$dropped <- of_vectors$dropped +
        (norm(w) / m$noise$scale[part])^power
      of_vectors$replaced <- of_vectors$replaced +
        (norm(v - w) / m$noise$scale[part])^power
    }
    # By inner products where there are many numbers
    expect_equal(moves_of(m, far), of_vectors$dropped)
    expect_equal(moves_of(m, own, far), of_vectors$replaced, tolerance = 1e-6)
  }
  # What the release added up is what its measurements say, and nothing else
  pays <- unique(vapply(x, `[[`, "", "what"))
  expect_setequal(pays, vapply(heard, `[[`, "", "what"))
  for (what in pays) {
    mine <- Filter(function(m) m$what == what, x)
    expect_identical(
      unlist(lapply(mine, function(m) whole_sums(m, records(m)))),
      unlist(lapply(Filter(function(h) h$what == what, heard), `[[`, "sums"))
    )
    cost <- cost_of(mine)
    paid <- charges[charges$what == what, ]
    if (nrow(paid) == 0) paid <- charges[grepl(what, charges$what), ]
    fields <- if (is.null(cost$rho)) {
      c("add_remove", "replace")
    } else {
      c("rho_add_remove", "rho_replace")
    }
    charged <- unlist(paid[fields])
    spent <- unit^2 * (cost$rho %||% cost$epsilon)
    expect_true(all(spent <= charged * (1 + 1e-9)))
    of <- relation_names == neighbours
    expect_gt(spent[of], 0.99 * charged[of])
  }
  total <- 2 * unlist(cost_of(x)[c("rho", "epsilon")])
  if (delta == 0) total <- total / 2
  dropped <- Reduce(`+`, lapply(x, function(m) moves_of(m, others(m))))
  replaced <- Reduce(`+`, lapply(x, function(m) {
    moves_of(m, records(m), others(m))
  }))
  expect_lte(max(dropped), total[[1]] * (1 + 1e-9))
  expect_lte(max(replaced), total[[2]] * (1 + 1e-9))
}

test_that("measurements of files keep the law", {
  cats <- ce_income[1:300, c("sex", "age", "earner", "marital")]
  cats <- file_plan(cats, confirm_codebook(draft_codebook(cats)))
  cases <- list(
    list(parts_plan(), 10, delta = 0.05),
    list(household_plan(100), 5, neighbours = "replace"),
    list(cats, 0.25, tables = list(c("sex", "age", "earner", "marital"))),
    list(people_plan(people(150), publish = "sex"), 2),
    list(pay_plan(600, 2), 10, delta = 0.05),
    list(pay_plan(60), 1, neighbours = "replace"),
    list(household_plan(100), 2), list(parts_plan(), 1, neighbours = "replace"),
    list(cats, 1, neighbours = "replace")
  )
  for (case in by_night(cases, cases[1:6])) {
    found <- heard_by(function() do.call(file_release, c(case, seed = 3)))
    release <- found$release
    plan <- with_published_bins(case[[1]])
    file <- file_records(plan)
    n <- nrow(file$codes)
    far <- with_published(
      arbitrary_records(plan, n, 1:2, ends = 0.4), file, seq_len(n), plan
    )
    own <- measured_records(release, file)
    others <- measured_records(release, far)
    expect_one_law(
      file_measurements(release), function(m) records_for(m, own),
      function(m) records_for(m, others), n, release$charges,
      release$neighbours, release$delta, release$unit$records %||% 1,
      found$heard
    )
    amounts <- vapply(release$amounts, function(a) !is.null(a$tables), TRUE)
    # Wide enough a budget for tables of amounts
    if (case[[2]] == 10) expect_true(any(amounts))
  }
})

test_that("measurements of score releases keep the law", {
  ce <- ce_positive(300)
  counts <- data.frame(y = rep(c(30, 40), 200), g = rep(1:2, each = 200))
  reference <- list("(Intercept)" = 3.5, size = 20)
  stated <- public_response(levels = levels(ce$education))
  cases <- list(
    list(ce, function() ce_release(ce, epsilon = 1, bounds = c(10, 2e6))),
    list(ce, function() {
      ce_release(ce, epsilon = 2, delta = 0, bounds = c(10, 2e6))
    }),
    list(spread_file(), function() spread_release(seed = 2)),
    list(counts, function() {
      score_release(y ~ g, counts, neg_binomial(),
        reference = reference, epsilon = 0.25, neighbours = "replace"
      )
    }),
    list(ce, function() {
      score_release(education ~ age, ce, categorical(),
        epsilon = 1, response = stated
      )
    }),
    list(ce, function() {
      score_release(education ~ age, ce, categorical(),
        epsilon = 1, delta = 0, response = stated, neighbours = "replace"
      )
    })
  )
  for (case in cases) {
    found <- heard_by(case[[2]])
    release <- found$release
    file <- audit_file(release, case[[1]])
    far <- file
    far$y <- rep_len(file$extremes, length(file$row))
    expect_one_law(
      score_measurements(release, file), function(m) file, function(m) far,
      length(file$row), release$charges, release$neighbours, release$delta, 1,
      found$heard
    )
  }
})

test_that("measurements of histograms keep the law", {
  y <- withr::with_seed(1, stats::rnorm(200))
  for (neighbours in relation_names) {
    found <- heard_by(function() {
      perturbed_histogram(y,
        bounds = c(-2, 2), bins = 7, epsilon = 0.5, neighbours = neighbours
      )
    })
    release <- found$release
    values <- function(y) list(y = y, response = release$response)
    expect_one_law(
      list(histogram_measurement(release)), function(m) values(y),
      function(m) values(rep(c(-1e9, 1e9), 100)), 200L,
      guarantee(release)$charges, neighbours, 0, 1, found$heard
    )
  }
})

test_that("no vector is longer than its bound, whatever the geometry", {
  plan <- parts_plan()
  release <- suppressWarnings(
    file_release(plan, 10, 0.05, seed = 1), classes = "pseudosynth_warning"
  )
  records <- measured_records(release, file_records(plan))$amounts$pay
  amount <- release$amounts$pay
  step <- c(
    list(coding = amount, family = amount$family, shape = amount$reference$
      values[[2]]), amount$steps[[1]][c("b", "clip", "geometry")]
  )
  # A geometry that says nothing of lengths
  step$geometry$kappa <- Inf
  step$geometry$unit <- step$geometry$unit / 50
  x <- step_measurement("", length(step$b), step)
  v <- x$vectors(records, 1)
  reach <- sqrt(rowSums(v[, -1]^2))
  expect_lte(max(sqrt(rowSums(v^2))), bounds_of(x, FALSE)[1])
  # Too long ones count as 0, and their sums as well
  expect_true(any(reach == 0 & v[, 1] > 0))
  expect_equal(whole_sums(x, records)[[1]], colSums(v))
})
