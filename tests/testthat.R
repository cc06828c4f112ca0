library(testthat)
library(pseudosynth)

test_check("pseudosynth")
