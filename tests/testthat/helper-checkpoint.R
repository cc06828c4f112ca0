# Jobs that die at chosen points, and folders for them.

new_folder <- function(frame = parent.frame()) {
  path <- tempfile("checkpoint")
  withr::defer(unlink(path, recursive = TRUE), frame)
  path
}

# Run code whose process dies when the n-th file is to be written
die_at <- function(n, code) {
  write <- write_kept
  count <- 0
  local_replaced("write_kept", function(...) {
    count <<- count + 1
    if (count >= n) {
      signalCondition(structure(
        class = c("death", "condition"), list(message = "", call = NULL)
      ))
      # Where no handler of this session is seen nothing is written any more
      stop("The process is dead.")
    }
    write(...)
  })
  tryCatch(
    {
      suppressMessages(code)
      "alive"
    },
    death = function(c) "dead"
  )
}

# What must not depend on where a job was interrupted; seconds do
job_outcome <- function(job) {
  list(
    fits = lapply(job$internal$fits, function(fit) {
      unclass(fit)[c("id", "draws", "monitor", "diagnostics", "bound")]
    }),
    margin = job$internal$margin, synthetic = job$synthetic,
    label = job$internal$label
  )
}

copy_folder <- function(from, frame = parent.frame()) {
  to <- new_folder(frame)
  dir.create(to, mode = "0700")
  file.copy(dir(from, full.names = TRUE), to)
  to
}

kept_in <- function(path) setdiff(dir(path, all.files = TRUE), c(".", ".."))

weighted_job <- function(path = NULL, ..., seed = 14) {
  suppressMessages(pseudo_posterior(
    log(income) ~ age + earner, privacy_data(), gaussian(),
    mechanism = "lw_final", m = 2, k = 0.95, prior = prior_normal(),
    chains = 2, warmup = 200, draws = 1000, seed = seed, threads = 1,
    checkpoint = path, ...
  ))
}

# Strict, with a margin, charged 4 in all
strict_job <- function(path = NULL, ...) {
  suppressMessages(pseudo_posterior(
    log(income) ~ age + earner, privacy_data(), gaussian(),
    mechanism = "centred", epsilon = 4, m = 2, bounds = c(10, 2e6),
    reference = list("(Intercept)" = 10.8, sigma = 1), chains = 2,
    warmup = 200, draws = 1000, threads = 1, checkpoint = path, ...
  ))
}
