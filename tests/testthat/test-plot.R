expect_figure <- function(figure, confidential = TRUE) {
  expect_s3_class(figure, "ggplot")
  expect_silent(built <- ggplot2::ggplot_build(figure))
  expect_gt(nrow(built$data[[1]]), 0)
  caption <- figure$labels$caption
  if (confidential) {
    expect_match(caption, "not for release")
  } else {
    expect_null(caption)
  }
}

test_that("every figure of confidential objects says so", {
  expect_figure(autoplot(unweighted_fit()$bound))
  expect_figure(autoplot(lw_fit()$privacy_weights))
  for (type in c("bounds", "weights", "trace")) {
    expect_figure(autoplot(lw_fit(), type))
  }
  for (type in c("bounds", "weights", "density")) {
    expect_figure(autoplot(small_job(), type))
  }
})

test_that("a figure of synthetic data is not confidential", {
  expect_figure(autoplot(small_job()$synthetic), confidential = FALSE)
})

test_that("plot() gives the figure, which is drawn once, changed or not", {
  withr::local_pdf(NULL)
  drawn <- 0
  setHook("before.grid.newpage", function(...) drawn <<- drawn + 1)
  withr::defer(setHook("before.grid.newpage", NULL, "replace"))
  print(plot(small_job()) + ggplot2::labs(title = "Ours"))
  expect_identical(drawn, 1)
  expect_visible(plot(small_job()))
  expect_identical(drawn, 1)
  expect_s3_class(plot(unweighted_fit()), "ggplot")
  expect_s3_class(plot(unweighted_fit()$bound), "ggplot")
  expect_s3_class(plot(lw_fit()$privacy_weights), "ggplot")
  expect_s3_class(plot(small_job()), "ggplot")
  expect_s3_class(plot(small_job()$synthetic), "ggplot")
})

test_that("an infinite bound is left out and counted", {
  bound <- lipschitz(matrix(c(-1, -2, -3, -Inf, -1, -2), 2))
  figure <- autoplot(bound)
  expect_figure(figure)
  expect_match(figure$labels$subtitle, "1\\sinfinite")
})

test_that("unknown types are refused", {
  expect_error(autoplot(lw_fit(), "pie"), class = "pseudosynth_error_input")
  expect_error(autoplot(small_job(), "pie"), class = "pseudosynth_error_input")
})

test_that("an argument that a figure does not know is refused", {
  histogram <- perturbed_histogram(
    log(income) ~ 1, privacy_data(),
    bounds = c(10, 2e6), epsilon = 1
  )
  for (object in list(
    unweighted_fit(), unweighted_fit()$bound, small_job(),
    small_job()$synthetic, histogram
  )) {
    expect_error(
      autoplot(object, which = "weights"), "`which` is\\s+not\\s+known",
      class = "pseudosynth_error_input"
    )
  }
})

test_that("amounts are readable", {
  label <- label_amount("$")
  expect_identical(
    label(c(500, 20000, 1e5, 1.5e6, -300, NA)),
    c("$500", "$20,000", "$100,000", "$1.5 million", "-$300", NA)
  )
  expect_identical(log_breaks(c(900, 120000)), c(1e3, 3e3, 1e4, 3e4, 1e5))
  # An axis with one round number says nothing of its scale
  expect_identical(log_breaks(c(1.6, 2.9)), c(2, 2.5))
  expect_identical(root_breaks(65)[1], 0)
})

test_that("the figure of weights says how near the bound the records are", {
  fit <- list(
    spec = list(alpha = c(0, 0.5, 0.6, 0.7, 1)),
    bound = list(record = c(9, 9, 8, 7, 1), overall = 10)
  )
  expect_equal(
    flatness_text(fit),
    "Half of the records below weight 1 have at least 80% of the overall bound"
  )
  fit$spec$alpha <- rep(1, 5)
  expect_equal(flatness_text(fit), "One point is one record")
})

# Width in inches of what stands in a part of a drawn figure
width_of <- function(figure, part) {
  grob <- ggplot2::ggplotGrob(figure)
  inside <- grob$grobs[grepl(part, grob$layout$name)]
  widest <- vapply(inside, function(g) {
    if (inherits(g, "gtable")) {
      grid::convertWidth(sum(g$widths), "in", valueOnly = TRUE)
    } else {
      0
    }
  }, 0)
  max(widest)
}

