// What clang and gcc emit for -fsanitize=thread, and <sanitizer/tsan_interface_atomic.h>, which has the same atomics.
//
// Code that was compiled so and is linked with norn's runtime in place of ThreadSanitizer's is checked as norn's own
// is. Its sites are program counters (code_sites.h); docs/design/tsan-objects.md says what it cannot be told.
#include "norn/abi.h"
#include "runtime/hooks/access_hooks.h"
#include "runtime/hooks/code_sites.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/mode.h"

using namespace norn;
using namespace norn::rt;

namespace {

// The site of a hook's caller. A program of norn's may call such a function itself: then the call on top of the stack
// is the place, which null stands for.
const norn_site* site_of(const void* counter, norn_site_kind kind, size_t size, uint32_t flags = 0) {
  const ThreadState* state = current_state;
  const norn_site* const* top = __norn_stack;
  if (state != nullptr && top > state->running->begin && top <= state->running->end && top[-1] != nullptr)
    return nullptr;
  return code_site(address_of(counter), kind, size > UINT16_MAX ? 0 : static_cast<uint16_t>(size), flags);
}

template <AccessKind Kind>
void access(const void* counter, const void* address, size_t size, uint32_t flags = 0) {
  if (size == 0 || !is_watching() || passes(Kind, address, size)) return;
  const norn_site_kind kind = Kind == AccessKind::kRead ? NORN_SITE_READ : NORN_SITE_WRITE;
  observe_range<Kind>(address, size, site_of(counter, kind, size, flags));
  // As a volatile variable of norn's own code: it may be a flag that somebody waits for.
  if (Kind == AccessKind::kWrite && (flags & NORN_SITE_VOLATILE) != 0) __norn_cut();
}

// x++: whether its value decides anything is not known, so it is read.
void access_twice(const void* counter, const void* address, size_t size) {
  access<AccessKind::kRead>(counter, address, size);
  access<AccessKind::kWrite>(counter, address, size);
}

template <AccessKind Kind>
void access_block(const void* counter, const void* address, size_t size) {
  if (size == 0 || !is_watching() || passes(Kind, address, size)) return;
  observe_range<Kind>(address, size,
                      site_of(counter, Kind == AccessKind::kRead ? NORN_SITE_RANGE_READ : NORN_SITE_RANGE_WRITE, size));
}

}  // namespace

#define NORN_COUNTER __builtin_return_address(0)

// --- functions -------------------------------------------------------------------------------------------------------

NORN_EXPORT void __tsan_init(void) { add_code(); }

// The caller's counter says less than the stack: what the caller called may not be this function.
NORN_EXPORT void __tsan_func_entry(void* /*caller*/) {
  const norn_site** top = __norn_stack;
  *top = nullptr;
  if (ThreadState* state = current_state; state != nullptr) {
    CallStack& calls = *state->running;
    if (top >= calls.begin && top < calls.end && (calls.foreign != nullptr || calls.add_foreign())) {
      const size_t slot = static_cast<size_t>(top - calls.begin);
      const auto* returns = static_cast<const Address*>(__builtin_frame_address(0)) + 1;
      calls.foreign[slot] = {returns, address_of(NORN_COUNTER)};
      calls.stack_ids[slot] = kNoStack;
    }
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  __norn_stack = top + 1;
}

NORN_EXPORT void __tsan_func_exit(void) {
  const ThreadState* state = current_state;
  if (state != nullptr && __norn_stack == state->running->begin) return;  // the thread was not known when it began
  --__norn_stack;
}

// --- accesses --------------------------------------------------------------------------------------------------------

#define NORN_TSAN_PLAIN(prefix, size)                                                                              \
  NORN_EXPORT void __tsan_##prefix##read##size(void* address) {                                                    \
    access<AccessKind::kRead>(NORN_COUNTER, address, size);                                                        \
  }                                                                                                                \
  NORN_EXPORT void __tsan_##prefix##write##size(void* address) {                                                   \
    access<AccessKind::kWrite>(NORN_COUNTER, address, size);                                                       \
  }                                                                                                                \
  NORN_EXPORT void __tsan_##prefix##read_write##size(void* address) { access_twice(NORN_COUNTER, address, size); } \
  NORN_EXPORT void __tsan_##prefix##volatile_read##size(void* address) {                                           \
    access<AccessKind::kRead>(NORN_COUNTER, address, size, NORN_SITE_VOLATILE);                                    \
  }                                                                                                                \
  NORN_EXPORT void __tsan_##prefix##volatile_write##size(void* address) {                                          \
    access<AccessKind::kWrite>(NORN_COUNTER, address, size, NORN_SITE_VOLATILE);                                   \
  }
