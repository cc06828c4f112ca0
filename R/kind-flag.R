# No or yes: FALSE or TRUE, 0 or 1.

kind_flag <- function() {
  level_kind(
    "logical", c("storage", "missing"), response = "binary",
    storages = c("logical", "integer", "double"),
    check = function(row, spec) NULL,
    holds = function(spec, storage) TRUE,
    stated = function(spec) "FALSE or TRUE",
    fits = function(x, spec) is.logical(x) || is_plain_number(x),
    levels = function(spec) {
      c("FALSE", "TRUE", if (spec$missing) "missing")
    },
    values = function(spec) 0:1,
    find = function(x, values, spec) match(values, 0:1),
    rule_value = function(code, spec) c(FALSE, TRUE)[code]
  )
}
