# Builds inst/extdata/fmli_example.csv: thirty made-up interviews in the layout
# of the fmli files of the Consumer Expenditure Surveys. No value is taken from
# a real file. Run from the package's root directory.

set.seed(30)
n <- 30
pick <- function(x, ...) sample(x, n, replace = TRUE, ...)
code <- function(x, width) formatC(x, width = width, flag = "0")

works <- pick(c(TRUE, FALSE), prob = c(0.7, 0.3))
income <- round(exp(rnorm(n, ifelse(works, 10.9, 10), 0.7)), -2)
income[c(4, 17)] <- 0
income[9] <- -1500
imputed <- income
imputed[21] <- 41250.4 # the mean over five imputations need not be whole
collected <- as.character(income)
collected[21] <- "."

example <- data.frame(
  NEWID = sprintf("%08d", 90000015L + 10L * seq_len(n)),
  AGE_REF = pick(18:87),
  AGE_REF_ = "D",
  BLS_URBN = pick(1:2, prob = c(0.9, 0.1)),
  EDUC_REF = code(pick(c(0, 10:16)), 2),
  EDUC0REF = "D",
  FAM_SIZE = pick(1:6),
  FINCBTAX = collected,
  FINCBT_X = ifelse(collected == ".", "C", "D"),
  FINCBTXM = imputed,
  FINLWT21 = round(runif(n, 8000, 30000), 3),
  INCNONW1 = ifelse(works, ".", as.character(pick(1:6))),
  INCN_NW1 = ifelse(works, "A", "D"),
  INCOMEY1 = ifelse(works, as.character(pick(1:5)), "."),
  INCO_EY1 = ifelse(works, "D", "A"),
  MARITAL1 = pick(1:5),
  MARI_AL1 = "D",
  OCCUCOD1 = ifelse(works, code(pick(1:17), 2), "."),
  OCCU_OD1 = ifelse(works, "D", "A"),
  POPSIZE = pick(1:5),
  QINTRVMO = code(rep(10:12, length.out = n), 2),
  QINTRVYR = 2015,
  REGION = as.character(pick(1:4)),
  REGION_ = "D",
  SEX_REF = pick(1:2),
  SEX_REF_ = "D"
)
example$AGE_REF[1:5] <- c(29, 30, 59, 75, 74)
example$EDUC_REF[1:8] <- code(c(0, 10:16), 2)
example$FAM_SIZE[c(2, 3, 4)] <- c(10, 11, 12)
example$REGION[c(6, 12)] <- c("", ".")
example$POPSIZE[12] <- ""
# works without pay in a family business: did not earn
example$INCOMEY1[8] <- "6"
example$INCNONW1[8] <- "."
example$OCCUCOD1[8] <- "16"

write.csv(
  example, file.path("inst", "extdata", "fmli_example.csv"),
  row.names = FALSE, quote = FALSE
)
