# Households without a guarantee, beside simPop and synthpop.
#
#   Rscript bench/households.R [makers] [sets]
#   R_LIBS=folder Rscript bench/households.R ours,simpop,synthpop,fresh 5
#
# EU-SILC of package laeken: 6,000 households, 14,827 persons; region, household
# income, and of each person age in steps of five years, sex, status and income;
# simPop and synthpop are packages of CRAN. Makers: ours
# (synthesize_file() with members), simpop (structure, categories and amounts,
# by region), synthpop (the wide file, which it takes as any other), fresh
# (households drawn from the file again). Distances are total variation
# distances from the file's table, of households or of members; means over
# sets. Kept in vignettes/households.csv, which the page "Households" shows.

suppressPackageStartupMessages(library(pseudosynth))
source("bench/results.R")
arguments <- commandArgs(trailingOnly = TRUE)
argument <- function(k, default) {
  if (length(arguments) < k) default else arguments[k]
}
wanted <- strsplit(argument(1, "ours,simpop,synthpop,fresh"), ",")[[1]]
sets <- as.integer(argument(2, "5"))

source("bench/silc.R")
file <- silc_file()

# Makers -----------------------------------------------------------------------

ours <- function(k) {
  book <- suppressMessages(confirm_codebook(edit_codebook(
    draft_codebook(file),
    home = "id", age = list(
      type = "ordered", levels = as.character(5 * 0:17), lower = NA,
      upper = NA, digits = NA, transform = NA, family = NA, zero = FALSE,
      heaps = NA
    ),
    house = list(lower = 0, upper = 2e5),
    income = list(lower = 1, upper = 5e5, zero = TRUE)
  )))
  plan <- suppressMessages(file_plan(file, book,
    unit = "home", rules = ~ age >= 15 | status == "none",
    members = members(~ -age, slots = 9, household = c("region", "house"))
  ))
  suppressWarnings(synthesize_file(plan, leaf = 5))[[1]]
}

simpop <- function(k) {
  data <- data.frame(file, size = size_of(file), weight = 1)
  made <- simPop::specifyInput(
    data, hhid = "home", hhsize = "size", strata = "region", weight = "weight"
  )
  # What a household shares comes with its structure
  made <- simPop::simStructure(
    made, method = "direct", basicHHvars = c("age", "sex", "house")
  )
  made <- simPop::simCategorical(
    made, additional = "status", method = "multinom", nr_cpus = 1
  )
  made <- simPop::simContinuous(
    made, additional = "income", method = "multinom", zeros = TRUE,
    regModel = ~ age + sex + status + size, nr_cpus = 1
  )
  set <- as.data.frame(simPop::popData(made))
  data.frame(
    home = as.integer(set$home), region = set$region, house = set$house,
    age = as.integer(as.character(set$age)), sex = set$sex,
    status = factor(set$status, levels(file$status)), income = set$income
  )
}

synthpop <- function(k) {
  own <- c("age", "sex", "status", "income")
  slots <- max(place(file))
  wide <- file[place(file) == 1, c("home", "region", "house")]
  wide$size <- tabulate(match(file$home, wide$home))
  for (slot in seq_len(slots)) {
    rows <- file[place(file) == slot, ]
    wide[paste0(own, ".", slot)] <- rows[match(wide$home, rows$home), own]
  }
  made <- synthpop::syn(
    wide[-1], print.flag = FALSE, seed = k, minnumlevels = 0,
    maxfaclevels = 100
  )$syn
  members <- lapply(seq_len(slots), function(slot) {
    rows <- which(made$size >= slot)
    each <- made[rows, paste0(own, ".", slot)]
    names(each) <- own
    data.frame(home = rows, made[rows, c("region", "house")], each)
  })
  set <- do.call(rbind, members)
  set[order(set$home, -set$age), names(file)]
}

fresh <- function(k) {
  homes <- unique(file$home)
  drawn <- sample(homes, replace = TRUE)
  rows <- split(seq_len(nrow(file)), file$home)[as.character(drawn)]
  set <- file[unlist(rows), ]
  set$home <- rep(seq_along(drawn), lengths(rows))
  set
}

