#' Salaries of doctorate recipients, 2017
#'
#' The annual salary of all 74,429 employed respondents of the 2017 Survey of
#' Doctorate Recipients, one row a respondent, from the frequency table that
#' the National Center for Science and Engineering Statistics (NCSES) publishes
#' in the survey's public-use codebook. The re-weighting paper synthesizes a
#' sample of 1,000 of them by [neg_binomial()].
#'
#' The table has no other variable, so that nothing links these rows to
#' respondents. They are in random order: `head(sdr_salary, 1000)` is a random
#' sample.
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
