# What a plain reading of a mechanism needs: the functions that stand between
# the user's call and the computations, and their files; called by `make
# floors`. Fails where there are more files than `most`.
#
#   Rscript tools/reading.R [mechanism]
#
# A job is run with every function of the package watched. Whenever one of the
# computations below starts, whatever stands on the stack is part of the
# reading. Checks, messages and prints that have returned by then are not.

most <- 25
computations <- c(
  "sample_posterior_", "convergence_", "lipschitz_", "lipschitz_rule",
  "reweighted_rule", "verdict_of", "derive_epsilon", "synthesize_",
  "build_synthetic_sets"
)
mechanism <- c(commandArgs(trailingOnly = TRUE), "lw_final")[1]

# Which file defines what ------------------------------------------------------

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

# Watch every function ---------------------------------------------------------

read <- character()
note <- function(name) {
  if (name %in% computations) {
    stack <- lapply(seq_along(sys.frames()), sys.function)
    names <- unlist(lapply(stack, attr, "watched"))
    read <<- union(read, names)
  }
}
namespace <- asNamespace("pseudosynth")
rlang::env_binding_unlock(namespace)
methods <- get(".__S3MethodsTable__.", namespace)
for (name in names(file_of)) {
  f <- get0(name, namespace, inherits = FALSE)
  if (!is.function(f)) next
  body(f) <- call("{", as.call(list(note, name)), body(f))
  attr(f, "watched") <- name
  assign(name, f, namespace)
  if (exists(name, methods, inherits = FALSE)) assign(name, f, methods)
}

# One job ----------------------------------------------------------------------

data("ce_income", package = "pseudosynth")
columns <- c("income", "age", "earner")
data <- subset(ce_income, income > 0, columns)[1:400, ]
invisible(suppressMessages(namespace$pseudo_posterior(
  log(income) ~ age + earner, data, namespace$student_t(), mechanism,
  m = 2, bounds = c(1, 2e6), chains = 2, warmup = 500, draws = 1500, seed = 1
)))

parts <- split(read, file_of[read])
for (file in names(parts)) {
  cat(sprintf("%-20s %s\n", file, paste(parts[[file]], collapse = " ")))
}
cat(sprintf(
  "reading of %s: %d functions in %d files\n", mechanism, length(read),
  length(parts)
))
if (length(parts) > most) quit(save = "no", status = 1)
