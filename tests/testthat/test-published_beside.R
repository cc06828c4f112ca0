# What leaves beside the response, and ends that are the file's.

beside_file <- function(n = 120) {
  withr::with_seed(8, data.frame(
    y = round(exp(rnorm(n, 9, 0.6)), 2), x = round(rnorm(n), 1),
    g = factor(rep(c("a", "b", "c"), length.out = n))
  ))
}

beside_sets <- function(data, formula = log(y) ~ x, ...) {
  suppressWarnings(suppressMessages({
    fit <- fit_synthesizer(formula, data, gaussian(),
      prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, ...
    )
    synthesize(fit, 1, allow_unconverged = TRUE)
  }))
}

test_that("a stated end that is the file's own is refused, one alone, nearly", {
  data <- beside_file()
  ends <- range(data$y)
  refused <- function(code) {
    error <- expect_error(code, class = "pseudosynth_error_public_ends")
    expect_s3_class(error, "pseudosynth_error_privacy")
    expect_gt(length(error$rows), 0)
    expect_no_match(conditionMessage(error), format(ends[2]), fixed = TRUE)
  }
  model <- function(...) {
    fit_synthesizer(log(y) ~ x, data, gaussian(),
      chains = 1, warmup = 8, draws = 8, response = public_response(...)
    )
  }
  refused(model(bounds = ends))
  refused(model(bounds = c(1, ends[2])))
  refused(model(bounds = c(ends[1] * (1 - 1e-11), 1e9)))
  refused(model(bounds = c(ends[1] * (1 - 5e-7), 1e9)))
  histogram <- function(...) perturbed_histogram(data$y, epsilon = 1, ...)
  refused(histogram(bounds = c(1, ends[2])))
  refused(histogram(bins = c(1, 100, ends[2])))
  refused(histogram(bins = c(0, sort(unique(data$y))[5:30], 1e9)))
  expect_no_error(histogram(
    bounds = c(0, ends[2]), response = public_response(confirmed = ends[2])
  ))
  data$s <- data$y / 1e6
  refused(fit_synthesizer(s ~ x, data, beta_response(range(data$s) *
    c(1 - 1e-11, 1 + 1e-11)), chains = 1, warmup = 8, draws = 8))
})

test_that("a constant that is computed from the response is refused", {
  data <- beside_file()
  y <- data$y
  refused <- function(code) {
    error <- expect_error(code, class = "pseudosynth_error_public_ends")
    expect_s3_class(error, "pseudosynth_error_privacy")
    expect_no_match(conditionMessage(error), "[0-9]{4}")
  }
  model <- function(formula, ..., response = NULL) {
    suppressWarnings(fit_synthesizer(formula, data, gaussian(), ...,
      chains = 1, warmup = 8, draws = 8, response = response
    ))
  }
  s <- mean(y)
  refused(model(asinh(y / s) ~ x))
  refused(perturbed_histogram(asinh(y / s) ~ 1, data, c(0, 1e6), epsilon = 1))
  half <- sd(y) * (1 + 1e-7)
  refused(model(asinh(y / half) ~ x))
  # Written out, on the right side, negative; a record's value
  for (s in c(quantile(y, 0.25), max(y), -median(y), y[y > 1e4][3])) {
    formula <- eval(substitute(log(y) ~ I(x > s), list(s = unname(s))))
    refused(model(formula))
  }
  top <- median(y)
  refused(model(log(y) ~ I(x > top)))
  expect_no_error(model(
    asinh(y / top) ~ x, response = public_response(confirmed = top)
  ))
  # What people state, and another number of as many digits
  for (s in c(10, 1000, 61200, 1.5, signif(mean(y), 2), mean(y) + 1.2345)) {
    expect_no_error(model(asinh(y / s) ~ x))
  }
  expect_no_error(model(log(y) ~ I(x > 0.25) + poly(x, 2)))
})

