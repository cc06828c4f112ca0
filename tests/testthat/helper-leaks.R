# A file with marks in every place, and the search for them.

leak_file <- function(n = 150) {
  withr::with_seed(15, {
    data <- data.frame(
      row.names = sprintf("MARKROW%03d", seq_len(n)),
      y = exp(rnorm(n, 10, 1)),
      group = factor(
        sample(c("north", "south"), n, TRUE), c("north", "south", "west")
      ),
      x = round(rnorm(n), 1),
      name = sprintf("MARKNAME%03d", seq_len(n)),
      weight = runif(n, 1e3, 9e4),
      only = factor(c("MARKONLY", rep("others", n - 1)))
    )
  })
  comment(data$x) <- "MARKCOMMENT"
  attr(data, "note") <- "MARKNOTE"
  data
}

leak_numbers <- function() {
  data <- leak_file()
  c(data$y, log(data$y), data$weight)
}

expect_nothing_in <- function(object, what) {
  numbers <- leak_numbers()
  bytes <- serialize(object, NULL, xdr = TRUE)
  expect_identical(
    c(length(grepRaw("MARK", bytes, fixed = TRUE)), length(found_doubles(
      bytes, numbers
    ))), c(0L, 0L),
    label = what
  )
}

# Where nothing else is: a built figure holds the frames that it was built in
built_apart <- function(figure) {
  apart <- list2env(list(figure = figure), parent = baseenv())
  eval(quote(ggplot2::ggplot_build(figure)), apart)
}

found_doubles <- function(bytes, numbers) {
  numbers_met_(bytes, as.double(numbers))
}

# As text: to seven digits, as R prints them. Among thousands of synthetic
# values seven digits are met by chance.
expect_nothing_said <- function(text, what, digits = c(7, 15)) {
  text <- paste(text, collapse = " ")
  data <- leak_file()
  shown <- unlist(lapply(digits, function(digits) {
    c(
      format(data$y, digits = digits, trim = TRUE),
      sprintf("%.*g", digits, c(data$y, data$weight))
    )
  }))
  shown <- shown[nchar(shown) > 6]
  hits <- sum(vapply(unique(shown), grepl, TRUE, x = text, fixed = TRUE))
  expect_identical(c(sum(grepl("MARK", text)), hits), c(0L, 0L),
    label = what
  )
}

# Made where the file and a copy of its values are at hand
leak_objects <- function() {
  remember("leaks", local({
    data <- leak_file()
    secret <- data$y
    secret_text <- "MARKLOCAL"
    formula <- log(y) ~ group + x
    reference <- list("(Intercept)" = 10, sigma = 1)
    fit <- fit_synthesizer(formula, data, stats::gaussian(),
      prior = prior_normal(), chains = 2, warmup = 200, draws = 1000
    )
    weighted <- update(fit, privacy_weights = lipschitz_weights(fit))
    clipped <- update(fit, censor = censor(2, reference = reference))
    histogram <- perturbed_histogram(log(y) ~ 1, data,
      bounds = c(10, 1e7), epsilon = 1
    )
    scores <- suppressMessages(score_release(formula, data,
      epsilon = 5, reference = reference, bounds = c(10, 1e7)
    ))
    list(
      data = data, fit = fit, weighted = weighted, clipped = clipped,
      histogram = histogram, scores = scores,
      sets = list(
        asymptotic = synthesize(weighted, 2), strict = synthesize(clipped, 2),
        margin = synthesize(clipped, 2, margin = histogram),
        histogram = synthesize(histogram, 2, newdata = data[c(
          "y", "group", "x"
        )]),
        scores = synthesize(scores, 2, newdata = data)
      )
    )
  }))
}

# What a value may carry: an attribute, names, both in every part of a list. Of
# a codebook names are labels, which are stated, and a seal tells an edit.
marked_value <- function(x) {
  if (is.null(x) || is.environment(x) || is.symbol(x) || is.function(x) ||
    inherits(x, c("codebook", "censoring_rule", "data.frame"))) {
    return(x)
  }
  if (is.call(x)) {
    x[-1] <- lapply(as.list(x)[-1], marked_value)
  } else if (is.list(x)) {
    kept <- attributes(x)
    x <- lapply(unclass(x), marked_value)
    attributes(x) <- kept
  } else if (is.null(names(x)) && is.null(dim(x)) && !is.object(x)) {
    names(x) <- rep("MARKNAMES", length(x))
  }
  attr(x, "leak") <- "MARKATTRIBUTE"
  x
}

