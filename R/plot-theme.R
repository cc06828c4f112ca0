# The look of all figures: plain, colourblind-safe (Okabe and Ito's palette),
# readable at the size of a report.

#' @importFrom ggplot2 autoplot
#' @export
ggplot2::autoplot

#' @importFrom ggplot2 aes annotate coord_cartesian coord_equal element_blank
#'   element_line element_rect element_text expansion facet_grid facet_wrap
#'   geom_abline geom_col geom_errorbar geom_histogram geom_hline geom_line
#'   geom_linerange geom_path geom_point geom_rect geom_rug geom_segment
#'   geom_step geom_text geom_tile geom_violin geom_vline ggplot guide_axis
#'   guide_legend guides label_wrap_gen labs margin position_dodge
#'   position_dodge2 position_jitter scale_alpha_manual scale_colour_identity
#'   scale_colour_manual scale_fill_gradient scale_fill_identity
#'   scale_fill_manual scale_linetype_manual scale_linewidth_manual
#'   scale_shape_manual scale_x_continuous scale_x_log10 scale_y_continuous
#'   scale_y_discrete scale_y_log10 scale_y_sqrt stat_summary theme
#'   theme_minimal unit vars
NULL

#' @importFrom rlang .data
#' @importFrom rlang %||%
NULL

colour_confidential <- "#333333"
colour_synthetic <- "#0072B2"
colour_bound <- "#D55E00"
chain_colours <- c(
  "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"
)
confidential_caption <- "Confidential: not for release"

theme_pseudosynth <- function() {
  theme_minimal(base_size = 12) +
    theme(
      panel.grid.minor = element_blank(),
      panel.grid.major = element_line(colour = "grey92", linewidth = 0.3),
      axis.line.x = element_line(colour = "grey60", linewidth = 0.3),
      axis.ticks.x = element_line(colour = "grey60", linewidth = 0.3),
      axis.title = element_text(colour = "grey25"),
      axis.text = element_text(colour = "grey35"),
      strip.text = element_text(
        colour = "grey15", face = "bold", hjust = 0, size = 11
      ),
      legend.position = "top", legend.justification = "left",
      legend.title = element_blank(), legend.margin = margin(0, 0, 0, 0),
      legend.box.spacing = unit(4, "pt"), plot.title.position = "plot",
      plot.caption.position = "plot",
      plot.title = element_text(
        face = "bold", size = 14, margin = margin(b = 3)
      ),
      plot.subtitle = element_text(
        colour = "grey35", size = 11, margin = margin(b = 8)
      ),
      plot.caption = element_text(
        colour = "grey45", hjust = 0, size = 9, margin = margin(t = 8)
      ),
      plot.background = element_rect(fill = "white", colour = NA),
      plot.margin = margin(10, 22, 8, 10)
    )
}

# The look of one group beside the other: by columns, or by rows of panels
theme_columns <- function() {
  theme(
    axis.text.x = element_text(size = 12, colour = "grey15"),
    panel.grid.major.x = element_blank()
  )
}

theme_rows <- function(spacing, grid = FALSE) {
  theme(
    axis.text.y = element_text(colour = "grey15"),
    panel.spacing.x = unit(spacing, "pt")
  ) + if (!grid) theme(panel.grid.major.y = element_blank())
}

#' Objects of a figure by the names they have in it
#' @param name (string or `NULL`) Of the first.
#' @param unnamed (function of an object and its place) The name of others.
#' @return (named list)
#' @noRd
named_parts <- function(first, others, name, class, unnamed) {
  for (other in others) check_class(other, class, arg = "...")
  parts <- c(list(first), others)
  given <- c(name %||% "", names(others) %||% rep("", length(others)))
  plain <- which(given == "")
  given[plain] <- vapply(plain, function(i) unnamed(parts[[i]], i), "")
  # make.unique() would write LW.1
  twice <- stats::ave(seq_along(given), given, FUN = seq_along)
  given <- paste0(given, ifelse(twice > 1, paste0(" (", twice, ")"), ""))
  stats::setNames(parts, given)
}

#' What dots hold beside the first object of a figure: objects of its class;
#' anything else is not known
#' @noRd
only_class <- function(others, class, hint) {
  strange <- !vapply(others, inherits, NA, class)
  do.call(check_no_dots, c(others[strange], list(hint = hint)), quote = TRUE)
  others
}

# One row a record of each, in the order given
stack_frames <- function(parts, column, frame_of) {
  names <- names(parts)
  frame <- do.call(rbind, Map(function(part, name) {
    data.frame(stats::setNames(list(name), column), frame_of(part))
  }, parts, names))
  frame[[column]] <- factor(frame[[column]], names)
  frame
}

#' A subtitle in lines that have room at a width of five inches
#' @noRd
wrapped <- function(text) paste(strwrap(text, 62), collapse = "\n")

