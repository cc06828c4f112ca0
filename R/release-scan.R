# The scan of a release: what of the confidential file is looked for, and where
# it is found. What has an explanation is no secret: see ?release.

# Text that so many records share identifies none of them
shared_by <- 5L

#' What must not be found
#'
#' @param file (data frame) The confidential file.
#' @param public (character) What the user says is public.
#' @param formats (character) Those of the release.
#' @return (list) `text` (data frame: `text`, `column`), `numbers` (data frame:
#'   `number`, `column`), `file`.
#' @noRd
release_secrets <- function(file, synthetic, public, formats = "csv") {
  released <- synthetic$sets[[1]]
  published <- setdiff(names(released), synthetic$columns$name)
  book <- unclass(synthetic)$codebook
  # Published is what the file's own column has; other records' are their own
  own <- intersect(published, names(file))
  shown_columns <- c(file[own], released[setdiff(published, own)])
  drawn <- unlist(lapply(synthetic$sets, function(set) {
    unname(as.list(set)[synthetic$columns$name])
  }), recursive = FALSE)
  shown <- c(
    names(released), public,
    if (!is.null(book)) words_of_book(book), shown_text(shown_columns),
    # Of whole files the codebook states all text but dates
    shown_text(Filter(function(x) is.null(book) || is_time(x), drawn))
  )
  text <- rbind(
    secret_rows(file, released, published),
    if (is.character(attr(file, "row.names"))) {
      text_rows("row names", attr(file, "row.names"))
    }
  )
  # Long enough to be somebody's
  letters <- nchar(trimws(text$text), "chars", allowNA = TRUE)
  digits <- grepl("^[-+. 0-9]+$", text$text, useBytes = TRUE)
  long <- !is.na(letters) & letters >= ifelse(digits, 9, 4)
  text <- text[long & !text$text %in% shown, ]
  text <- text[!in_template(text, synthetic, formats), ]
  numbers <- secret_numbers(file, published, synthetic)
  if (!is.null(book)) numbers <- not_stated(numbers, column_specs(book))
  explained <- unlist(lapply(shown_columns, function(x) {
    if (is.numeric(x) || is_time(x)) as.double(x)
  }))
  explained <- c(explained, unlist(unclass(synthetic)$columns$ends))
  numbers <- numbers[
    !numbers$number %in% explained &
      !shortest_text(numbers$number) %in% public, ,
    drop = FALSE
  ]
  list(
    text = text[!duplicated(text$text), ],
    numbers = numbers[!duplicated(numbers$number), ], file = file
  )
}

#' @param columns (list)
#' @noRd
shown_text <- function(columns) {
  unique(unlist(lapply(columns, function(x) {
    if (is_time(x)) unlist(time_forms(x)) else if (!is.numeric(x)) met_text(x)
  })))
}

#' Which text stands in a release whatever the records are?
#' @return (logical)
#' @noRd
in_template <- function(text, synthetic, formats) {
  folder <- tempfile("template")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  write_template(synthetic, folder, formats)
  none <- data.frame(number = double(), column = character())
  index <- index_secrets(list(text = text, numbers = none))
  there <- lapply(dir(folder, full.names = TRUE), scan_file, index)
  seq_len(nrow(text)) %in% unlist(there)
}

text_rows <- function(column, text) {
  text <- unique(text[!is.na(text)])
  data.frame(text = text, column = rep(column, length(text)))
}

#' Rare text of unpublished columns, and levels that nothing published states
#' @noRd
secret_rows <- function(file, released, published) {
  rows <- lapply(setdiff(names(file), published), function(name) {
    x <- file[[name]]
    text_rows(name, unlist(lapply(text_forms(x), rare_values)))
  })
  unused <- lapply(intersect(published, names(file)), function(name) {
    x <- file[[name]]
    if (is.factor(x)) {
      shown <- c(as_text(levels(released[[name]])), met_text(released[[name]]))
      text_rows(name, setdiff(as_text(levels(x)), shown))
    }
  })
  do.call(rbind, c(list(text_rows("", character())), rows, unused))
}

