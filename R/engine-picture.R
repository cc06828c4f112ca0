# A file in parts as its checks see it: how many records of each combination are
# in each class of the response. Classes are as narrow as there are records, and
# no response is among what is asked.

# Classes of the first look, along asinh over all numbers that there may be;
# about how many there are of each further one; how many are wanted that have
# records, and which share of these a class may have; how often is looked, at
# all and within those that decide. Numbers that differ by less than `same` of
# their size are one: not of the range, which one far record makes as wide as it
# likes. From 0 to `least` all are 0.
looking <- list(
  first = 256, classes = 512, wanted = 150, share = 0.01, looks = 6,
  within = 12, same = 1e-15, least = 1e-300
)

#' @param tally (function of breaks) See with_engine().
#' @return (list) `cell`, `bin`, `n` as tally() lists them; `breaks`; `split`
#'   (logical: may a class hold several values?); `kind` of the response.
#' @noRd
response_picture <- function(response, tally) {
  kind <- if (has_labels(response)) "labels" else response$kind
  if (kind == "labels") {
    breaks <- if (is.null(response$levels)) 0.5 else level_breaks(response)
    return(looked_at(breaks, kind, tally))
  }
  end <- asinh(.Machine$double.xmax / 2)
  found <- looked_at(
    sinh(seq(-end, end, length.out = looking$first - 1)), kind, tally
  )
  for (look in seq_len(looking$looks)) {
    some <- unique(found$bin)
    split <- intersect(some, which(found$split))
    n <- sums_by_code(found$n, found$bin, length(found$split))[split]
    most <- max(0, n) / sum(found$n)
    if (length(some) >= looking$wanted && most <= looking$share ||
      length(split) == 0) {
      break
    }
    pieces <- looking$classes * (n / sum(n) / 2 + 0.5 / length(split))
    ends <- found$breaks[c(some - 1, pmin(some, length(found$breaks)))]
    breaks <- c(ends, breaks_within(found, split, pieces))
    found <- looked_at(breaks, kind, tally)
  }
  found
}

looked_at <- function(breaks, kind, tally) {
  if (kind != "labels") breaks <- c(breaks, 0, looking$least)
  breaks <- sort(unique(breaks))
  # Nothing is known of how far those at the ends reach
  split <- rep(FALSE, length(breaks) + 1)
  if (kind != "labels") {
    low <- breaks[-length(breaks)]
    high <- breaks[-1]
    same <- looking$same * pmax(abs(low), abs(high))
    same[low == 0] <- looking$least
    if (kind == "count") same[] <- 1
    split[-c(1, length(split))] <- high - low > same
  }
  c(tally(breaks), list(breaks = breaks, split = split, kind = kind))
}

#' Breaks within classes
#' @param pieces (double) Of each.
#' @noRd
breaks_within <- function(picture, classes, pieces) {
  unlist(Map(function(i, pieces) {
    seq(picture$breaks[i - 1], picture$breaks[i], length.out = pieces + 1)
  }, classes, pmax(2, ceiling(pieces))))
}

#' See groups_by_column(): in classes of the response
#'
#' Of two groups that meet in a class of several values it is not known whether
#' they overlap, nor of a group in one class whether it has several responses:
#' it is taken for what tells more.
#' @param most (count) Classes that are looked into next: those of the columns
#'   of which the fewest decide. The others follow the response so far, and are
#'   taken to do so within theirs if no later look is left for them.
#' @return (list) `followed`, see groups_by_column(); `unsure` (places of the
#'   classes that decide whether a column tells the response).
#' @noRd
groups_in_picture <- function(picture, cells, columns, most = 200) {
  # The least and the greatest class of each code's records
  ends_of <- function(code, size) {
    sorted <- order(code, picture$bin)
    bin <- picture$bin[sorted]
    last <- cumsum(tabulate(code, size))
    cbind(low = bin[c(1, last[-size] + 1)], high = bin[last])
  }
  lie <- function(values) {
    size <- length(unique(values))
    place <- match(values, sort(unique(values), method = "radix"))
    ends <- ends_of(place[picture$cell], size)
    low <- ends[, "low"]
    high <- ends[, "high"]
    sorted <- order(low, high)
    after <- low[sorted][-1]
    before <- cummax(high[sorted])[-size]
    meets <- after == before
    over <- sum(after < before | meets & !picture$split[after])
    varied <- sum(low < high)
    decide <- unique(c(if (over == 0) after[meets], if (varied == 0) low))
    list(
      figures = c(
        groups = size, varied = varied, over = over,
        down = sum(low[-1] < high[-size]), up = sum(high[-1] > low[-size])
      ),
      decide = if (size > 1) decide[picture$split[decide]]
    )
  }
  all <- lie(seq_along(cells$n))
  all$figures[c("over", "down", "up")] <- 0
  # Of combinations of one record each nothing is asked, see refuse_joint()
  if (length(cells$n) > sum(cells$n) / 2) all$decide <- NULL
  found <- c(list(all), lapply(columns, function(column) lie(column$values)))
  decide <- lapply(found, `[[`, "decide")
  decide <- decide[order(lengths(decide))]
  list(
    followed = do.call(rbind, lapply(found, `[[`, "figures")),
    unsure = unique(unlist(decide[cumsum(lengths(decide)) <= most]))
  )
}

