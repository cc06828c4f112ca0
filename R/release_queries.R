#' See the queries of a score release before it is made
#'
#' Shows what [score_release()] asks a database. It runs the queries that check
#' the response and count the combinations of the predictors. It lists the
#' queries for the sums without running them, with the numbers that they have at
#' the reference. Nothing is drawn and nothing is spent.
#'
#' A release asks for the sums three or four times: for the margin, for each of
#' two steps, and for the tables. The second step starts at the result of the
#' first, so its query has other numbers in the same places. The query for the
#' tables has other breaks than the query for the margin.
#'
#' @param formula As in [score_release()].
#' @param data A table of a database, or paths of CSV or Parquet files. Each
#'   table of `dplyr::union_all()` has its own queries.
#' @param ... The further arguments of that release, by name. Those that no
#'   query depends on, such as `epsilon`, may be left out.
#' @return A `release_queries`: a list with `queries`, a data frame with the
#'   columns `when` and `query`. `when` is `"run"` for queries that were run,
#'   and `"step"`, `"margin"` or `"levels"` for queries that a release would
#'   run. `print()` shows the queries in full. They hold the levels of the
#'   published predictors, stated numbers with which the response is compared,
#'   and other public numbers. Nothing in them was read from the response.
#' @section Error types: The errors of [score_release()] that come before
#'   anything is spent.
#' @seealso [score_release()]
#' @examplesIf rlang::is_installed(c("RSQLite", "dbplyr"))
#' con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
#' RSQLite::initExtension(con, "math")
#' persons <- subset(ce_income, income > 0, c("income", "earner"))
#' persons$earner <- as.character(persons$earner)
#' DBI::dbWriteTable(con, "persons", persons)
#' release_queries(log(income) ~ earner, dplyr::tbl(con, "persons"),
#'   reference = list("(Intercept)" = 10.8, sigma = 1)
#' )
#' DBI::dbDisconnect(con)
#' @export
release_queries <- function(formula, data, ...) {
  check_formula(formula)
  check_present(data)
  check_that(
    has_engine(data), data,
    "{.arg data} must be a table of a database, or paths of files."
  )
  asked <- score_arguments(given_dots(...))
  asked$family <- check_score_family(asked$family)
  settings <- do.call(
    score_settings, asked[names(formals(score_settings))],
    quote = TRUE
  )
  with_engine(data, function(engine) {
    open <- open_score_file(
      engine, formula, asked$family, settings,
      asked$prior %||% released_prior(settings$reference, asked$family),
      asked$prior, asked$response, asked$scaling
    )
    run <- engine$log$queries
    planned <- planned_queries(open, settings)
    new_result("release_queries", queries = data.frame(
      when = c(rep("run", length(run)), names(planned)),
      query = c(run, unname(planned))
    ))
  })
}

#' The arguments of a release, those that were not given as it has them
#' @return (named list)
#' @noRd
score_arguments <- function(given) {
  own <- formals(score_release)
  other <- setdiff(rlang::names2(given), names(own))
  refuse_if(
    length(other) > 0,
    "{.arg ...} must be named arguments of {.fn score_release}.",
    x = if ("" %in% other) "One has no name." else "It has {.val {other}}.",
    arg = "..."
  )
  left <- setdiff(
    names(own), c(names(given), "formula", "data", "epsilon", "...")
  )
  c(given, lapply(own[left], eval, environment()))
}

#' The queries for sums, at the reference
#' @return (named character)
#' @noRd
planned_queries <- function(open, settings) {
  queries <- open$sums$queries
  model <- open$model
  if (is_categorical(model$family)) {
    return(all_named(queries$tally(level_breaks(model$response)), "levels"))
  }
  start <- score_start(model, settings, open$file$spec)
  frame <- score_frame(model$family, drop(open$file$x %*% start$b), start$shape)
  at <- open$file$at(frame, counted_above(model$family, frame, start$clip[1]))
  margin <- if (!is.null(settings$bounds)) {
    breaks <- margin_breaks(
      open$file, model, settings, start$b, start$shape
    )
    queries$tally(breaks[-c(1, length(breaks))])
  }
  c(
    all_named(queries$whole(at, start$clip[1]), "step"),
    all_named(margin, "margin")
  )
}

all_named <- function(x, name) {
  if (length(x) > 0) stats::setNames(x, rep(name, length(x)))
}

print_lines.release_queries <- function(x) {
  table <- x$queries
  unlist(lapply(seq_len(nrow(table)), function(i) {
    c(
      paste("--", if (table$when[i] == "run") {
        "already run: checks and counts"
      } else {
        paste("of the release:", table$when[i])
      }),
      paste0(table$query[i], ";"), ""
    )
  }))
}
