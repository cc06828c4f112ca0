#' Read the public-use file of the 2017 Survey of Doctorate Recipients
#'
#' Reads `EPSD17.DAT`, the fixed-width public-use file of the National Center
#' for Science and Engineering Statistics (NCSES). Returns the salary, gender,
#' age class and weeks worked of the employed respondents, with the columns of
#' [sdr_simulated]. The positions of the fields are taken from the published
#' layout.
#'
#' @param path (string) The file, plain or compressed by gzip.
#' @param variables (character or `NULL`) Further fields to keep, by their
#'   names in the layout, such as `"WTSURVY"` (survey weight) or `"EDTP"` (type
#'   of educational institution). They are returned as the file has them: as
#'   numbers or character codes, `NA` if blank. The default, `NULL`, keeps none.
#'   The layout is in
#'   `system.file("extdata", "sdr2017_layout.csv", package = "pseudosynth")`.
#' @param incomplete (string) What to do with respondents who lack one of the
#'   four variables, most of them because they are not employed. `"drop"`, the
#'   default, leaves them out and says how many; `"error"` refuses the file.
#'
#' @details
#' | variable | field | columns | rule |
#' |---|---|---|---|
#' | `salary` | `SALARYP` | 261 to 269 | US dollars; skip: 9999998, blank |
#' | `gender` | `GENDER` | 137 | `F` female, `M` male |
#' | `age` | `AGEGRP` | 26 to 28 | 25, 30, ..., 70: the codebook's ten classes |
#' | `weeks` | `WKSWK` | 322 to 324 | 1 to 52; skip: 98, blank |
#'
#' A skip means that the respondent is not employed. The file must be of the
#' survey year 2017 (`REFYR`): other years have other layouts.
#'
#' @return A data frame with `salary` (integer), `gender` (factor, 2 levels),
#'   `age` (factor, 10 levels, whether they occur or not: [sdr_simulated] and
#'   the papers' sample have no one in the youngest class, and models of them
#'   take the next one as their base), `weeks` (integer) and the fields in
#'   `variables` under their own names. It has one row per respondent, in the
#'   order of the file.
#' @section Error types:
#' `pseudosynth_error_input`: the file does not exist, is empty, has lines of
#' another length than the layout, is of another year, holds a respondent twice
#' or an unknown code, or no respondent is left. The condition's field `rows`
#' holds the lines concerned.
#' @references
#' National Center for Science and Engineering Statistics, Survey of Doctorate
#' Recipients, Public Use Data Files, <https://ncsesdata.nsf.gov/datadownload/>.
#' @seealso [sdr_salary], [sdr_simulated].
#' @examples
#' layout <- read.csv(
#'   system.file("extdata", "sdr2017_layout.csv", package = "pseudosynth")
#' )
#' head(layout)
#' # a file of one respondent in this layout
#' line <- strrep(" ", max(layout$end))
#' put <- c(REFYR = " 2017", OBSNUM = "00000001", SALARYP = "    95000",
#'          GENDER = "F", AGEGRP = " 40", WKSWK = " 52")
#' for (name in names(put)) {
#'   at <- layout[layout$name == name, ]
#'   substr(line, at$start, at$end) <- put[[name]]
#' }
#' file <- tempfile(fileext = ".dat")
#' writeLines(line, file)
#' read_sdr(file)
#' @export
read_sdr <- function(path, variables = NULL, incomplete = c("drop", "error")) {
  incomplete <- check_choice(incomplete, c("drop", "error"))
  check_path(path)
  refuse_if(
    !file.exists(path) || dir.exists(path),
    "File {.file {path}} does not exist.", arg = "path"
  )
  layout <- sdr_layout()
  check_names(variables, layout$name, of = "fields of the layout")
  lines <- sdr_lines(path, max(layout$end))
  needed <- unique(c("REFYR", "OBSNUM", unname(sdr_fields), variables))
  raw <- sdr_cut(lines, layout[match(needed, layout$name), ])
  other <- which(!raw$REFYR %in% 2017)
  refuse_if(
    length(other) > 0, "Every line must be of the survey year 2017.",
    x = "{length(other)} of {length(lines)} {cli::qty(length(other))}{?is/are}
         not.",
    i = "Other years have other layouts.", arg = "path", rows = other
  )
  check_each_once(raw$OBSNUM, "respondent")
  complete_records(
    cbind(sdr_recode(raw), raw[variables]),
    stats::setNames(nm = names(sdr_fields)), seq_along(lines), incomplete,
    "respondent", "; most of them are not employed"
  )
}

