# A file of three columns, of which two are related by an interaction alone
xor_file <- function(n = 600) {
  withr::with_seed(7, {
    a <- sample(c("x", "y"), n, TRUE)
    b <- sample(c("x", "y"), n, TRUE)
    data.frame(a = factor(a), b = factor(b), same = a == b)
  })
}

sets_of_file <- function(...) suppressWarnings(synthesize_file(..., seed = 1))

without_order <- function(x) {
  attributes(x) <- attributes(x)[sort(names(attributes(x)))]
  x
}

test_that("one line gives a whole file of the same types and attributes", {
  skip_if_not_installed("rpart")
  files <- list(
    survey_file(200), haven_file(200), dated_file(200), heaped_file(200)[-3]
  )
  # R's dates are numbers, whatever the file's are
  storage.mode(files[[3]]$end) <- "double"
  models <- c("tree", "regression")
  for (k in seq_along(files)) {
    file <- files[[k]]
    for (model in by_night(models, models[k %% 2 + 1])) {
      sets <- sets_of_file(file, m = 2, model = model)
      expect_s3_class(sets, "synthetic_data")
      expect_identical(guarantee(sets)$label, "none")
      for (set in as.list(sets)) {
        expect_identical(names(set), names(file))
        expect_identical(class(set), class(file))
        expect_identical(nrow(set), nrow(file))
        expect_identical(
          lapply(set, function(x) without_order(x)[0]),
          lapply(as.list(file), function(x) without_order(x)[0])
        )
      }
      # Drawn anew, and no row kept in its place
      expect_false(identical(sets[[1]], sets[[2]]))
      expect_false(identical(as.list(sets[[1]]), as.list(file)))
    }
  }
})

test_that("shares of missing values, codes and heaps are kept", {
  skip_if_not_installed("rpart")
  file <- survey_file(2000)
  # So many that chance is small
  set <- sets_of_file(file, n = 20000)[[1]]
  expect_lt(max(abs(colMeans(is.na(set)) - colMeans(is.na(file)))), 0.015)
  expect_lt(
    abs(mean(set$income == -8, na.rm = TRUE) -
      mean(file$income == -8, na.rm = TRUE)), 0.015
  )
  pay <- heaped_file(2000)
  drawn <- sets_of_file(pay["pay"], n = 20000)[[1]]
  heaps <- function(x) mean(x %% 100 == 0)
  expect_lt(abs(heaps(drawn$pay) - heaps(pay$pay)), 0.01)
})

test_that("trees keep an interaction, regressions of main effects do not", {
  skip_if_not_installed("rpart")
  file <- xor_file()
  kept <- function(model) {
    set <- sets_of_file(file, model = model)[[1]]
    mean((set$a == set$b) == set$same)
  }
  expect_identical(kept("tree"), 1)
  # Chance: .5 with a standard error of .02
  expect_lt(kept("regression"), 0.65)
})

test_that("regressions keep main effects of levels and of amounts", {
  n <- 2000
  file <- withr::with_seed(2, {
    group <- sample(c("a", "b", "c"), n, TRUE)
    x <- stats::rnorm(n, 10, 2)
    y <- 5 + c(a = 0, b = 2, c = -2)[group] + 0.5 * x + stats::rnorm(n)
    yes <- stats::runif(n) < stats::plogis(x - 10)
    data.frame(group = factor(group), x = x, y = unname(y), yes = yes)
  })
  set <- sets_of_file(file, model = "regression")[[1]]
  own <- stats::coef(stats::lm(y ~ group + x, file))
  drawn <- stats::coef(stats::lm(y ~ group + x, set))
  # Standard errors are .055 and .011, of a set's draw and sample sqrt(2) more
  expect_lt(max(abs(own - drawn)[2:3]), 0.45)
  expect_lt(abs(own - drawn)[[4]], 0.1)
  slope <- function(data) {
    stats::coef(stats::glm(yes ~ x, stats::binomial(), data))[[2]]
  }
  expect_lt(abs(slope(file) - slope(set)), 0.35)
})

