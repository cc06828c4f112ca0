#!/usr/bin/env bash
# Builds and runs the programs in tests/core, then compiles every header of the
# C++ core alone with nothing but Eigen on the include path; called by
# `make core`. Proves that the core is free of R.

set -u
cd "$(dirname "$0")/.." || exit 1

export CXX=${CXX:-g++}
HEADERS=${HEADERS:-$(find inst/include -name '*.hpp' | sort)}
[ -n "$HEADERS" ] || { echo "make core: there is no header"; exit 1; }

failed=0
tools/run-core.sh .core -O2 -Werror || failed=1

# In a process of its own for each header, JOBS at a time.
compile_alone() {
  # shellcheck disable=SC2086
  printf '#include "%s"\n' "${1#inst/include/}" |
    $CXX $COMPILE -fsyntax-only -x c++ - ||
    { echo "make core: $1 does not compile alone"; return 1; }
}
export -f compile_alone
export COMPILE="-std=c++17 -Wall -Wextra -Werror ${CORE_FLAGS:-} \
  -I inst/include -isystem .core/include"

# shellcheck disable=SC2086
printf '%s\n' $HEADERS |
  xargs -P "${JOBS:-2}" -n 1 bash -c 'compile_alone "$1"' _ || failed=1

[ $failed -eq 0 ] &&
  echo "make core: $(wc -w <<<"$HEADERS") headers compile without R"
exit $failed
