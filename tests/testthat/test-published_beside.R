# What published columns tell of a protected one; what leaves beside it.

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

told_of <- function(y, ...) {
  told_beside(published_forms(list(...)), comparable_values(y))
}

test_that("recodings, other units, ranks and finer versions are copies", {
  withr::local_seed(1)
  y <- round(exp(rnorm(300, 10)), 2)
  named <- sample(letters[1:6], 300, TRUE)
  heaped <- sample(c(10, 20, 30, 40, 50), 300, TRUE)
  numbers <- list(
    y, -y, log(y), 2 * y + 3, rank(y), format(y, big.mark = ","),
    factor(paste0("$", y)), sprintf("%.8e", y), as.Date("2000-01-01") + y,
    paste("EUR", format(y, big.mark = ".", decimal.mark = ",", nsmall = 2))
  )
  for (x in numbers) expect_identical(told_of(y, x = x)$copied, "x")
  for (x in list(
    named, toupper(named), factor(named, rev(letters)),
    (7 * match(named, letters)) %% 31, 1 + match(named, letters) / 3
  )) {
    expect_identical(told_of(named, x = x)$copied, "x")
    expect_identical(told_of(factor(named), x = x)$copied, "x")
  }
  expect_identical(told_of(heaped, x = c("q", "c", "x", "a", "k")[
    heaped / 10
  ])$copied, "x")
  ages <- sample(0:99, 300, TRUE)
  expect_identical(told_of(ages, x = ages + runif(300, 0, 0.9))$copied, "x")
  yes <- named == "a"
  expect_identical(told_of(yes, x = 3 - 2 * yes)$copied, "x")
})

test_that("a rounded number and one with a little noise are near copies", {
  withr::local_seed(2)
  y <- 1000 * sample(20:120, 600, TRUE) + sample(0:9, 600, TRUE)
  for (x in list(
    round(y, -3), y + stats::rnorm(600), y + 1000 * stats::rnorm(600) / 9
  )) {
    expect_identical(told_of(y, x = x)$near$columns, "x")
    expect_gt(told_of(y, x = x)$near$share, 0.9)
    expect_length(told_of(y, x = x)$copied, 0)
  }
  # Another year's pay, or another person's, is none
  for (x in list(y * exp(stats::rnorm(600, 0, 0.1)), sample(y))) {
    expect_length(told_of(y, x = x)$near$columns, 0)
  }
  # Numbers too far apart to be subtracted are near to none
  far <- sample(c(-1, 1), 600, TRUE) * 1.7e308 * (1 - 1e-3 * stats::runif(600))
  expect_length(told_of(far, x = stats::rnorm(600))$near$columns, 0)
  # Few different values are near to none but themselves
  age <- sample(20:60, 600, TRUE)
  expect_length(told_of(age, x = age + sample(0:1, 600, TRUE))$near$columns, 0)
})

test_that("classes, sums, other orders and chance are none", {
  withr::local_seed(2)
  y <- round(exp(rnorm(300, 10)), 2)
  part <- y * runif(300)
  for (x in list(
    rev(y), sample(y), findInterval(y, quantile(y, 1:9 / 10)), y > 20000,
    part, seq_len(300), sprintf("id%03d", sample(300)), rep(1, 300),
    y * exp(rnorm(300, 0, 0.03)), ave(y, y > 20000)
  )) {
    found <- told_of(y, x = x)
    expect_length(found$copied, 0)
    expect_length(found$near$columns, 0)
  }
  expect_length(told_of(y, part = part, rest = y - part)$near$columns, 0)
  yes <- runif(300) < 0.1
  expect_length(told_of(yes, x = sprintf("id%03d", 1:300))$copied, 0)
  # Few records agree by chance
  found <- replicate(500, {
    n <- sample(2:40, 1)
    draw <- function() sample(seq_len(sample(2:n, 1)), n, TRUE)
    length(told_of(draw(), x = draw())$copied)
  })
  expect_identical(sum(found), 0L)
  expect_length(told_of(1:8, x = 1:8)$copied, 0)
})