# Calls of all that makes what may leave, with every argument that it has
leaving_calls <- function() {
  data <- leak_file()[c("y", "group", "x")]
  attributes(data)$note <- NULL
  comment(data$x) <- NULL
  rownames(data) <- NULL
  model <- log(y) ~ group + x
  environment(model) <- globalenv()
  reference <- list("(Intercept)" = 10, sigma = 1)
  run <- list(chains = 1, warmup = 50, draws = 50, threads = 1)
  call <- function(f, ...) list(f = f, arguments = list(...))
  set_of <- function(x, ...) {
    list(x, guarantee(x), synthesize(x, newdata = data, ...))
  }
  list(
    score_release = call(function(...) {
      set_of(score_release(data = data, ...))
    },
      formula = model, family = student_t(df = marked_value(5)), epsilon = 8,
      delta = 1e-6, neighbours = "replace", reference = reference,
      bounds = c(10, 1e7), bins = 20, prior = prior_normal(
        scale = marked_value(2), intercept = marked_value(c(10, 5))
      ), clip = c(1.5, 1.5), shares = c(0.3, 0.12, 0.58), spread = 1,
      response = public_response(digits = marked_value(2)),
      scaling = list(x = c(0, 1))
    ),
    score_count = call(function(...) {
      set_of(score_release(data = transform(data, y = round(y / 1e4)), ...))
    },
      formula = y ~ group, family = neg_binomial(), epsilon = 8,
      reference = list("(Intercept)" = 1, size = 2), bounds = c(0, 60)
    ),
    perturbed_histogram = call(function(...) {
      x <- perturbed_histogram(data = data, ...)
      list(x, guarantee(x), synthesize(x, newdata = data))
    },
      x = log(y) ~ 1, bounds = c(10, 1e7), bins = 20, epsilon = 1,
      neighbours = "add-remove", noise = "discrete",
      response = public_response(digits = marked_value(2))
    ),
    fitted = call(function(...) {
      fit <- do.call(fit_synthesizer, c(list(data = data, ...), run))
      list(guarantee(fit, public = TRUE), synthesize(fit,
        allow_unconverged = TRUE
      ))
    },
      formula = model, family = stats::gaussian(), prior = prior_normal(),
      censor = censor(
        epsilon = marked_value(2), reference = marked_value(reference)
      ), control = sampler_control(progress = marked_value(FALSE)),
      response = public_response(
        digits = marked_value(2), bounds = marked_value(c(1, 1e7))
      )
    ),
    job = call(function(...) {
      job <- do.call(pseudo_posterior, c(list(data = data, ...), run))
      list(guarantee(job, public = TRUE), job$synthetic)
    },
      formula = model, family = stats::gaussian(), mechanism = "lw", m = 1,
      neighbours = "add-remove", allow_unconverged = TRUE
    ),
    synthesize = call(function(...) {
      list(synthesize(leak_objects()$scores, newdata = data, ...))
    }, m = 2, bounds = c(10, 1e7), uncertainty = FALSE),
    cleared = call(function(...) {
      x <- cleared_tables(file_plan(canary_file(), canary_book()), ...)
      list(x, guarantee(x), synthesize(x))
    }, tables = list(c("region", "trade")), multiple = 5, least = 5),
    codebook = call(function(...) {
      book <- codebook(...)
      path <- tempfile()
      write_codebook(book, path)
      list(book, readLines(path))
    }, x = data.frame(
      column = c("g", "y"), type = c("category", "amount"),
      levels = c("a|b", ""), lower = c(NA, "1"), upper = c(NA, "1e6"),
      digits = c(NA, 0), transform = c(NA, "log")
    )),
    file_release = call(function(publish, rules, book, ...) {
      data <- canary_file()
      plan <- file_plan(data, book, publish = publish, rules = rules)
      release <- suppressWarnings(file_release(plan, ...))
      list(
        release, guarantee(release), synthesize(release), tables(release,
          columns = marked_value(c("region", "trade")),
          level = marked_value(0.9)
        )
      )
    },
      publish = "region", rules = ~ income >= 0, book = canary_book(),
      epsilon = 4, delta = 1e-6, neighbours = "replace",
      tables = list(c("region", "trade", "flag"))
    ),
    ledger = call(function(epsilon, delta, neighbours) {
      path <- tempfile()
      book <- ledger(path, epsilon, delta, neighbours)
      perturbed_histogram(log(y) ~ 1, data,
        bounds = c(10, 1e7), epsilon = marked_value(1), ledger = book
      )
      list(book, as.data.frame(book), lapply(list.files(
        path, full.names = TRUE, recursive = TRUE
      ), bytes_of), if (!dir.exists(path)) bytes_of(path))
    }, epsilon = 2, delta = 1e-5, neighbours = "add-remove"),
    released = call(function(...) {
      path <- tempfile()
      x <- synthesize(perturbed_histogram(log(y) ~ 1, data,
        bounds = c(10, 1e7), epsilon = 1
      ), newdata = data)
      release(x, path, data = data, ...)
      lapply(list.files(path, full.names = TRUE), function(file) {
        if (grepl("rds$", file)) readRDS(file) else readLines(file)
      })
    },
      formats = c("csv", "rds"), require = "strict", epsilon = 5,
      neighbours = "add-remove", long = TRUE, public = character()
    )
  )
}
