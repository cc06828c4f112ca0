test_that("a release of a table in PostgreSQL is that of the data frame", {
  connect <- local_postgresql()
  con <- connect()
  d <- engine_persons()
  DBI::dbWriteTable(con, "persons", d)
  # A role that can read, and nothing else
  DBI::dbExecute(con, "CREATE ROLE reader LOGIN")
  DBI::dbExecute(con, "GRANT SELECT ON persons TO reader")
  reader <- connect("reader")
  table <- dplyr::tbl(reader, "persons")
  income <- log(income) ~ group + flag
  whole <- released(income, d, epsilon = 10)
  expect_same_release(released(income, table, epsilon = 10), whole)
  few <- dplyr::filter(table, .data$hours > 30)
  expect_same_release(
    released(income, few, epsilon = 10),
    released(income, d[d$hours > 30, ], epsilon = 10)
  )
  status <- function(data) {
    released(status ~ flag + group, data, family = categorical(),
      reference = NULL, bounds = NULL,
      response = public_response(levels = c("one", "two", "three"))
    )
  }
  expect_same_release(status(table), status(d))
  visits <- function(data) {
    released(visits ~ flag + hours, data, family = neg_binomial(),
      reference = list("(Intercept)" = 1, size = 2), bounds = c(0, 60)
    )
  }
  expect_same_release(visits(table), visits(d))
})

test_that("columns of PostgreSQL's types are as in memory, or refused", {
  connect <- local_postgresql()
  con <- connect()
  run <- statements_on(con)
  d <- engine_persons(900)
  d$id <- seq_len(nrow(d))
  DBI::dbWriteTable(con, "plain", d)
  run("CREATE TYPE mood AS ENUM ('yes', 'no')")
  run("CREATE EXTENSION citext")
  run(
    "CREATE TABLE persons AS SELECT id, income, flag, works = 1 AS works,",
    "CAST(visits AS SMALLINT) AS visits, CAST(hours AS REAL) AS hours,",
    "CAST(hours * 1000 AS BIGINT) AS long, CAST(flag AS CHAR(5)) AS fixed,",
    "CAST(income AS NUMERIC(14, 2)) AS amount, CAST(\"group\" AS VARCHAR(9))",
    "AS \"group\", CAST('secret' AS BYTEA) AS bytes, DATE '2000-01-01' + id",
    "AS day, CAST(flag AS mood) AS mood, CAST(flag AS CITEXT) AS either,",
    "CAST(9007199254740992 + id % 2 AS BIGINT) AS huge,",
    "CASE WHEN id = 3 THEN 'NaN' ELSE hours END AS nan FROM plain"
  )
  d$long <- d$hours * 1000
  d$fixed <- d$flag
  d$amount <- d$income
  d$works <- d$works == 1
  table <- dplyr::tbl(con, "persons")
  for (formula in list(
    log(income) ~ works + visits, log(amount) ~ fixed + group,
    log(income) ~ hours + long
  )) {
    expect_same_release(released(formula, table), released(formula, d))
  }
  works <- function(data) {
    released(works ~ fixed, data, family = bernoulli(), bounds = NULL,
      reference = list("(Intercept)" = 0)
    )
  }
  expect_same_release(works(table), works(d))
  few <- function(x) {
    dplyr::filter(x, .data$works, .data$hours != 0.1, !(.data$group %in% "A"))
  }
  expect_same_release(
    released(log(income) ~ fixed, few(table)),
    released(log(income) ~ fixed, few(d))
  )
  refused <- function(formula, pattern, class = "pseudosynth_error_engine") {
    error <- expect_error(released(formula, table), pattern, class = class)
    expect_no_match(conditionMessage(error), "secret|ERROR")
    # None is left open
    DBI::dbBegin(con)
    DBI::dbRollback(con)
  }
  for (type in c("bytes", "day", "mood", "either")) {
    refused(stats::reformulate(type, quote(log(income))), "It holds")
  }
  refused(log(income) ~ huge, "at most 2\\^53")
  refused(log(income) ~ nan, "missing for 1 of 900", "pseudosynth_error_input")
  refused(sqrt(nan) ~ flag, "missing for 1 of 900", "pseudosynth_error_input")
  refused(works ~ flag, "true and false", "pseudosynth_error_input")
})

