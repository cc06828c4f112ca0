# Numbers, of so many decimals or of any.

kind_amount <- function() {
  value_kind(
    "amount", c(value_fields, "digits", "storage"),
    weighs = TRUE, averaged = TRUE, summed = TRUE, rounds = TRUE,
    defaults = function(row, kind) {
      c(
        value_defaults(row, kind),
        if (row$storage %in% "integer") list(digits = "0")
      )
    },
    storage = function(spec) {
      if (isTRUE(spec$digits <= 0)) value_storage(spec) else "double"
    },
    holds = function(spec, storage) {
      whole <- storage != "integer" || isTRUE(spec$digits <= 0)
      whole && values_hold(spec, storage)
    },
    unit = decimal_unit
  )
}
