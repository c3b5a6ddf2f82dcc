// Memory from the kernel: mapped memory is new, unmapping it is freeing it.
#include "runtime/memory/maps.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include "base/spin_mutex.h"
#include "runtime/hooks/access_hooks.h"
#include "runtime/intercept/interpose.h"
#include "runtime/memory/allocator_calls.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/reporter.h"

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

// --- one memory at two addresses: two for the shadow, which knows memory by its address. That is said.

// Shared, of a file.
struct SharedMap {
  Address begin;
  Address end;
  uint64_t device;
  uint64_t file;
  uint64_t offset;
  bool writable;

  // The same bytes of the file, and somebody may write them.
  [[nodiscard]] bool has_bytes_of(const SharedMap& other) const {
    return device == other.device && file == other.file && offset < other.offset + (other.end - other.begin) &&
           other.offset < offset + (end - begin) && (writable || other.writable);
  }
};

// The last ones: of more, some are not known.
constexpr unsigned kSharedMaps = 64;
SharedMap shared_maps[kSharedMaps];  // begin == end: none
unsigned next_shared_map = 0;
SpinMutex shared_maps_mutex;
constinit std::atomic<bool> mapped_twice{false};
constinit std::atomic<bool> said_mapped_twice{false};

void note_unmapped(Address begin, Address end) {
  const SpinLock lock(shared_maps_mutex);
  for (SharedMap& map : shared_maps) {
    if (begin <= map.begin && map.end <= end) map = {};
  }
}

void note_shared(void* address, size_t size, int protection, int fd, off_t offset) {
  struct stat file;
  if (sys::restricted.load(std::memory_order_relaxed)) return;
  if (sys::failed(sys::call(__NR_fstat, fd, sys::as_long(&file)))) return;
  const Address begin = address_of(address);
  const SharedMap map = {
      begin, begin + size, file.st_dev, file.st_ino, static_cast<uint64_t>(offset), (protection & PROT_WRITE) != 0};
  note_unmapped(map.begin, map.end);
  {
    const SpinLock lock(shared_maps_mutex);
    for (const SharedMap& other : shared_maps) {
      if (other.begin != other.end && other.has_bytes_of(map)) mapped_twice.store(true, std::memory_order_relaxed);
    }
    shared_maps[next_shared_map++ % kSharedMaps] = map;
  }
  if (is_watching()) say_what_is_mapped_twice();
}

}  // namespace

void norn::rt::say_what_is_mapped_twice() {
  if (!mapped_twice.load(std::memory_order_relaxed) || said_mapped_twice.exchange(true)) return;
  report_note(
      "the program mapped the same bytes of a file at two addresses: races between the two were not looked for, and a "
      "lock that lies there is two locks");
}

NORN_INTERPOSE(void*, mmap, (void* address, size_t size, int protection, int flags, int fd, off_t offset)) {
  if (!has_started()) {
    const long result =
        sys::call(__NR_mmap, sys::as_long(address), static_cast<long>(size), protection, flags, fd, offset);
    return sys::failed(result) ? MAP_FAILED : reinterpret_cast<void*>(result);
  }
  void* result = real_mmap(address, size, protection, flags, fd, offset);
  mapped(result, size);
  constexpr int kKinds = MAP_SHARED | MAP_PRIVATE;  // MAP_SHARED_VALIDATE is both
  if (result != MAP_FAILED && fd >= 0 && (flags & MAP_ANONYMOUS) == 0 && (flags & kKinds) != MAP_PRIVATE)
    note_shared(result, size, protection, fd, offset);
  return result;
}

NORN_INTERPOSE(void*, mmap64, (void* address, size_t size, int protection, int flags, int fd, off64_t offset)) {
  return norn_interposed_mmap(address, size, protection, flags, fd, offset);
}

NORN_INTERPOSE(int, munmap, (void* address, size_t size)) {
  if (!has_started()) return static_cast<int>(sys::call(__NR_munmap, sys::as_long(address), static_cast<long>(size)));
  unmapping(address, size, site_munmap, !called_by_allocator());
  if (next_shared_map != 0) note_unmapped(address_of(address), address_of(address) + size);
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
