#' Write synthetic data to files that hold nothing else
#'
#' Writes the sets, a codebook and a certificate into a new folder, or refuses
#' and says why. Everything is built anew from synthetic values and published
#' predictors: no row names, attributes, draws, weights, bounds or seeds. The
#' levels of a published factor are published with it, those that no record has
#' too, and a message names these: [droplevels()] before the fit leaves them
#' out. Sets of a tibble are tibbles, also in RDS files. The rows of each set
#' are in an order of their own, at random by the operating system's entropy.
#'
#' * `set-1.csv`, .. or `sets.csv`: the synthetic sets;
#' * `codebook.csv`: each column, its type, its levels with their codes, whether
#'   it is synthetic or published, its name in Stata and SPSS files;
#' * `certificate.json`, `certificate.txt`: the public label with its charges,
#'   the model, the public inputs, m, the version of this package, and the
#'   SHA-256 of each file above.
#'
#' The files are written into a folder beside `path` that nobody else may read,
#' scanned there, and moved to `path` as a whole. If anything fails or is
#' interrupted, nothing is left behind.
#'
#' @param x (`pseudo_posterior` or `synthetic_data`) What to release. Also a
#'   [score_release()], a [perturbed_histogram()] or a generator of
#'   [as_generator()]: its RDS file takes the place of sets and codebook.
#' @param path (string) The folder to make. It must not exist, or be empty.
#' @param formats (character) Of sets, one or more of `"csv"`, `"rds"`, `"dta"`
#'   (Stata), `"sav"` (SPSS) and `"parquet"`. `"dta"` and `"sav"` need the
#'   package haven, `"parquet"` needs nanoparquet; the certificate needs
#'   jsonlite.
#' @param data (data frame, `synthesizer` or `NULL`) The confidential file that
#'   the scan looks for. `NULL`, the default, takes what a job knows: the
#'   columns of its model. Give the whole file to have its other columns
#'   looked for, too. All but a job need it.
#' @param require (string) The weakest label that is good enough:
#'   `"asymptotic"`, the default, `"strict"`, or `"none"`, which takes any.
#' @param epsilon (positive number or `NULL`) The largest total epsilon that is
#'   good enough, under `neighbours`. `NULL`, the default: any. The number of an
#'   asymptotic label is known to a job only.
#' @param delta (number from 0 to 1 or `NULL`) The largest delta that is good
#'   enough. `NULL`, the default: 1 / N of the sets' N records where `epsilon`
#'   is given, any where it is not.
#' @param neighbours (string) `"add-remove"`, the default, or `"replace"`.
#' @param long (flag) Write one file of all sets, the number of the set in a
#'   first column `set`? Default `FALSE`: one file a set.
#' @param public (character) Text and numbers, written as text, that the scan
#'   passes over because they are public. Default: none.
#' @param ledger ([ledger()] or `NULL`) Refuse what this ledger has not
#'   recorded. `NULL`, the default: do not ask.
#' @param ... Must be empty.
#'
#' @return (data frame) invisibly: `file`, `bytes`, `sha256`, one row each, the
#'   certificate last.
#'
#' @section What is refused:
#' Sets from a fit that has not converged, made under a given seed, or edited
#' after they were made: always. Labels weaker than `require`, costs above
#' `epsilon` or at more than `delta`. A published column whose values nine of
#' ten records have alone, such as a case number: it tells whose record is
#' whose. Published columns that tell the response or hold its values in any
#' order or unit, or its means or medians by group: always. What tells it
#' nearly, unless `public` names it all: a column of rank correlation beyond
#' .99; classes of the response but for 1% of the records; columns that
#' together, in a weighted sum or a product, tell more than 99% of its variance,
#' or of what groups leave of it. [fit_synthesizer()] tells these at the fit. Of
#' what sets are drawn from: levels of an unordered factor that stand in the
#' order of the response's means or medians, unless `public` names it.
#'
#' @section The scan:
#' Every byte that was written is read again, and every value is looked for, but
#' what has an explanation is passed over: a scan that cries wolf is switched
#' off.
#'
#' *Text.* Looked for are row names, values of unpublished columns and levels
#' that no published record has, where fewer than 5 records share them; others
#' identify nobody. Dates and times are looked for as text such as 1954-05-31,
#' too. Passed over are text of less than 4 letters, whole numbers of less than
#' 9 digits, text that is also a published value, what every certificate,
#' codebook and file of these formats holds, and `public`. Only whole words are
#' found.
#'
#' *Numbers.* Looked for, as text and as 8 bytes of either order at any place,
#' are values of unpublished columns and of the response that 7 significant
#' digits do not write, so that nothing meets them by chance; whole ones of 9
#' digits also as 4 bytes, where the file holds them as an integer. Dates are
#' looked for as 8 bytes, but for those within 1000 days of 1970. Passed over
#' are published values and those that the synthetic column's decimals can
#' write.
#'
#' *The response.* Synthetic values that are not rounded must not equal any
#' confidential response, but for the ends of stated bounds or `bounds`.
#' Rounded ones meet some by chance. So the share of records that were given
#' their own value is compared with the share that missed it closely, in the
#' order of the file, where the value is no other record's; more than chance
#' gives in one of a million releases is refused. Sets of other records than the
#' file's (`synthesize(newdata = )`) cannot be compared in this way. What has
#' fewer than 20 values, such as yes and no, tells nobody and is not compared.
#'
#' A value that was found stays out of the message: the condition's field
#' `found` (data frame: `file`, `column`, `records`) says in which file and of
#' which column of the confidential file it is, its field `rows` whose it is.
#'
#' @section Messages:
#' `pseudosynth_message_remarks`: what differs between the sets and the file,
#' for the agency alone, see [utility()].
#' `pseudosynth_message_unused_levels`: published levels that no record has.
#'
#' @section Error types:
#' `pseudosynth_error_input`: an object that holds no sets, a folder that is not
#' empty, a format that does not exist or whose package is not installed.
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
  check_releasable_class(x)
  check_path(path)
  object <- is_releasable_object(x)
  if (object && missing(formats)) formats <- "rds"
  formats <- check_formats(formats)
  require <- check_choice(require, c("asymptotic", "strict", "none"))
  check_number(epsilon, above = 0, null = TRUE)
  check_number(delta, min = 0, max = 1, null = TRUE)
  neighbours <- check_choice(neighbours, relation_names)
  check_flag(long)
  check_public_text(public)
  check_ledger(ledger)
  if (object) {
    refuse <- function(n) {
      if (is.null(delta) && !is.null(epsilon)) delta <- 1 / n
      check_releasable(x, x, require, epsilon, delta, neighbours, ledger)
    }
    return(release_object(x, path, formats, data, public, refuse))
  }
  synthetic <- sets_of(x)
  column <- only_column(synthetic)
  file <- release_file(data, x, synthetic)
  if (is.null(delta) && !is.null(epsilon)) delta <- 1 / synthetic$n_records
  check_releasable(x, synthetic, require, epsilon, delta, neighbours, ledger)
  check_target(path)

  frames <- release_frames(synthetic, long)
  secrets <- writing(path, release_secrets(file, synthetic, public, formats))
  # Sets of what keeps no file met it never before
  check_public_ends(
    column$bounds, file[[column$name]], "bounds",
    c(column$confirmed, suppressWarnings(as.numeric(public)))
  )
  check_own_values(file, synthetic)
  check_beside(file, synthetic)
  check_no_near_copy(file, synthetic, public)
  check_none_distinct(synthetic, public)
  tell_unused_levels(synthetic$sets[[1]])
  if (!is_job(x)) tell_unlike_file(synthetic, file)
  write_release(path, synthetic, secrets, function(folder) {
    sets <- write_sets(frames, folder, formats)
    codebook <- release_codebook(synthetic, frames[[1]])
    write_csv(codebook, file.path(folder, "codebook.csv"))
    c(sets, "codebook.csv")
  }, function(files) release_certificate(x, synthetic, data, files, long))
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
  frames <- lapply(synthetic$sets, leaving_form)
  m <- length(frames)
  if (!long) {
    width <- nchar(m)
    return(stats::setNames(frames, sprintf("set-%0*d", width, seq_len(m))))
  }
  columns <- lapply(stats::setNames(nm = names(frames[[1]])), function(name) {
    do.call(c, lapply(frames, `[[`, name))
  })
  number <- stats::setNames(
    list(rep(seq_len(m), each = synthetic$n_records)),
    set_column(names(columns))
  )
  list(sets = structure(
    c(number, columns),
    row.names = seq_len(m * synthetic$n_records), class = "data.frame"
  ))
}

