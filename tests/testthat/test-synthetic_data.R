test_that("nothing confidential is in synthetic data", {
  fits <- planted_fits()
  fit <- fits$second
  syn <- synthesize(fit, m = 2, seed = 987654321)
  # the scan finds what is there
  expect_equal(count_held(fit, fits$data$y), length(fits$data$y))
  confidential <- c(
    fits$data$y, log(fits$data$y), fit$spec$y, fit$draws[1:50, ],
    setdiff(as.numeric(fit$privacy_weights), c(0, 1)), fit$bound$record[
      fit$bound$record != 0
    ], fit$bound$overall, 2 * fit$bound$overall, 987654321
  )
  for (object in list(
    syn, summary(syn), guarantee(syn), as.data.frame(syn, set = "all"), syn[[1]]
  )) {
    expect_equal(count_held(object, confidential), 0)
    expect_false(holds_value(object, "PLANTED"))
    expect_false(holds_environment(object))
  }
})

test_that("a figure of synthetic data holds nothing confidential", {
  fits <- planted_fits()
  syn <- synthesize(fits$second, m = 2, seed = 1)
  figure <- ggplot2::ggplot_build(autoplot(syn))
  expect_equal(count_held(figure$data, fits$data$y), 0)
  expect_equal(count_held(autoplot(syn), fits$data$y), 0)
})

test_that("the printed figures hold no confidential value", {
  syn <- synthesize(planted_fits()$second, m = 2, seed = 1)
  text <- paste(capture.output(print(syn), print(summary(syn))), collapse = "")
  expect_no_match <- function(x, pattern) expect_false(grepl(pattern, x))
  expect_no_match(text, "PLANTED")
  bound <- format_figure(2 * planted_fits()$second$bound$overall)
  expect_no_match(text, paste0("epsilon ", bound))
  expect_match(text, "withheld")
})

test_that("sets are reached by number, by list and as data frames", {
  syn <- synthesize(lw_fit(), m = 3, seed = 1)
  expect_identical(syn[[2]], syn$sets[[2]])
  expect_identical(unname(lapply(syn, nrow)), list(150L, 150L, 150L))
  all <- as.data.frame(syn, set = "all")
  expect_equal(nrow(all), 450)
  expect_identical(all$set, rep(1:3, each = 150))
  expect_identical(syn[["m"]], 3L)
  expect_error(syn[[4]], class = "pseudosynth_error_input")
  expect_error(as.data.frame(syn, set = 0), class = "pseudosynth_error_input")
})

test_that("a model of all sets as one file is warned of", {
  synthetic <- synthesize(lw_fit(), m = 2, seed = 1)
  formula <- stats::reformulate("1", names(synthetic[[1]])[1])
  expect_warning(stats::lm(formula, synthetic), "too small",
    class = "pseudosynth_warning_stacked"
  )
  expect_no_warning(stats::lm(formula, synthesize(lw_fit(), m = 1, seed = 1)))
  expect_no_warning(as.data.frame(synthetic))
  figure <- ggplot2::ggplot(synthetic)
  expect_setequal(names(figure$data), names(as.data.frame(synthetic)))
})

test_that("a set is not replaced", {
  synthetic <- synthesize(lw_fit(), m = 2, seed = 1)
  expect_error(synthetic[[1]] <- synthetic[[2]], "as.list",
    class = "pseudosynth_error_input"
  )
})

test_that("what leaves is in random order, by no seed, with nothing else", {
  # The worst file: sorted by what is confidential
  file <- privacy_data()
  file <- file[order(file$income), ]
  fit <- fit_synthesizer(
    log(income) ~ age + earner, file, gaussian(),
    prior = prior_normal(), chains = 2, warmup = 200, draws = 500, seed = 1
  )
  syn <- synthesize(fit, m = 2, seed = 1)
  places <- replicate(200, {
    set <- as.data.frame(syn, set = 2)
    match(syn[[2]]$income[1], set$income)
  })
  expect_gt(length(unique(places)), 30)
  set <- as.data.frame(syn, set = 2)
  again <- as.data.frame(syn, set = 2)
  expect_false(identical(set, again))
  expect_identical(names(attributes(set)), c("names", "row.names", "class"))
  expect_identical(attr(set, "row.names"), seq_len(nrow(file)))
  # Rows stay whole
  sorted <- function(x) {
    x <- x[do.call(order, x), ]
    rownames(x) <- NULL
    x
  }
  expect_identical(sorted(set), sorted(syn[[2]]))
  expect_identical(vapply(set, class, ""), vapply(syn[[2]], class, ""))
  all <- as.data.frame(syn, set = "all")
  expect_identical(sorted(all[all$set == 2, -1]), sorted(syn[[2]]))
  # Ranks of the file do not show: |r| above .35 once in 50,000 times
  expect_lt(abs(cor(seq_len(nrow(set)), rank(set$income))), 0.35)
  # R's own random state is not used
  before <- withr::with_seed(1, .Random.seed)
  withr::with_seed(1, {
    as.data.frame(syn)
    expect_identical(.Random.seed, before)
  })
  # Inside the agency everything stays aligned
  expect_s3_class(
    identification_risk(syn, file, known = "age", radius = 0.2),
    "identification_risk"
  )
})

