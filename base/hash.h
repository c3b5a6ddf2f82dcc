// Hashes: of keys, for tables, and of what has an identity, for ever. Identities are kept in files and known to people
// (race ids, replay tokens): what these functions give must not change. Freestanding.
#pragma once

#include "base/text.h"

namespace norn {

inline constexpr uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio

// Fibonacci hashing (Knuth: The Art of Computer Programming 3, 6.4). The upper bits are the good ones.
[[nodiscard]] constexpr uint64_t hash_word(uint64_t key) { return key * kGoldenRatio; }
[[nodiscard]] constexpr uint32_t hash_half(uint32_t key) { return key * static_cast<uint32_t>(kGoldenRatio >> 32); }
[[nodiscard]] constexpr uint64_t hash_pair(uint64_t a, uint64_t b) {
  constexpr uint64_t kOther = 0xc2b2ae3d27d4eb4f;  // xxHash's second prime
  return a * kGoldenRatio ^ b * kOther;
}
// Of one word more.
[[nodiscard]] constexpr uint64_t hash_next(uint64_t hash, uint64_t word) { return (hash ^ word) * kGoldenRatio; }

// SplitMix64's finalizer (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014): all bits
// are good ones.
[[nodiscard]] constexpr uint64_t hash_well(uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

// FNV-1a (Fowler, Noll, Vo), of bytes; `seed` is the hash of those before.
inline constexpr uint64_t kNoBytes = 0xcbf29ce484222325;
[[nodiscard]] constexpr uint64_t text_hash(Text text, uint64_t seed = kNoBytes) {
  for (const char c : text) seed = (seed ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return seed;
}

}  // namespace norn
