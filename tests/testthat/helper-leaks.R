# A file with marks in every place, and the search for them.

leak_file <- function(n = 150) {
  withr::with_seed(15, {
    data <- data.frame(
      row.names = sprintf("MARKROW%03d", seq_len(n)),
      y = exp(rnorm(n, 10, 1)),
      group = factor(
        sample(c("north", "south"), n, TRUE), c("north", "south", "MARKLEVEL")
      ),
      x = round(rnorm(n), 1),
      name = sprintf("MARKNAME%03d", seq_len(n)),
      weight = runif(n, 1e3, 9e4),
      only = factor(c("MARKONLY", rep("others", n - 1)))
    )
  })
  comment(data$x) <- "MARKCOMMENT"
  attr(data, "note") <- "MARKNOTE"
  data
}

leak_numbers <- function() {
  data <- leak_file()
  c(data$y, log(data$y), data$weight)
}

expect_nothing_in <- function(object, what) {
  numbers <- leak_numbers()
  bytes <- serialize(object, NULL, xdr = TRUE)
  expect_identical(
    c(length(grepRaw("MARK", bytes, fixed = TRUE)), length(found_doubles(
      bytes, numbers
    ))), c(0L, 0L),
    label = what
  )
}

found_doubles <- function(bytes, numbers) {
  find_numbers(bytes, as.double(numbers))
}

# As text: to seven digits, as R prints them
expect_nothing_said <- function(text, what) {
  text <- paste(text, collapse = " ")
  data <- leak_file()
  shown <- unlist(lapply(c(7, 15), function(digits) {
    c(
      format(data$y, digits = digits, trim = TRUE),
      sprintf("%.*g", digits, c(data$y, data$weight))
    )
  }))
  shown <- shown[nchar(shown) > 6]
  hits <- sum(vapply(unique(shown), grepl, TRUE, x = text, fixed = TRUE))
  expect_identical(c(sum(grepl("MARK", text)), hits), c(0L, 0L),
    label = what
  )
}
