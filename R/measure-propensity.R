# The propensity mean squared error: how well a model of all columns tells the
# records of the file from those of a set.

# Of larger files so many records of each are drawn, at random
propensity_records <- 10000L

# A logistic regression has at most so many parameters beside its intercept
propensity_parameters <- 400L

#' @param case (list) See file_case() and variable_case(): `methods`
#'   (character: `"logit"`, `"cart"`), `parts` (function of a column's name and
#'   all records, see propensity_parts()), `published`, `alike` (function of
#'   the file: its columns as those of the sets are).
#' @return (list) See judgement(). Rows are `propensity`, see utility().
#' @noRd
measure_propensity <- function(case) {
  if (is.null(case$methods)) {
    return(NULL)
  }
  variable <- case$variable
  data <- case$alike(case$data)
  figures <- function(pmse, ratio) {
    if (is.null(variable)) {
      stats::setNames(ratio, paste0(case$methods, "_pmse_ratio"))
    } else {
      c(pmse = pmse, pmse_ratio = ratio)
    }
  }
  of <- function(set, whose) {
    names <- intersect(names(set), names(data))
    files <- list(data[names], set[names])
    # A record and its synthetic one, or another with the same predictors
    if (!is.null(variable)) files <- twins(files, setdiff(names, variable))
    pair <- propensity_pair(files[[1]], files[[2]], case$published %||%
      setdiff(names, variable))
    columns <- lapply(stats::setNames(nm = names), case$parts, pair$both)
    rows <- do.call(rbind, lapply(case$methods, function(method) {
      found <- switch(method,
        logit = file_logit(columns, pair$is_set, pair$fixed),
        cart = file_trees(columns, pair, variable)
      )
      data.frame(
        method = method, pmse = found$pmse, pmse_ratio = found$pmse_ratio,
        parameters = found$parameters %||% NA_integer_,
        levels = found$levels %||% NA_integer_, records = sum(!pair$is_set)
      )
    }))
    list(
      figures = figures(rows$pmse, rows$pmse_ratio),
      rows = list(propensity = rows)
    )
  }
  fresh <- function(n) figures(NA_real_, rep(1, length(case$methods)))
  list(of = of, fresh = fresh)
}

#' Records of the file and of a set in one order, where they have the same
#' values of some columns: else as they are
#' @noRd
twins <- function(files, names) {
  keys <- lapply(files, row_keys, names)
  if (length(names) > 0 && identical(sort(keys[[1]]), sort(keys[[2]]))) {
    files <- Map(function(file, keys) {
      file[order(keys), , drop = FALSE]
    }, files, keys)
  }
  files
}

#' A string for each row
#' @noRd
row_keys <- function(data, columns) {
  do.call(paste, c(lapply(data[columns], as.character), sep = "\r"))
}

#' Records of the file above those of a set
#' @return (list) `both`, `is_set`, `fixed` (columns that agree row by row, as
#'   published ones do: none where sets are larger or smaller).
#' @noRd
propensity_pair <- function(data, set, published) {
  agree <- vapply(published, function(name) {
    nrow(data) == nrow(set) &&
      identical(codes_of(data[[name]]), codes_of(set[[name]]))
  }, TRUE)
  some <- function(file, rows) {
    file <- as.data.frame(file)
    large <- nrow(file) > propensity_records
    if (large) file[rows(nrow(file)), , drop = FALSE] else file
  }
  draw <- function(n) sort(sample.int(n, propensity_records))
  twins <- any(agree) && nrow(data) > propensity_records
  rows <- if (twins) draw(nrow(data))
  take <- if (twins) function(n) rows else draw
  data <- some(data, take)
  set <- some(set, take)
  both <- lapply(stats::setNames(nm = names(data)), function(name) {
    join_columns(data[[name]], set[[name]])
  })
  list(
    both = both, is_set = rep(c(FALSE, TRUE), c(nrow(data), nrow(set))),
    fixed = published[agree]
  )
}

join_columns <- function(a, b) {
  if (is.numeric(a) || is_time(a)) {
    c(plain_amount(a), plain_amount(b))
  } else {
    c(column_values(a), column_values(b))
  }
}

#' Ranks for numbers, so that a heavy tail does not hide the rest; levels else
#' @noRd
propensity_column <- function(x) {
  if (is.numeric(x) || inherits(x, c("Date", "POSIXt"))) {
    return(2 * rank(as.double(x)) / length(x) - 1)
  }
  droplevels(as.factor(as.character(x)))
}

