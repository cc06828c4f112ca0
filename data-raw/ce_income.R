# Builds data/ce_income.rda from rpms::CE (CRAN package rpms, licence CC0),
# the interview public-use microdata of the Consumer Expenditure Surveys.
# Run from the package's root directory: Rscript data-raw/ce_income.R

source(file.path("R", "ce_codes.R"))
source(file.path("data-raw", "load_rpms_ce.R"))

ce <- load_rpms_ce()
stopifnot(nrow(ce) == 68415, ncol(ce) == 47)

# The rule by which read_ce() derives the earner status of the agency's files,
# which have no such column, gives the one that this file has.
stopifnot(identical(
  ce_earner(ce_code(ce$EARNER), "EARNER"),
  ce_earner(ce_code(ce$INCOMEY), "INCOMEY")
))

october <- ce[ce$QINTRVMO == 10, ]
for (variable in names(rpms_columns)) {
  column <- rpms_columns[[variable]]
  stopifnot(length(ce_unknown(october[[column]], variable, column)) == 0)
}
ce_income <- ce_recode(october, rpms_columns)

# ---- what is known about this file -----------------------------------------

positive <- ce_income$income[ce_income$income > 0]
counts <- table(positive)
stopifnot(
  nrow(ce_income) == 6208,
  !anyNA(ce_income),
  is.integer(ce_income$income),
  identical(ce_income$income, as.integer(october$FINCBTAX)),
  sum(ce_income$income == 0) == 725,
  sum(ce_income$income < 0) == 5,
  min(ce_income$income) == -45000,
  length(positive) == 5478,
  length(unique(ce_income$income)) == 3224,
  max(counts) == 56,
  names(which.max(counts)) == "24000",
  sum(ce_income$region == ce_not_published) == 105,
  sum(ce_income$population == ce_not_published) == 21,
  sum(ce_income$family_size == "11 and more") == 4,
  identical(
    unname(vapply(ce_income[-1], nlevels, integer(1))),
    c(2L, 5L, 8L, 5L, 2L, 5L, 6L, 11L, 2L)
  )
)

dir.create("data", showWarnings = FALSE)
save(ce_income, file = file.path("data", "ce_income.rda"),
     compress = "xz", version = 2)
message("data/ce_income.rda: ", nrow(ce_income), " consumer units")
