# Households of one to four members, whose numbers are text

home_persons <- function(homes = 100, seed = 5) {
  withr::with_seed(seed, {
    size <- sample(1:4, homes, TRUE, c(0.3, 0.4, 0.2, 0.1))
    n <- sum(size)
    child <- sequence(size) > 2
    data.frame(
      home = rep(sprintf("SECRETHOME%04d", sample(9999, homes)), size),
      region = rep(sample(c("north", "south"), homes, TRUE), size),
      age = factor(
        ifelse(child, "0-19", sample(c("20-59", "60+"), n, TRUE)),
        c("0-19", "20-59", "60+"), ordered = TRUE
      ),
      sex = sample(c("m", "f"), n, TRUE),
      work = !child & sample(c(TRUE, FALSE), n, TRUE)
    )
  })
}

home_members <- function(slots = 3, household = "region", ...) {
  members(~ -age, slots, household, ...)
}

home_plan <- function(data = home_persons(), members = home_members(),
                      records = NULL, ...) {
  book <- suppressMessages(confirm_codebook(edit_codebook(
    draft_codebook(data), home = c(list(type = "id"), records)
  )))
  suppressMessages(
    file_plan(data, book, unit = "home", members = members, ...)
  )
}

home_release <- function(plan = home_plan(), epsilon = 5, ...) {
  suppressWarnings(suppressMessages(file_release(plan, epsilon, ...)))
}

# What holds in every household of a set of home_plan()
expect_households <- function(set, slots = 3) {
  home <- set$home
  expect_identical(sort(unique(home)), seq_len(max(home)))
  # Members together, from the oldest, nobody alone in a slot
  expect_identical(length(rle(home)$lengths), max(home))
  expect_true(all(tabulate(home) <= slots))
  same <- which(diff(home) == 0)
  age <- as.integer(set$age)
  expect_true(all(age[same] >= age[same + 1]))
  expect_true(all(set$region == set$region[match(home, home)]))
  expect_false(anyNA(set))
}
