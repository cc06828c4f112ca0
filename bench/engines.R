# Score releases of a large file that databases hold: SQLite, PostgreSQL where
# its programs are installed, DuckDB where its package is, and a Parquet file.
# Seconds by the clock and of processor time (of R, and of the server's process,
# which has no workers here), and whether the release is the data frame's to the
# last bit. Rows of the same case, engine and size are replaced.
#
#   Rscript bench/engines.R [records] [engines] [formulas or families]
#   Rscript bench/engines.R 1e6 memory,sqlite,postgresql,duckdb,parquet
#   Rscript bench/engines.R 1e7 memory,postgresql,duckdb,parquet "five factors"

source("bench/results.R")
suppressPackageStartupMessages({
  library(pseudosynth)
  library(dplyr, warn.conflicts = FALSE)
})
arguments <- commandArgs(TRUE)
words <- function(k, default) {
  if (length(arguments) < k) default else strsplit(arguments[k], ",")[[1]]
}
n <- as.numeric(words(1, 1e6))
engines <- words(2, c("memory", "sqlite", "postgresql", "duckdb", "parquet"))

incomes <- function(n) {
  persons <- subset(ce_income, income > 0)
  text <- vapply(persons, is.factor, NA)
  persons[text] <- lapply(persons[text], as.character)
  set.seed(1)
  persons <- persons[sample(nrow(persons), n, TRUE), ]
  persons$income <- round(persons$income * exp(stats::rnorm(n, 0, 0.02)), 2)
  # Responses of the other families
  line <- log(persons$income) - 10.8
  persons$visits <- stats::rnbinom(n, mu = exp(1 + 0.3 * line), size = 2)
  persons$works <- stats::rbinom(n, 1, stats::plogis(line))
  persons$share <- pmin(pmax(
    round(stats::plogis(line + stats::rnorm(n)), 3), 0.001), 0.999)
  persons$status <- c("low", "middle", "high")[
    1 + (line + stats::rnorm(n) > -0.5) + (line + stats::rnorm(n) > 0.5)
  ]
  persons
}
factors <- setdiff(names(ce_income), "income")

# 720 combinations
five_factors <- function(n) {
  set.seed(1)
  file <- list()
  eta <- 0
  for (size in c(4, 5, 6, 3, 2)) {
    code <- sample.int(size, n, TRUE)
    eta <- eta + stats::rnorm(size, sd = 0.3)[code]
    file[[paste0("f", length(file) + 1)]] <- as.character(code)
  }
  file$visits <- stats::rnbinom(n, mu = exp(1 + eta), size = 2)
  list2DF(file)
}

three <- c("age", "education", "earner")
of <- function(left, on = three) stats::reformulate(on, left)
income <- list("(Intercept)" = 10.8, sigma = 1)
count <- list("(Intercept)" = 1, size = 2)
cases <- list(
  `3 predictors` = list(of(quote(log(income))), student_t(),
    reference = income, bounds = c(10, 2e7)),
  `9 predictors` = list(of(quote(log(income)), factors), student_t(),
    reference = income, bounds = c(10, 2e7)),
  gaussian = list(of(quote(log(income))), stats::gaussian(),
    reference = income, bounds = c(10, 2e7)),
  `counts, neg_binomial` = list(of("visits"), neg_binomial(),
    reference = count, bounds = c(0, 200)),
  `counts, poisson` = list(of("visits"), stats::poisson(),
    reference = count[1], bounds = c(0, 200)),
  bernoulli = list(of("works"), bernoulli(),
    reference = list("(Intercept)" = 0)),
  beta_response = list(of("share"), beta_response(c(0, 1)),
    reference = list("(Intercept)" = 0, precision = 3)),
  categorical = list(of("status"), categorical(),
    response = public_response(levels = c("high", "low", "middle"))),
  `five factors` = list(of("visits", paste0("f", 1:5)), neg_binomial(),
    reference = count)
)
chosen <- words(3, setdiff(names(cases), "five factors"))
stopifnot(chosen == "five factors" | !"five factors" %in% chosen)
persons <- if ("five factors" %in% chosen) five_factors(n) else incomes(n)
cases <- cases[chosen]

