# The tables that a table of PostgreSQL consists of: itself, its partitions and
# those that inherit from it.

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
