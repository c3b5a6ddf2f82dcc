#include "runtime/hooks/check_state.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "core/detector.h"
#include "hazards/hazard_listener.h"
#include "norn/abi.h"
#include "runtime/control/control.h"
#include "runtime/hooks/sampling.h"
#include "runtime/memory/maps.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/reporter.h"

namespace {

// What is looked at where there is nothing else to look at.
constexpr norn::Granule kNothing[2] = {};
// Whose accesses nobody has seen.
constinit norn::FastCheck nobody = {0,
                                    kNothing,
                                    norn::ShadowWord::nobody().bits(),
                                    norn::ShadowWord::kBitsOfWrites,
                                    norn::ShadowWord::nobody().bits(),
                                    kNothing,
                                    {}};

}  // namespace

using norn::FastCheck;
static_assert(offsetof(FastCheck, granules) == offsetof(norn_fast, granules) &&
              offsetof(FastCheck, read) == offsetof(norn_fast, read) &&
              offsetof(FastCheck, read_bits) == offsetof(norn_fast, read_bits) &&
              offsetof(FastCheck, write) == offsetof(norn_fast, write) &&
              offsetof(FastCheck, others) == offsetof(norn_fast, others));
static_assert(norn::ShadowWord::kBitsOfWrites == NORN_FAST_WRITE_BITS &&
              norn::ShadowWord::kBytesAt == NORN_FAST_BYTES_AT && sizeof(norn::Granule) == NORN_FAST_GRANULE);
__attribute__((visibility("default"))) NORN_TLS __thread const norn_fast* __norn_fast =
    reinterpret_cast<const norn_fast*>(&nobody);

namespace norn::rt {
namespace {

// 64 TiB of granules, 32 bytes for 8, in the lower half of the address space, between programs that are not
// position-independent and those that are.
constexpr uintptr_t kShadowAt = uintptr_t{1} << 44;
static_assert(kShadowAt + Shadow::kFlatBytes <= Shadow::kFlatMiddle);
constinit bool flat = false;

bool reserve(uintptr_t begin, uintptr_t end, int protection) {
  const long result = sys::call(__NR_mmap, static_cast<long>(begin), static_cast<long>(end - begin), protection,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (sys::failed(result)) return false;
  if (static_cast<uintptr_t>(result) != begin) {  // a kernel that does not know MAP_FIXED_NOREPLACE
    sys::call(__NR_munmap, result, static_cast<long>(end - begin));
    return false;
  }
  sys::call(__NR_madvise, result, static_cast<long>(end - begin), MADV_DONTDUMP);
  return true;
}

// An older kernel does not know how; then each page is filled in when it is first written.
void populate(void* granules, size_t bytes) {
  sys::call(__NR_madvise, sys::as_long(granules), static_cast<long>(bytes), MADV_POPULATE_WRITE);
}

bool discard(void* granules, size_t bytes) {
  return sys::call(__NR_madvise, sys::as_long(granules), static_cast<long>(bytes), MADV_DONTNEED) == 0;
}

}  // namespace

uintptr_t reserve_shadow() {
  // With all addresses that have no granule there: nobody shall come to be where the check finds another's.
  if (!reserve(Shadow::kFlatLow, Shadow::kFlatMiddle, PROT_READ | PROT_WRITE)) return 0;
  if (!reserve(Shadow::kFlatMiddleEnd, Shadow::kFlatHigh, PROT_NONE)) {
    sys::call(__NR_munmap, static_cast<long>(Shadow::kFlatLow),
              static_cast<long>(Shadow::kFlatMiddle - Shadow::kFlatLow));
    return 0;
  }
  flat = true;
  populate_shadow = &populate;
  discard_shadow = &discard;
  return kShadowAt;
}

void begin_watching() {
  if (watching.exchange(true, std::memory_order_relaxed)) return;
  hazard_listener.lock_order.watch(true);
  detector.make_all_look_again();
  restart_sampling();
  say_what_is_mapped_twice();
  if (flat || is_controlled()) return;
  report_note(
      "there are no addresses for the whole shadow (ulimit -v, a stack without limit, vm.mmap_rnd_bits above 28): the "
      "races are the same, the program is slower");
}

void settle_check(Thread& thread) {
  FastCheck& fast = thread.fast;
  if (is_watching() && flat && !wants_every_access()) {
    fast.mask = Shadow::kFlatMask;
    fast.granules = reinterpret_cast<const void*>(kShadowAt + thread.slot % 2 * sizeof(uint64_t));
    fast.others = reinterpret_cast<const void*>(kShadowAt + 2 * sizeof(uint64_t));
    return;
  }
  fast.mask = 0;
  fast.others = kNothing;
  fast.granules = is_watching() ? static_cast<const void*>(kNothing) : fast.passing;
  fast.passing[0] = fast.passing[4] = fast.write.load(std::memory_order_relaxed);
}

void use_check_of(Thread* thread) {
  if (thread != nullptr) settle_check(*thread);
  __norn_fast = reinterpret_cast<const norn_fast*>(thread == nullptr ? &nobody : &thread->fast);
}

}  // namespace norn::rt
