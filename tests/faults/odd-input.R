# Odd input: every argument of every verb and method against values that it was
# not made for, two at a time too, and odd files through the whole chain from a
# fit to a release:
#
#   R_LIBS=.library Rscript tests/faults/odd-input.R [n] [seed] [table] [only]
#
# only: a regular expression of call, argument and value. n: cases; Inf for
# every single crossing. Whatever happens is a line of the table
# (odd-input.csv); cases that stand in it already are not run again. Cases run
# in a child process, which is killed after a minute in one case. Wanted:
# results and errors of the package itself (`pseudosynth_error`), nothing else.

Sys.setenv(RCPP_PARALLEL_NUM_THREADS = "1", OMP_NUM_THREADS = "1")
suppressMessages(library(pseudosynth))
given <- commandArgs(trailingOnly = TRUE)
n_cases <- if (length(given) > 0) as.numeric(given[1]) else 8000
seed <- if (length(given) > 1) as.integer(given[2]) else 1L
table_file <- if (length(given) > 2) given[3] else "odd-input.csv"
table_file <- file.path(
  normalizePath(dirname(table_file)), basename(table_file)
)
only <- if (length(given) > 3) given[4]

limits <- c(cpu = 10, elapsed = 60)
here <- "tests"
odd <- new.env(parent = asNamespace("pseudosynth"))
for (file in c(
  file.path(here, "testthat", c(
    "helper-privacy.R", "helper-peers.R", "helper-bad-input.R"
  )),
  file.path(here, "faults", "odd-input", c(
    "values.R", "calls.R", "files.R", "cases.R", "chains.R"
  ))
)) {
  sys.source(file, odd)
}

columns <- c(
  "call", "argument", "value", "outcome", "said", "warned", "cpu", "elapsed"
)

# No method for a class of the user's, the user's own functions, an lm() of the
# user's on text, and a variable that holds what R writes for an argument that
# was left out
of_the_user <- paste0(
  "^no applicable method|on purpose|^argument .given_|",
  "^0 [(]non-NA[)] cases"
)

#' What becomes of one case, as a line of the table
outcome_line <- function(run) {
  warned <- ""
  error <- NULL
  text <- character()
  note <- function(condition) {
    text <<- c(text, conditionMessage(condition))
    ours <- any(startsWith(class(condition), "pseudosynth_"))
    if (inherits(condition, "warning")) {
      if (!ours && !nzchar(warned)) warned <<- conditionMessage(condition)
      tryInvokeRestart("muffleWarning")
    } else {
      tryInvokeRestart("muffleMessage")
    }
  }
  value <- NULL
  started <- proc.time()
  setTimeLimit(elapsed = limits[["elapsed"]] / 2, transient = TRUE)
  tryCatch(
    withCallingHandlers(
      utils::capture.output(value <- run()),
      warning = note, message = note
    ),
    error = function(e) error <<- e
  )
  setTimeLimit(elapsed = Inf)
  used <- proc.time() - started
  if (!is.null(error)) {
    text <- c(text, conditionMessage(error), deparse(conditionCall(error)))
  }
  said <- if (is.null(error)) class(value)[1] else conditionMessage(error)
  cpu <- sum(used[c("user.self", "sys.self")])
  slow <- grepl("reached elapsed time limit", said) ||
    cpu > limits[["cpu"]] || used[[3]] > limits[["elapsed"]] / 2
  outcome <- if (slow) {
    "slow"
  } else if (odd$tells_value(text)) {
    "tells a value"
  } else if (is.null(error)) {
    "result"
  } else if (inherits(error, "pseudosynth_error")) {
    "refused"
  } else if (grepl(of_the_user, said)) {
    "of R or the user"
  } else {
    "plain error"
  }
  list(
    outcome = outcome, said = said, warned = warned, cpu = cpu,
    elapsed = used[[3]], value = value
  )
}

clean <- function(x) {
  x <- iconv(enc2utf8(as.character(x)), "UTF-8", "UTF-8", sub = "?")
  substr(gsub("[[:space:]]+", " ", gsub("\"", "'", x)), 1, 200)
}

# Subscripts and arithmetic of plain vectors are R's; an object that was written
# over by hand is no object of ours any more. Both are counted on their own.
of_vectors <- paste0(
  "^(\\$|\\[\\[?(<-)?|length<-|rep|!|sum|range|sqrt|cumsum|\\+|head|tail)",
  "[.]"
)
judged <- function(case, outcome) {
  many <- case$call == "write_table" && case$argument == "n" &&
    grepl("big_int", case$value)
  vector <- grepl(of_vectors, case$call)
  if (outcome == "slow" && many) {
    # Two thousand million rows are written as long as they are waited for
    "asked for"
  } else if (outcome %in% c("slow", "hang") && vector &&
    grepl("big_int", case$value)) {
    # So many numbers, in a copy of plain ones
    "of R or the user"
  } else if (outcome != "plain error") {
    outcome
  } else if (grepl("(^| )(edit|bare):", case$value)) {
    "written over"
  } else if (vector || case$call == "synthetic_set") {
    "of R or the user"
  } else {
    outcome
  }
}

write_lines <- function(case, found) {
  line <- c(
    case$call, case$argument, case$value, judged(case, found$outcome),
    clean(found$said), clean(found$warned),
    sprintf("%.2f", c(found$cpu, found$elapsed))
  )
  cat(paste0("\"", line, "\"", collapse = ","), "\n",
    sep = "", file = table_file, append = TRUE
  )
}

