#' Write synthetic data to files that hold nothing else
#'
#' Writes the sets, a codebook and a certificate into a new folder, or refuses
#' and says why. Everything is built anew from synthetic values and published
#' predictors. The files hold no row names, attributes, draws, weights, bounds
#' or seeds.
#'
#' The folder holds
#' * `set-1.csv`, ... or `sets.csv`: the synthetic sets;
#' * `codebook.csv`: each column, its type, its levels with their codes, whether
#'   it is synthetic or published, and its name in Stata and SPSS files;
#' * `certificate.json`, `certificate.txt`: the public label with its charges,
#'   the model, the public inputs, m, the version of this package, and the
#'   SHA-256 of each file above.
#'
#' Each set has a random row order of its own, drawn from the operating system's
#' entropy. If the file is a tibble, the sets are tibbles, even in RDS files.
#' All levels of a published factor are published, even those that no record
#' has; a message names the unused levels. Use [droplevels()] before the fit to
#' leave them out.
#'
#' Sets of a [file_release()] have all columns of the file. Their `codebook.csv`
#' is the agency's own codebook, which [codebook()] can read again. Sets of two
#' linked tables (see [members()]) have a file and a codebook of each. The
#' certificate states the release in the terms of NIST SP 800-226 and of the
#' public registry of deployments (arXiv 2509.13509): flavour, unit, neighbours,
#' privacy loss, model, accounting, implementation, what is not covered.
#'
#' The files are first written into a folder beside `path` that nobody else can
#' read. They are scanned there and then moved to `path` together. If anything
#' fails or is interrupted, nothing is left behind.
#'
#' @param x (`pseudo_posterior` or `synthetic_data`) What to release. It can
#'   also be a [score_release()], a [file_release()], a [perturbed_histogram()]
#'   or a generator of [as_generator()]. An RDS file of that object then
#'   replaces the sets and the codebook.
#' @param path (string) The folder to make. It must not exist or must be empty.
#' @param formats (character) File formats of the sets, one or more of `"csv"`
#'   (the default), `"rds"`, `"dta"` (Stata), `"sav"` (SPSS) and `"parquet"`.
#'   `"dta"` and `"sav"` need the package haven, `"parquet"` needs nanoparquet,
#'   and the certificate needs jsonlite. See the section *Formats*.
#' @param data (data frame, `synthesizer` or `NULL`) The confidential file whose
#'   values the scan searches for. `NULL`, the default, works for a job only and
#'   uses the columns of its model. Give the whole file to scan for its other
#'   columns as well.
#' @param require (string) The weakest label to accept: `"asymptotic"`, the
#'   default, `"strict"`, or `"none"`, which accepts any label.
#' @param epsilon (positive number or `NULL`) The largest total epsilon to
#'   accept, under `neighbours`. `NULL`, the default: any. For asymptotic labels
#'   this needs a job, because the sets alone withhold their epsilon.
#' @param delta (number from 0 to 1 or `NULL`) The largest delta to accept.
#'   `NULL`, the default: 1 / N for sets of N records if `epsilon` is given;
#'   otherwise any delta.
#' @param neighbours (string) The neighbour relation of `epsilon`:
#'   `"add-remove"`, the default, or `"replace"`.
#' @param long (flag) Write all sets to one file, with the number of the set in
#'   the first column, `set`? Default `FALSE`: one file for each set.
#' @param public (character) Public text, and public numbers written as text,
#'   that the scan ignores, and names of columns: published ones that may
#'   identify records, nearly determine a protected one or have levels in the
#'   order of the response, and amounts of whole files whose values are public.
#'   The certificate lists them. Default: none.
#' @param ledger ([ledger()] or `NULL`) Refuse to release what this ledger has
#'   not recorded. `NULL`, the default: do not check.
#' @param ... Must be empty.
#'
#' @return A data frame, invisibly, with the columns `file`, `bytes` and
#'   `sha256` and one row for each file; the certificate is last.
#'
#' @section Formats:
#' Each file is read back after it was written. A column that a format cannot
#' hold is refused before anything is written, with the column, the format and
#' the reason. What comes back differs in form only:
#' * CSV, Stata and SPSS files have missing text as empty text: text with
#'   missing and with empty values is refused.
#' * Stata and SPSS write flags as 0 and 1, and levels as numbers with labels.
#'   Text that ends in a space is refused.
#' * SPSS files keep what is declared missing: up to three values, or a range
#'   and one value. The other formats keep such values as values.
#' * Stata gives labels to whole numbers only, parquet to nothing.
#'   `codebook.csv` has the labels of a whole file's columns.
#'
#' @section What is refused:
#' * Sets from a fit that has not converged, sets made with a given seed, and
#'   sets edited after they were made.
#' * Labels weaker than `require`, and costs above `epsilon` or `delta`.
#' * A published column that identifies records, such as a case number, unless
#'   `public` names it: at least nine of ten records have a value of their own.
#' * A published column that is a copy of a protected one. Published columns
#'   that nearly determine one, alone or together, unless `public` names them
#'   all. See *What is published* in [guarantee()]. [fit_synthesizer()] and
#'   [file_plan()] already tell of these.
#' * Bounds of more than three significant digits that are the file's own, see
#'   *Stated numbers* in [guarantee()], unless they were confirmed or `public`
#'   names them.
#' * An unordered factor of six or more levels that are in the order of the
#'   response's means or medians, unless `public` names the factor.
#'
#' @section The scan:
#' The scan reads back every byte that was written and searches for confidential
#' values. To avoid false alarms, it ignores values that have a harmless
#' explanation.
#'
#' *Text.* The scan searches for row names, values of unpublished columns that
#' fewer than 5 records share, and levels that no published record has. Other
#' text identifies nobody. Dates and times are also searched for as text such as
#' 1954-05-31. The scan ignores text of fewer than 4 characters (9 for numbers),
#' text that is also a published value, text that every certificate, codebook
#' and file of these formats contains, and `public`. It finds whole words only.
#'
#' *Numbers.* The scan searches for values of unpublished columns and of the
#' response that need more than 7 significant digits, because these do not match
#' by chance. It searches for them as text, and as 8 bytes in either byte order
#' at any position. Whole numbers of 9 digits or more are also searched for as 4
#' bytes; a match counts if the written file holds that number. Dates are
#' searched for as 8 bytes, except those within 1000 days of 1970. The scan
#' ignores published values and numbers that can be written with the synthetic
#' column's decimals.
#'
#' *The response.* Synthetic values that are not rounded must not equal any
#' confidential response, except at the ends of stated bounds. Rounded values
#' sometimes equal one by chance. For these the scan looks at records whose
#' value fewer than 5 records share. It counts, in the order of the file, how
#' many were given their own value and how many narrowly missed it. It refuses
#' the sets if chance would give so many matches in at most one of a million
#' releases. Whatever the number of records that share a value, it also refuses
#' sets in which more than 10 records, and more than half of all, have their own
#' value. Sets of other records than the file's (`synthesize(newdata = )`)
#' cannot be compared in this way. Responses with fewer than 20 distinct values,
#' such as yes and no, identify nobody and are not compared.
#'
#' *Whole files.* All protected columns are searched for. Text that the codebook
#' states is public, and so are its numbers and the multiples of an amount's
#' heaps. Amounts that are not rounded must not equal any amount of the file.
#' For rounded amounts the scan counts how many values of a set equal a value
#' that fewer than 5 records have, and how many lie a few steps beside such a
#' value. If there are published columns, it also compares the values record by
#' record, in the order of the file.
#'
#' The message never shows a value that was found. The condition's field `found`
#' (data frame: `file`, `column`, `records`) names the file and the confidential
#' column; its field `rows` holds the rows of the records.
#'
#' @section Messages:
#' `pseudosynth_message_remarks`: how the sets differ from the file. This
#' message is for the agency only; see [utility()].
#' `pseudosynth_message_unused_levels`: published levels that no record has.
#'
#' @section Error types:
#' `pseudosynth_error_input`: an object that has no sets, a folder that is not
#' empty, an unknown format, one whose package is not installed, or one that
#' cannot hold a column (field `columns`).
#' `pseudosynth_error_not_releasable` (a `pseudosynth_error_privacy`): see *What
#' is refused*; field `reasons`. `pseudosynth_error_found` (a
#' `pseudosynth_error_privacy`): see *The scan*. `pseudosynth_error_write`:
#' a file or folder that cannot be written.
#' @seealso [ledger()], [guarantee()], [synthesize()]
#' @examplesIf requireNamespace("jsonlite", quietly = TRUE)
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(1, c(10.8, 2.5)), chains = 2, warmup = 200,
#'   draws = 1000, response = public_response(digits = 0, bounds = c(1, 2e6)),
#'   censor = censor(2, reference = list("(Intercept)" = 10.8, sigma = 1))
#' )
#' folder <- tempfile("release")
#' release(synthesize(fit, m = 2), folder,
#'   formats = c("csv", "rds"), data = fit, require = "strict"
#' )
#' cat(readLines(file.path(folder, "certificate.txt"), 12), sep = "\n")
#' unlink(folder, recursive = TRUE)
#' @export
release <- function(x, path, formats = "csv", data = NULL,
                    require = c("asymptotic", "strict", "none"), epsilon = NULL,
                    delta = NULL, neighbours = c("add-remove", "replace"),
                    long = FALSE, public = character(), ledger = NULL, ...) {
  check_no_dots(..., hint = "See {.fn release}.")
  check_present(x)
  check_that(
    is_job(x) || inherits(x, c("synthetic_data", names(releasable_objects))), x,
    "{.arg x} must be a {.cls pseudo_posterior}, {.cls synthetic_data} or a
     source of sets.",
    i = if (inherits(x, "written_sets")) {
      "These sets are written already, with codebook and label beside them."
    } else {
      "Make one with {.fn pseudo_posterior} or {.fn synthesize}, or with
       {.fn score_release}, {.fn perturbed_histogram} or {.fn as_generator}."
    }
  )
  check_path(path)
  object <- inherits(x, names(releasable_objects))
  if (object && missing(formats)) formats <- "rds"
  formats <- check_formats(formats)
  require <- check_choice(require, c("asymptotic", "strict", "none"))
  check_argument(epsilon, null = TRUE)
  check_argument(delta, min = 0, max = 1, null = TRUE)
  neighbours <- check_argument(neighbours)
  check_flag(long)
  check_public_text(public)
  check_argument(ledger)
  least <- function(n) delta %||% if (!is.null(epsilon)) 1 / n
  if (object) {
    return(release_object(x, path, formats, data, public, function(n) {
      check_releasable(x, x, require, epsilon, least(n), neighbours, ledger)
    }))
  }
  synthetic <- sets_of(x)
  file <- release_file(data, x, synthetic)
  delta <- least(synthetic$n_records)
  check_releasable(x, synthetic, require, epsilon, delta, neighbours, ledger)
  check_target(path)

  frames <- release_frames(synthetic, long)
  check_columns_fit(frames, formats)
  secrets <- writing(path, release_secrets(file, synthetic, public, formats))
  aligned <- synthetic
  aligned$sets <- in_file_order(synthetic$sets, file, synthetic$columns$name)
  if (are_files(synthetic)) {
    check_file_sets(file, aligned, public)
  } else {
    check_response_sets(x, file, aligned, public)
  }
  write_release(path, synthetic, secrets, function(folder) {
    c(
      write_sets(frames, folder, formats),
      write_release_codebook(synthetic, frames[[1]], folder)
    )
  }, function(files) {
    release_certificate(x, synthetic, data, files, long, public)
  })
}

