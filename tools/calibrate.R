# Simulation-based calibration of the samplers; called by `make calibrate`.
#
#   Rscript tools/calibrate.R [folder] [simulations] [models]
#
# `models` is a regular expression: "weights" takes those in which all weights
# are random fractions. The lognormal family is the normal model of a logarithm
# and has no row of its own. Writes ranks.csv, uniformity.csv and rank-ecdf.png
# into the folder: for every model and quantity the ranks of the truth among
# posterior draws, the p-value of a chi-square test that they are uniform, and
# the difference of their distribution function from the uniform one with
# simultaneous 99% bands.
# Exit status 1 if the smallest p-value is below 0.01 after Bonferroni.

suppressPackageStartupMessages(library(ggplot2))

arguments <- commandArgs(trailingOnly = TRUE)
folder <- if (length(arguments) > 0) arguments[1] else "calibration-output"
n_simulations <- if (length(arguments) > 1) as.integer(arguments[2]) else 500L
wanted <- if (length(arguments) > 2) arguments[3] else ""
n_draws <- 99

package <- new.env(parent = asNamespace("pseudosynth"))
for (helper in c("core", "importance", "calibrate")) {
  file <- sprintf("tests/testthat/helper-%s.R", helper)
  sys.source(file, package)
}

run_model <- function(name, spec, sampler, shared) {
  start <- proc.time()[["elapsed"]]
  mixture <- spec$family == "normal_mixture"
  ranks <- package$calibration_ranks(
    spec, n_simulations, n_draws,
    seed = 1, thin = if (mixture) 20 else 10, warmup = 400, sampler = sampler,
    shared = shared
  )
  message(sprintf(
    "%-28s %d simulations, %.0f s", name, n_simulations,
    proc.time()[["elapsed"]] - start
  ))
  data.frame(
    model = name, quantity = rep(colnames(ranks), each = nrow(ranks)),
    rank = as.integer(ranks)
  )
}

models <- package$calibration_models()
samplers <- vapply(models, package$calibration_sampler, "")
# NUTS is what the families fall back to.
again <- samplers == "surrogate" & vapply(
  models, function(spec) spec$prior$kind == "normal", NA
)
reference <- models[again]
names(reference) <- paste0(names(reference), ", NUTS")
models <- c(models, reference)
samplers <- c(samplers, rep("nuts", sum(again)))
names <- c(names(models), paste0(names(models), ", weights"))
shared <- rep(c(FALSE, TRUE), each = length(models))
models <- stats::setNames(c(models, models), names)
chosen <- grepl(wanted, names)
ranks <- do.call(rbind, Map(
  run_model, names[chosen], models[chosen], c(samplers, samplers)[chosen],
  shared[chosen]
))
ranks$model <- factor(ranks$model, names(models))

uniformity <- aggregate(
  rank ~ quantity + model, ranks, package$rank_uniformity,
  draws = n_draws
)
names(uniformity)[3] <- "p_value"

# Half width of the band: the 99% quantile of the largest distance of n uniform
# ranks from their distribution function, by simulation.
band <- local({
  set.seed(1)
  grid <- 0:n_draws
  distance <- replicate(5000, {
    u <- sample.int(n_draws + 1, n_simulations, TRUE) - 1L
    counts <- cumsum(tabulate(u + 1, n_draws + 1)) / n_simulations
    z <- (grid + 1) / (n_draws + 1)
    max((abs(counts - z) / sqrt(z * (1 - z)))[-(n_draws + 1)])
  })
  # one band for all quantities of a model, about a dozen
  quantile(distance, 1 - 0.01 / 12)
})

ecdf_difference <- do.call(rbind, lapply(
  split(ranks, ranks[c("model", "quantity")], drop = TRUE),
  function(part) {
    z <- (0:n_draws + 1) / (n_draws + 1)
    share <- cumsum(tabulate(part$rank + 1, n_draws + 1)) / nrow(part)
    data.frame(
      model = part$model[1], quantity = part$quantity[1], z = c(0, z),
      difference = c(0, share - z)
    )
  }
))
z <- seq(0, 1, length.out = 201)
bands <- data.frame(z = z, half = band * sqrt(z * (1 - z)))
ecdf_difference <- ecdf_difference[order(ecdf_difference$z), ]

figure <- ggplot(ecdf_difference, aes(z, difference)) +
  geom_ribbon(
    aes(z, ymin = -half, ymax = half), bands,
    inherit.aes = FALSE, fill = "grey88"
  ) +
  geom_hline(yintercept = 0, colour = "grey60", linewidth = 0.3) +
  geom_step(
    aes(group = quantity),
    colour = "#0072B2", linewidth = 0.35, alpha = 0.7
  ) +
  facet_wrap(~model) +
  labs(
    title = "Ranks of the truth among posterior draws are uniform",
    subtitle = sprintf(
      paste(
        "One line per unknown, %d simulations each; grey: where all lines of",
        "a panel stay with\nprobability 99%% if the sampler is right"
      ),
      n_simulations
    ),
    x = "Rank, as a share of the draws",
    y = "Share of ranks below, less uniform"
  ) +
  theme_minimal(base_size = 11) +
  theme(panel.grid.minor = element_blank())

dir.create(folder, showWarnings = FALSE, recursive = TRUE)
write.csv(ranks, file.path(folder, "ranks.csv"), row.names = FALSE)
write.csv(uniformity, file.path(folder, "uniformity.csv"), row.names = FALSE)
ggsave(
  file.path(folder, "rank-ecdf.png"), figure,
  width = 8, height = 10, dpi = 150, bg = "white"
)

limit <- 0.01 / nrow(uniformity)
print(uniformity[order(uniformity$p_value), ][1:5, ], row.names = FALSE)
cat(sprintf(
  "%d quantities, smallest p-value %.3g (limit %.2g): %s\n",
  nrow(uniformity), min(uniformity$p_value), limit,
  if (min(uniformity$p_value) > limit) "calibrated" else "NOT calibrated"
))
if (min(uniformity$p_value) <= limit) quit(save = "no", status = 1)
