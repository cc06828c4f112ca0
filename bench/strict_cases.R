# What bench/strict-utility.R and bench/score-utility.R have in common: files,
# public references, the rows of a comparison, and how results are kept.

source(file.path("bench", "results.R"))
source(file.path("data-raw", "load_rpms_ce.R"))

groups <- c("education", "earner", "family_size", "marital", "age")
crude <- list("(Intercept)" = 10.8, sigma = 1)
positive <- droplevels(subset(ce_income, income > 0))

other_references <- list(
  "intercept 10.0" = list("(Intercept)" = 10, sigma = 1),
  "intercept 11.6" = list("(Intercept)" = 11.6, sigma = 1),
  "scale 0.5" = list("(Intercept)" = 10.8, sigma = 0.5),
  "scale 2" = list("(Intercept)" = 10.8, sigma = 2)
)

#' Positive incomes of another month: the months are independent quarters'
#' samples
ce_month <- local({
  months <- NULL
  codes <- new.env()
  function(month) {
    if (is.null(months)) {
      months <<- load_rpms_ce()
      source("R/ce_codes.R", local = codes)
    }
    frame <- codes$ce_recode(months[months$QINTRVMO == month, ], rpms_columns)
    droplevels(stats::na.omit(frame[which(frame$income > 0), ]))
  }
})

#' Salaries in thousands, as counts
salary_thousands <- function() {
  salary <- sdr_simulated
  salary$salary <- as.integer(round(salary$salary / 1000))
  salary
}

#' The rows of a comparison, with what makes it a case
#'
#' @param alone (flag) Keep the row of the reference alone?
compared_rows <- function(part, name, data = positive, family = student_t(3),
                          epsilon = 1, reference = crude, window = NULL,
                          margin_share = 0.4, bins = 60, bounds = c(10, 2e6),
                          formula = log(income) ~ ., measured = groups,
                          mechanisms = "centred", alone = FALSE, sets = 20,
                          draws = 2500, warmup = 500, ...) {
  compared <- compare(
    formula, data, family,
    mechanisms = mechanisms, epsilon = epsilon, m = sets,
    groups = intersect(measured, names(data)), reference = reference,
    window = window, margin_share = margin_share, bins = bins,
    bounds = bounds, draws = draws, warmup = warmup, threads = 2,
    control = sampler_control(progress = FALSE), ...
  )
  table <- compared$table
  if (!alone) table <- table[table$mechanism != "reference", ]
  rows <- data.frame(
    part = part, case = name, table[c(
      "mechanism", "asked", "label", "add_remove", "replace", "ecdf_max",
      "groups", "r_squared", "overlap", "seconds", "problem"
    )],
    r_squared_file = if (is.null(compared$confidential)) {
      NA_real_
    } else {
      compared$confidential
    },
    n = nrow(data), sets = sets
  )
  print(rows[c("case", "mechanism", "asked", "ecdf_max", "groups", "r_squared",
    "problem")], row.names = FALSE, digits = 3)
  rows
}