#' Refuse sets that tell their response
#' @noRd
check_response_sets <- function(x, file, synthetic, public) {
  column <- only_column(synthetic)
  # Sets of what keeps no file met it never before
  public_numbers <- suppressWarnings(as.numeric(public))
  check_public_ends(column$bounds, file[[column$name]], "bounds", list(
    name = column$name, confirmed = c(column$confirmed, public_numbers)
  ))
  check_own_values(file, synthetic)
  check_beside(file, synthetic, public)
  y <- file[[column$name]]
  set <- synthetic$sets[[1]]
  check_none_distinct(synthetic, public)
  published <- set[setdiff(names(set), c(column$name, public))]
  check_level_order(lapply(published, levels), file, y)
  tell_level_order(published)
  tell_unused_levels(synthetic$sets[[1]])
  numbers <- is.numeric(y) && !has_labels(column) || is.factor(y)
  tell_set_remarks(if (is_job(x)) {
    x$remarks
  } else {
    c(
      remark_records(synthetic, file),
      if (length(y) > 1 && numbers) {
        remarks_of_values(y, drawn_values(synthetic))
      }
    )
  })
}

write_release <- function(path, object, secrets, write, certify) {
  invisible(write_folder(path, function(folder) {
    made <- writing(path, file_table(folder, write(folder)))
    certificates <- writing(path, file_table(
      folder, write_certificate(certify(made), object, folder)
    ))
    check_none_found(folder, secrets)
    rbind(made, certificates)
  }))
}