#' Colours of releases: a mechanism's own where one bears its name, in our words
#' or in the papers', the same in every figure
#'
#' A variant, such as `"LW (0.5, 0)"` or `"Weights_V, given"`, has a tint of it.
#' @param names (character) As a user calls them.
#' @noRd
release_colours <- function(names) {
  words <- plain_word(names)
  first <- plain_word(sub("[ ,(].*", "", names))
  own <- mechanism_colours()
  colours <- unname(own[words])
  variant <- is.na(colours)
  colours[variant] <- tinted(unname(own[first[variant]]))
  colours[words %in% c("confidential", "data", "file")] <- colour_confidential
  other <- is.na(colours)
  free <- setdiff(chain_colours, colours)
  colours[other] <- rep_len(free, sum(other))
  stats::setNames(colours, names)
}

# Half way to white
tinted <- function(colours) {
  light <- (grDevices::col2rgb(colours) + 255) / 2
  ifelse(
    is.na(colours), NA,
    grDevices::rgb(light[1, ], light[2, ], light[3, ], maxColorValue = 255)
  )
}

# Axes -----------------------------------------------------------------------

#' Readable amounts: $500, $20,000, $1.5 million
#' @noRd
label_amount <- function(prefix = "") {
  force(prefix)
  function(x) {
    size <- abs(x)
    unit <- ifelse(size >= 1e9, 1e9, ifelse(size >= 1e6, 1e6, 1))
    word <- c("1" = "", "1e+06" = " million", "1e+09" = " billion")
    number <- vapply(signif(size / unit, 6), format, character(1),
      big.mark = ",", scientific = FALSE
    )
    text <- paste0(
      ifelse(x < 0, "-", ""), prefix, number, word[as.character(unit)]
    )
    text[is.na(x)] <- NA_character_
    text
  }
}

#' The same in narrow panels, where 50,000 has no room beside 70,000: 50k
#' @noRd
label_thousands <- function() {
  amount <- label_amount()
  function(x) {
    short <- !is.na(x) & abs(x) >= 1e4 & abs(x) < 1e6
    text <- amount(x)
    text[short] <- paste0(amount(x[short] / 1000), "k")
    text
  }
}

label_percent <- function(x) {
  ifelse(is.na(x), NA, paste0(format(100 * x, trim = TRUE), "%"))
}

whole_breaks <- function(limits) {
  breaks <- pretty(limits)
  breaks[breaks == round(breaks)]
}

#' Round breaks of a logarithmic axis: decades, with 3 or 2 and 5 between them
#' where there are few
#' @noRd
log_breaks <- function(limits) {
  # A density reaches beyond the values, and they may be the largest there are
  limits <- pmin(pmax(limits, 1e-307), 1e307)
  decades <- log10(limits[2] / limits[1])
  steps <- if (decades > 3.5) 1 else if (decades > 2) c(1, 3) else c(1, 2, 5)
  powers <- 10^seq(floor(log10(limits[1])), ceiling(log10(limits[2])))
  breaks <- sort(as.vector(outer(steps, powers)))
  # Between two of them lies the whole of a short axis
  if (sum(breaks >= limits[1] & breaks <= limits[2]) < 2) {
    breaks <- pretty(limits, 4)
  }
  breaks[breaks >= limits[1] & breaks <= limits[2]]
}

#' Breaks of small panels side by side: two or three labels have room
#' @noRd
two_breaks <- function(limits) {
  breaks <- few_breaks(limits, 2:4, 0)
  if (length(breaks) > 3) breaks[c(TRUE, FALSE)] else breaks
}

#' The same for long labels: none near an end, where it would meet that of the
#' next panel
#' @noRd
inner_breaks <- function(limits) {
  breaks <- few_breaks(limits, 2:6, 0.15 * diff(limits))
  if (length(breaks) > 2) breaks[c(1, length(breaks))] else breaks
}

#' Breaks of the first size that gives two of them
#' @noRd
few_breaks <- function(limits, sizes, margin) {
  for (n in sizes) {
    breaks <- pretty(limits, n)
    breaks <- breaks[
      breaks >= limits[1] + margin & breaks <= limits[2] - margin
    ]
    if (length(breaks) > 1) break
  }
  breaks
}

#' The x axis of a response
#' @param transform (string) The modelled scale; `"log"` gives a log axis.
#' @noRd
scale_response <- function(transform, prefix, limits) {
  labels <- label_amount(prefix)
  if (transform == "log") {
    # Panels have limits of their own
    scale_x_log10(
      breaks = if (is.null(limits)) log_breaks else log_breaks(limits),
      labels = labels, expand = expansion(0.01)
    )
  } else {
    scale_x_continuous(labels = labels, expand = expansion(0.01))
  }
}

#' What stands before amounts: nothing unless it is stated
#' @noRd
response_prefix <- function(prefix) {
  if (is.null(prefix)) "" else check_string(prefix, empty = TRUE)
}
