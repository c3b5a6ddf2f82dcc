// The hooks of atomics and fences. The operation itself is done inside the core, under the location's lock, so that
// the program's order of operations and the core's are one.
#include "norn/abi.h"
#include "runtime/control/control.h"
#include "runtime/hooks/access_hooks.h"
#include "runtime/hooks/loop_hooks.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/emit.h"
#include "runtime/process/emit_inline.h"
#include "runtime/process/mode.h"
#include "runtime/process/settings.h"

using namespace norn;
using namespace norn::rt;

bool norn::rt::may_pass_unsampled(const Thread& thread) { return detector.may_pass_unsampled(thread); }

namespace {

MemoryOrder order_of(int order) { return static_cast<MemoryOrder>(order & ~NORN_UNSAMPLED_ORDER); }

// A fault on the address must come while nothing is locked: the program may have a handler that never returns.
template <class T>
void touch_to_read(const volatile T* address) {
  (void)*reinterpret_cast<const volatile char*>(address);
}
template <class T>
void touch_to_write(volatile T* address) {
  __atomic_fetch_or(reinterpret_cast<volatile char*>(address), char{0}, __ATOMIC_RELAXED);
}

template <class T, class Perform>
void atomic(const volatile T* address, bool writes, const norn_site* site, Perform perform) {
  if (is_controlled()) [[unlikely]] {
    control::atomic(address, sizeof(T), writes, site);
    if (is_only_scheduled()) {
      perform();
      return;
    }
  }
  const Inspection here;
  if (!here) {
    perform();
    return;
  }
  const StackId stack = cached_stack_id(*here, site);
  // A load says by its memory order what it orders, also in a loop that waits: a relaxed flag orders nothing. Only
  // where the library's synchronization is not known does it count as a spinning read.
  if (__norn_spinning == nullptr || (!writes && is_spin(__norn_spinning) && start.settings.lib)) [[likely]] {
    if constexpr (requires { perform.order; }) {
      emit.atomic_load(here.thread(), address_of(address), sizeof(T), perform.order, stack, perform);
    } else {
      emit.atomic(here.thread(), address_of(address), sizeof(T), stack, perform);
    }
  } else {
    spin_by_atomic(here.thread(), address_of(address), sizeof(T), stack, site, perform);
  }
}

// The calling thread, if only what the operation orders counts; null: it is to be looked at.
[[gnu::always_inline]] inline ThreadState* unsampled(int order, bool writes) {
  if ((order & NORN_UNSAMPLED_ORDER) == 0) return nullptr;
  ThreadState* state = current_state;
  if (state == nullptr || state->depth.load(std::memory_order_relaxed) != 0 || is_controlled()) return nullptr;
  const bool may_wait = __norn_spinning != nullptr && (writes || !is_spin(__norn_spinning) || !start.settings.lib);
  return !may_wait && may_pass_unsampled(*state->core) ? state : nullptr;
}

// Before an operation that may write, and after one that read. Between them the thread is outside: a fault comes while
// nothing is locked.
[[gnu::always_inline]] inline void release_unsampled(ThreadState& state, const volatile void* address, int order) {
  if (!enter(state)) return;
  emit.before_unsampled(*state.core, address_of(address), order_of(order));
  leave(state);
}
[[gnu::always_inline]] inline void acquire_unsampled(ThreadState& state, const volatile void* address, int order) {
  if (!enter(state)) return;
  emit.after_unsampled(*state.core, address_of(address), order_of(order));
  leave(state);
}

// 16 bytes have one instruction; what the compiler makes of them without it is a call to a library.
norn_uint128 exchange_if(volatile norn_uint128* address, norn_uint128 expected, norn_uint128 desired) {
  auto low = static_cast<uint64_t>(expected);
  auto high = static_cast<uint64_t>(expected >> 64);
  asm volatile("lock cmpxchg16b %0"
               : "+m"(*address), "+a"(low), "+d"(high)
               : "b"(static_cast<uint64_t>(desired)), "c"(static_cast<uint64_t>(desired >> 64))
               : "memory", "cc");
  return static_cast<norn_uint128>(high) << 64 | low;
}

template <class T>
T load_now(const volatile T* address) {
  if constexpr (sizeof(T) == 16) {
    // Vector loads of 16 aligned bytes are atomic wherever there is AVX, and work on memory that is read-only.
    T value;
    asm volatile("movdqa %1, %%xmm0; movdqu %%xmm0, %0" : "=m"(value) : "m"(*address) : "xmm0");
    return value;
  } else {
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);
  }
}

