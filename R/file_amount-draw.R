# Values of an amount for the records of a synthetic set: ranks of the model's
# values get the margin, then records swap their values until the tables and the
# scores of the set are those that were released.

#' @param amount (list) See release_amount(), or amount_of_scores().
#' @param set (integer matrix) Predictors of the set's records with values.
#' @param part (integer) Rows of `amount$parts` of these. Those that have values
#'   in the same bins get them from one margin, and may swap them.
#' @param words (two words) See seed_words().
#' @param stream (count) Of random numbers.
#' @param room (list or `NULL`) `low` and `high` that rules leave of each value.
#' @param swaps (list) See swapping. `NULL`: none.
#' @param left (double or `NULL`) See expected_places_of().
#' @param home (integer or `NULL`) Of each record, where they are members.
#' @return (double) Values on the modelled scale.
#' @noRd
draw_amount <- function(amount, set, part, words, stream, room = NULL,
                        swaps = swaps_of(amount, nrow(set)), left = NULL,
                        home = NULL) {
  n <- nrow(set)
  if (n == 0) {
    return(double())
  }
  amount <- with_told_errors(amount)
  p <- uniforms_(n, words, 2 * stream)
  rho <- amount$together$errors %||% 0
  if (rho != 0) p <- uniforms_together(p, record_before(home), rho)
  line <- amount_line(amount, set)
  error <- latent_quantile(amount$family, p)
  # Errors of one size, but where some records have fewer earlier values
  own <- if (is.null(left)) 1 else relative_spread(left)
  error <- error * own
  scale <- if (!is.null(left)) {
    linked_scale(amount, line, error, amount$curve[set[, ncol(set)]], left)
  } else if (is.null(amount$among)) {
    margin_scale(amount, amount$counts, line, error)
  } else {
    spread_of_errors(amount, line)
  }
  groups <- part_groups(amount)
  group <- groups$group[part]
  margins <- group_margins(amount, group, groups$open, line)
  y <- numeric(n)
  for (g in unique(group)) {
    at <- which(group == g)
    y[at] <- placed_values(
      amount, line[at], error[at], scale, p[at], margins[[g]],
      if (!is.null(room)) lapply(room, `[`, at)
    )
  }
  if (n > 1 && length(amount$levels) > 0 && !is.null(swaps)) {
    # With the same chances in all sets their values would go together
    seed <- floor(uniforms_(2, words, 2 * stream + 1) * 2^32)
    targets <- amount_targets(amount, set, left, line)
    expected <- swaps$mean(amount, y, line, targets$breaks)
    if (!is.null(amount$among)) targets <- joined_bins(targets, n)
    y <- swapped_values(
      amount, y, line, list(codes = set, coding = amount), targets, seed, swaps,
      expected, group, room,
      if (!is.null(left)) {
        normal_hold(y, line, line + scale * error, scale * own)
      } else if (rho != 0) {
        # Held near the errors that go together, the closer the more they do
        kept <- sqrt(abs(rho))
        normal_hold(
          y, line + kept * scale * error, line + scale * error,
          rep_len(scale * sqrt(1 - abs(rho)), n)
        )
      }
    )
  }
  y
}

#' What holds values near their linear predictors while they are swapped
#'
#' Tables have bins. Of an amount that another one nearly tells, swaps within
#' these would undo most: values have their latent ones, by rank, and change
#' places under the law of normal errors.
#' @param latent (double, n) In any order.
#' @param spread (double, n) Of each record's error.
#' @return (list) `latent`, `pull` and `hold`, see swapped_values().
#' @noRd
normal_hold <- function(y, line, latent, spread) {
  latent[order(y)] <- sort(latent)
  middle <- mean(line)
  list(
    latent = latent - middle, pull = (line - middle) / spread^2,
    hold = 1 / spread^2
  )
}

#' Values of a margin in the order of the model's, within their room
#' @noRd
placed_values <- function(amount, line, error, scale, p, counts, room) {
  latent <- line + scale * error
  if (!is.null(room)) {
    latent <- latent_within(amount, latent, line, scale, p, counts, room)
  }
  y <- whole_bins(amount, if (is.null(amount$among)) {
    quantile_of_rank(counts, latent, p)
  } else {
    histogram_quantile(
      counts, share_below(amount$family, latent, amount$among, scale)
    )
  })
  if (is.null(room)) y else given_room(y, room)
}

#' What the tables of a set should be: what the model expects, and what the
#' released tables have beside it
#' @return (list) `breaks` and `tables`, see swapped_values().
#' @noRd
amount_targets <- function(amount, set, left = NULL,
                           line = amount_line(amount, set)) {
  n <- nrow(set)
  breaks <- amount$tables$breaks %||%
    quantile_breaks(amount, amount$counts, table_bins / 2)
  tables <- expected_bins(amount, set, breaks, n, left = left, line = line)
  for (t in seq_along(amount$tables$columns)) {
    j <- amount$tables$columns[t]
    tables[[j]] <- tables[[j]] + excess_of_set(amount, set[, j], t)
  }
  list(breaks = breaks, tables = tables)
}

