# What the pages on the papers and their studies need beside the package. Run
# source() on this file: it defines plot_study(), plot_densities_of(),
# resample_statistics() and plot_resampled() of figures.R. They stand in an
# environment of their own, above which is the package: figures have its look,
# and their helpers shadow no name of a page.

harness <- new.env(parent = asNamespace("pseudosynth"))
sys.source(
  system.file("studies", "figures.R", package = "pseudosynth"), harness
)

plot_study <- harness$plot_study
plot_densities_of <- harness$plot_densities_of
resample_statistics <- harness$resample_statistics
plot_resampled <- harness$plot_resampled
