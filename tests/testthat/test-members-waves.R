test_that("a plan of waves gives the records back, numbered anew", {
  data <- panel_persons()
  plan <- panel_plan(data)
  expect_identical(plan$n_records, length(unique(data$pid)))
  expect_identical(plan$unit$records, 1L)
  expect_identical(names(plan$levels)[1:3], c("sex", "entry", "status.2002"))
  back <- decode_file(plan)
  data$pid <- match(data$pid, unique(data$pid))
  sorted <- data[order(data$pid, data$year), ]
  row.names(sorted) <- NULL
  expect_identical(back, sorted)
  shown <- printed(plan)
  expect_match(shown, "300 persons", fixed = TRUE)
  expect_match(shown, "2002, 2004, 2006 of year", fixed = TRUE)
  expect_no_match(shown, "SECRET|household|member")
})

test_that("rows in any order, and waves as text, give the same plan", {
  data <- plain_panel(80)
  plan <- panel_plan(data)
  own <- function(plan) {
    codes <- plan$codes
    codes[do.call(order, asplit(codes, 2)), ]
  }
  mixed <- withr::with_seed(1, data[sample(nrow(data)), ])
  expect_identical(own(panel_plan(mixed)), own(plan))
  stated <- panel_plan(data, panel_waves(codes = c(2002, 2004, 2006)))
  expect_identical(stated$codes, plan$codes)
  # In the order that is stated, not in that of the file or the codebook
  turned <- panel_plan(data, panel_waves(codes = c(2006, 2004, 2002)))
  expect_identical(turned$members$waves$codes, c("2006", "2004", "2002"))
  expect_identical(turned$codes[, "status.2002"], plan$codes[, "status.2002"])
})

test_that("persons enter, leave and return in sets, as wholes", {
  data <- panel_persons()
  rule <- ~ is.na(wage) == (status == "none")
  release <- home_release(panel_plan(data, rules = rule), 10, seed = 1)
  # Figures and tables say in words that there is no wave
  bars <- ggplot2::ggplot_build(plot(release))$plot$data
  expect_true("no such wave" %in% bars$level)
  expect_false(any(startsWith(bars$level, "code")))
  for (name in c("status.2004", "wage.2004")) {
    shown <- tables(release, name)
    expect_true("no such wave" %in% as.data.frame(shown)[[name]])
    expect_no_match(printed(shown), "code", fixed = TRUE)
  }
  for (verb in list(update, with)) {
    expect_error(verb(release, lm(wage ~ sex)), "synthesize()",
      fixed = TRUE, class = input_error
    )
  }
  sets <- synthesize(release, m = 2, seed = 1)
  for (set in sets$sets) {
    expect_panel(set)
    expect_identical(is.na(set$wage), set$status == "none")
  }
  expect_identical(names(sets[[1]]), names(data))
  shown <- printed(sets)
  expect_match(shown, "persons: pid", fixed = TRUE)
  pattern <- function(file) {
    there <- table(file$pid, file$year) > 0
    tabulate(drop(there %*% c(1, 2, 4)), 7) / nrow(there)
  }
  expect_lt(sum(abs(pattern(sets[[1]]) - pattern(data))) / 2, 0.12)
  expect_identical(max(synthesize(release, n = 40)[[1]]$pid), 40L)
})

test_that("transitions are those of the file", {
  data <- plain_panel(2000)
  set <- synthesize(home_release(panel_plan(data), 5, seed = 1), seed = 1)[[1]]
  stays <- function(file) {
    wide <- tapply(file$status == "work", file[c("pid", "year")], any)
    mean(wide[, 1:2] == wide[, 2:3], na.rm = TRUE)
  }
  expect_lt(abs(stays(set) - stays(data)), 0.03)
  expect_gt(stays(data), 0.8)
})

