# A panel of three waves: persons enter, leave and return

panel_persons <- function(n = 300, seed = 3, ...) {
  withr::with_seed(seed, {
    there <- matrix(runif(3 * n) < 0.75, n)
    there[rowSums(there) == 0, 1] <- TRUE
    sex <- sample(c("f", "m"), n, TRUE)
    status <- matrix(sample(c("work", "none"), n, TRUE), n, 3)
    for (k in 2:3) {
      changes <- runif(n) < 0.15
      status[, k] <- ifelse(
        changes, ifelse(status[, k - 1] == "work", "none", "work"),
        status[, k - 1]
      )
    }
    level <- rnorm(n, 3, 0.4)
    wage <- round(exp(level + rnorm(3 * n, 0, 0.15)), 1)
    pid <- sprintf("SECRETPERSON%04d", sample(9999, n))
    at <- which(there, arr.ind = TRUE)
    at <- at[sample(nrow(at)), ]
    data <- data.frame(
      pid = pid[at[, 1]], year = 2000L + 2L * at[, 2], sex = sex[at[, 1]],
      status = factor(status[at], c("work", "none")), wage = matrix(wage, n)[at]
    )
    data$wage[data$status == "none"] <- NA
    data
  })
}

panel_book <- function(data, years = c("2002", "2004", "2006")) {
  book <- suppressMessages(draft_codebook(data))
  book <- edit_codebook(book, pid = "id", year = as_years(years))
  if ("wage" %in% names(data)) {
    book <- edit_codebook(book, wage = list(
      lower = "1", upper = "500", digits = "1", transform = "log"
    ))
  }
  suppressMessages(confirm_codebook(book))
}

as_years <- function(years) {
  list(
    type = "ordered", levels = years, storage = "integer", lower = NA,
    upper = NA, digits = NA, transform = NA, family = NA, heaps = NA,
    zero = FALSE, missing = FALSE
  )
}

panel_plan <- function(data = panel_persons(), members = panel_waves(),
                       book = panel_book(data), ...) {
  suppressMessages(
    file_plan(data, book, unit = "pid", members = members, ...)
  )
}

panel_waves <- function(..., constant = "sex") {
  waves("year", constant = constant, ...)
}

# Without amounts, which take longest
plain_panel <- function(n = 300, seed = 3) {
  data <- panel_persons(n, seed)
  data[setdiff(names(data), "wage")]
}

# What holds for every person of a set
expect_panel <- function(set) {
  expect_identical(sort(unique(set$pid)), seq_len(max(set$pid)))
  expect_identical(anyDuplicated(set[c("pid", "year")]), 0L)
  expect_true(all(set$year %in% c(2002, 2004, 2006)))
  expect_false(is.unsorted(order(set$pid, set$year)))
  expect_true(all(set$sex == set$sex[match(set$pid, set$pid)]))
  expect_false(anyNA(set[setdiff(names(set), "wage")]))
}
