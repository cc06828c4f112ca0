# The tables that a table of PostgreSQL consists of: itself, its partitions, on
# other servers too, and those that inherit from it.

#' Refuse what is no table, in any place of the tree
#' @param oid (number) Of the table.
#' @return (data frame) `oid`, `nspname`, `name`, `kind` of each.
#' @noRd
postgresql_tree <- function(source, oid, backend, ask) {
  found <- ask(sprintf(
    "WITH RECURSIVE tree (oid) AS (
       SELECT CAST(%.0f AS OID)
       UNION SELECT inhrelid FROM pg_inherits JOIN tree ON inhparent = tree.oid
     )
     SELECT CAST(c.oid AS BIGINT) AS oid, n.nspname, c.relname AS name,
       CAST(c.relkind AS TEXT) AS kind
     FROM tree JOIN pg_class c ON c.oid = tree.oid
     JOIN pg_namespace n ON n.oid = c.relnamespace", oid
  ))
  found$oid <- as.double(found$oid)
  kinds <- c(v = "a view", m = "a materialised view", S = "a sequence")
  other <- found$kind[!found$kind %in% c("r", "p", "f")]
  refuse_no_table(
    length(other) > 0, source$path,
    if (other[1] %in% names(kinds)) kinds[[other[1]]] else "no table"
  )
  refuse_no_table(
    !oid %in% found$oid, source$path, "newer than the transaction"
  )
  far <- found[found$kind == "f", ]
  if (nrow(far) > 0) postgresql_check_far(source, far, backend, ask)
  # From here on nothing is written, not even a temporary table
  ask("SELECT pg_catalog.set_config('transaction_read_only', 'on', true)")
  found
}

#' Marks of the server and the database: of when it started, the same in all
#' sessions, and of its files, which its copies share, where the role may see it
#' @noRd
postgresql_homes <- function(ask) {
  of <- function(what) {
    ask(sprintf(
      "SELECT CAST(%s AS TEXT) || '.' || oid AS home FROM pg_database
       WHERE datname = current_database()", what
    ))$home
  }
  may <- ask(
    "SELECT has_function_privilege('pg_control_system()', 'execute') AS may"
  )$may
  c(
    of("CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) * 1000 AS BIGINT)"),
    if (isTRUE(may)) of("(SELECT system_identifier FROM pg_control_system())")
  )
}

# Partitions on other servers --------------------------------------------------

# The extension postgres_fdw reads them. In a transaction of repeatable reads it
# begins another there with its first query, and keeps it: each server is read
# as of one moment, too.

