#!/usr/bin/env bash
# Runs a command that says nothing for minutes and shows that it lives: how many
# of its files are there, and the time. On a terminal one line counts; elsewhere
# there is a line every 20 seconds. Called by the Makefile and by
# tools/install-dependencies.sh:
#
#   tools/alive.sh <what> <files, as a glob> <how many in the end> <log> \
#     <command ...>

set -u
what=$1 files=$2 expected=$3 log=$4
shift 4

terminal=false pause=20
if [ -t 1 ]; then terminal=true pause=1; fi

elapsed() { printf '%d min %02d s' $((SECONDS / 60)) $((SECONDS % 60)); }

line() {
  local count
  count=$(compgen -G "$files" | wc -l)
  [ "$count" -le "$expected" ] || count=$expected
  printf '%s: %d of %d, %s' "$what" "$count" "$expected" "$(elapsed)"
}

# Ends with this script, however that ends. The last sleep, which may outlive
# it, holds no pipe open.
show() {
  while sleep "$pause" >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
    if $terminal; then printf '\r%s ' "$(line)"; else printf '%s\n' "$(line)"; fi
  done
}

show &
shower=$!
trap 'kill $shower 2>/dev/null; wait $shower 2>/dev/null' EXIT
"$@" >"$log" 2>&1
status=$?
if $terminal; then printf '\r%s\n' "$(line)"; fi
exit $status
