# One of stated levels, without an order.

kind_category <- function() {
  level_kind(
    "category", c("levels", "storage", "missing", "outside"),
    storages = level_storages, storage = level_storage, nominal = TRUE
  )
}
