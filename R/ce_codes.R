# The one place that knows the codes of the Consumer Expenditure interview
# files. `data-raw/ce_income.R` sources this file on its own, so it is base R
# only and calls nothing else of the package.

# Codes of the Bureau of Labor Statistics and the labels used here. Files of
# different years write the same code as "01" or "1"; ce_code() drops leading
# zeros before the look-up.
ce_labels <- list(
  sex = c("1" = "male", "2" = "female", "M" = "male", "F" = "female"),
  education = c(
    "0" = "no schooling", "10" = "1st to 8th grade", "11" = "9th to 12th grade",
    "12" = "high school graduate", "13" = "some college",
    "14" = "associate degree", "15" = "bachelor degree",
    "16" = "advanced degree", "17" = "advanced degree"
  ),
  region = c("1" = "northeast", "2" = "midwest", "3" = "south", "4" = "west"),
  urban = c("1" = "urban", "2" = "rural"),
  marital = c(
    "1" = "married", "2" = "widowed", "3" = "divorced", "4" = "separated",
    "5" = "never married"
  ),
  population = c(
    "1" = "class 1 (largest)", "2" = "class 2", "3" = "class 3",
    "4" = "class 4", "5" = "class 5 (smallest)"
  )
)

# `EDUCA` of rpms::CE numbers the same eight classes from 1 to 8.
ce_education_rpms <- stats::setNames(
  unique(unname(ce_labels$education)), as.character(1:8)
)

ce_not_published <- "not published"

# Columns that can hold a variable, in order of preference. The first name is
# that of the fmli files, the others are those of rpms::CE or of older files.
ce_columns <- list(
  income = c("FINCBTXM", "FINCBTAX"), sex = c("SEX_REF", "SEX"),
  age = c("AGE_REF", "AGE"), education = c("EDUC_REF", "EDUCA"),
  region = "REGION", urban = "BLS_URBN", marital = c("MARITAL1", "MARITAL"),
  population = "POPSIZE", family_size = "FAM_SIZE",
  earner = c("EARNER", "INCOMEY1", "INCOMEY", "INCNONW1", "OCCUCOD1")
)

# "01" -> "1", "00" -> "0", "F" -> "F", blanks and "." -> NA
ce_code <- function(x) {
  x <- toupper(trimws(as.character(x)))
  x[x %in% c("", ".")] <- NA_character_
  sub("^0+(?=[0-9])", "", x, perl = TRUE)
}

# A factor that always has all its levels, so that every file has one layout.
# A code without a label becomes NA here and is listed by ce_unknown().
ce_factor <- function(code, labels, missing_level = NULL) {
  label <- unname(labels[code])
  if (!is.null(missing_level)) label[is.na(code)] <- missing_level
  factor(label, levels = c(unique(unname(labels)), missing_level))
}

ce_number <- function(x) suppressWarnings(as.numeric(ce_code(x)))

# Whether the reference person earned income in the past twelve months. The
# rule depends on the column that the file has; see ?read_ce.
ce_earner <- function(code, column) {
  earns <- switch(column,
    EARNER = unname(c(N = FALSE, Y = TRUE)[code]),
    INCOMEY1 = ,
    INCOMEY = code %in% as.character(1:5),
    INCNONW1 = is.na(code),
    OCCUCOD1 = !is.na(code)
  )
  factor(ifelse(earns, "yes", "no"), levels = c("no", "yes"))
}

# The codes that a column may hold, or NULL for a column of numbers.
ce_known_codes <- function(variable, column) {
  switch(variable,
    education = names(ce_education_labels(column)),
    earner = switch(column,
      EARNER = c("N", "Y"), OCCUCOD1 = as.character(1:18), as.character(1:6)
    ),
    names(ce_labels[[variable]])
  )
}

ce_education_labels <- function(column) {
  if (column == "EDUCA") ce_education_rpms else ce_labels$education
}

# Rows of a variable that hold something which is neither missing nor known:
# for a number, text, a fraction or a value out of range.
ce_unknown <- function(raw, variable, column) {
  code <- ce_code(raw)
  known <- ce_known_codes(variable, column)
  if (!is.null(known)) {
    return(which(!is.na(code) & !code %in% known))
  }
  value <- ce_number(raw)
  valid <- switch(variable,
    income = abs(value) <= .Machine$integer.max,
    age = value >= 0 & value <= 130,
    family_size = value >= 1 & value == round(value)
  )
  which(!is.na(code) & !(is.finite(value) & valid))
}

#' Recode interview records to the layout of `ce_income`
#'
#' @param raw (data frame) one row per interview, the file's own columns.
#' @param columns (named character) the column of `raw` for every variable of
#'   the layout; names as in `ce_columns`.
#' @return A data frame with ten columns; `NA` where the file has no value or
#'   one that is not known.
#' @noRd
ce_recode <- function(raw, columns) {
  code <- lapply(columns, function(column) ce_code(raw[[column]]))
  data.frame(
    income = as.integer(round(ce_number(raw[[columns[["income"]]]]))),
    sex = ce_factor(code$sex, ce_labels$sex),
    age = cut(
      ce_number(raw[[columns[["age"]]]]), c(-Inf, 20, 40, 60, 80, Inf),
      c("20 or under", "21 to 40", "41 to 60", "61 to 80", "over 80")
    ),
    education = ce_factor(
      code$education, ce_education_labels(columns[["education"]])
    ),
    region = ce_factor(code$region, ce_labels$region, ce_not_published),
    urban = ce_factor(code$urban, ce_labels$urban),
    marital = ce_factor(code$marital, ce_labels$marital),
    population = ce_factor(
      code$population, ce_labels$population, ce_not_published
    ),
    family_size = factor(
      pmin(ce_number(raw[[columns[["family_size"]]]]), 11), 1:11,
      c(1:10, "11 and more")
    ),
    earner = ce_earner(code$earner, columns[["earner"]])
  )
}