test_that("priors and references computed from the file are refused", {
  data <- beside_file()
  z <- log(data$y)
  refused <- function(code) {
    expect_error(code, class = "pseudosynth_error_public_ends")
  }
  model <- function(...) {
    suppressWarnings(fit_synthesizer(log(y) ~ x, data, gaussian(),
      chains = 1, warmup = 8, draws = 8, ...
    ))
  }
  refused(model(prior = prior_normal(1, c(mean(z), 2.5))))
  refused(model(prior = prior_normal(sd(z), c(9, 2.5))))
  computed <- list("(Intercept)" = median(z), sigma = 1)
  rounded <- list("(Intercept)" = round(median(z), 1), sigma = 1)
  prior <- prior_normal(1, c(9, 2.5))
  refused(model(prior = prior, censor = censor(2, reference = computed)))
  expect_no_error(
    model(prior = prior, censor = censor(2, reference = rounded))
  )
  folder <- withr::local_tempdir()
  book <- ledger(file.path(folder, "book"), epsilon = 5, delta = 1e-5)
  score <- function(reference, ...) {
    suppressWarnings(suppressMessages(
      score_release(log(y) ~ x, data, gaussian(),
        epsilon = 1, reference = reference, ledger = book
      )
    ))
  }
  refused(score(computed))
  expect_identical(nrow(as.data.frame(book)), 0L)
  expect_no_error(score(rounded))
  counts <- data.frame(y = c(rep(c(0, 1, 5), 39), 1, 1, 2), x = rep(1:4, 30))
  refused(score_release(y ~ x, counts, stats::poisson(),
    epsilon = 1, reference = list("(Intercept)" = log(mean(counts$y)))
  ))
})

test_that("bounds that are the file's own is refused before a draw", {
  data <- beside_file()
  fit <- suppressWarnings(fit_synthesizer(log(y) ~ x, data, gaussian(),
    prior = prior_normal(), chains = 1, warmup = 50, draws = 50
  ))
  expect_error(
    synthesize(fit, 1, bounds = c(1, max(data$y)), allow_unconverged = TRUE),
    class = "pseudosynth_error_public_ends"
  )
})

test_that("bounds that are newdata's own is refused for any source", {
  data <- beside_file()
  histogram <- perturbed_histogram(log(y) ~ 1, data, c(1, 1e6), epsilon = 1)
  scores <- suppressWarnings(score_release(log(y) ~ x, data, gaussian(),
    epsilon = 5, reference = list("(Intercept)" = 9, sigma = 1)
  ))
  confirmed <- suppressWarnings(score_release(log(y) ~ x, data, gaussian(),
    epsilon = 5, reference = list("(Intercept)" = 9, sigma = 1),
    response = public_response(confirmed = max(data$y))
  ))
  ends <- c(1, max(data$y))
  for (x in list(histogram, scores)) {
    expect_error(
      synthesize(x, newdata = data, bounds = ends),
      class = "pseudosynth_error_public_ends"
    )
    expect_no_error(suppressMessages(
      synthesize(x, newdata = data, bounds = c(1, 1e6))
    ))
  }
  expect_no_error(suppressMessages(
    synthesize(confirmed, newdata = data, bounds = ends)
  ))
  # In a job, before anything is fitted or spent
  for (mechanism in c("score", "centred")) {
    expect_error(
      pseudo_posterior(log(y) ~ x, data, gaussian(),
        mechanism = mechanism, epsilon = 1, bounds = ends,
        reference = list("(Intercept)" = 9, sigma = 1)
      ),
      class = "pseudosynth_error_public_ends"
    )
  }
})

test_that("levels leave in the order of the file's factor", {
  data <- beside_file()
  data$by_y <- factor(data$g, c("c", "a", "b"))
  data$stated <- factor(data$g, c("c", "a", "b"), ordered = TRUE)
  set <- beside_sets(data, log(y) ~ by_y + stated)[[1]]
  expect_identical(levels(set$by_y), c("c", "a", "b"))
  expect_identical(levels(set$stated), c("c", "a", "b"))
  expect_identical(as.character(set$by_y), as.character(data$by_y))
})

