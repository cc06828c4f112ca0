# The one list of weighting schemes, and what is asked of the scheme of given
# weights. A function, not a register that is filled at load: files load in the
# order of their names.

weighting_schemes <- function() {
  schemes <- list(
    lipschitz_scheme(), count_scheme(), risk_scheme(), scalar_scheme(),
    reweighted_scheme(), truncated_scheme(), combined_scheme(),
    scaled_scheme(), frozen_scheme(), two_stage_scheme(),
    public_scalar_scheme(), user_scheme()
  )
  stats::setNames(schemes, vapply(schemes, `[[`, "", "name"))
}

#' The scheme of a node; one that nobody knows counts as unknown weights
#' @noRd
scheme_of <- function(node) {
  weighting_schemes()[[node$scheme]] %||% user_scheme()
}

as_node <- function(x) {
  # Weights that lost their class by an edit are still no node
  if (is.numeric(x)) node_of(x) else x
}

# Each of the following takes weights or a node --------------------------------

#' @return `dependency()`; of no weights, that of a record's own term.
#' @noRd
dependency_of <- function(x) {
  if (is.null(x)) {
    return(dependency("own record"))
  }
  node <- as_node(x)
  scheme_of(node)$dependency(node, lapply(node$of, dependency_of))
}

#' What the scheme is called
#' @param part (string) `"word"`, `"title"` or `"short"`.
#' @noRd
scheme_text <- function(x, part) {
  node <- as_node(x)
  text <- scheme_of(node)[[part]]
  if (is.function(text)) {
    text(node, vapply(node$of, scheme_text, "", part))
  } else {
    text
  }
}

#' In the labels' and jobs' vocabulary
#' @noRd
scheme_word <- function(x) scheme_text(x, "word")

#' What mechanisms with such weights are called
#' @return (list) `weighted`, `censored` and, around a reference, `centred`.
#' @noRd
scheme_words <- function(x) {
  node <- as_node(x)
  clipped <- scheme_of(node)$clipped
  if (is.null(clipped)) {
    return(scheme_words(node$of[[1]]))
  }
  word <- scheme_word(node)
  words <- list(
    # A word stands for one thing
    weighted = if (word %in% clipped) paste0(word, "_weights") else word,
    censored = paste0("censor_", word), centred = paste0("centred_", word)
  )
  words[names(clipped)] <- clipped
  words
}

scheme_title <- function(x) scheme_text(x, "title")

scheme_short <- function(x) scheme_text(x, "short")

#' Public numbers of the scheme: none that was computed from the file
#' @return (named character or `NULL`)
#' @noRd
scheme_inputs <- function(x) {
  if (is.null(x)) {
    return(NULL)
  }
  node <- as_node(x)
  inputs <- scheme_of(node)$inputs
  text <- if (is.function(inputs)) {
    inputs(node)
  } else {
    stated <- intersect(inputs, names(node$arguments))
    values <- vapply(node$arguments[stated], function(value) {
      paste(format(value), collapse = " ")
    }, "")
    paste(stated, values, collapse = ", ", recycle0 = TRUE)
  }
  if (length(text) == 1 && nzchar(text)) c(weights = text)
}

# Weights of other records -----------------------------------------------------

#' The weights that a node's rule gives records
#' @noRd
rule_values <- function(node, data) {
  inner <- lapply(node$of, rule_values, data)
  scheme_of(node)$rule(node, data, inner)
}

#' Why there is no rule for other records, `NULL` where there is one
#' @noRd
why_not_freezable <- function(node) {
  scheme <- scheme_of(node)
  # A rule of whole records reads no data frame
  if (is.null(scheme$rule) || is.null(node$basis) ||
    !is.null(node$basis$drawn)) {
    return(scheme$why_not_freezable)
  }
  Find(Negate(is.null), lapply(node$of, why_not_freezable))
}

#' The columns that a rule reads
#' @return (list) `response` (character), `predictors` (character).
#' @noRd
columns_read <- function(node) {
  parts <- c(list(scheme_of(node)$reads(node)), lapply(node$of, columns_read))
  of <- function(name) unique(as.character(unlist(lapply(parts, `[[`, name))))
  list(response = of("response"), predictors = of("predictors"))
}

