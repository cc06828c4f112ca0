# Builds data/ce_income.rda from rpms::CE (CRAN package rpms, licence CC0),
# the interview public-use microdata of the Consumer Expenditure Surveys.
# Run from the package's root directory: Rscript data-raw/ce_income.R

source(file.path("R", "ce_codes.R"))

# rpms::CE from the installed package, else from the source package on CRAN,
# which needs no compilation for its data alone.
load_ce <- function() {
  target <- new.env()
  if (requireNamespace("rpms", quietly = TRUE)) {
    utils::data("CE", package = "rpms", envir = target)
    return(target$CE)
  }
  folder <- tempfile("rpms-")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  if (identical(getOption("repos")[["CRAN"]], "@CRAN@")) {
    utils::chooseCRANmirror(ind = 1, local.only = TRUE)
  }
  tarball <- utils::download.packages("rpms", folder, type = "source")[1, 2]
  utils::untar(tarball, files = "rpms/data/CE.rda", exdir = folder)
  load(file.path(folder, "rpms", "data", "CE.rda"), envir = target)
  target$CE
}

ce <- load_ce()
stopifnot(nrow(ce) == 68415, ncol(ce) == 47)

# The rule by which read_ce() derives the earner status of the agency's files,
# which have no such column, gives the one that this file has.
stopifnot(identical(
  ce_earner(ce_code(ce$EARNER), "EARNER"),
  ce_earner(ce_code(ce$INCOMEY), "INCOMEY")
))

october <- ce[ce$QINTRVMO == 10, ]
columns <- c(
  income = "FINCBTAX", sex = "SEX", age = "AGE", education = "EDUCA",
  region = "REGION", urban = "BLS_URBN", marital = "MARITAL",
  population = "POPSIZE", family_size = "FAM_SIZE", earner = "EARNER"
)
for (variable in names(columns)) {
  column <- columns[[variable]]
  stopifnot(length(ce_unknown(october[[column]], variable, column)) == 0)
}
ce_income <- ce_recode(october, columns)

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