# What is released -------------------------------------------------------------

#' The sets as they leave, by the names of their files
#' @return (named list of data frames)
#' @noRd
release_frames <- function(synthetic, long) {
  tables <- names(synthetic$tables)
  if (long) {
    frame <- function(table) {
      as.data.frame(synthetic, set = "all", table = table)
    }
    if (is.null(tables)) {
      return(list(sets = frame(NULL)))
    }
    names(tables) <- paste0("sets-", tables)
    return(lapply(tables, frame))
  }
  frames <- lapply(synthetic$sets, leaving_form, synthetic$unit)
  m <- length(frames)
  names(frames) <- sprintf("set-%0*d", nchar(m), seq_len(m))
  if (is.null(tables)) {
    return(frames)
  }
  both <- unlist(lapply(frames, in_tables, synthetic), recursive = FALSE)
  stats::setNames(both, outer(tables, names(frames), function(table, set) {
    paste(set, table, sep = "-")
  }))
}

# Refusals ---------------------------------------------------------------------

check_public_text <- function(public) {
  check_that(
    is.character(public) && !anyNA(public), public,
    "{.arg public} must be text without missing values."
  )
}

#' The confidential file that is looked for in what is written
#' @return (data frame) With the response.
#' @noRd
release_file <- function(data, x, synthetic) {
  refuse_if(
    !is_job(x) && is.null(data),
    "{.arg data} must be the confidential file, which the scan looks for.",
    i = "Only a {.cls pseudo_posterior} holds it.", arg = "data"
  )
  refuse_if(
    knows_records(data) &&
      !identical(data$id, synthetic$guarantee$fit),
    "{.arg data} must be the fit that {.arg x} was drawn from.",
    x = "It is another fit.", i = "You can also give a data frame.",
    arg = "data"
  )
  file <- as.data.frame(confidential_file(data, x))
  if (are_files(synthetic)) {
    check_columns(names(synthetic$sets[[1]]), file, "data")
  } else {
    check_file_response(only_column(synthetic)$name, file)
  }
  file
}

