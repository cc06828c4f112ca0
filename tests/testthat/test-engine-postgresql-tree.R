# Tables of PostgreSQL whose partitions lie on other servers.

utf8 <- "-E UTF8 --locale=C"

far_server <- function(run, name, connect) {
  run(sprintf(
    "CREATE SERVER %s FOREIGN DATA WRAPPER postgres_fdw
     OPTIONS (host '%s', dbname 'postgres', fdw_tuple_cost '10')", name,
    environment(connect)$home
  ))
  run(sprintf(
    "CREATE USER MAPPING FOR PUBLIC SERVER %s
     OPTIONS (user 'tester', password_required 'false')", name
  ))
}

# A file whose partitions, by status, lie on three servers
servers_persons <- function(d, locales = rep(utf8, 3), frame = parent.frame()) {
  servers <- lapply(locales, function(locale) local_postgresql(frame, locale))
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
    far_server(run, sprintf("far%d", k), servers[[k]])
    run(sprintf(
      "CREATE FOREIGN TABLE persons_%1$s PARTITION OF persons
       FOR VALUES IN ('%1$s') SERVER far%2$d OPTIONS (table_name 'persons')",
      status, k
    ))
  }
  list(servers = servers, cons = cons, run = run)
}

by_status <- function(d) {
  d <- d[order(match(d$status, c("one", "two", "three"))), ]
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

test_that("a server whose partition has no records yet adds none", {
  d <- by_status(subset(engine_persons(600), status != "three"))
  table <- dplyr::tbl(servers_persons(d)$cons[[1]], "persons")
  expect_same_release(
    released(log(income) ~ flag, table), released(log(income) ~ flag, d)
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
  # By its key under another name a record would be within two partitions
  far("ALTER TABLE persons ADD COLUMN status2 TEXT DEFAULT 'two'")
  run("ALTER FOREIGN TABLE persons_two ALTER status
       OPTIONS (column_name 'status2')")
  refused("another name there.*status")
  run("ALTER FOREIGN TABLE persons_two ALTER status
       OPTIONS (DROP column_name)")
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
  # Columns that are something else there
  for (type in c("NUMERIC", "REAL")) {
    far(sprintf("CREATE TABLE t_%1$s AS SELECT * FROM persons", type))
    far(sprintf("ALTER TABLE t_%1$s ALTER income TYPE %1$s", type))
    stands_for(tolower(sprintf("t_%s", type)))
    refused("of another type there.*income")
  }
  far(
    "CREATE COLLATION alike (provider = icu, locale = 'und-u-ks-level2',",
    "deterministic = false)"
  )
  far("CREATE TABLE alike AS SELECT * FROM persons")
  far("ALTER TABLE alike ALTER flag TYPE TEXT COLLATE alike")
  stands_for("alike")
  refused("takes other text as equal: flag")
  far("CREATE TABLE less AS SELECT * FROM persons")
  far("ALTER TABLE less DROP flag")
  stands_for("less")
  refused("columns that are not there")
  stands_for("persons")
  # Policies of a partition that is asked by itself
  run("CREATE ROLE watched LOGIN")
  run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO watched")
  run("GRANT USAGE ON FOREIGN SERVER far2, far3 TO watched")
  run("ALTER TABLE persons_one ENABLE ROW LEVEL SECURITY")
  refused(
    "Row-level security of .*persons_one",
    dplyr::tbl(made$servers[[1]]("watched"), "persons")
  )
  run("ALTER TABLE persons_one DISABLE ROW LEVEL SECURITY")
  # Nor beside another table, which may be one that it stands for
  run("CREATE TABLE beside (LIKE plain)")
  for (tables in list(c("persons", "beside"), c("beside", "persons"))) {
    refused(
      "persons_(two|three).* has further tables",
      united(lapply(tables, dplyr::tbl, src = con))
    )
  }
  whole <- released(log(income) ~ flag, d)
  expect_same_release(
    released(log(income) ~ flag, dplyr::tbl(con, "persons")), whole
  )
  # A foreign table that no bounds keep from holding another's records, and a
  # wrapper of another kind
  run("ALTER TABLE persons DETACH PARTITION persons_two")
  run("CREATE TABLE heirs (LIKE plain)")
  run("ALTER FOREIGN TABLE persons_two INHERIT heirs")
  refused("no partition", dplyr::tbl(con, "heirs"))
  run("ALTER FOREIGN TABLE persons_two NO INHERIT heirs")
  run("CREATE EXTENSION file_fdw")
  run("CREATE SERVER files FOREIGN DATA WRAPPER file_fdw")
  run(
    "CREATE FOREIGN TABLE filed PARTITION OF persons FOR VALUES IN ('two')",
    "SERVER files OPTIONS (filename '/dev/null')"
  )
  refused("wrapper \"file_fdw\"")
  refused("wrapper \"file_fdw\"", dplyr::tbl(con, "filed"))
  run("DROP FOREIGN TABLE filed")
  run("ALTER TABLE persons ATTACH PARTITION persons_two FOR VALUES IN ('two')")
  # Roles
  run("CREATE ROLE reader LOGIN")
  run("GRANT SELECT ON persons TO reader")
  reader <- dplyr::tbl(made$servers[[1]]("reader"), "persons")
  refused("right to SELECT", reader)
  run("GRANT SELECT ON persons_one, persons_two, persons_three TO reader")
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

# Queries that a release sends to tables of other servers
far_queries <- function(code) {
  queries <- character()
  plain <- asked
  local_replaced("asked", function(con, query, most = -1) {
    if (grepl("ONLY .*persons_(two|three)\"", query)) {
      queries <<- c(queries, query)
    }
    plain(con, query, most)
  })
  code
  unique(queries)
}

test_that("other servers add up their own records", {
  d <- by_status(engine_persons(900))
  made <- servers_persons(d)
  con <- made$cons[[1]]
  table <- dplyr::tbl(con, "persons")
  expect_added_there <- function(code, least) {
    queries <- far_queries(code)
    expect_gt(length(queries), least)
    for (query in queries) {
      plan <- DBI::dbGetQuery(con, paste("EXPLAIN VERBOSE", query))[[1]]
      scans <- grep("Foreign Scan", plan, value = TRUE)
      # In place of records: a scan of these names its table
      expect_false(any(grepl("Foreign Scan on", scans)), info = query)
      expect_true(any(grepl("Relations: Aggregate on", plan)), info = query)
    }
  }
  expect_added_there(released(log(income) ~ group * flag + hours, table), 12)
  expect_added_there(works_of(works ~ group + flag, table), 6)
  expect_added_there(status_of(status ~ group, table), 4)
  expect_added_there(
    released(visits ~ status + flag, table, neg_binomial(), bounds = c(0, 60),
      reference = list("(Intercept)" = 1, size = 2)
    ), 6
  )
  # Many levels, which stand in another order elsewhere
  d$name <- sprintf("%s%02d", c("a", "B", "\u00e4"), seq_len(nrow(d)) %% 25)
  DBI::dbExecute(made$cons[[1]], "ALTER TABLE persons ADD name TEXT")
  for (k in 2:3) DBI::dbExecute(
    made$cons[[k]], "ALTER TABLE persons ADD name TEXT"
  )
  run <- made$run
  run("DELETE FROM persons")
  DBI::dbAppendTable(con, "persons", d)
  expect_added_there(
    named <- released(log(income) ~ name, dplyr::tbl(con, "persons")), 12
  )
  expect_same_release(named, released(log(income) ~ name, d))
})

test_that("a foreign table is released as the table that it stands for", {
  d <- engine_persons(600)
  made <- servers_persons(by_status(d))
  for (k in 2:3) DBI::dbExecute(made$cons[[k]], "DROP TABLE persons")
  # As a table, and as a table of partitions there
  DBI::dbWriteTable(made$cons[[2]], "whole", d)
  far <- statements_on(made$cons[[3]])
  DBI::dbWriteTable(made$cons[[3]], "plain", d[0, ])
  far("CREATE TABLE whole (LIKE plain) PARTITION BY LIST (flag)")
  for (flag in c("yes", "no")) far(sprintf(
    "CREATE TABLE whole_%1$s PARTITION OF whole FOR VALUES IN ('%1$s')", flag
  ))
  DBI::dbAppendTable(made$cons[[3]], "whole", d)
  for (k in 2:3) {
    made$run(sprintf(
      "IMPORT FOREIGN SCHEMA public LIMIT TO (whole) FROM SERVER far%d
       INTO public", k
    ))
    table <- dplyr::tbl(made$cons[[1]], "whole")
    expect_releases_of_frame(table, d, which = c(1, 4, 6, 7, 9, 10))
    local_small_chunks()
    few <- dplyr::select(table, "flag", "hours", "income")
    draft <- draft_codebook(d[c("flag", "hours", "income")])
    expect_identical(draft_codebook(few), draft)
    made$run("DROP FOREIGN TABLE whole")
  }
})

test_that("bounds that another server would read otherwise are read here", {
  d <- engine_persons(600)
  made <- servers_persons(by_status(d))
  run <- made$run
  whole <- released(log(income) ~ flag, d)
  spread <- function(by, bounds, column) {
    run("DROP TABLE IF EXISTS spread")
    run(sprintf("CREATE TABLE spread (LIKE plain) PARTITION BY %s", by))
    for (k in 2:3) {
      DBI::dbWriteTable(
        made$cons[[k]], "spread", d[0, ], overwrite = TRUE
      )
      run(sprintf(
        "CREATE FOREIGN TABLE spread%1$d PARTITION OF spread
         FOR VALUES %2$s SERVER far%1$d OPTIONS (table_name 'spread')", k,
        bounds[k - 1]
      ))
    }
    DBI::dbAppendTable(made$cons[[1]], "spread", d)
    for (k in 2:3) expect_gt(DBI::dbGetQuery(
      made$cons[[k]], "SELECT COUNT(*) AS n FROM spread"
    )$n, 100)
    expect_same_release(
      released(log(income) ~ flag, dplyr::tbl(made$cons[[1]], "spread")), whole
    )
    # A record of one on the other
    DBI::dbAppendTable(made$cons[[3]], "spread", DBI::dbGetQuery(
      made$cons[[2]], "SELECT * FROM spread LIMIT 7"
    ))
    expect_error(
      released(log(income) ~ flag, dplyr::tbl(made$cons[[1]], "spread")),
      "7 records outside", class = "pseudosynth_error_rows"
    )
  }
  spread("HASH (income)", sprintf("WITH (MODULUS 2, REMAINDER %d)", 0:1))
  spread("RANGE (hours)", c("FROM (0) TO (30)", "FROM (30) TO (99)"))
  # By ICU, "A" is between "a" and "b"
  spread("RANGE (\"group\" COLLATE \"en-x-icu\")", c(
    "FROM (MINVALUE) TO ('b')", "FROM ('b') TO (MAXVALUE)"
  ))
})

test_that("stated numbers are looked for in all servers' records together", {
  d <- by_status(persons_with_gaps())
  made <- servers_persons(d)
  expect_numbers_looked_for(dplyr::tbl(made$cons[[1]], "persons"), d)
})

test_that("a table that Citus spreads over servers is refused", {
  con <- local_postgresql()()
  DBI::dbWriteTable(con, "persons", engine_persons(300))
  DBI::dbWriteTable(con, "others", engine_persons(300))
  run <- statements_on(con)
  # As Citus has it
  run("SET allow_system_table_mods = on")
  run("CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid REGCLASS)")
  run("INSERT INTO pg_dist_partition VALUES ('persons')")
  expect_error(
    released(log(income) ~ flag, dplyr::tbl(con, "persons")), "Citus",
    class = "pseudosynth_error_rows"
  )
  expect_s3_class(
    released(log(income) ~ flag, dplyr::tbl(con, "others")), "score_release"
  )
})

test_that("columns of a type of the users' own may stay beside the others", {
  d <- by_status(engine_persons(300))
  made <- servers_persons(d)
  for (k in 1:3) {
    run <- statements_on(made$cons[[k]])
    # Of another number on each server
    if (k == 2) run("CREATE TYPE another AS ENUM ('x')")
    run("CREATE TYPE mood AS ENUM ('glad', 'sad')")
    run("ALTER TABLE persons ADD feels mood DEFAULT 'sad'")
  }
  table <- dplyr::tbl(made$cons[[1]], "persons")
  formula <- log(income) ~ flag + status
  expect_same_release(
    released(formula, dplyr::select(table, -"feels")), released(formula, d)
  )
})

test_that("tables of servers and parts of parts are asked by themselves", {
  tree <- function(oid, parent, kind) data.frame(oid, parent, kind)
  pieces <- function(...) {
    lapply(postgresql_pieces(tree(...), 1), `[[`, "oid")
  }
  expect_identical(pieces(1, NA, "r"), list(1))
  expect_identical(pieces(1, NA, "f"), list(1))
  # Without other servers it is one
  expect_identical(
    pieces(1:4 + 0, c(NA, 1, 1, 3), c("p", "r", "p", "r")), list(c(1, 2, 3, 4))
  )
  # 2 and its partitions here, 5 with a partition elsewhere
  expect_identical(pieces(
    1:7 + 0, c(NA, 1, 2, 2, 1, 5, 5), c("p", "p", "r", "r", "p", "f", "r")
  ), list(c(2, 3, 4), 6, 7))
})

test_that("servers of other encodings say the same, or that none is known", {
  d <- engine_persons(600)
  latin <- "-E LATIN1 --locale=C"
  bytes <- "-E SQL_ASCII --locale=C"
  made <- servers_persons(by_status(d), c(utf8, latin, utf8))
  table <- dplyr::tbl(made$cons[[1]], "persons")
  formula <- log(income) ~ group + status
  expect_same_release(released(formula, table), released(formula, d))
  local_small_chunks()
  few <- dplyr::filter(dplyr::select(table, "group"), .data$group != "a ")
  own <- subset(by_status(d)["group"], group != "a ")
  expect_identical(draft_codebook(few), draft_codebook(own))
  for (locales in list(c(utf8, bytes, utf8), c(bytes, utf8, utf8))) {
    own <- subset(by_status(d), group == "a")
    made <- servers_persons(own, locales)
    expect_error(
      released(formula, dplyr::tbl(made$cons[[1]], "persons")),
      "no encoding", class = "pseudosynth_error_rows"
    )
  }
})

test_that("a server that goes away after the payment loses nothing", {
  d <- by_status(engine_persons(600))
  made <- servers_persons(d)
  ledger <- ledger(withr::local_tempfile(), epsilon = 2, delta = 1e-5)
  third <- environment(made$servers[[3]])
  plain <- asked
  local_replaced("asked", function(con, query, most = -1) {
    if (nrow(as.data.frame(ledger)) > 0) third$stop()
    plain(con, query, most)
  })
  table <- dplyr::tbl(made$cons[[1]], "persons")
  error <- expect_error(
    released(log(income) ~ flag, table, ledger = ledger, seed = NULL),
    class = "pseudosynth_error_paid"
  )
  local_replaced("asked", plain)
  third$start()
  again <- suppressWarnings(suppressMessages(resume(error)))
  expect_s3_class(again, "score_release")
  expect_identical(nrow(as.data.frame(ledger)), 1L)
})
