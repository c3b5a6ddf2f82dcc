// The randomness of schedules: a seed is all there is to know of it.
#pragma once

#include <stdint.h>

namespace norn::schedule {

// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014): one word of state, and
// seeds that differ by one give unrelated sequences.
class RandomBits {
 public:
  constexpr explicit RandomBits(uint64_t seed = 0) : state_(seed) {}

  uint64_t next();
  // Uniform in [0, n); n > 0. The bias of n in 2^32 is far below what a schedule can show.
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(((next() >> 32) * n) >> 32); }
  bool coin() { return (next() >> 63) != 0; }

 private:
  uint64_t state_;
};

}  // namespace norn::schedule
