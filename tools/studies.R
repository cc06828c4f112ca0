# The full size of the studies that the vignettes show. Called by `make
# studies`:
#
#   Rscript tools/studies.R [study ...]
#
# Each study is a file of inst/studies whose function of the same name takes the
# numbers of replicates; its table goes to inst/studies/<study>.csv.xz after
# every replicate, so that a run goes on where the last one stopped. Fits of
# long replicates are kept in .stamps/studies, so that it goes on within one.

library(pseudosynth)

replicates <- c(
  beta_simulation = 100, local_to_global = 100, sdr_application = 10,
  consumer_expenditure = 1, consumer_month = 1, synthpop_users = 10,
  own_stan_model = 1
)

asked <- commandArgs(trailingOnly = TRUE)
studies <- if (length(asked) > 0) asked else names(replicates)

read_table <- function(file) {
  if (file.exists(file)) utils::read.csv(xzfile(file))
}

write_table <- function(table, file) {
  numbers <- vapply(table, is.double, NA)
  table[numbers] <- lapply(table[numbers], signif, 5)
  # Never half-written: the old table stays until the new one is complete
  fresh <- paste0(file, ".new")
  connection <- xzfile(fresh, "w")
  utils::write.csv(table, connection, row.names = FALSE)
  close(connection)
  file.rename(fresh, file)
}

# What some studies take beside the numbers of replicates
inputs_of <- function(study) {
  long <- startsWith(study, "consumer_")
  c(
    if (long) list(folder = file.path(".stamps", "studies", study)),
    if (study == "consumer_month") list(interviews = load_rpms_ce())
  )
}

source(file.path("data-raw", "load_rpms_ce.R"))
environment <- new.env()
for (study in names(replicates)) {
  sys.source(file.path("inst", "studies", paste0(study, ".R")), environment)
}
for (study in studies) {
  file <- file.path("inst", "studies", paste0(study, ".csv.xz"))
  table <- read_table(file)
  for (r in setdiff(seq_len(replicates[[study]]), table$replicate)) {
    started <- proc.time()[["elapsed"]]
    table <- rbind(table, do.call(
      environment[[study]], c(list(r), inputs_of(study))
    ))
    write_table(table, file)
    cat(sprintf(
      "%s, replicate %d of %d: %.1f s\n", study, r, replicates[[study]],
      proc.time()[["elapsed"]] - started
    ))
  }
}