test_that("a column asked of the object is an error that says where it is", {
  syn <- synthesize(lw_fit(), m = 2, seed = 1)
  for (get in list(
    function() syn$income, function() syn[["income"]], function() syn$sets2,
    function() syn$guar
  )) {
    expect_error(get(), class = "pseudosynth_error_input")
  }
  expect_error(syn$income, "x[[1]]$income", fixed = TRUE)
  expect_identical(syn$columns$name, "income")
  expect_identical(syn[2:1], list(syn[[2]], syn[[1]]))
})

test_that("head() and tail() are rows", {
  syn <- synthesize(lw_fit(), m = 2, seed = 1)
  expect_identical(dim(head(syn, 4)), c(4L, 4L))
  expect_identical(head(syn)$set, rep(1L, 6))
  expect_identical(tail(syn, 2)$set, c(2L, 2L))
})

test_that("write.csv() leaves no set out, and hides the file's order", {
  syn <- synthesize(lw_fit(), m = 3, seed = 1)
  path <- withr::local_tempfile(fileext = ".csv")
  utils::write.csv(syn, path, row.names = FALSE)
  written <- utils::read.csv(path)
  expect_identical(names(written), c("set", names(syn[[1]])))
  for (j in 1:3) {
    income <- written$income[written$set == j]
    expect_identical(sort(income), sort(syn[[j]]$income))
    expect_false(identical(income, syn[[j]]$income))
  }
  # One set needs no number
  expect_named(as.data.frame(synthesize(lw_fit())), names(syn[[1]]))
  # A column of that name stays what it is
  data <- transform(privacy_data(), set = earner)
  fit <- quick_fit(log(income) ~ set, data, prior = prior_normal())
  expect_identical(
    names(as.data.frame(synthesize(fit, m = 2)))[1], "synthetic_set"
  )
})

test_that("summary has one row per set", {
  syn <- synthesize(lw_fit(), m = 3, seed = 1)
  table <- summary(syn)$table
  expect_equal(nrow(table), 3)
  expect_equal(table$median[2], median(syn[[2]]$income))
  expect_output(print(syn), "3 sets of 150 records")
  expect_output(print(summary(syn)), "Privacy of synthetic data")
})

test_that("published columns keep their values and lose everything else", {
  x <- structure(c(1, 2), note = "a")
  expect_identical(publish_column(x), c(1, 2))
  f <- factor(c("b", "a"), levels = c("c", "b", "a"), ordered = TRUE)
  expect_identical(publish_column(f), f)
  levels(f) <- structure(levels(f), of = "whom")
  names(f) <- c("who", "else")
  attr(f, "scores") <- 3
  expect_identical(
    publish_column(structure(f, class = c("own", class(f)))),
    factor(c("b", "a"), levels = c("c", "b", "a"), ordered = TRUE)
  )
  expect_identical(
    publish_column(factor(c("b", "a"), levels = c("c", "b", "a"))),
    factor(c("b", "a"), levels = c("c", "b", "a"))
  )
  expect_identical(
    publish_column(reorder(factor(c("b", "a", "c")), c(2, 3, 1))),
    factor(c("b", "a", "c"))
  )
  expect_identical(
    publish_column(addNA(factor(c("b", NA)))), factor(c("b", NA), "b")
  )
  expect_identical(publish_column(c(a = TRUE)), TRUE)
  expect_identical(publish_column(c(a = "x")), "x")
  expect_identical(publish_column(c(a = 3L)), 3L)
})

test_that("a set has the columns of the file in the file's order", {
  data <- simulated()[c("x", "y", "group")]
  fit <- quick_fit(y ~ group + x, data)
  expect_identical(names(fit$data), names(data))
  expect_identical(names(synthesize(fit)[[1]]), names(data))
})

test_that("the length of synthetic data is the number of sets", {
  syn <- synthesize(quick_fit(), m = 3)
  expect_length(syn, 3)
  expect_length(as.list(syn), 3)
  # R's own loops go over as.list()
  rows <- 0
  for (set in as.list(syn)) rows <- rows + nrow(set)
  expect_equal(rows, 3 * nrow(syn[[1]]))
  expect_identical(Map(nrow, as.list(syn)), lapply(syn, nrow))
  expect_identical(dim(do.call(rbind, as.list(syn)))[1], as.integer(rows))
})

