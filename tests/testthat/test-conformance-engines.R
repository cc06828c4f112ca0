# The same block of facts for every engine, whoever wrote it: what it counts,
# sums and reads is what R does of the data frame, bit for bit.
#
# A case is a function of the frame in which it is cleaned up. It makes an empty
# database, or skips, and gives a function that opens another connection to it.

engine_cases <- list(
  SQLite = function(frame) {
    skip_if_not_installed("RSQLite")
    skip_if_not_installed("dbplyr")
    file <- withr::local_tempfile(fileext = ".db", .local_envir = frame)
    function() {
      con <- DBI::dbConnect(RSQLite::SQLite(), file)
      withr::defer(DBI::dbDisconnect(con), frame)
      RSQLite::initExtension(con, "math")
      # Others may write while it is read
      DBI::dbExecute(con, "PRAGMA journal_mode = WAL")
      con
    }
  },
  PostgreSQL = function(frame) local_postgresql(frame),
  DuckDB = function(frame) {
    # Of older versions of dbplyr it says that it does not know all functions
    suppressWarnings({
      skip_if_not_installed("duckdb")
      skip_if_not_installed("dbplyr")
    })
    driver <- suppressMessages(duckdb::duckdb())
    withr::defer(duckdb::duckdb_shutdown(driver), frame)
    function() {
      con <- suppressMessages(DBI::dbConnect(driver))
      withr::defer(DBI::dbDisconnect(con), frame)
      con
    }
  }
)

test_that("every back end has a case", {
  expect_setequal(
    names(engine_cases), vapply(backends(), `[[`, "", "called")
  )
})

engine_facts <- list(
  "a release is that of the data frame" = function(connect) {
    d <- engine_persons(by_night(3000, 1500))
    con <- connect()
    DBI::dbWriteTable(con, "persons", d)
    table <- dplyr::tbl(con, "persons")
    # By day one of each family, transformation and noise, and no predictor
    whole <- expect_releases_of_frame(
      table, d, which = by_night(TRUE, c(2:8, 10, 11))
    )
    # In another order, and with tables of the response by predictors
    other <- released(log(income) ~ 1, d[rev(seq_len(nrow(d))), ])
    expect_same_release(other, whole)
    large <- released(log(income) ~ flag, table, epsilon = 10)
    expect_named(large$tables$residuals, "flag")
    expect_same_release(large, released(log(income) ~ flag, d, epsilon = 10))
  },
  "odd levels and many records are added up as in memory" = function(connect) {
    d <- odd_persons()
    con <- connect()
    DBI::dbWriteTable(con, "persons", d)
    table <- dplyr::tbl(con, "persons")
    expect_odd_releases_of_frame(table, d)
    expect_sums_of_many(con, backend_of(table))
  },
  "a neighbouring record moves the sums as in memory" = function(connect) {
    d <- engine_persons(200)
    far <- d
    # Beyond what any clip keeps, and none of the usual values
    far$income[7] <- 1e300
    con <- connect()
    DBI::dbWriteTable(con, "persons", d)
    DBI::dbWriteTable(con, "far", far)
    DBI::dbWriteTable(con, "less", d[-7, ])
    sums <- function(name) {
      with_engine(dplyr::tbl(con, name), function(engine) {
        columns <- c("flag", "group")
        engine$types(c("income", columns))
        cells <- engine$cells(columns)
        response <- described_response(
          log(income) ~ flag, far[0, ], student_t(), NULL
        )
        one <- engine$for_response(response, cells)
        at <- data.frame(
          centre = rep(10.8, length(cells$n)), spread = 1, lowest = -1
        )
        found <- one$whole(at, 1)
        c(sum(found$q), sum(found$inside))
      })
    }
    all <- sums("persons")
    z <- log(d$income) - 10.8
    q <- floor(pmin(pmax(z, -1), 1) * 1024 + 0.5)
    expect_identical(all, c(sum(q), sum(abs(z) < 1)))
    expect_identical(sums("far")[1] - all[1], 1024 - q[7])
    expect_identical(all[1] - sums("less")[1], q[7])
  },
  "no answer holds a response" = function(connect) {
    d <- engine_persons(600)
    con <- connect()
    DBI::dbWriteTable(con, "persons", d)
    expect_no_income_asked(dplyr::tbl(con, "persons"), d, 5)
  },
  "a file may lie in several tables, each of them given once" = function(
      connect) {
    d <- engine_persons(600)
    half <- seq_len(nrow(d)) %% 2 == 0
    con <- connect()
    DBI::dbWriteTable(con, "a", d[half, ])
    DBI::dbWriteTable(con, "b", d[!half, rev(names(d))])
    table <- function(name) dplyr::tbl(con, name)
    both <- dplyr::union_all(table("a"), table("b"))
    formula <- log(income) ~ flag + group
    expect_same_release(released(formula, both), released(formula, d))
    own <- rbind(d[half, ], d[!half, ])[c("flag", "hours", "income")]
    rownames(own) <- NULL
    book <- draft_codebook(own)
    few <- dplyr::select(both, "flag", "hours", "income")
    expect_identical(file_plan(few, book), file_plan(own, book))
    expect_error(
      released(formula, dplyr::union_all(both, table("a"))), "one table",
      class = "pseudosynth_error_rows"
    )
  },
  "a plan is that of the data frame" = function(connect) {
    d <- file_persons()
    con <- connect()
    DBI::dbWriteTable(con, "persons", d)
    local_small_chunks()
    plan <- expect_plans_of_frame(dplyr::tbl(con, "persons"), d)
    back <- decode_file(plan)
    expect_identical(back, d[names(back)])
  },
  "a release and a plan are of one moment" = function(connect) {
    d <- engine_persons(400)
    con <- connect()
    DBI::dbWriteTable(con, "persons", d)
    expect_one_moment(con, connect(), d)
    d <- file_persons(300)
    DBI::dbWriteTable(con, "persons", d, overwrite = TRUE)
    expect_plan_of_one_moment(con, connect(), d, file_persons_book(d))
  },
  "what is no table is refused, before and in what is written" = function(
      connect) {
    d <- engine_persons(300)
    con <- connect()
    DBI::dbWriteTable(con, "persons", d)
    DBI::dbExecute(con, "CREATE VIEW v AS SELECT * FROM persons")
    expect_error(
      released(log(income) ~ flag, dplyr::tbl(con, "v")), "a view",
      class = "pseudosynth_error_rows"
    )
    expect_error(
      table_target(dplyr::tbl(con, "v"), names(d)), "no table of its own",
      class = "pseudosynth_error_target"
    )
    target <- table_target(dplyr::tbl(con, "persons"), names(d))
    expect_identical(target$path, "persons")
    table <- dplyr::tbl(con, "persons")
    DBI::dbExecute(con, "DROP VIEW v")
    DBI::dbExecute(con, "ALTER TABLE persons RENAME TO gone")
    expect_error(
      released(log(income) ~ flag, table), "not there",
      class = "pseudosynth_error_rows"
    )
  }
)

for (engine in names(engine_cases)) {
  for (fact in names(engine_facts)) {
    test_that(paste0(engine, ": ", fact), {
      engine_facts[[fact]](engine_cases[[engine]](environment()))
    })
  }
}
