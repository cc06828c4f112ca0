# Tables of PostgreSQL that other servers hold: partitions, or a table itself.

# The extension postgres_fdw reads them. In a transaction of repeatable reads it
# begins another there with its first query, and keeps it: each server is read
# as of one moment, too. A query that it can tell the other server as a whole is
# computed there. It tells none that compares text in another order than that of
# the column, none that starts from another's answer, and nothing of tableoid.

#' How a table of another server is asked
#'
#' That text is equal means that its bytes are: check_far_columns().
#' @noRd
postgresql_far_backend <- function(backend) {
  backend[c("collate", "passes_on")] <- list("", TRUE)
  backend
}

#' Refuse tables of other servers, unless each of their records is one row
#'
#' A foreign table may stand for anything: a view, or a table that another
#' partition stands for, too. So the other server's catalogue is looked at, and
#' all records must be within the bounds of their partition, which do not
#' overlap.
#' @param found (data frame) See postgresql_tree().
#' @noRd
postgresql_check_far <- function(source, found, backend, ask) {
  alone <- nrow(found) == 1
  far <- postgresql_far(found$oid[found$kind == "f"], ask)
  refuse_far(
    !source$whole, far[[1]],
    "is a table of another server, and {.arg data} has further tables: one of
     them may be, or may hold, what it stands for"
  )
  for (one in far) check_far_server(one, alone)
  servers <- unique(vapply(far, `[[`, "", "srvname"))
  for (one in far) {
    k <- match(one$srvname, servers)
    postgresql_far_catalogue(source, one, k)
    check_far_table(one, or_else(postgresql_far_table(one, k, backend, ask)))
    check_far_columns(one, k, backend, ask, alone)
  }
  check_far_encoding(far, servers, ask)
  if (!alone) for (one in far) check_far_bounds(one, ask)
}

sql_table <- function(one) {
  paste(sql_name(c(one$nspname, one$name)), collapse = ".")
}

#' What the catalogue has of foreign tables
#' @return (list of data frames) Of one row each; `local`: what tells that a
#'   partition's bound must be looked at here. An order of text is another one
#'   elsewhere, and so is the number of a table in the bound of a hash.
#' @noRd
postgresql_far <- function(oid, ask) {
  far <- ask(sprintf(
    "SELECT CAST(c.oid AS BIGINT) AS oid, n.nspname, c.relname AS name,
       c.relispartition AS part, s.srvname, w.fdwname, p.proname AS handler,
       has_server_privilege(s.oid, 'USAGE') AS may,
       COALESCE((SELECT option_value FROM pg_options_to_table(ftoptions)
         WHERE option_name = 'schema_name'), n.nspname) AS far_schema,
       COALESCE((SELECT option_value FROM pg_options_to_table(ftoptions)
         WHERE option_name = 'table_name'), c.relname) AS far_name,
       COALESCE(pg_get_partition_constraintdef(c.oid), 'true') AS bound,
       EXISTS (SELECT 1 FROM pg_partition_ancestors(c.oid) a (oid)
         JOIN pg_partitioned_table t ON t.partrelid = a.oid
         WHERE partstrat <> 'l' AND (partstrat <> 'r'
           OR 0 <> ANY (CAST(partcollation AS OID[])))) AS local
     FROM pg_foreign_table ft JOIN pg_class c ON c.oid = ftrelid
     JOIN pg_namespace n ON n.oid = relnamespace
     JOIN pg_foreign_server s ON s.oid = ftserver
     JOIN pg_foreign_data_wrapper w ON w.oid = srvfdw
     LEFT JOIN pg_proc p ON p.oid = fdwhandler WHERE ftrelid IN (%s)
     ORDER BY s.srvname, c.oid", toString(sprintf("%.0f", oid))
  ))
  split(far, seq_len(nrow(far)))
}

#' @param one (data frame) A row of postgresql_far().
#' @param alone (flag) Is it the whole file?
#' @noRd
check_far_server <- function(one, alone) {
  refuse_far(
    !one$part && !alone, one,
    "is a table of another server that is no partition: no bounds keep it from
     holding records of the others"
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

#' Refuse columns that are something else there: a query that is computed there
#' would mean another thing
#' @inheritParams check_far_server
#' @noRd
check_far_columns <- function(one, k, backend, ask, alone) {
  columns <- ask(sprintf(
    "SELECT attname AS name, COALESCE((SELECT option_value
       FROM pg_options_to_table(attfdwoptions)
       WHERE option_name = 'column_name'), attname) AS far,
       CAST(atttypid AS BIGINT) AS type,
       COALESCE(collisdeterministic, true) AS certain
     FROM pg_attribute LEFT JOIN pg_collation c ON c.oid = attcollation
     WHERE attrelid = %.0f AND attnum > 0 AND NOT attisdropped", one$oid
  ))
  # With the key of the bounds under two names a record is within both
  renamed <- columns$name[columns$far != columns$name]
  refuse_far(!alone && length(renamed) > 0, one, sprintf(
    "has columns that have another name there, so that its bounds do not keep
     records of other partitions out: %s", toString(renamed)
  ))
  there <- or_else(ask(postgresql_far_query(one, k, backend,
    "SELECT attname AS name, CAST(atttypid AS BIGINT) AS type,
       COALESCE(collisdeterministic, true) AS certain
     FROM own JOIN pseudosynth_pg_attribute a ON attrelid = own.oid
     LEFT JOIN pseudosynth_pg_collation c ON c.oid = attcollation
     WHERE attnum > 0 AND NOT attisdropped"
  )))
  refuse_far(is.null(there), one, sprintf(
    "is on the server \"%s\", whose catalogue could not be read", one$srvname
  ))
  # Of types of the users' own nothing is computed there
  columns <- columns[columns$type < 16384, ]
  at <- match(columns$far, there$name)
  refuse_far(anyNA(at), one, "has columns that are not there")
  # Types of text: varchar is read as text
  same <- function(type) ifelse(type == 1043, 25, type)
  other <- columns$name[same(columns$type) != same(there$type[at]) |
    !(columns$certain & there$certain[at])]
  refuse_far(length(other) > 0, one, sprintf(
    "has columns that are of another type there, or whose text is compared by
     a collation that takes other text as equal: %s", toString(other)
  ))
}

