# Tables of PostgreSQL whose partitions lie on other servers.

# A file whose partitions, by status, lie on three servers
servers_persons <- function(d, frame = parent.frame()) {
  servers <- lapply(1:3, function(k) local_postgresql(frame))
  cons <- lapply(servers, function(connect) connect())
  run <- statements_on(cons[[1]])
  DBI::dbWriteTable(cons[[1]], "plain", d[0, ])
  run("CREATE EXTENSION postgres_fdw")
  run("CREATE TABLE persons (LIKE plain) PARTITION BY LIST (status)")
  run("CREATE TABLE persons_one PARTITION OF persons FOR VALUES IN ('one')")
  DBI::dbAppendTable(cons[[1]], "persons_one", d[d$status == "one", ])
  for (k in 2:3) {
    status <- c("one", "two", "three")[k]
    DBI::dbWriteTable(cons[[k]], "persons", d[d$status == status, ])
    run(sprintf(
      "CREATE SERVER far%d FOREIGN DATA WRAPPER postgres_fdw
       OPTIONS (host '%s', dbname 'postgres')", k,
      environment(servers[[k]])$home
    ))
    run(sprintf(
      "CREATE USER MAPPING FOR PUBLIC SERVER far%d
       OPTIONS (user 'tester', password_required 'false')", k
    ))
    run(sprintf(
      "CREATE FOREIGN TABLE persons_%1$s PARTITION OF persons
       FOR VALUES IN ('%1$s') SERVER far%2$d OPTIONS (table_name 'persons')",
      status, k
    ))
  }
  list(servers = servers, cons = cons, run = run)
}

by_status <- function(d) {
  d <- d[order(match(d$status, c("one", "three", "two"))), ]
  rownames(d) <- NULL
  d
}

test_that("a file on three servers is released as the data frame is", {
  d <- by_status(engine_persons(900))
  made <- servers_persons(d)
  table <- dplyr::tbl(made$cons[[1]], "persons")
  expect_releases_of_frame(table, d, which = c(2, 5, 8, 10))
  formula <- log(income) ~ group * status
  expect_same_release(released(formula, table), released(formula, d))
  # Records, too
  local_small_chunks()
  columns <- c("flag", "hours", "income", "status")
  own <- d[columns]
  few <- dplyr::select(table, dplyr::all_of(columns))
  draft <- draft_codebook(own)
  expect_identical(draft_codebook(few), draft)
  expect_identical(file_plan(few, draft), file_plan(own, draft))
  # Nothing is left behind, and the session may write again
  expect_identical(DBI::dbGetQuery(made$cons[[1]],
    "SELECT relname FROM pg_class WHERE relname LIKE 'pseudosynth%'"
  )$relname, character())
  expect_identical(
    DBI::dbGetQuery(made$cons[[1]], "SHOW transaction_read_only")[[1]], "off"
  )
})

test_that("each server is read as of one moment, and nothing is written", {
  d <- by_status(engine_persons(600))
  made <- servers_persons(d)
  con <- made$cons[[1]]
  plain <- asked
  modes <- character()
  local_replaced("asked", function(con, query, most = -1) {
    found <- plain(con, query, most)
    # Once the combinations are counted
    if ("n" %in% names(found) && grepl("tableoid", query)) {
      for (k in 2:3) {
        DBI::dbExecute(made$cons[[k]], "UPDATE persons SET income = income * 2")
        DBI::dbExecute(made$cons[[k]], "DELETE FROM persons WHERE hours > 30")
      }
      modes <<- c(modes, plain(con, "SHOW transaction_read_only")[[1]])
    }
    found
  })
  formula <- log(income) ~ flag + status
  expect_same_release(
    released(formula, dplyr::tbl(con, "persons")), released(formula, d)
  )
  expect_setequal(modes, "on")
})