test_that("a factor that reorder() made leaves no trace in sums", {
  data <- beside_file()
  data$plain <- rep(c("b", "d", "a", "c"), 30)
  data$by_y <- reorder(data$plain, -data$y)
  data$given <- factor(data$plain, c("d", "b", "c", "a"))
  release <- function(formula) {
    suppressWarnings(score_release(formula, data, gaussian(),
      epsilon = 5, reference = list("(Intercept)" = 9, sigma = 1), seed = 1
    ))
  }
  expect_message(
    sorted <- release(log(y) ~ by_y), "\"by_y\" are sorted",
    class = "pseudosynth_message_level_order"
  )
  expect_identical(sorted$design$levels$by_y, c("a", "b", "c", "d"))
  expect_identical(
    unname(coef(sorted)), unname(coef(release(log(y) ~ plain)))
  )
  # A stated order stays, and the first level is what others are beside
  stated <- suppressMessages(release(log(y) ~ given))
  expect_identical(stated$design$levels$given, c("d", "b", "c", "a"))
  expect_identical(
    names(coef(stated)), paste0(c("(Intercept)", "givenb", "givenc", "givena"))
  )
  # The formula states another level to compare with
  other <- suppressMessages(release(log(y) ~ relevel(by_y, ref = "c")))
  expect_identical(other$design$levels[[1]], c("c", "a", "b", "d"))
  job <- suppressWarnings(suppressMessages(
    pseudo_posterior(log(y) ~ by_y, data, gaussian(),
      mechanism = mechanism_score(list("(Intercept)" = 9, sigma = 1)),
      epsilon = 5
    )
  ))
  expect_identical(
    job$internal$fits[[1]]$design$levels$by_y, c("a", "b", "c", "d")
  )
})

test_that("a column that numbers records is told, and refused unless named", {
  data <- beside_file()
  data$case <- withr::with_seed(2, sample(10000, nrow(data)))
  expect_message(
    try(fit_synthesizer(log(y) ~ ., data, gaussian(),
      chains = 1, warmup = 8, draws = 8
    ), silent = TRUE) |> suppressWarnings(),
    "case",
    class = "pseudosynth_message_distinct"
  )
  sets <- beside_sets(data, log(y) ~ case)
  sets_out <- function(...) {
    check_none_distinct(sets, ...)
  }
  expect_error(
    sets_out(character()), "case", class = "pseudosynth_error_distinct_column"
  )
  expect_no_error(sets_out("case"))
  expect_error(sets_out(character()), "public = \"case\"", fixed = TRUE)
  expect_identical(distinct_columns(beside_file()[c("x", "g")]), character())
})

test_that("a shuffled copy of the response is refused by a score release", {
  data <- beside_file()
  data$copy <- withr::with_seed(3, sample(data$y))
  expect_error(
    score_release(log(y) ~ copy, data, gaussian(),
      epsilon = 1, reference = list("(Intercept)" = 9, sigma = 1),
      bounds = c(10, 1e6)
    ),
    class = "pseudosynth_error_copied_response"
  )
})

test_that("columns that sum to the response are found, honest ones are not", {
  data <- beside_file(500)
  wage <- withr::with_seed(4, data$y * runif(500, 0.1, 0.9))
  near <- near_copies(data$y, list(wage = wage, other = data$y - wage))
  expect_identical(near$columns, c("wage", "other"))
  expect_gt(near$share, 0.999)
  close <- data$y * withr::with_seed(5, exp(rnorm(500, 0, 0.03)))
  expect_identical(near_copies(data$y, list(a = close))$columns, "a")
  expect_length(near_copies(data$y, list(wage = wage, x = data$x))$columns, 0)
  # Its logarithms are all one number
  far <- 1e15 + data$x
  expect_length(near_copies(data$y, list(wage = wage, far = far))$columns, 0)
})

