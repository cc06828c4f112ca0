# Files that whole-file releases are measured on. Each is a list:
#   file: data frame; held_out: further records, or NULL
#   book: what is public of each column, for codebook()
#   tables: stated tables of the release, or NULL
#   classes: for each amount, the public lower ends of the classes in which
#     rivals that only know categories release it; a class of a single value is
#     stated in `alone`
#   measure: function(set), named numbers
# Settings of the package were chosen on the first file only.

#' A codebook of a file whose other columns are categories
#'
#' Levels are those of the columns' factors: a questionnaire's, which is public.
#' Columns of numbers that are no amounts state theirs in `whole`. Rivals get
#' the same levels.
#' @param amounts (data frame) Rows of a codebook.
#' @param whole (named list) Levels of columns of numbers.
case_book <- function(file, amounts = NULL, whole = list()) {
  fields <- c(
    "column", "type", "levels", "lower", "upper", "zero", "codes", "heaps",
    "transform", "digits", "family"
  )
  rows <- lapply(names(file), function(name) {
    row <- as.data.frame(as.list(sapply(fields, function(field) "")))
    row$column <- name
    row$zero <- FALSE
    stated <- match(name, amounts$column)
    if (!is.na(stated)) {
      row[names(amounts)] <- amounts[stated, ]
    } else {
      x <- file[[name]]
      row$type <- if (is.factor(x) && !is.ordered(x)) "category" else "ordered"
      values <- if (is.factor(x)) levels(x) else whole[[name]]
      stopifnot(length(values) > 1)
      # A backslash makes a sign of the codebook plain text
      values <- gsub("([|=\\\\])", "\\\\\\1", values)
      row$levels <- paste(values, collapse = "|")
    }
    row
  })
  do.call(rbind, rows)
}

amount_row <- function(column, lower, upper, transform = "identity",
                       zero = FALSE, codes = "", heaps = "", digits = "0") {
  data.frame(
    column = column, type = "amount", lower = lower, upper = upper,
    zero = zero, codes = codes, heaps = heaps, transform = transform,
    digits = digits, family = "student_t"
  )
}

any_decimals <- function(...) amount_row(..., digits = "any")

table_measures <- function(file) {
  codes <- file_codes(file, file)
  function(set) {
    found <- file_codes(set, file)
    c(
      pairs = table_distance(found, codes, 2),
      three_way = table_distance(found, codes, 3)
    )
  }
}

# The October file -------------------------------------------------------------

october_case <- function() {
  file <- droplevels(subset(
    pseudosynth::ce_income,
    income > 0 & region != "not published" & population != "not published"
  ))
  rownames(file) <- NULL
  formula <- log(income) ~ .
  truth <- linear_fit(file, formula)$coefficients
  codes <- file_codes(file, file)
  measure <- function(set) {
    # Values of 0 come from rivals that round
    set$income <- pmax(set$income, 1)
    found <- file_codes(set, file)
    fit <- linear_fit(set, formula)
    c(
      pairs = table_distance(found, codes, 2),
      pairs_income = table_distance(found, codes, 2, "income"),
      coefficients = coefficient_error(fit$coefficients, truth),
      r_squared = fit$r_squared,
      three_way = table_distance(found, codes, 3),
      groups = group_distance(
        set, file, "income",
        c("education", "earner", "family_size", "marital", "age")
      ),
      ecdf = ecdf_distance_of(set$income, file$income)
    )
  }
  list(
    file = file, held_out = NULL,
    book = case_book(file, amount_row("income", 1, 2e6, "log")),
    # Fewer or other classes served the rivals less
    classes = list(income = 1000 * c(
      0.001, 2, 5, 8, 10, 15, 20, 25, 30, 35, 40, 50, 60, 70, 85, 100, 125, 150,
      200, 300, 2000
    )),
    alone = list(), measure = measure
  )
}

