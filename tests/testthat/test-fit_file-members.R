# Models of households, with and without a mechanism

model_plan <- function(data = home_persons(80), slots = 3, ...) {
  home_plan(data, home_members(slots), records = list(records = 6), ...)
}

test_that("models without a mechanism make households that rules hold in", {
  data <- home_persons(by_night(150, 80))
  data$age[duplicated(paste(data$home, data$age)) & data$age == "0-19"] <-
    "20-59"
  data$sex[sample(nrow(data), 9)] <- NA
  data$pay <- withr::with_seed(1, round(stats::rlnorm(nrow(data), 9)))
  data$pay[!data$work] <- 0
  book <- suppressMessages(confirm_codebook(edit_codebook(
    draft_codebook(data),
    home = "id", pay = list(lower = 1, upper = 1e6, zero = TRUE)
  )))
  plan <- suppressMessages(file_plan(data, book,
    unit = "home", members = home_members(4), rules = list(
      ~ !work | age != "0-19", ~ any_member(age != "0-19"),
      ~ n_members(age == "0-19") <= 1, ~ work | pay == 0
    )
  ))
  for (model in by_night(c("regression", "tree"), "tree")) {
    fit <- suppressWarnings(fit_file(plan, model = model, m = 2))
    expect_match(printed(fit), "households", fixed = TRUE)
    sets <- synthesize(fit, m = 2)
    for (set in sets$sets) {
      expect_true(anyNA(set$sex))
      expect_households(set[names(set) != "sex"], 4)
      expect_true(all(tapply(set$age == "0-19", set$home, sum) <= 1))
      expect_true(all(tapply(set$age != "0-19", set$home, any)))
      expect_true(all(set$pay[!set$work] == 0))
      expect_identical(names(set), names(data))
    }
    expect_identical(guarantee(sets)$label, "none")
    expect_identical(sets$unit, "home")
  }
  expect_lt(utility(sets, data)$overall[["sizes_ratio"]], 4)
  few <- suppressWarnings(synthesize_file(plan, n = 30, order = "members"))
  expect_identical(max(few[[1]]$home), 30L)
  # A slot that no household of the file has is in no set
  few <- data[data$home %in% data$home[!duplicated(data$home)][1:40], ]
  few <- few[ave(seq_along(few$home), few$home, FUN = seq_along) < 3, ]
  for (model in c("tree", "regression")) {
    none <- suppressWarnings(fit_file(
      model_plan(few[names(few) != "pay"], 4), model = model
    ))
    expect_lt(max(tabulate(synthesize(none)[[1]]$home)), 3)
  }
})

test_that("how many members there are is drawn before the second one", {
  plan <- model_plan(home_persons(60))
  fit <- suppressWarnings(fit_file(
    plan, order = c("age.1", "sex.1"), predictors = list(age.2 = character())
  ))
  order <- names(fit$models)
  expect_identical(order[1:2], c("age.1", "sex.1"))
  # Then what is shared, and who lives together
  expect_identical(order[3:6], c("members", "region", "age.2", "age.3"))
  expect_true(all(
    grep("[.][23]$", order) > match("members", order)
  ))
  expect_households(synthesize(fit)[[1]])
  expect_error(
    fit_file(plan, order = c("age.2", "members")),
    class = "pseudosynth_error_order"
  )
})

test_that("two linked tables have models, and are two tables again", {
  persons <- home_persons(60)
  tables <- list(
    homes = persons[!duplicated(persons$home), c("home", "region")],
    people = persons[names(persons) != "region"]
  )
  book <- suppressMessages(confirm_codebook(edit_codebook(
    draft_codebook(tables), home = "id"
  )))
  plan <- suppressMessages(file_plan(
    tables, book, unit = "home", members = members(~ -age, 4)
  ))
  set <- suppressWarnings(synthesize_file(plan))[[1]]
  expect_identical(lapply(set, names), lapply(tables, names))
  expect_identical(unique(set$people$home), set$homes$home)
})

# Mechanisms -------------------------------------------------------------------

# No predictors: each regression has one parameter
joint_fit <- function(plan, ..., draws = 500) {
  names <- names(plan$levels)
  suppressWarnings(suppressMessages(fit_file(plan, ...,
    predictors = stats::setNames(rep(list(character()), length(names)), names),
    draws = draws
  )))
}