test_that("a leaf's donors are taken at random", {
  skip_if_not_installed("rpart")
  file <- data.frame(y = factor(rep(c("a", "b", "c"), c(50, 30, 20))))
  set <- sets_of_file(file, n = 50000)[[1]]
  # Standard errors are at most .0022
  expect_lt(
    max(abs(prop.table(table(set$y)) - c(0.5, 0.3, 0.2))), 0.012
  )
})

test_that("the first column's draws are spread over its values, in any order", {
  skip_if_not_installed("rpart")
  y <- rep(c("a", "b"), c(300, 700))
  for (y in list(y, withr::with_seed(1, sample(y)))) {
    found <- table(sets_of_file(data.frame(y = factor(y)))[[1]]$y)
    expect_lte(max(abs(found - c(300, 700))), 1)
  }
})

test_that("draws of a node go by twos through its donors, each as likely", {
  tree <- list(start = c(0L, 7L), size = c(7L, 4L))
  node <- c(2L, 1L, 1L, 2L, 1L, 1L, 1L)
  draws <- by_night(20000, 5000)
  places <- withr::with_seed(1, replicate(
    draws, paired_place(tree, node, function(n) stats::runif(n))
  ))
  for (k in seq_along(node)) {
    own <- tree$start[node[k]] + seq_len(tree$size[node[k]])
    expect_true(all(places[k, ] %in% own))
    shares <- prop.table(table(factor(places[k, ], own)))
    # Standard errors are at most .003, by day .006
    expect_lt(max(abs(shares - 1 / length(own))), by_night(0.015, 0.03))
  }
  # As many draws as donors: two draws of each two, so that none comes more
  # often, a half of the pairs has one twice, and a quarter is not taken
  even <- withr::with_seed(2, replicate(500, {
    tabulate(paired_place(
      list(start = 0L, size = 8L), rep(1L, 8), function(n) stats::runif(n)
    ), 8)
  }))
  expect_true(all(even[c(TRUE, FALSE), ] + even[c(FALSE, TRUE), ] == 2))
  expect_lt(abs(mean(even == 0) - 0.25), 0.03)
})

test_that("of few columns a set is not the file in another order", {
  skip_if_not_installed("rpart")
  file <- withr::with_seed(1, data.frame(
    g = factor(sample(c("a", "b", "c"), 400, TRUE)),
    k = factor(sample(c("x", "y"), 400, TRUE)), y = sample(400)
  ))
  words <- function(x) do.call(paste, lapply(unclass(x), as.character))
  set <- sets_of_file(file)[[1]]
  # A donor is taken at least once with a chance of 3/4 where as many are drawn
  # as there are
  expect_lt(mean(words(file) %in% words(set)), 0.82)
  expect_false(identical(table(set$g, set$k), table(file$g, file$k)))
})

test_that("a tree's nodes hold the records that come to them", {
  skip_if_not_installed("rpart")
  data <- survey_file(800)
  fit <- suppressWarnings(fit_file(data))
  specs <- column_specs(fit$plan$codebook)
  file <- records_of_plan(fit$plan)
  tree <- fit$models$bmi$value
  node <- node_of_record(tree, file, specs)
  known <- which(!is.na(data$bmi))
  expect_setequal(tree$donors, known)
  for (k in unique(node[known])) {
    own <- tree$donors[tree$start[k] + seq_len(tree$size[k])]
    expect_setequal(own, known[node[known] == k])
    expect_gte(length(own), 10)
  }
  # The root holds all, each node what those below it hold
  expect_identical(tree$size[1], length(known))
  below <- tapply(tree$size[-1], tree$parent[-1], sum)
  expect_equal(
    as.vector(below), as.double(tree$size[as.integer(names(below))])
  )
})