#' XOR: the October file with three flags of which no two are related, but the
#' third tells in 95% of records whether the first two differ.
xor_case <- function() {
  case <- october_case()
  n <- nrow(case$file)
  set.seed(1)
  coin <- function() stats::rbinom(n, 1, 0.5)
  flags <- data.frame(a = coin(), b = coin())
  flags$c <- (flags$a != flags$b) != (stats::runif(n) < 0.05)
  flags[] <- lapply(flags, function(x) factor(as.integer(x)))
  file <- cbind(case$file, flags)
  tables <- table_measures(file)
  case$book <- rbind(case$book, case_book(flags))
  case$tables <- list(c("a", "b", "c"))
  case$file <- file
  case$measure <- function(set) {
    c(tables(set), xor = mean((set$a != set$b) == (set$c == "1")))
  }
  case
}

# Others -----------------------------------------------------------------------

liver_data <- function(name) {
  if (!requireNamespace("liver", quietly = TRUE)) {
    stop(
      "This file is in the CRAN package liver: install it, or name the ",
      "library that has it in the environment variable R_LIBS.",
      call. = FALSE
    )
  }
  found <- new.env()
  utils::data(list = name, package = "liver", envir = found)
  as.data.frame(found[[name]])
}

#' The Adult census extract: 48,598 x 15 in liver, without its survey weight.
adult_case <- function() {
  all <- liver_data("adult")
  all$demogweight <- NULL
  set.seed(1)
  inside <- sample(nrow(all), 0.8 * nrow(all))
  file <- all[inside, ]
  held_out <- all[-inside, ]
  tables <- table_measures(file)
  list(
    file = file, held_out = held_out,
    book = case_book(file, rbind(
      amount_row("age", 17, 90),
      amount_row("capital_gain", 0, 99999, "log", TRUE, "99999"),
      amount_row("capital_loss", 0, 5000, "log", TRUE),
      # People report hours in multiples of 5
      amount_row("hours_per_week", 1, 99, codes = "40", heaps = "5")
    ), list(education_num = 1:16)),
    classes = list(
      age = c(17, 21, 26, 31, 36, 41, 46, 51, 56, 61, 66, 71, 91),
      capital_gain = c(1, 1000, 2000, 3000, 4000, 5000, 7500, 10000, 15000,
        20000, 99999),
      capital_loss = c(1, 1000, 1500, 1750, 2000, 2250, 2500, 3000, 5001),
      hours_per_week = c(1, 20, 30, 40, 50, 60, 100)
    ),
    alone = list(
      capital_gain = c(0, 99999), capital_loss = 0,
      hours_per_week = c(20, 25, 30, 35, 40, 45, 50, 55, 60)
    ),
    measure = function(set) {
      c(tables(set), auc = held_out_auc(set, held_out, file, "income"))
    }
  )
}

#' A health survey: 5,190 x 12 in liver, from AER's DoctorVisits. Ages are
#' middles of the questionnaire's classes, incomes those of its brackets.
health_case <- function() {
  file <- liver_data("doctor_visits")
  file[c("age", "income")] <- lapply(file[c("age", "income")], round)
  whole <- list(
    age = c(19, seq(22, 72, 5)),
    income = 100 * c(0, 1, 6, 15, 25, 35, 45, 55, 65, 75, 90, 110, 130, 150),
    illness = 0:5, reduced = 0:14, health = 0:12, visits = 0:9
  )
  list(
    file = file, held_out = NULL, book = case_book(file, whole = whole),
    classes = list(), alone = list(), measure = table_measures(file)
  )
}

#' Visits of an online shop: 12,330 x 18 in liver.
shop_case <- function() {
  file <- liver_data("purchase_intention")
  seconds <- c(1, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 1e5)
  counts <- c(1, 2, 3, 5, 8, 12, 20, 30, 50, 100, 200, 1001)
  rates <- c(0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2)
  list(
    file = file, held_out = NULL,
    book = case_book(file, rbind(
      amount_row("administrative", 0, 1000, "log", TRUE),
      any_decimals("administrative_duration", 0, 1e5, "asinh", TRUE),
      amount_row("informational", 0, 1000, "log", TRUE),
      any_decimals("informational_duration", 0, 1e5, "asinh", TRUE),
      amount_row("product_related", 0, 1000, "log", TRUE),
      any_decimals("product_related_duration", 0, 1e5, "asinh", TRUE),
      any_decimals("bounce_rates", 0, 0.2, zero = TRUE, codes = "0.2"),
      any_decimals("exit_rates", 0, 0.2, zero = TRUE, codes = "0.2"),
      any_decimals("page_values", 0, 1000, "asinh", TRUE)
    ), list(special_day = c(0, 0.2, 0.4, 0.6, 0.8, 1))),
    classes = list(
      administrative = counts, informational = counts,
      product_related = counts,
      administrative_duration = c(0, seconds),
      informational_duration = c(0, seconds),
      product_related_duration = c(0, seconds),
      bounce_rates = rates, exit_rates = rates,
      page_values = c(0, 1, 2, 5, 10, 15, 20, 30, 50, 100, 1000)
    ),
    alone = list(
      administrative = 0, informational = 0, product_related = 0,
      administrative_duration = 0, informational_duration = 0,
      product_related_duration = 0, bounce_rates = c(0, 0.2),
      exit_rates = c(0, 0.2), page_values = 0
    ),
    measure = table_measures(file)
  )
}

