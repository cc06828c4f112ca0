# Files of a release: each format, and a folder that is there as a whole or not
# at all.

# What each format needs besides R itself
format_packages <- c(dta = "haven", sav = "haven", parquet = "nanoparquet")

check_formats <- function(formats) {
  known <- c("csv", "rds", "dta", "sav", "parquet")
  good <- is.character(formats) && length(formats) > 0 &&
    all(formats %in% known) && anyDuplicated(formats) == 0
  refuse_if(
    !good,
    "{.arg formats} must be one or more of {.or {.val {known}}}, each once.",
    x = if (!is.character(formats)) "It is {describe_type(formats)}.",
    arg = "formats"
  )
  check_installed(
    c("jsonlite", stats::na.omit(format_packages[formats])), "formats"
  )
  formats
}

#' Names, sizes and hashes of files
#' @noRd
file_table <- function(folder, files) {
  paths <- file.path(folder, files)
  data.frame(
    file = files, bytes = file.size(paths),
    sha256 = cli::hash_file_sha256(paths)
  )
}

# Formats ----------------------------------------------------------------------

#' @return (character) Names of the files.
#' @noRd
write_sets <- function(frames, folder, formats) {
  made <- expand.grid(
    set = names(frames), format = formats, stringsAsFactors = FALSE
  )
  files <- paste(made$set, made$format, sep = ".")
  for (i in seq_along(files)) {
    write <- writers[[made$format[i]]]
    write(frames[[made$set[i]]], file.path(folder, files[i]))
  }
  files
}

write_checked <- function(frame, file, write, read) {
  format <- sub(".*[.]", "", file)
  tryCatch(write(frame, file), error = function(error) {
    # Some columns, or the disk?
    fails <- vapply(names(frame), function(name) {
      tryCatch({
        write(frame[name], file)
        FALSE
      }, error = function(e) TRUE)
    }, NA)
    if (!all(fails)) {
      refuse_columns(names(frame)[fails], format, "its writer refuses it")
    }
    stop(error)
  })
  back <- read(file)
  same <- names(frame) %in% names(back)
  same[same] <- mapply(same_column, back[names(frame)[same]], frame[same],
    format = format
  )
  refuse_columns(
    names(frame)[!same], format, "it does not come back as it was written"
  )
}

# With `user_na`, values that SPSS counts as missing come back as they are
writers <- list(
  csv = write_csv,
  rds = function(frame, file) write_checked(frame, file, saveRDS, readRDS),
  dta = function(frame, file) {
    write_checked(
      stat_frame(frame, "dta"), file, haven::write_dta, haven::read_dta
    )
  },
  sav = function(frame, file) {
    write_checked(
      stat_frame(frame, "sav"), file, haven::write_sav,
      function(file) haven::read_sav(file, user_na = TRUE)
    )
  },
  parquet = function(frame, file) {
    # Not compressed: the scan reads its bytes
    write_checked(frame, file, function(frame, file) {
      write_parquet(frame, file, compression = "uncompressed")
    }, nanoparquet::read_parquet)
  }
)

most_of_stata <- 2147483620 # of its integers

#' Columns and their names as Stata and SPSS take them
#'
#' Missing text is empty text there.
#' @noRd
stat_frame <- function(frame, format) {
  old <- names(frame)
  frame[] <- lapply(frame, function(x) {
    # haven writes a date of integers as another one; Stata's integers end
    # before R's
    short <- is_time(x) || is.integer(x) && !is.factor(x) &&
      format == "dta" && any(x > most_of_stata, na.rm = TRUE)
    if (is.logical(x)) storage.mode(x) <- "integer"
    if (short) storage.mode(x) <- "double"
    # A class may call more missing than is
    if (is.character(x)) x[is.na(unclass(x))] <- ""
    # Stata has labels of numbers alone, and would show others
    if (is.character(x) && format == "dta") attr(x, "labels") <- NULL
    x
  })
  names(frame) <- stat_names(old)
  for (j in which(names(frame) != old)) attr(frame[[j]], "label") <- old[j]
  frame
}

#' Does a column read what was written?
#'
#' Levels come back as labels. Labels of numbers and what counts as missing come
#' back where the format has them; `codebook.csv` has them all.
#' @noRd
same_column <- function(read, written, format) {
  values <- if (is.factor(written)) {
    text <- if (is.factor(read)) {
      as.character(read)
    } else {
      as.character(names(labels_of(read)))[match(
        unclass(read), labels_of(read)
      )]
    }
    identical(as_text(text), as_text(as.character(written)))
  } else if (is.character(written)) {
    identical(as_text(as.vector(read)), as_text(as.vector(written)))
  } else {
    identical(as.double(unclass(read)), as.double(unclass(written)))
  }
  values && (format != "sav" || same_marks(read, written))
}

