#!/bin/sh
# core/ must stand alone: linked without any library, it may miss nothing but the arena, and must need no constructors.
# usage: freestanding_test.sh COMPILER ARCHIVE WORK_DIR
set -eu
compiler=$1 archive=$2 work=$3
mkdir -p "$work"
printf 'extern "C" void* norn_arena_map(unsigned long) { return nullptr; }\nextern "C" void start() {}\n' > "$work/stub.cc"
"$compiler" -ffreestanding -c "$work/stub.cc" -o "$work/stub.o"
"$compiler" -nostdlib -static -Wl,-e,start -Wl,--whole-archive "$archive" -Wl,--no-whole-archive "$work/stub.o" -o "$work/core"
missing=$(ld -r --whole-archive "$archive" -o "$work/all.o" && nm -u "$work/all.o" | awk '{print $2}' | sort -u | tr '\n' ' ')
if [ "$missing" != "norn_arena_map " ]; then
  echo "core/ needs more than the arena: $missing"
  exit 1
fi
if readelf -SW "$work/core" | grep -Eq '\.init_array|\.ctors'; then
  echo "core/ has constructors"
  exit 1
fi
echo "core/ stands alone"
