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
