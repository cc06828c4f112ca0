# All amounts of a file release, one after the other: earlier ones are
# predictors of later ones, in bins.

# What an amount costs beside a cell that is read, for each other amount: see
# tell_long_step(). Of 20 of them the release takes some seconds
amount_as_cells <- 1e5

#' What amounts are released on: the records of a file and of a set
#'
#' @param file See plan_records().
#' @param set (integer matrix) Codes of a synthetic set.
#' @param block (list) See release_plan(): of these records.
#' @param bins,scores (named lists) Of earlier amounts, see amount_predictors().
#' @param home (integer or `NULL`) Of each record of the set, where its records
#'   are members.
#' @return (list) These, and what is known of the block's tables.
#' @noRd
amount_ground <- function(file, set, levels, block, bins = list(),
                          scores = list(), home = NULL) {
  axes <- block_axes(block)
  list(
    file = file, set = set, levels = levels, block = block, bins = bins,
    scores = scores, home = home, axes = axes,
    unknown = unknown_tables(block, axes), unseen = unseen_pairs(block, set)
  )
}

#' What amounts of members are released on, see amount_ground()
#' @param on (list) The same of households, with the amounts of these.
#' @noRd
member_ground <- function(on, plan) {
  columns <- placed_columns(plan$members, plan$levels)
  own <- members_as_records(on$file$codes, columns, plan$members)
  made <- members_as_records(on$set, columns, plan$members)
  of_home <- function(x, at) lapply(as.list(x), `[`, at$home)
  shared <- shared_amounts(plan)
  file <- list(
    codes = own$codes, amounts = lapply(
      stats::setNames(nm = shared), function(name) {
        slots <- columns_by_slot(name, plan$members)
        found <- member_values(on$file$amounts, slots, own)
        found$parts <- parts_of_records(own$home[found$records])
        found
      }
    ),
    n = length(own$home), before = 0L, home = own$home,
    bins = list2env(of_home(on$file$bins, own)),
    scores = list2env(of_home(on$file$scores, own))
  )
  amount_ground(
    file, made$codes, lapply(columns, `[[`, "names"),
    member_block(on$block, columns, made$codes, nrow(on$set)),
    of_home(on$bins, made), of_home(on$scores, made), made$home
  )
}

#' What pooled tables tell of members, as a block's tables of its records
#' @param set (integer matrix) Codes of the members of a set of so many `homes`.
#' @return (list) See release_plan().
#' @noRd
member_block <- function(block, columns, set, homes) {
  levels <- lengths(lapply(columns, `[[`, "names"))
  each <- block$n / homes
  size <- block$size_noise
  if (!is.null(size)) size$deviation <- size$deviation * nrow(set) / homes
  list(
    n = each * nrow(set), levels = unname(levels),
    tables = lapply(block$pooled, function(one) {
      match(one$names, names(columns))
    }),
    noise = block$pooled_noise[c("order", "variance")],
    residuals = uncut_residuals(block),
    margins = lapply(seq_along(levels), function(j) {
      each * tabulate(set[, j], levels[j])
    }),
    ordered = unname(lapply(columns, `[[`, "order")), size_noise = size
  )
}

#' How many records a part of a shared amount has: each counts its share
#' @noRd
shared_sizes <- function(amount, plan, block, set) {
  columns <- placed_columns(plan$members, plan$levels)
  made <- members_as_records(set, columns, plan$members)
  rows <- valued_rows(amount, made$codes)
  part <- part_number(amount, made$codes, rows)
  sums_by_code(shares_of(made$home[rows]), part, length(amount$part)) *
    block$n / nrow(set)
}