#' A column as the text that is looked for, in each form it may be written in
#' @return (list of columns) None of numbers and flags.
#' @noRd
text_forms <- function(x) {
  if (is_time(x)) {
    time_forms(x)
  } else if (is.character(x) || is.factor(x)) {
    list(x)
  }
}

#' Values and levels that fewer than `shared_by` records have
#' @noRd
rare_values <- function(x) {
  if (is.factor(x)) {
    return(as_text(levels(x)[tabulate(x, nlevels(x)) < shared_by]))
  }
  x <- as_text(x)
  values <- unique(x)
  values[tabulate(match(x, values), length(values)) < shared_by]
}

#' Numbers that nothing meets by chance and nothing released explains
#' @noRd
secret_numbers <- function(file, published, synthetic) {
  rows <- lapply(setdiff(names(file), published), function(name) {
    x <- file[[name]]
    if (!is.numeric(x) && !is_time(x)) {
      return(NULL)
    }
    # The doubles of small whole numbers are everywhere, of large ones nowhere
    day <- is_time(x)
    x <- unique(as.double(x))
    x <- x[is.finite(x) & (signif(x, 7) != x | day & abs(x) > 1000)]
    data.frame(number = x, column = rep(name, length(x)))
  })
  numbers <- do.call(rbind, c(
    list(data.frame(number = double(), column = character())), rows
  ))
  step <- released_step(synthetic)
  if (!is.na(step)) {
    x <- numbers$number
    far <- abs(round(x / step) * step - x) > 4 * .Machine$double.eps * abs(x)
    numbers <- numbers[far, , drop = FALSE]
  }
  numbers
}

#' Numbers that the codebook does not explain: no bound, level or code, and no
#' multiple of a heap of their column
#' @param numbers (data frame) `number`, `column`.
#' @noRd
not_stated <- function(numbers, specs) {
  stated <- unlist(lapply(specs, function(spec) {
    c(spec$lower, spec$upper, spec$codes, suppressWarnings(
      as.numeric(spec$levels)
    ))
  }))
  kept <- !numbers$number %in% stated
  for (spec in specs) {
    own <- numbers$column == spec$column
    kept[own] <- kept[own] & !is_heaped(numbers$number[own], spec)
  }
  numbers[kept, , drop = FALSE]
}

# The released values ----------------------------------------------------------

#' The finest step between released values of a column
#' @return (number) A power of 10, 1e-9 or more, as codebooks have them; `NA`
#'   for values that are not rounded.
#' @noRd
released_step <- function(synthetic) {
  steps <- vapply(synthetic$columns$name, function(name) {
    step_of(unlist(lapply(synthetic$sets, `[[`, name)))
  }, 1)
  # A number on a grid is on every finer one; values that are not rounded meet
  # none by chance
  steps <- steps[!is.na(steps)]
  if (length(steps) > 0) min(steps) else NA_real_
}

step_of <- function(y) {
  if (!is.numeric(y)) {
    return(1)
  }
  y <- y[is.finite(y)]
  # On a finer grid than a number's own digits every number lies
  steps <- 10^(6:-9)
  steps <- steps[steps > max(abs(y), 0) * 2^-40]
  Find(function(step) all_on_grid_(y, step), steps) %||% NA_real_
}

#' Refuse sets in which records have their own value, see ?release
#' @noRd
check_own_values <- function(file, synthetic) {
  column <- only_column(synthetic)
  y <- file[[column$name]]
  drawn <- drawn_values(synthetic)
  values <- unlist(drawn, use.names = FALSE)
  if (!is.numeric(y) || !is.numeric(drawn[[1]]) || !has_values(values, 20)) {
    return(invisible())
  }
  check_not_the_file(y, drawn, column, synthetic$n_records)
  step <- released_step(synthetic)
  rows <- if (is.na(step)) {
    # What several values share at an end is a bound, of the model's say
    ends <- range(values)
    ends <- ends[c(sum(values == ends[1]), sum(values == ends[2])) > 1]
    which(y %in% setdiff(values, c(ends, column$ends)))
  } else if (length(y) == synthetic$n_records) {
    rows_of_own(y, drawn, step, column$ends)
  }
  if (length(rows) > 0) {
    abort_own(
      rows, column$name,
      "{length(rows)} record{?s} would be released with {?its/their} own
       value of {.val {column$name}}: more than chance explains."
    )
  }
}