template <class T>
T compare_now(volatile T* address, T expected, T desired) {
  if constexpr (sizeof(T) == 16) {
    return exchange_if(address, expected, desired);
  } else {
    __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
  }
}

// Replaces the value by change(value); returns the old one.
template <class T, class Change>
T change_now(volatile T* address, Change change) {
  T seen = load_now(address);
  for (;;) {
    const T before = compare_now(address, seen, static_cast<T>(change(seen)));
    if (before == seen) return seen;
    seen = before;
  }
}

// What an atomic load does, which nothing but its memory order decides.
template <class T>
struct Load {
  const volatile T* address;
  MemoryOrder order;
  T& value;

  AtomicOutcome operator()() const {
    value = load_now(address);
    return {EventKind::kAtomicLoad, order};
  }
};

template <class T>
T load(const volatile T* address, int order, const norn_site* site) {
  if (!is_watching()) return load_now(address);
  if (ThreadState* state = unsampled(order, false); state != nullptr) {
    const T seen = load_now(address);
    acquire_unsampled(*state, address, order);
    return seen;
  }
  T value{};
  touch_to_read(address);
  atomic(address, false, site, Load<T>{address, order_of(order), value});
  return value;
}

template <class T>
void store(volatile T* address, T value, int order, const norn_site* site) {
  const auto store_now = [&] {
    if constexpr (sizeof(T) == 16) {
      change_now(address, [&](T) { return value; });
    } else if (order_of(order) == MemoryOrder::kSeqCst) {
      __atomic_store_n(address, value, __ATOMIC_SEQ_CST);
    } else {
      // Whoever finds the location's lock free sees the value: it is given up after this.
      __atomic_store_n(address, value, __ATOMIC_RELEASE);
    }
    return AtomicOutcome{EventKind::kAtomicStore, order_of(order)};
  };
  if (!is_watching()) {
    store_now();
    return;
  }
  if (ThreadState* state = unsampled(order, true); state != nullptr) {
    release_unsampled(*state, address, order);
    store_now();  // what it gives is there before the value is
    return;
  }
  touch_to_write(address);
  atomic(address, true, site, store_now);
}

template <class T, class Change>
T change(volatile T* address, int order, const norn_site* site, Change how) {
  T before{};
  const auto apply = [&] {
    before = change_now(address, how);
    return AtomicOutcome{EventKind::kAtomicRmw, order_of(order)};
  };
  if (!is_watching()) {
    apply();
    return before;
  }
  if (ThreadState* state = unsampled(order, true); state != nullptr) {
    release_unsampled(*state, address, order);
    apply();
    acquire_unsampled(*state, address, order);
    return before;
  }
  touch_to_write(address);
  atomic(address, true, site, apply);
  return before;
}

template <class T>
T compare_exchange(volatile T* address, T expected, T desired, int success, int failure, const norn_site* site) {
  T before{};
  const auto apply = [&] {
    before = compare_now(address, expected, desired);
    return before == expected ? AtomicOutcome{EventKind::kAtomicRmw, order_of(success)}
                              : AtomicOutcome{EventKind::kAtomicLoad, order_of(failure)};
  };
  if (!is_watching()) {
    apply();
    return before;
  }
  if (ThreadState* state = unsampled(success, true); state != nullptr) {
    // One that fails gives nothing.
    before = load_now(address);
    if (before == expected) {
      release_unsampled(*state, address, success);
      apply();
    }
    acquire_unsampled(*state, address, before == expected ? success : failure);
    return before;
  }
  touch_to_write(address);
  atomic(address, true, site, apply);
  return before;
}

}  // namespace

