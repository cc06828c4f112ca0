# Builds inst/extdata/sdr2017_layout.csv, by which read_sdr() reads the 2017
# Survey of Doctorate Recipients, from the layout that NCSES publishes with the
# public-use file, data-raw/sdr/sdr2017_layout.txt.
# Run from the package's root directory: Rscript data-raw/sdr2017_layout.R

lines <- readLines(file.path("data-raw", "sdr", "sdr2017_layout.txt"))
pattern <- paste0(
  "^([A-Z0-9_]+) +([0-9]{4}) +([^ ]+) +([0-9]{5}) +([0-9]{5}) +",
  "(Character|Numeric) +(.*)$"
)
fields <- regmatches(lines, regexec(pattern, lines))
fields <- do.call(rbind, fields[lengths(fields) > 0])
layout <- data.frame(
  name = fields[, 2], start = as.integer(fields[, 5]),
  end = as.integer(fields[, 6]), type = tolower(fields[, 7]),
  label = trimws(fields[, 8])
)
stopifnot(
  layout$end - layout$start + 1 == as.integer(fields[, 3]),
  # no gap and no overlap
  layout$start == c(1, layout$end[-nrow(layout)] + 1),
  max(layout$end) == 347, !anyDuplicated(layout$name)
)
write.csv(
  layout, file.path("inst", "extdata", "sdr2017_layout.csv"),
  row.names = FALSE
)
