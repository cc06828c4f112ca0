# Plants the faults of faults.dcf one at a time and runs the tests that should
# notice. Called by `make mutants`:
#
#   Rscript tools/mutants/run.R [id ...]
#   Rscript tools/mutants/run.R check
#
# A fault in an R file is put into the loaded package; one in a C++ file is
# compiled into a copy of the installed one, of which it replaces one object. A
# fault is killed by the first test file that fails with it and passes without
# it. The result is the table tools/mutants/table.csv; a survivor is an error.
# Where a fault states a Hook, that object of tests/hooks is compiled with it,
# too.
#
# `check`, called by `make floors`, plants nothing: it fails on a fault that
# the code or the tests have left behind: its text is not in its file as often
# as stated (Times, 1 if it is not), or a test file is gone.

faults <- as.data.frame(read.dcf("tools/mutants/faults.dcf"))
all_ids <- faults$Id
stopifnot(!anyDuplicated(all_ids))

read_text <- function(file) {
  paste(readLines(file, encoding = "UTF-8"), collapse = "\n")
}

tests_of <- function(fault) strsplit(fault$Tests, "\\s+")[[1]]

#' Why a fault cannot be planted, or nobody would look for it
#' @return (character) Empty if all is well.
left_behind <- function(fault) {
  times <- if (file.exists(fault$File)) {
    sum(gregexpr(fault$From, read_text(fault$File), fixed = TRUE)[[1]] > 0)
  } else {
    0
  }
  expected <- if (is.na(fault$Times)) 1 else as.integer(fault$Times)
  tests <- tests_of(fault)
  absent <- tests[!file.exists(sprintf("tests/testthat/test-%s.R", tests))]
  c(
    if (times != expected) {
      sprintf("found %d times in %s, not %d", times, fault$File, expected)
    },
    if (length(absent) > 0) paste("no test file", toString(absent))
  )
}

#' @return (flag) Can every fault be planted?
check_all <- function() {
  found <- unlist(lapply(seq_len(nrow(faults)), function(i) {
    sprintf("%s: %s", faults$Id[i], left_behind(faults[i, ]))
  }))
  writeLines(as.character(found))
  cat(sprintf("mutants: %d faults, %d problems\n", nrow(faults), length(found)))
  length(found) == 0
}

wanted <- commandArgs(trailingOnly = TRUE)
if (identical(wanted, "check")) quit(status = if (check_all()) 0 else 1)
unknown <- setdiff(wanted, all_ids)
if (length(unknown) > 0) stop("No fault ", toString(unknown))
if (length(wanted) > 0) faults <- faults[all_ids %in% wanted, ]

library <- normalizePath(Sys.getenv("LIBRARY", ".library"))
scratch <- file.path(".mutants")
unlink(scratch, recursive = TRUE)
dir.create(scratch)

#' The file with the fault
planted <- function(fault) {
  file <- file.path(scratch, basename(fault$File))
  text <- read_text(fault$File)
  writeLines(gsub(fault$From, fault$To, text, fixed = TRUE), file)
  normalizePath(file)
}

#' Compile one object anew, and the library of a package
#' @return (string) Its path.
compile <- function(fault, source, object, package) {
  shared <- paste0(package, ".so")
  # Only that object is older than its source
  objects <- dir(source, "[.]o$", full.names = TRUE)
  Sys.setFileTime(objects, Sys.time() + 60)
  unlink(file.path(source, c(paste0(object, ".o"), shared)))
  # As R CMD INSTALL finds the headers of LinkingTo
  headers <- paste0("-I", vapply(
    c("Rcpp", "RcppEigen", "RcppParallel"),
    function(package) system.file("include", package = package), ""
  ), collapse = " ")
  code <- system(sprintf(
    "cd %s && CLINK_CPPFLAGS=%s %s CMD SHLIB -o %s *.cpp > log 2>&1",
    shQuote(source), shQuote(headers), file.path(R.home("bin"), "R"), shared
  ))
  if (code != 0) stop(fault$Id, ": it does not compile")
  file.path(source, shared)
}