#' Refuse what is not good enough to leave
#' @noRd
check_releasable <- function(x, synthetic, require, epsilon, delta, neighbours,
                             ledger) {
  label <- guarantee(x)
  strength <- c(none = 1, probabilistic = 2, asymptotic = 2, strict = 3)
  reasons <- c(
    if (!is_sealed(synthetic) || !is_sealed(label)) {
      "It was edited, or made by another version of the package."
    },
    if (!isTRUE(label$converged)) {
      "It was drawn from a fit that has not converged."
    },
    if (!identical(label$reproducible, FALSE)) {
      paste0(
        "It was made with a given seed, which makes every value reproducible:
         leave `seed` out", if (elsewhere_reason %in% label$reasons) {
          ", inside of `refit`, too. Or nobody knows whether one was fixed:
           state `seeded = FALSE` in external_fit()"
        }, "."
      )
    },
    text_if(
      strength[[label$label]] < strength[[require]],
      "Its label is \"%s\", but `require` asks for \"%s\"%s.", label$label,
      require, if (require == "asymptotic") " or better" else ""
    ),
    if (!is.null(epsilon)) epsilon_reasons(label, epsilon, neighbours),
    text_if(
      !is.null(delta) && label$epsilon$delta > delta,
      "Its epsilon holds at delta %s, but `delta` allows %s.",
      format_exact(label$epsilon$delta), format_exact(delta)
    ),
    if (!is.null(ledger) &&
      !all(label$charges$id %in% ledger_charges(ledger)$id)) {
      "The ledger has not recorded its cost: draw it with `ledger = `."
    }
  )
  reasons <- gsub("\\s+", " ", reasons)
  refuse_privacy(
    length(reasons) > 0, "{.arg x} cannot be released.", x_bullets(reasons),
    arg = "x", class = "pseudosynth_error_not_releasable", reasons = reasons
  )
}

