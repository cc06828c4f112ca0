#!/usr/bin/env bash
# Every move of every sampler against exact draws of its target, at length:
#
#   tools/check-invariance.sh [moves of each kind; default 1000000]
#
# `make core` runs the same programs briefly. Exit status 1 if a move is not
# invariant.

set -u
cd "$(dirname "$0")/.." || exit 1
moves=${1:-1000000}

eigen=$(Rscript --vanilla -e \
  'cat(system.file("include", package = "RcppEigen"))')
[ -d "$eigen/Eigen" ] || { echo "$0: Eigen was not found"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/include"
ln -s "$eigen/Eigen" "$folder/include/Eigen"

failed=0
for program in tests/core/invariance_*.cpp; do
  binary=$folder/$(basename "$program" .cpp)
  if ! ${CXX:-g++} -std=c++17 -O2 -I inst/include -isystem "$folder/include" \
      "$program" -o "$binary" -pthread || ! "$binary" "$moves"; then
    echo "$program failed"
    failed=1
  fi
done
exit $failed
