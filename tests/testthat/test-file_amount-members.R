# Amounts of members, measured for all of them together

test_that("members share their household's part of a sum evenly", {
  for (size in 1:20) {
    parts <- parts_of_records(rep(1L, size))
    expect_length(unique(parts), 1)
    expect_lte(sum(parts), share_parts)
    expect_gt(sum(parts), share_parts - size)
  }
  expect_identical(parts_of_records(c(2L, 1L, 2L)), c(30L, 60L, 30L))
  expect_length(parts_of_records(integer()), 0)
})

test_that("amounts of members are one each, in the file's names", {
  plan <- pay_plan(120)
  expect_identical(shared_amounts(plan), "pay")
  release <- home_release(plan, 3, seed = 1)
  expect_named(release$amounts, c("rent", "pay"))
  expect_identical(release$amounts$pay$slots, paste0("pay.", 1:4))
  expect_null(release$amounts$rent$slots)
  expect_true(all(c("rent", "pay") %in% release$means$column))
  expect_match(printed(release), "pay: margin of")
  label <- printed(guarantee(release))
  expect_match(label, "adds the mean of what those with a value would add")
  terms <- names(coef(release, amount = "pay"))
  for (column in c("place", "sharing", "region", "age")) {
    expect_true(any(startsWith(terms, column)))
  }
  expect_setequal(unique(summary(release)$table$amount), c("rent", "pay"))
  expect_s3_class(autoplot(release, columns = "pay"), "ggplot")
  # Zeros and missing values stay what the member's part is
  set <- synthesize(release, seed = 2)[[1]]
  expect_true(all(set$pay[!is.na(set$pay)] >= 0))
  expect_true(any(is.na(set$pay)) && any(set$pay == 0, na.rm = TRUE))
})

test_that("what a rule or the order compares is measured slot by slot", {
  data <- home_persons(60)
  data$pay <- match(data$home, data$home)
  plan <- home_plan(data, rules = ~ member(1)$pay >= member(2)$pay)
  expect_length(shared_amounts(plan), 0)
  expect_true(all(paste0("pay.", 1:3) %in% protected_amounts(plan)))
  # A number, or the household's amount, is the same for all members
  plan <- pay_plan(60, 3, rules = list(~ member(1)$pay < 5e5))
  expect_identical(shared_amounts(plan), "pay")
  set <- synthesize(home_release(plan, 2, seed = 1), seed = 1)[[1]]
  first <- !duplicated(set$home)
  expect_true(all(set$pay[first] < 5e5, na.rm = TRUE))
  plan <- home_plan(data, members(~ -pay, 3))
  expect_length(shared_amounts(plan), 0)
  # One slot, waves and files without members share nothing
  expect_length(shared_amounts(home_plan(data, members(~age, 1))), 0)
  expect_length(shared_amounts(people_plan(people(50))), 0)
})

test_that("what rules compare by way of another amount is measured apart", {
  data <- home_persons(60)
  place <- sequence(rle(data$home)$lengths)
  data$sex <- letters[place]
  data$pay <- withr::with_seed(1, round(1000 * place + stats::runif(
    nrow(data), 0, 300
  )))
  data$rent <- data$pay - 300
  data$fee <- data$pay
  own <- members(~sex, 3)
  across <- ~ member(1)$pay <= member(2)$rent
  within <- list(~ rent <= pay, ~ fee >= rent)
  amounts <- c("pay", "rent", "fee")
  # Members' own comparisons, or one across members, leave no room open
  expect_setequal(shared_amounts(home_plan(data, own, rules = within)), amounts)
  expect_setequal(shared_amounts(home_plan(data, own, rules = across)), amounts)
  plan <- home_plan(data, own, rules = c(within, across))
  expect_setequal(shared_amounts(plan), c("rent", "fee"))
  for (seed in 1:3) {
    release <- home_release(plan, 3, seed = seed)
    set <- synthesize(release, seed = seed)[[1]]
    expect_true(all(set$rent <= set$pay & set$fee >= set$rent))
  }
})

test_that("an amount that all members have may be called place", {
  data <- home_persons(40)
  data$place <- withr::with_seed(1, round(exp(stats::rnorm(nrow(data), 8))))
  data$sharing <- rev(data$place)
  plan <- home_plan(data, members(~ -age, 3))
  expect_setequal(shared_amounts(plan), c("place", "sharing"))
  release <- home_release(plan, 3, seed = 1)
  terms <- names(coef(release, amount = "place"))
  expect_true(any(startsWith(terms, "place.1")))
  expect_true(any(startsWith(terms, "sharing.1")))
  set <- synthesize(release, seed = 1)[[1]]
  expect_false(anyNA(set[c("place", "sharing")]))
  audit <- audit_guarantee(release, plan, rows = 50, replays = 2, seed = 3)
  expect_true(all(audit$replays$over == "" & audit$replays$differs == ""))
})

