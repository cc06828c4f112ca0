# By day chains of few clipped records make fewer sweeps for a kept draw, which
# leaves the draws of these files as good as independent.
if (!is_nightly()) {
  local_replaced("most_sweeps", 5, testthat::teardown_env())
}
