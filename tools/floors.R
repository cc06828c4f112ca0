# The floors of the R files: who may call whom. Prints the graph of files and
# fails on a cycle, on a call to a higher floor, on a file without a floor, and
# on a floor of more files than a newcomer can look through; called by
# `make floors`.
#
#   Rscript tools/floors.R [graph]
#
# With "graph" every file's calls are printed. An edge goes from a file to each
# file that defines a function or a constant it names, and, where it calls a
# generic, to the files of the generic's methods. Not counted is the dispatch of
# generics that meet every class or base R's own values (`open` below).

floors <- read.dcf("tools/floors.dcf", fields = c("Floor", "Files"))
most_files <- 25

# Called on anything at all: which method runs is no decision of the caller.
open <- c(
  "print", "format", "summary", "plot", "autoplot", "guarantee", "as.list",
  "as.data.frame", "as.double", "c", "rep", "length", "length<-", "[", "[[",
  "[<-", "[[<-", "$", "Ops", "Math", "Summary", "names", "mean", "head",
  "formula", "family", "nobs", "coef", "fitted", "weights", "toString",
  "unlist"
)

# Files and their floors ------------------------------------------------------

floor_of <- function() {
  rows <- lapply(seq_len(nrow(floors)), function(i) {
    files <- strsplit(trimws(floors[i, "Files"]), "[[:space:]]+")[[1]]
    data.frame(
      file = files, floor = i - 1L, name = floors[[i, "Floor"]],
      row.names = NULL
    )
  })
  do.call(rbind, rows)
}

r_files <- function() {
  found <- list.files("R", pattern = "[.]R$")
  # Generated, and called by nearly everything
  sub("[.]R$", "", setdiff(found, "RcppExports.R"))
}

# Definitions and uses --------------------------------------------------------

parse_file <- function(file) {
  parse(file.path("R", paste0(file, ".R")), keep.source = FALSE)
}

defined_in <- function(expressions) {
  names <- vapply(expressions, function(e) {
    assigned <- is.call(e) && as.character(e[[1]])[1] %in% c("<-", "=") &&
      (is.name(e[[2]]) || is.character(e[[2]]))
    if (assigned) as.character(e[[2]]) else ""
  }, "")
  names[nzchar(names)]
}

# The names that an expression takes from outside of itself: locals and
# arguments do not count, nor what is taken from another package.
used_in <- function(expressions) {
  unique(unlist(lapply(expressions, function(e) {
    if (is.call(e) && as.character(e[[1]])[1] %in% c("<-", "=")) e <- e[[3]]
    codetools::findGlobals(as.function(list(e), envir = baseenv()))
  })))
}

# `update.synthesizer` is a method of `update`: the longest generic that fits,
# registered in NAMESPACE.
methods_by_file <- function(definitions) {
  registered <- grep("^S3method", readLines("NAMESPACE"), value = TRUE)
  parts <- regmatches(
    registered, regexec("^S3method\\(\"?(.*?)\"?,\"?(.*?)\"?\\)$", registered)
  )
  generic <- vapply(parts, function(p) sub("^.*::", "", p[2]), "")
  method <- paste(generic, vapply(parts, `[`, "", 3), sep = ".")
  generic <- stats::setNames(generic, method)
  counted <- generic[!generic %in% open]
  lapply(definitions, function(names) {
    unique(unname(counted[intersect(names, names(counted))]))
  })
}

# Graph -----------------------------------------------------------------------

file_graph <- function(files) {
  parsed <- lapply(stats::setNames(files, files), parse_file)
  definitions <- lapply(parsed, defined_in)
  home <- stats::setNames(
    rep(files, lengths(definitions)), unlist(definitions)
  )
  methods <- methods_by_file(definitions)
  edges <- lapply(files, function(file) {
    used <- used_in(parsed[[file]])
    direct <- home[intersect(used, names(home))]
    direct <- direct[!names(direct) %in% definitions[[file]]]
    dispatched <- unlist(lapply(intersect(used, unlist(methods)), function(g) {
      at <- names(Filter(function(m) g %in% m, methods))
      stats::setNames(at, rep(paste0(g, "()"), length(at)))
    }))
    to <- c(direct, dispatched)
    to <- to[to != file]
    if (length(to) > 0) {
      data.frame(from = file, to = unname(to), by = names(to))
    }
  })
  do.call(rbind, edges)
}

# Strongly connected groups: files that reach each other.
cycles_of <- function(files, edges) {
  reach <- matrix(FALSE, length(files), length(files),
    dimnames = list(files, files)
  )
  reach[cbind(edges$from, edges$to)] <- TRUE
  for (k in files) {
    reach <- reach | outer(reach[, k], reach[k, ], `&`)
  }
  mutual <- reach & t(reach)
  groups <- unique(apply(mutual, 1, function(row) {
    paste(files[row], collapse = " ")
  }))
  groups[nzchar(groups)]
}

# Report ----------------------------------------------------------------------

files <- r_files()
place <- floor_of()
edges <- file_graph(files)
level <- stats::setNames(place$floor, place$file)

arguments <- commandArgs(trailingOnly = TRUE)
if ("graph" %in% arguments) {
  for (file in files) {
    to <- unique(edges$to[edges$from == file])
    cat(sprintf("%-28s -> %s\n", file, paste(to, collapse = " ")))
  }
}

listed <- function(title, lines) {
  if (length(lines) > 0) {
    cat(title, "\n", paste0("  ", lines, "\n"), sep = "")
  }
  length(lines)
}

homeless <- setdiff(files, place$file)
gone <- setdiff(place$file, files)
twice <- place$file[duplicated(place$file)]
held <- tabulate(place$floor + 1L, nrow(floors))
number <- seq_len(nrow(floors)) - 1
numbered <- startsWith(floors[, "Floor"], paste0(number, " "))
up <- edges[which(level[edges$to] > level[edges$from]), ]
defined <- unlist(lapply(files, function(file) defined_in(parse_file(file))))
problems <- c(
  listed("Functions defined twice:", unique(defined[duplicated(defined)])),
  listed("Files without a floor (tools/floors.dcf):", homeless),
  listed("Floors name files that do not exist:", gone),
  listed("Files on two floors:", twice),
  listed(
    sprintf("Floors of more than %d files:", most_files),
    floors[held > most_files, "Floor"]
  ),
  listed("Floors out of order:", floors[!numbered, "Floor"]),
  listed("Upward calls:", sprintf(
    "%s (%d) -> %s (%d): %s", up$from, level[up$from], up$to, level[up$to],
    up$by
  )),
  listed("Files that call each other in a circle:", cycles_of(files, edges))
)
cat(sprintf(
  "floors: %d files on %d floors, %d calls between files, %d problems\n",
  length(files), nrow(floors), nrow(unique(edges[c("from", "to")])),
  sum(problems)
))
quit(save = "no", status = as.integer(sum(problems) > 0))