test_that("what a partition on another server is not certain of is told", {
  d <- by_status(engine_persons(600))
  made <- servers_persons(d)
  con <- made$cons[[1]]
  run <- made$run
  far <- statements_on(made$cons[[2]])
  ledger <- ledger(withr::local_tempfile(), epsilon = 2, delta = 1e-5)
  refused <- function(pattern, table = dplyr::tbl(con, "persons"),
                      class = "pseudosynth_error_rows") {
    error <- expect_error(
      released(log(income) ~ flag, table, ledger = ledger, seed = NULL),
      pattern, class = class
    )
    expect_identical(nrow(as.data.frame(ledger)), 0L)
    invisible(error)
  }
  stands_for <- function(name, partition = "two") {
    run(sprintf(
      "ALTER FOREIGN TABLE persons_%s OPTIONS (SET table_name '%s')", partition,
      name
    ))
  }
  far("CREATE VIEW v AS SELECT * FROM persons")
  stands_for("v")
  refused("no table there")
  stands_for("nowhere")
  refused("not there")
  far("CREATE TABLE secured (LIKE persons)")
  far("ALTER TABLE secured ENABLE ROW LEVEL SECURITY")
  stands_for("secured")
  refused("row-level security there")
  # A table there that has a part on a further server
  far("CREATE TABLE wide (LIKE persons)")
  far("CREATE EXTENSION postgres_fdw")
  far("CREATE SERVER further FOREIGN DATA WRAPPER postgres_fdw")
  far("CREATE FOREIGN TABLE narrow () INHERITS (wide) SERVER further")
  stands_for("wide")
  refused("further server")
  # A record that two partitions have
  far("CREATE TABLE other AS SELECT * FROM persons")
  far("UPDATE other SET status = 'three' WHERE hours = 40")
  stands_for("other")
  n <- sum(d$status == "two" & d$hours == 40)
  refused(sprintf("%d records outside of the bounds", n))
  stands_for("persons")
  run(sprintf(
    "ALTER SERVER far3 OPTIONS (SET host '%s')",
    environment(made$servers[[2]])$home
  ))
  refused("outside of the bounds")
  run(sprintf(
    "ALTER SERVER far3 OPTIONS (SET host '%s')",
    environment(made$servers[[3]])$home
  ))
  # Nor by parts
  refused("whole file", shards(
    dplyr::tbl(con, "persons"), dplyr::tbl(made$cons[[2]], "persons")
  ))
  whole <- released(log(income) ~ flag, d)
  expect_same_release(
    released(log(income) ~ flag, dplyr::tbl(con, "persons")), whole
  )
  # A foreign table that is no partition, and a wrapper of another kind
  table <- dplyr::tbl(con, "persons")
  table$lazy_query$x <- dbplyr::ident("persons_two")
  run("ALTER TABLE persons DETACH PARTITION persons_two")
  refused("no partition", table)
  run("CREATE EXTENSION file_fdw")
  run("CREATE SERVER files FOREIGN DATA WRAPPER file_fdw")
  run(
    "CREATE FOREIGN TABLE filed PARTITION OF persons FOR VALUES IN ('two')",
    "SERVER files OPTIONS (filename '/dev/null')"
  )
  refused("wrapper \"file_fdw\"")
  run("DROP FOREIGN TABLE filed")
  run("ALTER TABLE persons ATTACH PARTITION persons_two FOR VALUES IN ('two')")
  # Roles
  run("CREATE ROLE reader LOGIN")
  run("GRANT SELECT ON persons TO reader")
  reader <- dplyr::tbl(made$servers[[1]]("reader"), "persons")
  refused("right to SELECT", reader)
  run("GRANT SELECT ON persons_two, persons_three TO reader")
  refused("no right to use its catalogue", reader)
  run("GRANT USAGE ON FOREIGN SERVER far2, far3 TO reader")
  run("REVOKE TEMP ON DATABASE postgres FROM PUBLIC")
  refused("temporary tables", reader)
  run("GRANT TEMP ON DATABASE postgres TO reader")
  expect_same_release(released(log(income) ~ flag, reader), whole)
  # A server that goes away between two passes, before the payment
  plain <- asked
  local_replaced("asked", function(con, query, most = -1) {
    if (grepl("AS lost", query)) {
      DBI::dbExecute(made$cons[[3]], paste(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity",
        "WHERE application_name = 'postgres_fdw'"
      ))
    }
    plain(con, query, most)
  })
  refused("could not run a query", class = "pseudosynth_error_engine")
  local_replaced("asked", plain)
  run("ALTER SERVER far3 OPTIONS (SET host '/nowhere')")
  refused("catalogue could not be read")
})