test_that("a household adds the sum over the members that it has", {
  plan <- model_plan(home_persons(60)[c("home", "age", "sex", "region")])
  fit <- joint_fit(plan, "censor_uw", epsilon = 2)
  size <- plan$codes[, "members"]
  for (name in c("sex.2", "age.3")) {
    slot <- as.integer(substring(name, 5))
    # None of who is not there, and no level for them
    for (own in pseudosynth:::regressions_of(fit$models[[name]])) {
      expect_identical(which(own$used & size < slot), integer())
      expect_true(all(own$fit$bound$record[size < slot] == 0))
    }
    part <- fit$models[[name]]$part
    expect_identical(length(part$levels), length(plan$levels[[name]]) - 1L)
  }
  sums <- Reduce(`+`, lapply(
    pseudosynth:::all_regressions(fit$models), function(own) {
      own$fit$bound$record
    }
  ))
  expect_equal(fit$bound$record, sums)
  sets <- synthesize(fit, m = 2)
  for (set in sets$sets) expect_households(set)
  label <- guarantee(sets)
  expect_identical(label$label, "strict")
  expect_match(printed(label), "one home, with all its members", fixed = TRUE)
  expect_equal(label$epsilon$total[["add-remove"]], 4)
  # Nothing of one household is in another one's contribution
  other <- home_persons(60)[c("home", "age", "sex", "region")]
  rows <- which(other$home == other$home[1])
  other$sex[rows] <- ifelse(other$sex[rows] == "m", "f", "m")
  other$age[rows] <- "60+"
  moved <- model_plan(other)
  regressions <- function(plan) {
    specs <- pseudosynth:::column_specs(plan$codebook)
    file <- pseudosynth:::records_of_plan(plan)
    unlist(lapply(names(plan$levels), function(name) {
      found <- pseudosynth:::public_regressions(
        file, name, specs, setdiff(names(plan$levels)[1:3], name), plan
      )
      lapply(pseudosynth:::regressions_of(found), function(own) {
        frame <- own$model$data[-1, , drop = FALSE]
        list(own$used[-1], own$model$spec$y[-1], as.list(frame))
      })
    }), recursive = FALSE)
  }
  expect_identical(regressions(plan), regressions(moved))
})

test_that("an exact audit of households finds no more than is claimed", {
  data <- home_persons(40)[c("home", "age", "sex")]
  data$age <- factor(data$age == "0-19", ordered = TRUE)
  plan <- home_plan(data, members(~age, slots = 2))
  fit <- joint_fit(plan, "censor_uw", epsilon = 2, draws = 300)
  found <- audit_guarantee(
    fit, remove = 1:9, replacements = by_night(48, 16)
  )
  expect_true(all(found$losses$loss <= c(2, 4)[
    1 + (found$losses$neighbours == "replace")
  ]))
  expect_gt(max(found$losses$loss), 0.3)
})

test_that("every mechanism for files takes households, a ledger by unit", {
  plan <- model_plan(home_persons(60)[c("home", "age", "sex", "region")])
  given <- list(
    lw = list(), lw_final = list(epsilon = 40), cw = list(radius = 0.2),
    cw_final = list(radius = 0.2, epsilon = 40), risk = list(radius = 0.2)
  )
  for (name in by_night(names(given), "lw")) {
    fit <- do.call(joint_fit, c(
      list(plan, name), given[[name]], allow_unconverged = TRUE
    ))
    expect_identical(length(fit$privacy_weights), plan$n_records)
    set <- synthesize(fit, allow_unconverged = TRUE)[[1]]
    expect_households(set)
  }
  book <- ledger(withr::local_tempfile(), 50, 1e-5)
  fit <- joint_fit(plan, "censor_uw", epsilon = 1)
  synthesize(fit, ledger = book)
  expect_identical(as.data.frame(book)$unit, "home")
  # A unit that is not one record has no mechanism
  records <- suppressWarnings(file_plan(
    home_persons(60)[c("home", "age", "sex", "region")],
    plan$members$persons$codebook, unit = "home"
  ))
  expect_error(
    fit_file(records, "censor_uw", epsilon = 1), "members",
    class = "pseudosynth_error_input"
  )
})
