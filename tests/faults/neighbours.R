# Random pairs of neighbouring files: what is no noisy sum must be identical.
#
#   R_LIBS=.library Rscript tests/faults/neighbours.R 2000 1
#
# The arguments are the number of pairs and the seed. Files are read from CSV,
# from SQLite, and from PostgreSQL where its server and RPostgres are there.
# Half as many pairs more are files of households, of every composition: in
# these no noisy sum may move farther than was paid for, either.

suppressPackageStartupMessages({
  library(testthat)
  library(pseudosynth)
})

arguments <- as.integer(commandArgs(trailingOnly = TRUE))
n_pairs <- if (length(arguments) > 0) arguments[1] else 2000L
seed <- if (length(arguments) > 1) arguments[2] else 1L
neighbours_of_each <- 10

tests <- new.env(parent = asNamespace("pseudosynth"))
for (helper in c("nightly", "neighbours", "postgresql", "members")) {
  sys.source(sprintf("tests/testthat/helper-%s.R", helper), tests)
}

# In a function, whose end stops the server, also when it is interrupted
compare_pairs <- function(here = environment()) {
  connections <- list(csv = NULL)
  if (requireNamespace("RSQLite", quietly = TRUE)) {
    lite <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
    connections <- c(connections, list(sqlite = lite, written = lite))
  }
  Sys.setenv(NIGHTLY = "true")
  server <- tryCatch(
    tests$local_postgresql(here), skip = function(reason) NULL
  )
  if (!is.null(server)) connections$postgresql <- server()
  readers <- c("csv", setdiff(names(connections), "csv"))

  set.seed(seed)
  counts <- stats::setNames(integer(length(readers)), readers)
  bad <- 0L
  released <- function(text, case, reader) {
    function() {
      tests$released_parts(text, case, reader, connections[[reader]])
    }
  }
  while (sum(counts) < n_pairs) {
    case <- tests$random_case()
    reader <- readers[sum(counts) %/% neighbours_of_each %% length(readers) + 1]
    names <- names(case$text)
    if (reader == "written") names <- setdiff(names, c("born", "flag"))
    if (reader == "sqlite") names <- setdiff(names, "born")
    if (length(names) == 0) next
    base <- tests$taped(released(case$text, case, reader))
    for (k in seq_len(min(neighbours_of_each, n_pairs - sum(counts)))) {
      text <- tests$neighbour_text(case)
      moved <- tests$parts_moved(base, released(text, case, reader))
      counts[[reader]] <- counts[[reader]] + 1L
      if (length(moved) > 0) {
        bad <- bad + 1L
        cat(sprintf(
          "pair %d, %s, %s: %s\n", sum(counts), reader, toString(names),
          toString(moved)
        ))
      }
    }
    message(sum(counts), " pairs")
  }
  cat(sprintf(
    "%d pairs (%s): %d with a part that is no noisy sum and differs\n",
    sum(counts), paste(counts, readers, collapse = ", "), bad
  ))
  bad
}

compare_homes <- function(pairs) {
  plan <- tests$home_plan(tests$home_persons(200, seed))
  release <- tests$home_release(plan, 1, seed = seed)
  found <- tests$replayed_homes(release, plan, tests$every_home(), pairs, seed)
  bad <- found$over != "" | found$differs != "" | found$ratio > 1 + 1e-6
  for (r in which(bad)) {
    cat(sprintf(
      "households %d, %s: over %s; differs %s\n", r, found$change[r],
      found$over[r], found$differs[r]
    ))
  }
  cat(sprintf(
    "%d pairs of households (%s): %d bad, largest ratio of squared mu %.4f\n",
    nrow(found), paste(
      table(found$change), names(table(found$change)), collapse = ", "
    ), sum(bad), max(found$ratio)
  ))
  sum(bad)
}

bad <- c(compare_pairs(), compare_homes(n_pairs %/% 2))
if (any(bad > 0)) quit(status = 1)
