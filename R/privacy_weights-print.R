# How weights print: by their scheme's name, its arguments and quantiles.

#' @export
format.privacy_weights <- function(x, ...) format(plain_weights(x), ...)

#' @rdname privacy_weights
#' @export
summary.privacy_weights <- function(object, ...) {
  values <- plain_weights(object)
  node <- node_of(object)
  new_result(
    "summary_privacy_weights", scheme = node$scheme, title = scheme_title(node),
    arguments = node$arguments, depends = dependency_of(node)$kind,
    n = length(values), zeros = sum(values == 0), ones = sum(values == 1),
    mean = mean(values), quantiles = summarize_values(values)
  )
}

print_lines.summary_privacy_weights <- function(x) {
  if (x$scheme == public_scalar_scheme()$name) {
    return(sprintf(
      "Privacy weights: every record has the public weight %s",
      format_exact(x$arguments$alpha)
    ))
  }
  arguments <- Filter(function(a) {
    is.atomic(a) && length(a) == 1 && !is.na(a)
  }, x$arguments)
  c(
    sprintf("Privacy weights: %s, %s", x$title, switch(x$depends,
      "own record" = "made from each record and from public or paid inputs",
      unknown = "of unknown origin",
      "made from the confidential file"
    )),
    if (length(arguments) > 0) {
      values <- vapply(arguments, function(a) {
        if (is.double(a)) format(a, digits = 6) else format(a)
      }, character(1))
      paste0("  ", strwrap(
        paste(names(arguments), "=", values, collapse = ", "), 76
      ))
    },
    sprintf(
      "  N = %s: %s of weight 0, %s of weight 1, mean %s",
      counted(x$n, "record"), format_count(x$zeros), format_count(x$ones),
      format_figure(x$mean)
    ),
    sprintf("  %s", format_named(x$quantiles)),
    paste0("  ", confidential_line())
  )
}

#' @export
print.privacy_weights <- function(x, ...) {
  print(unless_edited(x, summary(x)))
  invisible(x)
}
