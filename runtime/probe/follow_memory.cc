// Memory that comes to another life: what was watched in it was done to something else.
#include <stdlib.h>
#include <sys/mman.h>

#include "runtime/intercept/interpose.h"
#include "runtime/intercept/reals.h"
#include "runtime/probe/following.h"
#include "runtime/probe/slots.h"

using namespace norn::probe;

namespace {

NORN_REAL(size_t, malloc_usable_size, (void* block))

[[gnu::cold, gnu::noinline]] void give_back(void* block) {
  constexpr int32_t kMoreCalls = 23;
  charge(kMoreCalls);
  validation.attend();
  if (block == nullptr || !validation.is_following()) return;
  const size_t size = real_malloc_usable_size == nullptr ? 1 : real_malloc_usable_size(block);
  validation.renew(object_at(block), size);
}

}  // namespace

// The dynamic linker may call it before anything of the program runs, and while originals are looked for: that block is
// given up (slots.cc).
NORN_THIN(void, free, (void* block), (block)) {
  armed_call();
  if (is_alert()) [[unlikely]]
    give_back(block);
  real_free(block);
}

NORN_INTERPOSE(void*, realloc, (void* block, size_t size)) {
  if (real_realloc == nullptr) [[unlikely]]
    norn::rt::find_real_functions();
  if (is_alert()) [[unlikely]]
    give_back(block);
  return real_realloc(block, size);
}

NORN_INTERPOSE(int, munmap, (void* address, size_t size)) {
  if (is_alert()) [[unlikely]]
    validation.renew(object_at(address), size);
  return real_munmap(address, size);
}

// Of allocators that do not come back to free().
#define NORN_DELETE(symbol, parameters, arguments)          \
  NORN_THIN_OPTIONAL(void, symbol, parameters, arguments) { \
    armed_call();                                           \
    if (is_alert()) [[unlikely]]                            \
      give_back(block);                                     \
    real_##symbol arguments;                                \
  }
NORN_DELETE(_ZdlPv, (void* block), (block))
NORN_DELETE(_ZdaPv, (void* block), (block))
NORN_DELETE(_ZdlPvm, (void* block, size_t size), (block, size))
NORN_DELETE(_ZdaPvm, (void* block, size_t size), (block, size))
NORN_DELETE(_ZdlPvSt11align_val_t, (void* block, size_t alignment), (block, alignment))
NORN_DELETE(_ZdlPvmSt11align_val_t, (void* block, size_t size, size_t alignment), (block, size, alignment))
