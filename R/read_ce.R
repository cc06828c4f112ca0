#' Read interview files of the Consumer Expenditure Surveys
#'
#' Reads the consumer unit files `fmli*.csv` of the interview survey's
#' public-use microdata, as the Bureau of Labor Statistics (BLS) publishes
#' them, and returns them in the layout of [ce_income]. It reads only the
#' columns that are needed. Other columns, such as the survey weight, are kept
#' if `variables` names them.
#'
#' @param path (character) One or more files, or one directory: then every file
#'   in it named `fmli*.csv` is read, in alphabetical order.
#' @param month (integer, 1 to 12, or `NULL`) Months of interview (`QINTRVMO`)
#'   to keep. A file holds the interviews of one quarter. The default, `NULL`,
#'   keeps all.
#' @param year (integer, four digits, or `NULL`) Years of interview
#'   (`QINTRVYR`) to keep; useful for a directory, whose last file holds the
#'   first quarter of the next year. The default, `NULL`, keeps all.
#' @param income (character) Columns that can hold the income before taxes, in
#'   order of preference; the first that all files have is used. `FINCBTXM`
#'   (2004 and later) is the mean over the five imputations of unreported
#'   income; `FINCBTAX` is the income as collected.
#' @param variables (character or `NULL`) Further columns to keep, by their
#'   names in the files: such as `"FINLWT21"` (survey weight), `"SMSASTAT"` or
#'   `"CBSA"` (status of the core-based statistical area, which the papers have
#'   among their predictors; its name differs between years). All files must
#'   have them. Default `NULL`: none.
#' @param incomplete (string) What to do with interviews that lack the income
#'   or a predictor other than region and population size. `"drop"`, the
#'   default, leaves them out and says how many; `"error"` refuses the files.
#'
#' @details
#' The table shows where each variable comes from. Names in brackets are those
#' of `rpms::CE`, which are accepted as well.
#'
#' | variable | column | rule |
#' |---|---|---|
#' | `income` | `FINCBTXM`, `FINCBTAX` | rounded to whole dollars |
#' | `sex` | `SEX_REF` (`SEX`) | 1 or `M` male, 2 or `F` female |
#' | `age` | `AGE_REF` (`AGE`) | years, in five classes |
#' | `education` | `EDUC_REF` (`EDUCA`) | codes 00, 10 to 15, and 16 with 17 |
#' | `region` | `REGION` | four regions, missing: `"not published"` |
#' | `urban` | `BLS_URBN` | 1 urban, 2 rural |
#' | `marital` | `MARITAL1` (`MARITAL`) | codes 1 to 5 |
#' | `population` | `POPSIZE` | codes 1 to 5, missing: `"not published"` |
#' | `family_size` | `FAM_SIZE` | 1 to 10, then `"11 and more"` |
#' | `earner` | see below | `"yes"` or `"no"` |
#'
#' Person characteristics are those of the reference person. No column says
#' whether the reference person earned income. This is derived from the first
#' item of the following list that is available in every file:
#'
#' 1. `EARNER` (only in `rpms::CE`): `Y` means yes, `N` means no;
#' 2. `INCOMEY1` (`INCOMEY`), the employer from which the reference person
#'    received the most earnings: codes 1 to 5 mean yes; code 6 (worked without
#'    pay in a family business or farm) and missing mean no. In `rpms::CE`,
#'    which has both columns, this reproduces `EARNER` for all 68,415
#'    interviews;
#' 3. `INCNONW1`, the reason for not having worked in the past twelve months:
#'    missing means yes, any reason means no;
#' 4. `OCCUCOD1`, the occupation: present means yes, missing means no.
#'
#' A blank or a single full stop is a missing value, as in the BLS files.
#'
#' Columns of `variables` come as the files have them. Such a column is one of
#' numbers if all its values are numbers and none is a code with a leading zero,
#' such as `"01"`; otherwise it is text.
#'
#' @return A data frame with the ten columns of [ce_income], where no value is
#'   missing, and those of `variables`, whose names are in capitals. It has one
#'   row per interview, in the order of the files. Factors have all their
#'   levels, whether they occur or not.
#'
#' @section Error types:
#' `pseudosynth_error_input`: a file or directory does not exist, a required
#' column is absent, an interview occurs twice, a code is unknown, a value is
#' missing and `incomplete = "error"`, or no interview is left. The condition's
#' field `rows` holds the rows concerned, counted over all files. Two more
#' errors concern the lines of a file: it does not end with a line end and may
#' be cut off, or a quote is not closed on its line. For these `rows` holds
#' lines of that file.
#'
#' @references
#' Bureau of Labor Statistics, Consumer Expenditure Surveys, Public Use
#' Microdata, <https://www.bls.gov/cex/pumd.htm>.
#'
#' @seealso [ce_income] for a data set that is ready to use.
#' @export
#' @examples
#' # a small simulated file in the layout of the real ones
#' file <- system.file("extdata", "fmli_example.csv", package = "pseudosynth")
#' ce <- read_ce(file)
#' str(ce)
#'
#' # the interviews of October only
#' nrow(read_ce(file, month = 10))
#'
#' # with the survey weight, for fit_synthesizer(survey_weights = "FINLWT21")
#' summary(read_ce(file, variables = "FINLWT21")$FINLWT21)
read_ce <- function(path, month = NULL, year = NULL,
                    income = c("FINCBTXM", "FINCBTAX"), variables = NULL,
                    incomplete = c("drop", "error")) {
  check_present(path)
  incomplete <- check_choice(incomplete, c("drop", "error"))
  check_ce_period(month, 1, 12)
  check_ce_period(year, 1980, 2100)
  files <- ce_files(path)
  headers <- lapply(files, ce_header)
  columns <- ce_find_columns(headers, files, income)
  variables <- ce_variables(variables, headers)
  needed <- c(
    columns, variables, "NEWID",
    if (!is.null(month)) "QINTRVMO", if (!is.null(year)) "QINTRVYR"
  )
  for (i in seq_along(files)) {
    refuse_absent(setdiff(needed, headers[[i]]), files[i])
  }

  parts <- Map(ce_read_file, files, headers, list(unname(needed)))
  raw <- do.call(rbind, unname(parts))
  check_each_once(
    raw$NEWID, "interview",
    "The first quarter of a year is published twice ({.file fmliYY1.csv} and
     {.file fmliYY1x.csv}); read one."
  )
  raw <- ce_select(raw, "QINTRVMO", month)
  raw <- ce_select(raw, "QINTRVYR", year)
  refuse_if(
    nrow(raw) == 0, "No interview is left.",
    i = "The files have none for this {.arg month} and {.arg year}."
  )
  rows <- as.integer(rownames(raw))
  for (variable in names(columns)) {
    column <- columns[[variable]]
    unknown <- ce_unknown(raw[[column]], variable, column)
    refuse_codes(rows[unknown], "Column", column, "read_ce")
  }
  others <- lapply(raw[variables], ce_plain)
  complete_records(
    as.data.frame(c(ce_recode(raw, columns), others), optional = TRUE), columns,
    rows, incomplete, "interview"
  )
}