#' The same, with further looks into the classes that decide
#' @return (list) `followed` and the `picture` of the last look.
#' @noRd
followed_in_parts <- function(picture, cells, columns, tally) {
  for (look in 0:looking$within) {
    found <- groups_in_picture(picture, cells, columns)
    unsure <- found$unsure
    if (length(unsure) == 0 || look == looking$within) break
    picture <- looked_at(
      c(picture$breaks, breaks_within(
        picture, unsure, rep(looking$classes / length(unsure), length(unsure))
      )), picture$kind, tally
    )
  }
  list(followed = found$followed, picture = picture)
}

#' See response_repeats()
#' @noRd
repeats_in_picture <- function(picture) {
  times <- sums_by_code(picture$n, picture$bin, length(picture$breaks) + 1)
  met <- unique(times[times > 0])
  data.frame(times = met, n = tabulate(match(times, met), length(met)))
}

#' The ends of the classes, on the scale of the response or as it is modelled
#' @return (matrix, classes x 2)
#' @noRd
class_ends <- function(picture, response, of) {
  breaks <- picture$breaks
  if (of == "own") breaks <- own_unit(response, breaks)
  cbind(c(breaks[1], breaks), c(breaks, breaks[length(breaks)]))
}

#' Which numbers may be statistics of the response, as far as classes tell?
#' @param values (double) Positive.
#' @return (logical)
#' @noRd
near_in_picture <- function(picture, response, values, of) {
  ends <- class_ends(picture, response, of)
  n <- sums_by_code(picture$n, picture$bin, nrow(ends))
  ends <- ends[n > 0, , drop = FALSE]
  n <- n[n > 0]
  statistics <- statistics_of_classes(ends, n)
  vapply(values, function(value) {
    any(vapply(statistics, function(s) {
      slack <- 1e-6 * value
      (value >= s[1] - slack && value <= s[2] + slack) ||
        (-value >= s[1] - slack && -value <= s[2] + slack)
    }, NA))
  }, NA)
}

#' See response_statistics(): between which numbers each lies
#' @param ends (matrix) Of classes that have `n` records each.
#' @return (list of two numbers)
#' @noRd
statistics_of_classes <- function(ends, n) {
  total <- sum(n)
  quantile <- function(x, p) {
    sorted <- order(x)
    at <- 1 + (total - 1) * p
    below <- cumsum(n[sorted])
    x[sorted][findInterval(
      c(floor(at), ceiling(at)), below + 1
    ) + 1]
  }
  quantile_ends <- function(low, high, p) {
    c(min(quantile(low, p)), max(quantile(high, p)))
  }
  quartiles <- lapply(1:3 / 4, function(p) {
    quantile_ends(ends[, 1], ends[, 2], p)
  })
  mean <- colSums(ends * n) / total
  middle <- rowMeans(ends)
  half <- (ends[, 2] - ends[, 1]) / 2
  centre <- sum(middle * n) / total
  sd <- sqrt(sum(n * (middle - centre)^2) / (total - 1)) +
    c(-1, 1) * sqrt(sum(n * half^2) / (total - 1))
  median <- quartiles[[2]]
  away <- abs(middle - mean(median))
  reach <- half + diff(median) / 2
  mad <- 1.4826 * quantile_ends(pmax(0, away - reach), away + reach, 0.5)
  iqr <- c(
    quartiles[[3]][1] - quartiles[[1]][2], quartiles[[3]][2] - quartiles[[1]][1]
  )
  spread <- list(sd, mad, iqr / 1.349)
  linked <- function(f, least, most) {
    lapply(Filter(function(x) x[2] > least && x[1] < most, list(mean, median)),
      function(x) f(clamp(x, least, most))
    )
  }
  c(
    list(ends[1, ], ends[nrow(ends), ]), quartiles, list(mean, iqr), spread,
    lapply(spread, `*`, 2.5), linked(log, 1e-300, Inf),
    linked(stats::qlogis, 1e-300, 1 - 1e-16)
  )
}

#' See refuse_means(): as far as classes tell
#' @param values (double) The column, by combination.
#' @noRd
means_in_picture <- function(picture, response, values, long) {
  ends <- class_ends(picture, response, "own")
  value <- unique(as.double(values))
  group <- match(as.double(values), value)[picture$cell]
  size <- length(value)
  n <- sums_by_code(picture$n, group, size)
  lies <- function(low, high) {
    slack <- 1e-6 * abs(value) + half_a_digit(value)
    value >= low - slack & value <= high + slack
  }
  mean_of <- function(x) sums_by_code(picture$n * x, group, size) / n
  between <- function(x) {
    lies(mean_of(x[picture$bin, 1]), mean_of(x[picture$bin, 2]))
  }
  # Classes rise: of both middle records the first class whose count reaches it
  sorted <- order(group, picture$bin)
  below <- cumsum(picture$n[sorted])
  start <- c(0, cumsum(n))[seq_len(size)]
  class_of <- function(rank) {
    picture$bin[sorted][findInterval(start + rank, below + 1) + 1]
  }
  first <- class_of(floor((n + 1) / 2))
  second <- class_of(floor(n / 2) + 1)
  varied <- value %in% long & class_of(1) < class_of(n)
  met <- list(
    means = between(ends),
    medians = lies(
      (ends[first, 1] + ends[second, 1]) / 2,
      (ends[first, 2] + ends[second, 2]) / 2
    ),
    logs = if (response$transform == "log") {
      between(class_ends(picture, response, "modelled"))
    }
  )
  met <- Filter(Negate(is.null), met)
  c(
    varied = sum(varied),
    vapply(met, function(is) sum(varied & is), 0)
  )
}

#' Half of the last decimal that a column's values are rounded to
#' @noRd
half_a_digit <- function(value) {
  digits <- response_digits(value)
  if (is.na(digits)) 0 else 0.5 * 10^-digits * (1 + 1e-9)
}
