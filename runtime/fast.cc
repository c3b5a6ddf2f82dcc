#include "runtime/fast.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "runtime/control.h"
#include "runtime/syscalls.h"

namespace {

// The cells that are looked at where there is no other to look at.
constexpr uint64_t kNoCells[2] = {};
// Nothing is known of them here, and nothing ever will be.
constinit norn::FastTable nobody = {0, kNoCells, 0, 1, {}};

}  // namespace

static_assert(sizeof(norn_fast) == sizeof(norn::FastTable) &&
              offsetof(norn::FastTable, base) == offsetof(norn_fast, base));
__attribute__((visibility("default"))) NORN_TLS __thread const norn_fast* __norn_fast =
    reinterpret_cast<const norn_fast*>(&nobody);

namespace norn::rt {
namespace {

// Bit 46 of an address changed: what is in the upper half of the address space has its shadow in the lower one, and
// what is at its very bottom at the bottom of the upper one. 4 bytes of shadow for 4 bytes.
constexpr uintptr_t kShadowAt = uintptr_t{1} << 46;
constinit bool flat = false;

bool reserve(uintptr_t begin, uintptr_t end) {
  const long result =
      sys::call(__NR_mmap, static_cast<long>(begin), static_cast<long>(end - begin), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (sys::failed(result)) return false;
  if (static_cast<uintptr_t>(result) != begin) {  // a kernel that does not know MAP_FIXED_NOREPLACE
    sys::call(__NR_munmap, result, static_cast<long>(end - begin));
    return false;
  }
  sys::call(__NR_madvise, result, static_cast<long>(end - begin), MADV_DONTDUMP);
  return true;
}

}  // namespace

uintptr_t reserve_shadow() {
  // All of the lower half but its first part, though only Shadow::is_flat() is used: nobody else shall come to be there
  // without a shadow.
  const uintptr_t low_end = Shadow::kFlatLow;
  if (!reserve(low_end, kShadowAt)) return 0;
  if (!reserve(kShadowAt, kShadowAt + low_end)) {
    sys::call(__NR_munmap, static_cast<long>(low_end), static_cast<long>(kShadowAt - low_end));
    return 0;
  }
  flat = true;
  return kShadowAt;
}

void begin_watching() {
  if (watching.exchange(true, std::memory_order_relaxed)) return;
  detector.make_all_look_again();
}

void settle_check(Thread& thread) {
  FastTable& fast = thread.fast;
  // Under control every access is wanted.
  if (is_watching() && flat && !is_controlled()) {
    fast.mask = ~uint64_t{kWordBytes - 1};
    fast.base = reinterpret_cast<const void*>(kShadowAt);
    return;
  }
  fast.mask = 0;
  fast.base = kNoCells;
  if (is_watching()) return;
  const uint32_t generation = fast.generation.load(std::memory_order_relaxed);
  for (unsigned table = 0; table < FastTable::kTables; ++table) fast.know(table, generation, kUntouched);
}

void use_check_of(Thread* thread) {
  if (thread != nullptr) settle_check(*thread);
  __norn_fast = reinterpret_cast<const norn_fast*>(thread == nullptr ? &nobody : &thread->fast);
}

}  // namespace norn::rt
