# The release of what sets are drawn from without the file: score releases,
# histograms and generators leave as sets do, checked, scanned and certified.

# By class: the file's name and the word for people
releasable_objects <- list(
  score_release = c("score-release.rds", "score release"),
  perturbed_histogram = c("histogram.rds", "perturbed histogram"),
  synthesis_generator = c("generator.rds", "generator")
)

is_releasable_object <- function(x) inherits(x, names(releasable_objects))

#' @param refuse (function) Checks the label, see check_releasable().
#' @return (data frame) As release().
#' @noRd
release_object <- function(x, path, formats, data, public, refuse, call) {
  if (!identical(formats, "rds")) {
    abort_input(
      c(
        "What sets are drawn from is written for R alone.",
        x = "{.arg formats} are {.val {formats}}.",
        i = "Leave {.arg formats} out."
      ),
      arg = "formats", call = call
    )
  }
  if (inherits(data, "synthesizer")) data <- data$data
  check_data_frame(data, arg = "data", call = call)
  file <- as.data.frame(data)
  if (!identical(x$response$column, FALSE)) {
    check_file_response(x$response$variable, file, call)
  }
  refuse(nrow(file))
  check_target(path, call)

  check_level_order(x, file, public, call)

  # What a set of the file's own records would show is explained
  set <- suppressMessages(synthesize(
    x, 1,
    newdata = if (!inherits(x, "perturbed_histogram")) file
  ))
  secrets <- writing(path, call, release_secrets(file, set, public, "rds"))
  if (inherits(x, "synthesis_generator")) tell_unused_levels(set$sets[[1]])
  words <- releasable_objects[[class(x)[1]]]
  made <- write_folder(path, call, function(folder) {
    made <- writing(path, call, {
      # Not compressed: the scan reads its bytes
      saveRDS(x, file.path(folder, words[1]), compress = FALSE)
      file_table(folder, words[1])
    })
    certificates <- writing(path, call, write_certificate(
      object_certificate(x, words[2], made), x, folder
    ))
    check_none_found(folder, secrets, call)
    rbind(made, file_table(folder, certificates))
  })
  invisible(made)
}

#' Refuse levels that stand in the order of the response
#'
#' As reorder() puts them: of twenty regions that is their rank by what is
#' confidential. Sets have levels sorted, what they are drawn from has them as
#' coefficients do. Few levels stand so by chance, others by their meaning.
#' @noRd
check_level_order <- function(x, file, public, call) {
  y <- file[[x$response$variable]]
  shown <- x$design$levels
  shown <- shown[intersect(names(shown), setdiff(names(file), public))]
  told <- names(Filter(isTRUE, vapply(names(shown), function(name) {
    is.numeric(y) && !is.ordered(file[[name]]) &&
      follows_means(shown[[name]], file[[name]], as.double(y))
  }, NA)))
  if (length(told) > 0) {
    abort_privacy(
      c(
        "Levels must not stand in the order of the response.",
        x = "Those of {.val {told}} do, by its means or medians.",
        i = "Sort them before, {.code factor(as.character(x))}, or name what is
             wanted: {.code public = {quoted_names(told)}}."
      ),
      call = call, class = "pseudosynth_error_level_order"
    )
  }
}

follows_means <- function(levels, x, y) {
  levels <- intersect(levels, as.character(x))
  if (length(levels) < 6 || !is.unsorted(as_text(levels))) {
    return(FALSE)
  }
  parts <- split(y, factor(as.character(x), levels))
  any(vapply(list(mean, stats::median), function(of) {
    figures <- vapply(parts, of, 1)
    !is.unsorted(figures) || !is.unsorted(-figures)
  }, NA))
}

object_certificate <- function(x, what, files) {
  list(
    certificate = "pseudosynth release",
    made_by = list(
      package = "pseudosynth",
      version = as.character(utils::packageVersion("pseudosynth"))
    ),
    object = what, synthetic = I(x$response$variable),
    published = I(as.character(x$design$variables)),
    model = list(scale = x$response$label), guarantee = as.list(guarantee(x)),
    files = lapply(seq_len(nrow(files)), function(i) as.list(files[i, ]))
  )
}
