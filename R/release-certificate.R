# What goes with the sets: a codebook of their columns and a certificate of how
# they were made.

#' Of whole files the agency's own codebook, which codebook() reads again; of
#' two tables one for each
#' @return (character) Names of the files.
#' @noRd
write_release_codebook <- function(synthetic, frame, folder) {
  book <- unclass(synthetic)$codebook
  if (!is.null(synthetic$tables)) {
    return(write_book_tables(book, synthetic$tables, folder))
  }
  path <- file.path(folder, "codebook.csv")
  if (are_files(synthetic)) {
    write_codebook(book, path)
  } else {
    write_csv(release_codebook(synthetic, frame), path)
  }
  basename(path)
}

#' One row for each column, for each level where it has some
#' @param frame (data frame) A set as it is written.
#' @noRd
release_codebook <- function(synthetic, frame) {
  known <- names(synthetic$sets[[1]])
  origins <- stats::setNames(
    ifelse(names(frame) %in% known, "published as it is", "number of the set"),
    names(frame)
  )
  origins[[only_column(synthetic)$name]] <-
    origin_words[[synthetic$made_by$combine %||% "reiter"]]
  rows <- Map(function(x, name, legal) {
    yes_no <- is.logical(x)
    levels <- levels(x) %||% if (yes_no) c("FALSE", "TRUE") else NA_character_
    coded <- is.factor(x) || yes_no
    data.frame(
      variable = name, type = column_type(x), origin = origins[[name]],
      code = if (coded) seq_along(levels) - yes_no else NA_integer_,
      level = levels, name_in_dta_and_sav = legal
    )
  }, frame, names(frame), stat_names(names(frame)))
  do.call(rbind, unname(rows))
}

#' Say which levels leave that no record has
#' @noRd
tell_unused_levels <- function(set) {
  unused <- lapply(Filter(is.factor, set), function(x) {
    levels(x)[tabulate(x, nlevels(x)) == 0]
  })
  unused <- unused[lengths(unused) > 0]
  if (length(unused) > 0) {
    shown <- sprintf("%s (%s)", names(unused), vapply(unused, name_some, ""))
    tell_of(
      "unused_levels",
      "Published columns have levels that no record has: {shown}.",
      i = "If these levels must stay secret, do not use this release. Remove
           them with {.fn droplevels} before the fit."
    )
  }
}

# Whether the differences between sets tell anything
origin_words <- c(
  reiter = "synthetic",
  rubin = "synthetic; what the release leaves open is drawn anew in each set",
  none = "synthetic; all sets have the same best-fitting values, in other rows"
)

column_type <- function(x) {
  switch(if (is.factor(x)) class(x)[1] else typeof(x),
    ordered = "ordered categories", factor = "categories",
    integer = "whole number", double = "number", character = "text",
    logical = "yes or no"
  )
}

#' How the sets were made, for machines
#' @param files (data frame) See file_table().
#' @noRd
release_certificate <- function(x, synthetic, data, files, long,
                                public = character()) {
  new_certificate(
    synthetic, files, list(
      sets = synthetic$m, records = synthetic$n_records,
      layout = paste0(
        if (is.null(synthetic$tables)) "one file" else "a file of each table",
        if (long) " for all sets" else " per set"
      ),
      tables = if (!is.null(synthetic$tables)) lapply(synthetic$tables, I)
    ),
    synthetic$columns$name,
    setdiff(names(synthetic$sets[[1]]), synthetic$columns$name),
    if (!are_files(synthetic)) {
      list(
        formula = formula_text(if (is_job(x)) final_fit(x) else data),
        scale = only_column(synthetic)$transform,
        assignment = synthetic$made_by$assignment
      )
    }, public
  )
}

#' @param x What is released.
#' @param held (list) What the files hold.
#' @param synthetic,published (character) Columns.
#' @param model (list or `NULL`)
#' @param public (character) What the user named as public to release().
#' @noRd
new_certificate <- function(x, files, held, synthetic, published, model,
                            public = character()) {
  label <- guarantee(x)
  made_by <- unclass(x)$made_by[c("package", "version")] %||%
    list(package = "pseudosynth", version = own_version())
  certificate <- c(
    list(certificate = "pseudosynth release", made_by = made_by), held,
    list(
      synthetic = I(synthetic), published = I(as.character(published)),
      named_public = if (length(public) > 0) I(unname(public)),
      guarantee = as.list(label), files = row_lists(files), model = model,
      deployment = deployment_terms(label)
    )
  )
  Filter(Negate(is.null), certificate)
}

