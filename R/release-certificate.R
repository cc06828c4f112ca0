# What goes with the sets: a codebook of their columns and a certificate of how
# they were made.

#' One row for each column, for each level where it has some
#' @param frame (data frame) A set as it is written.
#' @noRd
release_codebook <- function(synthetic, frame) {
  known <- names(synthetic$sets[[1]])
  rows <- Map(function(name, legal) {
    x <- frame[[name]]
    levels <- levels(x) %||% if (is.logical(x)) c("FALSE", "TRUE") else ""
    codes <- if (is.factor(x)) {
      seq_along(levels)
    } else if (is.logical(x)) {
      0:1
    } else {
      NA_integer_
    }
    data.frame(
      variable = name,
      type = column_type(x),
      origin = if (name == only_column(synthetic)$name) {
        origin_words[[synthetic$made_by$combine %||% "reiter"]]
      } else if (name %in% known) {
        "published as it is"
      } else {
        "number of the set"
      },
      code = codes, level = levels, name_in_dta_and_sav = legal
    )
  }, names(frame), stat_names(names(frame)))
  codebook <- do.call(rbind, unname(rows))
  codebook$level[codebook$level == ""] <- NA
  codebook
}

#' Say which levels leave that no record has
#' @noRd
tell_unused_levels <- function(set) {
  unused <- lapply(Filter(is.factor, set), function(x) {
    setdiff(levels(x), as.character(x))
  })
  unused <- unused[lengths(unused) > 0]
  shown <- vapply(names(unused), function(name) {
    sprintf("%s (%s)", name, name_some(unused[[name]]))
  }, "")
  if (length(unused) > 0) {
    cli::cli_inform(
      c(
        "Levels that no record has are published with their columns:
         {unname(shown)}.",
        i = "Where they must not be known, refuse this release, and take them
             out by {.fn droplevels} before the fit."
      ),
      class = "pseudosynth_message_unused_levels"
    )
  }
}

# Whether the differences between sets tell anything
origin_words <- c(
  reiter = "synthetic",
  rubin = "synthetic, drawn anew in each set as far as it is unknown",
  none = "synthetic, the best values in other places in each set"
)

column_type <- function(x) {
  if (is.ordered(x)) {
    "ordered categories"
  } else if (is.factor(x)) {
    "categories"
  } else {
    switch(typeof(x),
      integer = "whole number", double = "number", character = "text",
      logical = "yes or no"
    )
  }
}

#' How the sets were made, for machines
#' @param files (data frame) See file_table().
#' @noRd
release_certificate <- function(x, synthetic, data, files, long) {
  column <- only_column(synthetic)
  label <- guarantee(synthetic)
  fit <- if (inherits(data, "synthesizer")) {
    data
  } else if (is_job(x)) {
    final_fit(x)
  }
  list(
    certificate = "pseudosynth release",
    made_by = synthetic$made_by[c("package", "version")],
    sets = synthetic$m,
    records = synthetic$n_records,
    layout = if (long) "one file of all sets" else "one file a set",
    synthetic = I(column$name),
    published = I(setdiff(names(synthetic$sets[[1]]), column$name)),
    model = c(
      list(
        formula = formula_text(fit), scale = column$transform,
        assignment = synthetic$made_by$assignment
      )
    ),
    guarantee = as.list(label),
    files = lapply(seq_len(nrow(files)), function(i) as.list(files[i, ]))
  )
}

#' The model's formula, its variables spelled out
#'
#' Only a fit of the file's own knows it; a score release its right side.
#' @return (string or `NULL`)
#' @noRd
formula_text <- function(fit) {
  if (!inherits(fit, "synthesizer")) {
    return(NULL)
  }
  paste(trimws(deparse(stats::formula(fit))), collapse = " ")
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
      "%s set%s of %s records, %s", format_count(certificate$sets),
      if (certificate$sets == 1) "" else "s",
      format_count(certificate$records), certificate$layout
    ))
  } else {
    c("object", certificate$object)
  }
  published <- if (length(certificate$published) > 0) {
    paste(certificate$published, collapse = ", ")
  } else {
    "none"
  }
  rows <- list(
    c("made by", paste(unlist(certificate$made_by), collapse = " ")),
    held,
    c("synthetic", paste(certificate$synthetic, collapse = ", ")),
    c("published", published),
    if (!is.null(certificate$model$formula)) {
      c("formula", certificate$model$formula)
    },
    c("scale", certificate$model$scale)
  )
  files <- vapply(certificate$files, function(file) {
    sprintf("  %s  %s (%s bytes)", file$sha256, file$file, format_count(
      file$bytes
    ))
  }, "")
  in_plain_figures(c(
    "Certificate of a release of synthetic data", "",
    unlist(two_columns(Filter(Negate(is.null), rows))), "",
    guarantee_lines(label), "",
    "Files, by their SHA-256", files
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
  synthetic$columns$name <- "a"
  synthetic <- seal(synthetic)
  files <- file_table(folder, write_sets(list(set = frame), folder, formats))
  write_csv(
    release_codebook(synthetic, cbind(frame, set = 1L)),
    file.path(folder, "codebook.csv")
  )
  for (long in c(FALSE, TRUE)) {
    certificate <- release_certificate(synthetic, synthetic, NULL, files, long)
    certificate$model$formula <- "a"
    into <- file.path(folder, long)
    dir.create(into)
    made <- write_certificate(certificate, synthetic, into)
    file.rename(
      file.path(into, made), file.path(folder, paste(long, made, sep = "-"))
    )
    unlink(into, recursive = TRUE)
  }
}
