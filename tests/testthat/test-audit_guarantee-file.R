# By day with a column less
few_people <- function(n) people(n)[seq_len(by_night(4, 3))]

audited <- function(plan, neighbours = "add-remove",
                    replays = by_night(6, 3), ...) {
  release <- suppressWarnings(
    file_release(plan, 5, neighbours = neighbours, seed = 1, ...),
    classes = "pseudosynth_warning_budget"
  )
  audit_guarantee(
    release, plan,
    rows = by_night(500, 200), replays = replays, seed = 2
  )
}

is_kept <- function(audit) {
  all(audit$replays$over == "" & audit$replays$differs == "") &&
    all(audit$replays$moved <= audit$replays$allowed)
}

test_that("run again on neighbours, a release differs by what it paid for", {
  data <- few_people(200)
  for (publish in list(NULL, "sex")) {
    relations <- if (is.null(publish)) "add-remove" else "replace"
    for (neighbours in by_night(relation_names, relations)) {
      audit <- audited(people_plan(data, publish = publish), neighbours)
      expect_true(is_kept(audit))
      expect_true(all(audit$replays$moved > 0))
      secret <- is.null(publish) && neighbours == "add-remove"
      expect_setequal(
        audit$replays$change,
        if (secret) c("dropped", "added", "replaced") else "replaced"
      )
      expect_setequal(audit$replays$file, c("own", "clones"))
      expect_match(printed(audit), "nothing else changed", fixed = TRUE)
      # A dropped record moves by nearly all that was paid for
      dropped <- audit$replays[audit$replays$change == "dropped", ]
      if (secret) expect_gt(max(dropped$moved / dropped$allowed), 0.85)
    }
  }
})

test_that("amounts with several parts, counts and tables are run again, too", {
  plan <- parts_plan()
  # Wide enough a budget for tables of amounts
  release <- suppressWarnings(
    file_release(plan, 10, 0.05, seed = 1),
    classes = "pseudosynth_warning_delta"
  )
  audit <- audit_guarantee(
    release, plan, by_night(500, 200), replays = by_night(7, 2), seed = 2
  )
  expect_true(is_kept(audit))
  expect_true(all(audit$worst$exact <= audit$worst$claimed))
})

test_that("an amount of one value beside zero is audited with the others", {
  n <- 60
  data <- data.frame(
    paid = rep(0:1, length.out = n), income = seq(1, 40, length.out = n),
    sex = factor(rep(1:2, length.out = n))
  )
  book <- codebook(data.frame(
    column = c("paid", "income", "sex"),
    type = c("amount", "amount", "category"), levels = c(NA, NA, "1|2"),
    lower = c(0, 0, NA), upper = c(1, 50, NA), digits = c("0", "any", NA),
    zero = c(TRUE, FALSE, NA), confirmed = TRUE
  ))
  plan <- suppressMessages(file_plan(data, book))
  audit <- audited(plan, replays = 2)
  expect_true(is_kept(audit))
  expect_true(all(audit$worst$exact <= audit$worst$claimed))
})

