# What measures of risk and utility take: synthetic data, a job, a data frame or
# a list of data frames, and the confidential file, which a job knows itself.

#' @param data (data frame, `synthesizer` or `NULL`)
#' @param synthetic What is measured, or a list of several.
#' @return (data frame)
#' @noRd
confidential_file <- function(data, synthetic) {
  if (knows_records(data)) {
    return(data$data)
  }
  if (is.null(data)) {
    check_drawn(synthetic)
    several <- if (is_job(synthetic)) list(synthetic) else as.list(synthetic)
    jobs <- Filter(is_job, several)
    refuse_if(
      length(jobs) == 0, "{.arg data} must be the confidential file.",
      i = "Only a {.cls pseudo_posterior} holds it.", arg = "data"
    )
    return(job_data(jobs[[1]]))
  }
  if (rlang::is_bare_list(data)) data <- joined_tables(data)
  without_labels(check_data_frame(data, arg = "data"))
}

#' The file must have the response, of a kind that R can sort
#' @noRd
check_file_response <- function(variable, file) {
  check_columns(variable, file, "data")
  y <- file[[variable]]
  refuse_if(
    !is.numeric(y) && !is.character(y) && !is.factor(y) && !is.logical(y),
    "Column {.val {variable}} of {.arg data} must hold a response: numbers,
     text, a factor or logical values.",
    x = "It is {describe_type(y)}.", arg = "data", column = variable
  )
  gaps <- which(is.na(y))
  refuse_if(
    length(gaps) > 0,
    "Column {.val {variable}} of {.arg data} must have no missing values.",
    x = "It is missing for {length(gaps)} of {length(y)} record{?s}.",
    i = "Give the records that the sets were made from.",
    arg = "data", column = variable, rows = gaps
  )
}

#' Columns that carry the labels of a survey, as haven reads them, as plain
#' numbers and text: without haven they have no arithmetic
#' @noRd
without_labels <- function(data) {
  labelled <- names(data)[vapply(data, inherits, TRUE, "haven_labelled")]
  for (name in labelled) data[[name]] <- as.vector(unclass(data[[name]]))
  data
}

is_job <- function(x) inherits(x, "pseudo_posterior")

sets_of <- function(x) if (is_job(x)) x$synthetic else x

drawn_values <- function(synthetic) {
  lapply(synthetic$sets, `[[`, only_column(synthetic)$name)
}

#' The name of the synthetic column
#' @param arg (string) The argument that names it.
#' @param whole (flag) May it be one of the columns of whole files?
#' @noRd
synthetic_variable <- function(synthetic, variable, arg = "variable",
                               whole = FALSE) {
  check_string(variable, null = TRUE, arg = arg)
  synthetic <- sets_of(synthetic)
  if (whole && are_files(synthetic)) {
    columns <- names(synthetic$sets[[1]])
    refuse_if(
      is.null(variable), "{.arg variable} must name a column of the files.",
      i = "The columns are {.val {columns}}.",
      i = "{.fn risk} looks at whole files: {.code risk(sets, data, keys = )}.",
      arg = "variable"
    )
    check_names(variable, columns)
    return(variable)
  }
  own <- if (inherits(synthetic, "synthetic_data")) only_column(synthetic)$name
  own <- own %||% attr(synthetic, "variable")
  refuse_if(
    is.null(variable) && is.null(own),
    "{.arg {arg}} must name the synthetic column.",
    i = "Only {.cls synthetic_data} knows its name.", arg = arg
  )
  variable %||% own
}

#' The scale of the model, where there was one
#' @noRd
release_transform <- function(synthetic) {
  synthetic <- sets_of(synthetic)
  known <- inherits(synthetic, "synthetic_data")
  if (known) only_column(synthetic)$transform else "identity"
}

