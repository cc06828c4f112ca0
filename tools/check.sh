#!/usr/bin/env bash
# R CMD build and R CMD check --as-cran; called by `make check`. Fails on an
# error or a warning and prints the notes. Works without a network.
#
# The package of `make install` is the one that is checked, as CRAN's machines
# install first and check then; that its files are the archive's is looked at.
# It builds the vignettes, which R CMD build would install it for anew.
# `make test` runs the tests. The check does none of these again, and it runs
# all examples once, the long ones among them. With CHECK_ALL=true, as in
# `make nightly`, it does what --as-cran does.

set -u
cd "$(dirname "$0")/.." || exit 1
root=$PWD
rm -rf .check
mkdir -p .check
cd .check || exit 1

export _R_CHECK_FORCE_SUGGESTS_=false
export _R_CHECK_CRAN_INCOMING_=FALSE
export _R_CHECK_CRAN_INCOMING_REMOTE_=FALSE
export _R_CHECK_SYSTEM_CLOCK_=FALSE
export MAKEFLAGS=-j${JOBS:-2}

# For suggested packages that are not installed, --as-cran asks CRAN's database
# whether they are orphaned, and stops where it cannot be reached. An empty
# database of our own answers instead.
mkdir -p cran/web/packages
Rscript --vanilla -e 'saveRDS(
  matrix(character(), 0, 2, dimnames = list(NULL, c("Package", "Maintainer"))),
  "cran/web/packages/packages.rds"
)'
export R_CRAN_WEB="file://$PWD/cran"

# The package's files as R CMD build keeps them, with the vignettes built
build_with_installed() {
  R CMD build --no-build-vignettes "$root" &&
    tar -xzf pseudosynth_*.tar.gz && rm pseudosynth_*.tar.gz &&
    same_files_as_installed &&
    Rscript --vanilla "$root/tools/build-vignettes.R" pseudosynth &&
    R CMD build --no-build-vignettes pseudosynth
}

same_files_as_installed() {
  for folder in R src man data inst; do
    diff -rq -x '*.o' -x '*.so' -x symbols.rds -x doc \
      "$root/$folder" "pseudosynth/$folder" ||
      { echo "make check: the archive has other files than $folder"; return 1; }
  done
}

if [ "${CHECK_ALL:-false}" = true ]; then
  once=()
  R CMD build "$root"
else
  once=(--no-tests --no-vignettes --run-donttest --library="$LIBRARY"
    --install=check:"$root/.stamps/install.log")
  build_with_installed
fi || { echo "make check: R CMD build failed"; exit 1; }
R CMD check --as-cran --no-manual "${once[@]}" pseudosynth_*.tar.gz
status=$?

log=pseudosynth.Rcheck/00check.log
[ -e "$log" ] || { echo "make check: R CMD check left no log"; exit 1; }
result=$(sed -n 's/^Status: //p' "$log")
if grep -q '\.\.\. NOTE$' "$log"; then
  echo
  echo "Notes:"
  awk '/^\*/ { show = /\.\.\. NOTE$/ } /^Status/ { show = 0 } show' "$log"
fi
if [ $status -ne 0 ] || grep -qE 'ERROR|WARNING' <<<"$result"; then
  find pseudosynth.Rcheck -name '*.Rout.fail' -exec tail -40 {} +
  echo "make check: failed ($result)"
  exit 1
fi
echo "make check: passed ($result)"
