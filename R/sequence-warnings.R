# What a file may hold that models of single columns do not see.

# A published column tells another if it tells the value of so many records, of
# those that do not have the other's most common value
determined_share <- 0.9

# Records that such a share is of, at least
determined_least <- 10

#' Warn of levels that a single record has
#' @noRd
warn_rare_levels <- function(plan, specs) {
  drawn <- setdiff(colnames(plan$codes), plan$published)
  single <- vapply(drawn, function(name) {
    counts <- tabulate(plan$codes[, name], length(plan$levels[[name]]))
    # A part of an amount with values is no value
    if (is_amount(specs[[name]])) {
      counts[amount_parts(specs[[name]])$valued] <- 0L
    }
    sum(counts == 1)
  }, 1L)
  single <- single[single > 0]
  if (length(single) > 0) {
    warn_of(
      "rare_levels",
      "{sum(single)} level{?s} {?has/have} a single record of the file.",
      x = "Of {.val {names(single)}}. A set may have or lack {?it/them}.",
      i = "Join levels, or state {.field outside} in the codebook."
    )
  }
}

#' Warn of published columns that tell a column that is drawn
#' @noRd
warn_determined <- function(plan, file) {
  words <- function(name) {
    value <- file$values[[name]]
    code <- column_code(file, name)
    if (is.null(value)) code else match(value, unique(value)) * 1e6 + code
  }
  drawn <- plan$table$column[plan$table$role %in%
    c("protected", "survey weight")]
  for (name in plan$published) {
    share <- vapply(drawn, function(other) {
      told_share(words(name), words(other))
    }, 1)
    told <- share[share > determined_share]
    if (length(told) == 0) next
    shown <- sprintf("%s: %s", names(told), format_share(told))
    warn_of(
      "determined",
      "The published column {.val {name}} nearly tells other columns.",
      x = "Of so many records its value, and other records, tell the value:
           {shown}.",
      i = "Publish none of them, or both.", share = told
    )
  }
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
  pair <- match(paste(class, y), unique(paste(class, y)))
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

#' Name columns whose regressions have not converged
#' @noRd
warn_unconverged <- function(models) {
  failed <- vapply(fits_of_models(models), function(fits) {
    sum(!vapply(fits, function(fit) fit$converged %||% TRUE, TRUE))
  }, 1L)
  failed <- failed[failed > 0]
  if (length(failed) > 0) {
    warn_of(
      "convergence",
      "{sum(failed)} regression{?s} {?has/have} not converged.",
      x = "Of {.val {names(failed)}}.",
      i = "Join levels, leave out predictors, or take
           {.code model = \"tree\"}."
    )
  }
}