test_that("values at the ends of PostgreSQL's doubles are as in memory", {
  connect <- local_postgresql()
  con <- connect()
  d <- engine_persons(300)
  d$hours[1:5] <- c(1 / 3, 0.1 + 0.2, 1e-20 / 3, 12345678.123456789, -1e300 / 7)
  d$income[1:6] <- c(1e307, -1.7e308, 1e-320, -1e-310, 0, 5e-324)
  DBI::dbWriteTable(con, "persons", d)
  table <- dplyr::tbl(con, "persons")
  of <- function(data, ...) {
    released(income ~ flag, data, stats::gaussian(), ..., bounds = NULL)
  }
  for (sigma in c(1e-3, 1, 1e3)) {
    reference <- list("(Intercept)" = 0, sigma = sigma)
    expect_same_release(
      of(table, reference = reference), of(d, reference = reference)
    )
  }
  d$income[1:6] <- c(1e307, 1.7e308, 1e-320, 1e-310, 1e-100, 5e-324)
  DBI::dbWriteTable(con, "persons", d, overwrite = TRUE)
  expect_same_release(
    released(log(income) ~ flag, table), released(log(income) ~ flag, d)
  )
  stated <- public_response(digits = 2)
  expect_error(
    released(income ~ flag, table, stats::gaussian(), response = stated,
      reference = list("(Intercept)" = 0, sigma = 1), bounds = NULL
    ), "more decimals", class = "pseudosynth_error_input"
  )
  for (value in c("Infinity", "NaN")) {
    DBI::dbExecute(con, sprintf(
      "UPDATE persons SET income = '%s' WHERE income > 1e308", value
    ))
    expect_error(
      released(log(income) ~ flag, table), "for 1 of 300",
      class = "pseudosynth_error_input"
    )
    DBI::dbExecute(
      con, "UPDATE persons SET income = 1.7e308 WHERE income = 'Infinity'"
    )
  }
})

test_that("settings of the session change nothing", {
  connect <- local_postgresql()
  con <- connect()
  run <- statements_on(con)
  d <- engine_persons(900)
  d$hours <- d$hours + 1 / 3
  d$back <- rep(c("a\\", "b\\'c", "\\\\d"), 300)
  DBI::dbWriteTable(con, "persons", d)
  # Functions and an operator of other schemas, and a table for this session
  run("CREATE SCHEMA evil")
  run("CREATE FUNCTION evil.floor(DOUBLE PRECISION) RETURNS DOUBLE PRECISION",
    "LANGUAGE SQL AS 'SELECT 1e6::float8'"
  )
  run("CREATE FUNCTION evil.ln(DOUBLE PRECISION) RETURNS DOUBLE PRECISION",
    "LANGUAGE SQL AS 'SELECT 1e6::float8'"
  )
  run("CREATE FUNCTION evil.less(DOUBLE PRECISION, DOUBLE PRECISION) RETURNS",
    "BOOLEAN LANGUAGE SQL AS 'SELECT false'"
  )
  run("CREATE OPERATOR evil.< (FUNCTION = evil.less, LEFTARG =",
    "DOUBLE PRECISION, RIGHTARG = DOUBLE PRECISION)"
  )
  run("CREATE TABLE evil.pg_inherits (inhrelid OID, inhparent OID)")
  for (setting in c(
    "extra_float_digits = 0", "standard_conforming_strings = off",
    "backslash_quote = on",
    "search_path = evil, pg_catalog, public", "DateStyle = 'German'",
    "IntervalStyle = iso_8601", "bytea_output = escape", "quote_all_identifiers
    = on", "default_transaction_isolation = 'read committed'"
  )) {
    run("SET", setting)
  }
  table <- dplyr::tbl(con, "persons")
  formula <- log(income) ~ back + hours
  whole <- released(formula, d)
  expect_same_release(released(formula, table), whole)
  expect_same_release(
    released(formula, dplyr::filter(table, .data$back != "\\")), whole
  )
  # Settings are the session's own again
  expect_identical(
    DBI::dbGetQuery(con, "SHOW extra_float_digits")[[1]], "0"
  )
  run("CREATE TEMP VIEW persons AS SELECT * FROM public.persons")
  expect_error(
    released(formula, table), "a view", class = "pseudosynth_error_rows"
  )
  of_schema <- dplyr::tbl(con, dbplyr::in_schema("public", "persons"))
  expect_same_release(released(formula, of_schema), whole)
})

