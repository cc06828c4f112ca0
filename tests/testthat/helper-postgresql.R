# A PostgreSQL server of the test's own, stopped when it ends. Nightly: it takes
# seconds to start, and needs the server's programs and RPostgres.

local_postgresql <- function(frame = parent.frame(),
                             locale = "-E UTF8 --locale=C") {
  skip_unless_nightly()
  skip_if_not_installed("RPostgres")
  skip_if_not_installed("dbplyr")
  # RPostgres asks for it, and some machines have none
  withr::local_envvar(TZ = "UTC", .local_envir = frame)
  folders <- c(
    dirname(Sys.which("initdb")), Sys.glob("/usr/lib/postgresql/*/bin")
  )
  bin <- Filter(function(x) file.exists(file.path(x, "initdb")), folders)
  skip_if(length(bin) == 0, "no PostgreSQL server")
  # Sockets have short paths
  home <- tempfile("pg", "/tmp")
  dir.create(home)
  # The server refuses to run as root
  root <- Sys.info()[["effective_user"]] == "root"
  if (root) system2("chown", c("postgres", home))
  run <- function(program, ...) {
    words <- c(shQuote(file.path(bin[1], program)), ...)
    command <- paste(words, collapse = " ")
    if (root) command <- paste("runuser -u postgres --", command)
    system(paste(command, ">/dev/null 2>&1"))
  }
  data <- file.path(home, "data")
  run("initdb", "-D", data, "-N -A trust -U tester", locale)
  start <- function() {
    run(
      "pg_ctl", "-D", data, "-w -o", shQuote(sprintf(
        "-k %s -c listen_addresses='' -c fsync=off", home
      )), "start"
    )
  }
  stop <- function() run("pg_ctl", "-D", data, "-w -m immediate stop")
  skip_if(start() != 0, "PostgreSQL did not start")
  withr::defer({
    stop()
    unlink(home, recursive = TRUE)
  }, frame)
  function(user = "tester") {
    con <- DBI::dbConnect(
      RPostgres::Postgres(), host = home, user = user, dbname = "postgres"
    )
    withr::defer(DBI::dbDisconnect(con), frame)
    con
  }
}
