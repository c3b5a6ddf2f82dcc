// The hooks of plain accesses.
#include "runtime/hooks/access_hooks.h"

#include <sys/mman.h>

#include <algorithm>

#include "norn/abi.h"
#include "runtime/hooks/check_state.h"
#include "runtime/hooks/flat_granule.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/emit.h"
#include "runtime/process/emit_inline.h"
#include "runtime/process/mode.h"
#include "runtime/process/proc_maps.h"

namespace norn::rt {

namespace {

// Keeps what is written, if the hook knows it, until the access is done. The thread is inside, so that a signal's
// handler comes after it.
template <class... Value>
class Writing {
 public:
  Writing(ThreadState& state, const volatile void* address, Value... value) : state_(state) {
    if constexpr (sizeof...(Value) == 1) state.written = {const_cast<const void*>(address), value...};
  }
  ~Writing() {
    if constexpr (sizeof...(Value) == 1) state_.written.at = nullptr;
  }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

 private:
  [[maybe_unused]] ThreadState& state_;
};

template <class... Value>
void observe_writing(AccessKind kind, const volatile void* address, size_t size, const norn_site* site, bool increments,
                     Value... value) {
  if (is_controlled() && !pass_control(kind, address, size, site, value...)) [[unlikely]]
    return;
  const Inspection here{Inspection::Started()};
  if (!here) return;
  const Writing writing(*here, address, value...);
  emit.access(here.thread(), kind, address_of(address), size, [&] { return cached_stack_id(*here, site); }, increments);
}

}  // namespace

void observe(AccessKind kind, const volatile void* address, size_t size, const norn_site* site, bool increments) {
  observe_writing(kind, address, size, site, increments);
}

namespace {

template <AccessKind Kind>
bool increments(const norn_site* site) {
  return (site->flags & (Kind == AccessKind::kWrite ? NORN_SITE_READS_TOO : NORN_SITE_COUNTS)) != 0;
}

// A volatile variable may be a flag that somebody waits for. (The program has no check of its own before its writes.)
template <AccessKind Kind>
bool may_be_flag(const norn_site* site) {
  return Kind == AccessKind::kWrite && (site->flags & NORN_SITE_VOLATILE) != 0;
}

// `value`: of a write, what is written; nothing of others.
template <AccessKind Kind, unsigned Size, class... Value>
inline void access(const void* address, const norn_site* site, Value... value) {
  if (!is_watching()) return;
  observe_writing(Kind, address, Size, site, increments<Kind>(site), value...);
  if (may_be_flag<Kind>(site)) __norn_cut();
}

// The program's own check did not let it pass.
template <AccessKind Kind, unsigned Size, class... Value>
[[gnu::noinline]] NORN_SLOW void slow_access(const void* address, const norn_site* site, Value... value) {
  if (!is_watching()) [[unlikely]] {
    const Inspection here;
    if (here) settle_check(here.thread());
    return;
  }
  if (is_controlled()) [[unlikely]] {
    if (!pass_control(Kind, address, Size, site, value...)) return;
  }
  const Inspection here{Inspection::Started()};
  if (!here) return;
  Thread& thread = here.thread();
  if (thread.fast.mask == 0) [[unlikely]]
    settle_check(thread);
  const Writing writing(*here, address, value...);
  emit.access(
      thread, Kind, address_of(address), Size, [&] { return cached_stack_id(*here, site); }, increments<Kind>(site));
}

// How many bytes of an aligned access lie in one granule.
template <unsigned Size>
constexpr unsigned kInGranule = Size < kGranuleBytes ? Size : unsigned{kGranuleBytes};

template <unsigned Size>
[[gnu::always_inline]] inline bool lies_across(const void* address) {
  return address_of(address) % kGranuleBytes + kInGranule<Size> > kGranuleBytes;
}

// What is left to do for an access that was quick: the thread holds a lock, or a signal came.
template <AccessKind Kind, unsigned Size, class... Value>
[[gnu::noinline]] NORN_SLOW void finish_slowly(const void* address, const norn_site* site, Value... /*value*/) {
  ThreadState& state = *current_state;
  if (!enter(state)) return;
  if (state.core->recording) {
    detector.record_again(*state.core, Kind, address_of(address), Size, increments<Kind>(site));
  }
  leave(state);
}

template <AccessKind Kind, unsigned Size, class... Value>
[[gnu::noinline]] NORN_SLOW void finish_quick(const void* address, const norn_site* site, Value... value) {
  ThreadState& state = *current_state;
  const Address at = address_of(address);
  const bool recorded = state.core->recording && do_inside(state, [&]() __attribute__((always_inline)) {
                          return !gate.load(std::memory_order_relaxed) &&
                                 Detector::record_quickly<Kind>(*state.core, {at, at + Size}, increments<Kind>(site));
                        });
  if (recorded && state.kept_signals.load(std::memory_order_relaxed) == 0) [[likely]]
    return;
  [[clang::musttail]] return finish_slowly<Kind, Size>(address, site, value...);
}

// It was tried, and is in the flat shadow, and counts. (Of sixteen bytes some may be done.)
template <AccessKind Kind, unsigned Size, class... Value>
[[gnu::noinline]] NORN_SLOW void slow_step(const void* address, const norn_site* site, Value... value) {
  ThreadState& state = *current_state;
  if (!enter(state)) return;
  Thread& thread = *state.core;
  Granule* granule = &flat_granule(thread.fast.granules, thread.fast.mask, address);
  {
    const Writing writing(state, address, value...);
    for (unsigned i = 0; i < Size / kInGranule<Size>; ++i) {
      detector.access_within(
          thread, granule[i], Kind, address_of(address) + i * kGranuleBytes, kInGranule<Size>,
          [&] { return cached_stack_id(state, site); }, increments<Kind>(site));
    }
  }
  leave(state);
}

enum class Quick : uint8_t { kNot, kDone, kUnfinished, kTried, kOwned, kListed };

// The first shadow word of an epoch needs more. False: it is not to be had.
[[gnu::noinline]] NORN_SLOW bool begin_epoch(ThreadState& state) {
  if (!enter(state)) return false;
  detector.begin_epoch(*state.core);
  leave(state);
  return state.core->is_plain();
}

// The first such access since a function was called. The thread is the runtime's already.
[[gnu::noinline]] NORN_SLOW bool make_stack_id(ThreadState& state, const norn_site* site, StackId& stack) {
  if (gate.load(std::memory_order_relaxed)) return false;
  stack = stack_id(state, site);
  return true;
}

// What most accesses are that do not pass.
template <AccessKind Kind, unsigned Size>
[[gnu::always_inline]] inline Quick access_plainly(const void* address, const norn_site* site) {
  ThreadState* state = current_state;
  if (state == nullptr || lies_across<Size>(address)) return Quick::kNot;
  Thread& thread = *state->core;
  // With a mask accesses count, nothing is controlled, and the shadow is flat (settle_check).
  if (thread.fast.mask == 0 || state->depth.load(std::memory_order_relaxed) != 0) return Quick::kNot;
  if (!thread.is_plain() && (thread.epoch_used || !begin_epoch(*state))) return Quick::kTried;
  Granule* granules = &flat_granule(thread.fast.granules, thread.fast.mask, address);
  if (has_list(granules[0])) {
    if (Size > kGranuleBytes) return Quick::kTried;
    if (detector.owns(thread, granules[0])) return Quick::kOwned;
    return Kind == AccessKind::kRead && !is_in_read_table(granules[0]) ? Quick::kListed : Quick::kTried;
  }
  const bool done = do_inside(*state, [&]() __attribute__((always_inline)) {
    StackId stack = kNoStack;
    // Once more, since a signal's handler may have begun another epoch until here.
    if (!thread.is_plain() || (!find_stack_id(*state, site, stack) && !make_stack_id(*state, site, stack)))
      return false;
    if constexpr (Size <= kGranuleBytes) {
      const unsigned bytes = bytes_in_granule(address_of(address), Size);
      if (Detector::access_own<Kind>(thread, granules[0], bytes, stack)) return true;
    }
    return detector.access_plainly<Kind, Size>(thread, granules, address_of(address), stack);
  });
  if (!done) return Quick::kTried;
  const bool finished = !thread.recording && state->kept_signals.load(std::memory_order_relaxed) == 0;
  return finished ? Quick::kDone : Quick::kUnfinished;
}

// Does steps(thread, find_stack) as the runtime, if the thread may be that without further ado. find_stack() finds an
// id that is known, and the steps say whether all was done. Few registers are saved where they make no call.
template <AccessKind Kind, class Steps>
[[gnu::always_inline]] inline Quick do_quickly(Bytes bytes, const norn_site* site, const Steps& steps) {
  ThreadState* state = current_state;
  // With a mask accesses count, nothing is controlled, and the shadow is flat (settle_check).
  if (state == nullptr || state->core->fast.mask == 0 || state->depth.load(std::memory_order_relaxed) != 0) {
    return Quick::kNot;
  }
  Thread& thread = *state->core;
  if (thread.ignoring != 0) return Quick::kNot;
  auto find_stack = [&](StackId& found) __attribute__((always_inline)) { return find_stack_id(*state, site, found); };
  bool recorded = true;
  const bool done = do_inside(*state, [&]() __attribute__((always_inline)) {
    if (gate.load(std::memory_order_relaxed) || !steps(thread, find_stack)) return false;
    recorded = !thread.recording || Detector::record_quickly<Kind>(thread, bytes, increments<Kind>(site));
    return true;
  });
  if (!done) return Quick::kTried;
  return recorded && state->kept_signals.load(std::memory_order_relaxed) == 0 ? Quick::kDone : Quick::kUnfinished;
}

// An access that does not pass.
template <AccessKind Kind, unsigned Size>
[[gnu::always_inline]] inline Quick quick_access(const void* address, const norn_site* site) {
  if (lies_across<Size>(address)) return Quick::kNot;
  const Address at = address_of(address);
  const auto steps = [&](Thread& thread, const auto& find_stack) __attribute__((always_inline)) {
    Granule* granule = &flat_granule(thread.fast.granules, thread.fast.mask, address);
    bool done = true;
    for (unsigned i = 0; i < Size / kInGranule<Size>; ++i) {
      done = done &&
             ((Size > kGranuleBytes && contains_same_access(thread, granule[i], Kind, 0xff)) ||
              detector.access_again<Kind, Size <= kGranuleBytes>(thread, granule[i], at + i * kGranuleBytes,
                                                                 kInGranule<Size>, increments<Kind>(site), find_stack));
    }
    return done;
  };
  const Quick quick = do_quickly<Kind>({at, at + Size}, site, steps);
  if (Size <= kGranuleBytes || quick != Quick::kTried) return quick;
  // Two granules count as one access if somebody waits for them: that is known by their lists; and if either may have
  // been handed over.
  const Thread& thread = *current_state->core;
  const Granule* granule = &flat_granule(thread.fast.granules, thread.fast.mask, address);
  const bool apart =
      (Kind != AccessKind::kRead || thread.held_count == 0) && !has_list(granule[0]) && !has_list(granule[1]);
  return apart ? Quick::kTried : Quick::kNot;
}

// Whether the check in the program would let all of it pass.
template <AccessKind Kind>
[[gnu::always_inline]] inline bool passes(const void* address, size_t size) {
  const norn_fast& fast = *__norn_fast;
  constexpr bool kWrite = Kind == AccessKind::kWrite;
  const uint64_t own = __atomic_load_n(kWrite ? &fast.write : &fast.read, __ATOMIC_RELAXED);
  const uint64_t bits = kWrite ? NORN_FAST_WRITE_BITS : __atomic_load_n(&fast.read_bits, __ATOMIC_RELAXED);
  const Address end = address_of(address) + size;
  for (Address at = address_of(address); at < end;) {
    const Address next = (at | (kGranuleBytes - 1)) + 1;
    const auto bytes = static_cast<unsigned>((next < end ? next : end) - at);
    const uint64_t others = ~bytes_in_granule(at, bytes) & 0xff;
    const uint64_t looked_at = bits & ~(others << ShadowWord::kBytesAt);
    const uint64_t granule = (at & fast.mask) * (sizeof(Granule) / kGranuleBytes);
    const auto word = [&](const void* words) __attribute__((always_inline)) {
      return __atomic_load_n(reinterpret_cast<const uint64_t*>(static_cast<const char*>(words) + granule),
                             __ATOMIC_RELAXED);
    };
    if (((word(fast.granules) ^ own) & looked_at) != 0 && ((word(fast.others) ^ own) & looked_at) != 0) return false;
    at = next;
  }
  return true;
}

// As finish_slowly().
template <AccessKind Kind>
[[gnu::noinline]] void finish_range(Bytes bytes) {
  ThreadState& state = *current_state;
  if (!enter(state)) return;
  if (state.core->recording) {
    detector.record_again(*state.core, Kind, bytes.begin, bytes.end - bytes.begin, false);
  }
  leave(state);
}

// Some bytes in a row, as far as the short ways go, from the first on: how many.
template <AccessKind Kind>
[[gnu::noinline]] size_t observe_quickly(const void* address, size_t size, const norn_site* site) {
  ThreadState* state = current_state;
  if (state == nullptr) return 0;
  Thread& thread = *state->core;
  // With a mask accesses count, nothing is controlled, and the shadow is flat (settle_check).
  if (thread.fast.mask == 0 || state->depth.load(std::memory_order_relaxed) != 0) return 0;
  if (!thread.is_plain() && (thread.epoch_used || !begin_epoch(*state))) return 0;
  const Address begin = address_of(address);
  const Bytes bytes = {begin, begin + size};
  Address reached = begin;
  const bool recorded = do_inside(*state, [&]() __attribute__((always_inline)) {
    StackId stack = kNoStack;
    // (As access_plainly().)
    if (!thread.is_plain() || (!find_stack_id(*state, site, stack) && !make_stack_id(*state, site, stack))) return true;
    reached = detector.access_range<Kind>(thread, begin, bytes.end, stack);
    return !thread.recording || reached != bytes.end || Detector::record_quickly<Kind>(thread, bytes, false);
  });
  if (!recorded || state->kept_signals.load(std::memory_order_relaxed) != 0) finish_range<Kind>(bytes);
  return reached == bytes.end || !thread.recording ? reached - begin : 0;
}

// What that leaves.
template <AccessKind Kind, unsigned Size, class... Value>
[[gnu::noinline]] NORN_SLOW void try_next(const void* address, const norn_site* site, Value... value) {
  if (lies_across<Size>(address)) {
    if (passes<Kind>(address, Size)) return;
    if (!increments<Kind>(site) && observe_quickly<Kind>(address, Size, site) == Size) return;
  }
  const Quick quick = quick_access<Kind, Size>(address, site);
  if (quick == Quick::kDone) [[likely]]
    return;
  if (quick == Quick::kUnfinished) [[clang::musttail]]
    return finish_quick<Kind, Size>(address, site, value...);
  if (quick == Quick::kNot) [[clang::musttail]]
    return slow_access<Kind, Size>(address, site, value...);
  [[clang::musttail]] return slow_step<Kind, Size>(address, site, value...);
}

// An access of a granule that the thread owns. It is_plain(), or was just now.
template <AccessKind Kind, unsigned Size, class... Value>
[[gnu::noinline]] NORN_SLOW void access_owned(const void* address, const norn_site* site, Value... value) {
  ThreadState& state = *current_state;
  Thread& thread = *state.core;
  const bool done = do_inside(state, [&]() __attribute__((always_inline)) {
    StackId stack = kNoStack;
    Granule& granule = flat_granule(thread.fast.granules, thread.fast.mask, address);
    return thread.is_plain() && !gate.load(std::memory_order_relaxed) && find_stack_id(state, site, stack) &&
           detector.access_owned<Kind>(thread, granule, bytes_in_granule(address_of(address), kInGranule<Size>), stack);
  });
  if (!done) [[clang::musttail]]
    return try_next<Kind, Size>(address, site, value...);
  if (thread.recording || state.kept_signals.load(std::memory_order_relaxed) != 0) [[clang::musttail]]
    return finish_quick<Kind, Size>(address, site, value...);
}

// A read of a granule with a list. As access_owned().
template <AccessKind Kind, unsigned Size, class... Value>
[[gnu::noinline]] NORN_SLOW void read_listed(const void* address, const norn_site* site, Value... value) {
  ThreadState& state = *current_state;
  Thread& thread = *state.core;
  const bool done = do_inside(state, [&]() __attribute__((always_inline)) {
    StackId stack = kNoStack;
    Granule& granule = flat_granule(thread.fast.granules, thread.fast.mask, address);
    return thread.is_plain() && !gate.load(std::memory_order_relaxed) && find_stack_id(state, site, stack) &&
           detector.read_listed(thread, granule, bytes_in_granule(address_of(address), kInGranule<Size>),
                                increments<Kind>(site), stack);
  });
  if (!done) [[clang::musttail]]
    return try_next<Kind, Size>(address, site, value...);
  if (thread.recording || state.kept_signals.load(std::memory_order_relaxed) != 0) [[clang::musttail]]
    return finish_quick<Kind, Size>(address, site, value...);
}

template <AccessKind Kind, unsigned Size, class... Value>
[[gnu::noinline]] NORN_SLOW void try_quickly(const void* address, const norn_site* site, Value... value) {
  const Quick quick = access_plainly<Kind, Size>(address, site);
  if (quick == Quick::kDone) [[likely]]
    return;
  if (quick == Quick::kUnfinished) [[clang::musttail]]
    return finish_quick<Kind, Size>(address, site, value...);
  if (quick == Quick::kOwned) [[clang::musttail]]
    return access_owned<Kind, Size>(address, site, value...);
  if (quick == Quick::kListed) [[clang::musttail]]
    return read_listed<Kind, Size>(address, site, value...);
  [[clang::musttail]] return try_next<Kind, Size>(address, site, value...);
}

}  // namespace

NORN_SLOW void write_anything(const void* granule, const norn_site* site) {
  [[clang::musttail]] return try_quickly<AccessKind::kWrite, kGranuleBytes>(granule, site);
}

size_t mapped_part(const volatile void* address, size_t size) {
  constexpr Address kPageBytes = 4096;
  const Address first = address_of(address);
  const Address page = first & ~(kPageBytes - 1);
  const size_t most = std::min<size_t>(size, ~first);
  // It writes nothing back, and fails where a page is not mapped.
  const long bytes = static_cast<long>(most + (first - page));
  if (sys::call(__NR_msync, static_cast<long>(page), bytes, MS_ASYNC) == 0) return most;
  Address reached = first;
  visit_mappings([&](const Mapping& mapping) {
    if (mapping.end <= reached) return true;
    if (mapping.begin > reached || !mapping.readable) return false;
    reached = mapping.end;
    return true;
  });
  return std::min<size_t>(most, reached - first);
}

bool passes(AccessKind kind, const void* address, size_t size) {
  return kind == AccessKind::kWrite ? passes<AccessKind::kWrite>(address, size)
                                    : passes<AccessKind::kRead>(address, size);
}

size_t read_quickly(const void* address, size_t size, const norn_site* site) {
  return passes<AccessKind::kRead>(address, size) ? size : observe_quickly<AccessKind::kRead>(address, size, site);
}

size_t write_quickly(const void* address, size_t size, const norn_site* site) {
  return passes<AccessKind::kWrite>(address, size) ? size : observe_quickly<AccessKind::kWrite>(address, size, site);
}

}  // namespace norn::rt