test_that("near copies are told at the fit, with the share, by every source", {
  data <- beside_file(500)
  data$wage <- withr::with_seed(4, data$y * runif(500, 0.1, 0.9))
  data$other <- data$y - data$wage
  reference <- list("(Intercept)" = 9, sigma = 1)
  told <- function(code) {
    messages <- list()
    suppressWarnings(withCallingHandlers(
      try(code, silent = TRUE),
      pseudosynth_message_near_copy = function(message) {
        messages <<- c(messages, list(message))
        rlang::cnd_muffle(message)
      },
      message = function(message) rlang::cnd_muffle(message)
    ))
    # Once
    expect_length(messages, 1)
    text <- conditionMessage(messages[[1]])
    expect_match(text, "\"wage\" and \"other\" give [0-9.]+%")
    expect_match(text, "release")
  }
  prior <- prior_normal(1, c(9, 2.5))
  told(fit_synthesizer(log(y) ~ wage + other, data, gaussian(),
    prior = prior, chains = 1, warmup = 8, draws = 8
  ))
  told(score_release(log(y) ~ wage + other, data, gaussian(),
    epsilon = 5, reference = reference
  ))
  told(pseudo_posterior(log(y) ~ wage + other, data, gaussian(),
    mechanism = mechanism_score(reference), epsilon = 5
  ))
  told(pseudo_posterior(log(y) ~ wage + other, data, gaussian(),
    mechanism = "lw_final", epsilon = 20, prior = prior, chains = 1,
    warmup = 8, draws = 8, allow_unconverged = TRUE
  ))
  histogram <- perturbed_histogram(log(y) ~ 1, data, c(1, 1e6), epsilon = 1)
  told(synthesize(histogram, newdata = data))
})

test_that("classes with exceptions, products and sums by group are found", {
  withr::local_seed(9)
  n <- 2000
  y <- round(exp(rnorm(n, 9)), 2)
  found <- function(y, ...) near_copies(y, list(...))$columns
  # In an order of their own, for 1 in 200 another one
  class <- c(3, 1, 5, 2, 4)[findInterval(y, quantile(y, 0:4 / 5))]
  odd <- sample(n, n / 200)
  class[odd] <- sample(5, n / 200, TRUE)
  expect_identical(found(y, class = class), "class")
  expect_identical(found(y, class = letters[class]), "class")
  yes <- y > 1e4
  nearly <- ifelse(seq_len(n) %in% odd, !yes, yes)
  expect_identical(found(yes + 0, nearly = nearly), "nearly")
  expect_identical(found(factor(yes), nearly = nearly), "nearly")
  hours <- round(runif(n, 10, 40))
  expect_identical(
    found(y, hours = hours, rate = round(y / hours, 3)), c("hours", "rate")
  )
  group <- sample(letters[1:5], n, TRUE)
  rest <- round(runif(n, 0, 9), 1)
  pay <- 4 * match(group, letters) + rest
  expect_identical(found(pay, rest = rest, group = group), c("rest", "group"))
  # Honest ones, on heaps, too
  expect_length(found(y, hours = hours, group = group), 0)
  expect_length(found(round(y, -4), hours = hours, group = sort(group)), 0)
  expect_length(found(yes + 0, hours = hours, group = group), 0)
  rare <- runif(n) < 0.005
  expect_length(found(rare + 0, hours = hours, group = group), 0)
  expect_length(found(y, rare = rare), 0)
  state <- .Random.seed
  near_copies(y, list(class = class))
  expect_identical(.Random.seed, state)
})

test_that("columns of the formula and very many levels are told", {
  data <- beside_file(300)
  data$case <- withr::with_seed(2, sample(10000, nrow(data)))
  data$many <- sprintf("k%02d", seq_len(nrow(data)) %% 60)
  model <- function(formula) {
    suppressWarnings(try(fit_synthesizer(formula, data, gaussian(),
      prior = prior_normal(), chains = 1, warmup = 8, draws = 8
    ), silent = TRUE))
  }
  expect_message(
    model(log(y) ~ case), "case", class = "pseudosynth_message_distinct"
  )
  expect_message(
    model(log(y) ~ many), "many (60)", fixed = TRUE,
    class = "pseudosynth_message_many_levels"
  )
  expect_message(
    tell_many_levels(list(k = seq_len(1000)), 1e5), "second|minute",
    class = "pseudosynth_message_many_levels"
  )
  expect_no_message(tell_many_levels(list(k = seq_len(50)), 120))
  expect_no_message(tell_many_levels(list(k = seq_len(150)), 1e5))
})

