# Shares of a whole: numbers from 0 to 1. A draft leaves them amounts, since
# records do not tell that no value can lie above 1.

kind_rate <- function() {
  value_kind(
    "rate", c(value_fields, "digits"),
    storages = character(), storage = function(spec) "double",
    transforms = "identity", averaged = TRUE, rounds = TRUE,
    defaults = function(row, kind) {
      c(value_defaults(row, kind), list(lower = "0", upper = "1"))
    },
    own_check = function(row, spec) {
      refuse_if(
        spec$lower < 0 || spec$upper > 1,
        "{.field lower} and {.field upper} of the rate {.val {spec$column}} must
        lie from 0 to 1.", i = "Give percentages as an {.val amount}.",
        arg = "x"
      )
    },
    unit = decimal_unit
  )
}
