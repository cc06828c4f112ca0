# The two figures of README.md, from the public data set ce_income:
#
#   Rscript tools/readme-figures.R
#
# A small mixture on a small budget: they show the method, not its best result.
# They are installed with the package: give them a palette of 256 colours
# (pngquant) before they are committed, which takes a third of the space.

suppressPackageStartupMessages({
  library(pseudosynth)
  library(ggplot2)
})

income <- subset(ce_income, income > 0)
job <- suppressMessages(pseudo_posterior(
  log(income) ~ ., income, normal_mixture(K = 3),
  mechanism = "lw_final", m = 3, warmup = 500, draws = 1000, max_refits = 3,
  allow_unconverged = TRUE
))
print(job)

save_figure <- function(figure, name) {
  file <- file.path("man", "figures", paste0(name, ".png"))
  dir.create(dirname(file), showWarnings = FALSE, recursive = TRUE)
  png(file, 1000, 600, res = 140, type = "cairo")
  # The file behind these figures is public
  print(figure + labs(caption = NULL))
  invisible(dev.off())
  cat(sprintf("%s: %.0f KB\n", file, file.size(file) / 1024))
}
save_figure(autoplot(job, "weights"), "weights")
save_figure(autoplot(job, "density", prefix = "$"), "density")