test_that("one wave, complete panels, and one column a wave", {
  data <- plain_panel(120)
  one <- panel_plan(data[data$year == 2004, ], panel_waves(codes = 2004))
  expect_true(all(synthesize(home_release(one))[[1]]$year == 2004))
  full <- table(data$pid) == 3
  full <- data[data$pid %in% names(full)[full], ]
  plan <- panel_plan(full, panel_waves(complete = TRUE))
  expect_false("entry" %in% names(plan$levels))
  expect_identical(unique(lengths(plan$levels)), 2L)
  set <- synthesize(home_release(plan))[[1]]
  expect_true(all(table(set$pid) == 3))
  expect_panel(set)
  rows <- tryCatch(
    panel_plan(data, panel_waves(complete = TRUE)),
    pseudosynth_error_members = function(error) error$rows
  )
  expect_identical(rows, which(!data$pid %in% full$pid))
})

test_that("what is no panel is refused before anything is paid", {
  data <- plain_panel(60)
  refused <- function(data, class = "pseudosynth_error_members", ...) {
    book <- panel_book(plain_panel(60), ...)
    error <- expect_error(panel_plan(data, book = book), class = class)
    expect_no_match(conditionMessage(error), "SECRET")
    error
  }
  twice <- rbind(data, data[c(1, 7), ])
  error <- refused(twice)
  expect_match(conditionMessage(error), "2 persons have several", fixed = TRUE)
  own <- paste(twice$pid, twice$year)
  expect_identical(error$rows, which(own %in% own[nrow(data) + 1:2]))
  unnamed <- data
  unnamed$pid[c(2, 5)] <- NA
  expect_identical(refused(unnamed)$rows, c(2L, 5L))
  lost <- data
  lost$year[3] <- NA
  expect_identical(refused(lost, "pseudosynth_error_outside")$rows, 3L)
  other <- data
  other$year[4] <- 2008L
  expect_identical(refused(other, "pseudosynth_error_outside")$rows, 4L)
  years <- c("2002", "2004", "2006", "2008")
  book <- panel_book(plain_panel(60), years)
  error <- expect_error(
    panel_plan(other, panel_waves(codes = c(2002, 2004, 2006)), book),
    class = "pseudosynth_error_members"
  )
  expect_identical(error$rows, 4L)
  expect_match(conditionMessage(error), "1 record", fixed = TRUE)
  varies <- data
  home <- which(data$pid %in% names(which(table(data$pid) > 1)))[1]
  varies$sex[home] <- setdiff(c("f", "m"), varies$sex[home])
  error <- refused(varies)
  expect_match(conditionMessage(error), "All waves of a person", fixed = TRUE)
  expect_match(conditionMessage(error), "constant", fixed = TRUE)
})

test_that("arguments that do not fit are refused", {
  data <- plain_panel(40)
  expect_input <- function(code) {
    expect_error(code, class = "pseudosynth_error_input")
  }
  expect_input(waves())
  expect_input(waves(c("a", "b")))
  expect_input(waves("year", codes = c(1, 1)))
  expect_input(waves("year", codes = 1:21))
  expect_input(waves("year", codes = TRUE))
  expect_input(waves("year", constant = 1))
  expect_input(waves("year", complete = NA))
  expect_input(panel_plan(data, waves("yaer")))
  expect_input(panel_plan(data, panel_waves(codes = 2003)))
  expect_input(panel_plan(data, panel_waves(constant = c("sex", "year"))))
  expect_input(panel_plan(data, panel_waves(constant = c("sex", "status"))))
  expect_input(panel_plan(data, waves("pid")))
  data$entry <- "x"
  expect_input(panel_plan(data, panel_waves(constant = c("sex", "entry"))))
  expect_input(file_plan(data, panel_book(data), members = panel_waves()))
})