test_that("own values that households share are found, honest sets are not", {
  y <- withr::with_seed(6, rep(round(exp(rnorm(60, 10)), -1), each = 6))
  column <- list(name = "y", ends = c(0, Inf))
  expect_error(
    check_not_the_file(y, list(y), column, 360L),
    class = "pseudosynth_error_found"
  )
  drawn <- withr::with_seed(7, round(exp(rnorm(360, 10)), -1))
  expect_no_error(
    check_not_the_file(y, list(drawn), column, 360L)
  )
})

test_that("text is found as formats escape it", {
  name <- "Anna \"Nan\" K\u00f6nig & S\u00f8n"
  secrets <- list(
    text = data.frame(text = name, column = "name"),
    numbers = data.frame(number = double(), column = character()),
    file = data.frame(name = name)
  )
  index <- index_secrets(secrets)
  expect_identical(index$text[1], name)
  written <- c(
    csv = "Anna \"\"Nan\"\" K\u00f6nig & S\u00f8n",
    json = "Anna \\\"Nan\\\" K\u00f6nig & S\u00f8n",
    xml = "Anna &quot;Nan&quot; K\u00f6nig &amp; S\u00f8n"
  )
  for (form in written) {
    path <- withr::local_tempfile()
    writeLines(enc2utf8(form), path, useBytes = TRUE)
    expect_gt(length(scan_file(path, index)), 0)
  }
  expect_true("K\\u00f6nig" %in% escaped_forms(
    data.frame(text = "K\u00f6nig", column = "name")
  )$text)
})

test_that("sets of another size than the file have no attribute risk", {
  data <- data.frame(k = rep(1:2, 10), v = rep(1:4, 5))
  expect_error(
    attribute_risk(data[1:10, ], data, "k", "v"), "as many records",
    class = "pseudosynth_error_input"
  )
})

test_that("text that is not marked as UTF-8 has no trouble beside a response", {
  city <- rep(c("K\u00f6ln", "Bonn", "Ulm"), 20)
  Encoding(city) <- "unknown"
  expect_no_error(check_not_copied(city, list(x = rep(c(1, 2, 5, 3), 15))))
})

test_that("sets without a guarantee are not for release in print and figure", {
  sets <- beside_sets(beside_file())
  none <- guarantee(sets)$label == "none"
  expect_identical(any(grepl("not for release", utils::capture.output(
    print(sets)
  ))), none)
  expect_identical(!is.null(plot(sets)$labels$caption), none)
})

test_that("a copy in another order and another unit is refused", {
  y <- withr::with_seed(1, round(exp(rnorm(300, 10))))
  check <- function(x) check_holds_none(y, data.frame(x = x))
  for (x in list(
    rev(y) / 1000, 5 - 2 * sort(y), sample(signif(y * 1.1, 9)),
    sprintf("%.3f", sort(y) / 1000)
  )) {
    expect_error(check(x), class = "pseudosynth_error_copied_response")
  }
  expect_no_error(check(withr::with_seed(2, round(exp(rnorm(300, 10))))))
  expect_no_error(check(seq_along(y)))
})

test_that("means and medians of the response by group are refused", {
  withr::local_seed(1)
  group <- sample(letters[1:6], 300, TRUE)
  y <- round(exp(rnorm(300, 10)))
  check <- function(x) check_holds_none(y, data.frame(x = x))
  told <- list(
    ave(y, group), round(ave(y, group)), ave(log(y), group),
    ave(y, group, FUN = median), signif(ave(y, group), 8),
    as.character(ave(y, group))
  )
  for (x in told) {
    expect_error(check(x), class = "pseudosynth_error_copied_response")
  }
  honest <- list(
    match(group, letters), ave(exp(rnorm(300, 10)), group),
    signif(ave(y, group), 2), c(1234.5, 2345.6)[1 + (group > "c")]
  )
  for (x in honest) expect_no_error(check(x))
  counts <- rpois(300, 3)
  expect_no_error(check_holds_none(counts, data.frame(x = rpois(300, 3))))
})

