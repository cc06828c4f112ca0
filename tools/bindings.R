# Calls every function that R has of the C++ code, on files of 40 records: all
# families, samplers and kernels. For tools that make R many times slower:
#
#   R -d valgrind -f tools/bindings.R            `make valgrind`
#   Rscript tools/bindings.R torture             `make torture`: R collects
#                                                garbage at every allocation
#
# Not a test of results; it ends with an error if a function was not called.

suppressMessages(library(pseudosynth))
torture <- "torture" %in% commandArgs(trailingOnly = TRUE)
namespace <- asNamespace("pseudosynth")
options(pseudosynth.threads = 1, warn = -1)

# Which are there, and how often each was called
registered <- sub("^_pseudosynth_", "", names(
  getDLLRegisteredRoutines("pseudosynth")$.Call
))
bindings <- intersect(registered, ls(namespace))
calls <- stats::setNames(numeric(length(bindings)), bindings)

#' Counts its calls; only C++ and what it calls run under torture
watched <- function(name) {
  original <- get(name, namespace)
  function(...) {
    calls[[name]] <<- calls[[name]] + 1
    arguments <- list(...)
    if (torture && calls[[name]] <= 20) {
      gctorture(TRUE)
      on.exit(gctorture(FALSE))
    }
    do.call(original, arguments)
  }
}
for (name in bindings) {
  watch <- watched(name)
  unlockBinding(name, namespace)
  assign(name, watch, namespace)
}

set.seed(1)
n <- 40
data <- data.frame(
  x = stats::rnorm(n), g = factor(sample(c("a", "b", "c"), n, TRUE))
)
data$number <- 1 + data$x + stats::rnorm(n)
data$count <- stats::rpois(n, exp(1 + 0.3 * data$x))
data$yes <- sample(c("no", "yes"), n, TRUE)
data$share <- stats::plogis(data$number - 1)
data$level <- factor(sample(c("low", "mid", "top"), n, TRUE))

step <- function(...) cat(sprintf(...), "\n")

fit <- function(response, family, sampler = "auto", prior = prior_normal(),
                formula = stats::reformulate(c("x", "g"), response), ...) {
  step("fit of %s, %s", response, sampler)
  suppressMessages(fit_synthesizer(formula, data, family,
    prior = prior, chains = 2, warmup = 30, draws = 20, seed = 1,
    control = sampler_control(sampler, progress = FALSE), ...
  ))
}

#' What is done with a fit: bounds, log-likelihoods, weights, sets
use <- function(fit) {
  bound <- lipschitz(fit)
  log_lik(fit, draws = 3)
  summary(fit)
  sets <- synthesize(fit, 2, seed = 1, allow_unconverged = TRUE)
  weighted <- lipschitz_weights(fit, allow_unconverged = TRUE)
  again <- update(fit, privacy_weights = weighted)
  lipschitz(again)
  invisible(list(bound, sets))
}

families <- list(
  number = stats::gaussian(), number = student_t(), count = stats::poisson(),
  count = neg_binomial(), yes = bernoulli(), share = beta_response(c(0, 1)),
  level = categorical()
)
for (k in seq_along(families)) {
  response <- names(families)[k]
  use(fit(response, families[[k]]))
  hierarchical <- if (response != "level") prior_hierarchical()
  fit(response, families[[k]], "nuts", hierarchical)
  clipped <- fit(response, families[[k]], censor = censor(1))
  lipschitz(clipped)
}
for (prior in list(prior_normal(), prior_hierarchical())) {
  fit("number", stats::gaussian(), "gibbs", prior)
  fit("number", student_t(), "surrogate", prior)
}
fit("number", stats::gaussian(), "grid", formula = number ~ 1)
fit("number", stats::gaussian(), "grid",
  formula = number ~ 1, censor = censor(0.5)
)
use(fit("number", normal_mixture(2), prior = prior_shared()))

step("risks")
sets <- use(fit("number", stats::gaussian()))[[2]]
identification_risk(sets, data, known = "g", radius = 0.1)
count_weights(number ~ x + g, data, radius = 0.1, known = "g")

step("histograms")
histogram <- perturbed_histogram(number ~ 1, data,
  bounds = c(-4, 6), epsilon = 1
)
step("written files")
suppressMessages(release(
  synthesize(histogram, 2), tempfile("release"), c("csv", "rds"), data
))

step("score releases")
for (delta in c(0, 1e-6)) {
  release <- score_release(number ~ x + g, data, stats::gaussian(),
    epsilon = 2, delta = delta, bounds = c(-4, 6),
    reference = list("(Intercept)" = 1, sigma = 1),
    scaling = list(x = c(0, 1))
  )
  synthesize(release, 2, newdata = data)
}

step("file releases")
block <- namespace$release_block(
  cbind(as.integer(data$g), rep(1:2, 20)), c(nlevels(data$g), 2L),
  c(FALSE, FALSE),
  mu = 1,
  rules = list(list(columns = 1:2, forbidden = cbind(1, 2)))
)
namespace$draw_block(block, 2)
book <- draft_codebook(data[c("number", "g")])
book <- as.data.frame(book)
amount <- book$column == "number"
book[amount, c("type", "lower", "upper", "transform", "digits")] <- list(
  "amount", "-4", "6", "identity", "any"
)
plan <- file_plan(data[c("number", "g")], confirm_codebook(codebook(book)))
released <- suppressWarnings(file_release(plan, 5))
synthesize(released)
audit_guarantee(released, plan, rows = 100, replays = 2)
plan <- file_plan(
  data.frame(number = data$number, other = pmin(data$number, 1)),
  codebook(data.frame(
    column = c("number", "other"), type = "amount", lower = -10, upper = 10,
    digits = "any"
  )), rules = ~ other <= number
)
synthesize(suppressWarnings(file_release(plan, 5)))
# Called above only where chance takes a value beyond its room
namespace$given_room(c(1, 3, 2), list(low = rep(0, 3), high = c(3, 2, 3)))

step("audits")
audit_guarantee(y ~ 1, data.frame(y = c(0.1, 0.2, 0.2, 0.4, 0.9)),
  stats::gaussian(),
  mechanism = "censor_uw", epsilon = 1, replacements = 4, cells = 1000,
  prior = prior_normal(intercept = c(0, 2))
)

cat("\n")
print(calls)
missed <- names(calls)[calls == 0]
if (length(missed) > 0) stop("Never called: ", toString(missed))
cat("All functions were called\n")