test_that("rules hold in every wave, and across waves", {
  data <- plain_panel(200)
  wide <- tapply(as.integer(data$status), data[c("pid", "year")], min)
  bad <- rownames(wide)[which(wide[, 1] == 1 & wide[, 3] == 2)]
  data <- data[!data$pid %in% bad, ]
  first <- data$year == 2002
  data$status[first & data$sex == "f"] <- "work"
  bad <- data$pid[data$status == "none" & data$year == 2006]
  data <- data[!(data$pid %in% bad & data$sex == "f"), ]
  rules <- list(
    ~ year != 2002 | sex == "m" | status == "work",
    ~ wave(2002)$status != "work" | wave("2006")$status == "work",
    ~ n_waves() >= 1, ~ any_wave(status == "work") | n_waves(year > 2002) >= 0
  )
  plan <- panel_plan(data, rules = rules)
  expect_match(printed(plan), "wave(2002)$status", fixed = TRUE)
  set <- synthesize(home_release(plan, 3))[[1]]
  expect_panel(set)
  expect_true(all(set$status[set$year == 2002 & set$sex == "f"] == "work"))
  wide <- tapply(as.integer(set$status), set[c("pid", "year")], min)
  expect_identical(sum(wide[, 1] == 1 & wide[, 3] == 2, na.rm = TRUE), 0L)
  for (rule in list(
    ~ wave(2003)$status == "work", ~ wave(2002)$sex == "f",
    ~ member(1)$status == "work", ~ wave(1, 2)$status == "work",
    ~ any_wave() == 1, ~ any_wave(sex == "f")
  )) {
    expect_error(
      panel_plan(data, rules = rule), class = "pseudosynth_error_input"
    )
  }
  broken <- ~ wave(2004)$status == "none"
  error <- expect_error(
    panel_plan(data, rules = broken), class = "pseudosynth_error_rule"
  )
  own <- data$pid[data$year == 2004 & data$status == "work"]
  expect_identical(error$rows, which(data$pid %in% own))
})

test_that("a person more is one record more, whatever its waves are", {
  data <- plain_panel(100)
  book <- panel_book(data)
  plans <- lapply(list(data, data[data$pid != data$pid[1], ]), function(own) {
    panel_plan(own, book = book)
  })
  expect_identical(plans[[1]]$n_records - plans[[2]]$n_records, 1L)
  release <- home_release(plans[[1]], 1)
  audit <- suppressMessages(audit_guarantee(
    release, plans[[1]], rows = by_night(500, 50), replays = by_night(12, 2),
    seed = 2
  ))
  expect_true(all(audit$worst$exact <= audit$worst$claimed))
  expect_true(all(audit$replays$moved <= audit$replays$allowed))
})

test_that("labels, certificates and ledgers speak of persons and waves", {
  data <- plain_panel(60)
  release <- home_release(panel_plan(data), 1)
  label <- guarantee(release)
  expect_identical(label$unit, "one pid, with all its waves")
  expect_match(label$public_inputs[["waves"]], "one or more", fixed = TRUE)
  expect_identical(
    deployment_terms(label)$neighbours[["add-remove"]],
    "one person with all its waves is left out"
  )
  expect_no_match(printed(label), "household|member")
  expect_no_match(printed(release), "household|member")
  expect_match(
    as.data.frame(book_of_sets(release))$label[1], "person, numbered anew"
  )
  book <- edit_codebook(panel_book(data), pid = list(records = 3))
  plan <- panel_plan(data, book = suppressMessages(confirm_codebook(book)))
  path <- withr::local_tempfile(fileext = ".csv")
  own <- ledger(path, epsilon = 10, delta = 1e-5)
  home_release(plan, 1, ledger = own)
  expect_match(printed(own), "pid", fixed = TRUE)
})

