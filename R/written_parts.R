# Sets in parts, which are finished one by one: what parts there are, how they
# are drawn, and what tells that parts of a killed run are of the same sets.

# Records of a part, which is what is in memory at once, at most
part_records <- 7e5

#' The parts of sets, of nearly equal size: a small last one would have tables
#' of its own
#' @return (data frame) `set`, `file` (a name without its format), `records`.
#' @noRd
set_parts <- function(m, n) {
  k <- ceiling(n / part_records)
  check_memory(200 * as.double(m) * k, "The list of files", "m")
  parts <- data.frame(
    set = rep(seq_len(m), each = k), part = rep(seq_len(k), m),
    # As dealt_rows() deals them
    records = rep(n %/% k + (seq_len(k) <= n %% k), m)
  )
  width <- function(x) nchar(max(x))
  parts$file <- sprintf(
    "set%0*d-%0*d", width(m), parts$set, width(k), parts$part
  )
  parts[c("set", "file", "records")]
}

#' Draw the parts of all sets
#'
#' No more of them are in memory than are drawn at a time. With the seed a
#' part's number decides what is drawn, so that they may come in any order.
#' @param take (function of a part and its file's name)
#' @param workers (flag) May they be drawn on workers?
#' @param kept (list) What an earlier run has left: `words`, see
#'   words_of_files(), and `records` (function of a part's file: those of a
#'   finished one, or `NULL`). Without a seed these words are the only ones that
#'   go with the finished parts.
#' @param sent (function of a part, or `NULL`) What a worker makes of it, with
#'   its `records`, and sends instead.
#' @return (data frame) See set_parts().
#' @noRd
draw_parts <- function(x, plan, take, workers = TRUE, kept = list(
                         words = words_of_files(plan$asked$seed),
                         records = function(file) NULL
                       ), sent = NULL) {
  parts <- set_parts(plan$asked$m, plan$rows$n)
  records <- as.double(plan$asked$m) * plan$rows$n
  frame <- environment()
  n <- parts$records
  if (length(x$published) > 0 && nrow(parts) > plan$asked$m) {
    k <- nrow(parts) / plan$asked$m
    dealt <- dealt_rows(x$block$fixed, plan$rows$n, k)
    x <- release_with_rows(x, unlist(dealt))
  }
  # Households are numbered through the parts of a set
  before <- stats::ave(n, parts$set, FUN = cumsum) - n
  started <- proc.time()[["elapsed"]]
  remote <- workers &&
    draws_on_workers(nrow(parts), records * length(x$schema))
  item <- function(i) {
    made <- match(i, todo) - 1
    left <- (proc.time()[["elapsed"]] - started) / made * (length(todo) - made)
    tell_long_step(paste0(
      "Part ", i, " of ", nrow(parts),
      # On workers parts begin before others end; a bar has the time
      if (made > 0 && !remote) sprintf(", about %s left", format_time(left))
    ), records, frame)
    list(number = i, n = n[i], words = kept$words, before = before[i])
  }
  done <- lapply(parts$file, kept$records)
  todo <- which(lengths(done) == 0)
  parts$records[lengths(done) > 0] <- unlist(done)
  if (length(todo) < nrow(parts)) {
    tell_of(
      "continued", "{nrow(parts) - length(todo)} of {nrow(parts)} parts were
      written before: the others follow."
    )
  }
  sends <- remote && !is.null(sent)
  draw_each(nrow(parts), if (sends) {
    drawn_to_send(file_drawer(x), sent)
  } else {
    file_drawer(x)
  }, item, remote, function(i, part) {
    # Of households: as many as they have members
    parts$records[i] <<- if (is.data.frame(part)) nrow(part) else part$records
    take(part, parts$file[i])
  }, todo)
  parts
}

#' A function of an item that draws it and makes of it what is sent
#' @noRd
drawn_to_send <- function(draw, send) {
  force(draw)
  force(send)
  function(item) {
    part <- draw(item)
    give_back_memory(nrow(part))
    send(part)
  }
}

# What a run that was killed has left ------------------------------------------

#' What parts of the same sets have in common
#' @param into (character) Names what they are written to, and how.
#' @noRd
key_of_sets <- function(into, x, plan) {
  stable_hash(list(
    own_version(), part_records, into, seal_of(x),
    plan$asked$m, plan$rows$n, given_seed(plan$asked$seed)
  ))
}

#' Are these words of words_of_files(), and nothing else that was found?
#' @noRd
are_words <- function(x) {
  identical(names(x), c("block", "amounts")) &&
    all(vapply(x, is.numeric, NA) & lengths(x) == 2) && !anyNA(unlist(x))
}