test_that("rules hold in every row, by trees and by regressions", {
  skip_if_not_installed("rpart")
  n <- by_night(500, 200)
  file <- withr::with_seed(3, {
    income <- round(stats::rlnorm(n, 8, 1))
    data.frame(
      adult = sample(c(TRUE, FALSE), n, TRUE), income = income,
      tax = floor(income * stats::runif(n)), kind = sample(c("a", "b"), n, TRUE)
    )
  })
  file$income[!file$adult] <- 0
  file$tax[!file$adult] <- 0
  file$kind[file$tax > 1000] <- "b"
  rules <- list(~ adult | income == 0, ~ tax <= income, ~ tax <= 1000 |
    kind == "b")
  plan <- file_plan(file, draft_codebook(file), rules = rules)
  for (model in c("tree", "regression")) {
    for (order in list(NULL, rev(names(file)))) {
      set <- sets_of_file(plan, model = model, order = order)[[1]]
      expect_true(all(set$adult | set$income == 0))
      expect_true(all(set$tax <= set$income))
      expect_true(all(set$tax <= 1000 | set$kind == "b"))
    }
  }
})

test_that("published columns stay, and others are drawn from them", {
  skip_if_not_installed("rpart")
  file <- xor_file()
  plan <- file_plan(file, draft_codebook(file), publish = c("a", "b"))
  for (model in c("tree", "regression")) {
    fit <- fit_file(plan, model = model, seed = 1)
    expect_identical(fit$predictors, list(same = c("a", "b")))
    set <- synthesize(fit, seed = 1)[[1]]
    expect_identical(set[c("a", "b")], file[c("a", "b")])
  }
  expect_error(
    synthesize(fit, n = 10), "number of records of the published",
    class = "pseudosynth_error_input"
  )
})

test_that("columns are drawn in the stated order, each after its predictors", {
  skip_if_not_installed("rpart")
  file <- survey_file(200)
  drawn <- function(...) suppressWarnings(fit_file(file, ...))$predictors
  expect_identical(names(drawn()), names(file))
  stated <- drawn(order = c("bmi", "age"))
  expect_identical(names(stated)[1:3], c("bmi", "age", "sex"))
  expect_identical(stated$sex, c("bmi", "age"))
  own <- drawn(predictors = list(sex = c("smoke", "age"), smoke = "edu"))
  expect_identical(own$sex, c("smoke", "age"))
  expect_true(all(match(c("smoke", "age"), names(own)) <
    match("sex", names(own))))
})

test_that("circular, unknown and twofold columns of an order are refused", {
  skip_if_not_installed("rpart")
  file <- xor_file(100)
  refused <- function(text, ..., class = "pseudosynth_error_order") {
    expect_error(fit_file(file, ...), text, class = class)
  }
  refused("a.*b.*a.*circle|circle.*a.*b.*a",
    predictors = list(a = "b", b = "a")
  )
  refused("from itself", predictors = list(a = "a"))
  refused("from `b` and `b` from", predictors = list(b = "a", a = "b"))
  refused("once", order = c("a", "a"))
  refused("cake", order = "cake", class = "pseudosynth_error_input")
  refused("cake", predictors = list(a = "cake"))
  refused("that are drawn", predictors = list(cake = "a"))
  refused("after its pred", order = c("a", "b"), predictors = list(a = "b"))
  refused("list", predictors = "a", class = "pseudosynth_error_input")
  plan <- file_plan(file, draft_codebook(file), publish = "a")
  expect_error(
    fit_file(plan, order = "a"), "published", class = "pseudosynth_error_order"
  )
  expect_error(
    fit_file(plan, predictors = list(a = "b")), "not drawn",
    class = "pseudosynth_error_order"
  )
  shown <- names(file)
  file$land <- "one"
  expect_error(
    fit_file(file_plan(file, draft_codebook(file), publish = shown)),
    "column to be drawn", class = "pseudosynth_error_input"
  )
})

test_that("other arguments are checked", {
  skip_if_not_installed("rpart")
  file <- xor_file(100)
  expect_error(
    synthesize_file(file, "frozen"), "unweighted",
    class = "pseudosynth_error_mechanism"
  )
  expect_error(synthesize_file(file, epsilon = 1), "claims no epsilon")
  expect_error(synthesize_file(file, cake = 1), "cake")
  expect_error(synthesize_file(file, model = "forest"), "tree")
  expect_error(
    synthesize_file(file, model = c("tree", cake = "regression")), "cake"
  )
  expect_error(synthesize_file(file, leaf = 0), "leaf")
  expect_error(synthesize_file(file, m = 0), "m")
  expect_error(synthesize_file(), "plan", class = "pseudosynth_error_input")
  expect_error(synthesize_file(1:3), "file_plan")
  fit <- fit_file(file)
  expect_error(synthesize(fit, newdata = file), "newdata")
  expect_error(synthesize(fit, uncertainty = TRUE), "uncertainty")
  edited <- fit
  edited$leaf <- 3
  expect_error(synthesize(edited), class = "pseudosynth_error_edited")
  plan <- fit$plan
  plan$n_records <- 3L
  expect_error(fit_file(plan), class = "pseudosynth_error_edited")
})

