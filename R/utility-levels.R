# Utility of categories, and of values at round numbers.

#' The labels of a response that has some, `NULL` of numbers
#'
#' Those of the sets that the file has not come last.
#' @noRd
category_levels <- function(data, sets, variable, call) {
  y <- data[[variable]]
  if (is.logical(y)) {
    return(c("FALSE", "TRUE"))
  }
  levels <- response_levels(y)
  if (is.null(levels)) {
    return(NULL)
  }
  for (file in c(list(data), sets)) {
    check_finite_column(file[[variable]], variable, call)
  }
  unique(c(levels, unlist(lapply(sets, function(set) {
    unique(as.character(set[[variable]]))
  }))))
}

#' Total variation distance of two tables of shares: half the sum of the
#' absolute differences of all cells
#' @param a,b (list) The variables that are crossed, of the file and the set.
#' @param v,w (numeric or `NULL`) Survey weights of `a` and of `b`.
#' @noRd
share_error <- function(a, b, v = NULL, w = NULL) {
  # Lengths stand before the names, so that no two cells share one
  cell <- function(x) {
    x <- lapply(x, as.character)
    do.call(paste, c(unlist(lapply(x, function(part) {
      list(nchar(part), part)
    }), recursive = FALSE), sep = ":"))
  }
  a <- cell(a)
  b <- cell(b)
  cells <- unique(c(a, b))
  shares <- function(x, w) {
    size <- tapply(w %||% rep(1, length(x)), factor(x, cells), sum)
    size[is.na(size)] <- 0
    size / sum(size)
  }
  sum(abs(shares(a, v) - shares(b, w))) / 2
}

#' A function that gives the share of each level by its name
#' @noRd
shares_by_name <- function(levels) {
  force(levels)
  function(y, w = NULL) {
    # Two levels are measured as 0 and 1 and shown by name
    if (is.numeric(y)) y <- factor(levels[y + 1], levels)
    size <- tapply(w %||% rep(1, length(y)), y, sum)
    size[is.na(size)] <- 0
    as.data.frame(as.list(size / sum(size)), optional = TRUE)
  }
}

abort_pmse_of_levels <- function(variable, call) {
  abort_input(
    c(
      "{.arg pmse} must be {.code FALSE} for a variable of more than two
       levels.",
      x = "It ranks the values of {.val {variable}}, and levels have no order.",
      i = "Name {.arg groups}: their two-way tables are compared."
    ),
    arg = "pmse", call = call
  )
}

# Heaping ----------------------------------------------------------------------

heaping_steps <- c("10" = 10, "100" = 100, "1,000" = 1000)

#' Shares of values at round numbers; 0 is a multiple of all and left out
#' @noRd
heaping_of <- function(y, w = NULL) {
  w <- (w %||% rep(1, length(y)))[y != 0]
  y <- y[y != 0]
  # Beyond 2^53 no double knows its last digit
  exact <- abs(y) < 2^53
  shares <- lapply(heaping_steps, function(step) {
    if (sum(w) > 0) sum(w[exact][y[exact] %% step == 0]) / sum(w) else 0
  })
  as.data.frame(shares, optional = TRUE)
}

#' What people rounded and sets did not
#'
#' A fifth of the values at a multiple is more than whole numbers have by
#' chance; half of it lost is more than chance takes away.
#' @param heaping (data frame or `NULL`) Of the file and of the sets.
#' @return (string or `NULL`)
#' @noRd
heaping_remark <- function(heaping) {
  if (is.null(heaping)) {
    return(NULL)
  }
  file <- unlist(heaping[1, -1])
  sets <- colMeans(heaping[-1, -1, drop = FALSE])
  lost <- which(file >= 0.2 & sets < file / 2)
  if (length(lost) == 0) {
    return(NULL)
  }
  # The step that lost most
  worst <- lost[which.max((file - sets)[lost])]
  sprintf(
    "Heaping is lost: %s of the file's values are multiples of %s, %s in sets.",
    format_share(file[worst]), names(heaping_steps)[worst],
    format_share(sets[worst])
  )
}
