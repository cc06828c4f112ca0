#' Plot a simulation study
#'
#' Draws the numbers that a simulation study measured. A study may repeat a
#' synthesis on many files, or measure single records. Its table has one row for
#' each number. By default the figure has a panel for each measure or setting,
#' with a violin for each mechanism and a circle at its median. A mechanism with
#' fewer than five numbers in a panel has dots in place of a violin. Other types
#' of figure show densities, or the synthetic values of records against the true
#' values.
#'
#' @param table (data frame) The study, with one row for each number.
#' @param value (string) The column of numbers. Default `"value"`. Missing
#'   values are left out.
#' @param mechanism (string) The column of mechanisms or releases, each of which
#'   has a violin. Text keeps the order of the table; a factor sets another
#'   order. Default `"mechanism"`.
#' @param panels (character or `NULL`) The columns that make the panels. One
#'   column: each of its values has a panel with its own scale. Two columns:
#'   each value of the first has a row of panels that share a scale, and each
#'   value of the second has a column of panels that shows only the mechanisms
#'   it has. `NULL`, the default: one panel.
#' @param line (string or `NULL`) A column whose values are drawn as dashed
#'   lines in their panels, such as the value of the file. A missing value draws
#'   no line. Only for `"violins"`. `NULL`, the default: no lines.
#' @param prefix (string or `NULL`) Text before amounts on the axis, such as
#'   `"$"`. `NULL`, the default: no text.
#' @param type (string) What to show:
#'   * `"violins"`, the default;
#'   * `"density"`: the density of the numbers, with one line for each
#'     mechanism; the line of `"confidential"` is thick;
#'   * `"records"`: the numbers against the values of `at`, with a panel for
#'     each mechanism.
#' @param at (string or `NULL`) A column of numbers. `"records"` needs it for
#'   the true values. `"density"` takes it if the table holds finished curves:
#'   `value` is then the density at the point `at`. `NULL`, the default: no
#'   column; densities are computed from `value`.
#' @param log (flag) Show amounts on a log scale? Only for `"density"` and
#'   `"records"`. Default `FALSE`.
#' @param ... Must be empty.
#' @return A ggplot object.
#' @section Error types: `pseudosynth_error_input`: a column that `table` does
#'   not have, or that has no numbers; `at` for violins, or no `at` for records;
#'   panels for records, or more than one column of panels for densities; `line`
#'   or `log` for a type that does not take it; a density of a single number;
#'   `log` of amounts that are not positive.
#' @section Privacy: The figure shows the numbers of `table`. They are
#'   confidential if they come from confidential files.
#' @references Hu, Williams and Savitsky, Mechanisms for global differential
#'   privacy under Bayesian data synthesis, figures 2 to 8 and 10 to 24. Hu and
#'   Savitsky, Risk-weighted pseudo posterior, figures 14 to 17.
#' @seealso [compare()] runs several mechanisms on one file; [replicate_study()]
#'   runs one mechanism on many files.
#' @examples
#' study <- expand.grid(
#'   replicate = 1:50, mechanism = c("Unweighted", "LW"), epsilon = c(5, 3)
#' )
#' study$value <- ifelse(study$mechanism == "LW", 2, 4) + rnorm(200, 0, 0.4)
#' study$half <- study$epsilon / 2
#' study$epsilon <- paste("epsilon", study$epsilon)
#' plot_study(study, panels = "epsilon", line = "half")
#' plot_study(study, type = "density", panels = "epsilon")
#' @export
plot_study <- function(table, value = "value", mechanism = "mechanism",
                       panels = NULL, line = NULL, prefix = NULL, ...,
                       type = c("violins", "density", "records"), at = NULL,
                       log = FALSE) {
  check_no_dots(..., hint = "See {.fn plot_study}.")
  type <- check_choice(type, c("violins", "density", "records"))
  check_flag(log)
  check_data_frame(table)
  check_study_column(table, value, number = TRUE)
  check_study_column(table, mechanism)
  check_that(
    is.null(panels) || is.character(panels), panels,
    "{.arg panels} must be names of columns."
  )
  refuse_if(
    length(panels) > 2, "{.arg panels} must be one or two columns.",
    x = "It names {length(panels)}.", arg = "panels"
  )
  for (panel in panels) check_study_column(table, panel, arg = "panels")
  check_study_type(table, type, panels, line, at, log)
  if (!is.null(line)) {
    check_study_column(table, line, number = TRUE, none = TRUE)
  }
  prefix <- response_prefix(prefix)
  frame <- data.frame(
    mechanism = in_order(table[[mechanism]]),
    value = as.double(table[[value]]),
    line = if (is.null(line)) NA_real_ else as.double(table[[line]])
  )
  frame$at <- if (is.null(at)) frame$value else as.double(table[[at]])
  for (i in seq_along(panels)) {
    frame[[paste0("panel", i)]] <- in_order(table[[panels[i]]])
  }
  frame <- frame[is.finite(frame$value) & is.finite(frame$at), ]
  amounts <- c(frame$at, if (type == "records") frame$value)
  refuse_if(
    log && any(amounts <= 0), "{.arg log} needs positive amounts.",
    x = "{format_count(sum(amounts <= 0))} are not.", arg = "log"
  )
  single <- unique(frame$mechanism[group_sizes(frame) < 2])
  refuse_if(
    type == "density" && length(single) > 0,
    "A density needs at least two numbers per mechanism in each panel.",
    x = "{.val {single}} {?has/have} only one.",
    i = "{.arg type} {.val violins} shows one number as a dot.", arg = "table"
  )
  transform <- if (log) "log" else "identity"
  switch(type,
    violins = draw_study(frame, length(panels), prefix),
    density = draw_study_curves(frame, !is.null(at), transform, prefix),
    records = records_figure(
      data.frame(
        release = frame$mechanism, confidential = frame$at,
        synthetic = frame$value
      ),
      transform, prefix, release_colours(levels(frame$mechanism))
    ) +
      labs(x = "Confidential", y = "Synthetic") +
      theme_pseudosynth() + panels("release", 26)
  )
}

