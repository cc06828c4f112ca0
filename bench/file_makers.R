# Makers of synthetic files. Each takes a case of bench/file_cases.R and an
# epsilon, and returns a list: `set`, and seconds of its `release` and its
# `draw`. Where a package makes both at once, `release` has all of them.

needs <- function(package) {
  if (!requireNamespace(package, quietly = TRUE)) {
    stop(
      "This maker needs the CRAN package ", package, ": install it, or name ",
      "the library that has it in the environment variable R_LIBS.",
      call. = FALSE
    )
  }
}

elapsed <- function(expression) system.time(expression)[["elapsed"]]

ours <- function(case, epsilon) {
  plan <- pseudosynth::file_plan(
    case$file, pseudosynth::codebook(case$book)
  )
  released <- elapsed(release <- pseudosynth::file_release(
    plan,
    epsilon = epsilon, delta = 1e-6, neighbours = "add-remove",
    tables = case$tables
  ))
  drawn <- elapsed(
    set <- pseudosynth::synthesize(release, n = nrow(case$file))[[1]]
  )
  list(set = set, release = released, draw = drawn)
}

# flexsynth --------------------------------------------------------------------

#' Its numbers have bins of equal width, which serve no skewed amount. So each
#' column is a factor, amounts in their public classes.
as_factors <- function(case) {
  factors <- lapply(stats::setNames(nm = names(case$file)), function(name) {
    x <- case$file[[name]]
    ends <- case$classes[[name]]
    if (is.null(ends)) {
      # Levels as the codebook states them
      return(factor(as.character(x), unique(c(
        levels(x), as.character(sort(unique(x)))
      ))))
    }
    alone <- match(x, case$alone[[name]])
    class <- ifelse(
      is.na(alone), findInterval(x, ends, rightmost.closed = TRUE), -alone
    )
    factor(class, c(
      -seq_along(case$alone[[name]]), seq_len(length(ends) - 1)
    ))
  })
  as.data.frame(factors, optional = TRUE)
}

#' A value of a class is uniform on a scale between plain and log.
from_factors <- function(set, case) {
  file <- case$file
  set <- lapply(stats::setNames(nm = names(file)), function(name) {
    x <- file[[name]]
    z <- as.character(set[[name]])
    ends <- case$classes[[name]]
    if (is.factor(x)) {
      factor(z, levels(x), ordered = is.ordered(x))
    } else if (is.null(ends)) {
      as.numeric(z)
    } else {
      class <- as.integer(z)
      inside <- pmax(class, 1L)
      ends <- asinh(ends)
      value <- sinh(stats::runif(length(z), ends[inside], ends[inside + 1]))
      if (is.integer(x)) value <- floor(value)
      alone <- class < 0
      value[alone] <- case$alone[[name]][-class[alone]]
      value
    }
  })
  as.data.frame(set, optional = TRUE)
}

flexsynth_set <- function(case, epsilon, ...) {
  needs("flexsynth")
  data <- cbind(as_factors(case), record_id = seq_len(nrow(case$file)))
  control <- flexsynth::dp_control(
    epsilon = epsilon, delta = 1e-6, unit = "row", mechanism = "gaussian",
    domain = "public", ...
  )
  seconds <- elapsed(
    made <- flexsynth::synth(data, ~record_id, privacy = control)
  )
  list(
    set = from_factors(as.data.frame(made), case), release = seconds, draw = NA
  )
}

# Its documented settings. Others were tried once or twice on the October file
# and were not clearly better: annealing, a smaller share for selection, trees
# without Private-PGM, a Bayesian network of degree 2; at .25 cliques of four.

#' It chooses and measures tables of two columns; with `treewidth = 1` they form
#' a tree.
aim <- function(case, epsilon) {
  flexsynth_set(case, epsilon, select = "aim", treewidth = 1)
}

#' Tables of two columns that may form loops of three: better at 1 and 5, worse
#' at .25.
aim_loops <- function(case, epsilon) {
  flexsynth_set(case, epsilon, select = "aim", treewidth = 2)
}

#' A tree chosen privately and fitted by Private-PGM, as MST does.
mst <- function(case, epsilon) {
  flexsynth_set(case, epsilon, select = "adaptive", estimator = "pgm")
}

#' The same with tables of three columns.
mst_three <- function(case, epsilon) {
  flexsynth_set(
    case, epsilon, select = "adaptive", treewidth = 2, estimator = "pgm"
  )
}

# Without privacy --------------------------------------------------------------

cart <- function(case, epsilon) {
  needs("synthpop")
  seconds <- elapsed(made <- synthpop::syn(
    case$file,
    method = "cart", print.flag = FALSE, maxfaclevels = 100
  ))
  list(set = made$syn, release = seconds, draw = NA)
}

#' The file itself: what a measure is where nothing is lost.
itself <- function(case, epsilon) {
  list(set = case$file, release = NA, draw = NA)
}

bootstrap <- function(case, epsilon) {
  rows <- sample(nrow(case$file), replace = TRUE)
  list(set = case$file[rows, ], release = NA, draw = NA)
}

#' Every column permuted: what margins alone keep.
permuted <- function(case, epsilon) {
  list(set = as.data.frame(lapply(case$file, sample)), release = NA, draw = NA)
}
