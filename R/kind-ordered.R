# One of stated levels, in their order.

kind_ordered <- function() {
  level_kind(
    "ordered", c("levels", "storage", "missing", "outside"),
    storages = level_storages, storage = level_storage, ordered = TRUE
  )
}
