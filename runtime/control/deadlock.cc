#include "runtime/control/deadlock.h"

#include "core/order/thread.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/findings_file.h"
#include "runtime/reporting/reporter.h"

// For a debugger: nothing can go on.
NORN_EXPORT __attribute__((noinline)) void __norn_on_deadlock() { asm volatile("" : : : "memory"); }

namespace norn::rt::control {
namespace {

const Slot* owner_of(const Slot* slots, uint32_t count, uint64_t lock, const Slot& asking) {
  for (uint32_t i = 0; i < count; ++i) {
    const ThreadState* state = slots[i].state;
    if (state == nullptr || state->core == nullptr) continue;
    for (unsigned k = 0; k < state->core->held_count; ++k) {
      const Held& held = state->core->held[k];
      // Of readers there may be several: nobody is *the* owner.
      if (held.address == lock && (held.mode == LockMode::kExclusive || &slots[i] == &asking)) return &slots[i];
    }
  }
  return nullptr;
}

}  // namespace

uint32_t length_of_cycle(const Slot* slots, uint32_t count, const Slot& slot) {
  const Slot* at = &slot;
  for (uint32_t length = 1; length <= count; ++length) {
    if (at->status.load(std::memory_order_relaxed) != Status::kWaiting || at->waiting != Waiting::kLock ||
        at->until != kForever) {
      return 0;
    }
    at = owner_of(slots, count, at->object, *at);
    if (at == nullptr) return 0;
    if (at == &slot) return length;
  }
  return 0;
}

void end_by_deadlock(Slot* slots, uint32_t count, uint32_t pollers) {
  report_deadlock(slots, count, pollers);
  __norn_on_deadlock();
  // Whoever reads what is recorded decides what the status says.
  const bool decides = rt::start.settings.exitcode != 0 && !records_findings();
  const int status = decides ? static_cast<int>(rt::start.settings.exitcode) : 1;
  finish_report(status);
  sys::exit_process(status);
}

}  // namespace norn::rt::control
