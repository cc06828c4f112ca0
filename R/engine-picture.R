# A file in parts as its checks see it: how many records of each combination are
# in each class of the response. Classes are as narrow as there are records, and
# no response is among what is asked.

# Classes of the first look, along asinh over all numbers that there may be;
# about how many there are of each further one, how many are wanted that have
# records, and how often is looked: where a response has few values, or lies far
# from 0, the first looks show few
looking <- list(first = 256, classes = 512, wanted = 150, looks = 6)

#' @param tally (function of breaks) See with_engine().
#' @return (list) `cell`, `bin`, `n` as tally() lists them, and `breaks`.
#' @noRd
response_picture <- function(response, tally) {
  if (has_labels(response)) {
    breaks <- if (is.null(response$levels)) 0.5 else level_breaks(response)
    return(c(tally(breaks), list(breaks = breaks)))
  }
  end <- asinh(largest_number)
  breaks <- sinh(seq(-end, end, length.out = looking$first - 1))
  for (look in seq_len(looking$looks)) {
    found <- tally(breaks)
    n <- sums_by_code(found$n, found$bin, length(breaks) + 1)
    finer <- finer_breaks(breaks, n, response$kind == "count")
    if (is.null(finer)) break
    if (look < looking$looks) breaks <- finer
  }
  c(found, list(breaks = breaks))
}

#' Breaks within the classes that have records, half of them by how many
#' @param n (double) Records of each class.
#' @param whole (flag) Are all responses whole numbers?
#' @return (double) `NULL` where enough classes have some, or none can be split.
#' @noRd
finer_breaks <- function(breaks, n, whole) {
  some <- which(n > 0)
  # Nothing is known of how far those at the ends reach
  split <- some[some > 1 & some < length(n)]
  width <- breaks[split] - breaks[split - 1]
  split <- split[width > if (whole) 1 else 1e-14 * abs(breaks[split])]
  if (length(some) >= looking$wanted || length(split) == 0) {
    return(NULL)
  }
  share <- n[split] / sum(n[split]) / 2 + 0.5 / length(split)
  inner <- Map(function(i, pieces) {
    seq(breaks[i - 1], breaks[i], length.out = pieces + 1)
  }, split, ceiling(looking$classes * share))
  ends <- c(breaks[some[some > 1] - 1], breaks[some[some < length(n)]])
  sort(unique(c(ends, unlist(inner))))
}

#' See groups_by_column(): in classes of the response
#'
#' Of two groups that meet in a class it is not known whether they overlap: they
#' do where a hundredth of the records is in it, such as those with 0.
#' @noRd
groups_in_picture <- function(picture, cells, columns) {
  often <- sums_by_code(picture$n, picture$bin, length(picture$breaks) + 1) >=
    0.01 * sum(picture$n)
  # The least and the greatest class of each code's records
  ends_of <- function(code, size) {
    sorted <- order(code, picture$bin)
    code <- code[sorted]
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
    before <- cummax(high[sorted])[-size]
    next_low <- low[sorted][-1]
    c(
      groups = size, varied = sum(low < high),
      over = sum(next_low < before | next_low == before & often[next_low]),
      down = sum(low[-1] < high[-size]), up = sum(high[-1] > low[-size])
    )
  }
  all <- lie(seq_along(cells$n))
  all[c("over", "down", "up")] <- 0
  do.call(rbind, c(list(all), lapply(columns, function(column) {
    lie(column$values)
  })))
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
