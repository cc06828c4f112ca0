#' Simulated salaries with predictors, after a sample of the 2017 SDR
#'
#' **Simulated: no row is a respondent.** The censoring paper's application has
#' 1,601 respondents of the 2017 Survey of Doctorate Recipients with positions
#' in mathematics and statistics at a four-year college or university. That
#' sample is not published. This file takes its place, with as many records and
#' the same variables.
#'
#' * Gender, age class and weeks are drawn independently from the margins of the
#'   survey's public codebook, for all of its respondents, within the paper's
#'   ranges.
#' * Salary has the mean ($91,019), the median ($80,000) and the 15 and 90
#'   percent quantiles ($51,000 and $150,000) of the paper's Table 2, column
#'   "Data", and in between the shape of the codebook's salaries.
#' * How salary depends on the three predictors is our own choice: nothing about
#'   it is published. Do not read the effects as findings.
#'
#' @format A data frame with 1,601 rows and 4 columns, no missing value:
#' \describe{
#'   \item{salary}{(integer, US dollars a year, 1,000 to 382,000) annual salary,
#'     whole thousands; the sensitive variable (as `SALARYP`).}
#'   \item{gender}{(factor, 2 levels) `female`, `male` (as `GENDER`).}
#'   \item{age}{(factor, 9 levels) age class in years: `30-34` to `70-75` (as
#'     `AGEGRP`, without the codebook's youngest class, to have the paper's
#'     nine).}
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
