# Kills jobs at random points, resumes them, and compares with jobs that were
# left alone:
#
#   R_LIBS=.library Rscript tests/faults/kills.R 100
#
# Two jobs take turns: one at a seed, with a search for weights, and one from
# the system's entropy, strict, with a ledger, in which all its trials together
# must leave one entry.

library(pseudosynth)

arguments <- commandArgs(trailingOnly = TRUE)
n_kills <- if (length(arguments) > 0) as.integer(arguments[1]) else 100L
folder <- tempfile("kills")
dir.create(folder, mode = "0700")
rscript <- file.path(R.home("bin"), "Rscript")

jobs <- list(
  seeded = quote(pseudo_posterior(log(income) ~ age + earner, small,
    gaussian(),
    mechanism = "lw_final", prior = prior_normal(), m = 2, chains = 3,
    warmup = 1000, draws = 4000, threads = 1, seed = 5, checkpoint = path,
    max_refits = 4
  )),
  entropy = quote(pseudo_posterior(log(income) ~ age + earner, small,
    gaussian(),
    mechanism = "two_stage", epsilon = 4, weight_range = c(1, 6),
    reference = list("(Intercept)" = 10.8, sigma = 1), m = 2, chains = 3,
    warmup = 300, draws = 1200, threads = 1, checkpoint = path, ledger = book
  ))
)

child <- function(kind, path) {
  code <- bquote({
    library(pseudosynth)
    small <- subset(ce_income, income > 0, c("income", "age", "earner"))
    small <- small[1:400, ]
    path <- .(path)
    book <- ledger(.(file.path(folder, "book")), epsilon = 4)
    suppressMessages(suppressWarnings(.(jobs[[kind]])))
  })
  file <- file.path(folder, paste0(kind, ".R"))
  writeLines(deparse(code), file)
  command <- sprintf("%s %s > /dev/null 2>&1 & echo $!", rscript, file)
  as.integer(system(command, intern = TRUE))
}
is_alive <- function(pid) tools::pskill(pid, 0)
now <- function() proc.time()[["elapsed"]]
# Until the process, which takes seconds to start, runs the job
await_job <- function(pid, path) {
  log <- file.path(path, "log.txt")
  while (is_alive(pid) && !any(grepl("resumed", readLines(log)))) {
    Sys.sleep(0.005)
  }
}

# The fits' draws and bounds and the sets; seconds differ
outcome <- function(path) {
  job <- suppressWarnings(suppressMessages(resume(path)))
  list(
    lapply(job$internal$fits, function(fit) {
      c(unclass(fit)[c("draws", "monitor", "diagnostics")], fit$bound)
    }),
    job$synthetic, job$internal$label
  )
}

# A folder in which the job has begun and done nothing yet
begun <- function(kind) {
  path <- file.path(folder, paste0(kind, "-begun"))
  pid <- child(kind, path)
  while (!file.exists(file.path(path, "job"))) Sys.sleep(0.002)
  tools::pskill(pid, tools::SIGKILL)
  unlink(file.path(path, "step-*"))
  path
}
copied <- function(from, to) {
  dir.create(to, mode = "0700")
  file.copy(file.path(from, "job"), to)
  file.create(file.path(to, "log.txt"))
  to
}

set.seed(1)
results <- NULL
for (kind in names(jobs)) {
  first <- begun(kind)
  alone <- copied(first, file.path(folder, paste0(kind, "-alone")))
  pid <- child(kind, alone)
  await_job(pid, alone)
  started <- now()
  while (is_alive(pid)) Sys.sleep(0.02)
  seconds <- now() - started
  expected <- outcome(alone)
  cat(sprintf("%s: %.1f s when left alone\n", kind, seconds))
  kills <- 0
  while (kills < n_kills / length(jobs)) {
    path <- copied(first, file.path(folder, sprintf("%s-%03d", kind, kills)))
    pid <- child(kind, path)
    await_job(pid, path)
    Sys.sleep(runif(1) * seconds)
    killed <- is_alive(pid)
    tools::pskill(pid, tools::SIGKILL)
    # One that was finished before is no kill: the machine is faster now
    kills <- kills + killed
    if (!killed) seconds <- 0.95 * seconds
    while (is_alive(pid)) Sys.sleep(0.01)
    there <- dir(path)
    same <- identical(outcome(path), expected)
    clean <- setequal(dir(path, all.files = TRUE, no.. = TRUE), c(
      "log.txt", "result"
    ))
    results <- rbind(results, data.frame(
      kind = kind, killed = killed, same = same, clean = clean,
      stages = sum(grepl("^step-[0-9]+$", there)),
      chains = sum(grepl("^step-.*-.*[0-9]$", there)),
      finished = "result" %in% there
    ))
    unlink(path, recursive = TRUE)
  }
}
entries <- nrow(as.data.frame(ledger(file.path(folder, "book"))))
cat(sprintf(
  "%d jobs, %d killed while they ran, %d resumed with identical draws\n",
  nrow(results), sum(results$killed), sum(results$same)
))
cat(sprintf("ledger: %d entry of all trials\n", entries))
cat("stages kept when killed:\n")
print(table(results$kind, results$stages))
cat("chains of the next stage kept when killed:\n")
print(table(results$kind, results$chains))
unlink(folder, recursive = TRUE)
failed <- !all(results$same, results$clean) || entries != 1
if (failed) quit(status = 1)
