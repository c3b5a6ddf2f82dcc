// Fibers: several stacks that take turns on one thread, or on several. ThreadSanitizer's interface. A fiber is a thread
// of its own for the core; switching to one orders it after the one that was left, unless that is declined.
#include "core/order/thread.h"
#include "runtime/hooks/check_state.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/emit.h"
#include "runtime/process/state.h"

using namespace norn;
using namespace norn::rt;

namespace {

constexpr unsigned kNoSync = 1;
constexpr size_t kFiberStack = size_t{1} << 20;
constexpr norn_site kCreate = library_site("__tsan_create_fiber");

constinit SpinMutex mutex;
constinit Fiber* idle = nullptr;

Fiber* new_fiber() {
  {
    const SpinLock lock(mutex);
    if (idle != nullptr) {
      Fiber* fiber = idle;
      idle = fiber->next;
      return fiber;
    }
  }
  auto* fiber = memory.create<Fiber>();
  if (fiber == nullptr || !fiber->calls.create(kFiberStack)) return nullptr;
  return fiber;
}

// A thread's own stack is a fiber, too, as soon as somebody asks.
Fiber* current_fiber(ThreadState& state) {
  if (state.fiber != nullptr) return state.fiber;
  auto* fiber = memory.create<Fiber>();
  if (fiber == nullptr) return nullptr;
  fiber->core = state.core;
  fiber->calls = state.calls;
  state.fiber = fiber;
  state.running = &fiber->calls;
  return fiber;
}

}  // namespace

NORN_EXPORT void* __tsan_get_current_fiber(void) {
  const Inspection here;
  return here ? current_fiber(*here) : nullptr;
}

NORN_EXPORT void* __tsan_create_fiber(unsigned /*flags*/) {
  const Inspection here;
  if (!here) return nullptr;
  Fiber* fiber = new_fiber();
  if (fiber == nullptr) return nullptr;
  begin_watching();
  const ThreadId id = new_thread_number();
  if (ThreadInfo* info = thread_info(id); info != nullptr) {
    info->created_at = stack_id(*here, &kCreate);
    info->parent = here->id;
  }
  fiber->core = emit.fork(here.thread(), id);
  fiber->top = fiber->calls.begin;
  if (fiber->core != nullptr) return fiber;
  const SpinLock lock(mutex);
  fiber->next = idle;
  idle = fiber;
  return nullptr;
}

NORN_EXPORT void __tsan_destroy_fiber(void* destroyed) {
  const Inspection here;
  auto* fiber = static_cast<Fiber*>(destroyed);
  if (!here || fiber == nullptr || fiber == here->fiber) return;
  emit.detach(here.thread(), fiber->core->id);
  emit.exit(*fiber->core);
  fiber->core = nullptr;
  if (fiber->calls.begin == nullptr) return;
  const SpinLock lock(mutex);
  fiber->next = idle;
  idle = fiber;
}

NORN_EXPORT void __tsan_switch_to_fiber(void* to, unsigned flags) {
  const Inspection here;
  auto* fiber = static_cast<Fiber*>(to);
  if (!here || fiber == nullptr) return;
  Fiber* from = current_fiber(*here);
  if (from == nullptr || from == fiber || fiber->core == nullptr) return;
  if ((flags & kNoSync) == 0) {
    emit.happens_before(here.thread(), address_of(fiber));
    emit.happens_after(*fiber->core, address_of(fiber));
  }
  here->core = fiber->core;
  use_check_of(fiber->core);
  here->fiber = fiber;
  here->running = &fiber->calls;
  here->id = fiber->core->id;
}

NORN_EXPORT void __tsan_set_fiber_name(void* named, const char* name) {
  const Inspection here;
  auto* fiber = static_cast<Fiber*>(named);
  if (here && fiber != nullptr && fiber->core != nullptr) set_thread_name(fiber->core->id, name);
}
