#!/bin/sh
# core/ must stand alone: compiled as a Valgrind tool is, linked without any library, it may miss nothing but the
# arena, and must need no constructors.
# usage: freestanding_test.sh COMPILER SOURCE_DIR WORK_DIR
set -eu
compiler=$1 source=$2 work=$3
mkdir -p "$work"
objects=
for file in "$source"/core/*.cc "$source"/core/[!t]*/*.cc; do
  case $file in
    *_test.cc) continue ;;
  esac
  object=$work/$(basename "$file" .cc).o
  "$compiler" -std=c++20 -O2 -g -gdwarf-4 -I"$source" -ffreestanding -fno-builtin -fno-exceptions -fno-rtti \
    -fno-threadsafe-statics -fno-stack-protector -fno-pic -fno-strict-aliasing -mno-red-zone -c "$file" -o "$object"
  objects="$objects $object"
done
printf 'extern "C" void* norn_arena_map(unsigned long) { return nullptr; }\nextern "C" void start() {}\n' > "$work/stub.cc"
"$compiler" -ffreestanding -fno-pic -c "$work/stub.cc" -o "$work/stub.o"
# shellcheck disable=SC2086
"$compiler" -nostdlib -static -Wl,-e,start -Wl,--no-gc-sections $objects "$work/stub.o" -o "$work/core"
# shellcheck disable=SC2086
missing=$(ld -r $objects -o "$work/all.o" && nm -u "$work/all.o" | awk '{print $2}' | sort -u | tr '\n' ' ')
if [ "$missing" != "norn_arena_map " ]; then
  echo "core/ needs more than the arena: $missing"
  exit 1
fi
if readelf -SW "$work/core" | grep -Eq '\.init_array|\.ctors'; then
  echo "core/ has constructors"
  exit 1
fi
echo "core/ stands alone"
