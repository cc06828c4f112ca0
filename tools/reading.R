# What a reader meets who follows a trip from the user's call to the files that
# leave: every function of the package that is called on the way, and the files
# that hold them; called by `make floors`. Fails where a trip calls more
# functions, or of more files, than `trips` allows. Who makes a trip shorter
# lowers its numbers.
#
#   Rscript tools/reading.R [trip]
#
# With a trip's name its functions are listed by file.

trips <- list(
  file_release = list(functions = 756, files = 100, run = function() {
    people <- ce_income[1:400, c("income", "sex", "age", "marital", "earner")]
    book <- edit_codebook(
      draft_codebook(people), income = list(lower = -1e6, upper = 2e6)
    )
    plan <- file_plan(people, confirm_codebook(book))
    sets <- synthesize(file_release(plan, 5), m = 2)
    release(sets, folder, data = people)
  }),
  lw_final = list(functions = 640, files = 115, run = function() {
    people <- subset(ce_income, income > 0, c("income", "age", "earner"))
    people <- people[1:400, ]
    released <- pseudo_posterior(
      log(income) ~ age + earner, people, student_t(), "lw_final", m = 2,
      bounds = c(1, 2e6), chains = 2, warmup = 500, draws = 1500
    )
    release(released, folder, data = people)
  })
)
data("ce_income", package = "pseudosynth")
asked <- commandArgs(trailingOnly = TRUE)

# Which file defines what
defined_in <- function(file) {
  names <- vapply(parse(file, keep.source = FALSE), function(e) {
    assigned <- is.call(e) && identical(e[[1]], as.name("<-")) &&
      is.name(e[[2]])
    if (assigned) as.character(e[[2]]) else ""
  }, "")
  names <- names[nzchar(names)]
  stats::setNames(rep(sub("[.]R$", "", basename(file)), length(names)), names)
}
files <- list.files("R", pattern = "[.]R$", full.names = TRUE)
file_of <- unlist(lapply(files, defined_in))

# Every function says when it is called
called <- character()
note <- function(name) called <<- union(called, name)
namespace <- asNamespace("pseudosynth")
rlang::env_binding_unlock(namespace)
methods <- get(".__S3MethodsTable__.", namespace)
for (name in names(file_of)) {
  f <- get0(name, namespace, inherits = FALSE)
  if (!is.function(f)) next
  body(f) <- call("{", as.call(list(note, name)), body(f))
  assign(name, f, namespace)
  if (exists(name, methods, inherits = FALSE)) assign(name, f, methods)
}

travel <- function(name) {
  called <<- character()
  folder <- tempfile()
  on.exit(unlink(folder, recursive = TRUE))
  run <- trips[[name]]$run
  environment(run) <- list2env(list(folder = folder), parent = namespace)
  invisible(suppressMessages(suppressWarnings(run())))
  read <- split(called, file_of[called])
  if (name %in% asked) {
    for (file in names(read)) {
      cat(sprintf("%-24s %s\n", file, paste(read[[file]], collapse = " ")))
    }
  }
  cat(sprintf(
    "%s to release(): %d functions in %d files\n", name, length(called),
    length(read)
  ))
  length(called) <= trips[[name]]$functions &&
    length(read) <= trips[[name]]$files
}
within <- vapply(names(trips), travel, NA)
if (!all(within)) quit(save = "no", status = 1)