check_ce_period <- function(x, min, max, arg = rlang::caller_arg(x)) {
  check_that(
    is.null(x) || is.numeric(x) && !is.object(x) && length(x) > 0 &&
      !anyNA(x) && all(x == round(x) & x >= min & x <= max),
    x, "{.arg {arg}} must be whole numbers from {min} to {max}.", arg = arg
  )
}

# ---- files -----------------------------------------------------------------

ce_files <- function(path) {
  refuse_if(
    !is.character(path) || length(path) == 0 || anyNA(path) ||
      !all(in_known_encoding(path)),
    "{.arg path} must be the name of a directory or of one or more files.",
    arg = "path"
  )
  absent <- path[!file.exists(path)]
  # Of many, which may be a vector of something else, the number alone
  refuse_if(
    length(absent) > 0,
    if (length(absent) <= 3) {
      "{cli::qty(absent)} File{?s} {.file {absent}} do{?es/} not exist."
    } else {
      "{length(absent)} of {length(path)} files do not exist."
    },
    arg = "path"
  )
  folders <- dir.exists(path)
  refuse_if(
    any(folders) && length(path) > 1,
    "{.arg path} must be one directory or several files, not both.",
    arg = "path"
  )
  if (!any(folders)) {
    return(path)
  }
  files <- list.files(
    path, pattern = "^fmli.*\\.csv$", ignore.case = TRUE, full.names = TRUE
  )
  refuse_if(
    length(files) == 0,
    "Directory {.file {path}} holds no file named {.file fmli*.csv}.",
    arg = "path"
  )
  sort(files)
}