#' A name for the number of the set that no column has and every format takes
#' @noRd
set_column <- function(columns) {
  choices <- c("set", paste0("set_", seq_len(length(columns) + 1)))
  choices[!choices %in% tolower(columns)][1]
}

# Refusals ---------------------------------------------------------------------

check_releasable_class <- function(x) {
  check_that(
    is_job(x) || inherits(x, "synthetic_data") || is_releasable_object(x), x,
    "{.arg x} must be a {.cls pseudo_posterior} or {.cls synthetic_data}, or
     what sets are drawn from without the file.",
    i = "Make one with {.fn pseudo_posterior} or {.fn synthesize}, or with
         {.fn score_release}, {.fn perturbed_histogram} or {.fn as_generator}."
  )
}

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
    i = "Only a {.cls pseudo_posterior} knows it itself.",
    arg = "data"
  )
  if (inherits(data, "synthesizer") &&
    !identical(data$id, synthetic$guarantee$fit)) {
    abort_input(
      "{.arg data} must be the fit that {.arg x} was drawn from.",
      x = "It is another one.",
      i = "A data frame will do, too.",
      arg = "data"
    )
  }
  file <- as.data.frame(confidential_file(data, x))
  check_file_response(only_column(synthetic)$name, file)
  file
}

#' Published columns must not tell the file's response, wherever they are from
#'
#' Sets drawn for `newdata` were never beside it until now.
#' @noRd
check_beside <- function(file, synthetic) {
  variable <- only_column(synthetic)$name
  y <- file[[variable]]
  set <- synthetic$sets[[1]]
  beside <- set[setdiff(names(set), variable)]
  if (nrow(set) == nrow(file)) check_not_copied(y, beside)
  check_holds_none(y, beside)
}

