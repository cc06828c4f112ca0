# A study of inst/studies, or what stands beside them, in a room of its own
study_room <- function(...) {
  room <- new.env()
  for (name in c(...)) {
    file <- system.file(
      "studies", paste0(name, ".R"),
      package = "pseudosynth", mustWork = TRUE
    )
    sys.source(file, room)
  }
  room
}
