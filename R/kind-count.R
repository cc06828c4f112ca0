# Whole numbers from 0, or from any other: families of counts model them as they
# are.

kind_count <- function() {
  value_kind(
    "count", c(value_fields, "storage"), response = "count",
    families = c("neg_binomial", "poisson", "student_t", "gaussian"),
    family = function(transform) {
      if (transform %in% "identity") "neg_binomial" else "student_t"
    },
    averaged = TRUE, summed = TRUE,
    own_check = function(row, spec) {
      stated <- c(spec$lower, spec$upper, spec$codes, spec$heaps)
      refuse_if(
        any(stated %% 1 != 0, na.rm = TRUE),
        "Bounds, codes and heaps of the count {.val {spec$column}} must be whole
        numbers.", arg = "x"
      )
      refuse_if(
        spec$family %in% c("neg_binomial", "poisson") && spec$lower < 0,
        "{.field lower} of the count {.val {spec$column}} must be at least 0
        under {.fn {spec$family}}.",
        i = "State reserve codes, such as -1, as {.field codes}. Numbers that
             may be negative have the family {.val student_t}.", arg = "x"
      )
    },
    breaks = function(ends, n) unique(round(pretty(ends, n)))
  )
}
