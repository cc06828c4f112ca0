# Published columns that tell columns which are synthesized: synthetic values
# beside them protect little.

# A published column tells another if it tells the value of so many records, of
# those that do not have the other's most common value
determined_share <- 0.9

# Records that such a share is of, at least
determined_least <- 10

#' Warn of published columns that tell a column that is synthesized
#'
#' One alone tells its values, or of an amount some together tell it nearly.
#' @param plan (list) As file_plan() makes it.
#' @param specs (named list) See column_specs().
#' @noRd
warn_determined <- function(plan, specs) {
  # As a set would have them
  column <- function(name) {
    decode_column(
      code_of(plan$codes, name), plan$amounts[[name]]$values, specs[[name]],
      plan$schema[[name]]
    )
  }
  words_of <- function(x) {
    values <- column_values(x)
    match(values, unique(values))
  }
  beside <- lapply(stats::setNames(nm = plan$published), column)
  published <- lapply(beside, words_of)
  drawn <- plan$table$column[plan$table$role %in%
    c("protected", "survey weight")]
  found <- lapply(drawn, function(name) {
    share <- vapply(published, told_share, 1, words_of(column(name)))
    if (any(share > determined_share)) {
      return(list(by = plan$published[which.max(share)], share = max(share)))
    }
    own <- plan$amounts[[name]]
    near <- if (length(own$records) > 0) {
      near_copies(own$values, lapply(beside, `[`, own$records))
    }
    if (length(near$columns) > 0) list(by = near$columns, share = near$share)
  })
  names(found) <- drawn
  found <- Filter(Negate(is.null), found)
  if (length(found) == 0) {
    return(invisible())
  }
  share <- vapply(found, `[[`, 1, "share")
  by <- vapply(found, function(one) paste(one$by, collapse = ", "), "")
  shown <- utils::head(sprintf(
    "%s of `%s` follows from `%s`.", format_near_share(share), names(found), by
  ), 5)
  more <- length(found) - length(shown)
  warn_of(
    "determined",
    "Published columns nearly determine columns that are synthesized.",
    x_bullets(shown), x = if (more > 0) "{more} more column{?s}.",
    i = "Publish both columns, or neither. Synthetic values beside a published
         column that determines them protect little.",
    share = share, by = lapply(found, `[[`, "by")
  )
}

#' The share of records whose value one column tells from the other records
#'
#' A value is told if it is the most common one of the others of its class.
#' Records with the most common value of all are not counted, nor are classes
#' of one.
#' @param by,y (numeric) Of each record.
#' @noRd
told_share <- function(by, y) {
  class <- match(by, unique(by))
  y <- match(y, unique(y))
  counted <- y != which.max(tabulate(y)) & tabulate(class)[class] > 1
  if (sum(counted) < determined_least) {
    return(0)
  }
  pair <- (class - 1) * as.double(max(y)) + y
  pair <- match(pair, unique(pair))
  count <- tabulate(pair)
  first <- !duplicated(pair)
  # Of each pair: the largest count of another value in its class
  of <- class[first]
  order <- order(of, -count)
  top <- order[!duplicated(of[order])]
  rest <- setdiff(order, top)
  second <- rest[!duplicated(of[rest])]
  others <- count[top][match(of, of[top])]
  next_most <- count[second][match(of[top], of[second])]
  others[top] <- ifelse(is.na(next_most), 0, next_most)
  own <- count[pair] - 1
  mean((own > 0 & own >= others[pair])[counted])
}