# Column names in capitals, without the byte order mark some editors add.
ce_header <- function(file) {
  line <- readLines(file, n = 1, warn = FALSE)
  refuse_if(length(line) == 0, "File {.file {file}} is empty.", arg = "path")
  line <- sub("^\xef\xbb\xbf", "", line, useBytes = TRUE)
  header <- scan(text = line, what = "", sep = ",", quote = "\"", quiet = TRUE)
  toupper(trimws(ce_text(header)))
}

# A letter in another encoding must not stop toupper(), whose message would
# show it.
ce_text <- function(x) {
  Encoding(x[!validUTF8(x)]) <- "latin1"
  enc2utf8(x)
}

#' Refuse a file that was cut off, or that a stray quote runs through
#'
#' What is left of a number is a number, too, and a quote that never ends takes
#' the lines up to the next one with it.
#' @noRd
ce_check_lines <- function(file) {
  bytes <- readBin(file, "raw", file.size(file))
  ends <- which(bytes == charToRaw("\n"))
  # Files of old Macintosh computers end their lines otherwise
  if (length(ends) == 0) ends <- which(bytes == charToRaw("\r"))
  if (length(ends) == 0 || ends[length(ends)] != length(bytes)) {
    line <- length(ends) + 1L
    abort_input(
      "File {.file {file}} must end with a line end.",
      x = "Line {line} has none: the file may be cut off.",
      i = "Fetch the file again, or add the line end if it is complete.",
      arg = "path", rows = line
    )
  }
  line_of <- function(what) {
    findInterval(which(bytes == what), ends, left.open = TRUE) + 1L
  }
  refuse <- function(lines, problem) {
    shown <- toString(c(utils::head(lines, 5), if (length(lines) > 5) ".."))
    refuse_if(
      length(lines) > 0, problem,
      x = "{cli::qty(length(lines))}This fails on line{?s} {shown}.",
      i = "Correct {cli::qty(length(lines))}{?it/them}.",
      arg = "path", rows = lines
    )
  }
  refuse(
    which(tabulate(line_of(charToRaw("\""))) %% 2 == 1),
    "Every quote in {.file {file}} must be closed on its line."
  )
  # What follows a byte of zeros is lost, and what is left of a number is one
  refuse(
    unique(line_of(as.raw(0))),
    "The lines of {.file {file}} must be text, without zero bytes."
  )
}

# All columns are read as text, so that codes such as "00" stay as they are.
ce_read_file <- function(file, header, needed) {
  ce_check_lines(file)
  classes <- ifelse(header %in% needed, "character", "NULL")
  raw <- tryCatch(
    utils::read.csv(
      file, header = FALSE, skip = 1, col.names = header, colClasses = classes,
      na.strings = c("", "."), strip.white = TRUE, check.names = FALSE,
      fill = FALSE, comment.char = ""
    ),
    error = function(cnd) {
      if (grepl("no lines available", conditionMessage(cnd), fixed = TRUE)) {
        empty <- rep(list(character()), length(needed))
        return(as.data.frame(stats::setNames(empty, needed)))
      }
      abort_input(
        "File {.file {file}} cannot be read as comma-separated values.",
        "i" = "Every line must have as many fields as the first.",
        arg = "path", parent = cnd
      )
    }
  )
  raw <- raw[unique(needed)]
  raw[] <- lapply(raw, ce_text)
  raw
}

# ---- columns ---------------------------------------------------------------