test_that("products and sums beside groups that give the response are found", {
  withr::local_seed(1)
  data <- data.frame(
    hours = sample(200:2500, 400, TRUE), rate = round(exp(rnorm(400, 3)), 2),
    g = sample(letters, 400, TRUE)
  )
  pay <- data$hours * data$rate
  expect_setequal(near_copies(pay, data)$columns, c("hours", "rate"))
  expect_length(near_copies(pay, data[c("rate", "g")])$columns, 0)
  y <- round(rnorm(400, 3 * match(data$g, letters), 20))
  data$left <- round(resid(lm(y ~ g, data)))
  expect_true("left" %in% near_copies(y, data[c("g", "left")])$columns)
  expect_length(near_copies(y, data[c("g", "rate")])$columns, 0)
})

test_that("a formula into whose code the response was written is refused", {
  data <- withr::with_seed(1, data.frame(y = round(exp(rnorm(100, 9))),
    x = rnorm(100)
  ))
  terms <- vapply(split(data$y, rep(1:10, 10)), function(k) {
    sprintf("I(x + pmin(x, %s))", toString(k))
  }, "")
  formula <- stats::reformulate(terms[1:4], quote(log(y)))
  expect_error(
    score_release(formula, data,
      epsilon = 1, reference = list("(Intercept)" = 9, sigma = 1)
    ),
    class = "pseudosynth_error_privacy"
  )
  of <- function(formula) stats::terms(formula)
  expect_no_error(check_terms_hold_none(data$y, of(~ cut(x, c(-9, 0, 9)))))
  expect_identical(constants_of(quote(f(1, -2, g(x[, 3], "a")))), c(1, 2, 3))
})

test_that("breaks that are quantiles of the file are refused", {
  y <- withr::with_seed(1, exp(rnorm(803, 10)))
  made <- function(breaks) {
    perturbed_histogram(log(y) ~ 1, data.frame(y),
      bins = c(1, breaks, 1e7), epsilon = 1
    )
  }
  for (probs in list(1:9 / 10, 1:19 / 20, c(0.05, 0.25, 0.5, 0.75, 0.95))) {
    expect_error(
      made(quantile(y, probs)),
      class = "pseudosynth_error_public_ends"
    )
    expect_error(
      made(round(quantile(y, probs), 1)),
      class = "pseudosynth_error_public_ends"
    )
    # Those of another file are nobody's here
    other <- withr::with_seed(2, exp(rnorm(803, 10)))
    expect_no_error(made(quantile(other, probs)))
  }
  # Heaped values
  heaped <- round(y, -4) + 1234
  expect_true(are_quantiles(quantile(y, 1:9 / 10), y))
  expect_false(are_quantiles(c(15000, 25000, 35500), heaped))
})