#' Refuse partitions on other servers, unless each of their records is one row
#'
#' A foreign table may stand for anything: a view, or a table that another
#' partition stands for, too. So the other server's catalogue is looked at, and
#' all records must be within the bounds of their partition, which do not
#' overlap.
#' @param far (data frame) Foreign tables, see postgresql_tree().
#' @noRd
postgresql_check_far <- function(source, far, backend, ask) {
  table <- function(one) {
    paste(sql_name(c(one$nspname, one$name)), collapse = ".")
  }
  # No one changes what they stand for from here on
  for (i in seq_len(nrow(far))) {
    lock <- sprintf("SELECT 1 AS one FROM %s WHERE FALSE", table(far[i, ]))
    refuse_far(is.null(or_else(ask(lock))), far[i, ], "must be read
      alone, too: this role needs the right to SELECT from it")
  }
  far <- ask(sprintf(
    "SELECT n.nspname, c.relname AS name, c.relispartition AS part, s.srvname,
       w.fdwname, p.proname AS handler,
       has_server_privilege(s.oid, 'USAGE') AS may,
       COALESCE((SELECT option_value FROM pg_options_to_table(ftoptions)
         WHERE option_name = 'schema_name'), n.nspname) AS far_schema,
       COALESCE((SELECT option_value FROM pg_options_to_table(ftoptions)
         WHERE option_name = 'table_name'), c.relname) AS far_name,
       COALESCE(pg_get_partition_constraintdef(c.oid), 'true') AS bound
     FROM pg_foreign_table ft JOIN pg_class c ON c.oid = ftrelid
     JOIN pg_namespace n ON n.oid = relnamespace
     JOIN pg_foreign_server s ON s.oid = ftserver
     JOIN pg_foreign_data_wrapper w ON w.oid = srvfdw
     LEFT JOIN pg_proc p ON p.oid = fdwhandler WHERE ftrelid IN (%s)
     ORDER BY s.srvname, c.oid", toString(sprintf("%.0f", far$oid))
  ))
  far <- split(far, seq_len(nrow(far)))
  for (one in far) check_far_server(one)
  servers <- unique(vapply(far, `[[`, "", "srvname"))
  for (one in far) {
    postgresql_far_catalogue(source, one, match(one$srvname, servers))
    check_far_table(one, or_else(
      postgresql_far_table(one, match(one$srvname, servers), backend, ask)
    ))
  }
  for (one in far) {
    beyond <- ask(sprintf(
      "SELECT CAST(SUM(CASE WHEN %s THEN 0 ELSE 1 END) AS FLOAT8) AS n FROM %s",
      one$bound, table(one)
    ))$n
    refuse_far(isTRUE(beyond > 0), one, sprintf(
      "has %s outside of the bounds of its partition, which another partition
       may have, too", counted(beyond, "record")
    ))
  }
}

#' @param one (data frame) A row: what the catalogue has of a foreign table.
#' @noRd
check_far_server <- function(one) {
  refuse_far(
    !one$part, one,
    "is a table of another server, and no partition: connect to that server"
  )
  refuse_far(!one$handler %in% "postgres_fdw_handler", one, sprintf(
    "is read by the wrapper \"%s\", which promises no moment", one$fdwname
  ))
  refuse_far(!one$may, one, sprintf(
    "is on the server \"%s\", and this role has no right to use its catalogue",
    one$srvname
  ))
}

#' @param found (data frame or `NULL`) See postgresql_far_table().
#' @noRd
check_far_table <- function(one, found) {
  refuse_far(is.null(found), one, sprintf(
    "is on the server \"%s\", whose catalogue could not be read", one$srvname
  ))
  refuse_far(nrow(found) == 0, one, "stands for a table that is not there")
  refuse_far(
    !all(found$kind %in% c("r", "p")), one,
    "stands for what is no table there, or for one of a further server"
  )
  refuse_far(found$secured[1], one, "has row-level security there")
}

refuse_far <- function(wrong, one, is) {
  name <- one$name
  is <- gsub("\\s+", " ", is)
  refuse_if(
    wrong,
    "Partitions on other servers must be tables that hold each record once.",
    x = "{.val {name}} {is}.",
    i = "Correct it, or give the tables themselves by {.fn shards}.",
    arg = "data", class = "pseudosynth_error_rows"
  )
}

#' The catalogue of another server, as tables of this transaction alone
#' @param k (count) Which server.
#' @noRd
postgresql_far_catalogue <- function(source, one, k) {
  columns <- c(
    pg_class = "oid OID, relname NAME, relnamespace OID, relkind \"char\",
      relrowsecurity BOOLEAN",
    pg_namespace = "oid OID, nspname NAME",
    pg_inherits = "inhrelid OID, inhparent OID"
  )
  made <- vapply(names(columns), function(name) {
    runs(source$con, sprintf(
      "CREATE FOREIGN TABLE IF NOT EXISTS pg_temp.pseudosynth_%s_%d (%s)
       SERVER %s OPTIONS (schema_name 'pg_catalog', table_name '%s')",
      name, k, columns[[name]], sql_name(one$srvname), name
    ))
  }, NA)
  refuse_far(
    !all(made), one,
    "needs a look at its catalogue: this role must be able to make temporary
     tables, in a session that may write"
  )
}

#' What a foreign table stands for
#' @return (data frame) `kind`, `secured` by table of its tree, it first.
#' @noRd
postgresql_far_table <- function(one, k, backend, ask) {
  ask(sprintf(
    "WITH RECURSIVE tree (oid, depth) AS (
       SELECT c.oid, 0 FROM pg_temp.pseudosynth_pg_class_%1$d c
       JOIN pg_temp.pseudosynth_pg_namespace_%1$d n ON n.oid = relnamespace
       WHERE nspname = %2$s AND relname = %3$s
       UNION SELECT inhrelid, depth + 1
       FROM pg_temp.pseudosynth_pg_inherits_%1$d
       JOIN tree ON inhparent = tree.oid
     )
     SELECT CAST(relkind AS TEXT) AS kind, relrowsecurity AS secured
     FROM tree JOIN pg_temp.pseudosynth_pg_class_%1$d c ON c.oid = tree.oid
     ORDER BY depth", k, sql_value(backend, one$far_schema),
    sql_value(backend, one$far_name)
  ))
}
