# A file with marks in every place, and the search for them.

leak_file <- function(n = 150) {
  withr::with_seed(15, {
    data <- data.frame(
      row.names = sprintf("MARKROW%03d", seq_len(n)),
      y = exp(rnorm(n, 10, 1)),
      group = factor(
        sample(c("north", "south"), n, TRUE), c("north", "south", "west")
      ),
      x = round(rnorm(n), 1),
      name = sprintf("MARKNAME%03d", seq_len(n)),
      weight = runif(n, 1e3, 9e4),
      only = factor(c("MARKONLY", rep("others", n - 1)))
    )
  })
  comment(data$x) <- "MARKCOMMENT"
  attr(data, "note") <- "MARKNOTE"
  data
}

leak_numbers <- function() {
  data <- leak_file()
  c(data$y, log(data$y), data$weight)
}

expect_nothing_in <- function(object, what) {
  numbers <- leak_numbers()
  bytes <- serialize(object, NULL, xdr = TRUE)
  expect_identical(
    c(length(grepRaw("MARK", bytes, fixed = TRUE)), length(found_doubles(
      bytes, numbers
    ))), c(0L, 0L),
    label = what
  )
}

found_doubles <- function(bytes, numbers) {
  numbers_met_(bytes, as.double(numbers))
}

# As text: to seven digits, as R prints them. Among thousands of synthetic
# values seven digits are met by chance.
expect_nothing_said <- function(text, what, digits = c(7, 15)) {
  text <- paste(text, collapse = " ")
  data <- leak_file()
  shown <- unlist(lapply(digits, function(digits) {
    c(
      format(data$y, digits = digits, trim = TRUE),
      sprintf("%.*g", digits, c(data$y, data$weight))
    )
  }))
  shown <- shown[nchar(shown) > 6]
  hits <- sum(vapply(unique(shown), grepl, TRUE, x = text, fixed = TRUE))
  expect_identical(c(sum(grepl("MARK", text)), hits), c(0L, 0L),
    label = what
  )
}

# Made where the file and a copy of its values are at hand
leak_objects <- function() {
  remember("leaks", local({
    data <- leak_file()
    secret <- data$y
    secret_text <- "MARKLOCAL"
    formula <- log(y) ~ group + x
    reference <- list("(Intercept)" = 10, sigma = 1)
    fit <- fit_synthesizer(formula, data, stats::gaussian(),
      prior = prior_normal(), chains = 2, warmup = 200, draws = 1000
    )
    weighted <- update(fit, privacy_weights = lipschitz_weights(fit))
    clipped <- update(fit, censor = censor(2, reference = reference))
    histogram <- perturbed_histogram(log(y) ~ 1, data,
      bounds = c(10, 1e7), epsilon = 1
    )
    scores <- suppressMessages(score_release(formula, data,
      epsilon = 5, reference = reference, bounds = c(10, 1e7)
    ))
    list(
      data = data, fit = fit, weighted = weighted, clipped = clipped,
      histogram = histogram, scores = scores,
      sets = list(
        asymptotic = synthesize(weighted, 2), strict = synthesize(clipped, 2),
        margin = synthesize(clipped, 2, margin = histogram),
        histogram = synthesize(histogram, 2, newdata = data[c(
          "y", "group", "x"
        )]),
        scores = synthesize(scores, 2, newdata = data)
      )
    )
  }))
}
