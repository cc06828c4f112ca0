# A fitted sequence of models as a source: whole files, column after column.

sequence_source <- function() {
  refused <- file_source()$refuses
  refused$newdata[1] <- "{.arg newdata} does not apply to a whole file."
  refused$margin <- "{.arg margin} does not apply to a whole file."
  new_source(
    refuses = c(refused, fit_source()$refuses["uncertainty"]),
    check = function(x, asked) {
      check_sealed(x, arg = "fit")
      if (is_joint(x)) check_converged(x, asked$allow_unconverged)
    },
    rows = rows_for_sequence, label = label_of_sequence,
    draw = draw_from_sequence
  )
}

rows_for_sequence <- function(x, asked) {
  plan <- x$plan
  n <- asked$n %||% plan$n_records
  refuse_if(
    length(plan$published) > 0 && n != plan$n_records,
    "{.arg n} must be the number of records of the published columns.",
    x = "It is {format_count(n)}, but they have
         {format_count(plan$n_records)}.",
    arg = "n"
  )
  most <- parameter_draws(x)
  refuse_if(
    asked$m > most, "{.arg m} must be at most the fit's number of parameter
    draws, {most}.",
    x = "It is {asked$m}: each set takes a draw of its own.",
    i = "Fit with {.code m = {asked$m}}.", arg = "m"
  )
  list(
    data = NULL, n = n, columns = names(persons_of(plan)$schema),
    tibble = plan$tibble,
    remote = draws_on_workers(
      asked$m, as.double(asked$m) * n * length(plan$schema)
    )
  )
}

#' How many sets regressions have parameter draws for
#' @noRd
parameter_draws <- function(x) {
  draws <- vapply(fits_of_models(x$models), function(fits) {
    min(vapply(fits, function(fit) nrow(fit$draws) %||% NA_integer_, 1L),
      .Machine$integer.max, na.rm = TRUE
    )
  }, 1L)
  min(draws)
}

draw_from_sequence <- function(x, asked, rows) {
  # Every call is charged for draws of its own
  draws <- if (is_joint(x)) drawn_rows(x, asked) else seq_len(asked$m)
  sets <- draw_sequence_sets(x, draws, rows$n, asked$seed, rows$remote)
  list(
    sets = sets, columns = file_columns(x$plan), combine = "reiter",
    survey_weights = x$plan$survey_weights,
    codebook = book_of(book_of_sets(x$plan), names(sets[[1]])),
    unit = x$plan$members$unit, tables = x$plan$members$tables,
    waves = x$plan$members$waves$column
  )
}

#' Were all columns fitted under one mechanism, with a bound?
#' @noRd
is_joint <- function(x) !is.null(unclass(x)$bound)

# The label --------------------------------------------------------------------

label_of_sequence <- function(x, asked, rows) {
  if (is_joint(x)) {
    return(label_of_sets(x, asked))
  }
  intact <- is_sealed(x)
  new_privacy_guarantee(
    if (intact) sequence_verdict(x) else edited_verdict("fit"),
    mechanism = "unweighted", title = "unweighted models of all columns",
    what = "synthetic data", m = asked$m, fit = x$id,
    n_records = as.integer(rows$n),
    unit = if (is.null(x$plan$members)) "a record" else file_unit_text(x$plan),
    public_inputs = sequence_inputs(x),
    reproducible = x$reproducible || is_seeded(asked$seed)
  )
}

sequence_verdict <- function(x) {
  list(label = "none", reasons = c(
    "The models are of the records as they are, without weights or noise.",
    if ("tree" %in% x$kinds) {
      paste(
        "Trees copy values of single records, including rare values and the",
        "largest ones. If there are few columns, they copy whole records."
      )
    },
    draft_reason(x$plan$codebook)
  ))
}

sequence_inputs <- function(x) {
  plan <- x$plan
  kinds <- split(names(x$kinds), x$kinds)
  c(
    sets = paste(
      "each set was drawn anew from the models: combine estimates from",
      "several sets by the rules for partially synthetic data"
    ),
    models = paste(
      names(kinds), "of", vapply(kinds, toString, ""), collapse = "; "
    ),
    order = toString(names(x$models)), members_inputs(plan),
    published = published_text(plan$published), confirmed_text(plan$confirmed),
    if (length(rule_texts(plan)) > 0) {
      c(rules = paste(rule_texts(plan), collapse = "; "))
    }
  )
}
