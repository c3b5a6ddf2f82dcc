#include "schedule/strategies/replay_strategy.h"

namespace norn::schedule {

uint32_t Replay::choose(const Enabled& enabled) {
  if (at_ < count_) {
    const LogEntry& entry = entries_[at_++];
    const uint32_t index = entry.op == LogEntry::kPick ? kNobody : enabled.index_of(entry.thread);
    if (index != kNobody) return index;
    lose();
  }
  const uint32_t same = enabled.index_of(enabled.running);
  return same == kNobody ? 0 : same;
}

uint32_t Replay::pick(uint32_t n) {
  if (at_ < count_) {
    const LogEntry& entry = entries_[at_++];
    if (entry.op == LogEntry::kPick && entry.thread < n) return entry.thread;
    lose();
  }
  return 0;
}

}  // namespace norn::schedule
