#!/usr/bin/env bash
# Compiles every header of the C++ core alone with nothing but Eigen on the
# include path, then builds and runs the programs in tests/core; called by
# `make core`. Proves that the core is free of R.

set -u
cd "$(dirname "$0")/.." || exit 1

CXX=${CXX:-g++}
HEADERS=${HEADERS:-$(find inst/include -name '*.hpp' | sort)}
# shellcheck disable=SC2206
flags=(-std=c++17 -Wall -Wextra -Werror ${CORE_FLAGS:-})

eigen=$(Rscript --vanilla -e \
  'cat(system.file("include", package = "RcppEigen"))')
[ -d "$eigen/Eigen" ] || { echo "make core: Eigen was not found"; exit 1; }

# RcppEigen's include folder holds R-dependent headers beside Eigen: a folder
# with Eigen alone keeps them out of reach.
rm -rf .core
mkdir -p .core/include
ln -s "$eigen/Eigen" .core/include/Eigen
include=(-I inst/include -isystem .core/include)

[ -n "$HEADERS" ] || { echo "make core: there is no header"; exit 1; }

# In a process of its own for each header, JOBS at a time.
compile_alone() {
  # shellcheck disable=SC2086
  printf '#include "%s"\n' "${1#inst/include/}" |
    $CXX $COMPILE -fsyntax-only -x c++ - ||
    { echo "make core: $1 does not compile alone"; return 1; }
}
export -f compile_alone
export CXX COMPILE="${flags[*]} ${include[*]}"

failed=0
n=$(wc -w <<<"$HEADERS")
printf '%s\n' $HEADERS |
  xargs -P "${JOBS:-2}" -n 1 bash -c 'compile_alone "$1"' _ || failed=1

for program in tests/core/*.cpp; do
  [ -e "$program" ] || continue
  binary=.core/$(basename "$program" .cpp)
  if $CXX "${flags[@]}" -O2 "${include[@]}" "$program" -o "$binary" -pthread &&
      "$binary"; then
    echo "make core: $program ran"
  else
    echo "make core: $program failed"
    failed=1
  fi
done

[ $failed -eq 0 ] && echo "make core: $n headers compile without R"
exit $failed
