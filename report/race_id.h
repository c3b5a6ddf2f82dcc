// The identity of a race, made of those of its statements (report/site_identity.h). Freestanding.
#pragma once

#include "base/hash.h"
#include "report/facts.h"

namespace norn::report {

// The identity of a race: the same for (a, b) and (b, a), whatever the run, the build or the machine. 48 bits: a fleet
// with a hundred thousand races mixes two of them up with a chance of 2 in 100,000.
[[nodiscard]] constexpr RaceId race_id(uint64_t site_a, uint64_t site_b) {
  const uint64_t low = site_a < site_b ? site_a : site_b;
  const uint64_t high = site_a < site_b ? site_b : site_a;
  // splitmix64's finalizer over each half in turn, so that (a, a) and (b, b) differ and equal halves don't cancel.
  uint64_t hash = kGoldenRatio;
  const uint64_t halves[] = {low, high};
  for (const uint64_t half : halves) hash = hash_well(hash + half);
  RaceId id{};
  for (int digit = 0; digit < 12; ++digit) id.hex[digit] = "0123456789abcdef"[(hash >> (60 - 4 * digit)) & 15];
  return id;
}

}  // namespace norn::report
