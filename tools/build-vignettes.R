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

# The figures of a page with 256 colours, where there is a program for it: less
# than half of the bytes, and no difference to the eye
with_small_figures <- function(text) {
  figures <- gregexpr("data:image/png;base64,[A-Za-z0-9+/=]+", text)
  regmatches(text, figures) <- lapply(regmatches(text, figures), function(all) {
    vapply(sub(".*,", "", all), function(figure) {
      png <- tempfile(fileext = ".png")
      writeBin(xfun::base64_decode(figure), png)
      system2("pngquant", c("--force", "--output", png, png))
      paste0("data:image/png;base64,", xfun::base64_encode(png))
    }, "")
  })
  text
}
if (nzchar(Sys.which("pngquant"))) {
  for (page in file.path("inst", "doc", basename(built$outputs))) {
    writeLines(with_small_figures(readLines(page)), page, useBytes = TRUE)
  }
}

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
