# The figures of the papers, and the resampled statistics that they show. See
# harness.R, which loads this file: all names here are its own or the package's.

# Studies ----------------------------------------------------------------------

#' Draw the numbers that a simulation study measured
#'
#' Violins with a circle at each median. A mechanism with fewer than five
#' numbers in a panel has dots: a violin's shape would be the smoothing's alone.
#' @param table (data frame) One row for each number. Missing ones are left out.
#' @param value,mechanism (string) Columns of `table`. Text keeps the order of
#'   the table; a factor sets another.
#' @param panels (character or `NULL`) One column: each value has a panel with
#'   its own scale. Two, for violins: the first has rows of panels that share a
#'   scale.
#' @param line (string or `NULL`) A column of values drawn as dashed lines.
#' @param prefix (string) Text before amounts on the axis.
#' @param type (string) `"violins"`; `"density"`, a line for each mechanism;
#'   `"records"`, the numbers against those of `at`.
#' @param at (string or `NULL`) The true values of `"records"`, or the places of
#'   curves that the table holds.
#' @param log (flag) Amounts on a log scale? Not for violins.
plot_study <- function(table, value = "value", mechanism = "mechanism",
                       panels = NULL, line = NULL, prefix = "",
                       type = c("violins", "density", "records"), at = NULL,
                       log = FALSE) {
  type <- match.arg(type)
  number <- function(column, missing) {
    if (is.null(column)) missing else as.double(table[[column]])
  }
  frame <- data.frame(
    mechanism = in_order(table[[mechanism]]), value = number(value),
    line = number(line, NA_real_)
  )
  frame$at <- number(at, frame$value)
  for (i in seq_along(panels)) {
    frame[[paste0("panel", i)]] <- in_order(table[[panels[i]]])
  }
  frame <- frame[is.finite(frame$value) & is.finite(frame$at), ]
  transform <- if (log) "log" else "identity"
  switch(type,
    violins = study_violins(frame, length(panels), prefix),
    density = study_curves(frame, !is.null(at), transform, prefix),
    records = records_figure(
      data.frame(
        release = frame$mechanism, confidential = frame$at,
        synthetic = frame$value
      ),
      transform, prefix, release_colours(levels(frame$mechanism))
    ) +
      labs(x = "Confidential", y = "Synthetic") +
      theme_pseudosynth() + pseudosynth:::panels("release", 26)
  )
}

#' Levels in the order of the table, unless it is a factor, and those there are
in_order <- function(x) {
  if (is.factor(x)) droplevels(x) else factor(x, unique(x))
}

#' How many numbers each number's mechanism has in its panel
group_sizes <- function(frame) {
  group <- frame[grep("^mechanism$|^panel", names(frame))]
  stats::ave(numeric(nrow(frame)), do.call(paste, group), FUN = length)
}

#' Densities of the numbers, or curves that the table holds
study_curves <- function(frame, is_curve, transform, prefix) {
  # The density of a single number is the smoothing's alone
  stopifnot(is_curve || all(group_sizes(frame) > 1))
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
  alone <- nlevels(curves$panel) == 1
  figure <- draw_alone(
    draw_densities, curves = curves, look = look_of_releases(names),
    transform = transform, prefix = prefix,
    limits = if (alone) range(curves$x)
  ) + labs(x = NULL)
  if (alone) {
    return(figure)
  }
  # Room for half of "$1 million" on both sides
  figure + panels("panel", 48, scales = "free") +
    guides(x = guide_axis(check.overlap = TRUE)) +
    theme(plot.margin = margin(10, 38, 8, 10))
}

