# A small file in the published layout: blanks but for the fields given.
sdr_file <- function(..., n = 4, frame = parent.frame()) {
  layout <- sdr_layout()
  fields <- utils::modifyList(
    list(
      REFYR = 2017, OBSNUM = sprintf("%08d", seq_len(n)),
      SALARYP = c(95000, 0, 9999998, 509000)[seq_len(n)],
      GENDER = c("F", "M", "M", "F")[seq_len(n)],
      AGEGRP = c(25, 45, 70, 70)[seq_len(n)],
      WKSWK = c(52, 1, 98, 39)[seq_len(n)],
      WTSURVY = c(10.5, 1.25, 7, 0.0625)[seq_len(n)], EDTP = "4"
    ),
    list(...)
  )
  lines <- rep(strrep(" ", max(layout$end)), n)
  for (name in names(fields)) {
    at <- layout[layout$name == name, ]
    text <- rep_len(as.character(fields[[name]]), n)
    substr(lines, at$start, at$end) <- formatC(
      text,
      width = at$end - at$start + 1
    )
  }
  file <- withr::local_tempfile(fileext = ".DAT", .local_envir = frame)
  writeLines(lines, file)
  file
}
