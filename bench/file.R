# The discrete block of a file release on the October file of `ce_income`:
# complete records with a published region and population and a positive income,
# ten columns, income in tenths.
#
#   Rscript bench/file.R [releases]
#
# Prints mean total variation of the 45 pairs of a set of the file's size, and
# seconds of a release and of one set. All of mu is the block's, and half of its
# square as in a release with an amount.

suppressPackageStartupMessages(library(pseudosynth))
internal <- asNamespace("pseudosynth")

arguments <- commandArgs(trailingOnly = TRUE)
releases <- if (length(arguments) > 0) as.integer(arguments[1]) else 10L

ce_codes <- function() {
  ce <- subset(
    ce_income,
    income > 0 & region != "not published" & population != "not published"
  )
  tenth <- stats::quantile(ce$income, (1:9) / 10)
  ce$income <- factor(findInterval(ce$income, tenth))
  ce <- droplevels(ce)
  list(
    codes = vapply(ce, as.integer, integer(nrow(ce))),
    levels = vapply(ce, nlevels, 0L)
  )
}

pair_distance <- function(one, other, levels) {
  pairs <- utils::combn(length(levels), 2, simplify = FALSE)
  a <- internal$table_counts_(one, levels, pairs)
  b <- internal$table_counts_(other, levels, pairs)
  mean(mapply(function(a, b) sum(abs(a / sum(a) - b / sum(b))) / 2, a, b))
}

file <- ce_codes()
d <- length(file$levels)
cat(nrow(file$codes), "records,", d, "columns\n")
for (epsilon in c(0.25, 1, 5)) {
  mu <- internal$gaussian_mu(epsilon, 0.99e-6)
  for (share in c(0.5, 1)) {
    found <- vapply(seq_len(releases), function(k) {
      time <- system.time(release <- internal$release_block(
        file$codes, file$levels, rep(FALSE, d),
        mu = mu * sqrt(share)
      ))[["elapsed"]]
      drawn <- system.time(
        set <- internal$draw_block(release, n = nrow(file$codes))[[1]]
      )[["elapsed"]]
      c(pair_distance(set, file$codes, file$levels), time, drawn)
    }, numeric(3))
    cat(sprintf(
      "epsilon %g, share %g: pairs %.4f (%.4f); release %.2f s, set %.2f s\n",
      epsilon, share, mean(found[1, ]), stats::sd(found[1, ]) / sqrt(releases),
      mean(found[2, ]), mean(found[3, ])
    ))
  }
}
