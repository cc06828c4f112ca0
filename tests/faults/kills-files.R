# Kills what takes long of large files at random moments, calls the same again,
# and compares with what was left alone:
#
#   R_LIBS=.library Rscript tests/faults/kills-files.R 20 [table release paid]
#
# The calls: a set that is written part by part into a table of SQLite; a
# release of records on disk at a seed, with a checkpoint; the same without a
# seed, which must be in its ledger once and have the noise that was kept.

library(pseudosynth)

arguments <- commandArgs(trailingOnly = TRUE)
n_kills <- if (length(arguments) > 0) as.integer(arguments[1]) else 20L
folder <- tempfile("kills")
dir.create(folder, mode = "0700")

people <- subset(
  ce_income, income > 0, c("income", "sex", "age", "marital", "earner")
)
book <- suppressMessages(confirm_codebook(edit_codebook(
  draft_codebook(people), income = list(lower = 1, upper = 2e6)
)))
stated <- file.path(folder, "book.rds")
saveRDS(book, stated)
released <- file.path(folder, "release.rds")
saveRDS(suppressMessages(suppressWarnings(
  file_release(file_plan(people, book), epsilon = 2, seed = 1)
)), released)

# A table of many records, whose plan leaves them on disk
persons <- file.path(folder, "persons.db")
con <- DBI::dbConnect(RSQLite::SQLite(), persons)
set.seed(2)
many <- people[sample(nrow(people), 2e5, TRUE), ]
many[] <- lapply(many, function(x) if (is.factor(x)) as.character(x) else x)
DBI::dbWriteTable(con, "persons", many)
DBI::dbDisconnect(con)
large_plan <- quote({
  options(pseudosynth.records_in_memory = 1000)
  con <- DBI::dbConnect(RSQLite::SQLite(), persons)
  plan <- file_plan(dplyr::tbl(con, "persons"), book)
  write(1, begun)
})
result_of <- function(path) {
  pseudosynth:::read_kept(file.path(path, "run", "result"))$value
}

# Each makes what it needs at a new path, runs there, and tells what came out
calls <- list(
  table = list(
    prepare = function(path) {
      con <- DBI::dbConnect(RSQLite::SQLite(), path)
      on.exit(DBI::dbDisconnect(con))
      set <- synthesize(readRDS(released), n = 10)[[1]]
      set[] <- lapply(set, function(x) if (is.factor(x)) "" else x)
      DBI::dbCreateTable(con, "synthetic", set)
    },
    run = quote({
      utils::assignInNamespace("part_records", 2.5e4, "pseudosynth")
      con <- DBI::dbConnect(RSQLite::SQLite(), path)
      release <- readRDS(released)
      write(1, begun)
      # What was finished before it was killed refuses to be written again
      if (DBI::dbGetQuery(con, "SELECT COUNT(*) FROM synthetic")[[1]] == 0) {
        synthesize(
          release, n = 2e5, seed = 4, into = dplyr::tbl(con, "synthetic")
        )
      }
    }),
    outcome = function(path) {
      con <- DBI::dbConnect(RSQLite::SQLite(), path)
      on.exit(DBI::dbDisconnect(con))
      list(DBI::dbReadTable(con, "synthetic"), DBI::dbListTables(con))
    }
  ),
  release = list(
    prepare = dir.create,
    run = bquote({
      .(large_plan)
      file_release(
        plan, 2, seed = 1, checkpoint = file.path(path, "run")
      )
    }),
    outcome = function(path) list(result_of(path), dir(file.path(path, "run")))
  ),
  paid = list(
    prepare = dir.create,
    run = bquote({
      .(large_plan)
      file_release(
        plan, 2, checkpoint = file.path(path, "run"),
        ledger = ledger(file.path(path, "ledger"), epsilon = 2, delta = 1e-6)
      )
    }),
    outcome = function(path) {
      book <- ledger(file.path(path, "ledger"), epsilon = 2, delta = 1e-6)
      list(
        nrow(as.data.frame(book)), dir(file.path(path, "run")),
        # Drawn under the identities that were paid for
        pseudosynth:::is_recorded(
          pseudosynth:::read_ledger(book$path), result_of(path)
        )
      )
    }
  )
)
asked <- arguments[-1]
if (length(asked) > 0) calls <- calls[asked]

child <- function(kind, path) {
  begun <- tempfile("begun", folder)
  code <- bquote({
    suppressPackageStartupMessages(library(pseudosynth))
    path <- .(path)
    released <- .(released)
    begun <- .(begun)
    persons <- .(persons)
    book <- readRDS(.(stated))
    suppressWarnings(.(calls[[kind]]$run))
  })
  file <- tempfile(kind, folder, ".R")
  writeLines(deparse(code), file)
  pid <- as.integer(system(sprintf(
    "%s %s > %s.log 2>&1 & echo $!", file.path(R.home("bin"), "Rscript"), file,
    file
  ), intern = TRUE))
  while (is_alive(pid) && !file.exists(begun)) Sys.sleep(0.005)
  list(pid = pid, log = paste0(file, ".log"))
}
is_alive <- function(pid) tools::pskill(pid, 0)
ended <- function(pid) while (is_alive(pid)) Sys.sleep(0.01)

set.seed(1)
failed <- FALSE
for (kind in names(calls)) {
  call <- calls[[kind]]
  alone <- file.path(folder, kind)
  call$prepare(alone)
  job <- child(kind, alone)
  started <- proc.time()[["elapsed"]]
  ended(job$pid)
  seconds <- proc.time()[["elapsed"]] - started
  expected <- call$outcome(alone)
  cat(sprintf("%s: %.1f s when left alone\n", kind, seconds))
  kept <- same <- integer()
  while (length(same) < n_kills) {
    path <- tempfile(kind, folder)
    call$prepare(path)
    job <- child(kind, path)
    Sys.sleep(stats::runif(1) * seconds)
    killed <- is_alive(job$pid)
    tools::pskill(job$pid, tools::SIGKILL)
    ended(job$pid)
    left <- length(dir(file.path(path, "run"), "^noise"))
    again <- child(kind, path)
    ended(again$pid)
    if (killed) {
      same <- c(same, identical(call$outcome(path), expected))
      said <- grep("before:", readLines(again$log), value = TRUE)
      parts <- sub(".*?([0-9]+) of .* before.*", "\\1", c(said, "0")[1])
      kept <- c(kept, left + as.integer(parts))
    } else {
      # It was finished: the machine is faster now
      seconds <- 0.95 * seconds
    }
    unlink(path, recursive = TRUE)
  }
  cat(sprintf(
    "%s: %d killed while they ran, %d then as if left alone\n", kind,
    length(same), sum(same)
  ))
  cat("parts, or noisy sums, that were kept:", sort(kept), "\n")
  failed <- failed || !all(same)
}
unlink(folder, recursive = TRUE)
if (failed) quit(status = 1)
