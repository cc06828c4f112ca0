# Tables of PostgreSQL.

postgresql_backend <- function() {
  new_backend(
    "PostgreSQL", c("PqConnection", "PostgreSQLConnection"),
    begin = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ",
    collate = "COLLATE \"C\"", typed = TRUE, find = postgresql_find,
    target = postgresql_target, places = postgresql_places,
    nth = postgresql_nth,
    # Outside of a transaction it refuses a savepoint
    inside = function(con) {
      runs(con, "SAVEPOINT pseudosynth") &&
        runs(con, "RELEASE SAVEPOINT pseudosynth")
    }
  )
}

postgresql_places <- function(x, ends) {
  ends <- postgresql_array(ends)
  sprintf("pg_catalog.width_bucket(%s, %s)", sql_double(x), ends)
}

postgresql_nth <- function(value, place) {
  sprintf("(%s)[%s]", postgresql_array(value), place)
}

postgresql_array <- function(x) {
  sprintf("CAST('{%s}' AS DOUBLE PRECISION[])", toString(shortest_text(x)))
}

# For this transaction alone. A policy that hides rows is an error in place of
# fewer rows. Numbers leave with all their digits, backslashes
# are plain, and queries are not compiled, which takes minutes for thousands of
# combinations. It sorts no records to count equal ones, since it expects far
# more combinations of many columns than there are; and records pass from its
# workers for less than it expects. Not all versions have all of these.
postgresql_settings <- c(
  standard_conforming_strings = "on", extra_float_digits = "3", jit = "off",
  client_min_messages = "error", client_encoding = "UTF8", enable_sort = "off",
  parallel_tuple_cost = "0.01", row_security = "off"
)

postgresql_set <- function(settings, ask) {
  ask(sprintf(
    "SELECT pg_catalog.set_config(name, s.v, true) FROM (VALUES %s) s (n, v)
     JOIN pg_catalog.pg_settings ON name OPERATOR(pg_catalog.=) s.n",
    toString(sprintf("('%s', '%s')", names(settings), settings))
  ))
}

postgresql_find <- function(source, backend, ask, moment) {
  level <- ask("SHOW transaction_isolation")[[1]]
  if (!identical(level, "repeatable read")) {
    abort_moment(backend)
  }
  postgresql_set(postgresql_settings, ask)
  # The name as the user's session reads it; then none but the engine's own
  if (is.null(moment$search_path)) {
    moment$search_path <- ask("SHOW search_path")[[1]]
  }
  postgresql_set(c(search_path = moment$search_path), ask)
  path <- paste(sql_name(source$path), collapse = ".")
  oid <- as.double(ask(sprintf(
    "SELECT pg_catalog.to_regclass(%s)::pg_catalog.oid::pg_catalog.int8 AS o",
    sql_value(backend, path)
  ))[[1]])
  refuse_no_table(is.na(oid), source$path, "not there")
  # Where a policy comes later the queries fail
  refuse_policies(postgresql_policies(oid, ask), source$path)
  # No one renames or changes it from here on, if it still is that table
  ask(sprintf("SELECT 1 AS one FROM %s WHERE FALSE", path))
  postgresql_set(c(search_path = "pg_catalog, pg_temp"), ask)
  locked <- ask(sprintf(
    "SELECT COUNT(*) AS n FROM pg_locks WHERE locktype = 'relation' AND granted
     AND pid = pg_backend_pid() AND relation = %.0f", oid
  ))[[1]]
  refuse_no_table(
    as.double(locked) < 1, source$path, "no longer the table that it was"
  )
  found <- postgresql_columns(source, oid, backend, ask)
  refuse_shadowed(
    length(source$path) == 1 && postgresql_shadows(oid, moment, ask),
    source$path, "pg_temp"
  )
  found
}

#' Is it a temporary table whose name hides another's on the user's path?
#' @noRd
postgresql_shadows <- function(oid, moment, ask) {
  postgresql_set(c(search_path = moment$search_path), ask)
  on.exit(postgresql_set(c(search_path = "pg_catalog, pg_temp"), ask))
  as.double(ask(sprintf(
    "SELECT pg_catalog.count(*) AS n FROM pg_catalog.pg_class t
     JOIN pg_catalog.pg_class o
       ON t.relname OPERATOR(pg_catalog.=) o.relname
       AND t.oid OPERATOR(pg_catalog.<>) o.oid
     JOIN pg_catalog.pg_namespace n
       ON o.relnamespace OPERATOR(pg_catalog.=) n.oid
     WHERE t.oid OPERATOR(pg_catalog.=) CAST(%.0f AS pg_catalog.oid)
       AND t.relpersistence OPERATOR(pg_catalog.=) 't'
       AND n.nspname OPERATOR(pg_catalog.=)
         ANY (pg_catalog.current_schemas(false))", oid
  ))[[1]]) > 0
}

postgresql_target <- function(path, backend, ask) {
  table <- sql_value(backend, paste(sql_name(path), collapse = "."))
  found <- ask(sprintf(
    "WITH RECURSIVE tree (oid, own) AS (
       SELECT CAST(pg_catalog.to_regclass(%s) AS pg_catalog.oid), true
       UNION SELECT inhrelid, false
       FROM pg_catalog.pg_inherits JOIN tree ON inhparent = tree.oid
     )
     SELECT own, CAST(relkind AS pg_catalog.text) AS kind,
       (SELECT CAST(pg_catalog.count(*) AS pg_catalog.float8)
        FROM pg_catalog.pg_trigger
        WHERE tgrelid = c.oid AND NOT tgisinternal AND tgenabled <> 'D'
       ) AS triggers,
       (SELECT CAST(pg_catalog.count(*) AS pg_catalog.float8)
        FROM pg_catalog.pg_rewrite
        WHERE ev_class = c.oid AND ev_type <> '1' AND ev_enabled <> 'D'
       ) AS rules,
       pg_catalog.row_security_active(c.oid) AS policies
     FROM tree JOIN pg_catalog.pg_class c ON c.oid = tree.oid", table
  ))
  if (nrow(found) > 0) {
    list(
      table = all(found$kind %in% c("r", "p")), triggers = sum(found$triggers),
      rules = sum(found$rules), policies = any(found$policies & found$own)
    )
  }
}
