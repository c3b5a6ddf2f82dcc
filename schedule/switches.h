// A schedule as people tell it: this thread for so many steps, then that one. What `norn confirm --minimize` makes of a
// log, and follows: unlike a log it can be shortened. (CHESS, Musuvathi and Qadeer, PLDI 2007, counts the same thing:
// the fewer preemptions a failing schedule has, the easier it is to understand.)
//
// A segment ends after its steps or when its thread can do no more; if a segment's thread cannot go on when its turn
// comes, the segment is passed over. Behind the last one nobody is preempted: the thread that runs goes on, then the
// enabled one of the lowest slot.
#pragma once

#include "schedule/log.h"

namespace norn::schedule {

inline constexpr uint8_t kSegment = 254;             // LogEntry::op
inline constexpr uint32_t kToTheEnd = ~uint32_t{0};  // LogEntry::site: as long as it can
[[nodiscard]] constexpr LogEntry segment(uint16_t thread, uint32_t steps) { return {thread, kSegment, 0, steps}; }

class Segments final : public Strategy {
 public:
  // The entries must outlive it.
  Segments(const LogEntry* entries, uint64_t count) : Strategy(0), entries_(entries), count_(count) {}

  uint32_t choose(const Enabled& enabled) override;
  uint32_t pick(uint32_t /*n*/) override { return 0; }

 private:
  const LogEntry* entries_;
  uint64_t count_;
  uint64_t at_ = 0;
  uint32_t done_ = 0;  // steps of the present segment
  uint32_t running_ = 0;
};

}  // namespace norn::schedule