map_of <- function(settings, problem = "") {
  n <- nrow(settings)
  table <- data.frame(
    settings, add_remove = seq(1, 8, length.out = n), ecdf_max = 0.1,
    ecdf_max_se = 0.01, risk = NA_real_, groups = NA_real_,
    problem = rep_len(problem, n)
  )
  structure(
    list(
      table = table, m = 5, variable = "income",
      settings = setdiff(names(settings), c("mechanism", "epsilon"))
    ),
    class = "mechanism_comparison"
  )
}

test_that("twelve settings of a map are told apart, in grey too, at 5 inches", {
  withr::local_pdf(NULL, width = 5, height = 5)
  map <- map_of(data.frame(
    mechanism = "lw", scale = seq(0.4, 0.95, 0.05), shift = 0.05
  ))
  figure <- autoplot(map)
  points <- ggplot2::layer_data(figure, 3)
  expect_identical(length(unique(points$shape)), 12L)
  expect_lt(width_of(figure, "guide-box"), 5)
  # Bars of two Monte Carlo errors
  bars <- ggplot2::layer_data(figure, 2)
  expect_equal(bars$ymax - bars$ymin, rep(0.04, 12))
  # One line joins the settings of a mechanism, in the order of epsilon
  path <- ggplot2::layer_data(figure, 1)
  expect_identical(length(unique(path$group)), 1L)
  expect_false(is.unsorted(path$x))
})

test_that("lines of a map follow epsilon, runs without a result are counted", {
  map <- map_of(
    expand.grid(
      mechanism = "centred", epsilon = c(1, 2), window = c(2, 4),
      stringsAsFactors = FALSE
    ),
    problem = c("", "", "", "not converged")
  )
  map$table$ecdf_max[4] <- NA
  figure <- autoplot(map)
  expect_match(figure$labels$subtitle, "1 run without a result")
  expect_identical(
    length(unique(ggplot2::layer_data(figure, 1)$group)), 2L
  )
  expect_error(autoplot(map, against = "risk"), "radius")
  expect_error(
    autoplot(map, measure = "groups"),
    class = "pseudosynth_error_input"
  )
})

test_that("a comparison marks what has no result, in every panel", {
  compared <- list(
    table = data.frame(
      mechanism = rep(c("centred", "lw"), each = 2), asked = c(5, 1, 5, 1),
      ecdf_max = c(0.1, 0.2, NA, NA), groups = c(0.3, 0.4, NA, NA),
      r_squared = NA_real_, risk = NA_real_,
      problem = c("", "", "too far", "too far")
    ),
    m = 3, variable = "income"
  )
  class(compared) <- "mechanism_comparison"
  figure <- autoplot(compared)
  expect_match(figure$labels$subtitle, "Crosses: no result")
  points <- ggplot2::layer_data(figure, 3)
  crosses <- points[points$shape == 4, ]
  expect_identical(nrow(crosses), 4L)
  expect_identical(anyDuplicated(crosses[c("x", "PANEL")]), 0L)
  # Epsilons differ in shape, and mechanisms keep their order
  expect_identical(length(unique(points$shape[points$shape != 4])), 2L)
  built <- ggplot2::ggplot_build(figure)
  expect_identical(
    built$layout$panel_params[[1]]$y$get_labels(), c("LW", "Centred")
  )
})

test_that("the axis of bounds has figures at any size of the bounds", {
  for (top in c(0.004, 0.15, 1, 4, 65, 2300)) {
    breaks <- root_breaks(top)
    expect_gte(length(breaks), 4)
    expect_lte(max(breaks), top)
    expect_false(is.unsorted(breaks, strictly = TRUE))
  }
  # Counts: all bounds of one size, some records without weight
  fit <- list(bound = list(
    record = c(0, 0, seq(11, 13, length.out = 98)), overall = 13
  ))
  figure <- plot_stage_bounds(list(lw = fit))
  expect_match(figure$labels$subtitle, "Not shown: 2 with a bound of 0")
  shown <- ggplot2::layer_scales(figure)$y$dimension()
  expect_gt(shown[1], 10)
})