#' Was a rule made from this very file, or from most of it?
#'
#' Then its weights depend on all records of the file, and nothing is frozen.
#' @noRd
is_own_history <- function(node, data) {
  made_from <- node_marks(node)
  here <- file_marks(columns_read(node), data)
  anyNA(made_from) || any(here %in% made_from) || shares_records(node, data)
}

#' The marks that `history_mark()` would give a file
#' @param columns (list) `response` and `predictors`; a model fitted elsewhere
#'   does not tell which is which.
#' @noRd
file_marks <- function(columns, data) {
  c(
    vapply(columns$response, function(name) file_mark(data, name), ""),
    rlang::hash(as.list(data[columns$predictors]))
  )
}

shares_records <- function(node, data) {
  is_same_file(data, node$basis$history) ||
    any(vapply(node$of, shares_records, TRUE, data))
}

# Each record's own weight -----------------------------------------------------

# Of so many records, spread over the file, rules are asked once more.
most_asked <- 200L

#' Does the rule give records the same weights when others are gone?
#'
#' What a scheme states of its weights, that each depends on its own record, is
#' tried: on some of the records alone, and on these without one of them. Such
#' weights are the same whatever records stand beside theirs.
#' @param node (list)
#' @param data (data frame) The records.
#' @param alpha (numeric, one per record) Their weights.
#' @return (flag) `NA` where `data` has not the columns to tell, or where there
#'   is no rule.
#' @noRd
values_are_own <- function(node, data, alpha) {
  read <- unlist(columns_read(node), use.names = FALSE)
  if (!all(read %in% names(data)) || !is.null(why_not_freezable(node))) {
    return(NA)
  }
  alpha <- as.double(alpha)
  n <- nrow(data)
  some <- unique(round(seq(1, n, length.out = min(n, most_asked))))
  # Without the first, and those of the smallest and the largest weight
  gone <- unique(c(1L, which.min(alpha[some]), which.max(alpha[some])))
  few <- some[unique(round(seq(1, length(some), length.out = 3)))]
  subsets <- c(list(some, few), if (n > 1) lapply(gone, function(i) some[-i]))
  all(vapply(subsets, function(rows) {
    again <- tryCatch(
      rule_values(node, data[rows, , drop = FALSE]), error = function(e) NULL
    )
    length(again) == length(rows) &&
      isTRUE(all(abs(as.double(again) - alpha[rows]) < 1e-8))
  }, NA))
}

#' The dependency of weights on records that can be asked about it
#'
#' A scheme whose rule gives other weights when other records are gone has
#' stated too much.
#' @inheritParams values_are_own
#' @noRd
tested_dependency <- function(weights, data) {
  stated <- dependency_of(weights)
  if (is.null(weights) || stated$kind != "own record" || !is.data.frame(data)) {
    return(stated)
  }
  node <- node_of(weights)
  own <- values_are_own(node, data, weights)
  # A frozen rule was asked where it met the records, with all their columns
  if (is.na(own)) own <- node$scheme == frozen_scheme()$name
  if (!own) stated$kind <- "other records"
  stated
}

# Weights made again -----------------------------------------------------------

#' A node's weights made again from other records
#'
#' Those that depend on the record alone come from their rule.
#' @param records (list) `data`, and `alpha`: the values of weights that nobody
#'   can make again.
#' @param run (function(weights, stage)) Fits these records, without a clip.
#' @return (`privacy_weights`)
#' @noRd
replay_node <- function(node, records, run) {
  own <- dependency_of(node)$kind == "own record"
  if (own && is.null(why_not_freezable(node))) {
    return(weights_of_node(node, rule_values(node, records$data)))
  }
  scheme <- scheme_of(node)
  kept <- records[intersect(c("data", "count"), names(records))]
  inner <- function() lapply(node$of, replay_node, kept, run)
  own_run <- function(weights = NULL, again = 0) {
    run(weights, node_depth(node) + 1e4 * again)
  }
  weights <- if (!is.null(scheme$replay)) {
    scheme$replay(node, records, own_run, inner)
  }
  refuse_if(
    is.null(weights), "These weights cannot be remade for other records.",
    x = "Their scheme is {.val {node$scheme}}.",
    i = "For a sampled audit or a study, supply {.arg refit}: a function that
         fits the model to a data frame.", arg = "refit"
  )
  weights
}
