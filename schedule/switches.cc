#include "schedule/switches.h"

namespace norn::schedule {

uint32_t Segments::choose(const Enabled& enabled) {
  while (at_ < count_) {
    const LogEntry& entry = entries_[at_];
    const uint32_t index = enabled.index_of(entry.thread);
    if (index != kNobody && (entry.site == kToTheEnd || done_ < entry.site)) {
      ++done_;
      running_ = entry.thread;
      return index;
    }
    ++at_;
    done_ = 0;
  }
  const uint32_t same = enabled.index_of(running_);
  // Whoever yields waits for another one.
  if (same != kNobody && (enabled[same].op != Op::kYield || enabled.count == 1)) return same;
  const uint32_t next = same == 0 ? 1 : 0;
  running_ = enabled[next].thread;
  return next;
}

}  // namespace norn::schedule
