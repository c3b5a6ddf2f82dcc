#include "runtime/process/syscalls.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>

#include "runtime/intercept/interpose.h"

namespace norn::rt::sys {
namespace {

NORN_REAL_INTERPOSED(int, clock_gettime, (clockid_t clock, timespec* time))

}  // namespace

void* map(size_t bytes) {
  const long result = call(__NR_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return failed(result) ? nullptr : reinterpret_cast<void*>(result);
}

void unmap(void* memory, size_t bytes) { call(__NR_munmap, as_long(memory), static_cast<long>(bytes)); }

bool write_all(int fd, const char* data, size_t size) {
  while (size > 0) {
    const long written = call(__NR_write, fd, as_long(data), static_cast<long>(size));
    if (written == kInterrupted) continue;
    if (written <= 0) return false;
    data += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

bool copy_memory(uint64_t from, void* to, size_t size) {
  if (restricted.load(std::memory_order_relaxed)) return false;
  struct {
    void* base;
    size_t size;
  } there = {reinterpret_cast<void*>(from), size}, here = {to, size};
  const long got = call(__NR_process_vm_readv, pid(), as_long(&here), 1, as_long(&there), 1, 0);
  return got == static_cast<long>(size);
}

int open_file(const char* path, int flags, int mode) {
  long result = kInterrupted;
  while (result == kInterrupted) result = call(__NR_openat, AT_FDCWD, as_long(path), flags | O_CLOEXEC, mode);
  return failed(result) ? -1 : static_cast<int>(result);
}

void close_file(int fd) { call(__NR_close, fd); }

long read_some(int fd, char* buffer, size_t capacity) {
  size_t size = 0;
  while (size < capacity) {
    const long got = call(__NR_read, fd, as_long(buffer + size), static_cast<long>(capacity - size));
    if (got == kInterrupted) continue;
    if (got < 0) return size > 0 ? static_cast<long>(size) : -1;
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  return static_cast<long>(size);
}

uint64_t now() {
  timespec time{};
  // The C library's needs no system call, which a filter may forbid.
  if (real_clock_gettime == nullptr || real_clock_gettime(CLOCK_MONOTONIC, &time) != 0) {
    call(__NR_clock_gettime, CLOCK_MONOTONIC, as_long(&time));
  }
  return static_cast<uint64_t>(time.tv_sec) * 1000000 + static_cast<uint64_t>(time.tv_nsec) / 1000;
}

}  // namespace norn::rt::sys
