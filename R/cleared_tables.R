# Tables that an agency has cleared by its own rules: counts as multiples, small
# ones as zero, cells withheld. Records are made from them. There is no noise,
# and no epsilon: source-cleared.R says so in the label.

#' Tables coarsened by an agency's own rule, as a basis for synthetic files
#'
#' Counts the records of a plan in tables, sets small counts to 0 and rounds the
#' others to multiples. [synthesize()] then makes any number of files from these
#' tables without the file. Use it where the agency clears tables by rules of
#' its own and may not, or will not, add noise.
#'
#' A set keeps the relations of columns that share a table, and no others.
#' `print()` names the tables, so that whoever receives the sets can know which
#' relations hold.
#'
#' There is **no privacy guarantee**: the label is `"none"` and claims no
#' epsilon. The agency must decide whether the tables may be released. Look at
#' `x$tables`, withhold cells by setting `n` to `NA`, and give the list back:
#' `cleared_tables(plan, tables, bins = x$bins)`. The file's records are then
#' not read.
#'
#' In the tables, an amount has two columns. The first has its parts (see
#' [file_plan()]), such as zero and missing, under the amount's own name. The
#' second has its values between break points, under a name such as
#' `income in bins`. An amount without other parts has only the second column.
#' Sets spread the values evenly within a bin. In the first and the last bin the
#' density instead falls off, starting from the density of the adjacent bin.
#'
#' A rounded count stands for an interval of possible counts. The records of a
#' set are fitted to counts that lie within all of these intervals. Of these
#' counts, those nearest to what the smaller tables imply are used.
#'
#' @param plan (`file_plan`) See [file_plan()]. Published columns are not
#'   allowed, and rules that compare the values of amounts are not allowed.
#' @param tables (list or `NULL`) Which tables to count, each given by the names
#'   of one to four columns. Default `NULL`: all pairs of columns. The table of
#'   each column alone is always counted. To give cleared tables instead, use
#'   data frames as in `x$tables`, each with level names and the column `n`.
#' @param multiple (count) Counts are rounded to the nearest multiple of this.
#'   Default 10.
#' @param least (count) Counts below this are set to 0. Default: `multiple`.
#' @param bins (named list of increasing numbers, or `NULL`) Break points of
#'   amounts. By default, and for amounts that are not named, they are quantiles
#'   of the file, rounded to two significant digits. With cleared tables, every
#'   amount with values must be named.
#' @param ... Must be empty.
#' @return A `cleared_tables`. It holds no record.
#'   * `tables`: a named list of data frames. Each has the level names and, in
#'     its last column, the count `n` (`n.1` if the file has a column `n`). A
#'     withheld count is `NA`;
#'   * `table`: a data frame with a row for each table: `columns`, `order` (how
#'     many columns), and the numbers of `cells`, of `empty` and of `withheld`
#'     cells;
#'   * `multiple`, `least`, `bins`: as given; `bins` has all break points;
#'   * `n_records`: the number of records, rounded to a multiple. For cleared
#'     tables, the largest total of a table;
#'   * `levels`, `codebook`, `schema`, `rules`, `survey_weights`: the plan's
#'     public part.
#' @section Error types: `pseudosynth_error_input`: published columns, rules
#'   that compare amounts, unknown columns or levels, a column without a table,
#'   counts that are not whole numbers, break points outside the bounds, a
#'   multiple above twice the number of records. `pseudosynth_error_edited` (a
#'   `pseudosynth_error_privacy`): an edited plan.
#' @section Privacy: None is claimed. Rounding hides counts from somebody who
#'   reads the tables, but not from somebody who calculates with them. Releases
#'   of two files that differ in one record can differ in just that record's
#'   cell. The default break points are computed from the file and are part of
#'   what must be cleared.
#' @references Raab (2026), It does what it says on the tin: safe synthetic data
#'   from coarsened margins, arXiv 2606.02101.
#' @seealso [file_release()], which proves an epsilon; [file_plan()]
#' @examples
#' people <- ce_income[c("sex", "age", "marital", "income")]
#' plan <- file_plan(people, draft_codebook(people))
#' cleared <- cleared_tables(plan, multiple = 10)
#' cleared
#' head(cleared$tables[["sex x age"]])
#' syn <- synthesize(cleared)
#' head(syn[[1]])
#' @export
cleared_tables <- function(plan, tables = NULL, multiple = 10,
                           least = multiple, bins = NULL, ...) {
  check_no_dots(..., hint = "See {.fn cleared_tables}.")
  check_argument(plan)
  check_sealed(plan)
  check_count(multiple, min = 1)
  check_count(least, min = 1)
  check_clearable(plan)
  plan <- in_memory(plan, "cleared_tables()")
  if (are_frames(tables)) check_all_binned(bins, plan)
  plan <- with_cleared_bins(plan, bins)
  found <- if (are_frames(tables)) {
    given_tables(tables, plan$levels)
  } else {
    counted_tables(plan, tables, multiple, least)
  }
  refuse_if(
    found$n == 0,
    "{.arg multiple} must be at most twice the number of records.",
    x = "It is {multiple}: the number of records would be rounded to 0.",
    arg = "multiple"
  )
  names(found$tables) <- vapply(found$tables, function(frame) {
    paste(columns_of_cells(frame), collapse = " x ")
  }, "")
  seal(new_result(
    "cleared_tables",
    tables = found$tables, table = cleared_rows(found$tables),
    multiple = multiple, least = least, bins = plan$bins,
    n_records = found$n, levels = plan$levels, codebook = plan$codebook,
    schema = plan$schema, tibble = plan$tibble,
    rules = c(block_rules(plan), bin_rules(plan)), texts = rule_texts(plan),
    survey_weights = plan$survey_weights
  ))
}

