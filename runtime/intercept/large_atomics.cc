// Atomic objects that no instruction handles whole. Compilers call libatomic for them, which has locks of its own. What
// orders is the memory order that the program asks for, not those locks: the call is one operation of the location,
// under its lock as other atomics are, and what happens inside it is no event.
#include <string.h>

#include "runtime/control/control.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/emit.h"
#include "runtime/process/emit_inline.h"
#include "runtime/process/mode.h"

using namespace norn;
using namespace norn::rt;

namespace {

constexpr size_t kMostBytes = 128;  // of an object that are emitted; what lies behind them is as atomic

// As C and C++ number memory orders.
MemoryOrder order_of(int order) {
  constexpr int kConsume = 1;
  return static_cast<MemoryOrder>(order > kConsume ? order - 1 : order);
}
static_assert(static_cast<int>(MemoryOrder::kAcquire) == __ATOMIC_ACQUIRE - 1);
static_assert(static_cast<int>(MemoryOrder::kSeqCst) == __ATOMIC_SEQ_CST - 1);

// `apply` does it and says what it was.
template <class Apply>
void as_one(const volatile void* address, size_t size, bool writes, const norn_site& site, Apply apply) {
  if (!is_watching()) {
    apply();
    return;
  }
  if (is_controlled()) {
    control::atomic(address, size, writes, &site);
    if (is_only_scheduled()) {
      apply();
      return;
    }
  }
  const Inspection here;
  if (!here) {
    apply();
    return;
  }
  emit.atomic(here.thread(), address_of(address), size < kMostBytes ? size : kMostBytes, stack_id(*here, &site), apply);
}

}  // namespace

NORN_INTERPOSE_DYNAMIC(void, __atomic_load, (size_t size, void* from, void* to, int order)) {
  as_one(from, size, false, site___atomic_load, [=] {
    real___atomic_load(size, from, to, order);
    return AtomicOutcome{EventKind::kAtomicLoad, order_of(order)};
  });
}

NORN_INTERPOSE_DYNAMIC(void, __atomic_store, (size_t size, void* to, void* from, int order)) {
  as_one(to, size, true, site___atomic_store, [=] {
    real___atomic_store(size, to, from, order);
    return AtomicOutcome{EventKind::kAtomicStore, order_of(order)};
  });
}

NORN_INTERPOSE_DYNAMIC(void, __atomic_exchange, (size_t size, void* at, void* from, void* to, int order)) {
  as_one(at, size, true, site___atomic_exchange, [=] {
    real___atomic_exchange(size, at, from, to, order);
    return AtomicOutcome{EventKind::kAtomicRmw, order_of(order)};
  });
}

NORN_INTERPOSE_DYNAMIC(bool, __atomic_compare_exchange,
                       (size_t size, void* at, void* expected, void* desired, int success, int failure)) {
  bool exchanged = false;
  as_one(at, size, true, site___atomic_compare_exchange, [&] {
    exchanged = real___atomic_compare_exchange(size, at, expected, desired, success, failure);
    return exchanged ? AtomicOutcome{EventKind::kAtomicRmw, order_of(success)}
                     : AtomicOutcome{EventKind::kAtomicLoad, order_of(failure)};
  });
  return exchanged;
}
