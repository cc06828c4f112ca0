# On what a record's contribution depends besides the record itself and public
# inputs, and what that costs: what a weighting scheme states of its weights,
# and what the verdict rests on. Kinds, from the best to the worst:
#
#   own record     this record and public or paid inputs only: an interval of
#                  width w costs w for add-remove and 2 w for replace
#   bounded        other records too, but boundedly: the width is multiplied by
#                  `factor`
#   other records  without a known bound
#   unknown        given by hand, edited, or of a scheme that is not known

dependency_kinds <- c("own record", "bounded", "other records", "unknown")
history_kinds <- c("none", "public", "confidential")

#' @param kind (string) See above.
#' @param factor (by relation) On the width of the censored interval.
#' @param charges (data frame) What was paid for the inputs, see charge().
#' @param history (string) `"none"`, `"public"` or `"confidential"`: is an input
#'   made from records of another file, and were these released?
#' @param reproducible (flag) Was any of it made under a given seed?
#' @param claims (flag) Do the papers claim an epsilon for such weights? Not for
#'   those that bound no record's contribution.
#' @noRd
dependency <- function(kind, factor = by_relation(1), charges = no_charges(),
                       history = "none", reproducible = FALSE, claims = TRUE) {
  stopifnot(kind %in% dependency_kinds, history %in% history_kinds)
  list(
    kind = kind, factor = factor, charges = charges, history = history,
    reproducible = reproducible, claims = claims
  )
}

#' The dependency of something computed from several parts
#'
#' The weakest kind counts, all charges are paid (the same one once), and a
#' factor of one part does not hold beside another part: "bounded" becomes
#' "other records" unless it stands alone.
#' @param parts (list of dependencies)
#' @noRd
join_dependencies <- function(parts) {
  of <- function(name) vapply(parts, `[[`, parts[[1]][[name]], name)
  kind <- dependency_kinds[max(match(of("kind"), dependency_kinds))]
  alone <- length(parts) == 1
  if (kind == "bounded" && !alone) kind <- "other records"
  dependency(
    kind,
    factor = if (alone) parts[[1]]$factor else by_relation(1),
    charges = do.call(join_charges, lapply(parts, `[[`, "charges")),
    history = history_kinds[max(match(of("history"), history_kinds))],
    reproducible = any(of("reproducible")), claims = all(of("claims"))
  )
}