are_frames <- function(x) {
  is.list(x) && length(x) > 0 && all(vapply(x, is.data.frame, TRUE))
}

#' Refuse what tables alone cannot keep
#' @noRd
check_clearable <- function(plan) {
  refuse_households(plan, "whose tables nobody has cleared")
  refuse_if(
    length(plan$published) > 0,
    "{.arg plan} must not publish columns.",
    x = "{.val {plan$published}} {?is/are} published.",
    i = "Cleared tables have all columns. Leave {.arg publish} out of
         {.fn file_plan}.",
    arg = "plan"
  )
  compared <- compared_rules(plan)
  refuse_if(
    length(compared) > 0, "No rule of {.arg plan} may compare amounts' values.",
    x = "{length(compared)} comparison{?s} {?is/are} stated.",
    i = "Leave them out of the plan, or use {.fn file_release}, which keeps such
         rules.", arg = "plan"
  )
}

# Bins of amounts --------------------------------------------------------------

# Where default break points lie: closer in the tails, which amounts need
bin_probabilities <- c(
  0.005, 0.01, 0.02, 0.05, seq(0.1, 0.9, 0.1), 0.95, 0.98, 0.99, 0.995
)

#' A plan whose amounts are columns of its codes a second time, in bins
#' @return (list) As `plan`, with `bins` (named list of breaks) and `binned`
#'   (names of the further columns, by amount).
#' @noRd
with_cleared_bins <- function(plan, bins) {
  names <- names(plan$amounts)
  known <- is.null(bins) || is.list(bins) && all(names(bins) %in% names) &&
    length(names(bins)) == length(bins)
  check_that(
    known, bins,
    "{.arg bins} must be a list of vectors of break points, named by amounts."
  )
  specs <- column_specs(plan$codebook)
  plan$bins <- list()
  plan$binned <- character()
  for (name in names) {
    own <- plan$amounts[[name]]
    parts <- amount_parts(specs[[name]])
    valued <- parts[parts$valued, ]
    if (nrow(valued) == 0) next
    breaks <- bins[[name]] %||% default_breaks(own$values, valued)
    check_bin_breaks(breaks, name, valued)
    column <- binned_name(name, plan)
    levels <- bin_names(breaks, specs[[name]])
    code <- rep(length(levels) + 1L, plan$n_records)
    code[own$records] <- findInterval(own$values, breaks) + 1L
    if (any(!parts$valued)) levels <- c(levels, "without a value")
    plan <- with_codes(plan, column, levels, code)
    plan$bins[[name]] <- breaks
    plan$binned[[name]] <- column
  }
  plan
}

#' Cleared tables come with the break points that they were made with
#' @noRd
check_all_binned <- function(bins, plan) {
  specs <- column_specs(plan$codebook)[names(plan$amounts)]
  valued <- vapply(specs, function(spec) any(amount_parts(spec)$valued), NA)
  lacking <- setdiff(names(specs)[valued], names(bins))
  refuse_if(
    length(lacking) > 0, "{.arg bins} must name every amount if {.arg tables}
    holds data frames.",
    x = "It lacks {.val {lacking}}.",
    i = "The break points of earlier cleared tables {.code x} are
         {.code x$bins}.",
    arg = "bins"
  )
}