#' Say what an analyst would find in the sets and not in the file
#'
#' A job's print says it.
#' @noRd
tell_unlike_file <- function(synthetic, file) {
  column <- only_column(synthetic)
  y <- file[[column$name]]
  values <- drawn_values(synthetic)
  if (is.numeric(y) && !has_labels(column) && length(y) > 1 &&
    synthetic$n_records == length(y)) {
    tell_set_remarks(remarks_of_values(y, values))
  }
}

#' Refuse published columns that together give the response nearly
#'
#' One that is named as public counts as known, and all that it is part of.
#' @noRd
check_no_near_copy <- function(file, synthetic, public) {
  column <- only_column(synthetic)
  set <- synthetic$sets[[1]]
  y <- file[[column$name]]
  if (nrow(set) != length(y)) {
    return(invisible())
  }
  near <- near_copies(y, set[setdiff(names(set), column$name)])
  told <- near$columns
  if (length(setdiff(told, public)) > 0) {
    abort_privacy(
      "Published columns must not give the response nearly.",
      x = "{.val {told}} {cli::qty(length(told))}{?tells/tell}
           {format_near_share(near$share)} of it.",
      i = "Leave one out, or name them all if this is wanted:
           {.code public = {quoted_names(told)}}.",
      class = "pseudosynth_error_near_copy", share = near$share
    )
  }
}

#' Refuse published columns that number the records
#' @noRd
check_none_distinct <- function(synthetic, public) {
  set <- synthetic$sets[[1]]
  beside <- set[setdiff(names(set), c(only_column(synthetic)$name, public))]
  told <- distinct_columns(beside)
  if (length(told) > 0) {
    abort_privacy(
      "A published column must not tell one record from every other.",
      x = "{cli::qty(length(told))}Nearly every record has a value of its own
           of {.val {told}}.",
      i = "Leave {cli::qty(length(told))}{?it/them} out or round {?it/them}, or
           name what is wanted: {.code public = {quoted_names(told)}}.",
      class = "pseudosynth_error_distinct_column"
    )
  }
}

#' Refuse what is not good enough to leave
#' @noRd
check_releasable <- function(x, synthetic, require, epsilon, delta, neighbours,
                             ledger) {
  label <- guarantee(x)
  reasons <- c(
    if (!is_sealed(synthetic) || !is_sealed(label)) {
      "It was edited after it was made, or an older version made it."
    },
    if (!isTRUE(label$converged)) {
      "It was drawn from a fit that has not converged."
    },
    if (!identical(label$reproducible, FALSE)) {
      "It was made under a given seed, which repeats every value: leave `seed`
       out."
    },
    label_reasons(label, require),
    if (!is.null(epsilon)) epsilon_reasons(label, epsilon, neighbours),
    if (!is.null(delta)) delta_reasons(label, delta),
    if (!is.null(ledger)) ledger_reasons(label, ledger)
  )
  reasons <- gsub("\\s+", " ", reasons)
  if (length(reasons) > 0) {
    abort_privacy(
      "{.arg x} is not for release.", x_bullets(reasons),
      arg = "x", class = "pseudosynth_error_not_releasable",
      reasons = reasons
    )
  }
}

label_reasons <- function(label, require) {
  strength <- c(none = 1, probabilistic = 2, asymptotic = 2, strict = 3)
  if (strength[[label$label]] < strength[[require]]) {
    sprintf(
      "Its label is \"%s\", `require` asks for \"%s\"%s.", label$label,
      require, if (require == "asymptotic") " or better" else ""
    )
  }
}

