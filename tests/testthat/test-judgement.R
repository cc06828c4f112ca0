# Every measure in a list gives the same of a set and of a fresh sample, and
# keeps a few laws, whatever it measures.

judged_file <- function(n = 120, seed = 1) {
  withr::with_seed(seed, data.frame(
    g = sample(letters[1:4], n, TRUE), h = sample(1:6, n, TRUE),
    y = sample(c("u", "v", "w"), n, TRUE, c(0.6, 0.3, 0.1))
  ))
}

test_that("measures of risk are of a fresh sample what is stated for it", {
  file <- judged_file()
  drawn <- withr::with_seed(2, replicate(300, {
    file[sample(nrow(file), 90, TRUE), ]
  }, simplify = FALSE))
  case <- risk_case(file, file, c("g", "h"), "y", 20)
  # As many records as a set has, which may be fewer than the file
  case$sets <- drawn
  for (name in names(risk_measures())) {
    found <- judgement(case, risk_measures()[name])
    if (is.null(found$overall)) next
    said <- !is.na(found$fresh)
    error <- vapply(found$table[-1], stats::sd, 0) / sqrt(300)
    expect_true(
      all(abs(found$overall - found$fresh)[said] <= 4 * error[said] + 1e-12),
      label = name
    )
  }
  rows <- judgement(case, risk_measures())$rows
  fresh <- rows$set[c("attribution_fresh", "disclosive_fresh")]
  own <- rows$set[c("attribution", "disclosive_right")]
  expect_lt(max(abs(colMeans(own) - colMeans(fresh))), 0.02)
  replicated <- rows$uniques[rows$uniques$columns == "keys", ]
  error <- stats::sd(replicated$replicated) / sqrt(300)
  expect_lt(
    abs(mean(replicated$replicated) - replicated$fresh[1]), 4 * error
  )
})

test_that("a set alone has the figures that it has beside others", {
  file <- judged_file()
  case <- risk_case(
    list(judged_file(seed = 3), judged_file(seed = 4)), file, c("g", "h"),
    "y", 20
  )
  both <- judgement(case, risk_measures())
  case$sets <- case$sets[2]
  alone <- judgement(case, risk_measures())
  expect_equal(
    unlist(both$table[2, -1]), unlist(alone$table[-1])
  )
  expect_identical(names(both$overall), names(both$fresh))
  for (rows in both$rows) expect_identical(names(rows)[1], "set")
})