#' A column as a propensity model sees it
#'
#' @return (list) `level` (factor: a category's levels, an amount's parts
#'   without values and `"value"`) and, of an amount, `value` (0 in the other
#'   parts) and `rank` (from -1 to 1 among the values, 0 in the other parts).
#' @noRd
propensity_parts <- function(spec, x) {
  if (!is_amount(spec)) {
    x[is.na(x)] <- "missing"
    return(list(level = factor(x)))
  }
  parts <- amount_parts(spec)
  part <- part_of(x, parts)
  apart <- is.na(x) | part %in% which(!parts$valued)
  level <- ifelse(apart, parts$part[part], "value")
  level[is.na(level)] <- "missing"
  value <- ifelse(apart, 0, x)
  rank <- double(length(x))
  rank[!apart] <- propensity_column(x[!apart])
  list(level = factor(level), value = value, rank = rank)
}

#' The same of a column without a codebook
#' @noRd
plain_parts <- function(x) {
  own <- propensity_column(x)
  if (is.factor(own)) {
    return(list(level = own))
  }
  list(level = factor(rep("value", length(x))), value = x, rank = own)
}

# Logistic regression ----------------------------------------------------------

#' Main effects and all interactions of two columns
#'
#' Where they are too many, rare levels of categories are joined until they are
#' few enough.
#' @param fixed (character) Columns that agree by design.
#' @noRd
file_logit <- function(columns, is_set, fixed) {
  most <- max(vapply(columns, function(x) nlevels(x$level), 1L), 2L)
  for (kept in most:2) {
    size <- vapply(columns, propensity_size, 1, kept)
    total <- sum(size) + (sum(size)^2 - sum(size^2)) / 2
    if (total <= propensity_parameters) break
  }
  crossed <- total <= propensity_parameters
  designs <- lapply(columns, propensity_terms, kept)
  x <- cbind(1, crossed_design(designs, crossed))
  # What agrees by design takes no part in chance
  own <- cbind(1, crossed_design(designs[fixed], crossed))
  same <- if (length(fixed) > 0) told_rank(own) else 1
  fit <- logit_scores(x, as.double(is_set))
  share <- mean(is_set)
  pmse <- mean((fit$score - share)^2)
  expected <- (fit$rank - same) * (1 - share)^2 * share / length(is_set)
  list(
    pmse = pmse, pmse_ratio = error_ratio(pmse, expected),
    parameters = as.integer(fit$rank - 1), levels = kept
  )
}

propensity_size <- function(column, kept) {
  min(nlevels(column$level), kept) - 1 + 2 * !is.null(column$rank)
}

#' Columns of main effects: levels without the most frequent one, ranks and
#' their squares
#' @param kept (count) Levels; the rarer ones are joined.
#' @noRd
propensity_terms <- function(column, kept) {
  counts <- sort(table(column$level), decreasing = TRUE)
  named <- names(counts)[seq_len(min(kept - 1, length(counts)))]
  level <- factor(match(column$level, named, 0L), c(seq_along(named), 0))
  codes <- as.integer(level)
  shown <- setdiff(sort(unique(codes)), 1L)
  dummies <- outer(codes, shown, `==`) + 0
  cbind(dummies, column$rank, column$rank^2)
}

#' @param crossed (flag) With the products of two columns' terms?
#' @noRd
crossed_design <- function(designs, crossed) {
  d <- length(designs)
  pairs <- if (crossed && d > 1) asplit(utils::combn(d, 2), 2)
  products <- lapply(pairs, function(j) {
    a <- designs[[j[1]]]
    b <- designs[[j[2]]]
    i <- rep(seq_len(ncol(a)), ncol(b))
    a[, i, drop = FALSE] * b[, rep(seq_len(ncol(b)), each = ncol(a)),
      drop = FALSE
    ]
  })
  do.call(cbind, unname(c(designs, products)))
}

#' Maximum likelihood by Newton's method, on a design of any rank
#'
#' Columns that others determine are left out. Where a level is in one of the
#' two alone, its coefficient has no limit: steps end when the deviance does not
#' change any more, as in glm().
#' @return (list) `score` (fitted probabilities), `rank`.
#' @noRd
logit_scores <- function(x, y) {
  kept <- told_columns(x)
  x <- x[, kept, drop = FALSE]
  start <- if (kept[1] == 1) stats::qlogis(mean(y)) else 0
  deviance_of <- function(eta) {
    # log(1 + exp(eta)), which does not overflow
    2 * sum(pmax(eta, 0) + log1p(exp(-abs(eta))) - y * eta)
  }
  eta <- rep(start, length(y))
  deviance <- deviance_of(eta)
  for (step in seq_len(200)) {
    score <- stats::plogis(eta)
    hessian <- crossprod(x * sqrt(pmax(score * (1 - score), 1e-12)))
    scale <- 1 / sqrt(diag(hessian))
    # The slope is exact, so that this changes the way and not the end
    hessian <- hessian * outer(scale, scale) + diag(1e-10, ncol(x))
    root <- chol(hessian)
    slope <- scale * crossprod(x, y - score)
    way <- drop(x %*% (
      scale * backsolve(root, backsolve(root, slope, transpose = TRUE))
    ))
    length <- 1
    while (deviance_of(eta + length * way) > deviance && length > 1e-6) {
      length <- length / 2
    }
    eta <- eta + length * way
    last <- deviance
    deviance <- deviance_of(eta)
    if (abs(last - deviance) / (deviance + 0.1) < 1e-10) break
  }
  score <- stats::plogis(eta)
  list(score = score, rank = length(kept))
}

