// System calls without the C library: no interposed function, no errno, no cancellation point.
#pragma once

#include <asm/unistd.h>
#include <stddef.h>
#include <stdint.h>

#include <atomic>

namespace norn::rt::sys {

inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

template <class T>
long as_long(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

inline constexpr long kInterrupted = -4;  // -EINTR

inline bool failed(long result) { return result < 0 && result >= -4095; }

inline uint32_t pid() { return static_cast<uint32_t>(call(__NR_getpid)); }
inline uint32_t parent_pid() { return static_cast<uint32_t>(call(__NR_getppid)); }
inline uint32_t tid() { return static_cast<uint32_t>(call(__NR_gettid)); }

// The program is under a filter of system calls (seccomp): one that it does not make itself may end it. What can be
// done without is left out.
inline constinit std::atomic<bool> restricted{false};

inline void yield() {
  constexpr unsigned kPauses = 64;
  if (!restricted.load(std::memory_order_relaxed)) {
    call(__NR_sched_yield);
    return;
  }
  for (unsigned i = 0; i < kPauses; ++i) __builtin_ia32_pause();
}
inline void nap(long nanoseconds) {
  const long time[2] = {0, nanoseconds};
  call(__NR_nanosleep, as_long(time));
}
[[noreturn]] inline void exit_process(int status) {
  for (;;) call(__NR_exit_group, status);
}

// Zeroed memory, null if there is none. It is not counted against the overcommit limit until it is touched.
void* map(size_t bytes);
void unmap(void* memory, size_t bytes);

// All of it, or as much as could be written.
bool write_all(int fd, const char* data, size_t size);
// -1 on failure; closed on exec.
int open_file(const char* path, int flags, int mode = 0644);
void close_file(int fd);
// As much as fits; -1 on failure.
long read_some(int fd, char* buffer, size_t capacity);

// The kernel copies it, so that memory that is not there is no fault. False: not all of it is, or it may not be asked.
bool copy_memory(uint64_t from, void* to, size_t size);

// Microseconds of a clock that does not jump.
uint64_t now();

}  // namespace norn::rt::sys
