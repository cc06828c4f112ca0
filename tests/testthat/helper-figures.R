# Figures of the package, drawn from small results: what is guarded, and what is
# looked at when a figure is changed.

# Of the fits and the job that other tests make, too
fit_figures <- function() {
  fit <- unweighted_fit()
  lw <- lw_fit()
  job <- small_job()
  remember("fit figures", list(
    "bounds" = autoplot(fit$bound),
    "weights" = autoplot(lw$privacy_weights),
    "weights of several" = autoplot(
      lw$privacy_weights,
      CW = count_weights("income", privacy_data(), 0.2), name = "LW"
    ),
    "fit, bounds" = autoplot(lw, "bounds"),
    "fit, weights" = autoplot(lw, "weights"),
    "fit, trace" = autoplot(lw, "trace"),
    "fits, bounds" = autoplot(fit, "bounds", LW = lw, name = "Unweighted"),
    "fits, weights" = autoplot(lw, "weights", Unweighted = fit, again = lw),
    "fits, change" = autoplot(fit, "change", LW = lw),
    "fits, parameters" = autoplot(
      fit, "parameters",
      LW = lw, parameters = c("(Intercept)", "sigma")
    ),
    "fits, densities" = study_room("harness")$plot_densities_of(
      list(Unweighted = fit, LW = lw, Prior = suppressWarnings(
        update(fit, privacy_weights = 0, seed = 3)
      )),
      c("(Intercept)", "sigma")
    ),
    "job, bounds" = autoplot(job, "bounds"),
    "job, weights" = autoplot(job, "weights"),
    "job, density" = autoplot(job, "density"),
    "job, tail" = autoplot(job, "tail"),
    "job, records" = autoplot(job, "records")
  ))
}

# All others
figure_gallery <- function() {
  remember("gallery", suppressWarnings(suppressMessages(
    withr::with_seed(1, make_gallery())
  )))
}

