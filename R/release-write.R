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
  write(frame, file)
  check_read_back(read(file), frame)
}

writers <- list(
  csv = write_csv,
  rds = function(frame, file) write_checked(frame, file, saveRDS, readRDS),
  dta = function(frame, file) {
    write_checked(stat_frame(frame), file, haven::write_dta, haven::read_dta)
  },
  sav = function(frame, file) {
    write_checked(stat_frame(frame), file, haven::write_sav, haven::read_sav)
  },
  parquet = function(frame, file) {
    # Not compressed: the scan reads its bytes
    write_checked(frame, file, function(frame, file) {
      nanoparquet::write_parquet(frame, file, compression = "uncompressed")
    }, nanoparquet::read_parquet)
  }
)

#' Names and logical columns as Stata and SPSS take them
#' @noRd
stat_frame <- function(frame) {
  old <- names(frame)
  frame[] <- lapply(frame, function(x) if (is.logical(x)) as.integer(x) else x)
  names(frame) <- stat_names(old)
  for (j in which(names(frame) != old)) attr(frame[[j]], "label") <- old[j]
  frame
}

#' Refuse a file that does not give back what was written
#' @noRd
check_read_back <- function(read, frame) {
  plain <- function(x) {
    if (is.factor(x) || is.numeric(x) || is.logical(x)) {
      as.double(unclass(x))
    } else {
      as_text(as.vector(x))
    }
  }
  same <- identical(names(read), names(frame)) &&
    all(mapply(function(a, b) identical(plain(a), plain(b)), read, frame))
  if (!same) stop("The file does not read back as it was written.")
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