# Figures ----------------------------------------------------------------------

tenth <- function(x, of) {
  findInterval(x, unique(stats::quantile(of, 1:9 / 10)), left.open = TRUE)
}

#' What a household or a member has of each table
tables_of <- function(x) {
  x <- x[order(x$home, -x$age), ]
  at <- place(x)
  size <- size_of(x)
  head <- x[at == 1, ]
  many <- function(of) as.vector(rowsum(as.integer(of %in% TRUE), x$home))
  age <- pmin(x$age %/% 5, 17)
  second <- which(at == 2)
  couple <- second[x$age[second] >= 20]
  first <- couple - 1
  sums <- as.vector(rowsum(replace(x$income, is.na(x$income), 0), x$home))
  columns <- list(
    region = x$region, size = pmin(size, 9), sex = x$sex, age = age,
    status = x$status, income = tenth(x$income, file$income),
    house = tenth(x$house, file$house)
  )
  pairs <- utils::combn(names(columns), 2, simplify = FALSE)
  # Either may come first where both have the same age
  two <- function(y, a, b) {
    y <- as.integer(y)
    paste(pmin(y[a], y[b]), pmax(y[a], y[b]))
  }
  c(
    stats::setNames(lapply(pairs, function(pair) {
      do.call(paste, columns[pair])
    }), paste("pair", vapply(pairs, toString, ""))),
    list(
      size = size[at == 1],
      "size by region" = paste(head$region, size[at == 1]),
      "size by household income" =
        paste(tenth(head$house, file$house), size[at == 1]),
      children = many(x$age < 15), employed = many(x$status %in% c("1", "2")),
      pensioners = many(x$status == "5"),
      composition = paste(
        pmin(many(x$age < 15), 4), pmin(many(x$age >= 15 & x$age < 65), 4),
        many(x$age >= 65)
      ),
      "income of all members" = tenth(sums, tapply(
        file$income, file$home, sum
      )),
      "sexes of couples" = two(x$sex, first, couple),
      "ages of couples" = two(pmin(x$age %/% 10, 8), first, couple),
      "age differences of couples" =
        pmin((x$age[first] - x$age[couple]) %/% 5, 8),
      "status of couples" = two(x$status, first, couple),
      "incomes of couples" =
        two(tenth(x$income, file$income) %/% 2, first, couple)
    )
  )
}
own <- tables_of(file)

figures <- function(set) {
  found <- mapply(distance, tables_of(set), own)
  pair <- grepl("^pair ", names(found))
  at <- place(set)
  ordered <- set[order(set$home, -set$age), ]
  c(
    "pairs of columns of persons" = mean(found[pair]), found[!pair],
    "children alone" = mean(tapply(set$age < 15, set$home, all)),
    "members without a value" = mean(is.na(ordered$sex) | is.na(ordered$age)),
    "children with a status" = mean(
      (set$age < 15 & set$status != "none") %in% TRUE
    )
  )
}

makers <- list(
  ours = ours, simpop = simpop, synthpop = synthpop, fresh = fresh
)
stopifnot(wanted %in% names(makers))
for (maker in wanted) {
  seconds <- numeric()
  found <- lapply(seq_len(sets), function(k) {
    set.seed(k)
    seconds[k] <<- system.time(
      set <- suppressMessages(makers[[maker]](k))
    )[["elapsed"]]
    figures(set)
  })
  found <- do.call(rbind, found)
  rows <- data.frame(
    maker = maker, figure = c(colnames(found), "seconds"),
    mean = c(colMeans(found), mean(seconds)),
    error = c(apply(found, 2, stats::sd), stats::sd(seconds)) / sqrt(sets),
    sets = sets, row.names = NULL
  )
  print(rows[c("figure", "mean", "error")], digits = 3, row.names = FALSE)
  keep_rows(rows, "vignettes/households.csv", c("maker", "figure"))
}