sdr_fields <- c(
  salary = "SALARYP", gender = "GENDER", age = "AGEGRP", weeks = "WKSWK"
)

# The largest salary of the codebook: a number above it is a code.
sdr_top <- 509000

sdr_ages <- c(
  "29 or younger", "30-34", "35-39", "40-44", "45-49", "50-54", "55-59",
  "60-64", "65-69", "70-75"
)

sdr_layout <- function() {
  utils::read.csv(system.file(
    "extdata", "sdr2017_layout.csv", package = "pseudosynth", mustWork = TRUE
  ))
}

# ---- file ------------------------------------------------------------------

sdr_lines <- function(path, width) {
  lines <- readLines(path, warn = FALSE)
  # Fields are bytes: a letter of another alphabet must not stop substr(), whose
  # message would show the record
  Encoding(lines) <- "latin1"
  # An empty last line, or the end-of-file mark of old systems.
  lines <- lines[!(seq_along(lines) == length(lines) &
    lines %in% c("", "\032"))]
  refuse_if(length(lines) == 0, "File {.file {path}} is empty.", arg = "path")
  bad <- which(nchar(lines, "bytes") != width)
  refuse_if(
    length(bad) > 0, "Every line of {.file {path}} must have {width} columns.",
    x = "{length(bad)} of {length(lines)} {cli::qty(length(bad))}{?has/have}
         another length.",
    i = "{.fn read_sdr} reads the file {.file EPSD17.DAT} of 2017.",
    arg = "path", rows = bad
  )
  lines
}

# The fields as text without blanks, numbers where the layout says so.
sdr_cut <- function(lines, fields) {
  raw <- lapply(seq_len(nrow(fields)), function(j) {
    text <- enc2utf8(trimws(substr(lines, fields$start[j], fields$end[j])))
    text[text %in% c("", ".")] <- NA
    if (fields$type[j] == "character") {
      return(text)
    }
    number <- suppressWarnings(as.double(text))
    bad <- which(is.na(number) & !is.na(text))
    refuse_if(
      length(bad) > 0, "Field {.field {fields$name[j]}} must hold numbers.",
      x = "It does not in {length(bad)} line{?s}.",
      i = "The lines are in the condition's field {.field rows}.",
      arg = "path", rows = bad
    )
    number
  })
  as.data.frame(stats::setNames(raw, fields$name))
}

# ---- records ---------------------------------------------------------------

sdr_recode <- function(raw) {
  refuse <- function(unknown, field) {
    refuse_codes(which(unknown), "Field", field, "read_sdr")
  }
  skip <- function(x, code) replace(x, x %in% code, NA)
  salary <- skip(raw$SALARYP, 9999998)
  weeks <- skip(raw$WKSWK, 98)
  gender <- match(raw$GENDER, c("F", "M"))
  age <- match(raw$AGEGRP, seq(25, 70, 5))
  refuse(salary < 0 | salary != floor(salary) | salary > sdr_top, "SALARYP")
  refuse(weeks < 1 | weeks > 52 | weeks != floor(weeks), "WKSWK")
  refuse(is.na(gender) & !is.na(raw$GENDER), "GENDER")
  refuse(is.na(age) & !is.na(raw$AGEGRP), "AGEGRP")
  data.frame(
    salary = as.integer(salary),
    gender = factor(c("female", "male")[gender], c("female", "male")),
    age = factor(sdr_ages[age], sdr_ages), weeks = as.integer(weeks)
  )
}
