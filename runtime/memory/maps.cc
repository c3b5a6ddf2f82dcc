// Memory from the kernel: mapped memory is new, unmapping it is freeing it.
#include <sys/mman.h>

#include "runtime/hooks/access_hooks.h"
#include "runtime/intercept/interpose.h"
#include "runtime/memory/allocator_calls.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"
#include "runtime/process/syscalls.h"

using namespace norn;
using namespace norn::rt;

namespace {

// Larger mappings are reservations: what is handed out of them is mapped again, or was never used before.
constexpr size_t kMostBytes = size_t{1} << 32;
constexpr size_t kFreedBytes = 4096;

void mapped(void* address, size_t size) {
  if (address == MAP_FAILED || !is_watching() || size > kMostBytes) return;
  if (const Inspection here; here) emit.map(here.thread(), address_of(address), size);
}

// `counts`: it is a write.
void unmapping(void* address, size_t size, const norn_site& site, bool counts) {
  if (!is_watching() || size == 0) return;
  if (const Inspection here; here) {
    if (!counts) return emit.unmap(here.thread(), address_of(address), size);
    const size_t freed = size < kFreedBytes ? size : kFreedBytes;
    emit.free(here.thread(), address_of(address), freed, stack_id(*here, &site));
    emit.unmap(here.thread(), address_of(address) + freed, size - freed);
  }
}

}  // namespace

NORN_INTERPOSE(void*, mmap, (void* address, size_t size, int protection, int flags, int fd, off_t offset)) {
  if (!has_started()) {
    const long result =
        sys::call(__NR_mmap, sys::as_long(address), static_cast<long>(size), protection, flags, fd, offset);
    return sys::failed(result) ? MAP_FAILED : reinterpret_cast<void*>(result);
  }
  void* result = real_mmap(address, size, protection, flags, fd, offset);
  mapped(result, size);
  return result;
}

NORN_INTERPOSE(void*, mmap64, (void* address, size_t size, int protection, int flags, int fd, off64_t offset)) {
  return norn_interposed_mmap(address, size, protection, flags, fd, offset);
}

NORN_INTERPOSE(int, munmap, (void* address, size_t size)) {
  if (!has_started()) return static_cast<int>(sys::call(__NR_munmap, sys::as_long(address), static_cast<long>(size)));
  unmapping(address, size, site_munmap, !called_by_allocator());
  return real_munmap(address, size);
}

NORN_INTERPOSE(void*, mremap, (void* old, size_t old_size, size_t size, int flags, void* wanted)) {
  if (!has_started()) return MAP_FAILED;
  void* result = real_mremap(old, old_size, size, flags, wanted);
  if (result != MAP_FAILED && is_watching()) {
    if (const Inspection here; here) {
      if (result == old) {
        if (size > old_size) emit.map(here.thread(), address_of(old) + old_size, size - old_size);
      } else {
        emit.map(here.thread(), address_of(result), size);
      }
    }
  }
  return result;
}