#' A library whose package has the fault of a C++ file
compiled <- function(fault) {
  source <- file.path(scratch, "source")
  unlink(source, recursive = TRUE)
  dir.create(file.path(source, "inst"), recursive = TRUE)
  file.copy("src", source, recursive = TRUE, copy.date = TRUE)
  file.copy("inst/include", file.path(source, "inst"),
    recursive = TRUE, copy.date = TRUE
  )
  file.copy(planted(fault), file.path(source, fault$File), overwrite = TRUE)
  object <- if (is.na(fault$Object)) {
    sub("[.]cpp$", "", basename(fault$File))
  } else {
    fault$Object
  }
  made <- compile(fault, file.path(source, "src"), object, "pseudosynth")
  if (!is.na(fault$Hook)) {
    hooks <- file.path(source, "tests", "hooks", "src")
    dir.create(hooks, recursive = TRUE)
    file.copy(dir("tests/hooks/src", full.names = TRUE), hooks,
      copy.date = TRUE
    )
    made <- c(made, compile(fault, hooks, fault$Hook, "pseudosynth.hooks"))
  }
  copy <- file.path(scratch, "library")
  unlink(copy, recursive = TRUE)
  dir.create(copy)
  file.copy(dir(library, full.names = TRUE), copy, recursive = TRUE)
  for (library_of in made) {
    package <- sub("[.]so$", "", basename(library_of))
    file.copy(library_of, file.path(copy, package, "libs"), overwrite = TRUE)
  }
  normalizePath(copy)
}

# One session for each fault: load, plant, test until a file fails
session <- '
arguments <- commandArgs(TRUE)
suppressPackageStartupMessages({
  library(testthat)
  library(pseudosynth)
})
if (nzchar(arguments[1])) {
  package <- asNamespace("pseudosynth")
  registries <- c(list(package), lapply(
    c("base", "stats", "utils", "ggplot2", "rstantools", "posterior"),
    asNamespace
  ))
  for (code in parse(arguments[1], encoding = "UTF-8")) {
    made <- new.env(parent = package)
    eval(code, made)
    for (name in ls(made, all.names = TRUE)) {
      value <- made[[name]]
      if (is.function(value)) environment(value) <- package
      if (exists(name, package, inherits = FALSE)) unlockBinding(name, package)
      assign(name, value, package)
      for (registry in registries) {
        methods <- registry[[".__S3MethodsTable__."]]
        if (exists(name, methods, inherits = FALSE)) {
          assign(name, value, methods)
        }
      }
    }
  }
}
for (name in arguments[-1]) {
  results <- tryCatch(
    as.data.frame(test_file(
      sprintf("tests/testthat/test-%s.R", name),
      package = "pseudosynth", reporter = "stop"
    )),
    error = function(e) NULL
  )
  if (is.null(results) || any(results$failed > 0 | results$error)) {
    cat("KILLED", name, "\n")
    quit(status = 0)
  }
}
cat("SURVIVED\n")
'
script <- file.path(scratch, "session.R")
writeLines(session, script)

#' @return (string) The test file that failed; "" if none did.
run_tests <- function(tests, file = "", lib = library) {
  output <- suppressWarnings(system2("timeout", c(
    "900", file.path(R.home("bin"), "Rscript"), script, shQuote(file), tests
  ), stdout = TRUE, stderr = FALSE, env = c(
    paste0("R_LIBS=", lib), "NOT_CRAN=true"
  )))
  killed <- grep("^KILLED", output, value = TRUE)
  if (length(killed) > 0) {
    return(strsplit(killed, " ")[[1]][2])
  }
  # A session that dies or hangs has noticed, too
  if (any(output == "SURVIVED")) "" else "the session's end"
}

# Each file must pass without a fault
sound <- list()
is_sound <- function(name) {
  if (is.null(sound[[name]])) sound[[name]] <<- run_tests(name) == ""
  sound[[name]]
}

tried <- function(fault) {
  why <- left_behind(fault)
  if (length(why) > 0) stop(fault$Id, ": ", toString(why))
  cpp <- !grepl("^R/", fault$File)
  tests <- tests_of(fault)
  by <- if (cpp) {
    run_tests(tests, lib = compiled(fault))
  } else {
    run_tests(tests, planted(fault))
  }
  if (by %in% tests && !is_sound(by)) {
    stop(by, " fails without a fault, too")
  }
  cat(sprintf("%-20s %s\n", fault$Id, if (by == "") {
    "SURVIVED"
  } else {
    paste("killed by", by)
  }))
  data.frame(
    id = fault$Id, fault = fault$Fault, file = fault$File,
    killed_by = if (by == "") "none" else by
  )
}

# The table keeps what was found before of faults that are not asked for
path <- "tools/mutants/table.csv"
table <- if (file.exists(path) && length(wanted) > 0) utils::read.csv(path)
for (i in seq_len(nrow(faults))) {
  row <- tried(faults[i, ])
  table <- rbind(table[table$id != row$id, ], row)
  utils::write.csv(table, path, row.names = FALSE)
}
table <- table[order(match(table$id, all_ids)), ]
utils::write.csv(table, path, row.names = FALSE)
cat(sprintf(
  "%d faults, %d killed\n", nrow(table), sum(table$killed_by != "none")
))
unlink(scratch, recursive = TRUE)
if (any(table$killed_by == "none")) quit(status = 1)
