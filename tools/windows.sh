#!/usr/bin/env bash
# The C++ code as Windows sees it, on Linux; called by `make windows`. The
# programs of tests/core are compiled by Debian's mingw-w64 and run under wine;
# the bindings of src/ are compiled against R's headers and not linked, since
# there is no R for Windows here.
#
# PROGRAMS names some programs, BINDINGS some bindings; all where not set.
#
# Exit status 1 if one does not compile, warns or fails, or if the compiler or
# wine is absent: apt-get install g++-mingw-w64-x86-64-posix wine64.

set -u
cd "$(dirname "$0")/.." || exit 1
folder=.windows

# Threads of the C++ library need the posix variant of the compiler.
CXX=${WINDOWS_CXX:-x86_64-w64-mingw32-g++-posix}
WINE=${WINE:-$(command -v wine64 || command -v wine)}
for needed in "$CXX" "$WINE"; do
  command -v "${needed:-wine}" > /dev/null || {
    echo "make windows: ${needed:-wine} is not installed; nothing was run." \
      "On Debian: apt-get install g++-mingw-w64-x86-64-posix wine64"
    exit 1
  }
done
export CXX WINE FOLDER=$folder

headers() {
  Rscript --vanilla -e \
    "cat(system.file('include', package = '$1', mustWork = TRUE))"
}
rcpp=$(headers Rcpp) && eigen=$(headers RcppEigen) &&
  parallel=$(headers RcppParallel) || exit 1
rm -rf "$folder"
mkdir -p "$folder/include"
ln -s "$eigen/Eigen" "$folder/include/Eigen"

# Eigen's templates have more sections than an object file of Windows holds
# without -mbig-obj. Static: wine has none of the compiler's libraries.
export STRICT="-std=c++17 -Wall -Wextra -Werror -Wa,-mbig-obj -I inst/include"
export CORE="$STRICT -O1 -static -isystem $folder/include"

# src/Makevars.win has the rest of the flags. R's headers are those of this
# machine; what differs on Windows they ask of the compiler. The table that Rcpp
# writes casts every function to one type.
flags=$(sed -n 's/^RCPP_PARTS = //p' src/Makevars.win)
export BINDING="$STRICT -Wno-cast-function-type -O0 -DNDEBUG -DEIGEN_DONT_PARALLELIZE $flags \
  -DRCPP_PARALLEL_USE_TBB=1 -isystem $(Rscript --vanilla -e \
  'cat(R.home("include"))') -isystem $rcpp -isystem $eigen -isystem $parallel"

# A folder of its own, no sound, no window, no dialogue of wine's.
export WINEPREFIX=$PWD/$folder/wine WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,\
mshtml=" DISPLAY=
"$WINE" wineboot --init > "$folder/wine.log" 2>&1 || {
  tail "$folder/wine.log"
  echo "make windows: wine does not start"
  exit 1
}

run_program() {
  binary=$FOLDER/$(basename "$1" .cpp).exe
  # shellcheck disable=SC2086
  if $CXX $CORE "$1" -o "$binary" > "$binary.log" 2>&1 &&
      "$WINE" "$binary" >> "$binary.log" 2>&1; then
    echo "$1 ran"
  else
    tail -n 60 "$binary.log"
    echo "$1 failed"
  fi
}

compile_binding() {
  object=$FOLDER/$(basename "$1" .cpp).o
  # shellcheck disable=SC2086
  if $CXX $BINDING -c "$1" -o "$object" > "$object.log" 2>&1; then
    echo "$1 compiled"
  else
    tail -n 60 "$object.log"
    echo "$1 failed"
  fi
}
export -f run_program compile_binding

# shellcheck disable=SC2086
each() {
  local what=$1
  shift
  printf '%s\n' "$@" | xargs -P "${JOBS:-2}" -n 1 bash -c "$what \"\$1\"" _ |
    tee -a "$folder/results"
}
# shellcheck disable=SC2086
each run_program ${PROGRAMS:-tests/core/*.cpp}
# shellcheck disable=SC2086
each compile_binding ${BINDINGS:-src/*.cpp}

count() { grep -c " $1\$" "$folder/results"; }
echo "make windows: $(count ran) programs ran, $(count compiled) bindings" \
  "compiled, $(count failed) failed"
[ "$(count failed)" -eq 0 ]
