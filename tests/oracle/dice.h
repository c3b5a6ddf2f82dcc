// SplitMix64 (Steele, Lea, Flood 2014): small, and good enough to pick moves.
#pragma once

#include <cstdint>

#include "base/hash.h"

namespace norn::oracle {

class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    state_ += kGoldenRatio;
    return hash_well(state_);
  }
  uint64_t below(uint64_t n) { return next() % n; }
  uint8_t byte() { return static_cast<uint8_t>(next() >> 56); }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  uint64_t state_;
};

}  // namespace norn::oracle