test_that("a reference or prior that is the file's own is refused", {
  data <- withr::with_seed(1, data.frame(y = exp(rnorm(200, 10)), x = 1:200))
  z <- log(data$y)
  release <- function(reference, ...) {
    score_release(log(y) ~ x, data,
      epsilon = 1, reference = reference, ...
    )
  }
  own <- list(
    list("(Intercept)" = mean(z), sigma = 1),
    list("(Intercept)" = median(z), sigma = 1),
    list("(Intercept)" = 10, sigma = sd(z)),
    list("(Intercept)" = 10, sigma = mad(z))
  )
  for (reference in own) {
    expect_error(release(reference), class = "pseudosynth_error_public_ends")
    expect_error(
      pseudo_posterior(log(y) ~ x, data, gaussian(),
        mechanism = "centred", epsilon = 1, reference = reference
      ),
      class = "pseudosynth_error_public_ends"
    )
    expect_error(
      fit_synthesizer(log(y) ~ x, data, gaussian(),
        censor = censor(1, reference = reference)
      ),
      class = "pseudosynth_error_public_ends"
    )
  }
  expect_error(
    release(list("(Intercept)" = 10, sigma = 1),
      prior = prior_normal(1, c(10, 2.5 * sd(z)))
    ),
    "prior",
    class = "pseudosynth_error_public_ends"
  )
  expect_no_error(suppressMessages(release(own[[1]],
    response = public_response(confirmed = mean(z))
  )))
  # What people write, in either unit
  data$y[1:101] <- 20000
  expect_identical(median(log(data$y)), log(20000))
  expect_no_error(suppressMessages(
    release(list("(Intercept)" = log(20000), sigma = 1))
  ))
  counts <- data.frame(y = withr::with_seed(1, rpois(203, 3)))
  expect_error(
    score_release(y ~ 1, counts, poisson(),
      epsilon = 1, reference = list("(Intercept)" = log(mean(counts$y)))
    ),
    class = "pseudosynth_error_public_ends"
  )
})

test_that("no score release has its levels in the response's order", {
  skip_if_not_installed("jsonlite")
  data <- withr::with_seed(1, data.frame(
    y = round(exp(rnorm(300, 10)), 2),
    area = factor(sample(paste0("area", 10:19), 300, TRUE))
  ))
  leaves <- function(data, ...) {
    made <- score_release(log(y) ~ area, data, gaussian(),
      epsilon = 1, reference = list("(Intercept)" = 10, sigma = 1)
    )
    expect_identical(
      names(made$draws$mean), c("(Intercept)", paste0("areaarea", 11:19))
    )
    release(made, withr::local_tempfile(), data = data, ...)
  }
  expect_no_error(leaves(transform(data, area = reorder(area, y, median))))
  expect_no_error(leaves(transform(data, area = reorder(area, -y))))
  expect_no_error(leaves(data))
  # Whatever else put them there
  means <- tapply(data$y, data$area, mean)
  for (order in list(order(means), order(-means))) {
    told <- transform(data, area = factor(area, names(means)[order]))
    made <- score_release(log(y) ~ area, told, gaussian(),
      epsilon = 1, reference = list("(Intercept)" = 10, sigma = 1)
    )
    sets <- suppressMessages(synthesize(made, newdata = told))
    for (x in list(made, sets)) {
      expect_error(
        suppressMessages(release(x, withr::local_tempfile(), data = told)),
        class = "pseudosynth_error_level_order"
      )
    }
    expect_no_error(suppressMessages(
      release(made, withr::local_tempfile(), data = told, public = "area")
    ))
  }
})

test_that("a generator whose levels stand in the response's order stays", {
  data <- withr::with_seed(1, data.frame(
    y = round(exp(rnorm(300, 10)), 2),
    area = factor(sample(paste0("area", 10:16), 300, TRUE))
  ))
  leaves <- function(data, public = NULL) {
    fit <- quick_fit(log(y) ~ area, data, gaussian(),
      prior = prior_normal(1, c(10, 2.5)),
      censor = censor(2, reference = list("(Intercept)" = 10, sigma = 1))
    )
    made <- suppressMessages(as_generator(fit))
    shown <- made$design$levels
    check_level_order(shown[setdiff(names(shown), public)], data, data$y)
  }
  by <- function(of, sign) {
    figures <- sign * tapply(data$y, data$area, of)
    transform(data, area = factor(area, names(sort(figures))))
  }
  reordered <- by(median, 1)
  expect_error(leaves(reordered), class = "pseudosynth_error_level_order")
  expect_error(
    leaves(by(mean, -1)), class = "pseudosynth_error_level_order"
  )
  expect_no_error(leaves(reordered, public = "area"))
  expect_no_error(leaves(
    transform(reordered, area = factor(area, ordered = TRUE))
  ))
  expect_no_error(leaves(data))
})
