# A noisy histogram as a source: values that know nothing of the predictors.
# Post-processing, whatever m is.

histogram_source <- function() {
  new_source(
    refuses = list(
      margin = c(
        "{.arg margin} only applies to models.",
        x = "{.arg fit} is a histogram itself."
      ),
      assignment = for_mixtures,
      uncertainty = c(
        "{.arg uncertainty} only applies to a score release.",
        x = "{.arg fit} is a histogram.",
        i = "Leave {.arg uncertainty} out, or draw from {.fn score_release}."
      )
    ),
    rows = rows_for_histogram, label = label_of_release_sets,
    draw = draw_from_histogram
  )
}

rows_for_histogram <- function(x, asked) {
  newdata <- asked$newdata
  if (!is.null(newdata)) check_histogram_newdata(newdata, x$response)
  variable <- x$response$name
  list(
    data = newdata, columns = c(variable, setdiff(names(newdata), variable)),
    n = if (is.null(newdata)) round(sum(x$counts)) else nrow(newdata),
    tibble = is_tibble(newdata)
  )
}

check_histogram_newdata <- function(newdata, response) {
  check_data_frame(newdata, arg = "newdata")
  refuse_privacy(
    !response$column,
    "For {.arg newdata} the histogram must be made from a formula.",
    x = "It was made from a vector: the response could be published untouched.",
    i = "Make it from a formula, such as {.code income ~ 1}.", arg = "newdata"
  )
  wide <- names(newdata)[!vapply(lapply(newdata, dim), is.null, NA)]
  refuse_if(
    length(wide) > 0, "Each column of {.arg newdata} must be one column.",
    x = "{.val {wide}} {?is/are} a matrix or a data frame.",
    i = "Give its columns one by one, or leave it out.", arg = "newdata"
  )
  newdata <- without_labels(newdata)
  y <- newdata[[response$name]]
  beside <- newdata[setdiff(names(newdata), response$name)]
  if (!is.null(y)) {
    found <- told_beside(published_forms(beside), comparable_values(y))
    refuse_copied(found)
    tell_near(found)
  }
  tell_distinct(beside)
}

draw_from_histogram <- function(x, asked, rows) {
  words <- seed_words(asked$seed, "synthesize")
  values <- vapply(seq_len(asked$m), function(j) {
    histogram_quantile(x, uniforms_(rows$n, words, j))
  }, numeric(rows$n))
  list(values = matrix(values, rows$n, asked$m), margin = x, combine = "reiter")
}