test_that("the share is that of the naive count over the other records", {
  naive <- function(x, y) {
    common <- which.max(tabulate(y))
    guess <- vapply(x, function(own) which.max(tabulate(y[x == own])), 1L)
    counted <- which((y != common | guess != common) & tabulate(x)[x] > 1)
    mean(vapply(counted, function(i) {
      others <- tabulate(y[setdiff(which(x == x[i]), i)], max(y))
      others[y[i]] > 0 && others[y[i]] == max(others)
    }, TRUE))
  }
  withr::local_seed(1)
  for (classes in c(6, 40)) {
    x <- sample(classes, 150, TRUE)
    y <- (x + sample(0:3, 150, TRUE, c(0.6, 0.2, 0.1, 0.1))) %% 5 + 1
    pair <- pair_counts(x, y, rep(1, 150))
    expect_equal(share_told(pair)$share, naive(x, y))
    # However the records are counted
    expect_equal(share_told(pair_counts(
      rep(x, 2), rep(y, 2), rep(0.5, 300)
    )), share_told(pair))
  }
  expect_identical(
    share_told(pair_counts(1:50, 1:50, rep(1, 50))),
    list(known = FALSE, share = 0)
  )
})

test_that("what nearly determines a column is found, alone or together", {
  withr::local_seed(3)
  n <- 3000
  y <- round(exp(rnorm(n, 10)), 2)
  odd <- sample(n, n / 50)
  near <- replace(y, odd, sample(y, length(odd)))
  for (x in list(near, paste("EUR", near), factor(near))) {
    found <- told_of(y, x = x)
    expect_length(found$copied, 0)
    expect_identical(found$near$columns, "x")
    expect_equal(found$near$share, 0.98, tolerance = 0.01)
  }
  town <- sample(sprintf("t%02d", 1:40), n, TRUE)
  land <- substr(town, 2, 2)
  expect_identical(told_of(land, town = town)$near$columns, "town")
  expect_identical(told_of(land, town = town)$near$share, 1)
  expect_length(told_of(town, land = land)$near$columns, 0)
  # Neither tells it alone, and a third has nothing to do with it
  a <- sample(0:1, n, TRUE)
  b <- sample(c("u", "v"), n, TRUE)
  y <- (a + (b == "u")) %% 2
  found <- told_of(y, a = a, land = land, b = b)$near$columns
  expect_setequal(found, c("a", "b"))
  y[sample(n, n / 4)] <- 0
  expect_length(told_of(y, a = a, b = b)$near$columns, 0)
  # A doctor's visit does not tell a disease
  ill <- runif(n) < 0.02
  expect_length(told_of(ill, visit = ill | runif(n) < 0.5)$near$columns, 0)
})

test_that("a long file is looked at whole where a part of it shows nothing", {
  withr::local_seed(8)
  n <- 50000
  y <- numeric(n)
  y[sample(n, 400)] <- stats::rnorm(400)
  expect_identical(told_of(y, x = 2 * y)$copied, "x")
  y <- stats::rnorm(n)
  expect_identical(told_of(y, x = exp(y))$copied, "x")
  expect_length(told_of(y, x = replace(exp(y), 7, 99))$copied, 0)
  rare <- rep("no", n)
  rare[sample(n, 30)] <- "yes"
  expect_identical(told_of(rare, x = rare == "yes")$copied, "x")
})

test_that("counts and classes of a database say what records say", {
  withr::local_seed(4)
  n <- 2000
  y <- sample(30, n, TRUE)
  x <- list(copy = 90 - 3 * y, near = replace(y, 1:40, 7), no = y %% 4)
  cell <- place_codes(do.call(paste, x))
  pair <- pair_counts(cell, y, rep(1, n))
  first <- match(pair$x, cell)
  counted <- told_beside(
    published_forms(lapply(x, `[`, first)), pair$y, pair$n
  )
  expect_equal(counted, do.call(told_of, c(list(y), x)))
})

# By verb and source -----------------------------------------------------------

beside_copies <- function() {
  data <- beside_file(500)
  data$copy <- log(data$y) + 3
  odd <- seq(1, 500, by = 40)
  data$near <- replace(data$y, odd, rev(data$y[odd]) + 0.01)
  data
}

