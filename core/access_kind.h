// What an access does to its bytes, and which kinds of accesses conflict: order.md's table.
#pragma once

#include <stdint.h>

namespace norn {

// The values are bits of a set (conflicts_of()). A shadow word has three bits for it, of which the first says write.
// kAllocation: the bytes were allocated anew; it is never the later of two.
enum class AccessKind : uint8_t { kRead = 0, kWrite = 1, kAtomicRead = 2, kAtomicWrite = 3, kFree = 4, kBirth = 5 };
inline constexpr unsigned kAccessKinds = 6;

[[nodiscard]] constexpr bool is_write(AccessKind kind) {
  return kind == AccessKind::kWrite || kind == AccessKind::kAtomicWrite || kind == AccessKind::kFree ||
         kind == AccessKind::kBirth;
}
[[nodiscard]] constexpr bool is_read(AccessKind kind) { return !is_write(kind); }
// The access ends the life of the bytes, or begins it: it writes no value that others could read.
[[nodiscard]] constexpr bool is_of_life(AccessKind kind) {
  return kind == AccessKind::kFree || kind == AccessKind::kBirth;
}

// The rows of order.md's table: for each kind the set of kinds it conflicts with, a bit each.
[[nodiscard]] constexpr unsigned conflicts_of(AccessKind kind) {
  constexpr uint64_t kRead = 1, kWrite = 2, kAtomicRead = 4, kAtomicWrite = 8, kFree = 16, kBirth = 32;
  constexpr uint64_t kAll = kRead | kWrite | kAtomicRead | kAtomicWrite | kFree | kBirth;
  constexpr uint64_t kRows = (kWrite | kAtomicWrite | kFree | kBirth)   // read
                             | kAll << 8                                // write
                             | (kWrite | kFree | kBirth) << 16          // atomic read
                             | (kRead | kWrite | kFree | kBirth) << 24  // atomic write
                             | kAll << 32                               // free
                             | (kAll & ~kBirth) << 40;                  // birth
  return static_cast<unsigned>(kRows >> 8 * static_cast<unsigned>(kind) & 0xff);
}
[[nodiscard]] constexpr bool conflicts(AccessKind a, AccessKind b) {
  return (conflicts_of(a) >> static_cast<unsigned>(b) & 1) != 0;
}
// Everything that conflicts with b conflicts with a.
[[nodiscard]] constexpr bool covers(AccessKind a, AccessKind b) { return (conflicts_of(b) & ~conflicts_of(a)) == 0; }
// Whether an earlier access of the same epoch makes a new one superfluous. (A free is reported as one.)
[[nodiscard]] constexpr bool stands_for(AccessKind earlier, AccessKind now) {
  return now == AccessKind::kFree ? earlier == now : covers(earlier, now);
}

// The kinds that one covers, and those that stand for it, a bit each.
[[nodiscard]] constexpr unsigned kinds_covered_by(AccessKind kind) {
  unsigned covered = 0;
  for (unsigned k = 0; k < kAccessKinds; ++k) covered |= covers(kind, static_cast<AccessKind>(k)) ? 1u << k : 0;
  return covered;
}
[[nodiscard]] constexpr unsigned kinds_standing_for(AccessKind kind) {
  unsigned standing = 0;
  for (unsigned k = 0; k < kAccessKinds; ++k) standing |= stands_for(static_cast<AccessKind>(k), kind) ? 1u << k : 0;
  return standing;
}

}  // namespace norn
