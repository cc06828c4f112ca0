# Cleared tables as a source of sets, and their label: none.

cleared_source <- function() {
  refuses <- file_source()$refuses
  refuses$newdata <- c(
    "{.arg newdata} does not apply to cleared tables.",
    x = "Sets have all columns.", i = "{.arg n} sets the number of records."
  )
  refuses$margin <- c(
    "{.arg margin} does not apply: the tables have the margins."
  )
  refuses$uncertainty <- c(
    "{.arg uncertainty} does not apply to cleared tables.",
    x = "How far the tables are from the file is not known."
  )
  refuses$ledger <- c(
    "{.arg ledger} does not apply to cleared tables: they have no cost that
     could be recorded."
  )
  new_source(
    refuses = refuses,
    check = function(x, asked) check_sealed(x, arg = "fit"),
    rows = function(x, asked) {
      columns <- names(Filter(function(spec) spec$kind$released,
        column_specs(x$codebook)[names(x$schema)]
      ))
      n <- asked$n %||% x$n_records
      list(
        n = n, columns = columns, tibble = x$tibble,
        remote = draws_on_workers(
          asked$m, as.double(asked$m) * n * length(columns)
        )
      )
    },
    label = function(x, asked, rows) {
      release_label(
        x, what = "synthetic data", m = asked$m, n_records = rows$n,
        reproducible = is_seeded(asked$seed)
      )
    },
    draw = draw_from_cleared
  )
}

draw_from_cleared <- function(x, asked, rows) {
  words <- words_of_files(asked$seed)
  block <- cleared_block(x)
  blocks <- if (!rows$remote) draw_block(block, asked$m, rows$n, words$block)
  sets <- drawn_each(asked$m, cleared_drawer(x, block, rows$n), function(s) {
    list(number = s, words = words, codes = if (!rows$remote) blocks[[s]])
  }, rows$remote)
  x$published <- character()
  list(
    sets = sets, columns = file_columns(x), combine = "none",
    survey_weights = x$survey_weights,
    codebook = book_of(x$codebook, names(sets[[1]]))
  )
}

#' What draws a set of n records, see draw_each()
#' @return (function of an item) See file_drawer().
#' @noRd
cleared_drawer <- function(x, block, n) {
  force(x)
  force(block)
  force(n)
  function(item) {
    s <- item$number
    codes <- item$codes %||%
      draw_block(block, 1, n, item$words$block, first = s - 1)[[1]]
    colnames(codes) <- names(x$levels)
    amounts <- lapply(stats::setNames(nm = names(x$bins)), function(name) {
      k <- s * length(x$bins) + match(name, names(x$bins))
      p <- uniforms_(nrow(codes), item$words$amounts, k)
      values_in_bins(x, name, codes, p)
    })
    decode_records(x, without_bins(codes, x$schema), amounts)
  }
}

#' Values of an amount within its parts and bins
#' @param p (double) Uniform, one for each record.
#' @return (list) `records`, `values`.
#' @noRd
values_in_bins <- function(x, name, codes, p) {
  parts <- amount_parts(column_specs(x$codebook)[[name]])
  breaks <- x$bins[[name]]
  own <- rep(1L, nrow(codes))
  if (name %in% names(x$levels)) own <- unname(codes[, name])
  rows <- which(parts$valued[own])
  own <- own[rows]
  bin <- unname(codes[rows, binned_column(x, name)])
  ends <- bin_ends(own, bin, breaks, parts)
  at <- place_in_bin(p[rows], bin, ends, breaks)
  values <- ends$low + at * (ends$high - ends$low)
  list(records = rows, values = nearest_in_part(values, own, parts, ends))
}

#' The column of an amount's bins
#' @noRd
binned_column <- function(x, name) {
  extra <- setdiff(names(x$levels), names(x$schema))
  extra[match(name, names(x$bins))]
}

#' Where in its bin a value lies, as a share of the bin's width
#'
#' Evenly, but in the first and the last bin: there the density falls off as an
#' exponential one from what it is in the bin beside.
#' @param ends (list) `low`, `high` of each record's bin.
#' @noRd
place_in_bin <- function(p, bin, ends, breaks) {
  k <- length(breaks)
  if (k < 2) {
    return(p)
  }
  count <- tabulate(bin, k + 1)
  beside <- c(
    count[2] / (breaks[2] - breaks[1]), count[k] / (breaks[k] - breaks[k - 1])
  )
  for (end in 1:2) {
    own <- c(1, k + 1)[end]
    at <- which(bin == own)
    density <- beside[end]
    if (length(at) == 0 || density == 0) next
    # In widths of the bin; cut off at its end
    width <- ends$high[at] - ends$low[at]
    rate <- pmin(width * density / count[own], 700)
    u <- p[at]
    place <- ifelse(
      rate < 1e-6, u, -log1p(u * expm1(-rate)) / pmax(rate, 1e-6)
    )
    p[at] <- if (end == 1) 1 - place else place
  }
  p
}

# Label ------------------------------------------------------------------------

#' @rdname guarantee
#' @export
guarantee.cleared_tables <- guarantee.noisy_release

#' @noRd
release_label.cleared_tables <- function(x, what = "cleared tables", m = 1,
                                         n_records = x$n_records,
                                         reproducible = FALSE) {
  intact <- is_sealed(x)
  new_privacy_guarantee(
    if (intact) cleared_verdict(x) else edited_verdict("set of tables"),
    mechanism = "cleared_tables", title = "made from cleared tables",
    what = what, m = m, n_records = as.integer(n_records), unit = "a record",
    public_inputs = if (intact) cleared_inputs(x) else character(),
    reproducible = reproducible, public = TRUE
  )
}