#' Refuse sets in which most records have their own value
#'
#' However many share it: members of a household have one income. No model gives
#' one of 20 values and more rightly for every second record.
#' @noRd
check_not_the_file <- function(y, drawn, column, n_records) {
  if (length(y) != n_records || !has_values(y, 20)) {
    return(invisible())
  }
  y <- as.double(y)
  ends <- y %in% c(column$ends, 0)
  for (values in drawn) {
    own <- (as.double(values) == y & !ends) %in% TRUE
    if (sum(own) > 10 && sum(own) > sum(!ends) / 2) {
      abort_own(
        which(own), column$name,
        "{sum(own)} of {length(y)} records would be released with their own
         value of {.val {column$name}}."
      )
    }
  }
}

#' Records that were given their own value, where they are too many for chance
#'
#' Values near a record's own are about as likely as its own. So the number of
#' values that miss it by 1 to D steps says how many meet it by chance; D is the
#' least at which 20 are seen, or all.
#' @param ends (numeric) What values are moved to, which tells of no record.
#' @return (integer) Rows; none where chance explains them.
#' @noRd
rows_of_own <- function(y, drawn, step, ends = NULL) {
  # In whole steps
  own <- round(as.double(y) / step)
  # What many share is round, or common, and met more often than what is near
  few <- tabulate(match(own, own), length(own))[match(own, own)] < shared_by
  alone <- few & !own %in% round(ends / step)
  missed <- lapply(drawn, function(values) {
    abs(round(values[alone] / step) - own[alone])
  })
  met <- Reduce(`|`, lapply(missed, function(miss) miss == 0))
  missed <- unlist(missed)
  n_met <- sum(missed == 0)
  if (n_met == 0) {
    return(integer())
  }
  within <- 5 * 2^(0:40)
  near <- vapply(within, function(d) sum(missed > 0 & missed <= d), 1)
  # Few records may have no more than a few values near
  chosen <- match(TRUE, near >= min(20, max(near)))
  # Twice the mean: the own value may be where the density is highest
  expected <- 2 * (near[chosen] + 1) / (2 * within[chosen])
  chance <- stats::ppois(n_met - 1, expected, lower.tail = FALSE)
  if (chance < 1e-6) which(alone)[met] else integer()
}

# The bytes --------------------------------------------------------------------

#' Refuse a folder in which something confidential is found
#' @param secrets See release_secrets().
#' @noRd
check_none_found <- function(folder, secrets) {
  index <- index_secrets(secrets)
  found <- do.call(rbind, lapply(dir(folder), function(name) {
    at <- scan_file(file.path(folder, name), index)
    if (length(at) > 0) data.frame(file = name, secret = at)
  }))
  if (is.null(found)) {
    return(invisible())
  }
  columns <- index$column[found$secret]
  rows <- rows_with(unique(found$secret), index, secrets)
  table <- unique(data.frame(file = found$file, column = columns))
  table$records <- vapply(seq_len(nrow(table)), function(i) {
    here <- found$file == table$file[i] & columns == table$column[i]
    length(rows_with(unique(found$secret[here]), index, secrets))
  }, 1L)
  abort_found(
    table, rows,
    "{cli::qty(length(table$column))}Confidential values of {.val
     {unique(table$column)}} were found in {.file {unique(table$file)}}.",
    i = if (length(rows) == 0) {
      "They are levels that no record has: {.fn droplevels} takes them away."
    }
  )
}

abort_own <- function(rows, variable, what) {
  abort_found(
    data.frame(file = "the sets", column = variable, records = length(rows)),
    rows, what, .envir = rlang::caller_env()
  )
}

