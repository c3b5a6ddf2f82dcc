// What the C library reads and writes for its streams it reads and writes by calls of its own that nobody else sees,
// but by way of a table of functions: https://sourceware.org/git/?p=glibc.git, libio/libioP.h, struct _IO_jump_t. Two
// of them are replaced, for descriptors that lead to others; what is found in the table is checked.
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/inputs/inputs.h"
#include "runtime/inputs/peers.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/syscalls.h"

namespace norn::rt::inputs {
namespace {

NORN_REAL(void, _IO_file_jumps, ())
NORN_REAL(ssize_t, _IO_file_read, (FILE * file, void* buffer, ssize_t size))
NORN_REAL(ssize_t, _IO_file_write, (FILE * file, const void* buffer, ssize_t size))

// Calls of these functions by name are the program's, as it were: they reach the interceptors.
ssize_t read_stream(FILE* file, void* buffer, ssize_t size) {
  const int fd = file->_fileno;
  if (!is_concerned() || stream_of(fd) == 0) return real__IO_file_read(file, buffer, size);
  return ::read(fd, buffer, static_cast<size_t>(size));
}

ssize_t write_stream(FILE* file, const void* buffer, ssize_t size) {
  const int fd = file->_fileno;
  if (!is_concerned() || stream_of(fd) == 0) return real__IO_file_write(file, buffer, size);
  ssize_t done = 0;
  while (done < size) {
    const ssize_t written = ::write(fd, static_cast<const char*>(buffer) + done, static_cast<size_t>(size - done));
    if (written < 0) {
      file->_flags |= 0x20;  // _IO_ERR_SEEN
      break;
    }
    done += written;
  }
  if (file->_offset >= 0) file->_offset += done;
  return done;
}

}  // namespace

bool intercept_stdio() {
  constexpr size_t kRead = 14, kWrite = 15;  // __dummy, __dummy2, __finish, …, __doallocate, __read, __write
  auto** table = reinterpret_cast<void**>(real__IO_file_jumps);
  if (table == nullptr || real__IO_file_read == nullptr || real__IO_file_write == nullptr ||
      table[kRead] != reinterpret_cast<void*>(real__IO_file_read) ||
      table[kWrite] != reinterpret_cast<void*>(real__IO_file_write)) {
    return false;
  }
  constexpr uintptr_t kPage = 4096;
  const auto first = reinterpret_cast<uintptr_t>(&table[kRead]) & ~(kPage - 1);
  const auto end = (reinterpret_cast<uintptr_t>(&table[kWrite + 1]) + kPage - 1) & ~(kPage - 1);
  const auto place = static_cast<long>(first), size = static_cast<long>(end - first);
  if (sys::call(__NR_mprotect, place, size, PROT_READ | PROT_WRITE) != 0) return false;
  table[kRead] = reinterpret_cast<void*>(&read_stream);
  table[kWrite] = reinterpret_cast<void*>(&write_stream);
  return true;  // the pages stay writable: in a static program they may have other data on them
}

}  // namespace norn::rt::inputs