using namespace norn;
using namespace norn::rt;

#define NORN_READ_HOOKS(size)                                                                     \
  NORN_EXPORT void __norn_read##size(const void* address, const norn_site* site) {                \
    access<AccessKind::kRead, size>(address, site);                                               \
  }                                                                                               \
  NORN_EXPORT NORN_SLOW void __norn_slow_read##size(const void* address, const norn_site* site) { \
    [[clang::musttail]] return try_quickly<AccessKind::kRead, size>(address, site);               \
  }
#define NORN_WRITE_HOOKS(size)                                                                                     \
  NORN_EXPORT void __norn_write##size(const void* address, const norn_site* site, uint64_t value) {                \
    access<AccessKind::kWrite, size>(address, site, value);                                                        \
  }                                                                                                                \
  NORN_EXPORT NORN_SLOW void __norn_slow_write##size(const void* address, const norn_site* site, uint64_t value) { \
    [[clang::musttail]] return try_quickly<AccessKind::kWrite, size>(address, site, value);                        \
  }

NORN_READ_HOOKS(1)
NORN_READ_HOOKS(2)
NORN_READ_HOOKS(4)
NORN_READ_HOOKS(8)
NORN_READ_HOOKS(16)
NORN_WRITE_HOOKS(1)
NORN_WRITE_HOOKS(2)
NORN_WRITE_HOOKS(4)
NORN_WRITE_HOOKS(8)