test_that("every verb refuses a copy of the response", {
  data <- beside_copies()
  reference <- list("(Intercept)" = 9, sigma = 1)
  refused <- function(code) {
    error <- expect_error(
      suppressWarnings(suppressMessages(code)),
      class = "pseudosynth_error_copied_response"
    )
    expect_s3_class(error, "pseudosynth_error_privacy")
    expect_match(conditionMessage(error), "\"(copy|x)\" has the values")
  }
  refused(beside_sets(data, log(y) ~ x + copy))
  histogram <- perturbed_histogram(log(y) ~ 1, data, c(1, 1e6), epsilon = 1)
  refused(synthesize(histogram, newdata = data))
  folder <- withr::local_tempdir()
  book <- ledger(file.path(folder, "book"), epsilon = 5, delta = 1e-5)
  refused(score_release(log(y) ~ copy, data, gaussian(),
    epsilon = 1, reference = reference, ledger = book
  ))
  expect_identical(nrow(as.data.frame(book)), 0L)
  plain <- suppressMessages(score_release(log(y) ~ x, data, gaussian(),
    epsilon = 1, reference = reference
  ))
  refused(synthesize(plain, newdata = transform(data, x = copy, copy = copy)))
  by_vector <- perturbed_histogram(data$y, bounds = c(1, 1e6), epsilon = 1)
  expect_error(
    synthesize(by_vector, newdata = data), class = "pseudosynth_error_privacy"
  )
})

test_that("a job refuses a copy before it fits and pays for its margin", {
  data <- beside_copies()
  book <- ledger(withr::local_tempfile(), 9, 1e-6)
  for (mechanism in c("centred", "censor_uw", "lw")) {
    reference <- if (mechanism == "centred") {
      list("(Intercept)" = 9, sigma = 1)
    }
    for (bounds in list(NULL, c(1, 1e6))) {
      if (mechanism == "lw" && !is.null(bounds)) next
      error <- expect_error(
        suppressMessages(pseudo_posterior(
          log(y) ~ copy, data, gaussian(),
          mechanism = mechanism, epsilon = if (mechanism != "lw") 2,
          reference = reference, scaling = list(copy = c(12, 1)),
          bounds = bounds, ledger = book, chains = 1, warmup = 20, draws = 20
        )),
        class = "pseudosynth_error_copied_response"
      )
      expect_false(inherits(error, "pseudosynth_error_paid"))
    }
  }
  expect_identical(nrow(as.data.frame(book)), 0L)
})

test_that("near copies are told with the share, and release() asks for them", {
  skip_if_not_installed("jsonlite")
  data <- beside_copies()
  reference <- list("(Intercept)" = 9, sigma = 1)
  told <- function(code) {
    messages <- list()
    made <- suppressWarnings(withCallingHandlers(
      code,
      pseudosynth_message_near_copy = function(message) {
        messages <<- c(messages, list(message))
        rlang::cnd_muffle(message)
      },
      message = function(message) rlang::cnd_muffle(message)
    ))
    # Once
    expect_length(messages, 1)
    text <- conditionMessage(messages[[1]])
    expect_match(text, "\"near\" tells 97[.0-9]*%")
    made
  }
  told(fit_synthesizer(log(y) ~ near, data, gaussian(),
    prior = prior_normal(1, c(9, 2.5)), chains = 1, warmup = 8, draws = 8
  ))
  made <- told(score_release(log(y) ~ near, data, gaussian(),
    epsilon = 5, reference = reference, bounds = c(1, 1e6)
  ))
  told(pseudo_posterior(log(y) ~ near, data, gaussian(),
    mechanism = mechanism("score", reference = reference), epsilon = 5
  ))
  histogram <- perturbed_histogram(log(y) ~ 1, data, c(1, 1e6), epsilon = 1)
  told(synthesize(histogram, newdata = data[c("y", "near")]))
  sets <- suppressMessages(synthesize(made, newdata = data))
  leave <- function(public = character()) {
    suppressMessages(release(sets, withr::local_tempfile(),
      data = data, public = public
    ))
  }
  error <- expect_error(leave(), class = "pseudosynth_error_near_copy")
  expect_match(conditionMessage(error), "public = \"near\"", fixed = TRUE)
  expect_gt(error$share, 0.96)
  expect_no_error(leave("near"))
})

