#!/usr/bin/env bash
# Installs what a make target needs and is missing; says nothing when nothing
# is. Called by the Makefile:
#
#   tools/install-dependencies.sh <purpose> [list]
#
# With `list` it names the packages instead.
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

# What the tests and the check use: all that DESCRIPTION suggests, but for what
# takes more than three minutes to install, or a library that R does not bring
# (its Config/Needs/slow).
suggested="Imports LinkingTo Suggests"
case $purpose in
  run)      fields="Imports LinkingTo"; extra=""; programs="" ;;
  test)     fields=$suggested; extra=""; programs="pandoc" ;;
  check)    fields=$suggested; extra=""; programs="pandoc qpdf" ;;
  core)     fields=""; extra="RcppEigen"; programs="" ;;
  ci)       fields=""; extra=""; programs="pngquant" ;;
  coverage) fields=$suggested; extra="covr"; programs="" ;;
  lint)     fields=""; extra="lintr"; programs="" ;;
  document) fields="Imports LinkingTo"; extra="roxygen2"; programs="" ;;
  site)     fields=$suggested; extra="pkgdown"; programs="pandoc" ;;
  nightly)  fields=$suggested; extra="rpms"; programs="pandoc" ;;
  *)        die "unknown purpose '$purpose'." ;;
esac

# Packages that are absent, of those in DESCRIPTION and the extra ones; with
# `all`, also those that are there. Base packages are always there.
wanted_packages() {
  Rscript --vanilla - "$fields" "$extra" "${1:-absent}" <<'RSCRIPT'
words <- lapply(
  commandArgs(trailingOnly = TRUE),
  function(x) strsplit(x, " ", fixed = TRUE)[[1]]
)
if (getRversion() < "4.2") {
  stop("R 4.2 or later is needed, this is ", getRversion())
}
description <- read.dcf("DESCRIPTION")
named <- function(fields) {
  fields <- intersect(fields, colnames(description))
  declared <- trimws(unlist(strsplit(description[1, fields], ",")))
  sub("[ (\n].*", "", declared)
}
wanted <- unique(c(named(words[[1]]), words[[2]]))
wanted <- setdiff(wanted, c("", named("Config/Needs/slow")))
there <- vapply(
  wanted, function(package) nzchar(system.file(package = package)), NA
)
cat(if (words[[3]] == "all") wanted else wanted[!there])
RSCRIPT
}

missing_programs() {
  for program in $programs; do
    command -v "$program" >/dev/null 2>&1 || printf '%s ' "$program"
  done
}

if [ "${2:-}" = list ]; then
  wanted_packages all
  exit
fi
packages=$(wanted_packages) || die "R could not list its packages."
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
  packages=$(wanted_packages) || die "R could not list its packages."
fi

# ---- CRAN --------------------------------------------------------------------

# All that has to be built, in R's own words: what is missing and what that needs
from_cran() {
  Rscript --no-init-file - "$@" <<'RSCRIPT'
arguments <- commandArgs(trailingOnly = TRUE)
options(timeout = 600)
# R's own choice of a mirror, or the first of its list.
if (identical(getOption("repos")[["CRAN"]], "@CRAN@")) {
  utils::chooseCRANmirror(ind = 1, local.only = TRUE)
}
wanted <- strsplit(arguments[3], " ", fixed = TRUE)[[1]]
needs <- c("Depends", "Imports", "LinkingTo")
all <- unlist(tools::package_dependencies(
  wanted, utils::available.packages(), needs, recursive = TRUE
))
all <- setdiff(c(wanted, all), rownames(utils::installed.packages()))
if (arguments[1] == "list") {
  cat(all)
} else {
  # The last versions that are built without cmake
  older <- c(RcppParallel = "5.1.10", fs = "1.6.3")
  older <- older[names(older) %in% all & !nzchar(Sys.which("cmake"))]
  if (length(older) > 0) {
    utils::install.packages(
      sprintf(
        "%s/Archive/%s/%s_%s.tar.gz",
        utils::contrib.url(getOption("repos")[["CRAN"]], "source"),
        names(older), names(older), older
      ),
      lib = arguments[2], repos = NULL, type = "source", quiet = TRUE,
      dependencies = FALSE
    )
  }
  wanted <- setdiff(wanted, rownames(utils::installed.packages(arguments[2])))
  utils::install.packages(
    wanted, lib = arguments[2], Ncpus = 2, quiet = TRUE, dependencies = needs,
    keep_outputs = arguments[4]
  )
}
RSCRIPT
}

if [ -n "$packages" ]; then
  logs=$PWD/.stamps/cran
  mkdir -p "$LIBRARY" "$logs"
  say "from CRAN into $LIBRARY (this can take some minutes): $packages"
  needed=$(from_cran list "$LIBRARY" "$packages") ||
    say "CRAN's list of packages cannot be read."
  there=$(compgen -G "$LIBRARY/[!0]*/DESCRIPTION" | wc -l)
  export -f from_cran
  MAKEFLAGS=-j2 tools/alive.sh "Packages from CRAN" \
    "$LIBRARY/[!0]*/DESCRIPTION" $((there + $(wc -w <<<"$needed"))) \
    "$logs/install.log" \
    bash -c 'from_cran "$@"' - install "$LIBRARY" "$packages" "$logs"
  packages=$(wanted_packages) || die "R could not list its packages."
fi

absent=$(missing_programs)
[ -z "$packages" ] ||
  die "these R packages are missing and could not be installed: $packages." \
      "Is the network reachable? What went wrong is in .stamps/cran. By hand," \
      "in R: install.packages(c($(printf '"%s", ' $packages | sed 's/, $//')))"
if [ -n "$absent" ] && [ "$purpose" = test ]; then
  say "going on without ${absent% }; tests that need it are skipped"
elif [ -n "$absent" ]; then
  die "these programs are missing: ${absent% }. Install them and try again."
fi
say "done"