#define NORN_CHANGE_HOOK(bits, type, name, expression)                                                             \
  NORN_EXPORT type __norn_atomic##bits##_##name(volatile type* address, type value, int order,                     \
                                                const norn_site* site) {                                           \
    return change(address, order, site, [=]([[maybe_unused]] type old) { return static_cast<type>(expression); }); \
  }

#define NORN_DEFINE_ATOMIC_HOOKS(bits, type)                                                                           \
  NORN_EXPORT type __norn_atomic##bits##_load(const volatile type* address, int order, const norn_site* site) {        \
    return load(address, order, site);                                                                                 \
  }                                                                                                                    \
  NORN_EXPORT void __norn_atomic##bits##_store(volatile type* address, type value, int order, const norn_site* site) { \
    store(address, value, order, site);                                                                                \
  }                                                                                                                    \
  NORN_CHANGE_HOOK(bits, type, exchange, value)                                                                        \
  NORN_CHANGE_HOOK(bits, type, fetch_add, old + value)                                                                 \
  NORN_CHANGE_HOOK(bits, type, fetch_sub, old - value)                                                                 \
  NORN_CHANGE_HOOK(bits, type, fetch_and, old& value)                                                                  \
  NORN_CHANGE_HOOK(bits, type, fetch_or, old | value)                                                                  \
  NORN_CHANGE_HOOK(bits, type, fetch_xor, old ^ value)                                                                 \
  NORN_CHANGE_HOOK(bits, type, fetch_nand, ~(old & value))                                                             \
  NORN_EXPORT type __norn_atomic##bits##_compare_exchange(volatile type* address, type expected, type desired,         \
                                                          int success, int failure, const norn_site* site) {           \
    return compare_exchange(address, expected, desired, success, failure, site);                                       \
  }

NORN_DEFINE_ATOMIC_HOOKS(8, uint8_t)
NORN_DEFINE_ATOMIC_HOOKS(16, uint16_t)
NORN_DEFINE_ATOMIC_HOOKS(32, uint32_t)
NORN_DEFINE_ATOMIC_HOOKS(64, uint64_t)
NORN_DEFINE_ATOMIC_HOOKS(128, norn_uint128)

NORN_EXPORT void __norn_fence(int order, int signal_scope, const norn_site* /*site*/) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (signal_scope != 0) return __norn_cut();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (!is_watching()) return;
  if (const Inspection here; here) emit.fence(here.thread(), order_of(order));
}

// The assembly itself runs between the two: what came before it is released before anyone can see its effect, and what
// it may have seen is acquired after it.
NORN_EXPORT void __norn_assembly_before(const void* address, size_t size, const norn_site* site) {
  if (!is_watching()) return;
  if (is_controlled()) {
    control::atomic(address, size, true, site);
    if (is_only_scheduled()) return;
  }
  const Inspection here;
  if (!here) return;
  emit.atomic(here.thread(), address_of(address), size, stack_id(*here, site),
              [] { return AtomicOutcome{EventKind::kAtomicRmw, MemoryOrder::kAcqRel}; });
}

NORN_EXPORT void __norn_assembly_after(const void* address, size_t size, const norn_site* site) {
  if (!is_watching() || is_only_scheduled()) return;
  const Inspection here;
  if (!here) return;
  emit.atomic(here.thread(), address_of(address), size, stack_id(*here, site),
              [] { return AtomicOutcome{EventKind::kAtomicLoad, MemoryOrder::kAcquire}; });
}