# Amounts that follow one another ---------------------------------------------

#' Diamonds: 40,000 x 10 of ggplot2, drawn at random. Seven amounts, of which
#' price, carat and the three sizes follow one another closely.
diamonds_case <- function() {
  all <- as.data.frame(ggplot2::diamonds)
  set.seed(1)
  file <- all[sample(nrow(all), 40000), ]
  rownames(file) <- NULL
  size <- c(0.01, 3.5, 4, 4.25, 4.5, 4.75, 5, 5.25, 5.5, 5.75, 6, 6.25, 6.5,
    6.75, 7, 7.5, 8, 9, 10, 60)
  classes <- list(
    carat = c(0.2, 0.3, 0.32, 0.35, 0.4, 0.45, 0.5, 0.55, 0.65, 0.7, 0.75, 0.85,
      0.95, 1, 1.02, 1.1, 1.25, 1.5, 1.75, 2, 5.01),
    depth = c(43, 57, 58, 59, 59.5, 60, 60.5, 61, 61.25, 61.5, 61.75, 62, 62.25,
      62.5, 62.75, 63, 63.5, 64, 65, 66, 79),
    table = c(43, 53:65, 67, 95),
    price = c(300, 500, 600, 700, 800, 900, 1000, 1250, 1500, 2000, 2500, 3000,
      4000, 5000, 6000, 7500, 9000, 11000, 13000, 16000, 19000),
    x = size, y = size, z = c(0.01, 2.25, seq(2.5, 5, 0.15), 5.5, 6, 32)
  )
  alone <- list(x = 0, y = 0, z = 0)
  formula <- log(price) ~ log(carat) + cut + color + clarity
  codes <- file_codes(file, file)
  in_classes <- function(set) {
    columns <- stats::setNames(nm = names(set))
    parts <- vapply(columns, function(j) {
      if (is.factor(set[[j]])) {
        return(as.integer(set[[j]]))
      }
      findInterval(set[[j]], classes[[j]][-length(classes[[j]])]) + 1L
    }, integer(nrow(set)))
    structure(parts, levels = vapply(columns, function(j) {
      if (is.factor(set[[j]])) nlevels(set[[j]]) else length(classes[[j]])
    }, 0L))
  }
  truth <- in_classes(file)
  list(
    file = file, held_out = NULL,
    book = case_book(file, rbind(
      amount_row("carat", 0.2, 5.01, "log", digits = "2"),
      amount_row("depth", 43, 79, digits = "1"),
      amount_row("table", 43, 95, digits = "1"),
      amount_row("price", 300, 19000, "log"),
      amount_row("x", 0, 60, zero = TRUE, digits = "2"),
      amount_row("y", 0, 60, zero = TRUE, digits = "2"),
      amount_row("z", 0, 32, zero = TRUE, digits = "2")
    )),
    classes = classes, alone = alone,
    measure = function(set) {
      set <- set[names(file)]
      found <- file_codes(set, file)
      # Values of 0 come from rivals that round
      set$price <- pmax(set$price, 1)
      c(
        pairs = table_distance(found, codes, 2),
        pairs_classes = table_distance(in_classes(set), truth, 2),
        three_way = table_distance(found, codes, 3),
        r_squared = linear_fit(set, formula)$r_squared,
        correlation = stats::cor(log(set$price), log(set$carat))
      )
    }
  )
}
