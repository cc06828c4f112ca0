# Builds data/sdr_salary.rda from the published frequency table of annual
# salaries in the codebook of the 2017 Survey of Doctorate Recipients (NCSES),
# data-raw/sdr/sdr2017_salary_frequency.csv: one row a respondent.
# Run from the package's root directory: Rscript data-raw/sdr_salary.R

frequency <- read.csv(
  file.path("data-raw", "sdr", "sdr2017_salary_frequency.csv")
)
stopifnot(
  names(frequency) == c("salary_usd", "unweighted_count", "weighted_count"),
  sum(frequency$unweighted_count) == 74429
)
salary <- rep(as.integer(frequency$salary_usd), frequency$unweighted_count)

# In random order, so that the first rows are a random sample.
RNGversion("4.2.0")
set.seed(2017)
sdr_salary <- data.frame(salary = sample(salary))

save(sdr_salary, file = file.path("data", "sdr_salary.rda"),
     compress = "xz", version = 2)
