# Codebooks as spreadsheets write them: with commas, semicolons or tabs, decimal
# commas, dates with dots, in UTF-8 or in a Western alphabet.

read_codebook <- function(path) {
  check_path(path, "x")
  refuse_if(
    !file.exists(path) || dir.exists(path),
    "{.arg x} must be the path of a codebook.",
    x = "There is no file {.file {path}}.", arg = "x"
  )
  text <- codebook_text(path)
  # Excel's own line, which names the separator
  text <- sub("^sep=.\r?\n", "", text)
  header <- sub("[\r\n].*$", "", text)
  separators <- c(",", ";", "\t")
  known <- vapply(separators, function(separator) {
    names <- strsplit(header, separator, fixed = TRUE)[[1]]
    sum(gsub("[\" ]", "", names) %in% names(codebook_fields))
  }, 1L)
  separator <- separators[which.max(known)]
  fields <- or_else(utils::read.csv(
    text = text, sep = separator, colClasses = "character", na.strings = "",
    check.names = FALSE, strip.white = FALSE
  ))
  refuse_if(
    is.null(fields) || max(known) == 0,
    "{.file {path}} must be a CSV file whose first line names the fields.",
    x = if (is.null(fields)) {
      "It could not be read."
    } else {
      "The first line names none of {.val {names(codebook_fields)}}."
    },
    i = "In a spreadsheet, save it as {.val CSV UTF-8}.", arg = "x"
  )
  names(fields) <- trimws(names(fields))
  # Spreadsheets fill up to a rectangle
  there <- !is.na(as.matrix(fields)) & nzchar(trimws(as.matrix(fields)))
  fields <- fields[
    rowSums(there) > 0, nzchar(names(fields)) | colSums(there) > 0,
    drop = FALSE
  ]
  numbers <- intersect(c("lower", "upper", "codes", "heaps"), names(fields))
  if (separator != ",") {
    fields[numbers] <- lapply(stats::setNames(nm = numbers), function(name) {
      with_points(fields[[name]], name)
    })
  }
  fields
}

#' A file as one text in UTF-8
#' @noRd
codebook_text <- function(path) {
  bytes <- readBin(path, raw(), file.size(path))
  refuse_if(
    any(bytes == 0) || length(bytes) == 0,
    "{.file {path}} must be a CSV file in UTF-8.",
    x = if (length(bytes) == 0) {
      "It is empty."
    } else {
      "It has bytes of 0, as UTF-16 and workbooks have."
    },
    i = "In a spreadsheet, save it as {.val CSV UTF-8}.", arg = "x"
  )
  mark <- as.raw(c(0xef, 0xbb, 0xbf))
  if (identical(utils::head(bytes, 3), mark)) bytes <- bytes[-(1:3)]
  text <- rawToChar(bytes)
  if (!validUTF8(text)) {
    text <- iconv(text, "latin1", "UTF-8")
  }
  Encoding(text) <- "UTF-8"
  text
}

#' Numbers with decimal commas, and dates with dots, as a codebook has them
#' @noRd
with_points <- function(text, field) {
  alone <- "(?=$|\\||=)"
  thousands <- grepl(
    paste0("(^|\\|)-?[1-9][0-9]{0,2}(\\.[0-9]{3})+(,[0-9]+)?", alone), text,
    perl = TRUE
  )
  refuse_if(
    any(thousands),
    "Numbers of a codebook must have no dots between thousands.",
    x = "{sum(thousands)} cell{?s} of {.field {field}} {?has/have} them.",
    i = "Write 2000000, not 2.000.000; and 1,125 for a number with decimals.",
    arg = "x"
  )
  text <- gsub(
    paste0("(^|\\|)(-?[0-9]+),([0-9]+)", alone), "\\1\\2.\\3", text, perl = TRUE
  )
  # A time may stand behind a day
  behind <- "(?=$|\\||=| [0-9])"
  for (digit in c("([0-9])\\.", "([0-9]{2})\\.")) {
    pad <- if (nchar(digit) > 9) "" else "0"
    day <- sprintf("(^|\\|)%s([0-9]{1,2})\\.([0-9]{4})", digit)
    text <- gsub(
      paste0(day, behind), sprintf("\\1\\4-\\3-%s\\2", pad), text, perl = TRUE
    )
  }
  gsub(
    paste0("([0-9]{4})-([0-9])-([0-9]{2})", behind), "\\1-0\\2-\\3", text,
    perl = TRUE
  )
}
