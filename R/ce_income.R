#' Income of consumer units, Consumer Expenditure Surveys
#'
#' The interviews of month 10 in the Consumer Expenditure interview public-use
#' microdata that the R package rpms holds: 6,208 consumer units with their
#' income before taxes and nine predictors. These are the variables of the
#' papers on pseudo posterior synthesis as far as the file has them;
#' population size takes the place of their CBSA status. rpms describes its
#' file as that of 2015; the file itself states no year.
#'
#' Person characteristics are those of the reference person; rpms calls it the
#' primary earner. A consumer unit is, roughly, a family or a person who lives
#' alone or is financially independent.
#'
#' Incomes are kept as they are. There are 725 zeros and 5 negative incomes
#' (losses, down to -45,000), which a log-scale model cannot take: a log family
#' takes the 5,478 positive ones, and only after the user has selected them.
#' Incomes are heaped on round numbers: 3,224 distinct values, and the
#' commonest positive one, 24,000, occurs 56 times.
#'
#' Where the Bureau of Labor Statistics suppressed the region (105 units) or
#' the population size (21 units), the level is `"not published"`: that it is
#' missing is public, and nothing is dropped.
#'
#' @format A data frame with 6,208 rows and 10 columns, no missing value:
#' \describe{
#'   \item{income}{(integer, US dollars a year, -45,000 to 1,156,038) income
#'     of the consumer unit before taxes in the past twelve months
#'     (`FINCBTAX`). The sensitive variable.}
#'   \item{sex}{(factor, 2 levels) `male`, `female` (`SEX`).}
#'   \item{age}{(factor, 5 levels) age in years, 14 to 87 in the file:
#'     `20 or under`, `21 to 40`, `41 to 60`, `61 to 80`, `over 80`
#'     (`AGE`).}
#'   \item{education}{(factor, 8 levels) highest level of education:
#'     `no schooling`, `1st to 8th grade`, `9th to 12th grade` (no diploma),
#'     `high school graduate`, `some college`, `associate degree`,
#'     `bachelor degree`, `advanced degree` (`EDUCA` 1 to 8).}
#'   \item{region}{(factor, 5 levels) `northeast`, `midwest`, `south`, `west`,
#'     `not published` (`REGION`).}
#'   \item{urban}{(factor, 2 levels) `urban`, `rural` (`BLS_URBN`).}
#'   \item{marital}{(factor, 5 levels) `married`, `widowed`, `divorced`,
#'     `separated`, `never married` (`MARITAL`).}
#'   \item{population}{(factor, 6 levels) population size of the primary
#'     sampling unit: `class 1 (largest)`, `class 2`, `class 3`, `class 4`,
#'     `class 5 (smallest)`, `not published` (`POPSIZE`).}
#'   \item{family_size}{(factor, 11 levels) members of the consumer unit: `1`
#'     to `10`, `11 and more`; the largest has 29 (`FAM_SIZE`).}
#'   \item{earner}{(factor, 2 levels) did the reference person earn income?
#'     `no`, `yes` (`EARNER`).}
#' }
#'
#' @source Data set `CE` of the R package rpms 0.5.1 by Daniell Toth, licence
#'   CC0, <https://CRAN.R-project.org/package=rpms>; made from the public-use
#'   microdata of the Bureau of Labor Statistics,
#'   <https://www.bls.gov/cex/pumd_data.htm>. Built by `data-raw/ce_income.R`
#'   in the package's source.
#'
#' @seealso [read_ce()] gives any other interview file the same layout.
#' @examples
#' str(ce_income)
#'
#' # the records that a model of log income can take
#' positive <- subset(ce_income, income > 0)
#' nrow(positive)
"ce_income"