test_that("neighbours of an audit are whole numbers", {
  audit <- list(
    losses = data.frame(
      neighbours = "add-remove", loss = c(0.5, 1), loss_bulk = c(0.1, 0.2)
    ),
    worst = data.frame(neighbours = "add-remove", claim = 1),
    method = "exact", claimed = "epsilon", mechanism = "censor_uw",
    model = "y ~ 1", n_records = 20
  )
  class(audit) <- "guarantee_audit"
  built <- ggplot2::ggplot_build(autoplot(audit))
  labels <- built$layout$panel_params[[1]]$x$get_labels()
  expect_identical(labels[!is.na(labels)], c("1", "2"))
})

test_that("releases that bear a mechanism's name have its colour", {
  colours <- release_colours(c("confidential", "LW_final", "mine", "LW", "b"))
  expect_identical(
    unname(colours[c("LW_final", "LW")]),
    c(definition_lw_final()$colour, definition_lw()$colour)
  )
  expect_identical(anyDuplicated(colours), 0L)
  # Whatever stands beside it, in our words or in the papers'
  alone <- function(name) unname(release_colours(name))
  expect_identical(alone("Weights_V"), definition_risk()$colour)
  expect_identical(
    release_colours(c("Data", "a", "Weights_V"))[["Weights_V"]],
    alone("Weights_V")
  )
  expect_identical(alone("Weighted"), alone("LW"))
  expect_identical(alone("Synthesizer"), alone("Unweighted"))
  # A variant has a tint, in every figure the same
  variant <- release_colours(c("Weights_V", "Weights_V, given", "LW (0.5, 0)"))
  expect_identical(anyDuplicated(variant), 0L)
  expect_identical(variant[["Weights_V, given"]], alone("Weights_V, given"))
  expect_identical(alone("LW (0.5, 0)"), alone("LW (2)"))
  expect_identical(tinted(c("#000000", NA)), c("#7F7F7F", NA))
  expect_identical(tinted(character()), logical())
  # The file is no release: no mechanism has its colour
  every <- c("confidential", names(mechanisms()))
  expect_identical(anyDuplicated(release_colours(every)), 0L)
  expect_equal(two_breaks(c(96, 104)), c(96, 100, 104))
  expect_equal(two_breaks(c(93, 110)), c(100, 110))
})

test_that("a label's figure has its epsilons, where there are any", {
  reference <- list("(Intercept)" = 10.8, sigma = 1)
  strict <- suppressMessages(pseudo_posterior(
    log(income) ~ age, privacy_data(), gaussian(), "centred",
    epsilon = 2, m = 3, reference = reference, bounds = c(10, 2e6),
    margin_share = 0.25, prior = prior_normal(), chains = 2, warmup = 200,
    draws = 1000, seed = 1, allow_unconverged = TRUE
  ))
  skip_if_not(guarantee(strict)$label == "strict")
  figure <- autoplot(guarantee(strict))
  expect_figure(figure)
  own <- figure$data[figure$data$neighbours == "add-remove", ]
  expect_equal(own$epsilon, c(0.5, 0.5, 2))
  expect_identical(own$text, c("0.5", "0.5", "2"))
  # What leaves has the same figure, which may leave, too
  public <- autoplot(guarantee(strict$synthetic))
  expect_figure(public, confidential = FALSE)
  expect_equal(public$data, figure$data)
  paid_once <- perturbed_histogram(
    log(income) ~ 1, privacy_data(), c(10, 2e6), epsilon = 1
  )
  once <- autoplot(guarantee(paid_once))$data
  expect_equal(once$epsilon[once$neighbours == "add-remove"], 1)
  expect_identical(levels(once$part), "spent once")
  # A claim is hollow
  claim <- plot(guarantee(lw_fit()))
  expect_identical(claim$layers[[1]]$aes_params$fill, "white")
  for (without in list(
    guarantee(unweighted_fit()), guarantee(small_job()$synthetic)
  )) {
    for (verb in list(plot, autoplot)) {
      expect_error(
        verb(without), "without an epsilon",
        class = "pseudosynth_error_input"
      )
    }
  }
})

test_that("no epsilon of a figure is smaller than it is", {
  expect_identical(
    format_up(c(0, 0.5, 2, 4.99784, 9.7901, 1 / 3, 12345.6)),
    c("0", "0.5", "2", "4.998", "9.791", "0.3334", "12,350")
  )
})

