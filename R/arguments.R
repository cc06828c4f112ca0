# What an argument may be, by its name. Every verb that takes it checks it here,
# and so does a mechanism that has it as a setting: a name means one thing.
#
#   m <- check_argument(m)
#   check_argument(epsilon, null = TRUE)
#
# What one verb alone can say, such as the largest value, is said in the call,
# and takes the place of what the rule says.
# Arguments that rest on the file or on one another have a check of their own.

argument_rules <- list(
  allow_unconverged = function(x, ...) check_flag(x, ...),
  book = function(x, ...) check_class(x, "codebook", ...),
  # Beyond these the conversions between relations meet the end of doubles, and
  # near 1 a delta promises nothing
  delta = function(x, min = 1e-30, max = 0.1, ...) {
    check_number(x, min, max, ...)
  },
  epsilon = function(x, above = 0, ...) check_number(x, above = above, ...),
  first_share = function(x, ...) check_number(x, above = 0, below = 1, ...),
  k = function(x, arg) {
    auto <- identical(x, "auto")
    must <- "{.arg {arg}} must be {.val auto} or one number."
    check_that(auto || is_number(x), x, must, arg = arg)
    if (auto) x else check_number(x, above = 0, max = 1, arg = arg)
  },
  known = function(x, arg) {
    check_that(
      is.null(x) || is.character(x) && !anyNA(x), x,
      "{.arg {arg}} must be names of columns.", arg = arg
    )
    x
  },
  ledger = function(x, ...) check_class(x, "privacy_ledger", null = TRUE, ...),
  level = function(x, ...) check_number(x, above = 0, below = 1, ...),
  m = function(x, ...) check_count(x, min = 1, ...),
  map = function(x, ...) {
    check_choice(x, c("linear", "inverse", "softmax", "logistic"), ...)
  },
  max_refits = function(x, ...) check_count(x, min = 1, ...),
  n = function(x, min = 1, ...) check_count(x, min, ...),
  neighbours = function(x, ...) check_choice(x, relation_names, ...),
  plan = function(x, ...) check_class(x, "file_plan", ...),
  quantile = function(x, ...) check_number(x, above = 0, max = 1, ...),
  radius = function(x, min = 0, ...) check_number(x, min, ...),
  relative = function(x, ...) check_flag(x, ...),
  replicates = function(x, min = 1, ...) check_count(x, min, ...),
  risk_sets = function(x, ...) check_count(x, min = 1, ...),
  scale = function(x, ...) check_number(x, min = 0, ...),
  seed = function(x, ...) check_seed(x, ...),
  share = function(x, ...) check_number(x, above = 0, below = 1, ...),
  shift = function(x, ...) check_number(x, ...),
  spread = function(x, ...) check_number(x, 1e-3, 1e3, null = TRUE, ...),
  survey_weights = function(x, ...) check_string(x, null = TRUE, ...),
  table_share = function(x, ...) check_number(x, min = 0, below = 1, ...),
  threads = function(x, ...) check_count(x, min = 1, max = 1024, ...),
  tolerance = function(x, above = 0, ...) check_number(x, above = above, ...),
  top = function(x, ...) check_number(x, ...),
  window = function(x, ...) check_number(x, above = 0, null = TRUE, ...)
)

#' Check an argument by the rule of its name
#' @param ... What the verb adds to the rule, see argument_rules.
#' @return What the check gives: a plain value, invisibly.
#' @noRd
check_argument <- function(x, ..., arg = rlang::caller_arg(x)) {
  argument_rules[[arg]](x, ..., arg = arg)
}
