# The figures of README.md, from the public data set ce_income:
#
#   Rscript tools/readme-figures.R
#
# They are installed with the package: give them a palette of 256 colours
# (pngquant) before they are committed, which takes a third of the space.

suppressPackageStartupMessages({
  library(pseudosynth)
  library(ggplot2)
})

earning <- subset(ce_income, income > 6000)
weighted <- suppressMessages(pseudo_posterior(
  log(income) ~ ., earning, gaussian(),
  mechanism = "lw_final", bounds = c(6000, 2e6)
))
print(weighted)

save_figure <- function(figure, name) {
  file <- file.path("man", "figures", paste0(name, ".png"))
  dir.create(dirname(file), showWarnings = FALSE, recursive = TRUE)
  png(file, 1000, 600, res = 140, type = "cairo")
  # The file behind these figures is public
  print(figure + labs(caption = NULL))
  invisible(dev.off())
  cat(sprintf("%s: %.0f KB\n", file, file.size(file) / 1024))
}
save_figure(autoplot(weighted, "weights"), "weights")

file <- ce_income[c("income", "age", "education", "marital", "earner")]
book <- confirm_codebook(draft_codebook(file))
release <- file_release(file_plan(file, book), epsilon = 1)
print(release)
save_figure(autoplot(synthesize(release, m = 3), data = file), "file")