#' @param set (integer matrix) Codes of a synthetic set.
#' @noRd
release_amounts <- function(plan, spending, block, set, seed) {
  # In memory it is made once of all records, else anew in every pass
  of_file <- function(make) {
    if (!is.function(on$file)) {
      return(make(on$file))
    }
    file <- on$file
    function(f) file(function(chunk) f(make(chunk)))
  }
  budget <- spending$amounts
  models <- lapply(amount_models(plan, names(budget$each)), function(amount) {
    # How many records each part with values has, as released
    at <- match(amount$name, names(plan$levels))
    amount$sizes <- if (is_of_members(amount)) {
      shared_sizes(amount, plan, block, set)
    } else if (is.na(at)) {
      block$n
    } else {
      block$margins[[at]][amount$part]
    }
    amount
  })
  sizes <- vapply(models, function(amount) sum(amount$sizes), 0)
  weights <- amount_weights(sizes, block$n)
  linked <- any(lengths(lapply(models, `[[`, "earlier")) > 0)
  bins <- bins_of_earlier(block$n, budget$mu, length(models))
  on <- amount_ground(plan_records(plan), set, plan$levels, block)
  released <- list()
  for (name in names(models)) {
    give_back_memory(block$n)
    # Each amount is one more predictor of those after it
    tell_long_step(sprintf(
      "Measuring %s (%d of %d)", name, length(released) + 1, length(models)
    ), max(
      block$n * ncol(plan$codes), amount_as_cells * length(models)
    ))
    if (is_of_members(models[[name]]) && is.null(on$home)) {
      on <- member_ground(on, plan)
    }
    values_of <- function(chunk) {
      to_modelled(models[[name]], chunk$amounts[[name]]$values)
    }
    what <- what_of_amounts(names(models))
    own_budget <- budget$each[[name]]
    each <- amount_budget(
      budget$mu * sqrt(weights[[name]]), budget$neighbours, own_budget$sigma,
      own_budget$links, own_budget$look
    )
    n <- max(1, sizes[[name]])
    levels <- predictor_levels(
      models[[name]], on$levels, vapply(on$bins, nlevels, 1L)
    )
    mu <- each$tables$tables$amount
    tables <- if (bears_tables(n, levels, mu, least_deviations)) {
      told <- table_bins_told * (n * mu)^0.25
      clamp(round(told), table_bins / 2, table_bins)
    }
    way <- if (is.null(tables)) "plain" else "tables"
    own_budget$budget <- each[[way]]
    own_seed <- stage_seed(seed, name)
    # The same amount of the member, or wave, before
    before <- if (!is.null(plan$members)) {
      variable <- variables_of_columns(c(name, names(released)), plan$members)
      utils::tail(released[variable[-1] %in% stats::na.omit(variable[1])], 1)
    }
    if (length(before) > 0) models[[name]]$before <- before[[1]]$counts
    amount <- release_margin(
      models[[name]], of_file(function(chunk) {
        list(y = values_of(chunk), parts = chunk$amounts[[name]]$parts)
      }),
      own_budget$budget, n, what, own_seed,
      if (is_of_members(models[[name]])) function(amount) {
        own <- on$file$amounts[[name]]
        home <- on$file$home[own$records]
        released_together(
          amount, list(home = home, y = to_modelled(amount, own$values)),
          own_budget$budget$links, what, stage_seed(own_seed, "links")
        )
      } else if (linked) function(amount) {
        earlier <- amount$earlier
        released_links(
          amount, of_file(function(chunk) {
            list(links = whole_links(
              margin_scores(amount, values_of(chunk)), lapply(
                mget(earlier, chunk$scores), `[`, chunk$amounts[[name]]$records
              )
            ))
          }), records_with_both(amount, models[earlier], on$set, block$n),
          released, own_budget$budget$links, what, stage_seed(own_seed, "links")
        )
      }
    )
    before <- as.character(names(released))
    records <- of_file(function(chunk) {
      strong <- as.character(amount$links$strong)
      list(predictors = amount_predictors(
        amount, chunk$codes, chunk$amounts[[name]]$records,
        mget(before, chunk$bins), mget(strong, chunk$scores), on$levels,
        chunk$home
      )$codes, y = values_of(chunk), parts = chunk$amounts[[name]]$parts)
    })
    shown <- on$set
    rows <- valued_rows(amount, shown)
    # A set without a value needs one record that the geometry is made of
    if (length(rows) == 0) {
      rows <- 1L
      shown[1, name] <- amount$part[1]
    }
    like <- amount_predictors(
      amount, shown, rows, on$bins, on$scores, on$levels, on$home
    )
    # Tables of other columns say little of an amount's sums
    among <- c(like$columns, match(name, colnames(on$set)))
    told <- Filter(function(table) all(table$columns %in% among), on$unknown)
    one <- release_amount(
      amount, list(what = what, records = records), like, own_budget,
      tables, n, own_seed,
      lapply(like$columns, function(j) if (!is.na(j)) on$axes[[j]]),
      function(b) hidden_variance(b, like$columns, on$unseen, on$set),
      function(kept, pulls) {
        pulls$by <- pulls$by * length(rows) / length(kept)
        if (!is.null(like$share)) pulls$by <- pulls$by * like$share[kept]
        unknown_sums(on$block, told, on$set, rows[kept], pulls)
      }
    )
    one$bins <- quantile_breaks(
      one, one$counts, if (is.null(tables)) plain_bins else bins
    )
    one$bin_levels <- bins + 1L
    draw <- function(one) {
      draw_amount(
        one, like$codes, part_number(one, shown, rows),
        seed_words(stage_seed(seed, "geometry", 2), name), 1,
        left = like$left, home = on$home[rows]
      )
    }
    if (is_of_members(one)) {
      one$together$errors <- errors_together(
        one, on$home[rows], block$n / nrow(set), draw
      )
    }
    released[[name]] <- one
    rm(records)
    # No amount comes after it
    if (length(released) == length(models)) break
    give_back_memory(block$n)
    drawn <- draw(one)
    on$file <- with_earlier(on$file, name, one, of_file(function(chunk) {
      list(
        n = chunk$n, records = chunk$amounts[[name]]$records,
        y = values_of(chunk)
      )
    }))
    on$bins[[name]] <- with_bins(nrow(on$set), rows, drawn, one)
    if (is.null(one$ranks)) next
    # `NA` for those without a value
    on$scores[[name]] <- rep(NA_real_, nrow(on$set))
    on$scores[[name]][rows] <- margin_scores(one, drawn)
  }
  rm(on)
  give_back_memory(block$n)
  released
}

