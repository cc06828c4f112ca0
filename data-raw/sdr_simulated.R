# Builds data/sdr_simulated.rda: a SIMULATED file in the place of the censoring
# paper's sample of the 2017 Survey of Doctorate Recipients (n = 1,601
# respondents with positions in mathematics and statistics at a four-year
# college or university), which is not published. No row is a respondent.
#
# * gender, age class and weeks worked: drawn independently from the margins of
#   the survey's public codebook, data-raw/sdr/, within the paper's ranges (nine
#   age classes, 2 to 52 weeks);
# * salary: a regression on the three, with effects of our own choice, gives the
#   ranks; the values are the codebook's quantiles, bent so that mean, median,
#   15% and 90% quantiles are those of the paper's Table 2, column "Data".
#
# Run from the package's root directory: Rscript data-raw/sdr_simulated.R

read_margin <- function(name) {
  file <- sprintf("sdr2017_%s_frequency.csv", name)
  read.csv(file.path("data-raw", "sdr", file))
}
target <- c(mean = 91019, q15 = 51000, median = 80000, q90 = 150000)
n <- 1601

RNGversion("4.2.0")
set.seed(1601)
draw <- function(margin) {
  rows <- sample(nrow(margin), n, TRUE, margin$unweighted_count)
  margin[rows, ]
}

gender <- read_margin("gender")
drawn <- draw(gender)
sex <- factor(tolower(drawn$label), c("female", "male"))

# The paper has nine age classes: the codebook's without the youngest.
classes <- subset(read_margin("agegrp"), value >= 30)
drawn <- draw(classes)
age <- factor(sub("Ages ", "", drawn$label), sub("Ages ", "", classes$label))

weeks <- subset(read_margin("wkswk"), value >= 2 & value <= 52)
weeks <- as.integer(draw(weeks)$value)

# Who earns more than whom: log salary, without its level.
effect_of_age <- c(0, 0.15, 0.25, 0.35, 0.42, 0.46, 0.48, 0.45, 0.2)
score <- 0.12 * (sex == "male") + effect_of_age[age] + 0.5 * log(weeks / 52) +
  rnorm(n, 0, 0.4)

# How much: the codebook's salaries above 0, spread within their steps.
codebook <- subset(read_margin("salary"), salary_usd > 0)
steps <- rep(codebook$salary_usd, codebook$unweighted_count)
share <- (seq_len(n) - 1) / (n - 1)
place <- sort(steps)[1 + round((length(steps) - 1) * share)]
place <- sort(place + runif(n, -500, 500))

# Bent on the log scale through the paper's quantiles. With n = 1,601 they are
# order statistics; the top is set by the mean.
anchors <- 1 + (n - 1) * c(0.15, 0.5, 0.9)
bend <- function(top) {
  from <- log(place[c(1, anchors, n)])
  to <- log(c(place[1], target[c("q15", "median", "q90")], top))
  1000 * pmax(1, round(exp(approx(from, to, log(place))$y) / 1000))
}
top <- uniroot(function(top) mean(bend(top)) - target[["mean"]],
               c(150001, 2e6))$root
salary <- bend(top)

# Whole thousands: the mean is met by single steps, spread over the upper half.
missing <- round(n * target[["mean"]] / 1000) - sum(salary) / 1000
free <- setdiff(seq(anchors[2] + 50, n - 20), anchors[3] + -30:30)
moved <- free[round(seq(1, length(free), length.out = abs(missing)))]
salary[moved] <- salary[moved] + sign(missing) * 1000
salary <- sort(salary)

sdr_simulated <- data.frame(
  salary = as.integer(salary[rank(score, ties.method = "first")]),
  gender = sex, age = age, weeks = weeks
)

stopifnot(
  nrow(sdr_simulated) == n, !anyNA(sdr_simulated),
  round(mean(salary)) == target[["mean"]],
  quantile(salary, c(0.15, 0.5, 0.9)) == target[c("q15", "median", "q90")]
)
save(sdr_simulated, file = file.path("data", "sdr_simulated.rda"),
     compress = "xz", version = 2)
