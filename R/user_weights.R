# Weights of unknown origin: given by hand, edited, made by an older version of
# the package or by a scheme that it does not know.

user_scheme <- function() {
  new_weighting_scheme(
    "user",
    title = "weights given by hand", short = "By hand", word = "weighted",
    dependency = function(node, inner) dependency("user"),
    # Other records keep the weights that they had
    replay = function(node, records, run, inner, call) {
      if (!is.null(records$alpha)) user_weights(records$alpha)
    },
    why_not_freezable = "A vector given by hand has no rule."
  )
}