#' Records with what later amounts take of an amount: its bins and scores
#'
#' @param file See plan_records().
#' @param one (list) The amount, as released.
#' @param records `n` of a chunk, and of those with a value `records` and `y`,
#'   see over_chunks().
#' @return As `file`.
#' @noRd
with_earlier <- function(file, name, one, records) {
  made <- function(own) {
    bins <- with_bins(own$n, own$records, own$y, one)
    if (is.null(one$ranks)) {
      return(list(bins = bins))
    }
    # `NA` for those without a value
    scores <- rep(NA_real_, own$n)
    scores[own$records] <- margin_scores(one, own$y)
    list(bins = bins, scores = scores)
  }
  if (is.function(file)) {
    return(with_stored(file, name, one$bin_levels, function(f) {
      records(function(own) f(made(own)))
    }))
  }
  own <- made(records)
  assign(name, own$bins, file$bins)
  if (!is.null(own$scores)) assign(name, own$scores, file$scores)
  file
}

#' The same of records in chunks: it is stored, as they are
#' @param levels (count) Of the bins.
#' @param made (function) Gives of each chunk `bins` and `scores`.
#' @noRd
with_stored <- function(file, name, levels, made) {
  force(file)
  force(name)
  force(levels)
  store <- new_store(c(bins = 1, scores = 8))
  made(function(own) {
    store_numbers(store, "bins", as.integer(own$bins))
    if (!is.null(own$scores)) store_numbers(store, "scores", own$scores)
  })
  function(f) {
    file(function(chunk) {
      chunk_column(chunk, "bins", name, function(chunk, name) {
        structure(
          stored_numbers(store, "bins", chunk$before, chunk$n),
          levels = as.character(seq_len(levels)), class = "factor"
        )
      })
      chunk_column(chunk, "scores", name, function(chunk, name) {
        stored_numbers(store, "scores", chunk$before, chunk$n)
      })
      f(chunk)
    })
  }
}

#' How many records have a value of two amounts, as released
#' @param set (integer matrix) Codes of a synthetic set.
#' @noRd
records_with_both <- function(amount, earlier, set, n) {
  there <- seq_len(nrow(set)) %in% valued_rows(amount, set)
  vapply(earlier, function(other) {
    # Products of two counts are no integers of R
    as.double(n) * sum(there[valued_rows(other, set)]) / nrow(set)
  }, 0)
}

#' Bins of a column for all records: the first for those without a value
#' @param amount (list) With its `bins` and `bin_levels`, see release_amounts().
#' @return (factor)
#' @noRd
with_bins <- function(n, records, y, amount) {
  bins <- rep(1L, n)
  bins[records] <- findInterval(y, amount$bins) + 2L
  levels <- seq_len(levels_in_bins(amount))
  structure(bins, levels = as.character(levels), class = "factor")
}

