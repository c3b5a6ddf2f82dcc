// What the threads of a slot knew, and which regions of locks they had, lately: for spins that find a write which was
// not waited for yet, and for who is handed something over.
#pragma once

#include "base/spin_mutex.h"
#include "core/event.h"
#include "core/order/clock.h"

namespace norn {

// The clocks a slot had from some time on.
struct Version {
  ClockValue since;
  VectorClocks clocks;
};

// What a thread did under a lock, if times passed meanwhile.
struct LockedRegion {
  LockId lock;
  LockMode mode;
  ClockValue since;
  ClockValue until;
};

// Of one slot.
struct Versions {
  static constexpr unsigned kCount = 64;
  static constexpr unsigned kRegions = 64;
  SpinMutex mutex;
  unsigned first = 0;
  unsigned count = 0;
  Version ring[kCount];
  unsigned next_region = 0;
  LockedRegion regions[kRegions];

  [[nodiscard]] Version& at(unsigned i) { return ring[(first + i) % kCount]; }  // oldest first
  [[nodiscard]] const Version& at(unsigned i) const { return ring[(first + i) % kCount]; }
  // How many of the newest are of a time: none, one, or more.
  [[nodiscard]] unsigned noted_at(ClockValue time) const {
    unsigned noted = 0;
    while (noted < 2 && noted < count && at(count - 1 - noted).since == time) ++noted;
    return noted;
  }
};

}  // namespace norn
