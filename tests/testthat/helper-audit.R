# What the tests of audits share.

# Grids of the tests are coarse: about 4,000 cells take a tenth of a second.
beta_audit <- function(data, mechanism, epsilon = NULL, ..., cells = 4000) {
  audit_guarantee(
    y ~ 1, data, beta_response(c(0, 1)), mechanism, epsilon, ...,
    cells = cells
  )
}

# A row of the table, by relation.
worst_of <- function(audit, relation = "add/remove-one") {
  audit$worst[audit$worst$relation == relation, ]
}

skewed_file <- function(n, seed = 1) {
  withr::with_seed(seed, {
    data.frame(y = pmin(pmax(stats::rbeta(n, 0.5, 3), 1e-4), 1 - 1e-4))
  })
}

printed <- function(x) {
  gsub("\\s+", " ", paste(capture.output(print(x)), collapse = " "))
}
