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
    released(income, shards(d[d$hours <= 30, ], few), epsilon = 10), whole
  )
  lite <- dplyr::tbl(sqlite(persons = d), "persons")
  expect_same_release(
    released(income, shards(few, dplyr::filter(lite, .data$hours <= 30)),
      epsilon = 10
    ), whole
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

test_that("an update in the middle of a release is not seen", {
  connect <- local_postgresql()
  con <- connect()
  d <- engine_persons(500)
  DBI::dbWriteTable(con, "persons", d)
  other <- connect()
  plain <- asked
  local_replaced("asked", function(con, query, most = -1) {
    found <- plain(con, query, most)
    # Once the combinations are counted
    if ("n" %in% names(found)) {
      DBI::dbExecute(other, "UPDATE persons SET income = income * 2")
      DBI::dbExecute(other, "DELETE FROM persons WHERE hours > 30")
    }
    found
  })
  table <- dplyr::tbl(con, "persons")
  expect_same_release(
    released(log(income) ~ flag, table), released(log(income) ~ flag, d)
  )
  # A transaction of the user's own is left as it is
  DBI::dbBegin(con)
  DBI::dbExecute(con, "CREATE TABLE mine (x INTEGER)")
  expect_error(
    released(log(income) ~ flag, table), "transaction of its own",
    class = "pseudosynth_error_engine"
  )
  DBI::dbCommit(con)
  expect_true(DBI::dbExistsTable(con, "mine"))
})