test_that("only tables that hold their records are taken", {
  connect <- local_postgresql()
  con <- connect()
  run <- statements_on(con)
  d <- engine_persons(600)
  DBI::dbWriteTable(con, "persons", d)
  run("CREATE VIEW v AS SELECT p.* FROM persons p, persons q WHERE q.hours < 1")
  run("CREATE MATERIALIZED VIEW m AS SELECT * FROM persons")
  run("CREATE EXTENSION postgres_fdw")
  run("CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw")
  run("CREATE USER MAPPING FOR tester SERVER far OPTIONS (user 'tester')")
  run("CREATE FOREIGN TABLE f (income DOUBLE PRECISION, flag TEXT) SERVER far")
  run("CREATE SEQUENCE s")
  refused <- function(data) {
    expect_error(
      released(log(income) ~ flag, data), class = "pseudosynth_error_rows"
    )
    DBI::dbBegin(con)
    DBI::dbRollback(con)
  }
  refused(dplyr::tbl(con, "v"))
  refused(dplyr::tbl(con, "m"))
  refused(dplyr::tbl(con, dbplyr::sql("SELECT * FROM persons")))
  refused(dplyr::left_join(
    dplyr::tbl(con, "persons"), dplyr::tbl(con, "persons"), by = "flag"
  ))
  # In partitions, and in tables that inherit
  run("CREATE TABLE parted (LIKE persons) PARTITION BY LIST (flag)")
  run("CREATE TABLE parted_yes PARTITION OF parted FOR VALUES IN ('yes')")
  run("CREATE TABLE parted_no PARTITION OF parted FOR VALUES IN ('no')")
  run("INSERT INTO parted SELECT * FROM persons")
  parted <- dplyr::tbl(con, "parted")
  whole <- released(log(income) ~ group, d)
  expect_same_release(released(log(income) ~ group, parted), whole)
  part <- function(name, con) dplyr::tbl(con, name)
  run("CREATE TABLE parent (LIKE persons)")
  run("INSERT INTO parent SELECT * FROM persons")
  expect_same_release(
    released(log(income) ~ group, part("parent", con)), whole
  )
  run("CREATE FOREIGN TABLE child () INHERITS (parent) SERVER far")
  table <- part("persons", con)
  table$lazy_query$x <- dbplyr::ident("parent")
  refused(table)
  table$lazy_query$x <- dbplyr::ident("f")
  refused(table)
  table$lazy_query$x <- dbplyr::ident("s")
  expect_error(
    released(log(income) ~ group, table), class = "pseudosynth_error_input"
  )
})

