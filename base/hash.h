// Hashes of words: keys of tables, and parts of what has an identity (base/text_hash.h). Freestanding.
#pragma once

#include <stdint.h>

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

}  // namespace norn
