test_that("every object is one short string, alone and in a data frame", {
  job <- small_job()
  fit <- lw_fit()
  data <- privacy_data()
  sets <- job$synthetic
  objects <- list(
    fit, job, sets, fit$bound, guarantee(fit), utility(job),
    identification_risk(sets, data, "earner", 0.2),
    risk(sets, data, "income", "earner"),
    compare(job), pool(with(sets, lm(log(income) ~ age))),
    ce_release(ce_positive(200), epsilon = 4)
  )
  for (object in objects) {
    line <- format(object)
    expect_type(line, "character")
    expect_length(line, 1)
    expect_lt(nchar(line), 300)
    expect_identical(toString(object, width = 12), line)
  }
  expect_match(format(job), "income, lw_final, 3 sets of 150 records")
  # Labels are for readers whole, in plain columns too
  short <- objects[vapply(objects, inherits, NA, what = c(
    "synthesizer", "pseudo_posterior", "synthetic_data", "lipschitz_bound",
    "identification_risk", "risk", "score_release"
  ))]
  frame <- data.frame(number = seq_along(short))
  frame$plain <- short
  frame$as_is <- I(short)
  shown <- format(frame)
  expect_identical(as.character(shown$plain), vapply(short, format, ""))
  expect_identical(
    trimws(as.character(shown$as_is)), vapply(short, format, "")
  )
  # Nothing of a record is in them
  expect_equal(count_held(shown, data$income), 0)
  settings <- list(sampler_control(), censor(2))
  for (object in settings) expect_length(format(object), 1)
})

test_that("str() shows the parts of a score release", {
  release <- ce_release(ce_positive(200), epsilon = 4)
  shown <- capture.output(str(release, 1))
  for (part in names(unclass(release))) {
    expect_true(any(startsWith(shown, paste0(" $ ", part))))
  }
  expect_match(shown[1], "score_release")
})