test_that("sets that were edited have no label, whichever way", {
  made <- leaving_sets(3)
  expect_identical(guarantee(made)$label, "strict")
  edited <- function(change) {
    parts <- unclass(made)
    parts$sets <- change(parts$sets)
    attributes(parts) <- c(attributes(parts), attributes(made)[c(
      "class", "seal"
    )])
    parts
  }
  changes <- list(
    value = function(sets) {
      sets[[2]]$age[1] <- setdiff(levels(sets[[2]]$age), sets[[2]]$age[1])[1]
      sets
    },
    order = function(sets) sets[c(2, 1, 3)],
    clone = function(sets) sets[c(1, 1, 3)],
    columns = function(sets) lapply(sets, rev),
    rows = function(sets) lapply(sets, function(x) x[rev(seq_len(nrow(x))), ]),
    attribute = function(sets) {
      attr(sets[[3]], "more") <- 1
      sets
    },
    names = function(sets) {
      names(sets[[2]])[2:3] <- names(sets[[2]])[2]
      sets
    },
    fewer = function(sets) sets[1:2],
    none = function(sets) list(),
    gone = function(sets) NULL,
    number = function(sets) 5
  )
  for (name in names(changes)) {
    label <- guarantee(edited(changes[[name]]))$label
    expect_identical(label, "none", label = name)
  }
})

test_that("sets without a guarantee are not called for release", {
  sets <- synthesize(unweighted_fit(), 2)
  text <- utils::capture.output(print(sets))
  expect_no_match(text, "sets for release")
  expect_match(text, "not for release", all = FALSE)
  expect_match(plot(sets)$labels$caption, "not for release")
})

test_that("sets of a tibble are tibbles, and no attribute of it travels", {
  data <- simulated()
  data$g <- factor(rep(c("b", "a"), length.out = nrow(data)), c("c", "b", "a"))
  class(data) <- c("tbl_df", "tbl", "data.frame")
  attr(data, "note") <- "MARKNOTE"
  attr(data$x, "label") <- "MARKNOTE"
  tibble_class <- c("tbl_df", "tbl", "data.frame")
  plain <- function(set) {
    setdiff(
      c(names(attributes(set)), unlist(lapply(set, function(x) {
        names(attributes(x))
      }))),
      c("names", "row.names", "class", "levels")
    )
  }
  expect_tibble <- function(sets) {
    for (set in as.list(sets)) {
      expect_identical(class(set), tibble_class)
      expect_identical(plain(set), character())
    }
    expect_identical(class(as.data.frame(sets)), "data.frame")
    bytes <- serialize(sets, NULL)
    expect_length(grepRaw("MARKNOTE", bytes, fixed = TRUE), 0)
  }
  fit <- quick_fit(y ~ g + x, data)
  expect_tibble(synthesize(fit, 2, allow_unconverged = TRUE))
  expect_tibble(synthesize(
    fit, 1, newdata = data[1:9, ], allow_unconverged = TRUE
  ))
  expect_identical(class(synthesize(fit, 1,
    newdata = transform(simulated(), g = factor("a")), allow_unconverged = TRUE
  )[[1]]), "data.frame")
  expect_tibble(synthesize(
    as_generator(fit, allow_unconverged = TRUE), newdata = data
  ))
  reference <- list("(Intercept)" = 0, sigma = 1)
  scores <- suppressWarnings(suppressMessages(
    score_release(y ~ g + x, data, gaussian(),
      epsilon = 5, reference = reference
    )
  ))
  expect_tibble(synthesize(scores, newdata = data))
  histogram <- perturbed_histogram(y ~ 1, data, c(-9, 9), epsilon = 1)
  expect_tibble(synthesize(histogram, newdata = data))
  job <- suppressWarnings(suppressMessages(
    pseudo_posterior(y ~ g + x, data, gaussian(),
      mechanism = mechanism("score", reference = reference), epsilon = 5
    )
  ))
  expect_tibble(job$synthetic)
  expect_identical(levels(job$synthetic[[1]]$g), c("c", "b", "a"))
})

test_that("a summary of sets of which one lacks a rare value has it for all", {
  data <- data.frame(y = rep(0, 60), g = rep(letters[1:3], 20))
  data$y[1] <- 1
  fit <- suppressWarnings(suppressMessages(fit_synthesizer(
    y ~ g, data, bernoulli(), chains = 2, warmup = 300, draws = 400, seed = 1
  )))
  sets <- suppressWarnings(suppressMessages(
    synthesize(fit, m = 12, seed = 3, allow_unconverged = TRUE)
  ))
  some <- vapply(seq_len(12), function(i) any(sets[[i]]$y == 1), NA)
  expect_true(any(some) && !all(some))
  table <- summary(sets)$table
  expect_identical(names(table), c("set", "0", "1"))
  expect_equal(table[["0"]] + table[["1"]], rep(1, 12))
})