# A server of its own, that ends with the script
start_postgresql <- function() {
  folders <- c(
    dirname(Sys.which("initdb")), Sys.glob("/usr/lib/postgresql/*/bin")
  )
  bin <- Filter(function(x) file.exists(file.path(x, "initdb")), folders)
  if (length(bin) == 0 || !requireNamespace("RPostgres", quietly = TRUE)) {
    return(NULL)
  }
  home <- tempfile("pg", "/tmp")
  dir.create(home)
  # It refuses to run as root
  root <- Sys.info()[["effective_user"]] == "root"
  if (root) system2("chown", c("postgres", home))
  run <- function(program, words) {
    command <- paste(shQuote(file.path(bin[1], program)), words)
    if (root) command <- paste("runuser -u postgres --", command)
    system(paste(command, ">/dev/null 2>&1"))
  }
  data <- file.path(home, "data")
  run("initdb", paste("-D", data, "-A trust -U tester -E UTF8 --locale=C"))
  run("pg_ctl", paste("-D", data, "-w -o", shQuote(sprintf(
    "-k %s -c listen_addresses='' -c fsync=off", home
  )), "start"))
  list(
    connect = function() {
      DBI::dbConnect(
        RPostgres::Postgres(), host = home, user = "tester", dbname = "postgres"
      )
    },
    stop = function() {
      run("pg_ctl", paste("-D", data, "-m immediate stop"))
      unlink(home, recursive = TRUE)
    }
  )
}

lite <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
RSQLite::initExtension(lite, "math")
server <- if ("postgresql" %in% engines) start_postgresql()
files <- list(memory = persons)
if ("sqlite" %in% engines) {
  DBI::dbWriteTable(lite, "persons", persons)
  files$sqlite <- tbl(lite, "persons")
}
if (!is.null(server)) {
  con <- server$connect()
  DBI::dbWriteTable(con, "persons", persons)
  DBI::dbExecute(con, "ANALYZE persons")
  DBI::dbExecute(con, "SET max_parallel_workers_per_gather = 0")
  files$postgresql <- tbl(con, "persons")
}
if (requireNamespace("duckdb", quietly = TRUE)) {
  duck <- DBI::dbConnect(duckdb::duckdb())
  DBI::dbWriteTable(duck, "persons", persons)
  if ("duckdb" %in% engines) files$duckdb <- tbl(duck, "persons")
  if ("parquet" %in% engines) {
    files$parquet <- tempfile(fileext = ".parquet")
    DBI::dbExecute(duck, sprintf("COPY persons TO '%s'", files$parquet))
  }
}

# Of the server's process, in seconds
server_time <- function() {
  if (is.null(server)) {
    return(0)
  }
  id <- DBI::dbGetQuery(con, "SELECT pg_backend_pid() AS id")$id
  line <- readLines(file.path("/proc", id, "stat"))
  ticks <- as.numeric(strsplit(sub(".*[)] ", "", line), " ")[[1]][12:13])
  sum(ticks) / 100
}

bare <- function(x) {
  x <- unclass(x)
  design <- unclass(x$design)
  environment(design$terms) <- globalenv()
  x$design <- design
  x
}
rows <- list()
for (name in names(cases)) {
  whole <- NULL
  for (engine in intersect(c("memory", engines), names(files))) {
    before <- server_time()
    time <- system.time({
      release <- suppressWarnings(suppressMessages(do.call(score_release, c(
        list(cases[[name]][[1]], files[[engine]], cases[[name]][[2]]),
        cases[[name]][-(1:2)], list(epsilon = 1, seed = 1)
      ))))
    })
    if (is.null(whole)) whole <- release
    row <- data.frame(
      case = name, engine = engine, records = n, seconds = time[["elapsed"]],
      processor = sum(time[1:2]) + server_time() - before,
      same = identical(bare(release), bare(whole))
    )
    print(row)
    rows <- c(rows, list(row))
  }
}
keep_table(
  with_old_rows(
    do.call(rbind, rows), kept_table("engines"), c("case", "engine", "records")
  ),
  "engines", c("RSQLite", "RPostgres", "duckdb", "dbplyr")
)
if (!is.null(server)) {
  DBI::dbDisconnect(con)
  server$stop()
}
