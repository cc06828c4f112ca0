# The third job: the whole file, all columns protected.

#' Release the file as a whole, and draw a set from it
#'
#' The levels are those of the survey's questionnaire, the bounds of income a
#' public statement.
#' @return (list) `release`, `sets` and `utility` (agency only).
whole_file_job <- function(file, epsilon, seed = NULL) {
  book <- as.data.frame(draft_codebook(file))
  income <- book$column == "income"
  book[income, c("lower", "upper")] <- c("-1e6", "1e7")
  plan <- file_plan(file, confirm_codebook(codebook(book)))
  release <- file_release(plan, epsilon, seed = stage_seed(seed, "file"))
  sets <- synthesize(release, seed = stage_seed(seed, "file sets"))
  list(release = release, sets = sets, utility = utility(sets, file))
}

#' @return (named character) The files.
draw_whole_file <- function(whole, file, output) {
  figures <- list(
    margins = autoplot(whole$release),
    file_columns = autoplot(whole$sets, data = file),
    file_pairs = autoplot(whole$utility)
  )
  heights <- c(margins = 8.4, file_columns = 8.4, file_pairs = 5.6)
  vapply(names(figures), function(name) {
    path <- file.path(output, paste0(name, ".png"))
    save_png(figures[[name]], path, height = heights[[name]])
    path
  }, "")
}

#' Parts of the page
whole_file_parts <- function(whole, figures) {
  promise <- guarantee(whole$sets)
  leave <- tag(if (promise$reproducible) "stay" else "leave")
  terms <- as.data.frame(whole$release)
  list(
    file_epsilon = figure3(promise$epsilon$total[["add-remove"]]),
    file_replace = figure3(promise$epsilon$total[["replace"]]),
    file_tables = nrow(whole$release$tables),
    file_terms = nrow(terms),
    file_records = count(nrow(whole$sets[[1]])),
    file_full = printed(promise), tag_file = leave,
    file_utility = printed(whole$utility),
    figure_margins = figure(figures[["margins"]], "What was released", paste(
      "The noisy share of each level, and of bins of income. Lines: two",
      "standard deviations of the noise, which is known."
    ), leave),
    figure_file_columns = figure(
      figures[["file_columns"]], "All columns beside the file",
      "Bars are the confidential file, dots the synthetic one."
    ),
    figure_file_pairs = figure(
      figures[["file_pairs"]], "All pairs of columns", paste(
        "How far tables of two columns are from the file's. A fresh sample of",
        "as many records has 1."
      )
    )
  )
}
