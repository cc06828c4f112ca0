# The tables that a table of PostgreSQL consists of: itself, its partitions, on
# other servers too, and those that inherit from it.

postgresql_columns <- function(source, oid, backend, ask) {
  found <- postgresql_tree(source, oid, backend, ask)
  columns <- ask(sprintf(
    "SELECT attname, CASE WHEN n.nspname = 'pg_catalog' THEN ''
       ELSE n.nspname || '.' END || typname AS type
     FROM pg_attribute JOIN pg_type t ON t.oid = atttypid
     JOIN pg_namespace n ON n.oid = typnamespace
     WHERE attrelid = %.0f AND attnum > 0 AND NOT attisdropped", oid
  ))
  pieces <- lapply(postgresql_pieces(found, oid), function(own) {
    c(postgresql_piece(own, backend), list(
      columns = columns$attname, stored = columns$type,
      marks = sprintf("%.0f", own$oid)
    ))
  })
  list(pieces = pieces)
}

#' Tables that are asked by themselves: those of other servers, which then add
#' up their own records, and the largest ones without any of them
#' @param found (data frame) See postgresql_tree().
#' @return (list of data frames) Rows of `found`, the table itself first.
#' @noRd
postgresql_pieces <- function(found, oid) {
  below <- found$oid[found$parent %in% oid]
  own <- found[found$oid == oid, ]
  pieces <- unlist(
    lapply(below, postgresql_pieces, found = found), recursive = FALSE
  )
  kinds <- vapply(pieces, function(piece) piece$kind[1], "")
  if (own$kind == "f" || "f" %in% kinds) {
    # A partitioned table has no records but those of its partitions
    return(c(if (own$kind != "p") list(own), pieces))
  }
  list(do.call(rbind, c(list(own), pieces)))
}

#' How one is asked, see `find` of new_backend()
#' @noRd
postgresql_piece <- function(own, backend) {
  far <- own$kind[1] == "f"
  list(
    schema = own$nspname[1], name = own$name[1], alone = far,
    backend = if (far) postgresql_far_backend(backend),
    # A table that is attached later is read by none of the queries
    only = if (!far) {
      sprintf("f.tableoid IN (%s)", toString(sprintf("%.0f", own$oid)))
    }
  )
}

#' Refuse what is no table, in any place of the tree
#' @param oid (number) Of the table.
#' @return (data frame) `oid`, `parent`, `nspname`, `name`, `kind` of each.
#' @noRd
postgresql_tree <- function(source, oid, backend, ask) {
  found <- ask(sprintf(
    "WITH RECURSIVE tree (oid, parent) AS (
       SELECT CAST(%.0f AS OID), CAST(NULL AS OID)
       UNION SELECT inhrelid, inhparent
       FROM pg_inherits JOIN tree ON inhparent = tree.oid
     )
     SELECT CAST(c.oid AS BIGINT) AS oid, CAST(parent AS BIGINT) AS parent,
       n.nspname, c.relname AS name, CAST(c.relkind AS TEXT) AS kind
     FROM tree JOIN pg_class c ON c.oid = tree.oid
     JOIN pg_namespace n ON n.oid = c.relnamespace ORDER BY c.oid", oid
  ))
  # Of two tables it may inherit
  found <- found[!duplicated(found$oid), ]
  kinds <- c(v = "a view", m = "a materialised view", S = "a sequence")
  other <- found$kind[!found$kind %in% c("r", "p", "f")]
  refuse_no_table(
    length(other) > 0, source$path,
    if (other[1] %in% names(kinds)) kinds[[other[1]]] else "no table"
  )
  refuse_no_table(
    !oid %in% found$oid, source$path, "newer than the transaction"
  )
  refuse_no_table(
    postgresql_is_spread(found$oid, ask), source$path,
    "spread over servers by Citus, which show no common moment"
  )
  if (any(found$kind == "f")) {
    check_read_alone(found, ask)
    postgresql_check_far(source, found, backend, ask)
  }
  # From here on nothing is written, not even a temporary table
  ask("SELECT pg_catalog.set_config('transaction_read_only', 'on', true)")
  found
}

#' Does the catalogue of the extension Citus have one of these tables?
#' @noRd
postgresql_is_spread <- function(oid, ask) {
  if (is.na(ask("SELECT to_regclass('pg_dist_partition') AS name")$name)) {
    return(FALSE)
  }
  as.double(ask(sprintf(
    "SELECT COUNT(*) AS n FROM pg_dist_partition
     WHERE CAST(logicalrelid AS OID) IN (%s)",
    toString(sprintf("%.0f", oid))
  ))$n) > 0
}

#' Do policies decide which rows this role sees?
#' @noRd
postgresql_policies <- function(oid, ask) {
  isTRUE(ask(sprintf(
    "SELECT pg_catalog.row_security_active(CAST(%.0f AS pg_catalog.oid)) AS a",
    oid
  ))[[1]])
}

#' Refuse tables that this role cannot read by themselves
#'
#' From here on no one changes what they stand for.
#' @noRd
check_read_alone <- function(found, ask) {
  # A partitioned table is not asked itself
  for (one in split(found, seq_len(nrow(found)))[found$kind != "p"]) {
    refuse_policies(
      postgresql_policies(one$oid, ask), c(one$nspname, one$name)
    )
    lock <- sprintf("SELECT 1 AS one FROM %s WHERE FALSE", sql_table(one))
    refuse_far(is.null(or_else(ask(lock))), one, "must be read alone, too: this
      role needs the right to SELECT from it")
  }
}