epsilon_reasons <- function(label, epsilon, neighbours) {
  total <- label$epsilon$total[[neighbours]]
  if (label$label == "none") {
    "Its label claims no epsilon."
  } else if (is.na(total)) {
    "Its epsilon is withheld: release the job, which knows it."
  } else if (exceeds(total, epsilon)) {
    sprintf(
      "It costs epsilon %s (%s) in total, `epsilon` allows %s.",
      label_figure(total, label), neighbours, format_exact(epsilon)
    )
  }
}

delta_reasons <- function(label, delta) {
  if (isTRUE(label$epsilon$delta > delta)) {
    sprintf(
      "Its epsilon holds at delta %s, `delta` allows %s.",
      format_exact(label$epsilon$delta), format_exact(delta)
    )
  }
}

ledger_reasons <- function(label, ledger) {
  if (!all(label$charges$id %in% ledger_charges(ledger)$id)) {
    "The ledger has not recorded what it costs: draw it with `ledger = `."
  }
}

# The release of what sets are drawn from without the file: score releases,
# histograms and generators leave as sets do, checked, scanned and certified.

# By class: the file's name and the word for people
releasable_objects <- list(
  score_release = c("score-release.rds", "score release"),
  perturbed_histogram = c("histogram.rds", "perturbed histogram"),
  synthesis_generator = c("generator.rds", "generator")
)

is_releasable_object <- function(x) inherits(x, names(releasable_objects))

#' @param refuse (function) Checks the label, see check_releasable().
#' @return (data frame) As release().
#' @noRd
release_object <- function(x, path, formats, data, public, refuse) {
  refuse_if(
    !identical(formats, "rds"),
    "What sets are drawn from is written for R alone.",
    x = "{.arg formats} are {.val {formats}}.",
    i = "Leave {.arg formats} out.",
    arg = "formats"
  )
  if (inherits(data, "synthesizer")) data <- data$data
  check_data_frame(data, arg = "data")
  file <- as.data.frame(data)
  if (!identical(x$response$column, FALSE)) {
    check_file_response(x$response$variable, file)
  }
  refuse(nrow(file))
  check_target(path)

  check_level_order(x, file, public)

  # What a set of the file's own records would show is explained
  set <- suppressMessages(synthesize(
    x, 1,
    newdata = if (!inherits(x, "perturbed_histogram")) file
  ))
  secrets <- writing(path, release_secrets(file, set, public, "rds"))
  if (inherits(x, "synthesis_generator")) tell_unused_levels(set$sets[[1]])
  words <- releasable_objects[[class(x)[1]]]
  write_release(path, x, secrets, function(folder) {
    # Not compressed: the scan reads its bytes
    saveRDS(x, file.path(folder, words[1]), compress = FALSE)
    words[1]
  }, function(files) object_certificate(x, words[2], files))
}

#' Refuse levels that stand in the order of the response
#'
#' As reorder() puts them: of twenty regions that is their rank by what is
#' confidential. Sets have levels sorted, what they are drawn from has them as
#' coefficients do. Few levels stand so by chance, others by their meaning.
#' @noRd
check_level_order <- function(x, file, public) {
  y <- file[[x$response$variable]]
  shown <- x$design$levels
  shown <- shown[intersect(names(shown), setdiff(names(file), public))]
  told <- names(Filter(isTRUE, vapply(names(shown), function(name) {
    is.numeric(y) && !is.ordered(file[[name]]) &&
      follows_means(shown[[name]], file[[name]], as.double(y))
  }, NA)))
  if (length(told) > 0) {
    abort_privacy(
      "Levels must not stand in the order of the response.",
      x = "Those of {.val {told}} do, by its means or medians.",
      i = "Sort them before, {.code factor(as.character(x))}, or name what is
           wanted: {.code public = {quoted_names(told)}}.",
      class = "pseudosynth_error_level_order"
    )
  }
}

follows_means <- function(levels, x, y) {
  levels <- intersect(levels, as.character(x))
  if (length(levels) < 6 || !is.unsorted(as_text(levels))) {
    return(FALSE)
  }
  parts <- split(y, factor(as.character(x), levels))
  any(vapply(list(mean, stats::median), function(of) {
    figures <- vapply(parts, of, 1)
    !is.unsorted(figures) || !is.unsorted(-figures)
  }, NA))
}

object_certificate <- function(x, what, files) {
  list(
    certificate = "pseudosynth release",
    made_by = list(
      package = "pseudosynth",
      version = own_version()
    ),
    object = what, synthetic = I(x$response$variable),
    published = I(as.character(x$design$variables)),
    model = list(scale = x$response$label), guarantee = as.list(guarantee(x)),
    files = row_lists(files)
  )
}