NORN_EXPORT void __norn_write16(const void* address, const norn_site* site) {
  access<AccessKind::kWrite, 16>(address, site);
}
NORN_EXPORT NORN_SLOW void __norn_slow_write16(const void* address, const norn_site* site) {
  [[clang::musttail]] return try_quickly<AccessKind::kWrite, 16>(address, site);
}

NORN_EXPORT void __norn_cut(void) {
  if (!is_watching()) return;
  if (const Inspection here{Inspection::Started()}; here) emit.cut(here.thread());
}

NORN_EXPORT void __norn_read_range(const void* address, size_t size, const norn_site* site) {
  if (is_watching() && size != 0) observe_range<AccessKind::kRead>(address, size, site);
}

NORN_EXPORT void __norn_write_range(const void* address, size_t size, const norn_site* site) {
  if (is_watching() && size != 0) observe_range<AccessKind::kWrite>(address, size, site);
}

NORN_EXPORT void __norn_vptr_read(const void* address, const norn_site* site) {
  access<AccessKind::kRead, sizeof(void*)>(address, site);
}

NORN_EXPORT void __norn_vptr_write(const void* address, const void* value, const norn_site* site) {
  if (!is_watching()) return;
  if (__atomic_load_n(static_cast<const void* const*>(address), __ATOMIC_RELAXED) == value) {
    access<AccessKind::kRead, sizeof(void*)>(address, site);
  } else {
    access<AccessKind::kWrite, sizeof(void*)>(address, site);
  }
}
