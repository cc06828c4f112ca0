# Files of different make, none of which has a real record but the first.

# As package synthpop's SD2011: answers with missing values, -8 for no answer
survey_file <- function(n = 400) {
  withr::with_seed(3, {
    data <- data.frame(
      sex = factor(sample(c("MALE", "FEMALE"), n, TRUE), c("MALE", "FEMALE")),
      age = sample(16:97, n, TRUE),
      edu = factor(
        sample(c("PRIMARY", "SECONDARY", "POST-SECONDARY"), n, TRUE),
        c("PRIMARY", "SECONDARY", "POST-SECONDARY", "NONE")
      ),
      income = as.double(sample(c(-8, seq(100, 16000, 50)), n, TRUE)),
      nofriend = sample(c(-8L, 0:9), n, TRUE),
      smoke = sample(c("YES", "NO", NA), n, TRUE),
      bmi = round(stats::rnorm(n, 25, 4), 7)
    )
    data$income[sample(n, 40)] <- -8
    data$income[sample(n, 60)] <- NA
    data$edu[sample(n, 10)] <- NA
    data$bmi[sample(n, 10)] <- NA
    data
  })
}

# As package haven reads SPSS and Stata; attributes alone
labelled <- function(x, labels, label = NULL, ..., spss = FALSE) {
  structure(
    x,
    labels = labels, label = label, ...,
    class = c(
      if (spss) "haven_labelled_spss", "haven_labelled", "vctrs_vctr",
      typeof(x)
    )
  )
}

haven_file <- function(n = 300) {
  withr::with_seed(4, structure(
    list(
      q1 = labelled(
        as.double(sample(c(1, 2, 9), n, TRUE)),
        c("never | rarely" = 1, "often = daily" = 2, refused = 9),
        "How often?", format.spss = "F8.0"
      ),
      q2 = labelled(
        sample(c("a", "b", NA), n, TRUE), c(first = "a", third = "c"),
        "Text with labels"
      ),
      wage = labelled(
        c(stats::runif(n - 20, 500, 9000), rep(-9, 10), rep(NA, 10)),
        c("no answer" = -9, "not asked" = -7), "Wage",
        na_values = c(-9, -7), format.spss = "F8.2", display_width = 10L,
        spss = TRUE
      ),
      size = labelled(sample(1:40, n, TRUE), c(alone = 1L), "Persons")
    ),
    names = c("q1", "q2", "wage", "size"),
    row.names = .set_row_names(n), class = c("tbl_df", "tbl", "data.frame")
  ))
}

dated_file <- function(n = 250) {
  withr::with_seed(5, data.frame(
    start = as.Date("2015-03-01") + sample(400, n, TRUE),
    end = structure(sample(c(NA, 17000:17300), n, TRUE), class = "Date"),
    active = sample(c(TRUE, FALSE, NA), n, TRUE),
    flag = sample(0:1, n, TRUE),
    always = sample(c(TRUE, FALSE), n, TRUE),
    grade = factor(
      sample(c("low", "mid", "high"), n, TRUE), c("low", "mid", "high", "top"),
      ordered = TRUE
    ),
    visits = stats::rpois(n, 60)
  ))
}

heaped_file <- function(n = 500) {
  withr::with_seed(6, {
    pay <- stats::rlnorm(n, 10, 1)
    step <- sample(c(1, 10, 100, 1000), n, TRUE)
    pay <- pmin(round(pay / step) * step, 100000)
    pay[sample(n, 50)] <- 0
    pay[sample(n, 5)] <- -c(1, 20, 300, 4000, 5)
    data.frame(
      pay = pay, group = factor(sample(letters[1:3], n, TRUE)),
      household = rep(seq_len(n / 2), each = 2)
    )
  })
}

heaped_book <- function() {
  codebook(data.frame(
    column = c("pay", "group", "household"),
    type = c("amount", "category", "id"),
    levels = c("", "a|b|c|other", ""), lower = c(-5000, NA, NA),
    upper = c(1e5, NA, NA), codes = c("100000=top code", "", ""),
    heaps = c("10|100|1000", "", ""), zero = c(TRUE, FALSE, FALSE),
    transform = c("log", NA, NA), records = c(NA, NA, 2),
    digits = c(0, NA, NA)
  ))
}

input_error <- "pseudosynth_error_input"

# A plan of records on disk, and one of the same in memory
both_plans <- function(d, book, ..., most = 10, table = NULL) {
  con <- sqlite(persons = d, .local_envir = parent.frame())
  table <- table %||% dplyr::tbl(con, "persons")
  plan <- function(most) {
    withr::with_options(
      list(pseudosynth.records_in_memory = most),
      suppressMessages(file_plan(table, book, ...))
    )
  }
  list(stored = plan(most), whole = plan(Inf))
}

some_columns <- c("group", "flag", "income", "visits", "share", "far")

stored_persons <- function(n = 900) {
  d <- file_persons(n)
  names(d)[1] <- "age"
  # Levels and amounts that take two bytes, and heaps
  d$age <- 3 * d$age
  d$income <- round(ifelse(d$flag %in% "yes", d$income, 10 * d$income), -1)
  d[c("age", some_columns)]
}

stored_book <- function(d) {
  book <- edit_codebook(
    draft_codebook(d), visits = list(type = "count", lower = 0, upper = 1000),
    income = list(
      lower = 1, upper = 1e9, transform = "log", heaps = "100", digits = 0
    )
  )
  suppressMessages(confirm_codebook(book))
}

quietly_released <- function(plan, ...) {
  suppressMessages(suppressWarnings(file_release(plan, ..., seed = 4)))
}