// Of code that knows better what the counter is.
#define NORN_TSAN_AT(size)                                                                                           \
  NORN_EXPORT void __tsan_read##size##_pc(void* address, void* pc) { access<AccessKind::kRead>(pc, address, size); } \
  NORN_EXPORT void __tsan_write##size##_pc(void* address, void* pc) { access<AccessKind::kWrite>(pc, address, size); }

NORN_TSAN_PLAIN(, 1)
NORN_TSAN_PLAIN(, 2)
NORN_TSAN_PLAIN(, 4)
NORN_TSAN_PLAIN(, 8)
NORN_TSAN_PLAIN(, 16)
NORN_TSAN_PLAIN(unaligned_, 2)
NORN_TSAN_PLAIN(unaligned_, 4)
NORN_TSAN_PLAIN(unaligned_, 8)
NORN_TSAN_PLAIN(unaligned_, 16)
NORN_TSAN_AT(1)
NORN_TSAN_AT(2)
NORN_TSAN_AT(4)
NORN_TSAN_AT(8)
NORN_TSAN_AT(16)

NORN_EXPORT void __tsan_read_range(void* address, size_t size) {
  access_block<AccessKind::kRead>(NORN_COUNTER, address, size);
}
NORN_EXPORT void __tsan_write_range(void* address, size_t size) {
  access_block<AccessKind::kWrite>(NORN_COUNTER, address, size);
}
NORN_EXPORT void __tsan_read_range_pc(void* address, size_t size, void* pc) {
  access_block<AccessKind::kRead>(pc, address, size);
}
NORN_EXPORT void __tsan_write_range_pc(void* address, size_t size, void* pc) {
  access_block<AccessKind::kWrite>(pc, address, size);
}

NORN_EXPORT void __tsan_vptr_read(void** address) { access<AccessKind::kRead>(NORN_COUNTER, address, sizeof(void*)); }
// A table that is there already changes nothing for who reads it.
NORN_EXPORT void __tsan_vptr_update(void** address, void* value) {
  if (__atomic_load_n(address, __ATOMIC_RELAXED) == value) {
    access<AccessKind::kRead>(NORN_COUNTER, address, sizeof(void*));
  } else {
    access<AccessKind::kWrite>(NORN_COUNTER, address, sizeof(void*));
  }
}

NORN_EXPORT void* __tsan_memcpy(void* to, const void* from, size_t size) {
  access_block<AccessKind::kRead>(NORN_COUNTER, from, size);
  access_block<AccessKind::kWrite>(NORN_COUNTER, to, size);
  return __builtin_memcpy(to, from, size);
}
NORN_EXPORT void* __tsan_memmove(void* to, const void* from, size_t size) {
  access_block<AccessKind::kRead>(NORN_COUNTER, from, size);
  access_block<AccessKind::kWrite>(NORN_COUNTER, to, size);
  return __builtin_memmove(to, from, size);
}
NORN_EXPORT void* __tsan_memset(void* to, int value, size_t size) {
  access_block<AccessKind::kWrite>(NORN_COUNTER, to, size);
  return __builtin_memset(to, value, size);
}

// --- atomics ---------------------------------------------------------------------------------------------------------

namespace {

// Of ThreadSanitizer's numbers, which are those of C.
int order_of_c(int order) {
  constexpr int kOrders[] = {NORN_RELAXED, NORN_ACQUIRE, NORN_ACQUIRE, NORN_RELEASE, NORN_ACQ_REL, NORN_SEQ_CST};
  return order >= 0 && order < 6 ? kOrders[order] : NORN_SEQ_CST;
}

}  // namespace

