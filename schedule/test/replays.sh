#!/bin/sh
# replays.sh NORN RUNS PROGRAM…: explores RUNS schedules by reads-from, by frontier and at random, keeps the token of the first of
# each, and replays it.
norn=$1 runs=$2
shift 2
for strategy in reads-from frontier random; do
  "$norn" confirm --explore --strategy=$strategy --runs="$runs" --jobs=1 --timeout=60 --fail-on=none --json=- -- "$@" \
    > "$1.verdicts" || exit 1
  token=$(sed -n 's/.*"replay": "\(n2[^"]*\)".*/\1/p' "$1.verdicts" | head -1)
  test -n "$token" || { echo "no token"; cat "$1.verdicts"; exit 1; }
  for _ in 1 2 3 4; do
    "$norn" replay "$token" -- "$@" > "$1.output" 2> "$1.errors"
    grep -q 'replayed identically' "$1.errors" || { cat "$1.errors"; exit 1; }
  done
done
