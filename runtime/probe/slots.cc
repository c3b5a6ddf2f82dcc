#include "runtime/probe/slots.h"

#include <string.h>

#include "runtime/process/syscalls.h"

extern "C" {
extern const norn::probe::ThinFunction __start_norn_thin[] __attribute__((visibility("hidden")));
extern const norn::probe::ThinFunction __stop_norn_thin[] __attribute__((visibility("hidden")));
}

namespace norn::probe {

namespace sys = rt::sys;

// Alone in its page of memory, which another one takes the place of. The dynamic linker calls free() before originals
// are known, so that slot leads somewhere from the beginning; an initializer in C++ cannot say that of a number.
static_assert(kSlot_free == 0);
asm(R"(
    .pushsection .data.norn_page, "aw"
    .balign 4096
    .hidden norn_doorbell_page
    .globl norn_doorbell_page
norn_doorbell_page:
    .zero 64
    .quad norn_free_nothing
    .zero 4096 - 72
    .size norn_doorbell_page, 4096
    .type norn_doorbell_page, @object
    .popsection
)");
extern "C" __attribute__((visibility("hidden"), used)) void norn_free_nothing(void* /*block*/) {}

void set_armed(bool armed) {
  for (const ThinFunction* thin = __start_norn_thin; thin < __stop_norn_thin; ++thin) {
    const void* real = __atomic_load_n(thin->real, __ATOMIC_RELAXED);
    const void* to = armed ? thin->armed : real;
    page.armed[thin->slot].store(reinterpret_cast<uint64_t>(thin->armed), std::memory_order_relaxed);
    page.slots[thin->slot].store(reinterpret_cast<uint64_t>(to), std::memory_order_seq_cst);
  }
}

bool share_page(int memory) {
  page.count.store(kSlotCount, std::memory_order_relaxed);
  const long written = sys::call(__NR_pwrite64, memory, sys::as_long(&page), kDoorbellBytes, 0);
  const bool shared = written == static_cast<long>(kDoorbellBytes) &&
                      !sys::failed(sys::call(__NR_mmap, sys::as_long(&page), kDoorbellBytes, PROT_READ | PROT_WRITE,
                                             MAP_SHARED | MAP_FIXED, memory, 0));
  if (!shared) page.count.store(0, std::memory_order_relaxed);
  return shared;
}

void own_page() {
  DoorbellPage kept;
  memcpy(static_cast<void*>(&kept), &page, sizeof(kept));
  const long mapped = sys::call(__NR_mmap, sys::as_long(&page), kDoorbellBytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (sys::failed(mapped)) return;
  memcpy(static_cast<void*>(&page), &kept, sizeof(kept));
  page.count.store(0, std::memory_order_relaxed);
  page.bell.store(0, std::memory_order_relaxed);
}

}  // namespace norn::probe