study_violins <- function(frame, n_panels, prefix) {
  names <- levels(frame$mechanism)
  few <- frame[group_sizes(frame) < 5, ]
  many <- function(frame) frame[group_sizes(frame) >= 5, ]
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
      "mechanism", release_colours(names), size = 1.8, many = many,
      dots = if (nrow(few) > 0) {
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

# Parameters -------------------------------------------------------------------

#' Densities of the parameters of fits, as they are and each about its own mean,
#' as in figure 1 of the paper on censoring
#'
#' A fit without any weight is the prior, whose range would leave nothing of the
#' others: it is dotted and does not widen the panels.
#' @param fits (named list of synthesizers)
#' @param parameters (character or `NULL`) Columns of their draws.
plot_densities_of <- function(fits, parameters = NULL) {
  frame <- parameter_frame(fits, parameters)
  is_prior <- vapply(fits, function(fit) all(alpha_of(fit) == 0), NA)
  sides <- c("as it is", "about its mean")
  curves <- do.call(rbind, lapply(split(frame, frame$parameter), function(own) {
    values <- split(own$value, own$fit)
    do.call(rbind, lapply(sides, function(side) {
      if (side == sides[2]) values <- lapply(values, function(x) x - mean(x))
      range <- range(unlist(values[!is_prior]))
      at <- seq(range[1], range[2], length.out = 200)
      do.call(rbind, Map(function(x, fit) {
        data.frame(
          parameter = own$parameter[1], side = factor(side, sides),
          kind = factor(fit, names(fits)), x = at, y = density_at(x, at)
        )
      }, values, names(fits)))
    }))
  }))
  curves$curve <- as.integer(curves$kind)
  look <- look_of_releases(names(fits))
  look$colour[is_prior] <- colour_confidential
  look$line[is_prior] <- "dotted"
  look$line[!is_prior] <- c("solid", "dashed")[seq_len(sum(!is_prior))]
  draw_alone(draw_curves, curves = curves, layer = geom_line(), look = look) +
    facet_wrap(
      vars(.data$parameter, .data$side), ncol = 2, scales = "free",
      # One line of text above a panel of two variables
      labeller = function(labels) {
        list(do.call(paste, c(lapply(labels, as.character), sep = ", ")))
      }
    ) +
    scale_x_continuous(labels = label_amount(), n.breaks = 4) +
    density_axis() +
    confidential_labs(title = "Posterior of the parameters", x = NULL)
}

#' A kernel density, where values far out do not widen the bandwidth
density_at <- function(x, at) {
  bandwidth <- stats::bw.nrd0(x)
  near <- x[x > at[1] - 5 * bandwidth & x < at[length(at)] + 5 * bandwidth]
  if (length(near) < 2) {
    return(numeric(length(at)))
  }
  found <- stats::density(
    near, bw = bandwidth, n = length(at), from = at[1], to = at[length(at)]
  )
  found$y * length(near) / length(x)
}

# Resampled statistics ---------------------------------------------------------

#' Compare statistics of file and sets with their resampling error
#'
#' Resamples the file and each set with replacement, computes the statistics
#' each time and compares their distributions. Those of several sets are
#' combined by their Wasserstein barycentre, the mean of their quantile
#' functions (Srivastava, Li and Dunson 2018). R's random numbers: call
#' set.seed() first.
#' @param releases (named list) Sets by release: what synthesize() gives, a data
#'   frame or a list of them.
#' @param data (data frame) The file.
#' @param statistics (character or list) `"mean"`, `"median"` or quantiles such
#'   as `"90%"` of `variable`; named functions of a data frame that return
#'   numbers, with names if they return several.
#' @param variable (string)
#' @return (list) `table`: `statistic`, `release`, `estimate` (of the file, or
#'   the mean over sets), `low`, `high`, `overlap` of its interval with the
#'   file's, `distance` (Wasserstein); `draws`: `statistic`, `release`, `value`.
resample_statistics <- function(releases, data, statistics, variable,
                                replicates = 500, level = 0.95) {
  statistics <- as.list(statistics)
  words <- vapply(statistics, is.character, NA)
  names(statistics)[words] <- unlist(statistics[words])
  statistics[words] <- lapply(statistics[words], word_statistic, variable)
  measure <- function(data) {
    numbers <- unlist(lapply(statistics, function(f) f(data)))
    # One name stands for one statistic alone
    stopifnot(is.numeric(numbers), anyDuplicated(names(numbers)) == 0)
    numbers[!is.na(numbers)]
  }
  file <- resampled(data, measure, replicates)
  names <- names(file$estimate)
  found <- lapply(releases, function(sets) {
    sets <- if (is.data.frame(sets)) list(sets) else as.list(sets)
    barycentre(lapply(sets, resampled, measure, replicates, names))
  })
  found <- c(list(confidential = file), found)
  stacked <- function(rows_of) {
    rows <- do.call(rbind, Map(rows_of, found, names(found)))
    rows <- rows[order(match(rows$statistic, names)), ]
    `rownames<-`(rows, NULL)
  }
  list(
    table = stacked(function(x, release) {
      interval <- function(y) {
        t(apply(y$draws, 2, stats::quantile, c(1 - level, 1 + level) / 2))
      }
      data.frame(
        statistic = names, release = release, estimate = unname(x$estimate),
        low = interval(x)[, 1], high = interval(x)[, 2],
        overlap = row_overlaps(interval(x), interval(file)),
        distance = colMeans(abs(x$draws - file$draws))
      )
    }),
    draws = stacked(function(x, release) {
      data.frame(
        statistic = rep(names, each = replicates), release = release,
        value = as.vector(x$draws)
      )
    })
  )
}

word_statistic <- function(word, variable) {
  function(data) {
    y <- data[[variable]]
    switch(word,
      mean = mean(y), median = stats::median(y),
      stats::quantile(y, as.double(sub("%", "", word)) / 100, names = FALSE)
    )
  }
}

#' @return (list) `estimate` (named numbers), `draws` (matrix, a sorted column
#'   for each statistic).
resampled <- function(data, measure, replicates, names = NULL) {
  estimate <- measure(data)
  names <- names %||% names(estimate)
  stopifnot(length(names) > 0, identical(names(estimate), names))
  draws <- replicate(replicates, {
    rows <- sample.int(nrow(data), replace = TRUE)
    # A resample may lack a level: its coefficient is then not there
    measure(data[rows, , drop = FALSE])[names]
  })
  draws <- matrix(draws, length(names))
  list(estimate = estimate, draws = apply(draws, 1, function(x) {
    x <- sort(x)
    stopifnot(length(x) >= replicates / 2)
    if (length(x) == replicates) {
      return(x)
    }
    stats::quantile(x, stats::ppoints(replicates), names = FALSE)
  }))
}

#' The mean of the quantile functions: sorted values, one by one
barycentre <- function(each) {
  list(estimate = mean_over(each, "estimate"), draws = mean_over(each, "draws"))
}

#' A panel for each statistic with a violin for the file and for each release;
#' circle: the estimate; dashed: that of the file
plot_resampled <- function(found) {
  releases <- unique(found$table$release)
  # From the top down
  placed <- function(frame) {
    frame$release <- factor(frame$release, rev(releases))
    frame$statistic <- factor(frame$statistic, unique(found$table$statistic))
    frame
  }
  table <- placed(found$table)
  ggplot(placed(found$draws), aes(x = .data$value, y = .data$release)) +
    geom_vline(
      aes(xintercept = .data$estimate),
      data = table[table$release == "confidential", ], colour = "grey55",
      linewidth = 0.4, linetype = "dashed"
    ) +
    violins(aes(fill = .data$release), width = 0.7) +
    circles(aes(x = .data$estimate), data = table) +
    scale_fill_manual(values = release_colours(releases), guide = "none") +
    scale_x_continuous(
      labels = label_thousands(), breaks = inner_breaks,
      # Long amounts near each other: better one than two that overlap
      guide = guide_axis(check.overlap = TRUE)
    ) +
    facet_wrap(vars(.data$statistic), scales = "free_x") +
    confidential_labs(x = NULL, y = NULL) +
    theme_rows(14)
}
