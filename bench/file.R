# The discrete block of a file release on the October file of `ce_income`: its
# 5,379 records with a positive income and a published region and population.
#
#   Rscript bench/file.R [releases]
#
# Prints the mean total variation of all pairs of columns between one set of the
# file's size and the file, and seconds of a release and of a set. Ten columns:
# income in tenths is one more category. Nine: without it, as beside an amount.
# Half: the block has half of mu squared, as beside an amount.

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
  vapply(droplevels(ce), as.integer, integer(nrow(ce)))
}

pair_distance <- function(one, other, levels) {
  pairs <- utils::combn(length(levels), 2, simplify = FALSE)
  a <- internal$table_counts_(one, levels, pairs)
  b <- internal$table_counts_(other, levels, pairs)
  mean(mapply(function(a, b) sum(abs(a / sum(a) - b / sum(b))) / 2, a, b))
}

case <- function(codes, epsilon, share) {
  levels <- apply(codes, 2, max)
  mu <- internal$gaussian_mu(epsilon, 0.99e-6) * sqrt(share)
  found <- vapply(seq_len(releases), function(k) {
    released <- system.time(release <- internal$release_block(
      codes, levels, rep(FALSE, ncol(codes)), mu = mu, delta = 1e-6
    ))
    drawn <- system.time(
      set <- internal$draw_block(release, n = nrow(codes))[[1]]
    )
    c(
      pair_distance(set, codes, levels), released[["elapsed"]],
      drawn[["elapsed"]]
    )
  }, numeric(3))
  cat(sprintf(
    "%2d columns, epsilon %.2f, share %.1f: %.4f (%.4f), %.2f s and %.2f s\n",
    ncol(codes), epsilon, share, mean(found[1, ]),
    stats::sd(found[1, ]) / sqrt(releases), mean(found[2, ]), mean(found[3, ])
  ))
}

codes <- ce_codes()
rows <- lapply(1:10, function(k) sample(nrow(codes), replace = TRUE))
cat(sprintf(
  "%d records; bootstrap %.4f\n", nrow(codes), mean(vapply(rows, function(i) {
    pair_distance(codes[i, ], codes, apply(codes, 2, max))
  }, 0))
))
for (epsilon in c(0.25, 1, 5)) {
  case(codes, epsilon, 1)
  case(codes, epsilon, 0.5)
  case(codes[, colnames(codes) != "income"], epsilon, 0.5)
}
