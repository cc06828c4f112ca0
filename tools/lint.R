# Lints the R code; called by `make lint`. Exit status 1 if anything is found.
# The settings are in .lintr, which editors read as well. With LINT_SINCE, a
# commit, only files that changed after it.

# S3 methods, generic.class, as they are registered.
methods <- character()
if (file.exists("NAMESPACE")) {
  registered <- parseNamespaceFile(basename(getwd()), "..")$S3methods
  methods <- paste(registered[, 1], registered[, 2], sep = ".")
}

# Names that are not snake_case and are meant: the capital letters of the
# glossary in ?pseudosynth (K components, N records, ..), arguments that base
# R's generics prescribe, methods of other packages' generics, and of our own
# generics that are not registered, since only a parent class's method calls
# them.
is_allowed_name <- function(lint) {
  if (lint$linter != "object_name_linter") {
    return(FALSE)
  }
  rest <- substring(lint$line, lint$column_number)
  name <- sub("^`?([[:alnum:]._]+).*", "\\1", rest)
  own <- c(
    "print_lines", "knit_parts", "release_label", "model_of", "time_forms",
    "time_number", "is_long"
  )
  grepl("^[A-Z]$", name) || sub("[.].*$", "", name) %in% own ||
    name %in% c("na.rm", "row.names", methods)
}

# .lintr, with shortcuts: a linter looks only at code in which it may find
# anything, since most of the time goes where there is nothing to be found
linters <- eval(
  str2lang(read.dcf(".lintr", "linters")[[1]]), asNamespace("lintr")
)
only_if <- function(may_find, linter) {
  lintr::Linter(function(source_expression) {
    if (may_find(source_expression)) linter(source_expression) else list()
  }, attr(linter, "name"))
}
has_text <- function(pattern) {
  function(expression) {
    lines <- c(expression$lines, expression$file_lines)
    any(grepl(pattern, lines, perl = TRUE))
  }
}
tokens_of <- function(expression) {
  rbind(expression$parsed_content, expression$full_parsed_content)
}
# A function's complexity is never much above twice the number of its branches
branches <- c("IF", "FOR", "WHILE", "REPEAT", "BREAK", "NEXT", "AND2", "OR2")
may_find <- list(
  cyclocomp_linter = function(expression) {
    parsed <- expression$parsed_content
    sum(parsed$token %in% branches | parsed$text == "return") >= 12
  },
  no_tab_linter = has_text("\t"), semicolon_linter = has_text(";"),
  T_and_F_symbol_linter = has_text("\\b[TF]\\b"),
  equals_na_linter = has_text("\\bNA"), seq_linter = has_text("\\b1L?:"),
  pipe_continuation_linter = has_text("%>%|\\|>"),
  single_quotes_linter = has_text("'"),
  vector_logic_linter = function(expression) {
    tokens <- tokens_of(expression)$token
    any(tokens %in% c("AND", "OR")) && any(tokens %in% c("IF", "WHILE"))
  },
  commas_linter = has_text("\\s,|,\\S"),
  spaces_inside_linter = has_text("[(\\[]\\s|\\S\\s+[)\\]]"),
  trailing_whitespace_linter = has_text("\\s$"),
  object_length_linter = has_text("[[:alnum:]._]{41}"),
  object_name_linter = function(expression) {
    tokens <- tokens_of(expression)
    names <- tokens$text[
      tokens$token %in% c("SYMBOL", "SYMBOL_FORMALS", "STR_CONST")
    ]
    any(!grepl("^([.]?[a-z0-9_]+|\"[^\"]*\")$", names)) ||
      any(grepl("^\\s*[\"'][^\"']*[\"']\\s*(<-|=)", expression$lines))
  }
)
# It takes as long as all others: at night
if (!identical(Sys.getenv("NIGHTLY"), "true")) linters$cyclocomp_linter <- NULL
shortcut <- intersect(names(linters), names(may_find))
linters[shortcut] <- Map(only_if, may_find[shortcut], linters[shortcut])

folders <- c("R", "tests", "tools", "bench", "data-raw")
files <- list.files(
  folders[dir.exists(folders)],
  pattern = "\\.[Rr]$", recursive = TRUE, full.names = TRUE
)
files <- files[basename(files) != "RcppExports.R"]

since <- Sys.getenv("LINT_SINCE")
if (nzchar(since)) {
  changed <- suppressWarnings(system2(
    "git", c("diff", "--name-only", since),
    stdout = TRUE, stderr = FALSE
  ))
  # A clone that does not reach so far back: all
  if (is.null(attr(changed, "status"))) files <- intersect(files, changed)
}

found <- unlist(
  lapply(files, lintr::lint, linters = linters), recursive = FALSE
)
found <- Filter(Negate(is_allowed_name), found)
for (lint in found) {
  cat(sprintf(
    "%s:%d:%d: [%s] %s\n", sub(paste0(getwd(), "/"), "", lint$filename),
    lint$line_number, lint$column_number, lint$linter, lint$message
  ))
}
cat(length(files), "R files,", length(found), "lints\n")
if (length(found) > 0) quit(status = 1)
