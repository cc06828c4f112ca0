#' Read interview files of the Consumer Expenditure Surveys
#'
#' Reads the consumer unit files `fmli*.csv` of the interview survey's
#' public-use microdata, as the Bureau of Labor Statistics (BLS) publishes
#' them, and returns them in the layout of [ce_income]. Only the columns that
#' are needed are read; identifiers, weights and flag columns (names that end
#' in `_`) are not kept.
#'
#' @param path (character) one or several files, or one directory, of which
#'   every file named `fmli*.csv` is read, in alphabetical order.
#' @param month (integer, 1 to 12, or `NULL`) months of interview
#'   (`QINTRVMO`) to keep. A file holds the interviews of one quarter. The
#'   default, `NULL`, keeps all.
#' @param year (integer, four digits, or `NULL`) years of interview
#'   (`QINTRVYR`) to keep; useful for a directory, whose last file holds the
#'   first quarter of the year after. The default, `NULL`, keeps all.
#' @param income (character) columns that can hold the income before taxes, in
#'   order of preference; the first that all files have is used. `FINCBTXM`
#'   (2004 and later) is the mean over the five imputations of income that was
#'   not reported, `FINCBTAX` is the income as collected.
#' @param incomplete (string) what to do with interviews that lack the income
#'   or a predictor other than region and population size: `"drop"`, the
#'   default, leaves them out and says how many, `"error"` refuses the files.
#'
#' @details
#' The variables and where they come from; alternatives in brackets are the
#' names in `rpms::CE`, accepted as well:
#'
#' | variable | column | rule |
#' |---|---|---|
#' | `income` | `FINCBTXM`, `FINCBTAX` | rounded to whole dollars |
#' | `sex` | `SEX_REF` (`SEX`) | 1 or `M` male, 2 or `F` female |
#' | `age` | `AGE_REF` (`AGE`) | years, in five classes |
#' | `education` | `EDUC_REF` (`EDUCA`) | codes 00, 10 to 15 and 16 with 17 |
#' | `region` | `REGION` | four, missing: `"not published"` |
#' | `urban` | `BLS_URBN` | 1 urban, 2 rural |
#' | `marital` | `MARITAL1` (`MARITAL`) | codes 1 to 5 |
#' | `population` | `POPSIZE` | codes 1 to 5, missing: `"not published"` |
#' | `family_size` | `FAM_SIZE` | 1 to 10, then `"11 and more"` |
#' | `earner` | see below | `"yes"` or `"no"` |
#'
#' Person characteristics are those of the reference person. The files have no
#' column that says whether the reference person earned income; it is derived
#' from the first of these that all files have:
#'
#' 1. `EARNER` (only in `rpms::CE`): `Y` yes, `N` no;
#' 2. `INCOMEY1` (`INCOMEY`), the employer from which the reference person
#'    received the most earnings: codes 1 to 5 yes; 6 (worked without pay in a
#'    family business or farm) and missing no. In `rpms::CE`, which has both,
#'    this reproduces `EARNER` for all 68,415 interviews;
#' 3. `INCNONW1`, the reason for not having worked in the past twelve months:
#'    missing yes, any reason no;
#' 4. `OCCUCOD1`, the occupation: present yes, missing no.
#'
#' A blank or a single full stop is a missing value, as in the BLS files.
#'
#' @return A data frame with the ten columns of [ce_income], one row per
#'   interview, in the order of the files. Factors have all their levels,
#'   whether they occur or not. No value is missing.
#'
#' @section Error types:
#' `pseudosynth_error_input` when a file or directory does not exist, a
#' required column is absent, an interview occurs twice, a code is not known,
#' a value is missing and `incomplete = "error"`, or no interview is left. The
#' condition's field `rows` holds the rows concerned, counted over all files.
#' Also when a file does not end with the end of a line, and may be cut off, or
#' a quote is not closed on its line; `rows` are then lines of that file.
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
read_ce <- function(path, month = NULL, year = NULL,
                    income = c("FINCBTXM", "FINCBTAX"),
                    incomplete = c("drop", "error")) {
  check_present(path)
  incomplete <- check_choice(incomplete, c("drop", "error"))
  check_ce_period(month, 1, 12)
  check_ce_period(year, 1980, 2100)
  files <- ce_files(path)
  headers <- lapply(files, ce_header)
  columns <- ce_find_columns(headers, files, income)
  needed <- c(
    columns, "NEWID",
    if (!is.null(month)) "QINTRVMO", if (!is.null(year)) "QINTRVYR"
  )
  ce_require_columns(headers, files, needed)

  parts <- Map(ce_read_file, files, headers, list(unname(needed)))
  raw <- do.call(rbind, unname(parts))
  ce_check_duplicates(raw)
  raw <- ce_select(raw, "QINTRVMO", month)
  raw <- ce_select(raw, "QINTRVYR", year)
  if (nrow(raw) == 0) {
    abort_input(
    "No interview is left.",
    "i" = "The files hold none for this {.arg month} and {.arg year}.")
  }
  ce_check_codes(raw, columns)
  data <- ce_recode(raw, columns)
  ce_complete(data, raw, columns, incomplete)
}

