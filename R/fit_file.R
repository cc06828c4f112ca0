#' Fit a model to each column of a file
#'
#' Fits the columns of a file one after the other, each to the records' own
#' values of the columns before. [synthesize()] then draws sets: each column
#' from the synthetic values of those before. [synthesize_file()] does both in
#' one call.
#'
#' @export
fit_file <- function(plan, mechanism = "unweighted", model = "tree",
                     order = NULL, predictors = NULL, leaf = 20, m = 1,
                     seed = NULL, ...) {
  check_no_dots(..., hint = "See {.fn fit_file}.")
  plan <- as_file_plan(plan)
  check_file_mechanism(mechanism)
  check_count(leaf, min = 1)
  check_count(m, min = 1)
  check_seed(seed)
  predictors <- sequence_order(plan, order, predictors)
  kinds <- model_kinds(model, names(predictors))
  if ("tree" %in% kinds) check_installed("rpart", arg = "model")
  warn_rare_levels(plan)
  warn_determined(plan)
  specs <- column_specs(plan$codebook)[names(plan$schema)]
  file <- records_of_plan(plan)
  work <- as.double(plan$n_records) * length(predictors)^2
  models <- lapply(stats::setNames(nm = names(predictors)), function(name) {
    tell_long_step(paste("Fitting", name), work)
    fit_column(kinds[[name]], file, name, specs, predictors[[name]], list(
      leaf = leaf, m = m, seed = stage_seed(seed, "column", match(name, names(kinds)))
    ))
  })
  seal(new_result(
    "file_synthesizer",
    plan = plan, models = models, kinds = kinds, predictors = predictors,
    leaf = leaf, id = new_charge_id(seed), reproducible = is_seeded(seed)
  ))
}

#' A plan, or one of a draft of the file's codebook
#' @noRd
as_file_plan <- function(plan) {
  check_present(plan)
  if (is.data.frame(plan)) {
    return(drafted_plan(plan))
  }
  check_class(
    plan, "file_plan", "Make one with {.fn file_plan}, or give the file."
  )
  check_sealed(plan, "file_plan")
  plan
}

drafted_plan <- function(data) {
  plan <- file_plan(data, draft_codebook(data))
  left <- plan$table$column[plan$table$role == "left out"]
  if (length(left) > 0) {
    tell_of(
      "left_out",
      "{.val {left}} {?is/are} left out: {?its/their} values name records, or
       {?is/are} too many.",
      i = "To keep {cli::qty(left)}{?it/them}, state {?it/them} in a
           {.fn codebook}."
    )
  }
  plan
}

# What a sequence of models does so far
file_mechanisms <- "unweighted"

check_file_mechanism <- function(mechanism, arg = "mechanism") {
  if (inherits(mechanism, "privacy_mechanism")) mechanism <- mechanism$name
  check_string(mechanism, arg = arg)
  found <- plain_word(mechanism)
  refuse_if(
    !found %in% file_mechanisms,
    "Of whole files {.arg {arg}} must be {.or {.val {file_mechanisms}}}.",
    x = "It is {.val {mechanism}}.",
    i = "{.fn file_release} releases a whole file under a strict epsilon,
         {.fn pseudo_posterior} one column under any mechanism.",
    arg = arg, class = "pseudosynth_error_mechanism"
  )
}

#' The kind of model of each column
#' @param model (character) One for all, or some by the name of their column.
#' @return (named character)
#' @noRd
model_kinds <- function(model, columns) {
  check_that(
    is.character(model) && length(model) > 0 && !anyNA(model), model,
    "{.arg model} must be {.or {.val {column_models}}}."
  )
  names <- rlang::names2(model)
  wrong <- setdiff(model, column_models)
  refuse_if(
    length(wrong) > 0, "{.arg model} must be {.or {.val {column_models}}}.",
    x = "{.val {wrong}} {?is/are} not known.", arg = "model"
  )
  named <- model[nzchar(names)]
  others <- model[!nzchar(names)]
  strange <- setdiff(names(named), columns)
  refuse_if(
    length(others) > 1 || length(strange) > 0 || anyDuplicated(names(named)),
    "{.arg model} must be one for all columns, or named by columns that are
     drawn.",
    x = if (length(strange) > 0) "{.val {strange}} {?is/are} not drawn.",
    arg = "model"
  )
  kinds <- rep(c(others, column_models)[[1]], length(columns))
  names(kinds) <- columns
  kinds[names(named)] <- named
  kinds
}

column_models <- c("tree", "regression")

fit_column <- function(kind, file, name, specs, predictors, settings) {
  if (kind == "tree") {
    fit_trees(file, name, specs, predictors, settings$leaf)
  } else {
    fit_regressions(file, name, specs, predictors, settings$m, settings$seed)
  }
}

# Printing ---------------------------------------------------------------------

print_lines.file_synthesizer <- function(x) {
  draft <- unconfirmed(x$plan$codebook)
  c(
    sprintf(
      "Models of a file: %s from %s records",
      counted(length(x$models), "column"), format_count(x$plan$n_records)
    ),
    field_lines(c(
      order = toString(names(x$models)),
      models = paste(
        vapply(split(names(x$kinds), x$kinds), toString, ""), "by",
        names(split(x$kinds, x$kinds)), collapse = "; "
      ),
      published = if (length(x$plan$published) > 0) toString(x$plan$published),
      codebook = if (length(draft) > 0) {
        paste("draft, read from the file:", toString(draft))
      } else {
        "confirmed"
      },
      label = "none: synthesize(x) draws sets without a guarantee"
    )),
    confidential_line("Holds the file")
  )
}
