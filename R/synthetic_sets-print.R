# What is shown of synthetic data: nothing of a record of the file.

#' @export
print.synthetic_data <- function(x, ...) {
  n_moved <- sum(x$moved)
  cat(
    sprintf(
      "Synthetic data: %d set%s of %s records, %s synthetic",
      x$m, if (x$m == 1) "" else "s", format_count(x$n_records), x$variable
    ),
    paste0("  ", strwrap(paste(
      "published as they are:",
      paste(setdiff(names(x$sets[[1]]), x$variable), collapse = ", ")
    ), 76, exdent = 2)),
    if (n_moved > 0) {
      sprintf("  moved to the ends: %s values", format_count(n_moved))
    },
    paste0("  ", strwrap(
      paste("label:", format(guarantee(x))), 76,
      exdent = 2
    )),
    if (guarantee(x)$label == "none") {
      "  not for release: nothing is guaranteed"
    } else {
      paste0(
        "  as.data.frame(x) is ", if (x$m == 1) "the set" else "all sets",
        " for release, guarantee(x) the whole label"
      )
    },
    sep = "\n"
  )
  invisible(x)
}

#' @rdname synthetic_data
#' @export
summary.synthetic_data <- function(object, ...) {
  rows <- lapply(object$sets, function(set) {
    y <- set[[object$variable]]
    if (has_labels(object)) {
      return(as.data.frame(as.list(value_shares(y)), optional = TRUE))
    }
    y <- as.double(y)
    q <- stats::quantile(y, c(0.05, 0.25, 0.5, 0.75, 0.95), names = FALSE)
    data.frame(
      mean = mean(y), sd = stats::sd(y), "5%" = q[1], "25%" = q[2],
      median = q[3], "75%" = q[4], "95%" = q[5], check.names = FALSE
    )
  })
  structure(
    list(
      table = cbind(set = seq_along(rows), do.call(rbind, rows)),
      variable = object$variable, n_records = object$n_records,
      guarantee = guarantee(object)
    ),
    class = "summary_synthetic_data"
  )
}

#' @export
print.summary_synthetic_data <- function(x, ...) {
  cat(
    sprintf(
      "Synthetic %s, %s records a set", x$variable, format_count(x$n_records)
    ),
    paste0("  ", format_table(x$table)),
    sep = "\n"
  )
  print(x$guarantee)
  invisible(x)
}
