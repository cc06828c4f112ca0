test_that("shares are those of a table", {
  y <- c(3, 0, 0, 7)
  expect_equal(value_shares(y), c("0" = 0.5, "3" = 0.25, "7" = 0.25))
  expect_equal(value_shares(y, 0:2), c("0" = 0.5, "1" = 0, "2" = 0))
  expect_equal(
    value_shares(factor(c("a", "a"), c("a", "b"))), c(a = 1, b = 0)
  )
  expect_equal(value_shares(c(TRUE, TRUE)), c("FALSE" = 0, "TRUE" = 1))
})

layer_kinds <- function(figure) {
  unname(vapply(figure$layers, function(layer) class(layer$geom)[1], ""))
}

test_that("two values and few counts get bars, many counts cumulative lines", {
  few <- list(c(0, 1, 2, 2), c(0, 0, 5, 1))
  many <- withr::with_seed(1, replicate(3, stats::rpois(500, 200), FALSE))
  yes <- list(c("no", "yes"), c("no", "no"))
  expect_identical(
    layer_kinds(share_figure(few, "count")), c("GeomCol", "GeomPoint")
  )
  expect_identical(layer_kinds(share_figure(few[1], "count")), "GeomCol")
  expect_identical(
    layer_kinds(share_figure(yes[1], "binary", confidential = yes[[2]])),
    c("GeomCol", "GeomPoint")
  )
  expect_identical(layer_kinds(share_figure(many, "count")), "GeomStep")
})

test_that("the heights are the shares", {
  figure <- share_figure(
    list(c(0, 1, 1, 3)), "count",
    confidential = c(0, 0, 1, 1)
  )
  built <- ggplot2::ggplot_build(figure)$data
  expect_equal(built[[1]]$y, c(0.5, 0.5, 0))
  expect_equal(built[[2]]$y, c(0.25, 0.5, 0.25))
  many <- withr::with_seed(1, stats::rpois(500, 200))
  built <- ggplot2::ggplot_build(share_figure(list(many), "count"))$data[[1]]
  at <- built$x[100]
  expect_equal(built$y[100], mean(many <= at))
})

test_that("lines hold shares at places of a grid, not the values", {
  many <- withr::with_seed(1, stats::rpois(5000, 1e6))
  figure <- share_figure(list(many), "count")
  expect_lte(nrow(figure$data), 400)
  expect_lt(mean(many %in% figure$data$x), 0.5)
})
