expect_fitting <- function(figures, widths) {
  for (name in names(figures)) {
    for (width in widths) {
      faults <- suppressWarnings(figure_faults(figures[[name]], width))
      expect(
        length(faults) == 0,
        sprintf(
          "%s at %d inches: %s", name, width, paste(faults, collapse = "; ")
        )
      )
    }
  }
}

expect_same_figures <- function(figures) {
  for (name in setdiff(names(figures), "posterior predictive check")) {
    expect_snapshot_output(cat(
      name, paste0("  ", describe_figure(figures[[name]])),
      sep = "\n"
    ))
  }
}

test_that("nothing overlaps or is cut in figures of fits and jobs", {
  skip_on_cran()
  # By day those of several fits, which hold most, and a job's
  few <- c(
    "weights of several", "fit, trace", "fits, bounds", "fits, change",
    "fits, parameters", "fits, densities", "job, weights", "job, density",
    "job, tail", "job, records"
  )
  figures <- fit_figures()
  expect_fitting(by_night(figures, figures[few]), by_night(c(5, 7, 10), 5))
})

test_that("nothing overlaps or is cut in any other figure", {
  skip_on_cran()
  skip_unless_nightly()
  expect_fitting(figure_gallery(), c(5, 7, 10))
})

test_that("overlaps and cuts are found", {
  data <- data.frame(x = letters[1:8], y = 1:8)
  figure <- ggplot2::ggplot(data, ggplot2::aes(x, y)) +
    ggplot2::geom_point() +
    ggplot2::scale_x_discrete(labels = rep("a long label", 8))
  expect_match(figure_faults(figure, 5), "axis-b overlaps")
  beside <- ggplot2::ggplot(
    data.frame(x = c(1, 2), y = 1, panel = 1:2), ggplot2::aes(x, y)
  ) +
    ggplot2::geom_point() +
    ggplot2::facet_wrap(~panel) +
    ggplot2::scale_x_continuous(
      breaks = c(1, 2), labels = c("1,000,000,000", "2,000,000,000"),
      expand = c(0, 0)
    )
  expect_match(figure_faults(beside, 5), "two panels", all = FALSE)
  beside$scales$scales[[1]]$labels <- c("1", "2")
  apart <- ggplot2::theme(panel.spacing.x = ggplot2::unit(20, "pt"))
  expect_null(figure_faults(beside + apart, 5))
  long <- figure + ggplot2::labs(
    title = strrep("title ", 30), subtitle = strrep("word ", 40)
  )
  expect_match(figure_faults(long, 10), "is cut", all = FALSE)
  expect_identical(
    figure_faults(figure + ggplot2::scale_x_discrete(labels = 1:8), 5), NULL
  )
})

test_that("figures of fits and jobs keep layers, labels, scales and panels", {
  skip_on_cran()
  expect_same_figures(fit_figures())
})

test_that("other figures keep layers, labels, scales and panels", {
  skip_on_cran()
  skip_unless_nightly()
  expect_same_figures(figure_gallery())
})

test_that("every class with a figure has plot() and autoplot()", {
  methods <- getNamespaceInfo("pseudosynth", "S3methods")
  classes <- function(generic) methods[methods[, 1] == generic, 2]
  # Weights are numbers; all others have the plot() of their parent class
  expect_setequal(classes("plot"), c("privacy_weights", "pseudosynth_result"))
  for (object in list(lw_fit(), small_job(), lw_fit()$privacy_weights)) {
    expect_s3_class(plot(object), "ggplot")
    expect_true(class(object)[1] %in% classes("autoplot"))
  }
})
