# Two processes that run rows or draw sets, as a user's plan would start them.
local_workers <- function(workers = 2, env = parent.frame()) {
  skip_if_not_installed("future")
  skip_on_cran()
  old <- future::plan("multisession", workers = workers)
  withr::defer(future::plan(old), env)
}
