# By day chains of few clipped records make fewer sweeps for a kept draw, which
# leaves the draws of these files as good as independent; and fewer margins are
# drawn for the statistics of a file's release and for the errors of its means.
if (!is_nightly()) {
  local_replaced("most_sweeps", 5, testthat::teardown_env())
  local_replaced("drawn_of_statistics", 200, testthat::teardown_env())
  local_replaced("margins_of_error", 5, testthat::teardown_env())
}
