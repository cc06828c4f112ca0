# The source of `ce_income`, for data-raw/ce_income.R and the benchmarks.

# The columns of rpms::CE behind the variables of `ce_income`.
rpms_columns <- c(
  income = "FINCBTAX", sex = "SEX", age = "AGE", education = "EDUCA",
  region = "REGION", urban = "BLS_URBN", marital = "MARITAL",
  population = "POPSIZE", family_size = "FAM_SIZE", earner = "EARNER"
)

# rpms::CE from the installed package, else from the source package on CRAN,
# which needs no compilation for its data alone.
load_rpms_ce <- function() {
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
