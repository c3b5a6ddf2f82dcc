// The hooks of plain accesses.
#include "runtime/hooks.h"

#include "runtime/fast.h"
#include "runtime/interpose.h"

namespace norn::rt {
namespace {

template <AccessKind Kind>
bool reads_too(const norn_site* site) {
  return Kind == AccessKind::kWrite && (site->flags & NORN_SITE_READS_TOO) != 0;
}

// A volatile variable may be a flag that somebody waits for. (The program has no check of its own before its writes.)
template <AccessKind Kind>
bool may_be_flag(const norn_site* site) {
  return Kind == AccessKind::kWrite && (site->flags & NORN_SITE_VOLATILE) != 0;
}

template <AccessKind Kind, unsigned Size>
inline void access(const void* address, const norn_site* site) {
  if (!is_watching()) return;
  observe(Kind, address, Size, site, reads_too<Kind>(site));
  if (may_be_flag<Kind>(site)) __norn_cut();
}

// The program's own check did not let it pass. Aligned to the size, or to 8.
template <AccessKind Kind, unsigned Size>
[[gnu::noinline]] NORN_SLOW void slow_access(const void* address, const norn_site* site) {
  if (!is_watching()) [[unlikely]] {
    const Inspection here;
    if (here) settle_check(here.thread());
    return;
  }
  if (is_controlled()) [[unlikely]] {
    if (!pass_control(Kind, address, Size, site, reads_too<Kind>(site))) return;
  }
  const Inspection here{Inspection::Started()};
  if (!here) return;
  Thread& thread = here.thread();
  if (thread.fast.mask == 0) [[unlikely]]
    settle_check(thread);
  detector.access(
      thread, Kind, address_of(address), Size, [&] { return place_again(*here, site); }, reads_too<Kind>(site));
}

// What is left to do for an access that was quick: the thread holds a lock, or a signal came.
template <AccessKind Kind, unsigned Size>
[[gnu::noinline]] NORN_SLOW void finish_quick(const void* address, const norn_site* site) {
  ThreadState& state = *current_state;
  if (!enter(state)) return;
  if (state.core->recording) {
    detector.record_again(*state.core, Kind, address_of(address), Size, reads_too<Kind>(site));
  }
  leave(state);
}

enum class Quick : uint8_t { kNot, kDone, kUnfinished };

// The same, with what can be done without a call: few registers are saved for it.
template <AccessKind Kind, unsigned Size>
[[gnu::always_inline]] inline Quick quick_access(const void* address, const norn_site* site) {
  ThreadState* state = current_state;
  // With a mask accesses count, nothing is controlled, and the shadow is flat (settle_check).
  if (state == nullptr || state->core->fast.mask == 0 || state->depth.load(std::memory_order_relaxed) != 0) {
    return Quick::kNot;
  }
  Thread& thread = *state->core;
  state->depth.store(1, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const Address at = address_of(address);
  auto where = [&](Where& found) __attribute__((always_inline)) { return find_place(*state, site, found); };
  const bool both = reads_too<Kind>(site);
  Granule& granule = flat_granule(thread, address);
  bool done = !gate_closed.load(std::memory_order_relaxed);
  if constexpr (Size <= kGranuleBytes) {
    done = done && detector.access_again<Kind>(thread, granule, at, Size, both, where);
  } else {
    for (unsigned i = 0; i < Size / kGranuleBytes; ++i) {
      done = done &&
             (is_stamped(thread, (&granule)[i], Kind, 0xff) ||
              detector.access_again<Kind>(thread, (&granule)[i], at + i * kGranuleBytes, kGranuleBytes, both, where));
    }
  }
  const bool recorded = !done || !thread.recording || Detector::record_quickly<Kind>(thread, {at, at + Size}, both);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  state->depth.store(0, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (!done) return Quick::kNot;
  return recorded && state->kept_signals.load(std::memory_order_relaxed) == 0 ? Quick::kDone : Quick::kUnfinished;
}

}  // namespace
}  // namespace norn::rt

using namespace norn;
using namespace norn::rt;

#define NORN_ACCESS_HOOKS(name, kind, size)                                                         \
  NORN_EXPORT void __norn_##name##size(const void* address, const norn_site* site) {                \
    access<AccessKind::kind, size>(address, site);                                                  \
  }                                                                                                 \
  NORN_EXPORT NORN_SLOW void __norn_slow_##name##size(const void* address, const norn_site* site) { \
    const Quick quick = quick_access<AccessKind::kind, size>(address, site);                        \
    if (quick == Quick::kDone) [[likely]]                                                           \
      return;                                                                                       \
    if (quick == Quick::kUnfinished) [[clang::musttail]]                                            \
      return finish_quick<AccessKind::kind, size>(address, site);                                   \
    [[clang::musttail]] return slow_access<AccessKind::kind, size>(address, site);                  \
  }

NORN_ACCESS_HOOKS(read, kRead, 1)
NORN_ACCESS_HOOKS(read, kRead, 2)
NORN_ACCESS_HOOKS(read, kRead, 4)
NORN_ACCESS_HOOKS(read, kRead, 8)
NORN_ACCESS_HOOKS(read, kRead, 16)
NORN_ACCESS_HOOKS(write, kWrite, 1)
NORN_ACCESS_HOOKS(write, kWrite, 2)
NORN_ACCESS_HOOKS(write, kWrite, 4)
NORN_ACCESS_HOOKS(write, kWrite, 8)
NORN_ACCESS_HOOKS(write, kWrite, 16)

NORN_EXPORT void __norn_cut(void) {
  if (!is_watching()) return;
  if (const Inspection here{Inspection::Started()}; here) detector.cut(here.thread());
}

NORN_EXPORT void __norn_read_range(const void* address, size_t size, const norn_site* site) {
  if (is_watching() && size != 0) observe(AccessKind::kRead, address, size, site);
}

NORN_EXPORT void __norn_write_range(const void* address, size_t size, const norn_site* site) {
  if (is_watching() && size != 0) observe(AccessKind::kWrite, address, size, site);
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
