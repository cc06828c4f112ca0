#' Income of consumer units, Consumer Expenditure Surveys
#'
#' Income before taxes and nine predictors of 6,208 consumer units. The records
#' are the interviews of month 10 in a file of the R package rpms, which was
#' made from the public-use microdata of the Consumer Expenditure interviews.
#' The variables are those of the papers on pseudo posterior synthesis, as far
#' as the file has them. Population size replaces their CBSA status. rpms
#' describes its file as that of 2015; the file itself states no year.
#'
#' Person characteristics are those of the reference person; rpms calls it the
#' primary earner. A consumer unit is, roughly, a family or a person who lives
#' alone or is financially independent.
#'
#' Incomes are kept as they are. There are 725 zeros and 5 negative incomes
#' (losses, down to -45,000). Models on the log scale need the 5,478 positive
#' incomes: select them first. Incomes are heaped on round numbers: there are
#' 3,224 distinct values, and the most frequent positive one, 24,000, occurs 56
#' times.
#'
#' Where the Bureau of Labor Statistics suppressed the region (105 units) or
#' the population size (21 units), the level is `"not published"`. That it is
#' missing is public, and no record is dropped.
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

#' Salaries of doctorate recipients, 2017
#'
#' The annual salary of all 74,429 employed respondents of the 2017 Survey of
#' Doctorate Recipients, with one row for each respondent. The rows are made
#' from the frequency table in the survey's public-use codebook, which the
#' National Center for Science and Engineering Statistics (NCSES) publishes. The
#' re-weighting paper synthesizes a sample of 1,000 respondents by
#' [neg_binomial()].
#'
#' The table has no other variable, so nothing links these rows to respondents.
#' They are in random order: `head(sdr_salary, 1000)` is a random sample.
#'
#' Salaries are whole thousands. 426 are 0, and 862 share the largest value,
#' $509,000, with a gap below it: presumably all salaries above a top code.
#' The mean is $107,244, the median $95,000. These are respondents, without
#' survey weights.
#'
#' @format A data frame with 74,429 rows and 1 column, no missing value:
#' \describe{
#'   \item{salary}{(integer, US dollars a year, 0 to 509,000) annual salary of
#'     the principal job (`SALARYP`).}
#' }
#' @source NCSES, Survey of Doctorate Recipients 2017, codebook of the
#'   public-use file, <https://ncsesdata.nsf.gov/datadownload/>; unweighted
#'   frequencies of `SALARYP`. Built by `data-raw/sdr_salary.R` in the package's
#'   source.
#' @references Savitsky, Hu and Williams (2020), "Re-weighting of
#'   Vector-weighted Mechanisms for Utility Maximization under Differential
#'   Privacy", <https://arxiv.org/abs/2006.01230>, section 4.
#' @seealso [sdr_simulated] for salaries with predictors, [read_sdr()] for the
#'   agency's own file.
#' @examples
#' summary(sdr_salary$salary)
#' sample_of_paper_size <- head(sdr_salary, 1000)
"sdr_salary"

#' Simulated salaries with predictors, after a sample of the 2017 SDR
#'
#' **Simulated: no row is a respondent.** The censoring paper uses 1,601
#' respondents of the 2017 Survey of Doctorate Recipients with positions in
#' mathematics and statistics at a four-year college or university. They are a
#' part of the survey's public-use file, which is not in this package;
#' [read_sdr()] reads it. This file replaces them, with as many records and the
#' same variables.
#'
#' The columns were made as follows:
#' * Gender, age class and weeks are drawn independently from the margins of the
#'   survey's public codebook, for all of its respondents, within the paper's
#'   ranges.
#' * Salary has the mean ($91,019), the median ($80,000) and the 15 and 90
#'   percent quantiles ($51,000 and $150,000) of the paper's Table 2, column
#'   "Data". Between these points it has the shape of the codebook's salaries.
#' * How salary depends on the three predictors is our own choice, because
#'   nothing about it is published. Do not read the effects as findings.
#'
#' @format A data frame with 1,601 rows and 4 columns, no missing value:
#' \describe{
#'   \item{salary}{(integer, US dollars a year, 1,000 to 382,000) annual salary,
#'     whole thousands; the sensitive variable (as `SALARYP`).}
#'   \item{gender}{(factor, 2 levels) `female`, `male` (as `GENDER`).}
#'   \item{age}{(factor, 9 levels) age class in years: `30-34` to `70-75` (as
#'     `AGEGRP`; the codebook's youngest class is left out, which leaves the
#'     nine classes of the paper).}
#'   \item{weeks}{(integer, 4 to 52) weeks worked in the year (as `WKSWK`; drawn
#'     from 2 to 52).}
#' }
#' @source Simulated by `data-raw/sdr_simulated.R` in the package's source, from
#'   the frequency tables of the codebook of the 2017 Survey of Doctorate
#'   Recipients (NCSES), <https://ncsesdata.nsf.gov/datadownload/>.
#' @references Hu, Williams and Savitsky (2022), "Mechanisms for Global
#'   Differential Privacy under Bayesian Data Synthesis",
#'   <https://arxiv.org/abs/2205.05003>, section 5 and Table 2.
#' @seealso [sdr_salary] for real salaries without predictors, [read_sdr()].
#' @examples
#' str(sdr_simulated)
#' quantile(sdr_simulated$salary, c(0.15, 0.5, 0.9))
"sdr_simulated"
