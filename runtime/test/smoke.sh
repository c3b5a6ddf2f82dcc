#!/bin/sh
# smoke.sh BIN LIB WORK [SECONDS]: the runtime by itself, with programs started by hand.
set -eu
bin=$1 lib=$2 work=$3 seconds=${4:-3}
here=$(dirname "$0")
mkdir -p "$work"
failed=0

check() {  # WHAT COMMAND…
  what=$1
  shift
  if "$@"; then
    echo "ok    $what"
  else
    echo "wrong $what"
    failed=1
  fi
}

status_of() {
  set +e
  "$@" >"$work/stdout" 2>"$work/stderr"
  status=$?
  set -e
}

"$bin/norn-cc" -g -O1 -pthread "$here/lost_update.c" -o "$work/lost_update"
status_of "$work/lost_update"
check 'a race makes the status 66' test "$status" -eq 66
check 'the variable is named' grep -q '^norn: race on account.balance .*observed' "$work/stderr"
check 'the output is the program'\''s own' grep -qx closed "$work/stdout"
check 'the summary counts' grep -q '^norn: 1 race (1 observed, 0 predicted)' "$work/stderr"

rm -f "$work/findings"
status_of env "NORN_OPTIONS=findings=$work/findings" "$work/lost_update"
check 'with findings the status is the program'\''s own' test "$status" -eq 0
check 'a findings file has a start, a race and an end' \
  test "$(grep -cE '"record":"(start|race|end)"' "$work/findings")" -eq 3
check 'and the program says nothing' test ! -s "$work/stderr"

status_of env NORN_OPTIONS=engin=hb "$work/lost_update"
check 'an unknown option is refused' test "$status" -eq 2
check 'with the one that was meant' grep -q 'engine' "$work/stderr"

"$bin/norn-cc" -g -O1 -pthread -c "$here/lost_update.c" -o "$work/lost_update.o"
"$bin/norn-cc" -fno-norn -static -pthread "$work/lost_update.o" -Wl,--whole-archive "$lib/libnorn-rt-static.a" \
  -Wl,--no-whole-archive "-Wl,@$lib/libnorn-rt-static.a.wraps" -o "$work/lost_update_static"
status_of "$work/lost_update_static"
check 'a static program reports as well' test "$status" -eq 66
check 'the same race' grep -q '^norn: race on account.balance' "$work/stderr"

"$bin/norn-cc" -g -O1 -pthread "$here/stress.c" -o "$work/stress"
status_of timeout $((seconds + 120)) "$work/stress" "$seconds"
check 'the stress test comes to its end' test "$status" -eq 0
check 'and has no race' test ! -s "$work/stderr"
check 'and was a test' grep -qx 'done' "$work/stdout"
exit $failed