epsilon_reasons <- function(label, epsilon, neighbours) {
  total <- label$epsilon$total[[neighbours]]
  if (label$label == "none") {
    "Its label claims no epsilon."
  } else if (is.na(total)) {
    "Its epsilon is withheld: release the job, which knows it."
  } else if (exceeds(total, epsilon)) {
    sprintf(
      "Its total cost is epsilon %s (%s), but `epsilon` allows %s.",
      label_figure(total, label), neighbours, format_exact(epsilon)
    )
  }
}

# The release of what sets are drawn from without the file: score releases,
# histograms and generators leave as sets do, checked, scanned and certified.

# By class: the file's name and the word for people
releasable_objects <- list(
  score_release = c("score-release.rds", "score release"),
  file_release = c("file-release.rds", "file release"),
  perturbed_histogram = c("histogram.rds", "perturbed histogram"),
  synthesis_generator = c("generator.rds", "generator")
)

#' @param refuse (function) Checks the label, see check_releasable().
#' @return (data frame) As release().
#' @noRd
release_object <- function(x, path, formats, data, public, refuse) {
  refuse_if(
    !identical(formats, "rds"),
    "A source of sets can only be written as {.val rds}.",
    x = "{.arg formats} is {.val {formats}}.", i = "Leave {.arg formats} out.",
    arg = "formats"
  )
  if (knows_records(data)) data <- data$data
  if (rlang::is_bare_list(data)) data <- joined_tables(data)
  check_data_frame(data, arg = "data")
  file <- as.data.frame(data)
  whole <- inherits(x, "file_release")
  if (whole) {
    check_columns(names(file_columns_of(x)), file, "data")
    # The number of records may be secret
    refuse(max(1, round(x$block$n)))
    tell_means(x$means, x$block)
  } else {
    if (!identical(x$response$column, FALSE)) {
      check_file_response(x$response$name, file)
    }
    refuse(nrow(file))
    shown <- x$design$levels[setdiff(names(x$design$levels), public)]
    check_level_order(shown, file, file[[x$response$name]])
  }
  check_target(path)

  # What a set of the file's own records would show is explained
  set <- suppressMessages(synthesize(
    x, 1,
    newdata = if (!whole && !inherits(x, "perturbed_histogram")) file
  ))
  if (whole) check_published_file(file, set, public)
  secrets <- writing(path, release_secrets(file, set, public, "rds"))
  if (inherits(x, "synthesis_generator")) tell_unused_levels(set$sets[[1]])
  words <- releasable_objects[[class(x)[1]]]
  write_release(path, x, secrets, function(folder) {
    # Not compressed: the scan reads its bytes
    saveRDS(x, file.path(folder, words[1]), compress = FALSE)
    words[1]
  }, function(files) {
    columns <- object_columns(x)
    new_certificate(
      x, files, list(object = words[2]), columns$synthetic, columns$published,
      if (!whole) list(scale = x$response$label), public
    )
  })
}

object_columns <- function(x) {
  if (inherits(x, "file_release")) {
    list(
      synthetic = setdiff(names(file_columns_of(x)), x$published),
      published = x$published
    )
  } else {
    list(synthetic = x$response$name, published = x$design$variables)
  }
}
