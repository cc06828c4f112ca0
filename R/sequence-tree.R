# Regression trees as models of a column: records of a leaf are alike in the
# columns before, and a synthetic record takes the value of one of them.

# A split into groups of levels looks at all groups where the column that is
# drawn has more than two levels: of more than so many levels, levels are put in
# an order first
most_split_levels <- 10L

#' Grow the trees of a column
#'
#' An amount has two trees: for the part, where some have no values, and for the
#' values of the records that have one.
#'
#' @param file (list) See records_of_plan().
#' @param predictors (character) Names of columns.
#' @param leaf (count) Fewest records of a leaf.
#' @return (list) `part` and `value`: trees or `NULL`, see grown_tree().
#' @noRd
fit_trees <- function(file, name, specs, predictors, leaf) {
  grow <- function(y, records, class) {
    frames <- lapply(stats::setNames(nm = predictors), function(other) {
      tree_predictor(file, other, specs[[other]], records, if (class) y)
    })
    grown_tree(y, frames, records, leaf)
  }
  code <- column_code(file, name)
  all <- seq_along(code)
  spec <- specs[[name]]
  if (!is_amount(spec)) {
    return(list(part = grow(code, all, TRUE), value = NULL))
  }
  valued <- !is.na(file$values[[name]])
  kind <- column_kind(file, name)
  records <- which(valued)
  list(
    # Without values parts are all that there is
    part = if (length(unique(kind)) > 1 || length(records) == 0) {
      grow(kind, all, TRUE)
    },
    value = if (length(records) > 0) {
      # Ranks, as skewed amounts have outliers
      rank <- rank(file$values[[name]][records])
      grow(stats::qnorm((rank - 0.5) / length(records)), records, FALSE)
    }
  )
}

#' How a tree sees a column, fixed by the file
#' @param y (integer or `NULL`) Levels of the column that is drawn.
#' @return (list) `x` (double or factor, of the records) and `order` (integer or
#'   `NULL`: the place of each level where it counts as a number).
#' @noRd
tree_predictor <- function(file, name, spec, records, y) {
  x <- column_numbers(file, name, spec)[records]
  if (!is_unordered(spec)) {
    return(list(x = x, order = NULL))
  }
  n <- length(block_levels(spec))
  several <- !is.null(y) && length(unique(y)) > 2
  if (several && n > most_split_levels) {
    order <- ordered_levels(x, y, n)
    return(list(x = as.double(order[x]), order = order))
  }
  list(x = factor(x, seq_len(n)), order = NULL)
}

#' Levels in the order of the first principal component of what they say of y
#'
#' Coppersmith, Hong and Hosking (1999), as in random forests of package ranger.
#' @return (integer) The place of each level.
#' @noRd
ordered_levels <- function(x, y, n) {
  counts <- unclass(table(factor(x, seq_len(n)), y))
  size <- rowSums(counts)
  shares <- counts / pmax(size, 1)
  centred <- sweep(shares, 2, colSums(counts) / sum(size))
  covariance <- crossprod(centred * sqrt(size))
  direction <- eigen(covariance, symmetric = TRUE)$vectors[, 1]
  rank(drop(centred %*% direction), ties.method = "first")
}

#' A tree, and the records of each of its nodes
#'
#' @param y (integer: levels; double: numbers)
#' @param frames (list) Of tree_predictor().
#' @param records (integer) Of the file, one for each element of `y`.
#' @return (list) `fit` (`NULL` of a single node), `orders`; `donors` (records
#'   by leaf, from the first to the last, those of a leaf from the least `y` to
#'   the largest); `start` and `size` (the donors of each node), `parent` (of
#'   each node, the root its own).
#' @noRd
grown_tree <- function(y, frames, records, leaf) {
  single <- list(
    fit = NULL, orders = NULL, donors = records[order(y)], start = 0L,
    size = length(records), parent = 1L
  )
  if (length(frames) == 0 || length(unique(y)) < 2) {
    return(single)
  }
  data <- lapply(frames, `[[`, "x")
  names(data) <- sprintf("x%d", seq_along(data))
  data$y <- if (is.integer(y)) factor(y) else y
  fit <- rpart::rpart(
    y ~ ., structure(data, class = "data.frame", row.names = seq_along(y)),
    method = if (is.integer(y)) "class" else "anova",
    # No cross-validation, and no split is taken back: leaves have records
    # enough. A level that a node has not seen stops there (`usesurrogate`).
    control = rpart::rpart.control(
      minbucket = leaf, minsplit = 2 * leaf, cp = -1, xval = 0,
      maxcompete = 0, maxsurrogate = 0, usesurrogate = 0
    )
  )
  nodes <- as.numeric(row.names(fit$frame))
  # Nodes stand before those below them, so the donors of each are in a row
  own <- ifelse(fit$frame$var == "<leaf>", fit$frame$n, 0L)
  list(
    fit = slim_tree(fit), orders = lapply(frames, `[[`, "order"),
    donors = records[order(fit$where, y)],
    start = as.integer(cumsum(c(0, own))[seq_along(own)]), size = fit$frame$n,
    parent = pmax(1L, match(nodes %/% 2, nodes, nomatch = 1L))
  )
}