#define NORN_TSAN_CHANGE(bits, type, name)                                                       \
  NORN_EXPORT type __tsan_atomic##bits##_##name(volatile type* address, type value, int order) { \
    return __norn_atomic##bits##_##name(address, value, order_of_c(order),                       \
                                        site_of(NORN_COUNTER, NORN_SITE_ATOMIC_RMW, bits / 8));  \
  }

#define NORN_TSAN_ATOMICS(bits, type)                                                                                 \
  NORN_EXPORT type __tsan_atomic##bits##_load(const volatile type* address, int order) {                              \
    return __norn_atomic##bits##_load(address, order_of_c(order),                                                     \
                                      site_of(NORN_COUNTER, NORN_SITE_ATOMIC_LOAD, bits / 8));                        \
  }                                                                                                                   \
  NORN_EXPORT void __tsan_atomic##bits##_store(volatile type* address, type value, int order) {                       \
    __norn_atomic##bits##_store(address, value, order_of_c(order),                                                    \
                                site_of(NORN_COUNTER, NORN_SITE_ATOMIC_STORE, bits / 8));                             \
  }                                                                                                                   \
  NORN_TSAN_CHANGE(bits, type, exchange)                                                                              \
  NORN_TSAN_CHANGE(bits, type, fetch_add)                                                                             \
  NORN_TSAN_CHANGE(bits, type, fetch_sub)                                                                             \
  NORN_TSAN_CHANGE(bits, type, fetch_and)                                                                             \
  NORN_TSAN_CHANGE(bits, type, fetch_or)                                                                              \
  NORN_TSAN_CHANGE(bits, type, fetch_xor)                                                                             \
  NORN_TSAN_CHANGE(bits, type, fetch_nand)                                                                            \
  NORN_EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type* address, type expected, type desired,    \
                                                              int success, int failure) {                             \
    return __norn_atomic##bits##_compare_exchange(address, expected, desired, order_of_c(success),                    \
                                                  order_of_c(failure),                                                \
                                                  site_of(NORN_COUNTER, NORN_SITE_ATOMIC_CAS, bits / 8));             \
  }                                                                                                                   \
  static int compare_exchange##bits(const void* counter, volatile type* address, type* expected, type desired,        \
                                    int success, int failure) {                                                       \
    const type wanted = *expected;                                                                                    \
    const type found =                                                                                                \
        __norn_atomic##bits##_compare_exchange(address, wanted, desired, order_of_c(success), order_of_c(failure),    \
                                               site_of(counter, NORN_SITE_ATOMIC_CAS, bits / 8));                     \
    if (found == wanted) return 1;                                                                                    \
    *expected = found;                                                                                                \
    return 0;                                                                                                         \
  }                                                                                                                   \
  NORN_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(volatile type* address, type* expected, type desired, \
                                                                int success, int failure) {                           \
    return compare_exchange##bits(NORN_COUNTER, address, expected, desired, success, failure);                        \
  }                                                                                                                   \
  NORN_EXPORT int __tsan_atomic##bits##_compare_exchange_weak(volatile type* address, type* expected, type desired,   \
                                                              int success, int failure) {                             \
    return compare_exchange##bits(NORN_COUNTER, address, expected, desired, success, failure);                        \
  }

NORN_TSAN_ATOMICS(8, uint8_t)
NORN_TSAN_ATOMICS(16, uint16_t)
NORN_TSAN_ATOMICS(32, uint32_t)
NORN_TSAN_ATOMICS(64, uint64_t)
NORN_TSAN_ATOMICS(128, norn_uint128)

NORN_EXPORT void __tsan_atomic_thread_fence(int order) {
  __norn_fence(order_of_c(order), 0, site_of(NORN_COUNTER, NORN_SITE_FENCE, 0));
}
NORN_EXPORT void __tsan_atomic_signal_fence(int order) {
  __norn_fence(order_of_c(order), 1, site_of(NORN_COUNTER, NORN_SITE_FENCE, 0));
}
