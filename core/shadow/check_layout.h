// What the check that the compiler puts before an access looks at (docs/design/fastpath.md).
//
// A granule of the shadow has room for three stamps, 64 bits each. A thread's newest stamp is, as a rule, in the first
// or the second, by the parity of its slot; so it finds with one load whether it has done at its present time what it
// is about to do.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>

namespace norn {

// A stamp in a granule, from bit 0: where · whether that differs by byte (core/shadow/per_byte_stacks.h) · whether all
// its bytes were incremented · kind · bytes · time · slot. The first bit of the kind says read or write. 0 is none.
struct PackedStamp {
  static constexpr unsigned kWhereBits = 21;
  static constexpr unsigned kMixedAt = 21;
  static constexpr unsigned kAddsAt = 22;
  static constexpr unsigned kKindAt = 23;
  static constexpr unsigned kMaskAt = 26;
  static constexpr unsigned kTimeAt = 34;
  static constexpr unsigned kTimeBits = 22;
  static constexpr unsigned kSlotAt = 56;
  static constexpr unsigned kSlots = 1u << (64 - kSlotAt);
  // Of no thread, at no time.
  static constexpr uint64_t kNobody = ~uint64_t{0};
  // Times that fit, but for the one of kNobody.
  static constexpr uint32_t kTimeLimit = (1u << kTimeBits) - 1;

  // What the stamps of two accesses must have in common so that one stands for the other. A write stands for a read.
  static constexpr uint64_t kOfWrites = ~uint64_t{0} << kKindAt;
  static constexpr uint64_t kOfReads = kOfWrites << 1;
};

struct FastCheck {
  // The granule of an access is at granules + 4 * (address & mask). With a mask of 0 it is at `granules`, whatever the
  // address. The thread's own stamp is the first there.
  uint64_t mask;
  const void* granules;
  // The stamps that stand for a read or a write of all 8 bytes now. Written by the thread while inside the core, and by
  // whoever wants it to look again.
  std::atomic<uint64_t> read;
  std::atomic<uint64_t> read_bits;  // what a read's must have in common with it
  std::atomic<uint64_t> write;
  // Where the granules' third stamps are, in the same way: what the thread did before its newest, perhaps.
  const void* others;
  // For an embedding that wants everything to pass: two granules' first stamps, where `granules` may point to.
  uint64_t passing[5];
};

}  // namespace norn