labels_of <- function(x) attr(x, "labels", exact = TRUE)

#' Do labels and declared missing values of SPSS come back?
#' @noRd
same_marks <- function(read, written) {
  marks <- function(x) {
    lapply(
      list(labels_of(x), attr(x, "na_values"), attr(x, "na_range")),
      function(x) if (length(x) > 0) x[order(as.vector(x))]
    )
  }
  is.factor(written) ||
    isTRUE(all.equal(marks(read), marks(written), check.attributes = FALSE))
}

# What a format cannot hold ----------------------------------------------------

#' Refuse columns that a format cannot hold, before anything is written
#' @noRd
check_columns_fit <- function(frames, formats) {
  for (format in intersect(formats, c("csv", "dta", "sav"))) {
    for (frame in frames) {
      reasons <- lapply(frame, if (format == "csv") {
        # Of text files that is all
        function(x) {
          text <- if (is.factor(x)) levels(x)[x] else if (is.character(x)) x
          if (anyNA(x) && any(as.vector(text) %in% "")) gaps_of_text
        }
      } else {
        function(x) unfit_reason(x, format)
      })
      unfit <- lengths(reasons) > 0
      if (any(unfit)) {
        refuse_columns(names(frame)[unfit], format, unlist(reasons))
      }
    }
  }
}

refuse_columns <- function(columns, format, reasons) {
  bullets <- sprintf(
    "%s as \"%s\": %s.", cli_escape(encodeString(columns, quote = "\"")),
    format, rep_len(reasons, length(columns))
  )
  refuse_if(
    length(columns) > 0,
    "{length(columns)} column{?s} cannot be written as {.val {format}}.",
    x_bullets(bullets),
    i = "Choose other {.arg formats}; {.val rds} holds every column.",
    arg = "formats", columns = columns
  )
}

gaps_of_text <-
  "it has missing text, which would be empty text, and empty text"

#' @return (string or `NULL`) Why Stata or SPSS cannot hold a column.
#' @noRd
unfit_reason <- function(x, format) {
  labels <- labels_of(x)
  words <- if (is.factor(x)) levels(x) else names(labels)
  most <- c(dta = 32000, sav = 120)[[format]]
  missing <- length(attr(x, "na_values"))
  if (any(nchar(words, "bytes") > most)) {
    sprintf("a label has more than %d bytes", most)
  } else if (format == "dta" && is.double(labels) &&
    any(labels %% 1 != 0 | abs(labels) > most_of_stata, na.rm = TRUE)) {
    "Stata gives labels to whole numbers alone, up to 2147483620"
  } else if (format == "sav" && missing > 3 - 2 * has_range(x)) {
    "SPSS takes three missing values, or a range and one value"
  } else if (format == "sav" && is.double(x) &&
    any(haven::is_tagged_na(c(unclass(x), labels)))) {
    "SPSS has no tagged missing values"
  } else if (is.character(x)) {
    unfit_text(x, format)
  }
}

has_range <- function(x) !is.null(attr(x, "na_range"))

unfit_text <- function(x, format) {
  declared <- attr(x, "na_values")
  x <- as.vector(unclass(x))
  if (anyNA(x) && any(x == "", na.rm = TRUE)) {
    gaps_of_text
  } else if (any(endsWith(x, " "), na.rm = TRUE)) {
    "text that ends in a space would lose it"
  } else if (format == "sav" && any(nchar(x, "bytes") > 32767, na.rm = TRUE)) {
    "text has more than 32767 bytes"
  } else if (format == "sav" &&
    any(nchar(declared, "bytes") > 8)) {
    "SPSS takes missing values of text up to 8 bytes"
  }
}

#' Names that Stata and SPSS accept, distinct where capitals do not count
#' @noRd
stat_names <- function(names) {
  reserved <- c(
    "all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to",
    "with", "byte", "double", "float", "if", "in", "int", "long", "skip",
    "using", "str", "strl"
  )
  ascii <- iconv(as_text(names), "UTF-8", "ASCII", "_")
  legal <- gsub("[^A-Za-z0-9_]", "_", ascii)
  bad <- !grepl("^[A-Za-z]", legal) | tolower(legal) %in% reserved
  legal[bad] <- paste0("v_", legal[bad])
  legal <- substr(legal, 1, 28)
  lower <- tolower(legal)
  copy <- stats::ave(seq_along(lower), lower, FUN = seq_along)
  legal[copy > 1] <- paste0(legal[copy > 1], "_", copy[copy > 1])
  legal
}
