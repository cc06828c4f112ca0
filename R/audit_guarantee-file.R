# The audit of a file release: how far one record moves every noisy number, from
# the vectors that the release itself adds up.

#' @rdname audit_guarantee
#' @param rows (count) For a [file_release()]: how many arbitrary records to try
#'   in addition to those of the file. They come from the codebook's whole
#'   domain. Default 1e5.
#' @param replays (count) For a [file_release()]: the number of neighbouring
#'   files on which to run the release again, with the same random numbers.
#'   Default 20. With 0, only the exact calculation is made.
#' @export
audit_guarantee.file_release <- function(x, data, rows = 1e5, replays = 20,
                                         seed = NULL, ...) {
  check_no_dots(..., hint = "See {.fn audit_guarantee}.")
  check_sealed(x)
  rows <- check_count(rows, min = 2)
  replays <- check_count(replays)
  check_argument(seed)
  data <- plan_of_release(x, data)
  file <- file_records(data)
  words <- seed_words(seed, "audit")
  n <- nrow(file$codes)
  far <- arbitrary_records(data, rows, words)
  # The published part of a record stays as it is
  kept <- random_records(n, rows, words, 0)
  far <- with_published(far, file, kept, data)
  measurements <- file_measurements(x)
  own <- measured_records(x, file)
  others <- measured_records(x, far)
  dropped <- max(
    moves_of_all(measurements, own), moves_of_all(measurements, others)
  )
  # Each arbitrary record in place of the one whose published part it has, and
  # where nothing is published of another arbitrary one
  replaced <- moves_of_all(measurements, rows_measured(own, kept), others)
  if (length(x$published) == 0) {
    shifted <- rows_measured(others, c(seq_len(rows)[-1], 1L))
    replaced <- c(replaced, moves_of_all(measurements, shifted, others))
  }
  unit <- x$unit$records %||% 1
  total <- total_charges(x$charges, x$delta)
  runs <- replay_release(x, data, replays, seed)
  new_result(
    "score_audit",
    worst = data.frame(
      neighbours = relation_names,
      claimed = unname(sqrt(2 * total$rho)[relation_names]),
      exact = unit * sqrt(c(dropped, max(replaced))), found = NA_real_
    ),
    curve = NULL, unit = "mu", replicates = 0, level = NA_real_,
    release = "file release", of = "file", n_records = n, replays = runs,
    how = c(
      sprintf(
        "Exact: computed from the noise and from the vectors that the release
         adds up, for all records of the file and %s arbitrary records.%s",
        format_count(rows), if (unit > 1) {
          " All records of a unit are assumed to be as far out as the farthest."
        } else {
          ""
        }
      ),
      text_of_replays(runs)
    )
  )
}