make_gallery <- function() {
  papers <- study_room("harness")
  data <- privacy_data()
  fit <- unweighted_fit()
  lw <- lw_fit()
  job <- small_job()
  sets <- job$synthetic
  prior <- prior_normal(1, c(10.8, 2.5))
  reference <- list("(Intercept)" = 10.8, sigma = 1)
  bounds <- c(10, 2e6)
  top <- topcode(income ~ age, data, top = 150000)
  risks <- lapply(list(sets, top), identification_risk, data, "age", 0.2,
    variable = "income"
  )
  histogram <- perturbed_histogram(
    log(income) ~ 1, data,
    bounds = bounds, epsilon = 1, seed = 1
  )
  scores <- score_release(log(income) ~ age + earner, data,
    epsilon = 5, delta = 1e-6, reference = reference, bounds = bounds, seed = 1
  )
  laplace <- score_release(log(income) ~ age, data,
    epsilon = 5, delta = 0, reference = reference, bounds = bounds, seed = 1
  )
  compared <- compare(log(income) ~ age + earner, data, gaussian(),
    mechanisms = c("centred", "lw", "perturbed_histogram", "unweighted"),
    epsilon = c(8, 1000), reference = reference, bounds = bounds,
    prior = prior, groups = "earner", radius = 0.2, m = 3,
    tolerance = 0.2, chains = 2, warmup = 200, draws = 1000, seed = 31
  )
  map <- compare(log(income) ~ age, data, gaussian(),
    grid = data.frame(mechanism = "lw", scale = c(1, 0.7, 0.4)),
    prior = prior, radius = 0.2, m = 3, chains = 2, warmup = 200,
    draws = 500, seed = 41
  )
  counts <- transform(data, rooms = as.integer(data$age) + seq_len(150) %% 3L)
  count_job <- pseudo_posterior(rooms ~ earner, counts, poisson(), "lw",
    m = 2, prior = prior_normal(), chains = 2, warmup = 200, draws = 500,
    seed = 5
  )
  yes <- transform(data, high = income > 60000)
  yes_job <- pseudo_posterior(high ~ earner, yes, bernoulli(), "unweighted",
    m = 2, prior = prior_normal(), chains = 2, warmup = 200, draws = 500,
    seed = 5
  )
  classes <- transform(data, class = cut(
    income, c(0, 3e4, 8e4, Inf), c("low", "middle", "high")
  ))
  class_job <- pseudo_posterior(class ~ earner, classes, categorical(),
    "unweighted",
    m = 2, prior = prior_normal(), chains = 2, warmup = 200, draws = 1000,
    seed = 5
  )
  yes_compared <- compare(high ~ earner, yes, bernoulli(),
    mechanisms = c("lw", "unweighted"), groups = "earner", m = 3,
    chains = 2, warmup = 200, draws = 500, seed = 31
  )
  yes_map <- compare(high ~ earner, yes, bernoulli(),
    grid = data.frame(mechanism = "lw", scale = c(1, 0.5)), m = 3,
    chains = 2, warmup = 200, draws = 500, seed = 41
  )
  small <- data.frame(y = c(stats::qnorm(1:19 / 20), 4))
  audit <- audit_guarantee(y ~ 1, small, gaussian(),
    mechanism = "censor_uw", epsilon = 1,
    prior = prior_normal(intercept = c(0, 2)), replacements = 8, cells = 2500
  )
  study <- replicate_study(lw, 20, replicates = 5, seed = 4)
  figures <- list(
    "job of counts" = autoplot(count_job, "density"),
    "job of counts, records" = autoplot(count_job, "records"),
    "job of yes and no" = autoplot(yes_job, "density"),
    "synthetic sets" = autoplot(sets),
    "synthetic counts" = autoplot(count_job$synthetic),
    "releases, density" = autoplot(
      sets,
      "Top-coded" = top, data = data, name = "LW_final", prefix = "$"
    ),
    "releases, tail" = autoplot(
      sets,
      "Top-coded" = top, data = data, type = "tail"
    ),
    "releases, records" = autoplot(
      sets,
      "Top-coded" = top, data = data, type = "records", prefix = "$"
    ),
    "releases, values" = autoplot(
      count_job$synthetic,
      data = counts, type = "values"
    ),
    "study" = papers$plot_study(
      transform(
        expand.grid(
          mechanism = c("Unweighted", "LW", "Weighted-e"), panel = c("c", "d"),
          measure = c("Lipschitz bound", "15% quantile"), replicate = 1:9
        ),
        value = sin(replicate * (1:12)), half = 0.5
      ),
      panels = c("measure", "panel"), line = "half"
    ),
    "study, density" = papers$plot_study(
      data.frame(
        mechanism = rep(c("confidential", "LW", "SW"), each = 100),
        panel = c("Whole range", "Right tail"),
        value = exp(10 + c(1, 0.8, 1.2) * qnorm(ppoints(300)))
      ),
      panels = "panel", type = "density", log = TRUE, prefix = "$"
    ),
    "study, records" = papers$plot_study(
      data.frame(
        mechanism = c("Unweighted", "LW"), true = exp(9 + sin(1:200)),
        value = exp(9 + cos(1:200))
      ),
      type = "records", at = "true", log = TRUE, prefix = "$"
    ),
    "identification risk" = autoplot(
      risks[[1]],
      "Top-coded" = risks[[2]], name = "LW_final"
    ),
    "identification risk by age" = autoplot(
      risks[[1]],
      "Top-coded" = risks[[2]], name = "LW_final", by = data$age
    ),
    "identification risk by income" = autoplot(risks[[1]], by = data$income),
    "attribute risk" = autoplot(
      risk(sets, data, c("age", "earner"))
    ),
    "utility" = autoplot(utility(sets, data)),
    "utility of yes and no" = autoplot(
      utility(yes_job, yes, groups = "earner")
    ),
    "utility of categories" = autoplot(
      utility(class_job, classes, groups = "earner")
    ),
    "synthetic categories" = autoplot(class_job$synthetic),
    "label" = autoplot(guarantee(lw, m = 2)),
    "label of scores" = autoplot(guarantee(scores)),
    "fit of another package" = autoplot(external_fit(log_lik(lw))),
    "resampled statistics" = papers$plot_resampled(papers$resample_statistics(
      list(LW_final = sets[[1]], "Top-coded" = top), data,
      c("mean", "median", "90%"), "income", 40
    )),
    "pooled estimates" = autoplot(pool(lapply(sets, function(set) {
      stats::lm(log(income) ~ age + earner, set)
    }))),
    "perturbed histogram" = autoplot(histogram),
    "score release, coefficients" = autoplot(scores),
    "score release, margin" = autoplot(scores, "margin"),
    "comparison" = autoplot(compared),
    "comparison of yes and no" = autoplot(yes_compared),
    "map of yes and no" = autoplot(yes_map),
    "map" = autoplot(map),
    "map against risk" = autoplot(map, against = "risk"),
    "replicate study" = autoplot(study),
    "audit" = autoplot(audit),
    "audit of scores" = autoplot(
      audit_guarantee(scores, data, replicates = 2000, seed = 1)
    ),
    "audit of Laplace scores" = autoplot(
      audit_guarantee(laplace, data, seed = 1)
    ),
    "vectors of a record" = autoplot(record_vectors(scores, data, 1))
  )
  if (requireNamespace("bayesplot", quietly = TRUE)) {
    figures[["posterior predictive check"]] <- pp_check(fit, seed = 1)
  }
  if (requireNamespace("jsonlite", quietly = TRUE)) {
    figures[["ledger"]] <- local({
      path <- tempfile(fileext = ".ledger")
      on.exit(unlink(c(path, paste0(path, ".lock")), recursive = TRUE))
      book <- ledger(path, epsilon = 5)
      for (i in 1:3) {
        synthesize(perturbed_histogram(y ~ 1, data.frame(y = 1:50 + 0.5),
          bounds = c(0, 100), epsilon = 1
        ), ledger = book)
      }
      autoplot(book)
    })
  }
  book <- confirm_codebook(draft_codebook(ce_income))
  columns <- c("sex", "income", "age", "earner")
  whole <- file_release(
    file_plan(ce_income[columns], book_of(book, columns), publish = "sex"), 1,
    seed = 1
  )
  files <- synthesize(whole, 3, seed = 1)
  figures <- c(figures, list(
    "file release, margins" = autoplot(whole),
    "file release, pairs" = autoplot(whole, "pairs"),
    "sets of a file release" = autoplot(files),
    "sets beside the file" = autoplot(files, data = ce_income),
    "utility of files" = autoplot(utility(files, ce_income))
  ))
  measured <- utility(files, ce_income, regression = list(
    pay = income ~ age + sex, "earner ~ age" = earner ~ age
  ))
  figures <- c(figures, list(
    "utility of files, propensity" = autoplot(measured, "pmse"),
    "utility of files, statistics" = autoplot(measured, "statistics"),
    "utility of files, coefficients" = autoplot(measured, "coefficients"),
    "risk of files" = autoplot(risk(files, ce_income, c("sex", "age"))),
    "risk of files, published" = autoplot(risk(files, ce_income, "age"))
  ))
  figures[["plan of a file"]] <- autoplot(file_plan(
    ce_income, draft_codebook(ce_income), publish = c("sex", "region")
  ))
  people <- ce_income[1:1500, c("sex", "age", "earner", "marital")]
  tabulated <- file_release(
    file_plan(people, confirm_codebook(draft_codebook(people))), 1,
    tables = list(c("sex", "age", "earner")), seed = 1
  )
  figures[["cleared tables"]] <- autoplot(cleared_tables(
    file_plan(ce_income[columns], book_of(book, columns)),
    list(c("age", "income"), c("sex", "age", "earner"))
  ))
  figures[["tables, single columns"]] <- autoplot(tables(tabulated))
  figures[["tables, two columns"]] <- autoplot(
    tables(tabulated, c("age", "marital"))
  )
  figures[["tables, three columns"]] <- autoplot(
    tables(tabulated, c("age", "earner", "sex"), what = "counts")
  )
  figures
}

