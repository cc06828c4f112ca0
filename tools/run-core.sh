#!/usr/bin/env bash
# Builds the programs in tests/core with nothing but Eigen on the include path
# and runs them, JOBS at a time; called by `make core` and, under address and
# undefined-behaviour sanitizers, by `make sanitize`:
#
#   tools/run-core.sh FOLDER [compiler flags]
#
# PROGRAMS names some of them; all where it is not set.
#
# Exit status 1 if one does not build, reports a fault or fails.

set -u
cd "$(dirname "$0")/.." || exit 1
folder=$1
shift

eigen=$(Rscript --vanilla -e \
  'cat(system.file("include", package = "RcppEigen"))')
[ -d "$eigen/Eigen" ] || { echo "$0: Eigen was not found"; exit 1; }

# RcppEigen's include folder holds R-dependent headers beside Eigen: a folder
# with Eigen alone keeps them out of reach.
rm -rf "$folder"
mkdir -p "$folder/include"
ln -s "$eigen/Eigen" "$folder/include/Eigen"

export CXX=${CXX:-g++}
export FOLDER=$folder
export COMPILE="-std=c++17 -Wall -Wextra ${CORE_FLAGS:-} $* -I inst/include \
  -isystem $folder/include"

# Output goes to a log, so that programs side by side do not mix; its end is
# shown where something failed.
build_and_run() {
  binary=$FOLDER/$(basename "$1" .cpp)
  # shellcheck disable=SC2086
  if $CXX $COMPILE "$1" -o "$binary" -pthread > "$binary.log" 2>&1 &&
      "$binary" >> "$binary.log" 2>&1; then
    echo "$1 ran"
  else
    tail -n 60 "$binary.log"
    echo "$1 failed"
    return 1
  fi
}
export -f build_and_run

# shellcheck disable=SC2086
printf '%s\n' ${PROGRAMS:-tests/core/*.cpp} |
  xargs -P "${JOBS:-2}" -n 1 bash -c 'build_and_run "$1"' _