#' The sets as a list of data frames, each of which can stand for the file
#' @param data (data frame) The confidential file, in whose order the sets are
#'   put.
#' @param variable (string or `NULL`) The synthetic column, for data frames.
#' @noRd
release_sets <- function(synthetic, data, variable = NULL) {
  check_drawn(synthetic)
  own <- nrow(if (is_job(synthetic)) job_data(synthetic) else data)
  refuse_if(
    nrow(data) != own, "{.arg data} must be the file of the job.",
    x = "It has {nrow(data)} row{?s}, but the job's file has {own}.",
    i = "Leave {.arg data} out: the job holds its file.", arg = "data"
  )
  synthetic <- sets_of(synthetic)
  sets <- if (is.data.frame(synthetic)) list(synthetic) else synthetic
  if (inherits(synthetic, "synthetic_data")) {
    sets <- structure(synthetic$sets, unit = synthetic$unit)
    check_rows_found(synthetic, data)
  }
  check_that(
    is.list(sets) && length(sets) > 0 &&
      all(vapply(sets, is.data.frame, TRUE)), synthetic,
    "{.arg synthetic} must be {.cls synthetic_data}, a
     {.cls pseudo_posterior}, a data frame or a list of data frames.",
    i = if (inherits(synthetic, "written_sets")) {
      "Sets without {.arg into} of {.fn synthesize} tell the same: they follow
       the same law."
    }
  )
  for (set in sets) check_one_set(set, data)
  # Numbers of households are nobody's
  unit <- attr(sets, "unit")
  sets <- lapply(sets, function(set) set[setdiff(names(set), unit)])
  names <- if (inherits(synthetic, "synthetic_data")) synthetic$columns$name
  names <- names %||% variable %||% attr(synthetic, "variable")
  in_file_order(sets, data, names)
}

#' Refuse a file without a column by which the rows of sets are found
#' @noRd
check_rows_found <- function(synthetic, data) {
  published <- setdiff(
    names(synthetic$sets[[1]]), c(synthetic$columns$name, synthetic$unit)
  )
  lacking <- setdiff(published, names(data))
  refuse_if(
    length(lacking) > 0 && guarantee(synthetic)$label != "none",
    "{.arg data} must have all columns that the sets publish.",
    x = "It lacks {.val {lacking}}. Rows of sets are in random order, and are
         found by these columns.", arg = "data"
  )
}

#' Sets whose rows are those of the file, by their published columns
#'
#' All that pairs a set's rows with the file's asks here. Of records that are
#' equal in these columns, any has any of their rows.
#' @param names (character) Of the synthesized columns.
#' @return (list) As `sets`, where their published columns are not the file's.
#' @noRd
in_file_order <- function(sets, data, names) {
  published <- setdiff(names(sets[[1]]), names)
  shown <- function(set) plain_frame(set)[intersect(published, names(set))]
  first <- shown(sets[[1]])
  rows <- rows_of_file(sets[[1]], data, published)
  lapply(sets, function(set) {
    # Sets of one object share their order, others have their own
    if (!identical(shown(set), first)) {
      rows <- rows_of_file(set, data, published)
    }
    if (is.null(rows)) set else set_rows_of(set, rows)
  })
}

#' The row of a set that each record of the file has
#' @return (integer or `NULL`, where they are in order, or none is the file's)
#' @noRd
rows_of_file <- function(set, data, published) {
  codes <- row_codes(set, data, published)
  if (is.null(codes) || identical(codes$set, codes$data)) {
    return(NULL)
  }
  orders <- lapply(codes, order, method = "radix")
  if (!identical(codes$set[orders$set], codes$data[orders$data])) {
    return(NULL)
  }
  rows <- integer(nrow(set))
  rows[orders$data] <- orders$set
  rows
}

in_same_order <- function(set, data, published) {
  codes <- row_codes(set, data, published)
  is.null(codes) || identical(codes$set, codes$data)
}