test_that("a copy of the panel has no distance, and a wrong one has", {
  data <- panel_persons(80)
  sets <- synthesize(home_release(panel_plan(data)))
  copy <- data
  copy$pid <- match(data$pid, unique(data$pid))
  kinds <- names(household_tables_of$panels)
  found <- utility(resealed(sets, sets = list(copy)), data)
  expect_identical(unname(found$overall[kinds]), rep(0, 4))
  # The same records of each wave, of other persons
  wrong <- copy
  for (year in unique(copy$year)) {
    at <- which(copy$year == year)
    wrong$pid[at] <- withr::with_seed(year, sample(copy$pid[at]))
  }
  mixed <- utility(resealed(sets, sets = list(wrong)), data)
  expect_identical(mixed$overall[["one_way"]], 0)
  expect_gt(mixed$overall[["transitions_ratio"]], 1.5)
  expect_gt(mixed$overall[["correlations"]], 0.5)
  expect_gt(mixed$overall[["ever"]], 0)
  expect_match(printed(mixed), "neighbouring waves", fixed = TRUE)
  expect_s3_class(plot(mixed, "households"), "ggplot")
  expect_match(
    plot(mixed, "households")$labels$title, "Waves of synthetic files"
  )
})

test_that("tables over waves are what counting by hand gives", {
  file <- data.frame(
    p = c(1, 1, 1, 2, 3, 3), w = c(1, 2, 3, 2, 1, 3),
    x = c(1, 1, 2, 2, 2, 1)
  )
  column <- function(name, levels) {
    list(
      spec = list(column = name, kind = list(summed = FALSE)),
      levels = levels, codes = as.integer
    )
  }
  case <- list(unit = "p", waves = "w", columns = list(
    w = column("w", c("1", "2", "3")), x = column("x", c("a", "b"))
  ))
  found <- wave_shares(file, case, c(w = FALSE, x = FALSE))
  names(found) <- sub(".*\r", "", names(found))
  expect_equal(which(found[["which waves"]] == 1), c(2, 5, 7))
  expect_equal(found[["how many waves"]], c(1, 1, 1))
  expect_equal(matrix(found[["x, 1 to 2"]], 3)[1, 1], 1)
  expect_equal(sum(found[["x, 1 to 2"]]), 1)
  expect_equal(matrix(found[["x, 2 to 3"]], 3)[1, 2], 1)
  expect_equal(found[["waves with x a"]], c(1, 1, 1, 0))
  values <- rbind(c(1, 2, NA), c(2, 4, 1), c(3, 6, 0), c(NA, 1, 1))
  second <- cor(c(4, 6, 1), c(1, 0, 1))
  expect_equal(mean_correlation(values, 1), (1 + second) / 2)
  expect_identical(mean_correlation(values[1:2, ], 1), NA_real_)
})

test_that("what waves have in common is better known than each of them", {
  # Noise of one deviation; without differences the mean is all there is
  truth <- matrix(c(6, -3, -3, -3, 6, -3, -3, -3, 6), 9)
  table <- function(k, own = 0) {
    noise <- centred_table(
      withr::with_seed(k, rnorm(9)) + own, c(3L, 3L)
    )
    list(
      columns = 1:2, levels = c(3L, 3L), residual = as.vector(truth) + noise,
      base = rep(100, 9), variance = 1
    )
  }
  near <- alike_tables(lapply(1:6, table), rep("a", 6), c(NA, NA))
  miss <- function(tables) {
    mean(vapply(tables, function(x) mean((x$residual - truth)^2), 0))
  }
  expect_lt(miss(near), miss(lapply(1:6, table)) / 2)
  expect_lt(near[[1]]$variance, 0.6)
  # Others keep what they have
  other <- lapply(1:6, function(k) table(k, 100 * (k == 1) * c(1, rep(0, 8))))
  kept <- alike_tables(other, rep("a", 6), c(NA, NA))
  expect_gt(kept[[1]]$variance, 0.95)
  expect_equal(kept[[1]]$residual, other[[1]]$residual, tolerance = 0.1)
  alone <- lapply(1:2, table)
  expect_identical(alike_tables(alone, c("a", "b"), c(NA, NA)), alone)
  expect_identical(alike_tables(alone, NULL, NULL), alone)
  # A lasting table of nothing tells nothing
  none <- lapply(1:2, function(k) {
    list(
      columns = 1:2, levels = c(3L, 3L), residual = numeric(9),
      base = numeric(9), variance = 1
    )
  })
  empty <- alike_tables(none, c("a", "a"), c(NA, NA))
  expect_identical(empty[[2]]$residual, numeric(9))
  # The parts are the whole
  x <- centred_table(rnorm(12), c(3L, 4L))
  parts <- parts_of_tables(c(3L, 4L), c(3L, 4L))
  expect_equal(Reduce(`+`, lapply(parts, function(p) drop(p$of(x)))), x)
  expect_equal(sum(vapply(parts, `[[`, 0, "figures")), 6)
})

