# The package as it would be with another scheme in its list, for one test.
local_scheme <- function(scheme, envir = parent.frame()) {
  schemes <- c(
    weighting_schemes(), stats::setNames(list(scheme), scheme$name)
  )
  # Tests see a copy of the namespace
  seen <- envir
  while (!exists("weighting_schemes", seen, inherits = FALSE)) {
    seen <- parent.env(seen)
  }
  for (where in unique(list(seen, asNamespace("pseudosynth")))) {
    if (rlang::env_binding_are_locked(where, "weighting_schemes")) {
      rlang::env_binding_unlock(where, "weighting_schemes")
    }
    rlang::local_bindings(
      weighting_schemes = function() schemes, .env = where, .frame = envir
    )
  }
}
