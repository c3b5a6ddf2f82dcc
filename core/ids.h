// What everything is called by: small integers. What they mean is looked up only when a report is made.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace norn {

using Address = uint64_t;
using ThreadId = uint32_t;   // a thread's number, in order of creation; never reused
using StackId = uint32_t;    // names a place of the program (site and stack); the embedding knows what it means
using LockId = uint32_t;     // a lock's number, in order of its first use
using LocksetId = uint32_t;  // core/order/lockset.h

inline constexpr ThreadId kNoThread = ~ThreadId{0};
inline constexpr StackId kNoStack = 0;
inline constexpr LocksetId kNoLocks = 0;

using Slot = uint16_t;        // a thread's place in vector clocks; reused after it ended (TSan's sid)
using ClockValue = uint32_t;  // counts a slot's releases; 0 is before everything

// A clock value of a slot: when a thread did something. No other thread has or will have the same.
struct Epoch {
  Slot slot = 0;
  ClockValue time = 0;  // 0: none

  [[nodiscard]] bool operator==(const Epoch&) const = default;
};

}  // namespace norn
