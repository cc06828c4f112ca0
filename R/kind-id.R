# What names records or units. It is left out of every release.

kind_id <- function() {
  new_column_kind(
    "id", "records", released = FALSE,
    storage = function(spec) "integer",
    check = function(row, spec) {
      refuse_if(
        is_stated(row$records) && row$records < 1,
        "{.field records} of {.val {spec$column}} must be at least 1.",
        arg = "x"
      )
    },
    stated = function(spec) {
      if (is.na(spec$records)) {
        "left out"
      } else {
        paste("left out, at most", counted(spec$records, "record"), "each")
      }
    }
  )
}
