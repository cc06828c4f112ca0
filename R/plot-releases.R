# Releases of an amount beside the file, as in the figures of Hu and Savitsky:
# the first set of each.

#' @param releases (named list of `synthetic_data`)
#' @param data (data frame) The file.
#' @noRd
plot_releases <- function(releases, data, type, prefix) {
  columns <- lapply(releases, only_column)
  column <- columns[[1]]
  names <- vapply(columns, `[[`, "", "name")
  refuse_if(
    any(names != names[1]),
    "All releases must have the same synthetic column.",
    x = "They have {.val {unique(names)}}.", arg = "..."
  )
  for (sets in releases) {
    check_kind_shown(sets, type, counts = type %in% c("records", "values"))
  }
  check_data_frame(data)
  refuse_if(
    !column$name %in% names(data),
    "{.arg data} must be the file, with column {.val {column$name}}.",
    arg = "data", column = column$name
  )
  truth <- data[[column$name]]
  refuse_if(
    !is.numeric(truth) || anyNA(truth),
    "Column {.val {column$name}} of {.arg data} must hold numbers, none of them
     missing.",
    arg = "data", column = column$name
  )
  truth <- as.double(truth)
  sets <- lapply(releases, function(x) {
    set <- in_file_order(x$sets[1], data, column$name)[[1]]
    as.double(set[[column$name]])
  })
  transform <- column$transform
  # A file may have zeros and losses that a model of the log had not
  if (transform == "log" && min(truth, unlist(sets)) <= 0) {
    transform <- "identity"
  }
  figure <- switch(type,
    records = plot_pairs(sets, truth, transform, prefix),
    values = plot_values(sets, truth, transform, prefix),
    plot_curves(sets, truth, transform, prefix, type == "tail")
  )
  figure +
    labs(title = if (type == "records") {
      sprintf("%s of each record", capitalize(column$name))
    } else {
      both_title(column)
    }) +
    if (type %in% c("density", "tail")) {
      labs(x = axis_title(column$name, transform))
    }
}

plot_curves <- function(sets, truth, transform, prefix, tail) {
  names <- c("confidential", names(sets))
  density_figure(
    c(list(truth), sets), names, transform, prefix, look_of_releases(names),
    tail
  ) +
    confidential_labs(subtitle = paste0(
      "One set per release", if (tail) ", above the file's 90% quantile"
    ))
}

#' The synthetic value of each record against the confidential one
#' @noRd
plot_pairs <- function(sets, truth, transform, prefix) {
  sizes <- lengths(sets)
  refuse_if(
    any(sizes != length(truth)),
    "Sets must have the records of {.arg data}, in the same order.",
    x = "They have {.val {unique(sizes)}} records, and {.arg data} has
         {.val {length(truth)}}.",
    arg = "data"
  )
  frame <- stack_frames(sets, "release", function(y) {
    data.frame(confidential = truth, synthetic = y)
  })
  records_figure(frame, transform, prefix, release_colours(names(sets))) +
    confidential_labs(
      subtitle = "One set. Line: the value is kept", x = "Confidential",
      y = "Synthetic"
    ) +
    if (length(sets) > 1) {
      list(
        panels("release", 26), guides(x = guide_axis(check.overlap = TRUE)),
        theme(axis.text = element_text(size = 8.5))
      )
    }
}

plot_values <- function(sets, truth, transform, prefix) {
  parts <- c(list(confidential = truth), sets)
  frame <- stack_frames(parts, "release", function(y) data.frame(value = y))
  colours <- release_colours(names(parts))
  limits <- range(frame$value)
  labels <- label_amount(prefix)
  ggplot(frame, aes(x = .data$release, y = .data$value)) +
    group_violins("release", colours) +
    (if (transform == "log") {
      scale_y_log10(breaks = far_apart(log_breaks(limits)), labels = labels)
    } else {
      scale_y_continuous(labels = labels)
    }) +
    confidential_labs(
      subtitle = "One set per release. Circle: median", x = NULL, y = NULL
    ) +
    theme_columns()
}
