# The same analyses as in consumer_expenditure.R, on another month of the survey
# and on a part of its records: does each conclusion hold on fresh data?
#
#   for (file in c("consumer_expenditure.R", "consumer_month.R")) {
#     source(system.file("studies", file, package = "pseudosynth"))
#   }
#   consumer_month(1, rpms::CE)
#
# `rpms::CE` (CRAN package rpms) has twelve months of interviews, `ce_income` is
# its month 10. One replicate takes about six minutes of one core.

#' @param replicates (whole numbers) Each is the seed of its fits.
#' @param interviews (data frame) `rpms::CE`.
#' @param month (whole number) Month of the interview.
#' @param n,configurations,... Passed to `consumer_expenditure()`.
#' @return (data frame) As that of `consumer_expenditure()`, without the parts
#'   of the figures.
consumer_month <- function(replicates, interviews, month = 7, n = 600,
                           configurations = mechanism_paper_table()[5, ],
                           ...) {
  columns <- c(
    income = "FINCBTAX", sex = "SEX", age = "AGE", education = "EDUCA",
    region = "REGION", urban = "BLS_URBN", marital = "MARITAL",
    population = "POPSIZE", family_size = "FAM_SIZE", earner = "EARNER"
  )
  data <- pseudosynth:::ce_recode(
    interviews[as.integer(as.character(interviews$QINTRVMO)) == month, ],
    columns
  )
  table <- consumer_expenditure(
    replicates,
    n = n, configurations = configurations, data = data, ...
  )
  table[table$part %in% c("figure", "riskiest", "riskiest given"), ]
}