check_ce_period <- function(x, min, max, arg = rlang::caller_arg(x)) {
  whole <- is.null(x) || is.numeric(x) && length(x) > 0 && !anyNA(x) &&
    all(x == round(x) & x >= min & x <= max)
  if (!whole) {
    abort_input(
      "{.arg {arg}} must be whole numbers from {min} to {max}.",
      x = "It is {describe_type(x)}.",
      arg = arg
    )
  }
  invisible(x)
}

# ---- files -----------------------------------------------------------------

ce_files <- function(path) {
  if (!is.character(path) || length(path) == 0 || anyNA(path)) {
    abort_input(
      "{.arg path} must be the name of a directory or of one or more files.",
      arg = "path"
    )
  }
  absent <- path[!file.exists(path)]
  if (length(absent) > 0) {
    # Of many, which may be a vector of something else, the number alone
    abort_input(
      if (length(absent) <= 3) {
        "{cli::qty(absent)} File{?s} {.file {absent}} do{?es/} not exist."
      } else {
        "{length(absent)} of {length(path)} files do not exist."
      },
      arg = "path"
    )
  }
  folders <- dir.exists(path)
  if (any(folders) && length(path) > 1) {
    abort_input(
      "{.arg path} must be one directory or several files, not both.",
      arg = "path"
    )
  }
  if (!any(folders)) {
    return(path)
  }
  files <- list.files(
    path, pattern = "^fmli.*\\.csv$", ignore.case = TRUE, full.names = TRUE
  )
  if (length(files) == 0) {
    abort_input(
      "Directory {.file {path}} holds no file named {.file fmli*.csv}.",
      arg = "path"
    )
  }
  sort(files)
}

# Column names in capitals, without the byte order mark some editors add.
ce_header <- function(file) {
  line <- readLines(file, n = 1, warn = FALSE)
  if (length(line) == 0) {
    abort_input("File {.file {file}} is empty.", arg = "path")
  }
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
      "File {.file {file}} must end with the end of a line.",
      x = "Line {line} has none: it may be cut off.",
      i = "Fetch the file again, or add the line's end if it is complete.",
      arg = "path", rows = line
    )
  }
  line_of <- function(what) {
    findInterval(which(bytes == what), ends, left.open = TRUE) + 1L
  }
  refuse <- function(lines, problem) {
    if (length(lines) == 0) {
      return(invisible())
    }
    shown <- paste0(
      toString(utils::head(lines, 5)), if (length(lines) > 5) ", .."
    )
    abort_input(
      paste0(problem, "."),
      x = "{cli::qty(length(lines))}That is not so on line{?s} {shown}.",
      i = "Correct {cli::qty(length(lines))}{?it/them}.",
      arg = "path", rows = lines
    )
  }
  refuse(
    which(tabulate(line_of(charToRaw("\""))) %% 2 == 1),
    "Every quote in {.file {file}} must be closed on its line"
  )
  # What follows a byte of zeros is lost, and what is left of a number is one
  refuse(
    unique(line_of(as.raw(0))),
    "The lines of {.file {file}} must be text, without a byte of zeros"
  )
}

