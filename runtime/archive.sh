#!/bin/sh
# archive.sh syms|wraps ARCHIVE CXX OBJCOPY AR NM OBJECT…: makes an archive of one object, and beside it
#   ARCHIVE.syms   what a dynamically linked program must export (a --dynamic-list), or
#   ARCHIVE.wraps  what the linker of a static program must divert (--wrap options),
# and ARCHIVE-debug.a, the same with debug information, which would be most of a small program.
#
# Its code has a section of its own, so that a debugger knows it when it sees it (experiment/stage.cc).
#
# Compilers call memcpy and its like by themselves. Those calls must not reach the functions that the runtime interposes,
# so in the runtime's own object they get another name, and the interposed ones get theirs (runtime/intercept/interpose.h).
set -e
kind=$1 archive=$2 cxx=$3 objcopy=$4 ar=$5 nm=$6
shift 6
object=$archive.o
"$cxx" -r -nostdlib -o "$object" "$@"
{
  for name in memcpy memmove memset memcmp; do
    echo "$name __norn_plain_$name"
    echo "__norn_interposed_$name $name"
  done
} > "$archive.renames"
"$objcopy" --redefine-syms="$archive.renames" --localize-hidden "$object"
for name in memcpy memmove memset memcmp; do
  "$objcopy" --localize-symbol "__norn_plain_$name" "$object"
done
# What an original is called in the program (runtime/intercept/interpose.h): required in a static program only.
[ "$kind" = wraps ] || "$objcopy" --wildcard --weaken-symbol '__real_*' --weaken-symbol '__linked_*' "$object"
"$nm" "$object" | awk '$NF ~ /^__linked_/ { print $NF, substr($NF, 10) }' > "$archive.renames"
"$objcopy" --redefine-syms="$archive.renames" "$object"
# What is interposed in dynamic programs alone.
"$nm" --defined-only "$object" | awk '$NF ~ /^__norn_dynamic_/ { print substr($NF, 16) }' | sort -u > "$archive.dynamic"
if [ "$kind" = wraps ]; then
  "$nm" "$object" | awk '$(NF - 1) ~ /^[Uw]$/ && $NF ~ /^__real_/ { print substr($NF, 8) }' | sort -u |
    grep -vxFf "$archive.dynamic" > "$archive.names"
  sed 's/.*/& __wrap_&/' "$archive.names" > "$archive.renames"
  "$objcopy" --redefine-syms="$archive.renames" "$object"
  sed 's/^/--wrap=/' "$archive.names" > "$archive.wraps"
  rm -f "$archive.names"
else
  sed 's/.*/__norn_dynamic_& &/' "$archive.dynamic" > "$archive.renames"
  "$objcopy" --redefine-syms="$archive.renames" "$object"
  {
    echo '{'
    "$nm" --extern-only --defined-only "$object" | awk 'NF == 3 { print "  " $3 ";" }' | sort -u
    echo '};'
  } > "$archive.syms"
fi
set --
for section in $("$nm" --format=sysv "$object" | sed -n 's/.*|\(\.text[^| ]*\) *$/\1/p' | sort -u); do
  set -- "$@" --rename-section "$section=norn_text"
done
"$objcopy" "$@" "$object"
debug=${archive%.a}-debug.a
rm -f "$archive" "$debug"
"$ar" qcs "$debug" "$object"
"$objcopy" --strip-debug "$object"
"$ar" qcs "$archive" "$object"
rm -f "$object" "$archive.renames" "$archive.dynamic"