# For every variable the first column that all files have; NA where there is
# none, which is then reported for all variables at once.
ce_find_columns <- function(headers, files, income) {
  refuse_if(
    !is.character(income) || length(income) == 0 || anyNA(income) ||
      !all(in_known_encoding(income)),
    "{.arg income} must be one or more names of columns.", arg = "income"
  )
  candidates <- ce_columns
  stated <- !identical(income, eval(formals(read_ce)$income))
  candidates$income <- toupper(income)
  shared <- Reduce(intersect, headers)
  columns <- vapply(
    candidates, function(name) name[name %in% shared][1], character(1)
  )
  absent <- candidates[is.na(columns)]
  if (length(absent) > 0) {
    choices <- vapply(absent, paste, character(1), collapse = " or ")
    # What was given may be a vector of something else
    if (stated && "income" %in% names(choices)) {
      choices[["income"]] <- "one of those in `income`"
    }
    refuse_absent(
      choices, files,
      "{.fn read_ce} expects interview files {.file fmli*.csv} of the Consumer
       Expenditure Surveys."
    )
  }
  columns
}

# The further columns, in capitals as the headers are.
ce_variables <- function(variables, headers) {
  if (is.character(variables)) variables <- toupper(ce_text(variables))
  check_names(
    variables, Reduce(intersect, headers), of = "columns that all files have"
  )
  unique(variables)
}

# A column of the file's own: its codes are text, "01" is no number.
ce_plain <- function(x) {
  number <- suppressWarnings(as.double(x))
  coded <- grepl("^[+-]?0[0-9]", x)
  if (any(coded | is.na(number) & !is.na(x))) x else number
}

refuse_absent <- function(absent, files, advice = NULL) {
  refuse_if(
    length(absent) > 0,
    "{cli::qty(absent)} {?A required column is/Required columns are} absent
     from {.file {basename(files)}}: {.field {absent}}.",
    i = advice, arg = "path"
  )
}

# ---- records ---------------------------------------------------------------

ce_select <- function(raw, column, keep) {
  if (is.null(keep)) {
    return(raw)
  }
  # rows keep their number in the files as their name
  raw[ce_number(raw[[column]]) %in% keep, , drop = FALSE]
}

# What readers of survey files share -------------------------------------------

check_each_once <- function(id, who, advice = NULL) {
  rows <- which(!is.na(id) & duplicated(id))
  refuse_if(
    length(rows) > 0,
    "{length(rows)} {who}{cli::qty(length(rows))}{?s} occur{?s/} more than
     once.",
    i = advice, arg = "path", rows = rows
  )
}

refuse_codes <- function(rows, kind, name, reader) {
  refuse_if(
    length(rows) > 0,
    "{kind} {.field {name}} holds {length(rows)} unknown value{?s}.",
    i = "The rows are in the condition's field {.field rows}.",
    i = "{.code ?{reader}} lists the known codes.", arg = "path", rows = rows
  )
}

#' Leave out the records that lack a value
#' @param fields (character) What the file calls the columns that must be there;
#'   its names are theirs in `data`.
#' @param rows (integer) Of the records in the file.
#' @param who (string) What one record is.
#' @noRd
complete_records <- function(data, fields, rows, incomplete, who, remark = "") {
  needed <- data[names(fields)]
  lacking <- !stats::complete.cases(needed)
  n <- sum(lacking)
  what <- unname(fields[vapply(needed, anyNA, TRUE)])
  refuse_if(
    n > 0 && incomplete == "error",
    "{n} {who}{cli::qty(n)}{?s} lack{?s/} a value of {.field {what}}.",
    i = "{.code incomplete = \"drop\"} leaves them out.",
    arg = "path", rows = rows[lacking]
  )
  refuse_if(
    n == nrow(data), "No {who} is left.",
    i = "All {n} lack a value of at least one of {.field {what}}.",
    arg = "path", rows = rows
  )
  if (n > 0) {
    tell_of(
      NULL, "Left out {n} {who}{cli::qty(n)}{?s} without a value of
       {.field {what}}{remark}."
    )
  }
  data <- data[!lacking, , drop = FALSE]
  rownames(data) <- NULL
  data
}