test_that("a level that a node has not seen stops there", {
  skip_if_not_installed("rpart")
  # Level 3 is only in low places, where nothing depends on levels
  high <- rep(c(FALSE, TRUE), c(300, 600))
  place <- seq_along(high) / 1000 + 0.2 * high
  level <- ifelse(high, rep(1:2, c(650, 250)), rep(1:3, 300))
  y <- as.double(10 * high + (high & level == 2) * 3 + cos(seq_along(high)))
  tree <- grown_tree(y, list(
    list(x = factor(level, 1:3), order = NULL), list(x = place, order = NULL)
  ), seq_along(y), 250)
  place_of <- function(level, place) {
    unname(predict(tree$fit, data.frame(
      x1 = factor(level, 1:3), x2 = place
    ), type = "vector"))
  }
  expect_identical(tree$size[place_of(1:2, c(1, 1))], c(350L, 250L))
  node <- place_of(3, 1)
  expect_identical(tree$size[node], 600L)
  donors <- tree$donors[tree$start[node] + seq_len(600)]
  expect_setequal(donors, which(high))
})

test_that("a level of one record is warned of", {
  skip_if_not_installed("rpart")
  file <- xor_file(200)
  file$once <- factor(c("once", rep(c("p", "q"), length.out = 199)))
  expect_warning(
    synthesize_file(file), "once", class = "pseudosynth_warning_rare_levels"
  )
})

test_that("constant columns, 400 levels and missing values are taken", {
  skip_if_not_installed("rpart")
  file <- withr::with_seed(5, data.frame(
    one = rep(0.5, 2000), single = factor(rep("a", 2000)),
    many = factor(sample(sprintf("l%d", 1:400), 2000, TRUE)),
    gaps = sample(c(NA, 1:40), 2000, TRUE), number = stats::rexp(2000)
  ))
  for (model in c("tree", "regression")) {
    set <- sets_of_file(file, model = model)[[1]]
    expect_identical(set$one, file$one)
    expect_identical(set$single, file$single)
    expect_identical(levels(set$many), levels(file$many))
    expect_gt(length(unique(set$many)), 200)
  }
  file$name <- sprintf("name %d", seq_len(2000))
  suppressWarnings(expect_message(
    sets <- synthesize_file(file), "name",
    class = "pseudosynth_message_left_out"
  ))
  expect_null(sets[[1]]$name)
})

test_that("sets hold nothing of the fit, and seeds repeat them", {
  skip_if_not_installed("rpart")
  file <- survey_file(300)
  file <- file[by_night(seq_along(file), c("sex", "income", "smoke"))]
  for (model in c("tree", "regression")) {
    one <- sets_of_file(file, model = model)
    expect_identical(one$sets, sets_of_file(file, model = model)$sets)
    expect_true(guarantee(one)$reproducible)
    expect_setequal(names(unclass(one)), c(
      "sets", "guarantee", "columns", "m", "n_records", "made_by", "codebook"
    ))
  }
  other <- suppressWarnings(synthesize_file(file))
  expect_false(guarantee(other)$reproducible)
  expect_false(identical(other$sets, one$sets))
})

test_that("each set of regressions has a parameter draw of its own", {
  file <- xor_file(50)[1:2]
  fit <- suppressWarnings(fit_file(file, model = "regression", seed = 1))
  draws <- nrow(fit$models$b$part$steps[[1]]$fit$draws)
  expect_gte(draws, 300)
  expect_identical(synthesize(fit, m = draws, n = 1)$m, draws)
  error <- expect_error(
    synthesize(fit, m = draws + 1, n = 1), class = "pseudosynth_error_input"
  )
  expect_identical(error$arg, "m")
})