test_that("policies, and temporary tables that hide others, are refused", {
  connect <- local_postgresql()
  con <- connect()
  run <- statements_on(con)
  d <- engine_persons(600)
  DBI::dbWriteTable(con, "persons", d)
  for (role in c("few", "all_rows BYPASSRLS")) {
    run("CREATE ROLE", sub(" ", " LOGIN ", paste(role, "")))
    run("GRANT SELECT ON persons TO", sub(" .*", "", role))
  }
  whole <- released(log(income) ~ group, d)
  table <- function(con, name = "persons") dplyr::tbl(con, name)
  few <- connect("few")
  expect_same_release(released(log(income) ~ group, table(few)), whole)
  # One record more decides on all that the others show
  run(
    "CREATE POLICY those ON persons FOR SELECT TO few",
    "USING (hours > 30 OR EXISTS (SELECT 1 FROM pg_class WHERE relname = 'x'))"
  )
  run("ALTER TABLE persons ENABLE ROW LEVEL SECURITY")
  refused <- function(code) {
    error <- expect_error(
      code, "Row-level security", class = "pseudosynth_error_rows"
    )
    expect_match(conditionMessage(error), "BYPASSRLS")
  }
  refused(released(log(income) ~ group, table(few)))
  refused(draft_codebook(table(few)))
  refused(file_plan(table(few), draft_codebook(d["flag"])))
  DBI::dbWriteTable(con, "more", d)
  run("GRANT SELECT ON more TO few")
  refused(released(
    log(income) ~ group, dplyr::union_all(table(few, "more"), table(few))
  ))
  expect_same_release(
    released(log(income) ~ group, table(connect("all_rows"))), whole
  )
  expect_same_release(released(log(income) ~ group, table(con)), whole)
  # The owner, too, where it is forced
  run("ALTER TABLE persons OWNER TO few")
  expect_same_release(released(log(income) ~ group, table(few)), whole)
  run("ALTER TABLE persons FORCE ROW LEVEL SECURITY")
  refused(released(log(income) ~ group, table(few)))
  # What a session has set changes nothing
  persons <- table(few)
  DBI::dbExecute(few, "SET row_security = off")
  refused(released(log(income) ~ group, persons))
  DBI::dbExecute(few, "RESET row_security")
  run("ALTER TABLE persons NO FORCE ROW LEVEL SECURITY")
  # A view shows what its owner sees
  run("CREATE VIEW safe WITH (security_barrier) AS SELECT * FROM persons")
  expect_error(
    released(log(income) ~ group, table(con, "safe")), "a view",
    class = "pseudosynth_error_rows"
  )
  # Policies of a part do not count for the whole, nor are its rows hidden
  run("CREATE TABLE parent (LIKE persons)")
  run("CREATE TABLE child () INHERITS (parent)")
  run("INSERT INTO child SELECT * FROM persons")
  run("ALTER TABLE child ENABLE ROW LEVEL SECURITY")
  run("GRANT SELECT ON parent, child TO few")
  expect_same_release(
    released(log(income) ~ group, table(few, "parent")), whole
  )
  refused(released(log(income) ~ group, table(few, "child")))
  # The same name in a session's own tables
  other <- connect()
  DBI::dbExecute(other, "CREATE TEMP TABLE persons AS TABLE persons LIMIT 300")
  expect_error(
    released(log(income) ~ group, table(other)), "hides",
    class = "pseudosynth_error_rows"
  )
  expect_same_release(
    released(log(income) ~ group, dplyr::tbl(
      other, dbplyr::in_schema("public", "persons")
    )), whole
  )
  hidden <- dplyr::tbl(other, dbplyr::in_schema("pg_temp", "persons"))
  expect_same_release(
    released(log(income) ~ group, hidden),
    released(log(income) ~ group, DBI::dbGetQuery(
      other, "SELECT * FROM pg_temp.persons"
    ))
  )
})

test_that("a role that may read some columns alone is refused", {
  connect <- local_postgresql()
  con <- connect()
  d <- engine_persons(300)
  DBI::dbWriteTable(con, "persons", d)
  DBI::dbExecute(con, "CREATE ROLE few LOGIN")
  DBI::dbExecute(con, "GRANT SELECT (income, flag) ON persons TO few")
  table <- dplyr::tbl(connect("few"), dbplyr::ident("persons"), vars = names(d))
  for (formula in list(log(income) ~ flag, log(income) ~ group)) {
    error <- expect_error(
      released(formula, table), class = "pseudosynth_error_engine"
    )
    expect_no_match(conditionMessage(error), "permission|persons")
  }
})

