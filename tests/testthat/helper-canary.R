# A whole file with marks in every place that must not leave, and a release of
# it, made in a frame that holds the file.

canary_n <- 331L

canary_file <- function() {
  withr::with_seed(11, {
    n <- canary_n
    region <- sample(c("north", "south", "west"), n, TRUE, c(0.5, 0.3, 0.2))
    income <- round(exp(stats::rnorm(n, 10 + (region == "north"), 0.7)))
    heaped <- stats::runif(n) < 0.6
    income[heaped] <- round(income[heaped], -2)
    income[1:20] <- 0
    data <- data.frame(
      row.names = sprintf("MARKROW%03d", seq_len(n)),
      id = sprintf("MARKID%03d", seq_len(n)),
      region = factor(region, c("north", "south", "west", "abroad")),
      trade = c("MARKTRADE", "MARKCRAFT", sample(
        c("farming", "teaching", "other"), n - 2, TRUE
      )),
      income = as.integer(income),
      wealth = exp(stats::rnorm(n, 9, 1)) + 1 / 7,
      born = as.Date("1950-01-01") + sample(18000, n, TRUE),
      flag = stats::runif(n) < 0.3
    )
  })
  comment(data$income) <- "MARKCOMMENT"
  attr(data, "note") <- "MARKNOTE"
  data
}

canary_book <- function() {
  codebook(data.frame(
    column = c("id", "region", "trade", "income", "wealth", "born", "flag"),
    type = c(
      "id", "category", "category", "amount", "amount", "date", "logical"
    ),
    levels = c(
      "", "north|south|west|abroad", "farming|teaching|other", "", "", "", ""
    ),
    outside = c("", "", "other", "", "", "", ""),
    lower = c(NA, NA, NA, "0", "0.1", "1950-01-01", NA),
    upper = c(NA, NA, NA, "2e6", "1e7", "2000-12-31", NA),
    unit = c(NA, NA, NA, "euro", "euro", NA, NA),
    label = c(NA, NA, NA, "income, \"before\" taxes", NA, NA, NA),
    zero = c(FALSE, FALSE, FALSE, TRUE, FALSE, FALSE, FALSE),
    heaps = c("", "", "", "100", "", "", ""),
    digits = c("", "", "", "0", "any", "", ""),
    storage = c("", "", "text", "", "", "", ""),
    transform = c(NA, NA, NA, "log", "log", "identity", NA)
  ))
}

# A release of it, by the columns that are published
canary_release <- function(publish = NULL, seed = NULL) {
  remember(paste("canary", toString(publish), seed), local({
    data <- canary_file()
    secret <- data$wealth
    suppressWarnings(file_release(
      file_plan(data, canary_book(), publish = publish), 4, seed = seed
    ))
  }))
}

# Bytes of the marks, of the text of rare values and of unrounded amounts
expect_no_canary <- function(bytes, what) {
  data <- canary_file()
  # Marks of columns and rows that are not in the codebook
  expect_identical(
    length(grepRaw("MARK", bytes, fixed = TRUE)), 0L, label = what
  )
  numbers <- c(data$wealth, log(data$wealth))
  expect_length(found_doubles(bytes, numbers), 0)
  text <- rawToChar(bytes[bytes != 0])
  written <- sprintf("%.15g", data$wealth)
  expect_false(any(vapply(written, grepl, NA, text, fixed = TRUE,
    useBytes = TRUE
  )), label = what)
}

bytes_of <- function(path) readBin(path, "raw", file.size(path))