cleared_verdict <- function(x) {
  list(label = "none", reasons = c(
    paste(
      "Counts were coarsened by the agency's own rule, without noise: no",
      "epsilon is claimed."
    ),
    paste(
      "Sets are made from these tables alone. Two columns that share no table",
      "are related only through other columns."
    ),
    draft_reason(x$codebook)
  ))
}

cleared_inputs <- function(x) {
  in_plain_figures(c(
    codebook = "names, types, levels, bounds and codes of all columns",
    tables = relations_text(x),
    counts = counts_text(x),
    if (length(x$bins) > 0) {
      c(bins = paste("break points of", toString(names(x$bins))))
    },
    if (length(x$texts) > 0) c(rules = paste(x$texts, collapse = "; "))
  ))
}

#' Which columns share a table
#' @noRd
relations_text <- function(x) {
  order <- x$table$order
  d <- length(x$levels)
  pairs <- if (d > 1 && sum(order == 2) == choose(d, 2)) "all pairs of columns"
  listed <- x$table$columns[order > if (is.null(pairs)) 1 else 2]
  found <- c(pairs, listed)
  if (length(found) > 0) paste(found, collapse = "; ") else "none"
}

counts_text <- function(x) {
  withheld <- sum(x$table$withheld)
  paste0(
    sprintf("below %s as 0, others as multiples of %s", x$least, x$multiple),
    if (withheld > 0) paste0(", ", counted(withheld, "cell"), " withheld")
  )
}

#' @export
format.cleared_tables <- function(x, ...) {
  one_line(x, counted(nrow(x$table), "table"), ", ", format(guarantee(x)))
}

print_lines.cleared_tables <- function(x) {
  c(
    sprintf(
      "Cleared tables: %s of %s", counted(nrow(x$table), "table"),
      counted(length(x$schema), "column")
    ),
    wrap_line(paste("label:", format(guarantee(x)))),
    field_lines(c(
      records = format_count(x$n_records), counts = counts_text(x),
      empty = sprintf(
        "%s of %s cells", format_count(sum(x$table$empty)),
        format_count(sum(x$table$cells))
      ),
      relations = relations_text(x)
    )),
    "  synthesize(x) draws files; x$tables are the tables to clear"
  )
}

# Targets ----------------------------------------------------------------------

# What records are fitted to: of each cleared table the counts that rounding and
# withholding leave open, as near as can be to what smaller tables say.

#' The block that sets of cleared tables are drawn from, see draw_block()
#' @param x (`cleared_tables`)
#' @noRd
cleared_block <- function(x) {
  levels <- lengths(x$levels, use.names = FALSE)
  rules <- numbered_rules(x$rules, levels)
  columns <- lapply(x$tables, function(frame) {
    match(columns_of_cells(frame), names(x$levels))
  })
  n <- x$n_records
  margins <- cleared_margins(x, columns, levels, rules)
  targets <- list()
  for (t in which(lengths(columns) > 1)) {
    own <- columns[[t]]
    smaller <- Filter(function(one) {
      length(one$columns) == length(own) - 1 && all(one$columns %in% own)
    }, targets)
    base <- expected_table(
      own, levels[own], n, margins, if (length(own) > 2) smaller
    )
    ends <- count_ends(counts_of_cells(x$tables[[t]]), x$multiple, x$least)
    closed <- forbidden_among(own, levels, rules) + 1
    ends$high[closed] <- 0
    targets <- c(targets, list(list(
      columns = own,
      target = within_counts(base, ends, levels[own], margins[own]),
      variance = max(x$multiple, 1)^2 / 12
    )))
  }
  list(
    n = n, margins = margins, targets = targets, rules = rules,
    fitting = record_fitting,
    fixed = matrix(0L, 0, 0), levels = levels,
    published = rep(FALSE, length(levels))
  )
}

#' The smallest and the largest count that a coarsened one may have been
#' @noRd
count_ends <- function(n, multiple, least) {
  half <- multiple / 2
  low <- ifelse(n == 0, 0, pmax(ceiling(n - half), least))
  high <- ifelse(n == 0, max(least, ceiling(half)), ceiling(n + half)) - 1
  # Nothing is known of what is withheld
  list(low = ifelse(is.na(n), 0, low), high = ifelse(is.na(n), Inf, high))
}

#' Counts of each column, of the sum that all records have
#' @noRd
cleared_margins <- function(x, columns, levels, rules) {
  lapply(seq_along(levels), function(j) {
    # Smaller tables come first
    t <- which(vapply(columns, function(own) j %in% own, TRUE))[1]
    own <- columns[[t]]
    counts <- counts_of_cells(x$tables[[t]])
    ends <- count_ends(counts, x$multiple, x$least)
    left <- max(0, x$n_records - sum(counts, na.rm = TRUE))
    # Withheld cells share what the others leave
    counts[is.na(counts)] <- left / max(1, sum(is.na(counts)))
    # Of a count that is 0 something may be there
    counts <- ifelse(counts == 0 & is.finite(ends$high), ends$high / 4, counts)
    margin <- as.vector(apply(
      array(counts, levels[own]), match(j, own), sum
    ))
    margin[forbidden_among(j, levels, rules) + 1] <- 0
    margin * x$n_records / sum(margin)
  })
}

#' The table within its cells' ends that is nearest to another one
#'
#' Cells are moved between their ends and the table is fitted to the margins, in
#' turns.
#' @param base (double) What smaller tables say.
#' @param ends (list) `low`, `high` of each cell.
#' @return (double)
#' @noRd
within_counts <- function(base, ends, levels, margins, rounds = 50) {
  x <- clamp(base, ends$low, ends$high)
  for (round in seq_len(rounds)) {
    x <- fitted_once(array(x, levels), seq_along(levels), margins)
    x <- clamp(as.vector(x), ends$low, ends$high)
  }
  x
}