# Another session changes something once, after a query has run
local_meddling <- function(after, meddle, frame = parent.frame()) {
  plain <- asked
  done <- FALSE
  local_replaced("asked", function(con, query, most = -1) {
    found <- plain(con, query, most)
    if (!done && grepl(after, query)) {
      done <<- TRUE
      meddle()
    }
    found
  }, frame)
}

test_that("a table that is renamed at the beginning is not mistaken", {
  connect <- local_postgresql()
  con <- connect()
  d <- engine_persons(500)
  other <- connect()
  # Once the moment is fixed, and once the name is read, before the table is
  for (after in c("set_config", "to_regclass")) {
    DBI::dbExecute(con, "DROP VIEW IF EXISTS persons")
    DBI::dbExecute(con, "DROP TABLE IF EXISTS old")
    DBI::dbWriteTable(con, "persons", d)
    local({
      local_meddling(after, function() {
        DBI::dbExecute(other, "ALTER TABLE persons RENAME TO old")
        DBI::dbExecute(other, paste(
          "CREATE VIEW persons AS SELECT o.* FROM old o, old p"
        ))
      })
      expect_error(
        released(log(income) ~ flag, dplyr::tbl(con, "persons")),
        class = if (after == "set_config") {
          "pseudosynth_error_rows"
        } else {
          "pseudosynth_error_input"
        }
      )
    })
  }
})

test_that("tables that are attached in the middle are not read", {
  connect <- local_postgresql()
  con <- connect()
  d <- engine_persons(500)
  other <- connect()
  DBI::dbWriteTable(con, "persons", d)
  run <- function(sql) DBI::dbExecute(con, sql)
  run("CREATE TABLE parted (LIKE persons) PARTITION BY LIST (flag)")
  run("CREATE TABLE yes PARTITION OF parted FOR VALUES IN ('yes')")
  run("INSERT INTO yes SELECT * FROM persons WHERE flag = 'yes'")
  run("CREATE TABLE nos (LIKE persons)")
  run("INSERT INTO nos SELECT * FROM persons WHERE flag = 'no'")
  local_meddling("pg_attribute", function() {
    DBI::dbExecute(
      other, "ALTER TABLE parted ATTACH PARTITION nos FOR VALUES IN ('no')"
    )
  })
  expect_same_release(
    released(log(income) ~ group, dplyr::tbl(con, "parted")),
    released(log(income) ~ group, d[d$flag == "yes", ])
  )
})

test_that("copies of the response are refused in PostgreSQL as in memory", {
  connect <- local_postgresql()
  con <- connect()
  d <- copies()
  DBI::dbWriteTable(con, "persons", d)
  table <- dplyr::tbl(con, "persons")
  for (column in c("text", "unit", "rank", "logarithm")) {
    formula <- stats::reformulate(c(column, "flag"), quote(log(income)))
    refused_copy(formula, table)
  }
  own <- stats::quantile(log(d$income), 0.95, names = FALSE)
  expect_error(
    released(log(income) ~ flag, table,
      reference = list("(Intercept)" = own, sigma = 1)
    ), class = "pseudosynth_error_public_ends"
  )
  # Text that other languages sort in another way
  expect_same_release(
    released(log(income) ~ group + hours, table),
    released(log(income) ~ group + hours, d)
  )
})

