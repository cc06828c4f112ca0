#' One of several levels
#'
#' The response has K unordered levels, and level k has a probability
#' proportional to exp(x'b_k), with b_1 = 0: multinomial logistic regression.
#' For [score_release()], which needs sums over records alone; no chain samples
#' its posterior, so that no other verb takes it.
#'
#' The response is a factor or a character. Its levels are public and are stated
#' as `response = public_response(levels = )`; without that no label is strict.
#' The first is the baseline: the coefficient `master:ageyoung` is that of
#' `ageyoung` in the log of the odds of `master` against it. The stated standard
#' deviation of the prior is that of every such coefficient; the prior is the
#' same whichever level is the baseline.
#'
#' @return A `synth_family` for [score_release()]. It holds public words only.
#' @section Error types: [score_release()] signals `pseudosynth_error_input` for
#'   a response of another type, with fewer than two levels, or with values that
#'   are not among the stated levels, and for a transformed left side; all other
#'   verbs for the family.
#' @seealso [bernoulli()] for two values, which every verb takes.
#' @examples
#' categorical()
#' ce <- ce_income[1:1000, ]
#' release <- score_release(education ~ age + earner, ce, categorical(),
#'   epsilon = 2, response = public_response(levels = levels(ce$education))
#' )
#' table(synthesize(release, newdata = ce)[[1]]$education)
#' @export
categorical <- function() {
  new_synth_family(
    "categorical", "categorical",
    "probabilities proportional to exp(x'b_k) of its levels",
    extras = character(), kind = "categorical"
  )
}

is_categorical <- function(family) {
  identical(family$likelihood, "categorical")
}

#' Refuse a family that only a score release takes
#' @noRd
check_sampled_family <- function(family, call) {
  if (is_categorical(family)) {
    abort_input(
      c(
        "{.fn categorical} is for {.fn score_release}.",
        i = "For two values take {.fn bernoulli}."
      ),
      arg = "family", call = call
    )
  }
}
