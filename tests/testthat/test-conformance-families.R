# Every family of families keeps what a law promises: one case each.

cases <- list(
  gaussian = list(heavy ~ x, gaussian_family(), eta = 2, shape = 0.7),
  lognormal = list(part ~ x, lognormal(), eta = 2, shape = 0.7),
  student_t = list(heavy ~ x, student_t(5), eta = 2, shape = 0.7),
  normal_mixture = list(heavy ~ x, normal_mixture(2)),
  poisson = list(count ~ x, as_synth_family("poisson"), eta = 0.8),
  neg_binomial = list(count ~ x, neg_binomial(), eta = 0.8, shape = 2.5),
  beta_response = list(
    part ~ x, beta_response(c(0, 60)), eta = 0.4, shape = 6
  ),
  bernoulli = list(yes ~ x, bernoulli(), eta = 0.4),
  categorical = list(
    group ~ x, categorical(),
    response = public_response(levels = c("a", "b", "c"))
  )
)

test_that("every family has a case here", {
  expect_setequal(names(cases), setdiff(names(families), "binomial"))
})

for (name in names(cases)) local({
  case <- cases[[name]]
  family <- case[[2]]
  law <- law_of(family)
  eta <- case$eta
  shape <- case$shape

  test_that(sprintf("%s() is made by its name and stays plain", name), {
    expect_identical(family$name, name)
    expect_false(any(rapply(unclass(family), is.function, how = "unlist")))
    expect_identical(as_synth_family(family), family)
    if (!is.null(law$clip) && length(family$extras) > 0) {
      expect_identical(names(law$example), names(family$extras))
    }
    expect_s3_class(resolve_prior(NULL, family, "(Intercept)"), "synth_prior")
  })

  test_that(sprintf("the law of %s() is that of its responses", name), {
    # Of a mixture and of levels no score release reads one
    if (isTRUE(law$several)) {
      return(expect_null(law$variance))
    }
    mean <- family_mean(family, eta)
    p <- (seq_len(1e5) - 0.5) / 1e5
    y <- response_quantile(family, p, mean, shape)
    expect_false(is.unsorted(y))
    # Tails beyond the outermost hundred-thousandth are missing
    expect_equal(mean(y), mean, tolerance = 1e-3)
    if (!is_location(family)) {
      variance <- law$variance(mean, shape)
      expect_equal(mean((y - mean)^2), variance, tolerance = 1e-2)
    }
    if (family$kind != "binary") {
      at <- stats::quantile(y, c(0.1, 0.5, 0.9), names = FALSE)
      expect_equal(
        response_probability(family, at, mean, shape),
        vapply(at, function(q) mean(y <= q), 0),
        tolerance = 1e-3
      )
    }
    # What clipped scores are expected to be, and how that moves
    if (is.null(law$clip)) {
      return()
    }
    frame <- score_frame(family, eta, shape)
    frame$clip <- law$clip[2]
    expected <- expected_scores(family, frame, shape)
    u <- clamp(score_of(y, frame), -frame$clip, frame$clip)
    expect_equal(expected(eta)$mean, mean(u), tolerance = 2e-3)
    moved <- (expected(eta + 1e-3)$mean - expected(eta - 1e-3)$mean) / 2e-3
    expect_equal(expected(eta)$slope, moved, tolerance = 2e-2)
  })

  test_that(sprintf("score_release() takes %s() or refuses it", name), {
    run <- function() {
      suppressWarnings(suppressMessages(score_release(
        case[[1]], family_data(), family,
        epsilon = 5, seed = 1, response = case$response,
        reference = if (!is_categorical(family)) {
          as.list(c("(Intercept)" = 0.5, law$example))
        }
      )))
    }
    if (is.null(law$clip)) {
      return(expect_error(run(), class = "pseudosynth_error_input"))
    }
    release <- run()
    expect_identical(guarantee(release)$label, "strict")
    variable <- all.vars(case[[1]])[1]
    set <- synthesize(
      release, newdata = family_data(), bounds = if (!is.null(family$df)) {
        c(-50, 50)
      }
    )
    expect_false(anyNA(set[[1]][[variable]]))
  })
})