test_that("tables and parts are judged as data frames are", {
  d <- copies()
  d$works <- as.integer(d$income > stats::median(d$income))
  d$code <- ifelse(d$works == 1, "x", "y")
  d$state <- paste0(match(d$status, unique(d$status)), d$flag)
  # Of neither alone: 0 and 1 as often in all of its groups
  d$odd <- d$visits %% 2L
  d$either <- (as.integer(d$flag == "yes") + d$odd) %% 2L
  con <- sqlite(persons = d)
  sources <- list(
    d, dplyr::tbl(con, "persons"), parts_of(d, rep_len(1:3, nrow(d)))
  )
  flat <- list("(Intercept)" = 0)
  messages_of <- function(code) {
    told <- NULL
    withCallingHandlers(
      suppressWarnings(code),
      pseudosynth_message_near_copy = function(m) told <<- conditionMessage(m),
      message = function(m) rlang::cnd_muffle(m)
    )
    told
  }
  for (data in sources) {
    for (column in c("text", "unit", "rank", "logarithm")) {
      formula <- stats::reformulate(c(column, "flag"), quote(log(income)))
      refused_copy(formula, data)
    }
    expect_copy(works_of(works ~ code, data))
    refused_copy(log(income) ~ I(2 * (unit + hours) - 2 * hours), data)
    # Each value of it goes with one status, which has two
    expect_match(messages_of(score_release(status ~ state, data, categorical(),
      epsilon = 1, response = public_response(levels = c("one", "two", "three"))
    )), "\"state\" tells 100%")
    expect_match(messages_of(score_release(either ~ flag + odd + group, data,
      bernoulli(), epsilon = 1, reference = flat
    )), "\"flag\" and \"odd\" tell 100%")
    expect_null(messages_of(score_release(works ~ flag + group, data,
      bernoulli(), epsilon = 1, reference = flat
    )))
  }
})

test_that("a plan refuses copies and warns of what nearly determines", {
  skip_if_not_installed("jsonlite")
  file <- withr::with_seed(1, data.frame(
    a = factor(sample(c("x", "y", "z"), 400, TRUE)),
    b = factor(sample(c("x", "y"), 400, TRUE)),
    pay = round(rlnorm(400, 10), 2)
  ))
  words <- c(x = "one", y = "two", z = "three")
  file$code <- factor(words[as.character(file$a)])
  file$near <- replace(file$code, 1:5, "one")
  file$cents <- round(100 * file$pay)
  file$pay[1:9] <- NA
  file$cents[1:9] <- NA
  book <- confirm_codebook(draft_codebook(file))
  copied <- function(...) {
    expect_error(
      file_plan(file, book, ...), class = "pseudosynth_error_copied_response"
    )
  }
  expect_match(conditionMessage(copied(publish = "code")), "code", fixed = TRUE)
  copied(publish = c("b", "cents"))
  warning <- expect_warning(
    plan <- file_plan(file, book, publish = c("near", "b", "cents", "pay")),
    class = "pseudosynth_warning_determined"
  )
  expect_setequal(names(warning$share), c("a", "code"))
  expect_gt(min(warning$share), 0.95)
  expect_identical(warning$by$a, "near")
  # Said once, by the plan
  expect_no_warning(fit_file(plan))
  expect_no_warning(file_plan(file, book, publish = "b"))
  expect_no_warning(file_plan(file, book, publish = c("a", "code", "near")))
  expect_no_warning(file_plan(file, book))
  sets <- suppressMessages(synthesize(file_release(plan, epsilon = 5)))
  leave <- function(...) {
    suppressMessages(release(
      sets, withr::local_tempfile(), data = file, require = "none", ...
    ))
  }
  ids <- c("cents", "pay")
  expect_error(leave(public = ids), class = "pseudosynth_error_near_copy")
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
      mechanism = mechanism(
        "score", reference = list("(Intercept)" = 9, sigma = 1)
      ),
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
    risk(data[1:10, ], data, "k", "v"), "as many records",
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

test_that("labelled columns are compared without haven", {
  x <- structure(
    c(1, 2, 2), labels = c(no = 1, yes = 2),
    class = c("haven_labelled", "vctrs_vctr", "double")
  )
  expect_identical(comparable_values(x), c(1, 2, 2))
  text <- structure(
    c("a", "b"), labels = c(first = "a"),
    class = c("haven_labelled", "vctrs_vctr", "character")
  )
  expect_identical(comparable_values(text), c("a", "b"))
})