# What overlaps or is cut ------------------------------------------------------

#' Labels of a drawn figure that overlap, or that the page cuts
#' @return (character) One line for each, none where all is well.
figure_faults <- function(figure, width, height = 4) {
  withr::local_pdf(NULL, width = width, height = height)
  table <- ggplot2::ggplotGrob(figure)
  part <- function(pattern) table$grobs[grepl(pattern, table$layout$name)]
  panel <- c(
    width = panel_size(table$widths, width, grid::convertWidth),
    height = panel_size(table$heights, height, grid::convertHeight)
  )
  wide <- function(what, room) {
    unlist(lapply(part(what), function(grob) {
      texts <- texts_of(grob)
      labels <- texts$label[texts$width > room]
      if (length(labels) > 0) paste0(what, " is cut: ", labels)
    }))
  }
  crowded <- function(what, along, size, room) {
    unlist(lapply(part(what), function(grob) {
      texts <- texts_of(grob)
      # Of these R leaves out what would overlap
      texts <- texts[!texts$checked, ]
      at <- order(texts[[along]])
      gap <- diff(texts[[along]][at]) * room
      half <- texts[[size]][at] / 2
      over <- which(gap < half[-1] + half[-length(half)] - 0.005)
      if (length(over) > 0) {
        paste0(what, " overlaps: ", toString(texts$label[at][over]))
      }
    }))
  }
  # Labels of panels side by side, which R does not hold apart
  between <- function() {
    at <- grep("^axis-b", table$layout$name)
    null <- grepl("null", as.character(table$widths))
    widths <- grid::convertWidth(table$widths, "in", valueOnly = TRUE)
    widths[null] <- panel[["width"]]
    ends <- do.call(rbind, lapply(at, function(i) {
      texts <- texts_of(table$grobs[[i]])
      if (nrow(texts) == 0) return(NULL)
      left <- sum(widths[seq_len(table$layout$l[i] - 1)])
      middle <- left + texts$x * panel[["width"]]
      data.frame(
        row = table$layout$t[i], label = texts$label, panel = i,
        from = middle - texts$width / 2, to = middle + texts$width / 2
      )
    }))
    ends <- ends[order(ends$row, ends$from), ]
    n <- nrow(ends)
    over <- which(
      ends$row[-1] == ends$row[-n] & ends$panel[-1] != ends$panel[-n] &
        ends$from[-1] < ends$to[-n] + 0.03
    )
    if (n > 1 && length(over) > 0) {
      paste0(
        "labels of two panels overlap: ", ends$label[over], ", ",
        ends$label[over + 1]
      )
    }
  }
  legend <- vapply(part("guide-box"), function(grob) {
    if (!inherits(grob, "gtable")) return(0)
    grid::convertWidth(sum(grob$widths), "in", valueOnly = TRUE)
  }, 0)
  c(
    wide("^(title|subtitle|caption)$", width - 0.2),
    # A strip's text stands beside margins
    wide("^strip", panel[["width"]]),
    crowded("^axis-b", "x", "width", panel[["width"]]),
    crowded("^axis-l", "y", "height", panel[["height"]]),
    between(),
    if (any(legend > width)) "legend is cut"
  )
}