abort_found <- function(found, rows, what, ..., .envir = rlang::caller_env()) {
  abort_privacy(
    "The release was refused because it holds confidential values.",
    x = what, ...,
    i = "The condition's fields {.field found} and {.field rows} say where.",
    i = "Name in {.arg public} what is public knowledge.",
    rows = rows, found = found,
    class = "pseudosynth_error_found", .envir = .envir
  )
}

#' The records that have a secret; none of a level that nobody has
#' @noRd
rows_with <- function(secret, index, secrets) {
  sort(unique(unlist(lapply(secret, function(i) {
    column <- index$column[i]
    x <- if (column == "row names") {
      attr(secrets$file, "row.names")
    } else {
      secrets$file[[column]]
    }
    if (i <= length(index$text)) {
      unlist(lapply(text_forms(x), function(form) {
        which(as_text(form) == index$plain[i])
      }))
    } else {
      which(as.double(x) == secrets$numbers$number[i - length(index$text)])
    }
  }))))
}

#' Secrets as they are looked up
#'
#' @return (list) `text` and `words` (list, of each), `column` (of text, then of
#'   numbers), `written` (numbers as text, two forms) with `number` (which),
#'   `doubles` and `integers` (`NA` where there is none).
#' @noRd
index_secrets <- function(secrets) {
  number <- secrets$numbers$number
  text <- escaped_forms(secrets$text)
  # What few digits write stands in text by chance
  long <- which(signif(number, 7) != number)
  written <- c(
    sprintf("%.15g", abs(number[long])), sprintf("%.17g", abs(number[long]))
  )
  whole <- number == round(number) & abs(number) >= 1e8 &
    abs(number) <= .Machine$integer.max
  list(
    text = text$text, plain = text$plain,
    words = strsplit(
      text$text, "[^0-9A-Za-z_\x80-\xff]+", useBytes = TRUE, perl = TRUE
    ),
    column = c(text$column, secrets$numbers$column),
    written = written, number = rep(long, 2),
    doubles = number, integers = as.integer(ifelse(whole, number, NA))
  )
}

#' Texts, and those among them that a format writes otherwise
#'
#' CSV doubles quotes, JSON writes signs by a backslash or their number, XML by
#' their name.
#' @param text (data frame) `text`, `column`.
#' @return (data frame) `text`, `plain` (as the file has it), `column`.
#' @noRd
escaped_forms <- function(text) {
  plain <- text$text
  replaced <- function(signs) {
    for (sign in names(signs)) {
      plain <- gsub(sign, signs[[sign]], plain, fixed = TRUE)
    }
    plain
  }
  json <- c("\\" = "\\\\", "\"" = "\\\"", "\n" = "\\n", "\t" = "\\t")
  named <- c("&" = "&amp;", "<" = "&lt;", ">" = "&gt;", "\"" = "&quot;")
  forms <- list(
    plain, replaced(c("\"" = "\"\"")), replaced(json),
    replaced(c(json, "/" = "\\/")), replaced(named[1:3]), replaced(named),
    replaced(c(named, "'" = "&#39;")), replaced(c(named, "'" = "&apos;"))
  )
  signs <- c("\\u%04x", "\\u%04X", "&#%d;", "&#x%x;", "&#x%X;")
  forms <- c(forms, lapply(signs, numbered_signs, text = plain))
  all <- data.frame(
    text = unlist(forms), plain = rep(plain, length(forms)),
    column = rep(text$column, length(forms))
  )
  n <- length(plain)
  # As it is first: places of text count from there
  other <- which(all$text != all$plain)
  all[c(seq_len(n), other[!duplicated(all[other, ])]), ]
}