test_that("plans of tables in PostgreSQL are those of the data frame", {
  connect <- local_postgresql()
  con <- connect()
  run <- statements_on(con)
  d <- file_persons()
  d$works <- d$works == 1
  d$works[3] <- NA
  d$born <- as.Date("1950-01-01") + seq_len(nrow(d)) %/% 4 * 20
  d$born[9] <- NA
  DBI::dbWriteTable(con, "persons", d)
  run("CREATE ROLE reader LOGIN")
  run("GRANT SELECT ON persons TO reader")
  reader <- connect("reader")
  local_small_chunks()
  table <- dplyr::tbl(reader, "persons")
  plan <- expect_plans_of_frame(table, d)
  expect_identical(decode_file(plan), d[names(d) != "case"])
  other <- connect()
  book <- file_persons_book(d)
  expect_plan_of_one_moment(reader, other, d, book)
  refused <- function(pattern, class = "pseudosynth_error_engine") {
    error <- expect_error(file_plan(table, book), pattern, class = class)
    expect_no_match(conditionMessage(error), "SECRET|ERROR")
    DBI::dbBegin(reader)
    DBI::dbRollback(reader)
  }
  outside <- "pseudosynth_error_outside"
  run("UPDATE persons SET born = 'infinity' WHERE hours = 40")
  refused("an infinite date for")
  run("UPDATE persons SET born = '1990-01-01'")
  run("UPDATE persons SET income = 'NaN' WHERE visits = 1")
  refused("with NaN", outside)
  run("UPDATE persons SET income = 40000, visits = -2147483648")
  refused("visits", outside)
  run("ALTER TABLE persons ALTER visits TYPE BIGINT")
  refused("visits", outside)
  run("UPDATE persons SET visits = 9007199254740993")
  refused("at most 2\\^53")
  run("ALTER TABLE persons ALTER status TYPE BYTEA USING 'SECRET'")
  refused("values of type bytea")
  DBI::dbBegin(reader)
  expect_error(
    file_plan(table, book), "transaction of its own",
    class = "pseudosynth_error_engine"
  )
  DBI::dbRollback(reader)
})

test_that("a file in several tables of PostgreSQL is that of the data frame", {
  connect <- local_postgresql()
  con <- connect()
  d <- engine_persons(1500)
  d$flag <- d$flag == "yes"
  fifth <- d[4:600, ]
  fifth$flag <- ifelse(fifth$flag, "t", "f")
  run <- statements_on(con)
  run("CREATE SCHEMA own")
  run("CREATE SCHEMA far")
  run("SET search_path = own, public")
  DBI::dbWriteTable(con, "first", d[601:900, ])
  DBI::dbWriteTable(con, "second", d[901:1500, ])
  DBI::dbWriteTable(con, DBI::Id(schema = "far", table = "fifth"), fifth)
  run(
    "CREATE TABLE own.all_of (LIKE own.first) PARTITION BY LIST (flag)"
  )
  run("CREATE TABLE own.third PARTITION OF own.all_of FOR VALUES IN (true)")
  run("CREATE TABLE own.fourth PARTITION OF own.all_of DEFAULT")
  DBI::dbAppendTable(con, "all_of", d[1:3, ])
  of <- function(data, formula = log(income) ~ hours) released(formula, data)
  # Names without a schema are found on the second look, too
  tables <- lapply(c("first", "second", "all_of"), dplyr::tbl, src = con)
  parts <- c(
    tables, list(dplyr::tbl(con, dbplyr::in_schema("far", "fifth")))
  )
  expect_same_release(
    of(united(lapply(parts, dplyr::select, "income", "hours"))), of(d)
  )
  expect_same_release(
    of(united(tables), log(income) ~ flag),
    of(d[-(4:600), ], log(income) ~ flag)
  )
  expect_identical(DBI::dbGetQuery(con, "SHOW search_path")[[1]], "own, public")
  # Truth values here, text there
  expect_error(
    of(united(parts), log(income) ~ flag), "in all",
    class = "pseudosynth_error_engine"
  )
  run("CREATE TABLE own.heir () INHERITS (own.first)")
  own <- function(name) dplyr::tbl(con, dbplyr::in_schema("own", name))
  for (twice in list(
    list(tables[[3]], own("third")), list(tables[[1]], own("first")),
    list(own("heir"), tables[[1]])
  )) {
    expect_error(of(united(twice)), "one table",
      class = "pseudosynth_error_rows"
    )
  }
  run("CREATE TABLE own.gone (LIKE own.first)")
  gone <- dplyr::tbl(con, "gone")
  run("DROP TABLE own.gone")
  expect_error(
    of(dplyr::union_all(tables[[1]], gone)), "not there",
    class = "pseudosynth_error_rows"
  )
  expect_no_error(of(tables[[1]]))
})