default_breaks <- function(values, parts) {
  if (length(values) == 0) {
    return(double())
  }
  found <- signif(
    stats::quantile(values, bin_probabilities, names = FALSE, type = 1), 2
  )
  unique(found[found > min(parts$low) & found <= max(parts$high)])
}

check_bin_breaks <- function(breaks, name, parts) {
  increasing <- is.numeric(breaks) && !anyNA(breaks) &&
    !is.unsorted(breaks, strictly = TRUE)
  check_that(
    increasing, breaks,
    "{.arg bins} must be increasing numbers for {.val {name}}.", arg = "bins"
  )
  beyond <- sum(breaks <= min(parts$low) | breaks > max(parts$high))
  refuse_if(
    beyond > 0, "{.arg bins} must lie within the bounds of {.val {name}}.",
    x = "{beyond} break point{?s} {?does/do} not.", arg = "bins"
  )
}

#' Rules between an amount's parts and its bins: combinations without a value
#' @noRd
bin_rules <- function(plan) {
  rules <- lapply(names(plan$binned), function(name) {
    own <- match(c(name, plan$binned[[name]]), names(plan$levels))
    parts <- amount_parts(column_specs(plan$codebook)[[name]])
    cells <- expand.grid(
      part = seq_len(nrow(parts)),
      bin = seq_along(plan$levels[[plan$binned[[name]]]])
    )
    ends <- bin_ends(cells$part, cells$bin, plan$bins[[name]], parts)
    closed <- cells[!ends$open, , drop = FALSE]
    # An amount without other parts is in its bins alone
    if (is.na(own[1])) {
      closed <- closed["bin"]
      own <- own[2]
    }
    list(columns = own, forbidden = unname(as.matrix(closed)))
  })
  Filter(function(rule) nrow(rule$forbidden) > 0, rules)
}

#' What a part has within a bin
#' @param part,bin (integer) Of each record; the last bin is that of none.
#' @return (list) `low`, `high` (double), `open` (logical: is there a value, or
#'   a part without values beside no bin?).
#' @noRd
bin_ends <- function(part, bin, breaks, parts) {
  within <- bin <= length(breaks) + 1
  low <- high <- rep(NA_real_, length(part))
  at <- which(within & parts$valued[part])
  edge <- c(-Inf, breaks, Inf)
  low[at] <- in_part_beyond(edge[bin[at]], part[at], parts, 1)
  high[at] <- in_part_beyond(
    edge[bin[at] + 1], part[at], parts, -1, strict = TRUE
  )
  open <- ifelse(parts$valued[part], within & low <= high, !within)
  list(low = low, high = high, open = open %in% TRUE)
}

# Counting ---------------------------------------------------------------------

#' The tables of a plan, coarsened
#' @return (list) `tables`, `n`.
#' @noRd
counted_tables <- function(plan, stated, multiple, least) {
  columns <- cleared_columns(stated, plan)
  levels <- plan$levels
  sizes <- lengths(levels, use.names = FALSE)
  check_block_sizes(sizes, columns)
  counts <- table_counts_(plan$codes, sizes, columns, default_threads())
  tables <- Map(function(own, count) {
    coarse <- coarsened(count, multiple, least)
    with_counts(cells_of(levels[own]), coarse, levels)
  }, columns, counts)
  list(tables = tables, n = coarsened(plan$n_records, multiple, 1))
}

#' All combinations of levels, the first column's fastest
#' @param levels (named list of character)
#' @noRd
cells_of <- function(levels) {
  expand.grid(lapply(levels, function(names) factor(names, names)),
    KEEP.OUT.ATTRS = FALSE
  )
}

#' Cells with their counts in a last column, of a name that no other has
#' @param levels (named list) Of all columns.
#' @noRd
with_counts <- function(cells, counts, levels) {
  cells[[count_name(levels)]] <- counts
  cells
}

count_name <- function(levels) {
  utils::tail(make.unique(c(names(levels), "n")), 1)
}

#' The columns of a table with counts, and the counts
#' @noRd
columns_of_cells <- function(frame) names(frame)[-length(frame)]

counts_of_cells <- function(frame) frame[[length(frame)]]

coarsened <- function(counts, multiple, least) {
  ifelse(counts < least, 0, multiple * floor(counts / multiple + 0.5))
}