#' Signs outside of ASCII by their numbers, in JSON as two where they are large
#' @noRd
numbered_signs <- function(text, form) {
  beyond <- which(grepl("[^ -~]", text, useBytes = TRUE) & validUTF8(text))
  if (length(beyond) == 0) {
    return(text)
  }
  parts <- strsplit(enc2utf8(text[beyond]), "")
  # Each sign once: texts share them
  all <- unlist(parts)
  signs <- unique(all)
  written <- vapply(signs, function(sign) {
    code <- utf8ToInt(sign)
    if (code <= 126) {
      sign
    } else if (startsWith(form, "\\u") && code > 65535) {
      paste0(
        sprintf(form, (code - 65536L) %/% 1024L + 55296L),
        sprintf(form, (code - 65536L) %% 1024L + 56320L)
      )
    } else {
      sprintf(form, code)
    }
  }, "")
  of <- factor(rep(seq_along(parts), lengths(parts)), seq_along(parts))
  text[beyond] <- vapply(
    split(unname(written[match(all, signs)]), of), paste, "", collapse = ""
  )
  text
}

# Which bytes belong to a word, and which to a number
word_bytes <- function() 0:255 %in% c(48:57, 65:90, 95, 97:122, 128:255)

#' Which secrets a file holds
#' @return (integer) Places in the index.
#' @noRd
scan_file <- function(path, index, block = 4e6) {
  binary <- grepl("[.](rds|dta|sav|parquet)$", path)
  # Reads compressed and plain files alike
  connection <- gzfile(path, "rb")
  on.exit(close(connection))
  words <- as.character(unlist(index$words))
  words <- unique(words[nzchar(words)])
  there <- logical(length(words))
  written <- logical(length(index$written))
  doubles <- integers <- integer()
  kept <- raw()
  # What is longest may go on in the next block
  longest <- max(4096, nchar(c(words, index$written), "bytes") + 2)
  repeat {
    new <- readBin(connection, "raw", block)
    bytes <- c(kept, new)
    if (length(bytes) == 0) break
    there <- there | runs_met_(bytes, word_bytes(), words)
    if (binary) {
      doubles <- c(doubles, numbers_met_(bytes, index$doubles))
      integers <- c(integers, numbers_met_(bytes, index$integers))
    } else {
      written <- written |
        runs_met_(bytes, 0:255 %in% c(46, 48:57), index$written)
    }
    if (length(new) < block) break
    # What may go on in the next block is read again with it
    kept <- utils::tail(bytes, longest)
  }
  c(
    confirm_text(path, index, words[there]),
    length(index$text) +
      unique(c(
        doubles, confirm_integers(path, index, unique(integers)),
        index$number[written]
      ))
  )
}

#' Text all of whose words were found, and that stands there as a whole
#' @noRd
confirm_text <- function(path, index, words) {
  n_words <- lengths(index$words)
  all_words <- as.character(unlist(index$words))
  Encoding(words) <- Encoding(all_words) <- "bytes"
  there <- all_words %in% c(words, "")
  of <- rep(seq_along(index$words), n_words)
  complete <- which(n_words > 0 & !seq_along(n_words) %in% of[!there])
  if (length(complete) == 0) {
    return(integer())
  }
  connection <- gzfile(path, "rb")
  on.exit(close(connection))
  bytes <- raw()
  repeat {
    new <- readBin(connection, "raw", 1e7)
    bytes <- c(bytes, new)
    if (length(new) == 0) break
  }
  complete[runs_met_(bytes, word_bytes(), index$text[complete], TRUE)]
}

#' Integers that the file has as such
#'
#' Four bytes are met by chance inside of doubles. So what stands there is read
#' again as data; of a file that cannot be read so all of it is believed.
#' @param found (integer) Which of the index have their 4 bytes in the file.
#' @noRd
confirm_integers <- function(path, index, found) {
  if (length(found) == 0) {
    return(found)
  }
  content <- tryCatch(
    list(switch(sub(".*[.]", "", path),
      rds = readRDS(path), dta = haven::read_dta(path),
      sav = haven::read_sav(path), parquet = nanoparquet::read_parquet(path)
    )),
    error = function(e) NULL
  )
  if (is.null(content)) {
    return(found)
  }
  found[index$integers[found] %in% numbers_within(content)]
}

#' All numbers of an object and of its attributes
#' @noRd
numbers_within <- function(x) {
  parts <- c(if (is.list(x)) unclass(x), attributes(x))
  c(
    if (typeof(x) %in% c("integer", "double")) as.double(x),
    unlist(lapply(unname(parts), numbers_within))
  )
}