test_that("a job's tail and records are those of the file and of its sets", {
  job <- small_job()
  data <- privacy_data()
  tail <- autoplot(job, "tail")
  expect_figure(tail)
  whole <- autoplot(job, "density")$data
  start <- quantile(data$income, 0.9, names = FALSE)
  expect_equal(
    tail$data, whole[whole$x >= start, ],
    ignore_attr = TRUE
  )
  records <- autoplot(job, "records")
  expect_figure(records)
  expect_identical(records$data$confidential, as.double(data$income))
  set <- in_file_order(job$synthetic$sets, data, "income")[[1]]
  expect_identical(records$data$synthetic, as.double(set$income))
  yes <- transform(data, high = income > 60000)
  answers <- pseudo_posterior(high ~ earner, yes, bernoulli(), "unweighted",
    prior = prior_normal(), chains = 2, warmup = 200, draws = 500, seed = 5
  )
  for (type in c("tail", "records")) {
    error <- expect_error(
      autoplot(answers, type),
      class = "pseudosynth_error_input"
    )
    expect_identical(error$arg, "type")
  }
  counts <- transform(data, rooms = as.integer(age))
  job <- pseudo_posterior(rooms ~ earner, counts, poisson(), "unweighted",
    prior = prior_normal(), chains = 2, warmup = 200, draws = 500, seed = 5
  )
  expect_figure(autoplot(job, "records"))
  expect_error(autoplot(job, "tail"), "is a count")
})

test_that("amounts are short in narrow panels", {
  expect_identical(
    label_thousands()(c(500, 9000, 50000, 72500, 1.5e6, NA)),
    c("500", "9,000", "50k", "72.5k", "1.5 million", NA)
  )
})

test_that("risks by class are those of the class's records", {
  data <- privacy_data()
  risk <- identification_risk(small_job(), known = "earner", radius = 0.2)
  figure <- autoplot(risk, by = data$age)
  expect_figure(figure)
  drawn <- figure$data
  for (class in levels(droplevels(data$age))) {
    expect_identical(
      drawn$risk[drawn$class == class], risk$record$risk[data$age == class]
    )
  }
  # Numbers by fifths, all records in one of them
  fifths <- plot(risk, b = risk, by = data$income)$data
  sizes <- table(fifths$class, fifths$release)
  expect_identical(dim(sizes), c(5L, 2L))
  expect_identical(sum(sizes), 300L)
  expect_true(all(sizes >= 25 & sizes <= 35))
  first <- fifths$class == levels(fifths$class)[5] & fifths$release == "b"
  expect_lte(
    max(data$income[first[151:300]]), quantile(data$income, 0.21)
  )
  for (by in list(
    data$age[-1], replace(as.integer(data$age), 3, NA), seq_len(151),
    as.character(seq_len(150)), list(1), quote(f(x)), sum
  )) {
    error <- expect_error(
      autoplot(risk, by = by),
      class = "pseudosynth_error_input"
    )
    expect_identical(error$arg, "by")
  }
})

test_that("values near the largest number have breaks and figures", {
  expect_true(all(is.finite(log_breaks(c(1e290, Inf)))))
  expect_true(all(is.finite(log_breaks(c(0, 1e-300)))))
  file <- data.frame(y = c(1, 2, 5, 9) * 1e307)
  expect_s3_class(
    ggplot2::ggplotGrob(autoplot(utility(file, file, "y"))), "gtable"
  )
  expect_s3_class(
    ggplot2::ggplotGrob(autoplot(utility(file[1, , drop = FALSE],
      file[1, , drop = FALSE], "y"
    ))), "gtable"
  )
})

test_that("one record, and equal ones, have a curve", {
  for (y in list(3.5, c(3.5, 3.5), 0)) {
    figure <- density_figure(
      list(y, y), c("synthetic", "synthetic"), "none", "",
      look_of_sets("synthetic", 2)
    )
    curve <- ggplot2::layer_data(figure)
    expect_true(all(is.finite(curve$y)))
    width <- diff(range(curve$x))
    expect_gt(width, 0)
    expect_equal(mean(curve$y) * width, 1, tolerance = 0.02)
  }
})

