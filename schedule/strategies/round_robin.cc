#include "schedule/strategies/round_robin.h"

namespace norn::schedule {

uint32_t RoundRobin::choose(const Enabled& enabled) {
  if (const uint32_t same = enabled.index_of(current_); same != kNobody && used_ < quantum_) {
    ++used_;
    return same;
  }
  // The next one behind the last, in the order of slots.
  uint32_t next = 0;
  while (next < enabled.count && enabled[next].thread <= current_) ++next;
  if (next == enabled.count) next = 0;
  current_ = enabled[next].thread;
  used_ = 1;
  quantum_ = draw();
  return next;
}

}  // namespace norn::schedule