test_that("the same transitions at other margins are one association", {
  withr::local_seed(1)
  # Level 4: no such wave. Fewer and fewer are in the second level
  moves <- rbind(
    c(0.8, 0.05, 0.1, 0.05), c(0.3, 0.5, 0.1, 0.1), c(0.1, 0.1, 0.75, 0.05),
    c(0.1, 0.05, 0.05, 0.8)
  )
  share <- c(0.3, 0.4, 0.2, 0.1)
  truth <- list()
  for (k in 1:5) {
    truth[[k]] <- 6000 * share * moves
    share <- drop(share %*% moves)
  }
  table <- function(counts, deviation = 30) {
    base <- outer(rowSums(counts), colSums(counts)) / sum(counts)
    list(
      columns = 1:2, levels = c(4L, 4L), base = as.vector(base),
      variance = deviation^2, residual = as.vector(counts - base) +
        centred_table(rnorm(16, 0, deviation), c(4L, 4L))
    )
  }
  alike <- function(tables) alike_tables(tables, rep("a", 5), c(4L, 4L))
  counts <- function(tables) lapply(tables, function(x) x$base + x$residual)
  exact <- counts(alike(lapply(truth, table, deviation = 1e-6)))
  expect_equal(exact, lapply(truth, as.vector), tolerance = 1e-4)
  # So their noise is nearly that of a mean of five
  found <- lapply(1:20, function(k) {
    noisy <- lapply(truth, table)
    miss <- function(x) mean(unlist(Map(`-`, counts(x), truth))^2)
    c(miss(alike(noisy)), miss(noisy))
  })
  miss <- Reduce(`+`, found)
  expect_lt(miss[1], 0.4 * miss[2])
})

test_that("a wave of few follows the others", {
  before <- function(told, error, apart = 1L) {
    amounts <- lapply(seq_along(told), function(k) {
      list(apart = 1L, links = list(told = told[k], error = error[k]))
    })
    names(amounts) <- letters[seq_along(told)]
    links_before(
      list(earlier = names(amounts), apart = rep(apart, length(told))), amounts
    )[[1]]
  }
  # By waves as far apart, if these tell it; else by what is stated
  expect_equal(before(c(0.9, 0.9), c(0.01, 0.01))[1], 0.9, tolerance = 0.06)
  expect_lt(before(c(0.9, 0.9), c(0.01, 0.01))[2], 0.15)
  stated <- expected_over_waves[["mean"]]
  expect_equal(before(0.9, 1e6)[1], stated)
  expect_equal(before(c(0.9, 0.9), c(0.01, 0.01), 2L)[1], stated)
  # A clear sum says it alone, noise nothing
  sums <- sum(whole_links(c(3, 0, -3), list(c(-3, 0, 3)))) * 1000
  against <- linked_correlation(sums, 3000, 10, c(0.6, 0.1))[["mean"]]
  expect_lt(against, -0.9)
  unclear <- linked_correlation(0, 100, 1e7, c(0.6, 0.1))
  expect_equal(unclear[["mean"]], 0.6, tolerance = 0.01)
  expect_equal(unclear[["error"]], 0.1, tolerance = 0.05)
  # Amounts that are no waves: any correlation is as likely
  expect_identical(links_before(list(earlier = c("a", "b")), list()),
    list(NULL, NULL)
  )
})

