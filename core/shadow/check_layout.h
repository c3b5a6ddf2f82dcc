// What the check that the compiler puts before an access looks at (docs/design/fastpath.md).
//
// A granule of the shadow has room for three shadow words. A thread's newest is, as a rule, in the first or the second,
// by the parity of its slot; so it finds with one load whether it has done at its present epoch what it is about to do.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "core/shadow/shadow_word.h"

namespace norn {

struct FastCheck {
  // The granule of an access is at granules + 4 * (address & mask). With a mask of 0 it is at `granules`, whatever the
  // address. The thread's own word is the first there.
  uint64_t mask;
  const void* granules;
  // The words that stand for a read or a write of all 8 bytes now. Written by the thread while inside the core, and by
  // whoever wants it to look again.
  std::atomic<uint64_t> read;
  std::atomic<uint64_t> read_bits;  // what a read's must have in common with it
  std::atomic<uint64_t> write;
  // Where the granules' third words are, in the same way: what the thread did before its newest, perhaps.
  const void* others;
  // For an embedding that wants everything to pass: two granules' first words, where `granules` may point to.
  uint64_t passing[5];
};

}  // namespace norn
