// The hooks of loops whose accesses are observed before they begin (compiler/emit/hoisted_ranges.h).
#include <algorithm>

#include "norn/abi.h"
#include "runtime/hooks/access_hooks.h"
#include "runtime/hooks/check_state.h"
#include "runtime/hooks/flat_granule.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/emit_inline.h"
#include "runtime/process/mode.h"

namespace norn::rt {
namespace {

// A thread stays inside for no more granules than these: others may wait for it, and signals.
constexpr uint64_t kAtOnce = 128;

// So many granules, `step` of them from one to the next. False: each access is to be observed by itself.
template <AccessKind Kind>
bool observe_row(ThreadState& state, Address first, uint64_t count, uint64_t step, const norn_site* site) {
  Thread& thread = *state.core;
  for (uint64_t i = 0; i < count;) {
    // With a mask accesses count, nothing is controlled, and the shadow is flat (settle_check).
    if (thread.fast.mask == 0 || thread.recording || state.depth.load(std::memory_order_relaxed) != 0) return false;
    const Address at = first + i * step * kGranuleBytes;
    uint64_t done = 0;
    if (thread.is_plain()) {
      do_inside(state, [&]() __attribute__((always_inline)) {
        StackId stack = kNoStack;
        // (Once more: a signal's handler may have begun another epoch until here.)
        if (!thread.is_plain() || gate.load(std::memory_order_relaxed) || !find_stack_id(state, site, stack))
          return false;
        Granule* granules = &flat_granule(thread.fast.granules, thread.fast.mask, reinterpret_cast<const void*>(at));
        done = detector.access_row<Kind>(thread, granules, at, std::min(count - i, kAtOnce), step, stack);
        return true;
      });
      if (state.kept_signals.load(std::memory_order_relaxed) != 0) [[unlikely]]
        deliver_kept_signals(state);
    }
    i += done;
    if (done != 0) continue;
    // Who waits for one of its bytes is to hear of it when it is written.
    if (Kind == AccessKind::kWrite && detector.is_waited_for(at)) return false;
    const auto* granule = reinterpret_cast<const void*>(at);
    Kind == AccessKind::kWrite ? write_anything(granule, site) : __norn_slow_read8(granule, site);
    ++i;
  }
  return true;
}

// Whether a loop can come to its end.
bool is_mapped(Address first, uint64_t count, uint64_t step, uint64_t size) {
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(count - 1, step, &bytes) || __builtin_add_overflow(bytes, size, &bytes)) return false;
  return bytes <= kLongRange || mapped_part(reinterpret_cast<const void*>(first), bytes) == bytes;
}

ThreadState::HoistedRange run_now(const ThreadState& state, Address first, uint64_t count, uint64_t step, uint64_t size,
                                  const norn_site* site) {
  const Thread& thread = *state.core;
  return {site, first, count, step, size, thread.memory_changes, detector.collections(), thread.slot, thread.time};
}

bool is_same(const ThreadState::HoistedRange& a, const ThreadState::HoistedRange& b) {
  return a.site == b.site && a.first == b.first && a.count == b.count && a.step == b.step && a.size == b.size &&
         a.time == b.time && a.slot == b.slot && a.memory_changes == b.memory_changes && a.collections == b.collections;
}

// Granules apart, or bytes side by side.
template <AccessKind Kind>
bool observe_values(ThreadState& state, Address first, uint64_t count, uint64_t step, uint64_t size,
                    const norn_site* site) {
  if (step != size) {
    if (((first | step | size) & (kGranuleBytes - 1)) != 0) return false;
    for (Address part = first; part < first + size; part += kGranuleBytes) {
      if (!observe_row<Kind>(state, part, count, step / kGranuleBytes, site)) return false;
    }
    return true;
  }
  // Whole granules, and what is left at both ends.
  const Address end = first + count * size;
  const Address begin_whole = (first + kGranuleBytes - 1) & ~(kGranuleBytes - 1);
  const Address end_whole = end & ~(kGranuleBytes - 1);
  if (begin_whole >= end_whole) return false;
  if (first < begin_whole) observe(Kind, reinterpret_cast<const void*>(first), begin_whole - first, site);
  if (end_whole < end) observe(Kind, reinterpret_cast<const void*>(end_whole), end - end_whole, site);
  return observe_row<Kind>(state, begin_whole, (end_whole - begin_whole) / kGranuleBytes, 1, site);
}

template <AccessKind Kind>
uint64_t observe_run(const void* address, uint64_t count, uint64_t step, uint64_t size, const norn_site* site) {
  if (!is_watching()) return 1;
  if (wants_every_access()) return 0;
  ThreadState* state = current_state;
  if (state == nullptr) return 0;
  const Address first = address_of(address);
  ThreadState::HoistedRange& known =
      state->runs[reinterpret_cast<uintptr_t>(site) / sizeof(norn_site) % ThreadState::kRuns];
  const ThreadState::HoistedRange run = run_now(*state, first, count, step, size, site);
  const uint64_t now = uint64_t{run.slot} << 32 | run.time;
  if (is_same(known, run) && state->core->is_plain()) return now;
  if (!is_mapped(first, count, step, size) || !observe_values<Kind>(*state, first, count, step, size, site)) return 0;
  // Meanwhile another epoch may have begun, which ends all that was observed, or memory may have come or gone.
  const ThreadState::HoistedRange after = run_now(*state, first, count, step, size, site);
  if (after.slot != run.slot || after.time != run.time) return 0;
  if (is_same(run, after) && state->core->is_plain()) known = run;
  return now;
}

}  // namespace
}  // namespace norn::rt

using namespace norn;
using namespace norn::rt;

NORN_EXPORT uint64_t __norn_run_read(const void* first, uint64_t count, uint64_t step, uint64_t size,
                                     const norn_site* site) {
  return observe_run<AccessKind::kRead>(first, count, step, size, site);
}

NORN_EXPORT uint64_t __norn_run_write(const void* first, uint64_t count, uint64_t step, uint64_t size,
                                      const norn_site* site) {
  return observe_run<AccessKind::kWrite>(first, count, step, size, site);
}