#' Columns of a design that no others determine, the first ones first
#' @noRd
told_columns <- function(x) {
  cross <- crossprod(x)
  used <- which(diag(cross) > 0)
  scale <- 1 / sqrt(diag(cross)[used])
  cross <- cross[used, used, drop = FALSE] * outer(scale, scale)
  root <- suppressWarnings(chol(cross, pivot = TRUE, tol = 1e-9))
  sort(used[attr(root, "pivot")[seq_len(attr(root, "rank"))]])
}

told_rank <- function(x) length(told_columns(x))

#' The error as a multiple of what chance gives
#'
#' Where the twins are equal, not even chance can tell them apart: both are 0.
#' @noRd
error_ratio <- function(pmse, expected) {
  if (expected == 0 && pmse < 1e-12) 0 else pmse / expected
}

# Trees ------------------------------------------------------------------------

#' @param pair (list) See propensity_pair().
#' @noRd
file_trees <- function(columns, pair, variable) {
  frame <- tree_frame(columns)
  fixed <- length(pair$fixed) > 0
  if (is.null(variable)) {
    # Controls as in synthpop's utility.gen(), for equal figures
    return(cart_propensity(frame, pair$is_set, fixed, 20, leaf = 5, cp = 0.001))
  }
  if (fixed) frame$.residual <- predicted_residual(columns, variable)
  # In leaves of a few records the two differ by chance so much that no relation
  # is seen beside it: a shuffled response would have 2 or 3
  leaf <- max(5, ceiling(length(pair$is_set) / 20))
  cart_propensity(frame, pair$is_set, fixed, 20, leaf = leaf, cp = 1e-8)
}

#' What the predictors do not tell of the variable
#'
#' A tree splits one column at a time. Where the predictors of both files agree
#' and so do the margins, as with a shuffled response, no first split helps; a
#' residual shows the relation that was lost.
#' @noRd
predicted_residual <- function(columns, variable) {
  own <- columns[[variable]]
  x <- lapply(columns[names(columns) != variable], propensity_terms, Inf)
  fit <- stats::lm.fit(
    cbind(1, crossed_design(x, FALSE)), own$rank %||% as.double(own$level)
  )
  # Twins have the same up to rounding, and no tree may tell them apart by that
  round(fit$residuals, 8)
}

#' A classification tree; what chance gives is measured by exchanging labels
#' @param fixed (flag) Are the records of the file and of the set twins, one
#'   below the other?
#' @param leaf,cp Smallest leaf, least improvement of a split, see rpart.
#' @noRd
cart_propensity <- function(both, is_set, fixed, permutations, leaf, cp) {
  rlang::check_installed("rpart", "for the propensity by classification trees.")
  share <- mean(is_set)
  error <- function(label) {
    frame <- both
    frame$.is_set <- factor(label)
    tree <- rpart::rpart(
      .is_set ~ ., frame, method = "class",
      control = rpart::rpart.control(minbucket = leaf, cp = cp, xval = 0)
    )
    mean((stats::predict(tree, type = "prob")[, "TRUE"] - share)^2)
  }
  n <- sum(!is_set)
  chance <- vapply(seq_len(permutations), function(i) {
    if (!fixed) {
      return(error(sample(is_set)))
    }
    # Twins change places: the predictors stay equal in both.
    swap <- stats::runif(n) < 0.5
    error(c(swap, !swap))
  }, 0)
  pmse <- error(is_set)
  # Exchanged labels have the chance of two samples; a set varies around the
  # file, which does not (Snoke and others 2018, section 3.3).
  list(pmse = pmse, pmse_ratio = error_ratio(pmse, (1 - share) * mean(chance)))
}

#' Columns for trees: levels as factors, values beside them
#' @noRd
tree_frame <- function(columns) {
  parts <- lapply(columns, function(column) {
    kept <- c(if (nlevels(column$level) > 1) "level", "value")
    column[intersect(kept, names(column))]
  })
  found <- unlist(parts, recursive = FALSE)
  # Where nothing varies nothing tells
  if (length(found) == 0) found <- list(level = columns[[1]]$level)
  as.data.frame(found)
}