#' Columns of all tables: each alone, an amount's parts by bins, and those asked
#' @return (list of integer) Increasing, smaller tables first.
#' @noRd
cleared_columns <- function(stated, plan) {
  names <- names(plan$levels)
  if (is.null(stated)) {
    found <- if (length(names) > 1) utils::combn(names, 2, simplify = FALSE)
  } else {
    found <- unlist(lapply(stated_names(stated, plan), both_columns, plan),
      recursive = FALSE
    )
  }
  parts <- intersect(names(plan$binned), names)
  own <- Map(c, parts, plan$binned[parts])
  all <- lapply(c(as.list(names), own, found), function(table) {
    sort(match(table, names))
  })
  all <- unique(unname(all))
  all[order(lengths(all))]
}

stated_names <- function(stated, plan) {
  if (is.character(stated)) stated <- list(stated)
  check_that(
    is.list(stated) && all(vapply(stated, is.character, TRUE)), stated,
    "{.arg tables} must be a list of vectors of column names, or of data
     frames.",
    arg = "tables"
  )
  known <- union(names(plan$levels), names(plan$binned))
  lapply(stated, function(table) {
    check_names(table, known, arg = "tables")
    refuse_if(
      !length(table) %in% 1:4 || anyDuplicated(table) > 0,
      "A table must name one to four different columns.",
      x = "One names {length(table)}.", arg = "tables"
    )
    table
  })
}

#' A table that names amounts, with their parts and with their bins
#' @noRd
both_columns <- function(table, plan) {
  amounts <- intersect(table, names(plan$binned))
  binned <- ifelse(table %in% amounts, plan$binned[table], table)
  parts <- setdiff(table, setdiff(amounts, names(plan$levels)))
  c(list(unname(binned)), if (length(parts) > 0) list(parts))
}

# Tables from elsewhere --------------------------------------------------------

#' Tables that were cleared before, checked against the codebook
#' @noRd
given_tables <- function(tables, levels) {
  called <- count_name(levels)
  checked <- lapply(unname(tables), function(frame) {
    columns <- setdiff(names(frame), called)
    check_names(columns, names(levels), arg = "tables")
    counts <- frame[[called]]
    # A table that is withheld as a whole has the type of NA
    whole <- is.numeric(counts) || is.logical(counts) &&
      nrow(frame) > 0 && all(is.na(counts))
    whole <- whole && all(counts >= 0 & counts == round(counts) &
      counts <= .Machine$integer.max, na.rm = TRUE)
    refuse_if(
      !whole || !length(columns) %in% 1:4,
      "Each table must have one to four columns of the file, and a column
      {.field {called}} of whole numbers.",
      i = "The number of a withheld cell is {.code NA}.", arg = "tables"
    )
    frame <- as.data.frame(frame)[columns]
    for (name in columns) {
      text <- as.character(frame[[name]])
      unknown <- sum(!text %in% levels[[name]])
      refuse_if(
        unknown > 0, "{.arg tables} must only have levels of the codebook.",
        x = "Column {.val {name}} has other values in {unknown} row{?s}.",
        arg = "tables"
      )
      frame[[name]] <- factor(text, levels[[name]])
    }
    refuse_if(
      anyDuplicated(frame) > 0,
      "A table must have each combination of levels at most once.",
      x = "The table of {.val {columns}} has some more than once.",
      arg = "tables"
    )
    # In the order of the levels; a cell that is not there is empty
    sorted <- names(levels)[sort(match(columns, names(levels)))]
    cells <- cells_of(levels[sorted])
    code <- function(x) {
      cell_number(vapply(x[sorted], as.integer, integer(nrow(x))),
        lengths(levels[sorted])
      )
    }
    at <- match(code(cells), code(frame))
    with_counts(cells, ifelse(is.na(at), 0, as.double(counts)[at]), levels)
  })
  lacking <- setdiff(names(levels), unlist(lapply(checked, columns_of_cells)))
  refuse_if(
    length(lacking) > 0, "Every column must be in a table.",
    x = "{.val {lacking}} {?is/are} in none.", arg = "tables"
  )
  totals <- vapply(checked, function(frame) {
    sum(counts_of_cells(frame), na.rm = TRUE)
  }, 0)
  refuse_if(
    max(totals) == 0, "{.arg tables} must count at least 1 record.",
    arg = "tables"
  )
  list(tables = checked[order(lengths(checked))], n = max(totals))
}

#' A row for each table
#' @noRd
cleared_rows <- function(tables) {
  count <- function(f) {
    unname(vapply(tables, function(x) sum(f(counts_of_cells(x))), 0))
  }
  data.frame(
    columns = names(tables),
    order = unname(vapply(tables, function(x) ncol(x) - 1L, 1L)),
    cells = unname(vapply(tables, nrow, 1L)),
    empty = count(function(n) n %in% 0), withheld = count(is.na)
  )
}
