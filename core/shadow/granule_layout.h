// The second cell of a granule, as hb and hybrid use it: in which order its words were written, two bits for the
// position of each, oldest first; then for each position a byte for the locks (core/order/segment_locks.h).
#pragma once

#include "core/ids.h"

namespace norn {

// A number for a lockset; 0: no locks.
using LocksCode = uint8_t;

struct GranuleLayout {
  static constexpr unsigned kPlaces = 3;
  static constexpr unsigned kNoPlace = 3;
  // Without any word.
  static constexpr uint32_t kNoOrder = kNoPlace | kNoPlace << 2 | kNoPlace << 4;

  [[nodiscard]] static LocksCode locks_at(uint32_t second, unsigned place) {
    return static_cast<LocksCode>(uint64_t{second} >> (place + 1) * 8);
  }
  [[nodiscard]] static constexpr uint32_t locks_in(unsigned place, LocksCode locks) {
    return static_cast<uint32_t>(uint64_t{locks} << (place + 1) * 8);
  }
  // Of a granule whose list is the owner table of one thread (core/shadow/owner_table.h): it has no words, but copies.
  // `incarnation` tells those apart who use the slot one after the other without being ordered.
  static constexpr uint32_t kOwned = 0x80;
  static constexpr uint32_t kIncarnations = 1u << 16;
  static constexpr uint32_t kOwnedByNobody = kOwned;  // no granule's: an owned one has no order
  [[nodiscard]] static constexpr uint32_t owned_by(Slot slot, uint32_t incarnation) {
    return kOwned | kNoOrder | uint32_t{slot} << 8 | incarnation << 16;
  }
  // With one word, or with two or three of one thread and the same locks.
  [[nodiscard]] static uint32_t alone(Slot slot, LocksCode locks) {
    const unsigned place = slot & 1u;
    return kNoPlace << 4 | kNoPlace << 2 | place | locks_in(place, locks);
  }
  [[nodiscard]] static uint32_t of_two(Slot slot, LocksCode locks) {
    const unsigned place = slot & 1u;
    return kNoPlace << 4 | place << 2 | 2u | locks_in(place, locks) | locks_in(2, locks);
  }
  [[nodiscard]] static uint32_t of_three(Slot slot, LocksCode locks) {
    const unsigned place = slot & 1u;
    return place << 4 | 2u << 2 | (1 - place) | locks_in(0, locks) | locks_in(1, locks) | locks_in(2, locks);
  }
};

}  // namespace norn
