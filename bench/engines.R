# Score releases of a large file: in memory, in SQLite, in PostgreSQL where one
# answers at the address in PGHOST, and in parts. Times by the clock, and
# whether the releases are the same.
#
#   Rscript bench/engines.R [records] [engines]
#   Rscript bench/engines.R 1e6 memory,sqlite,postgresql,shards

suppressPackageStartupMessages({
  library(pseudosynth)
  library(dplyr, warn.conflicts = FALSE)
})
arguments <- commandArgs(TRUE)
n <- if (length(arguments) > 0) as.numeric(arguments[1]) else 1e6
asked <- if (length(arguments) > 1) {
  strsplit(arguments[2], ",")[[1]]
} else {
  c("memory", "sqlite", "shards")
}

persons <- subset(ce_income, income > 0)
text <- vapply(persons, is.factor, NA)
persons[text] <- lapply(persons[text], as.character)
set.seed(1)
persons <- persons[sample(nrow(persons), n, TRUE), ]
persons$income <- round(persons$income * exp(stats::rnorm(n, 0, 0.02)), 2)

formulas <- list(
  `3 factors` = log(income) ~ age + education + earner,
  `all factors` = stats::reformulate(
    setdiff(names(persons), "income"), quote(log(income))
  )
)

lite <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
RSQLite::initExtension(lite, "math")
if (any(c("sqlite", "shards") %in% asked)) {
  DBI::dbWriteTable(lite, "persons", persons)
}
files <- list(memory = persons, sqlite = tbl(lite, "persons"))
if ("postgresql" %in% asked) {
  server <- DBI::dbConnect(
    RPostgres::Postgres(), user = "postgres", dbname = "postgres"
  )
  DBI::dbWriteTable(server, "persons", persons, overwrite = TRUE)
  DBI::dbExecute(server, "ANALYZE persons")
  files$postgresql <- tbl(server, "persons")
}
files$shards <- shards(
  filter(files$sqlite, earner == "yes"), persons[persons$earner != "yes", ]
)

bare <- function(x) {
  x <- unclass(x)
  design <- unclass(x$design)
  environment(design$terms) <- globalenv()
  x$design <- design
  x
}
for (name in names(formulas)) {
  whole <- NULL
  for (engine in intersect(names(files), asked)) {
    time <- system.time({
      release <- suppressMessages(score_release(
        formulas[[name]], files[[engine]], epsilon = 1, bounds = c(10, 2e7),
        reference = list("(Intercept)" = 10.8, sigma = 1), seed = 1
      ))
    })
    if (is.null(whole)) whole <- release
    cat(sprintf(
      "%-12s %-11s %9.0f records %6.1f s by the clock, %6.1f s in R, %s\n",
      name, engine, n, time[["elapsed"]], sum(time[1:2]),
      if (identical(bare(release), bare(whole))) "the same" else "DIFFERS"
    ))
  }
}
