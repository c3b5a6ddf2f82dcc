// A value that becomes known at the end of a thread (std::promise::set_value_at_thread_exit and its like): the C++
// library says so by an atomic store of its own, when the thread's objects are gone. What the thread did comes before
// whoever finds the value.
#include <stdint.h>

#include "runtime/hooks/access_hooks.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/emit.h"
#include "runtime/process/emit_inline.h"
#include "runtime/process/mode.h"

using namespace norn;
using namespace norn::rt;

namespace {

// std::__future_base::_State_baseV2::_Make_ready of libstdc++: a link, the function that is called, and a weak_ptr to
// the state; the state's third word says whether there is a value.
struct MakeReady {
  MakeReady* next;
  void (*call)(void* self);
  uint32_t* state;
  void* count;
};
constexpr unsigned kStatus = 4;  // of words of 32 bits

void (*library_call)(void* self) = nullptr;

constexpr norn_site site_at_thread_exit = library_site("set_value_at_thread_exit");

void make_ready(void* self) {
  const auto* ready = static_cast<MakeReady*>(self);
  if (is_watching() && ready->state != nullptr) {
    if (const Inspection here; here) {
      // The library stores right after this; it knows whether the state is still there.
      emit.atomic(here.thread(), address_of(ready->state + kStatus), sizeof(uint32_t),
                  stack_id(*here, &site_at_thread_exit),
                  [] { return AtomicOutcome{EventKind::kAtomicStore, MemoryOrder::kRelease}; });
    }
  }
  library_call(self);
}

}  // namespace

// _Make_ready::_M_set()
NORN_INTERPOSE_OPTIONAL(void, _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv, (void* self)) {
  if (real__ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv == nullptr) return;
  real__ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(self);
  auto* ready = static_cast<MakeReady*>(self);
  __atomic_store_n(&library_call, ready->call, __ATOMIC_RELEASE);
  ready->call = &make_ready;
}
