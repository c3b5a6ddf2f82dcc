// The log of a controlled run: each decision that was taken, in order. What a replay is compared with, what the replay
// strategy follows, and what a schedule's story is made of.
//
// Format (version 1): a LogHeader, then `count` entries of 8 bytes, in the byte order of the machine. The file is
// mapped by the program that runs, so it has what was decided however the program ends; `capacity` entries fit, what
// comes later is counted but not kept.
#pragma once

#include <stdint.h>

#include "schedule/strategy.h"

namespace norn::schedule {

struct LogEntry {
  uint16_t thread = 0;  // who goes on: its slot; of a pick, the answer
  uint8_t op = 0;       // Op; kPick
  uint8_t enabled = 0;  // how many could have; 255: so many or more
  uint32_t site = 0;    // of the step, the low half of its identity; 0: none

  static constexpr uint8_t kPick = 255;
  friend constexpr bool operator==(const LogEntry&, const LogEntry&) = default;
};
static_assert(sizeof(LogEntry) == 8);

struct LogHeader {
  static constexpr uint64_t kMagic = 0x3167'6f6c'6e72'6f6e;  // "nornlog1"
  uint64_t magic = kMagic;
  uint64_t count = 0;
  uint64_t capacity = 0;
  uint64_t reserved = 0;
};
static_assert(sizeof(LogHeader) == 32);

// The rolling hash of all entries: two runs with the same hash took the same decisions at the same places.
[[nodiscard]] constexpr uint64_t extend_hash(uint64_t hash, const LogEntry& entry) {
  const uint64_t word =
      entry.thread | uint64_t{entry.op} << 16 | uint64_t{entry.enabled} << 24 | uint64_t{entry.site} << 32;
  hash = (hash ^ word) * 0x9fb21c651e98df25;
  return hash ^ (hash >> 32);
}

}  // namespace norn::schedule
