# A generator: a model and the parameter draws that were paid for, from which
# sets are drawn without the file. as_generator() makes one.

#' The parts of a fit that sets are drawn with: no record is among them
#' @param draws (matrix, m x D) Those that are paid for.
#' @param label (`privacy_guarantee`) Public.
#' @noRd
new_generator <- function(fit, draws, margin, bounds, label) {
  response <- fit$response
  if (label$holds) response <- released_response(response)
  seal(new_result(
    "synthesis_generator",
    family = fit$family, response = with_bounds(response, bounds),
    design = fit$design, spec = spec_of_model(fit$spec), draws = draws,
    margin = margin, m = nrow(draws), bounds = bounds, guarantee = label,
    made_by = list(package = "pseudosynth", version = own_version())
  ))
}

generator_source <- function() {
  stated <- function(arg) {
    c(
      sprintf("State {.arg %s} in {.fn as_generator}, not here.", arg),
      x = "{.arg fit} is a generator: its cost is paid and its draws are fixed."
    )
  }
  new_source(
    refuses = list(
      assignment = for_mixtures, margin = stated("margin"),
      bounds = stated("bounds"), ledger = stated("ledger"),
      uncertainty = fit_source()$refuses$uncertainty
    ),
    check = check_generator, rows = rows_for_generator,
    label = label_of_generated, draw = draw_from_generator
  )
}

check_generator <- function(x, asked) {
  check_sealed(x, arg = "fit")
  refuse_if(
    asked$m > x$m, "The generator has {x$m} draw{?s}, one for each set.",
    x = "{.arg m} is {asked$m}.",
    i = "Make one with more draws from the fit, at a higher cost.",
    arg = "m", abort = abort_privacy
  )
}

rows_for_generator <- function(x, asked) {
  newdata <- asked$newdata
  check_newdata(newdata, "generator")
  spec <- newdata_spec(x, newdata)
  if (!is.null(x$margin)) check_margin_offset(x$design, spec)
  rows_of_newdata(
    newdata, published_columns(x, newdata), x$response$name, spec = spec
  )
}

#' One of the generator's draws for each set: post-processing
#' @noRd
draw_from_generator <- function(x, asked, rows) {
  values <- synthesize_(
    rows$spec, x$draws[seq_len(asked$m), , drop = FALSE],
    seed_words(asked$seed, "synthesize"), 0L
  )
  if (!is.null(x$margin)) {
    values <- calibrate_sets(values, x$response, x$margin, asked$seed)
  }
  list(values = values, margin = x$margin, combine = "reiter")
}

#' The generator's own charges, whatever is drawn from it
#' @noRd
label_of_generated <- function(x, asked, rows) {
  label <- guarantee(x)
  label[c("what", "m", "n_records", "reproducible")] <- list(
    generator_words[["sets"]], asked$m, as.integer(rows$n),
    label$reproducible || is_seeded(asked$seed)
  )
  seal(label)
}

#' @rdname guarantee
#' @export
guarantee.synthesis_generator <- function(x, m = x$m, public = TRUE, ...) {
  check_no_dots(..., hint = "See {.fn guarantee}.")
  held_label(x, "generator", m, public)
}

#' @export
format.synthesis_generator <- function(x, ...) {
  sprintf(
    "generator of %s: %s of %s", x$response$name,
    counted(x$m, "paid draw"), format(x$family)
  )
}

print_lines.synthesis_generator <- function(x) {
  label <- guarantee(x)
  leaves <- label$label != "none" && isTRUE(label$converged) &&
    !label$reproducible
  c(
    capitalize(format(x)), wrap_line(paste("label:", format(label))),
    paste("  predictors:", toString(x$design$variables %||% "none")),
    if (leaves) "  Sets drawn from it cost nothing more.",
    if (!leaves) "  It is not for release, nor are its sets."
  )
}
