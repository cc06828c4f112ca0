# Tables of results: printed, and kept as small CSV files in bench/results. A
# first line names the versions that were measured.

results_dir <- file.path("bench", "results")

#' Versions of R, Stan and the compiler, one line.
describe_versions <- function(packages = c("rstan", "StanHeaders")) {
  compiler <- strsplit(
    system2("R", c("CMD", "config", "CXX17"), stdout = TRUE), " "
  )[[1]]
  # A cache may stand before it
  compiler <- setdiff(compiler, "ccache")[1]
  compiler <- system2(compiler, "--version", stdout = TRUE)[1]
  found <- packages[vapply(packages, requireNamespace, TRUE, quietly = TRUE)]
  versions <- vapply(found, function(package) {
    paste(package, utils::packageVersion(package))
  }, "")
  toString(c(
    paste("pseudosynth", utils::packageVersion("pseudosynth")),
    paste0("R ", getRversion()), versions, compiler
  ))
}

#' Print a table and keep it.
#' @param name (string) file name without extension.
#' @param show (flag) Print it?
keep_table <- function(table, name, packages = c("rstan", "StanHeaders"),
                       show = TRUE) {
  rounded <- table
  is_number <- vapply(table, is.double, TRUE)
  rounded[is_number] <- lapply(table[is_number], signif, digits = 4)
  if (show) {
    cat("\n", name, "\n", sep = "")
    print(rounded, row.names = FALSE, right = FALSE)
  }
  dir.create(results_dir, showWarnings = FALSE, recursive = TRUE)
  file <- file.path(results_dir, paste0(name, ".csv"))
  writeLines(paste("#", describe_versions(packages)), file)
  suppressWarnings(utils::write.table(
    rounded, file,
    append = TRUE, sep = ",", row.names = FALSE, qmethod = "double"
  ))
  invisible(table)
}

#' The rows of a table that an earlier run kept, none if there is no file.
kept_table <- function(name) {
  file <- file.path(results_dir, paste0(name, ".csv"))
  if (file.exists(file)) utils::read.csv(file, comment.char = "#")
}

#' A target, and whether it is reached.
verdict <- function(value, target, at_least = TRUE) {
  reached <- if (at_least) value >= target else value <= target
  ifelse(reached, "reached", "MISSED")
}

#' Keep rows as soon as they are there; those of the same keys are replaced
keep_rows <- function(rows, path, keys) {
  rows <- data.frame(lapply(rows, function(x) {
    if (is.double(x)) format(signif(x, 4), trim = TRUE) else as.character(x)
  }))
  old <- if (file.exists(path)) {
    utils::read.csv(path, colClasses = "character")
  }
  utils::write.csv(with_old_rows(rows, old, keys), path, row.names = FALSE)
}

#' Rows beside those of an earlier run that have other keys
#' @param old (data frame or `NULL`)
with_old_rows <- function(rows, old, keys) {
  if (is.null(old)) {
    return(rows)
  }
  again <- do.call(paste, old[keys]) %in% do.call(paste, rows[keys])
  # Measured before a column was there
  old[setdiff(names(rows), names(old))] <- NA
  rbind(old[!again, names(rows)], rows)
}