panel_size <- function(sizes, whole, convert) {
  fixed <- convert(sizes, "in", valueOnly = TRUE)
  flexible <- grepl("null", as.character(sizes))
  (whole - sum(fixed[!flexible])) / max(sum(flexible), 1)
}

#' All texts in a grob: where they stand in it, and how large they are
texts_of <- function(grob) {
  found <- NULL
  look <- function(grob) {
    if (inherits(grob, "text")) {
      labels <- grob$label
      if (is.expression(labels)) return(invisible())
      at <- function(unit) {
        rep_len(as.numeric(unit), length(labels))
      }
      lines <- lapply(labels, function(label) {
        text <- grid::textGrob(label, gp = grob$gp)
        c(
          grid::convertWidth(grid::grobWidth(text), "in", valueOnly = TRUE),
          grid::convertHeight(grid::grobHeight(text), "in", valueOnly = TRUE)
        )
      })
      found <<- rbind(found, data.frame(
        label = as.character(labels), x = at(grob$x), y = at(grob$y),
        width = vapply(lines, `[`, 0, 1), height = vapply(lines, `[`, 0, 2),
        checked = isTRUE(grob$check.overlap)
      ))
    }
    for (child in c(grob$children, grob$grobs)) look(child)
  }
  look(grob)
  found %||% data.frame(
    label = character(), x = numeric(), y = numeric(), width = numeric(),
    height = numeric(), checked = logical()
  )
}

# What a figure is made of -----------------------------------------------------

#' Layers, labels, scales and panels, with # for every figure in them
describe_figure <- function(figure) {
  built <- ggplot2::ggplot_build(figure)
  masked <- function(x) gsub("[0-9][0-9.,]*", "#", gsub("\n", " / ", x))
  labels <- figure$labels[c("title", "subtitle", "x", "y", "caption")]
  labels <- Filter(is.character, labels)
  keys <- lapply(built$plot$scales$scales, function(scale) {
    if (inherits(scale, "ScaleDiscrete")) {
      paste0(
        scale$aesthetics[1], ": ", toString(masked(scale$get_limits()))
      )
    } else {
      paste0(scale$aesthetics[1], ": ", class(scale)[1])
    }
  })
  panels <- built$layout$layout
  strips <- setdiff(
    names(panels), c("PANEL", "ROW", "COL", "SCALE_X", "SCALE_Y", "COORD")
  )
  c(
    paste0(names(labels), " = ", vapply(labels, masked, "")),
    paste("layer", vapply(figure$layers, function(layer) {
      class(layer$geom)[1]
    }, "")),
    paste("scale", unlist(keys)),
    unlist(lapply(strips, function(name) {
      paste0("panels by ", name, ": ", toString(masked(as.character(
        unique(panels[[name]])
      ))))
    }))
  )
}