test_that("amounts keep their correlation over waves", {
  data <- panel_persons(by_night(2500, 1200))
  release <- home_release(panel_plan(data), 10, seed = 1)
  link <- release$amounts[["wage.2006"]]$links
  expect_identical(link$with, c("wage.2002", "wage.2004"))
  wide <- function(file) {
    log(tapply(file$wage, file[c("pid", "year")], sum))
  }
  own <- cor(wide(data), use = "pairwise.complete.obs")
  found <- cor(
    wide(synthesize(release, seed = 1)[[1]]), use = "pairwise.complete.obs"
  )
  # Errors beside a level of each person: about 0.88
  expect_gt(min(own), 0.85)
  # Over seeds they are off by .03 (root mean square)
  expect_lt(max(abs(found - own)), 0.1)
  # What is near predicts an amount: constant columns and neighbouring waves
  near <- release$amounts[["wage.2002"]]$near$columns
  expect_identical(near, c(
    "sex", "entry", "status.2002", "wage.2002", "status.2004", "wage.2004"
  ))
  expect_identical(
    length(coef(release, amount = "wage.2002")),
    length(release$amounts[["wage.2002"]]$coefficients)
  )
})

test_that("links are measured within their bound, and counted by an audit", {
  data <- panel_persons(150)
  plan <- panel_plan(data)
  release <- home_release(plan, 2)
  audit <- suppressMessages(audit_guarantee(
    release, plan, rows = by_night(500, 50), replays = by_night(12, 1), seed = 2
  ))
  expect_true(all(audit$worst$exact <= audit$worst$claimed))
  expect_gt(min(audit$worst$exact / audit$worst$claimed), 0.5)
  expect_true(all(audit$replays$over == "" & audit$replays$differs == ""))
  expect_true(all(audit$replays$moved <= audit$replays$allowed))
  of <- measurements_of(release, plan)
  links <- Filter(function(x) identical(x$parts, "links"), of$measurements)
  expect_length(links, 2)
  records <- of$records(links[[2]])
  expect_identical(ncol(records$links), 2L)
  expect_true(all(abs(records$links) <= link_unit))
  expect_true(all(records$links == round(records$links)))
  # A person in one wave has none
  there <- rowSums(!is.na(tapply(data$wage, data[c("pid", "year")], sum))) < 2
  alone <- match(names(which(there)), unique(data$pid))
  expect_true(all(records$links[alone, ] == 0))
  bound <- links[[2]]$bound("gaussian")[["add-remove"]]
  expect_equal(bound, sqrt(2) * link_unit)
  expect_true(all(sqrt(rowSums(records$links^2)) <= bound))
})

test_that("an amount may have no value in a wave, and waves have an order", {
  data <- withr::with_seed(1, data.frame(
    id = rep(1:120, each = 2), year = rep(c("w9", "w10"), 120),
    pay = round(exp(rnorm(240, 3)), 1), work = sample(c("y", "n"), 240, TRUE)
  ))
  data$pay[data$year == "w9"] <- NA
  book <- confirm_codebook(edit_codebook(
    draft_codebook(data),
    id = "id",
    pay = list(lower = "0.1", upper = "900", digits = "1", transform = "log")
  ))
  planned <- function(...) {
    file_plan(
      data, book,
      unit = "id", members = waves("year", ..., complete = TRUE),
      rules = ~ year == "w10" | is.na(pay)
    )
  }
  expect_error(planned(), "order", class = "pseudosynth_error_input")
  release <- home_release(planned(codes = c("w9", "w10")), 8, seed = 1)
  for (uncertain in c(FALSE, TRUE)) {
    set <- synthesize(release, seed = 1, uncertainty = uncertain)[[1]]
    expect_true(all(is.na(set$pay) | set$year == "w10"))
    expect_gt(sum(!is.na(set$pay)), 0)
  }
})