#' What the types other than violins need and what they have no use for
#' @noRd
check_study_type <- function(table, type, panels, line, at, log) {
  if (!is.null(at)) check_study_column(table, at, number = TRUE)
  refuse_if(
    if (is.null(at)) type == "records" else type == "violins",
    "{.arg at} must name the column of true values for {.val records}, or of
     places for {.val density}. {.val violins} do not use it.",
    arg = "at"
  )
  refuse_if(
    length(panels) > switch(type, violins = 2, density = 1, records = 0),
    "{.arg panels} must name fewer columns for {.arg type} {.val {type}}.",
    x = "It names {length(panels)}.",
    i = "{.val violins} takes two, {.val density} one and {.val records} none.",
    arg = "panels"
  )
  refuse_if(
    type != "violins" && !is.null(line),
    "{.arg line} only applies to {.val violins}.", arg = "line"
  )
  refuse_if(
    type == "violins" && log,
    "{.arg log} only applies to {.val density} and {.val records}.",
    arg = "log"
  )
}

#' Densities of the numbers, or curves that the table holds
#' @noRd
draw_study_curves <- function(frame, is_curve, transform, prefix) {
  if (is.null(frame$panel1)) frame$panel1 <- factor("all")
  names <- levels(frame$mechanism)
  curves <- do.call(rbind, lapply(split(frame, frame$panel1), function(own) {
    found <- if (is_curve) {
      data.frame(x = own$at, y = own$value, kind = own$mechanism)
    } else {
      values <- split(own$value, droplevels(own$mechanism))
      found <- density_curves(values, transform)
      found$kind <- factor(names(values)[found$curve], names)
      found[c("x", "y", "kind")]
    }
    cbind(found, panel = own$panel1[1])
  }))
  curves$curve <- as.integer(curves$kind)
  limits <- if (nlevels(curves$panel) == 1) range(curves$x)
  figure <- draw_alone(
    draw_densities, curves = curves, look = look_of_releases(names),
    transform = transform, prefix = prefix, limits = limits
  ) + labs(x = NULL)
  if (nlevels(curves$panel) == 1) {
    return(figure)
  }
  figure + panels("panel", 26, scales = "free") +
    guides(x = guide_axis(check.overlap = TRUE))
}

#' Levels in the order of the table, unless it is a factor, and those there are
#' @noRd
in_order <- function(x) {
  if (is.factor(x)) droplevels(x) else factor(x, unique(x))
}

# Fewer numbers have no violin, whose shape would be the smoothing's alone
fewest_numbers <- 5

#' How many numbers each number's mechanism has in its panel
#' @noRd
group_sizes <- function(frame) {
  group <- frame[grep("^mechanism$|^panel", names(frame))]
  stats::ave(numeric(nrow(frame)), do.call(paste, group), FUN = length)
}

draw_study <- function(frame, n_panels, prefix) {
  names <- levels(frame$mechanism)
  colours <- release_colours(names)
  few <- frame[group_sizes(frame) < fewest_numbers, ]
  many <- function(frame) frame[group_sizes(frame) >= fewest_numbers, ]
  lines <- unique(frame[
    !is.na(frame$line), c("line", grep("^panel", names(frame), value = TRUE)),
    drop = FALSE
  ])
  figure <- ggplot(frame, aes(x = .data$mechanism, y = .data$value)) +
    (if (nrow(lines) > 0) {
      geom_hline(
        aes(yintercept = .data$line),
        data = lines, colour = "grey45", linewidth = 0.4,
        linetype = "dashed"
      )
    }) +
    group_violins(
      "mechanism", colours, size = 1.8, many = many, dots = if (nrow(few) > 0) {
        geom_point(aes(colour = .data$mechanism), few, size = 3.2)
      }
    ) +
    scale_y_continuous(labels = label_amount(prefix), n.breaks = 4) +
    labs(x = NULL, y = NULL) +
    theme_pseudosynth() +
    theme_columns() +
    theme(axis.text.x = element_text(size = 10))
  columns <- switch(n_panels + 1,
    1, min(3, nlevels(frame$panel1)), nlevels(frame$panel2)
  )
  # Names that would meet those beside them
  if (sum(nchar(names)) * columns > 45) {
    figure <- figure + theme(
      axis.text.x = element_text(angle = 35, hjust = 1)
    )
  }
  figure + switch(n_panels + 1,
    NULL,
    facet_wrap(vars(.data$panel1), scales = "free_y"),
    list(
      facet_grid(
        vars(.data$panel1), vars(.data$panel2),
        scales = "free", switch = "y"
      ),
      theme(
        strip.placement = "outside",
        strip.text.y.left = element_text(hjust = 0.5),
        panel.spacing.x = unit(10, "pt")
      )
    )
  )
}

#' @param name (string) The column that an argument names.
#' @param none (flag) May all its numbers be missing?
#' @noRd
check_study_column <- function(table, name, number = FALSE, none = FALSE,
                               arg = rlang::caller_arg(name)) {
  check_string(name, arg = arg)
  check_names(name, names(table), arg = arg, of = "columns of {.arg table}")
  column <- table[[name]]
  refuse_if(
    number && (!is.numeric(column) || !none && !any(is.finite(column))),
    "Column {.val {name}} of {.arg table} must hold numbers.",
    x = "It is {describe_type(column)}.", arg = arg, column = name
  )
}
