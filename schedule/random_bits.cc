#include "schedule/random_bits.h"

#include "base/hash.h"

namespace norn::schedule {

uint64_t RandomBits::next() {
  state_ += kGoldenRatio;
  return hash_well(state_);
}

}  // namespace norn::schedule
