# Which neighbours an exact audit looks at. Internal.

#' @return (list) `table` (data frame): `relation`, `record` (row number),
#'   `value` (index into `values`, NA for a removal); `values`: responses in
#'   their own unit.
#' @noRd
audit_neighbours <- function(model, remove, replacements, values, call) {
  n <- length(model$spec$y)
  remove <- check_index(remove, n, arg = "remove", call = call)
  replacements <- check_count(
    replacements,
    arg = "replacements", call = call
  )
  # Equal records have equal neighbours
  key <- do.call(paste, c(
    list(pattern_of(model$spec), format(model$spec$y, digits = 17))
  ))
  remove <- remove[!duplicated(key[remove])]
  table <- data.frame(
    relation = "add/remove-one", record = remove, value = NA_integer_
  )
  values <- values %||% audit_values(model)
  values <- check_audit_values(values, model, call)
  if (replacements > 0) {
    take <- max(1, round(replacements / min(8, length(values))))
    index <- seq_along(values)
    records <- replaced_rows(model, key, take)
    pairs <- expand.grid(value = index, record = records)
    same <- response_forward(model$response, values)[pairs$value] ==
      model$spec$y[pairs$record]
    pairs <- pairs[!same, ]
    if (nrow(pairs) > 0) {
      table <- rbind(table, data.frame(
        relation = "replace-one", record = pairs$record, value = pairs$value
      ))
    }
  }
  list(table = table, values = values)
}

#' Records from the smallest response to the largest, distinct ones
#' @noRd
replaced_rows <- function(model, key, take) {
  rows <- order(model$spec$y)
  rows <- rows[!duplicated(key[rows])]
  rows[unique(round(seq(1, length(rows), length.out = take)))]
}

#' Responses over the whole range, in their own unit
#' @noRd
audit_values <- function(model) {
  response <- model$response
  y <- model$spec$y
  own <- model$data[[response$variable]]
  kind <- model$spec$family
  if (kind == "bernoulli") {
    return(unique(own))
  }
  if (kind %in% c("poisson", "neg_binomial")) {
    high <- max(y)
    return(unique(c(
      0, 1, round(stats::quantile(y, c(0.25, 0.5, 0.75), names = FALSE)), high,
      2 * high + 1, 10 * high + 10
    )))
  }
  if (kind == "beta") {
    z <- c(0.001, 0.01, 0.1, 0.3, 0.6, 0.9, 0.99, 0.999)
    return(response$bounds[1] + diff(response$bounds) * z)
  }
  spread <- max(stats::IQR(y) / 1.35, diff(range(y)) / 20)
  z <- stats::median(y) + spread * c(-30, -5, -1.5, -0.3, 0.3, 1.5, 5, 30)
  values <- unique(as.double(response_inverse(response, z)))
  values[is.finite(response_forward(response, values))]
}

check_audit_values <- function(values, model, call) {
  z <- tryCatch(
    response_forward(model$response, values),
    error = function(e) NA_real_
  )
  inside <- is.finite(z) & switch(model$spec$family,
    beta = z > 0 & z < 1,
    poisson = , neg_binomial = z >= 0 & z == round(z),
    bernoulli = z %in% c(0, 1),
    TRUE
  )
  if (length(values) == 0 || !all(inside)) {
    abort_input(
      "{.arg values} must be values that the response can take.",
      arg = "values", call = call
    )
  }
  unique(values)
}
