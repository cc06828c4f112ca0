# Builds the vignettes of a package's folder, with the package as it is
# installed, and leaves them where R CMD build does; called by tools/check.sh:
#
#   Rscript tools/build-vignettes.R FOLDER

folder <- commandArgs(trailingOnly = TRUE)[1]
setwd(folder)
tools::buildVignettes(dir = ".", tangle = TRUE)
built <- tools::pkgVignettes(dir = ".", output = TRUE, source = TRUE)
made <- c(built$outputs, unlist(built$sources))
dir.create(file.path("inst", "doc"), recursive = TRUE)
stopifnot(file.copy(c(built$docs, made), file.path("inst", "doc")))
unlink(made)

# The index that R CMD build writes
about <- lapply(built$docs, tools::vignetteInfo)
index <- data.frame(
  File = vapply(about, `[[`, "", "file"),
  Title = vapply(about, `[[`, "", "title"),
  PDF = basename(built$outputs), R = ""
)
index$Depends <- lapply(about, `[[`, "depends")
index$Keywords <- lapply(about, `[[`, "keywords")
for (i in which(lengths(built$sources) > 0)) {
  doc <- match(names(built$sources)[i], built$docs)
  index$R[doc] <- basename(built$sources[[i]][1])
}
dir.create("build", showWarnings = FALSE)
saveRDS(index, file.path("build", "vignette.rds"), version = 2)
