#!/bin/sh
# archive.sh ARCHIVE CXX OBJCOPY AR NM OBJECT…: makes the runtime's archive of one object, and the list of what it
# exports beside it.
#
# Compilers call memcpy and its like by themselves. Those calls must not reach the functions that the runtime interposes,
# so in the runtime's own object they get another name, and the interposed ones get theirs (runtime/interpose.h).
set -e
archive=$1 cxx=$2 objcopy=$3 ar=$4 nm=$5
shift 5
work=$archive.work
"$cxx" -r -nostdlib -o "$work.o" "$@"
renames=
for name in memcpy memmove memset memcmp; do
  renames="$renames --redefine-sym $name=__norn_plain_$name --redefine-sym __norn_interposed_$name=$name"
done
# shellcheck disable=SC2086
"$objcopy" $renames --localize-hidden "$work.o"
for name in memcpy memmove memset memcmp; do
  "$objcopy" --localize-symbol "__norn_plain_$name" "$work.o"
done
rm -f "$archive"
"$ar" qcs "$archive" "$work.o"
{
  echo '{'
  "$nm" --extern-only --defined-only "$work.o" | awk 'NF == 3 { print "  " $3 ";" }' | sort -u
  echo '};'
} > "$archive.syms"
rm -f "$work.o"
