#!/usr/bin/env bash
# Installs what a make target needs and is missing; says nothing when nothing
# is. Called by the Makefile:
#
#   tools/install-dependencies.sh run|test|check|core|ci|lint|document|coverage|site
#
# On Debian (and its derivatives), as root and with the distribution's own R,
# the ready-built packages r-cran-* are installed with apt-get. Everything
# else, and whatever apt-get does not have, comes from CRAN as source and goes
# to the private library given by the environment variable LIBRARY, so that
# nothing outside this folder is changed.

set -u
cd "$(dirname "$0")/.." || exit 1

purpose=${1:-run}
LIBRARY=${LIBRARY:-$PWD/.library}
export R_LIBS="$LIBRARY${R_LIBS:+:$R_LIBS}"

say() { printf '%s\n' "install-dependencies: $*" >&2; }
die() { say "$@"; exit 1; }

command -v Rscript >/dev/null 2>&1 ||
  die "Rscript is not on the PATH. Install R 4.2 or later and try again" \
      "(Debian: apt-get install r-base-core)."

# ---- what is needed ----------------------------------------------------------

case $purpose in
  run)      fields="Imports LinkingTo"; extra="" ; programs="" ;;
  test)     fields="Imports LinkingTo"; extra="testthat withr future DBI RSQLite dbplyr dplyr"; programs="" ;;
  check)    fields="Imports LinkingTo Suggests"; extra=""; programs="pandoc qpdf" ;;
  core)     fields=""; extra="RcppEigen"; programs="" ;;
  ci)       fields=""; extra=""; programs="pngquant" ;;
  coverage) fields="Imports LinkingTo"; extra="testthat withr covr"; programs="" ;;
  lint)     fields=""; extra="lintr"; programs="" ;;
  document) fields="Imports LinkingTo"; extra="roxygen2"; programs="" ;;
  site)     fields="Imports LinkingTo Suggests"; extra="pkgdown"; programs="pandoc" ;;
  *)        die "unknown purpose '$purpose'." ;;
esac

# Packages that are absent or too old, of those in DESCRIPTION and the extra
# ones. Base packages are always there.
missing_packages() {
  Rscript --vanilla - "$fields" "$extra" <<'RSCRIPT'
words <- lapply(
  commandArgs(trailingOnly = TRUE),
  function(x) strsplit(x, " ", fixed = TRUE)[[1]]
)
if (getRversion() < "4.2") {
  stop("R 4.2 or later is needed, this is ", getRversion())
}
description <- read.dcf("DESCRIPTION")
fields <- intersect(words[[1]], colnames(description))
declared <- trimws(unlist(strsplit(description[1, fields], ",")))
wanted <- unique(sub("[ (\n].*", "", c(declared, unlist(words[-1]))))
# Tests that need these skip without them: they compile for minutes, or need a
# library of a database, and distributions seldom have them.
wanted <- setdiff(wanted, c("", "duckdb", "nanoparquet", "RPostgres"))
there <- vapply(
  wanted, function(package) nzchar(system.file(package = package)), NA
)
cat(wanted[!there])
RSCRIPT
}

missing_programs() {
  for program in $programs; do
    command -v "$program" >/dev/null 2>&1 || printf '%s ' "$program"
  done
}

packages=$(missing_packages) || die "R could not list its packages."
absent=$(missing_programs)
[ -z "$packages$absent" ] && exit 0

# ---- Debian ------------------------------------------------------------------

# The r-cran-* packages are made for Debian's R; an R of another origin would
# not see them.
is_debian_root() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 &&
    dpkg -S "$(R RHOME)/bin/R" >/dev/null 2>&1
}

debian_names() {
  for package in $packages; do
    printf 'r-cran-%s ' "$(printf '%s' "$package" | tr '[:upper:]' '[:lower:]')"
  done
  printf '%s' "$absent"
}

has_candidate() {
  apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'
}

available_names() {
  for name in $(debian_names); do
    if has_candidate "$name"; then printf '%s ' "$name"; fi
  done
}

if is_debian_root; then
  export DEBIAN_FRONTEND=noninteractive
  log=$(mktemp)
  names=$(available_names)
  if [ "$(printf '%s' "$names" | wc -w)" -lt "$(debian_names | wc -w)" ]; then
    say "reading Debian's package lists"
    apt-get update -qq >"$log" 2>&1 </dev/null ||
      { tail -5 "$log" >&2; say "apt-get update failed; going on."; }
    names=$(available_names)
  fi
  if [ -n "$names" ]; then
    say "apt-get install $names"
    # shellcheck disable=SC2086
    if ! apt-get install -qq -y --no-install-recommends $names \
        >"$log" 2>&1 </dev/null; then
      # the lists may be older than the mirror
      apt-get update -qq >>"$log" 2>&1 </dev/null
      # shellcheck disable=SC2086
      apt-get install -qq -y --no-install-recommends $names \
        >>"$log" 2>&1 </dev/null ||
        { tail -15 "$log" >&2; say "apt-get install failed; trying CRAN."; }
    fi
  fi
  rm -f "$log"
  packages=$(missing_packages) || die "R could not list its packages."
fi

# ---- CRAN --------------------------------------------------------------------

if [ -n "$packages" ]; then
  mkdir -p "$LIBRARY"
  say "from CRAN into $LIBRARY (this can take some minutes): $packages"
  Rscript --no-init-file - "$LIBRARY" "$packages" <<'RSCRIPT'
arguments <- commandArgs(trailingOnly = TRUE)
options(timeout = 600)
# R's own choice of a mirror, or the first of its list.
if (identical(getOption("repos")[["CRAN"]], "@CRAN@")) {
  utils::chooseCRANmirror(ind = 1, local.only = TRUE)
}
wanted <- strsplit(arguments[2], " ", fixed = TRUE)[[1]]
utils::install.packages(
  wanted, lib = arguments[1], Ncpus = 2, quiet = TRUE,
  dependencies = c("Depends", "Imports", "LinkingTo")
)
RSCRIPT
  packages=$(missing_packages) || die "R could not list its packages."
fi

absent=$(missing_programs)
[ -z "$packages" ] ||
  die "these R packages are missing and could not be installed: $packages." \
      "Is the network reachable? By hand, in R: install.packages(c($(
        printf '"%s", ' $packages | sed 's/, $//')))"
[ -z "$absent" ] ||
  die "these programs are missing: ${absent% }. Install them and try again."
say "done"