#' Predictors of an amount: the block, its own part, earlier amounts
#' @param codes (integer matrix) Of all records.
#' @param rows (integer) Records with values.
#' @param bins (named list of factor) Of earlier amounts, of all records.
#' @param scores (named list of double) The same: see margin_scores().
#' @param home (integer or `NULL`) Of each record, where they are members.
#' @return (list) `codes` (integer matrix, a row for each of `rows`), `levels`,
#'   `columns` (integer: which column of `codes` each is, `NA` where it is none,
#'   or a part of one), `lined` (see level_lines()), `left` (see
#'   expected_places_of()) where the last one is what earlier amounts say, and
#'   `share` where records are members.
#' @noRd
amount_predictors <- function(amount, codes, rows, bins, scores, levels,
                              home = NULL) {
  if (!is.null(home)) codes <- with_sharing(codes, home, rows)
  sizes <- predictor_levels(amount, levels, vapply(bins, nlevels, 1L))
  told <- which(sizes > 1)
  expected <- !is.null(amount$links$spread)
  block <- told <= ncol(codes)
  own <- block & names(told) == amount$name
  found <- picked_codes_(
    codes, told[block], rows, length(told), default_threads()
  )
  dimnames(found) <- list(NULL, names(told))
  if (any(own)) found[, own] <- match(found[, own], amount$part)
  for (j in which(!block)) {
    found[, j] <- as.integer(bins[[names(told)[j]]])[rows]
  }
  like <- list(
    codes = found, levels = unname(sizes[told]),
    columns = unname(ifelse(block & !own, told, NA)),
    # Of amounts whose scores say more tables have bins, and no coefficients
    lined = unname(block | !names(told) %in% amount$links$strong)
  )
  if (!is.null(home)) like$share <- shares_of(home[rows])
  if (!expected) {
    return(like)
  }
  found <- expected_places_of(
    amount$links, lapply(scores[amount$links$strong], `[`, rows)
  )
  like$codes <- cbind(like$codes, matrix(
    found$place, dimnames = list(NULL, expected_name)
  ))
  like$left <- found$left
  like$levels <- c(like$levels, expected_places)
  like$columns <- c(like$columns, NA)
  like$lined <- c(like$lined, FALSE)
  like
}

# What earlier amounts say, as a predictor
expected_name <- "earlier amounts"

#' Which records of a set have values of an amount
#' @noRd
valued_rows <- function(amount, set) {
  if (!amount$name %in% colnames(set)) {
    return(seq_len(nrow(set)))
  }
  which(set[, amount$name] %in% amount$part)
}

# What noise hides of sums -----------------------------------------------------

# What noise in the block's tables hides of an amount's expected sums: these are
# taken over a synthetic set, while the noisy sums are over the file.

#' How much a table's noise leaves unknown
#'
#' The variance of the file's table given the noisy one, along its columns'
#' axes: see told_of(). A margin has no prior.
#' @param block (list) See release_plan().
#' @param axes (list) See block_axes().
#' @return (list of list) For the number of records, and each margin and pair,
#'   `columns`, `axes` (see level_axes()) and `variance` (in counts, along each
#'   product of axes).
#' @noRd
unknown_tables <- function(block, axes = block_axes(block)) {
  pairs <- block_pairs(block)
  of <- function(columns, variance) {
    list(columns = columns, axes = axes[columns], variance = variance)
  }
  c(
    list(of(integer(), size_variance(block))),
    lapply(which(block$noise$order == 1), function(t) {
      column <- block$tables[[t]]
      of(column, rep(block$noise$variance[t], block$levels[column] - 1))
    }),
    lapply(pairs, function(pair) {
      of(pair$columns, told_of(
        pair$residual, axes[pair$columns], pair$variance
      )$variance)
    })
  )
}