# All columns are read as text, so that codes such as "00" stay as they are.
ce_read_file <- function(file, header, needed) {
  ce_check_lines(file)
  classes <- ifelse(header %in% needed, "character", "NULL")
  raw <- tryCatch(
    utils::read.csv(
      file,
      header = FALSE, skip = 1, col.names = header, colClasses = classes,
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
  if (!is.character(income) || length(income) == 0 || anyNA(income)) {
    abort_input(
      "{.arg income} must be one or more names of columns.",
      arg = "income"
    )
  }
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
    abort_input(
      "{cli::qty(absent)} {?A required column is/Required columns are} absent
       from {.file {basename(files)}}: {.field {choices}}.",
      "i" = "{.fn read_ce} expects interview files {.file fmli*.csv} of the
             Consumer Expenditure Surveys.",
      arg = "path"
    )
  }
  columns
}

ce_require_columns <- function(headers, files, needed) {
  for (i in seq_along(files)) {
    absent <- setdiff(needed, headers[[i]])
    if (length(absent) > 0) {
      abort_input(
        "{cli::qty(absent)} {?A required column is/Required columns are} absent
         from {.file {basename(files[i])}}: {.field {absent}}.",
        arg = "path"
      )
    }
  }
  invisible(NULL)
}

# ---- records ---------------------------------------------------------------

# BLS publishes the first quarter of a year twice, once with the year before.
ce_check_duplicates <- function(raw) {
  rows <- which(!is.na(raw$NEWID) & duplicated(raw$NEWID))
  if (length(rows) > 0) {
    abort_input(
      "{length(rows)} interview{?s} occur{?s/} more than once.",
      "i" = "The first quarter of a year is published twice
             ({.file fmliYY1.csv} and {.file fmliYY1x.csv}); read one.",
      arg = "path", rows = rows
    )
  }
  invisible(NULL)
}

ce_select <- function(raw, column, keep) {
  if (is.null(keep)) {
    return(raw)
  }
  # rows keep their number in the files as their name
  raw[ce_number(raw[[column]]) %in% keep, , drop = FALSE]
}

ce_check_codes <- function(raw, columns) {
  for (variable in names(columns)) {
    column <- columns[[variable]]
    unknown <- ce_unknown(raw[[column]], variable, column)
    if (length(unknown) > 0) {
      abort_input(
        "Column {.field {column}} holds {length(unknown)} value{?s} that
         {?is/are} not known.",
        "i" = "The rows are in the condition's field {.field rows}.",
        "i" = "{.code ?read_ce} lists the codes that are known.",
        arg = "path",
        rows = as.integer(rownames(raw))[unknown]
      )
    }
  }
  invisible(NULL)
}

ce_complete <- function(data, raw, columns, incomplete) {
  gaps <- vapply(data, anyNA, logical(1))
  lacking <- !stats::complete.cases(data)
  n <- sum(lacking)
  what <- unname(columns[names(data)[gaps]])
  if (n > 0 && incomplete == "error") {
    abort_input(
      "{n} interview{?s} lack{?s/} a value of {.field {what}}.",
      "i" = "{.code incomplete = \"drop\"} leaves them out.",
      arg = "path", rows = as.integer(rownames(raw))[lacking]
    )
  }
  if (n == nrow(data)) {
    abort_input(
      "No interview is left.",
      "i" = "All {n} lack a value of at least one of {.field {what}}.",
      arg = "path", rows = as.integer(rownames(raw))[lacking]
    )
  }
  if (n > 0) {
    cli::cli_inform(
      "Left out {n} interview{?s} without a value of {.field {what}}."
    )
  }
  data <- data[!lacking, , drop = FALSE]
  rownames(data) <- NULL
  data
}