#' Refuse text of which no one knows what it says
#' @noRd
check_far_encoding <- function(far, servers, ask) {
  here <- ask("SHOW server_encoding")[[1]]
  for (one in far) {
    there <- ask(sprintf(
      "SELECT setting FROM pg_temp.pseudosynth_pg_settings_%d
       WHERE name = 'server_encoding'", match(one$srvname, servers)
    ))$setting
    refuse_far("SQL_ASCII" %in% c(here, there), one, sprintf(
      "is on the server \"%s\": its database or this one has no encoding of
       text (SQL_ASCII)", one$srvname
    ))
  }
}

check_far_bounds <- function(one, ask) {
  table <- paste("ONLY", sql_table(one))
  # What has an offset is computed here
  if (one$local) table <- sprintf("(SELECT * FROM %s OFFSET 0) f", table)
  beyond <- ask(sprintf(
    "SELECT COALESCE(CAST(SUM(CASE WHEN %s THEN 0 ELSE 1 END) AS FLOAT8), 0)
       AS n FROM %s",
    one$bound, table
  ))$n
  refuse_far(beyond > 0, one, sprintf(
    "has %s outside of the bounds of its partition, which another partition
     may have, too", counted(beyond, "record")
  ))
}

refuse_far <- function(wrong, one, is) {
  name <- one$name
  is <- gsub("\\s+", " ", is)
  refuse_if(
    wrong,
    "Tables on other servers must hold each record once.",
    x = "{.val {name}} {is}.",
    i = "Correct it, or write the records to one table. What several servers
         hold may be a table whose partitions, with bounds of their own, are
         foreign tables.",
    arg = "data", class = "pseudosynth_error_rows"
  )
}

# Catalogues of other servers --------------------------------------------------

postgresql_catalogues <- c(
  pg_class = "oid OID, relname NAME, relnamespace OID, relkind \"char\",
    relrowsecurity BOOLEAN",
  pg_namespace = "oid OID, nspname NAME",
  pg_inherits = "inhrelid OID, inhparent OID",
  pg_attribute = "attrelid OID, attname NAME, atttypid OID, attnum INT2,
    attisdropped BOOLEAN, attcollation OID",
  pg_collation = "oid OID, collisdeterministic BOOLEAN",
  pg_settings = "name TEXT, setting TEXT"
)

#' The catalogue of another server, as tables of this transaction alone
#' @param k (count) Which server.
#' @noRd
postgresql_far_catalogue <- function(source, one, k) {
  made <- vapply(names(postgresql_catalogues), function(name) {
    runs(source$con, sprintf(
      "CREATE FOREIGN TABLE IF NOT EXISTS pg_temp.pseudosynth_%s_%d (%s)
       SERVER %s OPTIONS (schema_name 'pg_catalog', table_name '%s')",
      name, k, postgresql_catalogues[[name]], sql_name(one$srvname), name
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
  ask(postgresql_far_query(one, k, backend,
    ", tree (oid, depth) AS (
       SELECT oid, 0 FROM own UNION SELECT inhrelid, depth + 1
       FROM pseudosynth_pg_inherits JOIN tree ON inhparent = tree.oid
     )
     SELECT CAST(relkind AS TEXT) AS kind, relrowsecurity AS secured
     FROM tree JOIN pseudosynth_pg_class c ON c.oid = tree.oid
     ORDER BY depth"
  ))
}

#' A query of the catalogue of another server
#' @param query (string) That starts from `own`: the `oid` of the table.
#' @noRd
postgresql_far_query <- function(one, k, backend, query) {
  query <- paste(
    "WITH RECURSIVE own AS (
       SELECT c.oid FROM pseudosynth_pg_class c
       JOIN pseudosynth_pg_namespace n ON n.oid = relnamespace
       WHERE nspname = %s AND relname = %s
     )", query
  )
  sprintf(
    gsub("(pseudosynth_[a-z_]+)", sprintf("pg_temp.\\1_%d", k), query),
    sql_value(backend, one$far_schema), sql_value(backend, one$far_name)
  )
}
