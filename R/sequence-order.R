# In which order the columns of a file are drawn, each from which others.

#' The order of columns and the predictors of each, checked
#'
#' Columns that nobody has put in an order keep that of the file, each after its
#' stated predictors; survey weights come last.
#' @param order (character or `NULL`) As given to fit_file().
#' @param predictors (named list or `NULL`)
#' @return (named list of character) The predictors of each column, in the order
#'   in which they are drawn.
#' @noRd
sequence_order <- function(plan, order, predictors) {
  refuse_if(
    !is.null(plan$members$waves), "{.arg plan} must not have waves.",
    i = "Only {.fn file_release} draws panels.", arg = "plan"
  )
  table <- plan$table
  drawn <- table$column[!table$role %in% c(
    "published", "published survey weight", "constant", "left out"
  )]
  refuse_if(
    length(drawn) == 0, "The plan must have a column to be drawn.",
    x = "All are published, constant or left out.", arg = "plan"
  )
  given <- c(drawn, plan$published)
  check_order(order, drawn, plan)
  check_predictors(predictors, drawn, given, table)
  last <- setdiff(intersect(drawn, plan$survey_weights), order)
  rest <- order_of_members(drawn, plan)
  wanted <- c(order, setdiff(rest, c(order, last)), last)
  after <- lapply(predictors, intersect, drawn)
  # How many members there are decides who is drawn
  later <- Filter(function(name) slot_of(name, plan) > 1, drawn)
  after[later] <- lapply(later, function(name) {
    c(after[[name]], first_column(plan$members))
  })
  sorted <- sorted_columns(wanted, after)
  found <- sorted[sorted %in% order]
  refuse_if(
    !is.null(order) && !identical(found, order),
    "{.arg order} must put each column after its predictors.",
    x = "By {.arg predictors}, {.val {found[found != order]}} must be in another
         order.",
    arg = "order", class = "pseudosynth_error_order"
  )
  lapply(stats::setNames(seq_along(sorted), sorted), function(k) {
    predictors[[sorted[k]]] %||% c(plan$published, sorted[seq_len(k - 1)])
  })
}

#' Columns of households where nobody states an order
#'
#' Who lives together before what they do: how many members there are, what they
#' share, each column of all members, first the one that they stand in order of.
#' @noRd
order_of_members <- function(drawn, plan) {
  own <- plan$members
  if (is.null(own)) {
    return(drawn)
  }
  columns <- union(names(own$order), own$columns)
  names <- outer(columns, seq_len(own$slots), slot_name, own)
  intersect(c(first_column(own), own$household, t(names)), drawn)
}

check_order <- function(order, drawn, plan) {
  check_names(
    order, plan$table$column, null = is.null(order), of = "columns of the plan"
  )
  twice <- unique(order[duplicated(order)])
  refuse_if(
    length(twice) > 0, "{.arg order} must name every column once.",
    x = "{.val {twice}} {?is/are} named more than once.", arg = "order",
    class = "pseudosynth_error_order"
  )
  other <- setdiff(order, drawn)
  role <- plan$table$role[match(other, plan$table$column)]
  refuse_if(
    length(other) > 0, "{.arg order} must only name columns that are drawn.",
    x = "{.val {other}} {?is/are} {unique(role)}.",
    i = if (any(grepl("published", role))) {
      "Published columns are predictors of all others."
    }, arg = "order",
    class = "pseudosynth_error_order"
  )
}

check_predictors <- function(predictors, drawn, given, table) {
  check_that(
    is.null(predictors) || is_named_list(predictors), predictors,
    "{.arg predictors} must be a list. Each element is named after a column and
     gives the names of the columns that it is drawn from.",
    i = "For instance {.code list(income = c(\"age\", \"region\"))}.",
    arg = "predictors"
  )
  twice <- unique(names(predictors)[duplicated(names(predictors))])
  other <- setdiff(names(predictors), drawn)
  unknown <- setdiff(unlist(predictors), given)
  absent <- setdiff(unknown, table$column)
  useless <- setdiff(unknown, absent)
  role <- unique(table$role[match(useless, table$column)])
  refuse_if(
    length(twice) + length(other) + length(unknown) > 0,
    "The names of {.arg predictors} must be columns that are drawn, each once.
     Its values must be columns that are drawn or published.",
    x = if (length(twice) > 0) {
      "{.val {twice}} {?is/are} named more than once."
    },
    x = if (length(other) > 0) "{.val {other}} {?is/are} not drawn.",
    x = if (length(absent) > 0) "There is no column {.or {.val {absent}}}.",
    x = if (length(useless) > 0) "{.val {useless}} {?is/are} {role}.",
    arg = "predictors", class = "pseudosynth_error_order"
  )
}

is_named_list <- function(x) {
  is.list(x) && !is.object(x) && length(x) == sum(nzchar(rlang::names2(x))) &&
    all(vapply(x, function(one) {
      is.null(one) || is.character(one) && !anyNA(one)
    }, TRUE))
}

#' Columns in the wanted order, but each after those that it is drawn from
#' @param after (named list of character)
#' @return (character)
#' @noRd
sorted_columns <- function(wanted, after) {
  sorted <- character()
  while (length(left <- setdiff(wanted, sorted)) > 0) {
    ready <- Filter(function(name) all(after[[name]] %in% sorted), left)
    if (length(ready) == 0) abort_circle(left, after)
    sorted <- c(sorted, ready[1])
  }
  sorted
}

abort_circle <- function(left, after) {
  # From one column to what it is drawn from, until one comes again
  path <- left[1]
  while (anyDuplicated(path) == 0) {
    path <- c(path, intersect(after[[path[length(path)]]], left)[1])
  }
  circle <- path[match(path[length(path)], path):length(path)]
  shown <- sprintf("`%s`", circle)
  step <- paste(shown[-length(shown)], "from", shown[-1])
  abort_input(
    "{.arg predictors} must not form a circle.",
    x = if (length(circle) == 2) {
      "{.val {circle[1]}} would be drawn from itself."
    } else {
      "Columns would be drawn from each other: {step}."
    },
    arg = "predictors", class = "pseudosynth_error_order"
  )
}