#' What predict() needs of a tree, with the node's number as its value
#' @noRd
slim_tree <- function(fit) {
  fit$frame$yval <- seq_len(nrow(fit$frame))
  fit$frame <- fit$frame[setdiff(names(fit$frame), "yval2")]
  fit[c("where", "call", "y", "x", "functions", "cptable")] <- NULL
  environment(fit$terms) <- baseenv()
  fit
}

#' Which node each record comes to: a leaf, or the last node that knows its
#' levels
#' @return (integer)
#' @noRd
node_of_record <- function(tree, records, specs) {
  n <- nrow(records$codes)
  if (is.null(tree$fit)) {
    return(rep(1L, n))
  }
  names <- names(tree$orders)
  data <- lapply(names, function(name) {
    x <- column_numbers(records, name, specs[[name]])
    if (!is.null(tree$orders[[name]])) {
      as.double(tree$orders[[name]][x])
    } else if (is_unordered(specs[[name]])) {
      factor(x, seq_along(block_levels(specs[[name]])))
    } else {
      x
    }
  })
  names(data) <- sprintf("x%d", seq_along(data))
  # Neither a session that read the fit from a file nor a worker has loaded it
  check_installed("rpart")
  unname(as.integer(stats::predict(
    tree$fit,
    structure(data, class = "data.frame", row.names = .set_row_names(n)),
    type = "vector"
  )))
}

# Drawing ----------------------------------------------------------------------

#' What draws values of a column for some records
#'
#' @param model (list) Of fit_trees().
#' @param file (list) The records that the trees are of.
#' @param records (list) Synthetic ones, with the columns before.
#' @return (function(rows, attempt, random)) `code`, and `value` of an amount,
#'   of these rows. Every tenth attempt goes a node up.
#' @noRd
tree_drawer <- function(model, file, name, specs, records) {
  nodes <- lapply(model, function(tree) {
    if (!is.null(tree)) node_of_record(tree, records, specs)
  })
  donors_of <- function(stage, rows, attempt, random) {
    tree <- model[[stage]]
    node <- nodes[[stage]][rows]
    for (up in seq_len(attempt %/% 10)) node <- tree$parent[node]
    tree$donors[paired_place(tree, node, random)]
  }
  code <- column_code(file, name)
  value <- file$values[[name]]
  function(rows, attempt, random) {
    donor <- integer(length(rows))
    valued <- rep(!is.null(model$value), length(rows))
    if (!is.null(model$part)) {
      donor <- donors_of("part", rows, attempt, random)
      valued <- valued & !is.na(value[donor])
    }
    if (any(valued)) {
      donor[valued] <- donors_of("value", rows[valued], attempt, random)
    }
    list(code = code[donor], value = value[donor])
  }
}

#' Places of donors at random, spread over the values of each node
#'
#' A node's draws go by twos through its donors, which stand in the order of
#' their values: each two take any places of their own part. Shares and means
#' differ less by chance than with replacement. Each donor taken once would
#' keep them best; but of few columns a set would be the file itself, in another
#' order.
#' @noRd
paired_place <- function(tree, node, random) {
  turn <- order(node, random(length(node)))
  counts <- tabulate(node)
  before <- sequence(counts) - 1L
  at <- node[turn]
  draws <- counts[at]
  first <- before - before %% 2
  within <- pmin(2, draws - first) * random(length(node))
  place <- integer(length(node))
  place[turn] <- pmax(1, ceiling((first + within) / draws * tree$size[at]))
  tree$start[node] + as.integer(place)
}