test_that("a household adds the mean of its members, however many are alike", {
  plan <- pay_plan(60)
  release <- home_release(plan, 2, seed = 1)
  file <- file_records(plan)
  pays <- paste0("pay.", 1:4)
  alike <- some_records(file, rep(1, 4))
  level <- function(name, text) match(text, plan$levels[[name]])
  alike$codes[, "members"] <- 1:4
  for (k in 1:4) {
    there <- (1:4) >= k
    # One member four times over
    for (name in c("age", "sex", "work", "pay")) {
      wide <- paste0(name, ".", k)
      text <- c(age = "20-59", sex = "f", work = "TRUE", pay = "value")[[name]]
      alike$codes[there, wide] <- level(wide, text)
      none <- release$members$none[match(wide, names(plan$levels))]
      if (k > 1) alike$codes[!there, wide] <- none
    }
    alike$values[, pays[k]] <- ifelse(there, 1, NA)
  }
  records <- measured_records(release, alike)
  measured <- Filter(
    function(m) identical(m$about, "pay"), file_measurements(release)
  )
  for (m in measured) {
    own <- records_for(m, records)
    for (part in seq_along(m$parts)) {
      v <- m$vectors(own, part)
      length <- sqrt(rowSums(v^2))
      expect_lte(max(length), bounds_of(m)[part, 1])
    }
    if (m$parts[1] == "margin") {
      # All in the bin that moves it farthest
      expect_equal(length, rep(bounds_of(m)[1], 4))
      expect_identical(v[1, ], v[4, ])
    }
  }
  # As the records of a part of the file
  some <- rows_measured(records, c(3L, 1L, 3L))
  whole <- records_for(measured[[1]], records)
  v <- measured[[1]]$vectors(whole, 1)
  w <- measured[[1]]$vectors(records_for(measured[[1]], some), 1)
  expect_identical(w, v[c(3, 1, 3), ])
})

test_that("replayed households of amounts keep what is paid", {
  plan <- pay_plan(60)
  for (neighbours in by_night(relation_names, relation_names[2])) {
    release <- home_release(plan, 2, neighbours = neighbours, seed = 1)
    audit <- audit_guarantee(
      release, plan, rows = by_night(500, 100), replays = by_night(12, 4),
      seed = 3
    )
    expect_true(all(audit$replays$over == "" & audit$replays$differs == ""))
    expect_true(all(audit$worst$exact <= audit$worst$claimed * (1 + 1e-9)))
  }
})

test_that("who shares an amount with others has no other law in sets", {
  n <- 3000
  homes <- withr::with_seed(8, {
    size <- sample(1:3, n, TRUE)
    home <- rep(seq_len(n), size)
    # Where two or three earn, each has a half or a third
    data.frame(
      home, sex = sample(c("f", "m"), length(home), TRUE),
      pay = round(exp(stats::rnorm(length(home), 9, 0.4)) / size[home])
    )
  })
  book <- suppressMessages(confirm_codebook(edit_codebook(
    draft_codebook(homes), home = "id",
    pay = list(lower = 1, upper = 1e5, transform = "log")
  )))
  plan <- suppressMessages(file_plan(homes, book,
    unit = "home", members = members(~sex, 3)
  ))
  release <- home_release(plan, 4, seed = 1)
  set <- synthesize(release, seed = 1)[[1]]
  size <- function(x) tabulate(x$home)[x$home]
  own <- tapply(log(homes$pay), size(homes), mean)
  made <- tapply(log(set$pay), size(set), mean)
  expect_lt(max(abs(made - own)), 0.15)
  # Shares alone would say 9 - .73 log-units less a third of it
  expect_lt(abs(mean(log(set$pay)) - mean(log(homes$pay))), 0.04)
  shared <- stats::weighted.mean(log(homes$pay), 1 / size(homes))
  expect_gt(shared - mean(log(homes$pay)), 0.15)
  told <- release$means[release$means$column == "pay", ]
  expect_lt(abs(told$mean - mean(homes$pay)), 3 * told$error)
  # So have sets whose differences are what is unknown
  sets <- synthesize(release, m = 3, uncertainty = TRUE, seed = 1)
  made <- vapply(sets, function(x) mean(log(x$pay)), 0)
  expect_lt(max(abs(made - mean(log(homes$pay)))), 0.08)
})

test_that("members have in common what they have in the file", {
  n <- 2500
  couples <- function(rho) {
    withr::with_seed(9, {
      one <- stats::rnorm(n)
      other <- rho * one + sqrt(1 - rho^2) * stats::rnorm(n)
      data.frame(
        home = rep(seq_len(n), each = 2), sex = c("f", "m"),
        region = rep(sample(c("n", "s"), n, TRUE), each = 2),
        pay = round(exp(9 + 0.4 * as.vector(rbind(one, other))))
      )
    })
  }
  correlation <- function(x) {
    first <- !duplicated(x$home)
    last <- duplicated(x$home)
    both <- x$home[last]
    at <- match(both, x$home[first])
    stats::cor(log(x$pay[first][at]), log(x$pay[last]))
  }
  found <- vapply(c(-0.7, 0, 0.7), function(rho) {
    data <- couples(rho)
    book <- suppressMessages(confirm_codebook(edit_codebook(
      draft_codebook(data), home = "id",
      pay = list(lower = 1, upper = 1e6, transform = "log")
    )))
    plan <- suppressMessages(file_plan(data, book,
      unit = "home", members = members(~sex, 2, household = "region")
    ))
    release <- home_release(plan, 5, seed = 1)
    correlation(synthesize(release, seed = 1)[[1]])
  }, 0)
  expect_lt(max(abs(found - c(-0.7, 0, 0.7))), 0.15)
})

test_that("the one before is of the same household, by slot", {
  expect_identical(record_before(c(1L, 2L, 3L, 1L, 3L, 1L)), c(
    NA, NA, NA, 1L, 3L, 4L
  ))
  expect_length(record_before(integer()), 0)
  p <- withr::with_seed(1, stats::runif(3e4))
  home <- rep(1:10000, 3)
  z <- stats::qnorm(uniforms_together(p, record_before(home), -0.6))
  expect_equal(stats::cor(z[1:10000], z[10001:20000]), -0.6, tolerance = 0.03)
  expect_equal(stats::cor(z[1:10000], z[20001:30000]), 0.36, tolerance = 0.08)
  expect_equal(stats::sd(z), 1, tolerance = 0.02)
})