#' Numbers of the rows of a set and a file: one for those that are equal
#' @return (list of integer) `set` and `data`; `NULL` where nothing is shared.
#' @noRd
row_codes <- function(set, data, published) {
  n <- nrow(data)
  shared <- Filter(function(name) {
    all(vapply(list(set[[name]], data[[name]]), function(x) {
      is.atomic(x) && !is.complex(x) && is.null(dim(x)) && !is.null(x)
    }, TRUE))
  }, intersect(published, intersect(names(set), names(data))))
  if (length(shared) == 0 || nrow(set) != n) {
    return(NULL)
  }
  code <- pattern_code(
    lapply(shared, function(name) paired_values(set[[name]], data[[name]])),
    2 * n
  )
  list(set = code[seq_len(n)], data = code[n + seq_len(n)])
}

#' A column of a set above the file's, as values that compare exactly
#'
#' A plan reads the numbers and dates that a file has as text.
#' @noRd
paired_values <- function(set, file) {
  plain <- lapply(list(set, file), function(x) {
    values <- plain_column(x)
    if (is.factor(values)) values <- as.character(values)
    if (is.character(values)) {
      return(as_text(values))
    }
    values <- as.double(values)
    values[is.nan(values)] <- NA
    values
  })
  text <- vapply(plain, is.character, TRUE)
  if (text[1] != text[2]) {
    other <- list(set, file)[[which(!text)]]
    words <- plain[[which(text)]]
    met <- unique(words)
    told <- text_as_kind(met, other)
    plain[[which(text)]] <- told[match(words, met)]
    plain[[which(!text)]] <- kind_text(plain[[which(!text)]], other)
  }
  c(plain[[1]], plain[[2]])
}

#' Numbers, dates and flags as text that is one for equal values
#' @param like (vector) Of the type.
#' @noRd
kind_text <- function(x, like) {
  if (is_time(like)) {
    return(time_forms(structure(x, class = oldClass(like)))[[1]])
  }
  # Zero has no sign
  text <- shortest_text(x + 0)
  text[is.na(x)] <- NA
  text
}

#' Text that writes values of another type in the form of kind_text()
#' @noRd
text_as_kind <- function(text, like) {
  if (is_time(like)) {
    number <- time_number(text, like)
    known <- !is.na(number)
    text[known] <- kind_text(number[known], like)
    return(text)
  }
  text[text %in% ""] <- NA
  numbers <- suppressWarnings(as.double(text))
  if (is.logical(like)) {
    flags <- as.logical(text)
    numbers <- ifelse(is.na(flags), numbers, as.double(flags))
  }
  written <- !is.na(numbers)
  text[written] <- kind_text(numbers[written], like)
  text
}

#' Refuse what sets are yet to be drawn from
#' @noRd
check_drawn <- function(synthetic) {
  check_that(
    !inherits(synthetic, c("synthesizer", "external_fit", "noisy_release")),
    synthetic,
    "{.arg synthetic} must be synthetic sets.",
    i = "Draw sets with {.fn synthesize} first."
  )
}

#' The columns of the file that a job has read
#' @noRd
job_data <- function(x) x$internal$data %||% final_fit(x)$data

#' Refuse a set without records, and several sets on top of each other
#' @noRd
check_one_set <- function(set, data) {
  refuse_if(
    nrow(set) == 0, "Every set must have records.", x = "A set has no rows.",
    arg = "synthetic"
  )
  for (name in intersect(c("set", "synthetic_set"), names(set))) {
    values <- set[[name]]
    m <- nrow(set) / nrow(data)
    # A column of the file itself tells it by its form alone: set below set
    stacked <- if (name %in% names(data)) {
      m > 1 && m == round(m) && is.numeric(values) &&
        isTRUE(all(values == rep(seq_len(m), each = nrow(data))))
    } else {
      length(unique(values)) > 1
    }
    refuse_if(
      stacked, "A data frame must hold one set.",
      x = "By its column {.val {name}}, it holds {length(unique(values))}
           sets, one below the other.",
      i = "Give the synthetic data object, or
           {.code unname(split(x, x${name}))}.",
      arg = "synthetic"
    )
  }
}
