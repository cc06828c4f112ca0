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

#' Households whose members have an amount, or are 0 or missing, of which one is
#' a household's
pay_plan <- function(homes = 100, slots = 4, ...) {
  data <- home_persons(homes)
  withr::with_seed(6, {
    data$rent <- round(exp(stats::rnorm(homes, 6)))[match(
      data$home, unique(data$home)
    )]
    data$pay <- round(exp(stats::rnorm(nrow(data), 8)))
  })
  data$pay[data$age == "0-19"] <- 0
  data$pay[seq(1, nrow(data), 9)] <- NA
  book <- suppressMessages(confirm_codebook(edit_codebook(
    draft_codebook(data), home = "id", rent = list(lower = 1, upper = 1e5),
    pay = list(type = "amount", lower = 1, upper = 1e6, zero = TRUE)
  )))
  suppressMessages(file_plan(data, book,
    unit = "home", members = home_members(slots, c("region", "rent")), ...
  ))
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

#' Every household that home_persons() can have, up to the order of its members
#' @param most (count) Members.
#' @param some (count or `NULL`) So many of them, evenly. `NULL`: all.
#' @noRd
every_home <- function(most = 3, some = NULL) {
  kinds <- expand.grid(
    age = factor(c("0-19", "20-59", "60+"), ordered = TRUE),
    sex = c("m", "f"), work = c(TRUE, FALSE), stringsAsFactors = FALSE
  )
  of <- lapply(seq_len(most), function(size) {
    all <- as.matrix(expand.grid(rep(list(seq_len(nrow(kinds))), size)))
    sorted <- apply(all, 1, function(x) !is.unsorted(x))
    asplit(unname(all[sorted, , drop = FALSE]), 1)
  })
  of <- unlist(of, recursive = FALSE)
  homes <- rep(of, each = 2)
  region <- rep(c("north", "south"), length(of))
  if (!is.null(some)) {
    kept <- unique(round(seq(1, length(homes), length.out = some)))
    homes <- homes[kept]
    region <- region[kept]
  }
  size <- lengths(homes)
  data.frame(
    home = rep(sprintf("h%05d", seq_along(homes)), size),
    region = rep(region, size), kinds[unlist(homes), ], row.names = NULL
  )
}

#' Run a release again on files that have one of some households more, or in the
#' place of another
#' @param pairs (count) Of files.
#' @return (data frame) See replay_release(), with `ratio`: squared mu of what
#'   was moved over what was paid for, the largest of all charges.
#' @noRd
replayed_homes <- function(release, plan, homes, pairs, seed = 1,
                           members = home_members()) {
  far <- file_records(home_plan(homes, members))
  base <- file_records(plan)
  expect_identical(colnames(far$codes), colnames(base$codes))
  first <- heard_release(release, plan, base, seed)
  n <- nrow(far$codes)
  rows <- lapply(seq_len(pairs), function(r) {
    change <- c("added", "replaced")[(r + (r - 1) %/% n) %% 2 + 1]
    unit <- (r - 1) %% nrow(base$codes) + 1
    other <- neighbour_of(
      base, unit, some_records(far, (r - 1) %% n + 1), change, plan
    )
    second <- heard_release(release, plan, other, seed, first$heard)
    relation <- if (change == "replaced") "replace" else "add-remove"
    allowed <- 2 * release$charges[[paste0("rho_", sub("-", "_", relation))]]
    what <- vapply(second$heard, `[[`, "", "what")
    moved <- vapply(release$charges$what, function(charge) {
      sum(second$squares[what == charge])
    }, 0)
    data.frame(
      change = change, compared_runs(release$charges, first, second, relation),
      # The number of records stays where one is replaced
      ratio = max((moved / allowed)[moved > 0])
    )
  })
  do.call(rbind, rows)
}