test_that("figures of several fits hold each fit's own numbers", {
  fit <- unweighted_fit()
  lw <- lw_fit()
  bounds <- autoplot(fit, "bounds", LW = lw)
  expect_figure(bounds)
  expect_identical(levels(bounds$data$stage), c("Unweighted", "LW"))
  own <- bounds$data$bound[bounds$data$stage == "LW"]
  expect_identical(own, lw$bound$record[lw$bound$record > 0])
  change <- autoplot(fit, "change", LW = lw)
  expect_identical(change$data$before, rep(1, 150))
  expect_identical(change$data$after, as.double(weights(lw)))
  drawn <- autoplot(fit, "parameters", LW = lw, parameters = "sigma")$data
  expect_identical(
    drawn$value[drawn$fit == "LW"], as.data.frame(as_draws_df(lw))$sigma
  )
  all <- autoplot(fit, "parameters")
  expect_false(any(startsWith(levels(all$data$parameter), ".")))
  for (call in list(
    quote(autoplot(fit, "change")), quote(autoplot(fit, "trace", lw)),
    quote(autoplot(fit, "parameters", parameters = "cake")),
    quote(autoplot(fit, "parameters", parameters = character())),
    quote(autoplot(fit, "weights", 1))
  )) {
    expect_error(eval(call), class = "pseudosynth_error_input")
  }
})

test_that("figures of several releases hold the file and their first sets", {
  data <- privacy_data()
  sets <- small_job()$synthetic
  top <- topcode(income ~ age, data, top = 150000)
  for (type in c("density", "tail", "records", "values")) {
    expect_figure(autoplot(sets, top = top, data = data, type = type))
  }
  # Curves, not values
  marked <- planted()
  own <- serialize(list(marked), NULL)
  expect_length(found_doubles(own, marked$y), nrow(marked))
  coded <- topcode(y ~ group, marked, top = 50000)
  for (type in c("density", "tail")) {
    figure <- autoplot(coded, data = marked, type = type)
    expect_length(found_doubles(serialize(figure, NULL), marked$y), 0)
  }
  pairs <- autoplot(sets, top = top, data = data, type = "records")$data
  expect_identical(pairs$confidential, rep(as.double(data$income), 2))
  expect_identical(
    pairs$synthetic,
    unlist(lapply(list(sets, top), function(x) {
      as.double(in_file_order(x$sets[1], data, "income")[[1]]$income)
    }))
  )
  values <- autoplot(top, data = data, type = "values", name = "top")$data
  expect_identical(
    values$value[values$release == "confidential"], as.double(data$income)
  )
  other <- topcode(wage ~ age, transform(data, wage = income), top = 150000)
  for (call in list(
    quote(autoplot(sets, top = top)), quote(autoplot(sets, type = "tail")),
    quote(autoplot(sets, data)), quote(autoplot(sets, data = data["age"])),
    quote(autoplot(sets, other, data = data)),
    quote(autoplot(sets, data = data[-1, ], type = "records")),
    quote(autoplot(sets, data = transform(data, income = as.character(income))))
  )) {
    expect_error(eval(call), class = "pseudosynth_error_input")
  }
})

test_that("a release of many columns shows the first ones, or those named", {
  data <- withr::with_seed(1, as.data.frame(lapply(
    stats::setNames(nm = sprintf("q%d", 1:15)),
    function(name) sample(0:2, 200, TRUE)
  )))
  book <- suppressMessages(confirm_codebook(draft_codebook(data)))
  release <- suppressWarnings(file_release(file_plan(data, book), 5, seed = 1))
  shown <- function(...) {
    as.character(unique(ggplot2::layer_data(
      plot(release, ...), 1
    )$PANEL))
  }
  expect_length(shown(), 12)
  expect_length(shown(columns = c("q15", "q2")), 2)
  expect_match(plot(release)$labels$subtitle, "12 of 15 columns")
  pairs <- function(...) {
    nrow(ggplot2::layer_data(plot(release, "pairs", ...), 1))
  }
  expect_identical(pairs(), 105L)
  expect_identical(pairs(columns = c("q15", "q2", "q7")), 3L)
  for (type in c("margins", "pairs")) {
    expect_error(
      plot(release, type, columns = "zz"), "columns of the release",
      class = "pseudosynth_error_input"
    )
  }
  expect_error(
    plot(release, "pairs", columns = "q2"), "table together",
    class = "pseudosynth_error_input"
  )
})
