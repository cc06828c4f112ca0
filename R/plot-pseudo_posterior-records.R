# What synthesis does to single records: their synthetic value against the
# confidential one, as in the figures of Hu and Savitsky.

#' @param object (`pseudo_posterior`) Whose sets are in the order of the file.
#' @noRd
plot_records <- function(object, prefix) {
  synthetic <- object$synthetic
  check_kind_shown(synthetic, "records", counts = TRUE)
  variable <- synthetic$variable
  prefix <- response_prefix(prefix)
  frame <- data.frame(
    confidential = as.double(job_data(object)[[variable]]),
    synthetic = as.double(synthetic$sets[[1]][[variable]])
  )
  # The same on both axes, so that the line of equal values is the diagonal
  limits <- range(frame)
  scale <- function(axis) {
    if (synthetic$transform == "log") {
      axis$log(
        limits = limits, breaks = far_apart(log_breaks(limits)),
        labels = label_amount(prefix)
      )
    } else {
      axis$plain(
        limits = limits, breaks = inner_breaks, labels = label_amount(prefix)
      )
    }
  }
  ggplot2::ggplot(
    frame, ggplot2::aes(x = .data$confidential, y = .data$synthetic)
  ) +
    ggplot2::geom_abline(colour = colour_bound, linewidth = 0.5) +
    ggplot2::geom_point(
      shape = 16, size = 1.3, alpha = if (nrow(frame) > 2000) 0.15 else 0.35,
      colour = colour_synthetic
    ) +
    scale(list(
      log = ggplot2::scale_x_log10, plain = ggplot2::scale_x_continuous
    )) +
    scale(list(
      log = ggplot2::scale_y_log10, plain = ggplot2::scale_y_continuous
    )) +
    ggplot2::labs(
      title = sprintf("%s of each record", capitalize(variable)),
      subtitle = wrapped(paste0(
        capitalize(describe_job(object)), "; one set. Line: the value is kept"
      )),
      x = "Confidential", y = "Synthetic", caption = confidential_caption
    ) +
    theme_pseudosynth()
}

#' Every other break, as long as more than four are left
#' @noRd
far_apart <- function(breaks) {
  while (length(breaks) > 5) breaks <- breaks[c(TRUE, FALSE)]
  breaks
}

#' Refuse levels, yes/no and counts, as far as a figure is not of them
#' @noRd
check_kind_shown <- function(synthetic, type, counts,
                             call = rlang::caller_env(2)) {
  count <- synthetic$kind == "count"
  if (has_labels(synthetic) || (count && !counts)) {
    abort_input(
      c(
        "{.arg type} {.val {type}} is for amounts{if (counts) ' and counts'}.",
        x = if (count) {
          "{.val {synthetic$variable}} is a count."
        } else {
          "{.val {synthetic$variable}} has levels."
        },
        i = "{.code type = \"density\"} shows their shares."
      ),
      arg = "type", call = call
    )
  }
}