test_that("planted violations are found", {
  plan <- people_plan(few_people(150))
  # One neighbour shows each of them
  found <- function(...) {
    local_fault(...)
    audited(plan, replays = by_night(6, 1))
  }
  # Bins of the margin from the file
  own_margin <- amount_margin
  audit <- found(amount_margin = function(records, breaks, ...) {
    own <- range(records$y) - c(1, 0)
    own_margin(records, seq(own[1], own[2], length.out = length(breaks)), ...)
  })
  expect_match(toString(audit$replays$differs), "amounts")
  expect_match(printed(audit), "VIOLATION")
  # Records as long as they are
  audit <- found(own_limit = function(geometry, share) {
    list(
      kappa = Inf, unit = geometry$unit, longest = 2^30, absolute = FALSE
    )
  })
  expect_match(toString(audit$replays$over), "noisy sums of income")
  expect_true(any(audit$worst$exact > audit$worst$claimed))
  # Tables whose noise is less than what they cost
  own_noise <- whole_noise
  audit <- found(whole_noise = function(lengths, variance, sigma) {
    own_noise(lengths, variance / 2, sigma)
  })
  expect_match(toString(audit$replays$over), "noisy tables")
  expect_true(any(audit$worst$exact > audit$worst$claimed))
  # A second look at tables that spends what the first one has spent
  own_look <- first_look
  audit <- found(first_look = function(plan, variance) {
    replace(own_look(plan, variance), "left", plan$squared)
  })
  expect_match(toString(audit$replays$over), "noisy tables")
  expect_true(any(audit$worst$exact > audit$worst$claimed))
  # The number of records without noise
  audit <- found(noisy_size = function(n, noise, seed) n)
  expect_match(toString(audit$replays$differs), "block")
  # A clip that is wider than what is paid for
  audit <- found(whole_scores = function(score, clip, lowest) {
    list(
      q = round(clamp(2 * score / clip, -2, 2) * score_steps),
      inside = as.double(abs(score) < clip)
    )
  })
  expect_match(toString(audit$replays$over), "noisy sums of income")
})

test_that("all records of a unit together move no more than is paid for", {
  plan <- household_plan()
  for (neighbours in relation_names) {
    # Three runs are one of each change, the last one on clones
    part <- if (neighbours == "add-remove") 3 else 1
    audit <- audited(plan, neighbours, by_night(8, part))
    expect_true(is_kept(audit))
    expect_true(all(audit$worst$exact <= audit$worst$claimed))
    # Three equal records are the worst
    if (neighbours == "add-remove") {
      added <- audit$replays[audit$replays$change == "added", ]
      expect_gt(max(added$moved / added$allowed), 0.8)
    }
  }
  # Counted as one record, a unit is found to move more
  own_plan <- spending_plan
  local_fault(spending_plan = function(plan, ...) {
    plan$unit$records <- 1
    own_plan(plan, ...)
  })
  expect_false(is_kept(audited(plan, replays = by_night(6, 1))))
})

test_that("clones are held to what their own release pays", {
  # A public number of records divides the budget: in another way for 100 clones
  data <- withr::with_seed(3, data.frame(
    sex = sample(c("m", "f"), 1000, TRUE),
    edu = sample(c("lo", "mid", "hi"), 1000, TRUE),
    age = sample(18:80, 1000, TRUE), income = round(stats::rlnorm(1000, 9), 2)
  ))
  book <- suppressMessages(confirm_codebook(edit_codebook(
    draft_codebook(data), income = list(lower = 1, upper = 2e6),
    age = list(lower = 18, upper = 80, type = "amount", levels = "")
  )))
  plan <- suppressMessages(file_plan(data, book, publish = "age"))
  release <- suppressMessages(suppressWarnings(file_release(plan, 1, seed = 7)))
  plan <- with_published_bins(unclass(plan))
  runs <- replay_release(unclass(release), plan, 9, 2)
  expect_identical(sum(runs$file == "clones"), 3L)
  expect_identical(unique(runs$over), "")
  expect_true(all(runs$moved <= runs$allowed))
  # A release that says it paid less is still found out
  less <- unclass(release)
  rho <- grep("^rho_", names(less$charges))
  less$charges[rho] <- less$charges[rho] / 4
  own <- replay_release(less, plan, 2, 1)
  expect_true(any(own$over != ""))
})

test_that("a release without the noise of what it paid for is refused", {
  plan <- people_plan(few_people(150))
  release <- suppressWarnings(
    file_release(plan, 3, seed = 1), classes = "pseudosynth_warning"
  )
  # As earlier versions made them: sealed, and tables without looks
  release$block$looks <- NULL
  release <- seal(release)
  for (look_at in list(audit_guarantee, function(x, plan) {
    record_vectors(x, plan, 1)
  })) {
    expect_error(
      look_at(release, plan), "noisy tables",
      class = "pseudosynth_error_edited"
    )
  }
})