#' The model's formula, its variables spelled out
#'
#' Only a fit of the file's own knows it; a score release its right side.
#' @return (string or `NULL`)
#' @noRd
formula_text <- function(fit) {
  if (knows_records(fit)) {
    paste(trimws(deparse(stats::formula(fit))), collapse = " ")
  }
}

#' Write a certificate for machines and for people
#' @return (character) Names of the files.
#' @noRd
write_certificate <- function(certificate, synthetic, folder) {
  put <- function(text, name) {
    writeLines(enc2utf8(text), file.path(folder, name), useBytes = TRUE)
    name
  }
  c(
    put(json_text(certificate), "certificate.json"),
    put(certificate_lines(certificate, synthetic), "certificate.txt")
  )
}

certificate_lines <- function(certificate, synthetic) {
  label <- guarantee(synthetic)
  held <- if (is.null(certificate$object)) {
    c("sets", sprintf(
      "%s of %s records, %s", counted(certificate$sets, "set"),
      format_count(certificate$records), certificate$layout
    ))
  } else {
    c("object", certificate$object)
  }
  tables <- certificate$tables
  rows <- list(
    c("made by", paste(unlist(certificate$made_by), collapse = " ")), held,
    if (!is.null(tables)) c("tables", tables_text(list(tables = tables))),
    c("synthetic", toString(certificate$synthetic)),
    c("published", toString(
      if (length(certificate$published)) certificate$published else "none"
    )),
    c("named public", if (length(certificate$named_public) > 0) {
      toString(certificate$named_public)
    }),
    c("formula", certificate$model$formula), c("scale", certificate$model$scale)
  )
  files <- vapply(certificate$files, function(file) {
    bytes <- format_count(file$bytes)
    sprintf("  %s  %s (%s bytes)", file$sha256, file$file, bytes)
  }, "")
  in_plain_figures(c(
    "Certificate of a release of synthetic data", "",
    unlist(two_columns(Filter(function(row) length(row) > 1, rows))), "",
    deployment_lines(certificate$deployment), guarantee_lines(label), "",
    "Files, with their SHA-256", files
  ))
}

#' Write what a release holds whatever the records are
#'
#' The files of a release of one record, with nothing in them that comes from
#' the file or from what the user stated: of that only words in small letters
#' are kept, which the sentences of the label share.
#' @noRd
write_template <- function(synthetic, folder, formats) {
  frame <- data.frame(
    a = 1.5, b = 1L, c = factor("a"), d = factor("a", ordered = TRUE), e = "a",
    f = TRUE
  )
  label <- synthetic$guarantee
  stated <- strsplit(label$public_inputs, "[^A-Za-z]+")
  label$public_inputs[] <- vapply(stated, function(words) {
    paste(words[grepl("^[a-z]+$", words)], collapse = "|")
  }, "")
  label$unit <- "a"
  synthetic$guarantee <- seal(label)
  synthetic$sets <- list(frame)
  synthetic$columns <- synthetic$columns[1, ]
  synthetic$columns$name <- "a"
  if (are_files(synthetic)) {
    synthetic$codebook <- codebook(
      data.frame(column = "a", type = "category", levels = "a|b")
    )
  }
  synthetic <- seal(synthetic)
  files <- file_table(folder, write_sets(list(set = frame), folder, formats))
  write_release_codebook(synthetic, cbind(frame, set = 1L), folder)
  for (long in c(FALSE, TRUE)) {
    certificate <- release_certificate(synthetic, synthetic, NULL, files, long)
    if (!is.null(certificate$model)) certificate$model$formula <- "a"
    into <- file.path(folder, long)
    dir.create(into)
    made <- write_certificate(certificate, synthetic, into)
    file.rename(
      file.path(into, made), file.path(folder, paste(long, made, sep = "-"))
    )
    unlink(into, recursive = TRUE)
  }
}
