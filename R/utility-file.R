# Utility of whole files: how near the tables of all columns and of all pairs of
# columns are to those of the file.

#' @param sets (`synthetic_data`) Of whole files.
#' @param pmse (character) Methods of propensity models.
#' @param regression (list of formulas) Named.
#' @param survey_weights (string or `NULL`)
#' @param given (named list) Other arguments of utility(), as they were given.
#' @return (`file_utility`) See utility().
#' @noRd
file_utility <- function(sets, data, pmse, regression, survey_weights, given) {
  asked <- names(Filter(Negate(is.null), given))
  refuse_if(
    length(asked) > 0,
    "{.arg {asked}} {?does/do} not apply to sets of whole files.",
    i = "Tables of all pairs of columns are compared. For one column give data
         frames: {.code utility(as.list(sets), data, \"income\")}.",
    arg = asked[1]
  )
  names <- names(sets$sets[[1]])
  check_columns(names, data, "data")
  data <- as.data.frame(data)
  sets$sets <- in_file_order(
    lapply(sets$sets, without_labels), data, sets$columns$name
  )
  survey_weights <- survey_weights %||% sets$survey_weights
  check_survey_weights(data, survey_weights, "data", NULL)
  for (set in sets$sets) {
    check_survey_weights(set, survey_weights, "synthetic", NULL)
  }
  models <- file_models(regression, data, sets$sets, survey_weights)
  pairs <- file_tables(sets, data, names)
  table <- do.call(rbind, lapply(split(pairs, pairs$set), mean_tables))
  row.names(table) <- NULL
  propensity <- file_propensities(sets, data, pmse)
  new_result(
    "file_utility",
    table = table, overall = c(
      colMeans(table[-1]), mean_models(models$models), mean_ratios(propensity)
    ),
    pairs = pairs, statistics = file_statistics(sets, data, survey_weights),
    models = models$models, coefficients = models$coefficients,
    propensity = propensity, columns = names,
    remarks = remarks_of_means(means_beside(sets, data, survey_weights)),
    records = c(nrow(data), sets$n_records), survey_weights = survey_weights
  )
}

mean_models <- function(models) {
  if (!is.null(models)) colMeans(models[c("overlap", "std_difference")])
}

#' @param propensity (data frame or `NULL`)
#' @return (named numbers) `logit_pmse_ratio`, `cart_pmse_ratio`.
#' @noRd
mean_ratios <- function(propensity) {
  if (is.null(propensity)) {
    return(NULL)
  }
  means <- tapply(propensity$pmse_ratio, propensity$method, mean)
  stats::setNames(as.vector(means), paste0(names(means), "_pmse_ratio"))
}

#' The tables of all columns and of all pairs beside the file's
#' @return (data frame) See utility(), sorted by set.
#' @noRd
file_tables <- function(sets, data, names) {
  columns <- file_levels(sets$codebook, sets$sets, quantile_steps)
  levels <- vapply(columns, function(column) length(column$levels) + 1L, 1L)
  tables <- tables_of(length(names))
  counts <- function(file) {
    codes <- vapply(names, function(name) {
      level_codes(file[[name]], columns[[name]])
    }, integer(nrow(file)))
    codes <- matrix(codes, nrow(file))
    table_counts_(codes, levels, tables, default_threads())
  }
  file <- counts(data)
  fresh <- vapply(file, function(own) {
    fresh_distance(own / nrow(data), sets$n_records)
  }, 1)
  first <- vapply(tables, function(j) names[j[1]], "")
  second <- vapply(tables, function(j) names[j[2]], "")
  do.call(rbind, lapply(seq_along(sets$sets), function(i) {
    found <- Map(table_distance, file, counts(sets$sets[[i]]))
    data.frame(
      first, second, set = i,
      distance = vapply(found, `[[`, 1, "distance"), fresh,
      pmse = vapply(found, `[[`, 1, "pmse"),
      pmse_ratio = vapply(found, `[[`, 1, "pmse_ratio")
    )
  }))
}

#' All columns, and all pairs of them
#' @return (list of integer)
#' @noRd
tables_of <- function(d) {
  pairs <- if (d > 1) asplit(unname(utils::combn(d, 2)), 2)
  c(as.list(seq_len(d)), lapply(pairs, as.integer))
}

#' How far a set's table is from the file's
#'
#' A propensity model with a parameter for each cell has the share of the set in
#' the cell as its score. Its error is a chi-squared statistic, times a constant
#' (Raab, Nowok and Dibben 2021).
#' @param file,set (double) Counts of all cells.
#' @return (list) `distance`, `pmse`, `pmse_ratio`: of the cells that one of the
#'   two has; 1 where there is one cell.
#' @noRd
table_distance <- function(file, set) {
  seen <- file + set > 0
  file <- file[seen]
  set <- set[seen]
  both <- sum(file, set)
  share <- sum(set) / both
  chi <- sum(
    (set - file * share / (1 - share))^2 / ((file + set) * share)
  )
  list(
    distance = sum(abs(file / sum(file) - set / sum(set))) / 2,
    pmse = chi * share * (1 - share)^2 / both,
    pmse_ratio = if (length(set) > 1) chi / (length(set) - 1) else 1
  )
}

#' Means over the tables of one column and over those of two
#' @param one (data frame) Those of a set.
#' @noRd
mean_tables <- function(one) {
  of <- function(rows) {
    mean <- colMeans(one[rows, c("distance", "fresh", "pmse_ratio")])
    c(mean[["distance"]], mean[["distance"]] / mean[["fresh"]],
      mean[["pmse_ratio"]])
  }
  single <- of(is.na(one$second))
  double <- of(!is.na(one$second))
  data.frame(
    set = one$set[1], one_way = single[1], two_way = double[1],
    one_way_ratio = single[2], two_way_ratio = double[2],
    one_way_pmse_ratio = single[3], two_way_pmse_ratio = double[3]
  )
}