test_that("errors of waves name the waves and say what is wrong", {
  data <- data.frame(
    id = rep(1:60, each = 3), year = rep(2001:2003, 60),
    work = rep(c(TRUE, FALSE, FALSE, TRUE), 45)
  )
  book <- confirm_codebook(edit_codebook(draft_codebook(data), id = "id"))
  refused <- function(rule, text, ...) {
    expect_error(
      file_plan(data, book, unit = "id", members = waves("year", ...),
        rules = rule
      ), text, fixed = TRUE, class = input_error
    )
  }
  refused(~ wave(2001)$work | wave(2002)$work, "wave(2002)$work`")
  # Confirmed levels alone: a draft's are the file's
  numbers <- data.frame(code = rep(c(51234, 61237), 30), work = c(TRUE, FALSE))
  draft <- draft_codebook(numbers)
  said <- function(book) {
    conditionMessage(tryCatch(
      file_plan(numbers, book, rules = ~ code == 51234 & work),
      error = identity
    ))
  }
  expect_no_match(said(draft), "51234", fixed = TRUE)
  expect_match(said(confirm_codebook(draft)), "51234", fixed = TRUE)
  broken <- structure(list(table = 3), class = class(draft))
  error <- tryCatch(
    file_plan(numbers, broken, rules = ~ code == 51234), error = identity
  )
  expect_s3_class(error, "pseudosynth_error")
  refused(~ wave(2009)$work, "no such wave: the waves are \"2001\"")
  refused(~ member(1)$work, "`member()`: that is for members")
  refused(NULL, "\"id\" is the unit itself", constant = "id")
  refused(~ wave(2001)$wrok, "\"wrok\" is no such column")
  refused(NULL, "1 of them different", codes = c(2001, 2001))
  plan <- file_plan(data, book, unit = "id",
    members = waves("year", codes = factor(2001:2003))
  )
  expect_identical(plan$members$waves$codes, as.character(2001:2003))
})

test_that("what no sample of a panel differs in is said to be far, or equal", {
  data <- withr::with_seed(1, data.frame(
    id = rep(1:150, each = 3), year = rep(2001:2003, 150),
    edu = rep(sample(4:16, 150, TRUE), each = 3)
  ))
  data$age <- rep(withr::with_seed(2, sample(20:60, 150, TRUE)), each = 3) +
    data$year - 2001
  book <- suppressMessages(
    confirm_codebook(edit_codebook(draft_codebook(data), id = "id"))
  )
  plan <- file_plan(data, book, unit = "id", members = waves("year"))
  sets <- synthesize(home_release(plan, 1, seed = 1))
  found <- mean_households(utility(sets, data)$households)
  never <- found$fresh == 0
  expect_true(any(never))
  expect_setequal(found$ratio[never & found$distance > 0], Inf)
  expect_true(all(found$ratio[never & found$distance == 0] == 1))
  expect_lt(max(found$ratio[!never]), 1e6)
})

test_that("sets of one person in one wave, or of nobody, are measured", {
  data <- expand.grid(person = 1:20, year = 2001:2002)
  data$y <- withr::with_seed(1, stats::rnorm(40, 0, 100))
  data$sex <- c("f", "m")[1 + data$person %% 2]
  book <- codebook(data.frame(
    column = names(data), type = c("id", "category", "amount", "category"),
    levels = c("", "2001|2002", "", "f|m"), lower = c("", "", "-1000", ""),
    upper = c("", "", "1000", ""), digits = c("", "", "any", "")
  ))
  plan <- file_plan(
    data, book, unit = "person", members = waves("year", constant = "sex")
  )
  release <- suppressMessages(suppressWarnings(
    file_release(plan, 0.3, seed = 1)
  ))
  for (n in 1:2) {
    set <- synthesize(release, n = n, seed = 1)
    found <- suppressMessages(utility(set, data))
    expect_s3_class(found, "file_utility")
    expect_output(print(found), "1 set")
  }
})