# The case that runs now, for the parent
mark <- function(case) {
  writeLines(
    c(
      case$call, case$argument, case$value,
      format(as.numeric(Sys.time()), digits = 15)
    ),
    paste0(table_file, ".now")
  )
}

run_cases <- function(cases) {
  # Texts are taken for files and folders: here they do no harm
  folder <- tempfile("cases")
  dir.create(folder)
  setwd(folder)
  grDevices::pdf(NULL)
  set.seed(1)
  for (i in seq_len(nrow(cases))) {
    case <- cases[i, ]
    if (startsWith(case$call, "chain ")) {
      run_chain_case(case)
    } else {
      mark(case)
      write_lines(case, outcome_line(odd$run_single(case, calls, pools)))
    }
  }
}

run_chain_case <- function(case) {
  parts <- strsplit(case$call, " ", fixed = TRUE)[[1]]
  chain <- list(family = parts[2], source = parts[3], response = case$value)
  follow <- if (chain$family == "file") {
    function(record) odd$run_whole_file(case$value, record)
  } else {
    function(record) odd$run_chain(chain, record)
  }
  follow(function(step, run) {
    now <- list(call = case$call, argument = step, value = case$value)
    mark(now)
    found <- outcome_line(run)
    write_lines(now, found)
    found$value
  })
}

key <- function(cases) {
  paste(cases$call, cases$argument, cases$value, sep = "\r")
}

done_cases <- function() {
  if (!file.exists(table_file)) {
    cat(paste0("\"", columns, "\"", collapse = ","), "\n",
      sep = "",
      file = table_file
    )
  }
  utils::read.csv(table_file, colClasses = "character")
}

#' Runs cases in a child, killed where one takes too long
run_guarded <- function(cases) {
  unlink(paste0(table_file, ".now"))
  job <- parallel::mcparallel(run_cases(cases), silent = TRUE)
  repeat {
    finished <- parallel::mccollect(job, wait = FALSE, timeout = 0.2)
    now <- if (file.exists(paste0(table_file, ".now"))) {
      readLines(paste0(table_file, ".now"))
    }
    if (!is.null(finished)) {
      whole <- !inherits(finished[[1]], "try-error") &&
        !is.null(names(finished))
      if (is.null(finished[[1]]) || !whole) {
        broken <- attr(finished[[1]], "condition")
        return(list(now = now, said = if (is.null(broken)) {
          ""
        } else {
          conditionMessage(broken)
        }))
      }
      return(NULL)
    }
    seconds <- if (length(now) == 4) {
      as.numeric(Sys.time()) - as.numeric(now[4])
    } else {
      0
    }
    if (seconds > limits[["elapsed"]]) {
      tools::pskill(job$pid, tools::SIGKILL)
      parallel::mccollect(job, wait = FALSE, timeout = 1)
      return(list(now = now, said = "hang"))
    }
  }
}

pools <- odd$make_pools()
calls <- odd$odd_calls(pools$objects)
for (name in if (is.null(only)) names(calls)) {
  found <- outcome_line(function() {
    odd$f_of(calls[[name]]$f, calls[[name]]$arguments)
  })
  if (!found$outcome %in% c("result", "refused")) {
    cat(sprintf("Without odd input: %s %s: %s\n", name, found$outcome,
      clean(found$said)))
  }
}
cases <- odd$odd_cases(calls, pools, n_cases, seed)
chains <- odd$chain_cases()
chains <- chains[sample(nrow(chains)), ]
chains <- data.frame(
  call = paste("chain", chains$family, chains$source), argument = "make",
  value = chains$response
)
files <- data.frame(
  call = "chain file whole", argument = "draft",
  value = sample(names(odd$odd_whole_files()))
)
if (is.finite(n_cases)) {
  chains <- utils::head(chains, round(n_cases / 25))
  files <- utils::head(files, round(n_cases / 25))
}
chains <- rbind(chains, files)
cases <- rbind(cases, chains)
if (!is.null(only)) {
  text <- paste(cases$call, cases$argument, cases$value)
  cases <- cases[grepl(only, text), ]
}
cat(sprintf("%d cases, %d of them whole chains\n", nrow(cases), nrow(chains)))

repeat {
  left <- cases[!key(cases) %in% key(done_cases()), ]
  if (nrow(left) == 0) break
  left <- utils::head(left, 200)
  broken <- run_guarded(left)
  if (!is.null(broken) && length(broken$now) != 4) {
    stop("The child ended before its first case: ", broken$said)
  }
  if (!is.null(broken)) {
    at <- as.list(stats::setNames(broken$now[1:3], columns[1:3]))
    if (!key(at) %in% key(done_cases())) {
      write_lines(at, list(
        outcome = judged(at, if (broken$said == "hang") "hang" else "crash"),
        said = broken$said, warned = "", cpu = NA, elapsed = NA
      ))
    }
  }
  cat(".")
}
results <- done_cases()
cat("\n")
print(table(results$outcome))
bad <- results[results$outcome %in% c(
  "plain error", "hang", "slow", "crash", "tells a value"
), ]
print(utils::head(bad[c("call", "argument", "value", "outcome", "said")], 50))
cat(sprintf("longest: %s s\n", max(as.numeric(results$cpu), na.rm = TRUE)))
if (nrow(bad) > 0) quit(status = 1)
