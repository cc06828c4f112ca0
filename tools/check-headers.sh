#!/usr/bin/env bash
# Compiles every header of the C++ core alone, with nothing but Eigen on the
# include path; called by `make headers`. Proves that the core is free of R and
# that each header includes what it uses.

set -u
cd "$(dirname "$0")/.." || exit 1

export CXX=${CXX:-g++}
HEADERS=${HEADERS:-$(find inst/include -name '*.hpp' | sort)}
[ -n "$HEADERS" ] || { echo "make headers: there is no header"; exit 1; }

eigen=$(Rscript --vanilla -e \
  'cat(system.file("include", package = "RcppEigen"))')
[ -d "$eigen/Eigen" ] || { echo "make headers: Eigen was not found"; exit 1; }
mkdir -p .headers/include
ln -sfn "$eigen/Eigen" .headers/include/Eigen

failed=0

# In a process of its own for each header, JOBS at a time.
compile_alone() {
  # shellcheck disable=SC2086
  printf '#include "%s"\n' "${1#inst/include/}" |
    $CXX $COMPILE -fsyntax-only -x c++ - ||
    { echo "make headers: $1 does not compile alone"; return 1; }
}
export -f compile_alone
export COMPILE="-std=c++17 -Wall -Wextra -Werror ${CORE_FLAGS:-} \
  -I inst/include -isystem .headers/include"

# shellcheck disable=SC2086
printf '%s\n' $HEADERS |
  xargs -P "${JOBS:-2}" -n 1 bash -c 'compile_alone "$1"' _ || failed=1

[ $failed -eq 0 ] &&
  echo "make headers: $(wc -w <<<"$HEADERS") headers compile without R"
exit $failed