test_that("regressions copy no value, unless all are equal", {
  book <- codebook(data.frame(
    column = c("sex", "pay"), type = c("category", "amount"),
    levels = c("f|m", ""), lower = c(NA, 0), upper = c(NA, 1e7),
    missing = c(FALSE, TRUE), digits = c(NA, 0), storage = c(NA, "double")
  ))
  drawn <- function(pay) {
    file <- data.frame(
      sex = factor(rep(c("f", "m"), 20)),
      pay = c(pay, rep(NA, 40 - length(pay)))
    )
    sets <- sets_of_file(file_plan(file, book), model = "regression", n = 400)
    unique(stats::na.omit(sets[[1]]$pay))
  }
  expect_identical(drawn(7654321), 7654321)
  several <- c(7654321, 12345, 987654)
  values <- drawn(several)
  expect_gt(length(values), 1)
  expect_false(any(values %in% several))
})

test_that("sets have streams of their own, and many calls each", {
  file <- xor_file(50)
  skip_if_not_installed("rpart")
  fit <- suppressWarnings(fit_file(file))
  # The first set is the same whatever follows
  expect_identical(
    synthesize(fit, m = 1, seed = 2)[[1]], synthesize(fit, m = 2, seed = 2)[[1]]
  )
  random <- random_numbers(c(1, 2))
  environment(random)$asked <- 2^31 - 2^20
  expect_no_warning(first <- random(3))
  expect_false(any(first == random(3)))
})

test_that("columns that are left out are named, not as those of a draft", {
  skip_if_not_installed("rpart")
  file <- xor_file(300)
  file$person <- sprintf("person %d", seq_len(300))
  expect_message(
    sets <- suppressWarnings(synthesize_file(file)),
    "\"person\" is left out: its values identify records, or there"
  )
  reasons <- guarantee(sets)$reasons
  expect_match(reasons[length(reasons)], "file: a, b, same$")
})

test_that("utility, release and figures take the sets", {
  skip_if_not_installed("rpart")
  # A page draws each column
  file <- survey_file(by_night(500, 200))
  file <- file[by_night(seq_along(file), c("sex", "income", "smoke"))]
  sets <- suppressWarnings(synthesize_file(file, m = 2))
  expect_s3_class(utility(sets, file), "file_utility")
  expect_s3_class(plot(sets), "ggplot")
  expect_error(
    release(sets, withr::local_tempdir(), data = file), "none",
    class = "pseudosynth_error_not_releasable"
  )
  skip_if_not_installed("rmarkdown")
  skip_on_cran()
  skip_without_pandoc()
  page <- withr::local_tempfile(fileext = ".html")
  report(sets, page, data = file)
  expect_true(any(grepl("Nothing|none", readLines(page, warn = FALSE))))
})

test_that("prints name the models, the draft and the missing guarantee", {
  skip_if_not_installed("rpart")
  file <- survey_file(300)
  sets <- suppressWarnings(synthesize_file(file))
  expect_output(print(sets), "Without a guarantee")
  expect_output(print(guarantee(sets)), "read from the file")
  fit <- suppressWarnings(fit_file(file, model = c("tree", age = "regression")))
  expect_output(print(fit), "age by.*regression")
  expect_output(print(fit), "for the agency only")
})

test_that("survey weights are drawn last, given all others", {
  skip_if_not_installed("rpart")
  file <- withr::with_seed(4, data.frame(
    weight = stats::rlnorm(300, 3, 0.5), group = sample(c("a", "b"), 300, TRUE),
    income = stats::rlnorm(300, 8, 1)
  ))
  book <- as.data.frame(draft_codebook(file))
  book$transform[1] <- "log"
  book$lower[1] <- "0.1"
  plan <- file_plan(file, codebook(book), survey_weights = "weight")
  fit <- fit_file(plan)
  expect_identical(names(fit$predictors), c("group", "income", "weight"))
  expect_identical(synthesize(fit)$survey_weights, "weight")
})