# Records of a part of a file in a cell of a table that says what is expected,
# at least: with fewer, swaps would spread counts evenly, and weaken relations
records_in_cell <- 25

#' Targets whose bins are joined until cells have records enough
#' @noRd
joined_bins <- function(targets, n) {
  inner <- seq_along(targets$breaks)
  bins <- length(inner) + 1
  cells <- mean(lengths(targets$tables))
  kept <- inner[inner %% ceiling(cells * records_in_cell / n) == 0]
  to <- findInterval(seq_len(bins) - 1, kept)
  list(
    breaks = targets$breaks[kept], tables = lapply(targets$tables, function(x) {
      as.vector(t(rowsum(t(matrix(x, ncol = bins)), to)))
    })
  )
}

#' What a table has beside the model, for as many records as a set has
#'
#' Where predictors are published, of each level.
#' @param codes (integer, n) Levels of the table's column.
#' @noRd
excess_of_set <- function(amount, codes, t) {
  excess <- amount$tables$excess[[t]]
  if (is.null(amount$tables$records)) {
    return(excess * length(codes) / amount$n)
  }
  # The last level is what the file had not
  records <- tabulate(codes, nrow(excess) + 1L)
  as.vector(rbind(excess, 0) * records)
}

# Room that rules leave --------------------------------------------------------

# An amount's values where rules leave them less room than their parts: drawn
# from what the room leaves of their law.

# Rounds in which room and margin come closer, and the records that they are
# found from. Where most records have little room more rounds drift away.
room_rounds <- c(rounds = 5, records = 20000)

#' Latent values within their room, once ranks are mapped to the margin
#'
#' Where a value's room ends on the latent scale depends on how ranks are
#' mapped, and ranks on the room: both are found in turns, with the same random
#' numbers. Each record is drawn from its law, cut off at its room's ends.
#' @param latent,line (double, n) Without room, and what they vary about.
#' @param scale (number) Of their errors.
#' @param p (double, n) Uniform.
#' @param room (list) `low` and `high`, n each, on the modelled scale.
#' @return (double, n)
#' @noRd
latent_within <- function(amount, latent, line, scale, p, counts, room) {
  some <- spaced_rows(length(latent), room_rounds[["records"]])
  values <- whole_bins(amount, histogram_quantile(
    counts, (seq_along(some) - 0.5) / length(some)
  ))
  now <- latent[some]
  for (round in seq_len(room_rounds[["rounds"]])) {
    places <- list(values = values, latent = sort(now))
    now <- cut_latent(
      amount$family, line[some], scale, p[some], places,
      lapply(room, `[`, some)
    )
  }
  cut_latent(amount$family, line, scale, p, places, room)
}

#' The same values within the room of their records, as far as that can be
#'
#' Those that wish for more get more. Where some have a lower end and others an
#' upper one, upper ends come first; swaps bring the others within theirs.
#' @param y (double, n) What records wish for.
#' @noRd
given_room <- function(y, room) {
  if (any(y > room$high)) {
    y <- sort(y)[values_below_(sort(y), y, room$high)]
  } else if (any(y < room$low)) {
    y <- -sort(-y)[values_below_(sort(-y), -y, -room$low)]
  }
  y
}

#' Draws of a latent law that is cut off at the ends of a room
#' @param places (list) `values`, and the `latent` values that are mapped to
#'   them, both sorted.
#' @noRd
cut_latent <- function(family, line, scale, p, places, room) {
  latent <- c(-Inf, places$latent, Inf)
  # Between the last place within the room and the first beyond it
  within <- findInterval(room$high, places$values)
  high <- between_places(latent, within)
  within <- findInterval(room$low, places$values, left.open = TRUE)
  low <- between_places(latent, within)
  high[room$high == Inf] <- Inf
  low[room$low == -Inf] <- -Inf
  below <- latent_share(family, (low - line) / scale)
  above <- latent_share(family, (high - line) / scale)
  share <- clamp(below + p * (above - below), 1e-15, 1 - 1e-15)
  clamp(line + scale * latent_quantile(family, share), low, high)
}

#' Half way from the k-th place to the next; an end where there is none
#' @noRd
between_places <- function(latent, k) {
  before <- latent[k + 1]
  after <- latent[k + 2]
  ifelse(is.finite(before) & is.finite(after), (before + after) / 2,
    ifelse(is.finite(before), before, after)
  )
}
