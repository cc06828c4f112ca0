# A file release as a source: whole files, drawn from what was released.

file_source <- function() {
  new_source(
    refuses = list(
      newdata = c(
        "{.arg newdata} does not apply to a file release.",
        x = "All columns are drawn except published ones, which come from the
             file.",
        i = "{.arg n} sets the number of records."
      ),
      margin = c(
        "{.arg margin} does not apply: a file release has its own margins."
      ),
      assignment = for_mixtures,
      bounds = c(
        "{.arg bounds} does not apply: the bounds of the codebook hold."
      )
    ),
    rows = rows_for_file, label = label_of_file_sets, draw = draw_from_file
  )
}

rows_for_file <- function(x, asked) {
  refuse_if(
    asked$uncertainty && !is.null(asked$n),
    "{.arg n} does not apply with {.code uncertainty = TRUE}.",
    x = "Each set is a file that the release may have come from.",
    i = "Leave {.arg n} out.", arg = "n"
  )
  n <- asked$n %||% as.integer(round(x$block$n))
  published <- published_frame(x)
  refuse_if(
    length(published) > 0 && n != nrow(published),
    "{.arg n} must be the number of records of the published columns.",
    x = "It is {format_count(n)}, but they have
         {format_count(nrow(published))}.",
    arg = "n"
  )
  list(
    data = published, n = n, columns = names(persons_of(x)$schema),
    tibble = x$tibble,
    remote = draws_on_workers(
      asked$m, as.double(asked$m) * n * length(x$schema)
    )
  )
}

#' The published columns of the file, as they are
#' @return (data frame) Without columns where none is published.
#' @noRd
published_frame <- function(x) {
  specs <- column_specs(x$codebook)[x$published]
  fixed <- x$block$fixed
  columns <- lapply(specs, function(spec) {
    name <- spec$column
    own <- match(name, names(x$levels)[x$block$published])
    code <- if (is.na(own)) rep(1L, x$block$n) else fixed[, own]
    decode_column(code, x$fixed[[name]]$values, spec, x$schema[[name]])
  })
  structure(
    columns, names = names(specs), class = "data.frame",
    row.names = .set_row_names(length(columns[1][[1]]))
  )
}

label_of_file_sets <- function(x, asked, rows) {
  release_label(
    x, what = "synthetic data", m = asked$m,
    reproducible = x$reproducible || is_seeded(asked$seed),
    combine = score_rules(asked)
  )
}

draw_from_file <- function(x, asked, rows) {
  sets <- draw_files(
    x, asked$m, rows$n, asked$seed, asked$uncertainty, rows$remote
  )
  list(
    sets = sets, columns = file_columns(x), combine = score_rules(asked),
    survey_weights = x$survey_weights, codebook = book_of_sets(x),
    means = x$means, unit = x$members$unit, tables = x$members$tables,
    waves = x$members$waves$column
  )
}

#' The table of a set's synthesized columns, see synthesized_columns()
#' @noRd
file_columns <- function(x) {
  specs <- column_specs(book_of_sets(x))
  specs <- specs[setdiff(names(specs), x$published)]
  field <- function(f) unname(vapply(specs, `[[`, "", f))
  transform <- field("transform")
  columns <- data.frame(
    name = names(specs),
    transform = ifelse(is.na(transform), "identity", transform),
    kind = kinds_of(field("type"), "response")
  )
  none <- rep(list(NULL), nrow(columns))
  for (name in c("bounds", "ends", "confirmed")) columns[[name]] <- I(none)
  columns$moved <- rep(list(0), nrow(columns))
  columns
}