#' The covariance of what a set's expected sums miss of the file's
#'
#' Expected sums are sums over records x of N(x) G(x), with N(x) the number of
#' such records and G(x) what one is expected to add: 0 without a value. The
#' file's N(x) is not known, but tables of it are, up to errors e(a, b) of their
#' centred cells. A set is fitted to these tables. To first order an error
#' changes the number of records in proportion: by N(x) e(a, b) / N(a, b), with
#' a and b the levels of x. So sums are off by the sum over cells of e(a, b)
#' M(a, b), where M(a, b) is the mean of G over records of the cell. Errors of
#' different tables are independent, and those of a table are centred: only M,
#' centred, counts.
#'
#' The noise of the number of records changes all N(x) in proportion: it is a
#' table of one cell.
#'
#' G is worked out for the lines that records' vectors are sums of, which are
#' few for each record, and then turned into vectors.
#' @param block (list) See release_plan().
#' @param unknown (list) See unknown_tables().
#' @param set (integer matrix) Codes of all its records.
#' @param rows (integer) Its records that `pulls` is for.
#' @param pulls (list) G, see expected_pulls().
#' @return (matrix)
#' @noRd
unknown_sums <- function(block, unknown, set, rows, pulls) {
  columns <- vapply(pulls$turn, ncol, 0L)
  n <- length(rows)
  steps <- seq_along(columns)
  of_step <- rep(steps, columns)
  size <- nrow(pulls$turn[[1]])
  if (n < sum(columns)) {
    # Sums of few records are worked out record by record
    turn <- do.call(cbind, lapply(steps, function(k) {
      lines <- seq_len(ncol(pulls$lines))
      pulls$by[, k] * Reduce(`+`, lapply(lines, function(j) {
        pulls$turn[[k]][pulls$lines[, j], , drop = FALSE]
      }))
    }))
    pulls <- list(lines = matrix(seq_len(n)), by = matrix(1, n, 1))
    size <- n
  } else {
    # The lines of each step, which are no other's
    turn <- matrix(0, size * length(steps), sum(columns))
    for (k in steps) {
      turn[(k - 1) * size + seq_len(size), of_step == k] <- pulls$turn[[k]]
    }
  }
  missed <- missed_sums_(
    set, block$levels, unknown, rows, pulls$lines, size, pulls$by,
    default_threads()
  )
  missed <- column_products_(missed, turn, default_threads())
  column_products_(missed, turn, default_threads())
}

# What a set hides of pairs ----------------------------------------------------

# What a synthetic set hides of the file's pairs. Targets of pairs are shrunk,
# since most of a small interaction is noise. Of many pairs together the noise
# cancels: how much a sum over columns varies in the file is known well, and a
# set shows less of it. Post-processing of released numbers.

#' What noisy pairs have beside a set's, as shares of all records
#' @param block (list) See release_plan().
#' @param set (integer matrix) Codes.
#' @return (list of list) `columns`, `cells` (matrix, sums of rows and columns
#'   0) and `variance` (of the noise in a cell).
#' @noRd
unseen_pairs <- function(block, set) {
  pairs <- which(block$noise$order == 2)
  counts <- table_counts_(
    set, block$levels, block$tables[pairs], default_threads()
  )
  Map(function(t, counts) {
    columns <- block$tables[[t]]
    own <- block$levels[columns]
    shown <- centred_table(counts / nrow(set), own)
    list(
      columns = columns,
      cells = matrix(block$residuals[[t]] / block$n - shown, own[1]),
      variance = block$noise$variance[t] / block$n^2
    )
  }, pairs, counts)
}

#' How much more a sum over columns varies in the file than in a set
#'
#' As a share of its variance in the set. The noise of the difference is known:
#' the smaller the difference beside it, the less of it is believed.
#' @param b (list of double) What each level of each predictor adds.
#' @param columns (integer) Which column of the set each is; `NA`: none, or a
#'   part of one, which among records with values is another one.
#' @return (number) At least -0.5.
#' @noRd
hidden_variance <- function(b, columns, unseen, set) {
  kept <- which(!is.na(columns))
  at <- columns[kept]
  centred <- lapply(b[kept], function(b) b - mean(b))
  line <- numeric(nrow(set))
  for (k in seq_along(kept)) line <- line + b[[kept[k]]][set[, at[k]]]
  more <- noise <- 0
  among <- Filter(function(pair) all(pair$columns %in% at), unseen)
  for (pair in among) {
    k <- match(pair$columns, at)
    one <- centred[[k[1]]]
    other <- centred[[k[2]]]
    more <- more + 2 * drop(one %*% pair$cells %*% other)
    noise <- noise + 4 * pair$variance * sum(one^2) * sum(other^2)
  }
  shown <- mean((line - mean(line))^2)
  if (shown == 0 || more == 0) {
    return(0)
  }
  max(-0.5, more * more^2 / (more^2 + noise) / shown)
}
