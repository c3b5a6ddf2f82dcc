// SPDX-License-Identifier: GPL-2.0-or-later
// What the core, the report and the compiler need, from Valgrind.
#include "valgrind/tool/host.h"

extern "C" void* norn_arena_map(size_t bytes) { return VG_(am_shadow_alloc)(bytes); }

// memcpy, memmove and memset are Valgrind's.
extern "C" int memcmp(const void* a, const void* b, size_t size) { return VG_(memcmp)(a, b, size); }

// Valgrind's archives were made with gcc's library at hand.
extern "C" int __popcountdi2(long value) {
  int bits = 0;
  for (auto rest = static_cast<unsigned long>(value); rest != 0; rest &= rest - 1) ++bits;
  return bits;
}
