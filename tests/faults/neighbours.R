# Random pairs of neighbouring files: what is no noisy sum must be identical.
#
#   R_LIBS=.library Rscript tests/faults/neighbours.R 2000 1
#
# The arguments are the number of pairs and the seed. Files are read from CSV,
# from SQLite, and from PostgreSQL where its server and RPostgres are there.
# Half as many pairs more are files of households, of every composition, and as
# many again files of random households and panels, with amounts: in these no
# noisy sum may move farther than was paid for, either.
#
#   R_LIBS=.library Rscript tests/faults/neighbours.R 2000 1 units
#
# runs some of the parts alone: records, homes, units.

suppressPackageStartupMessages({
  library(testthat)
  library(pseudosynth)
})

arguments <- commandArgs(trailingOnly = TRUE)
n_pairs <- if (length(arguments) > 0) as.integer(arguments[1]) else 2000L
seed <- if (length(arguments) > 1) as.integer(arguments[2]) else 1L
asked <- arguments[-(1:2)]
neighbours_of_each <- 10

tests <- new.env(parent = asNamespace("pseudosynth"))
for (helper in c(
  "nightly", "neighbours", "neighbours-members", "postgresql", "members"
)) {
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

# A third are panels; some have so many households that amounts have tables
compare_units <- function(pairs) {
  found <- NULL
  plans <- done <- 0L
  while (done < pairs) {
    plans <- plans + 1L
    set.seed(seed + plans)
    panel <- plans %% 3 == 0
    case <- if (plans %% 40 == 0) {
      tests$random_release(
        panel, homes = 3000, slots = 2, own = c("age", "income")
      )
    } else {
      tests$random_release(panel)
    }
    rows <- tests$compared_case(case, min(neighbours_of_each, pairs - done))
    done <- done + max(rows$pair)
    for (r in which(!duplicated(rows$pair) & rows$bad != "")) {
      cat(sprintf(
        "units, seed %d, pair %d (%s %s): %s\n", seed + plans, rows$pair[r],
        rows$change[r], rows$sort[r], rows$bad[r]
      ))
    }
    found <- rbind(found, cbind(rows, panel, plan = plans))
    message(done, " pairs of units")
  }
  pair <- found[!duplicated(found[c("plan", "pair")]) & found$pair > 0, ]
  cat(sprintf(
    "%d pairs of households and panels (%s): %d bad, %d refused themselves\n",
    nrow(pair), paste(
      table(pair$change), names(table(pair$change)), collapse = ", "
    ), sum(pair$bad != ""), sum(pair$what == "refused")
  ))
  # The largest squared mu over what is paid, and length over its bound
  kinds <- found[!found$what %in% c("refused", "no plan", "no release"), ]
  print(stats::aggregate(cbind(ratio, length) ~ what + panel, kinds, max))
  sum(pair$bad != "")
}

parts <- list(
  records = function() compare_pairs(),
  homes = function() compare_homes(n_pairs %/% 2),
  units = function() compare_units(n_pairs %/% 2)
)
stopifnot(all(asked %in% names(parts)))
if (length(asked) == 0) asked <- names(parts)
bad <- vapply(parts[asked], function(part) part(), 1)
if (any(bad > 0)) quit(status = 1)
