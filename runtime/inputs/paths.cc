#include "runtime/inputs/paths.h"

#include <errno.h>
#include <fcntl.h>

#include "base/sink.h"
#include "runtime/inputs/inputs.h"
#include "runtime/inputs/recorded_inputs.h"
#include "runtime/inputs/replayed_inputs.h"
#include "runtime/process/syscalls.h"

namespace norn::rt::inputs {

Text absolute_path(int directory, const char* path, char* bytes, size_t room) {
  if (path == nullptr || path[0] == '\0') return {};
  Buffer buffer(bytes, room - 1);
  if (path[0] != '/') {
    if (directory != AT_FDCWD) return {};
    char current[4096];
    const long length = sys::call(__NR_getcwd, sys::as_long(current), sizeof(current));
    if (length <= 1 || current[0] != '/') return {};
    // The run that is replayed may have begun elsewhere.
    const Text at(current, static_cast<size_t>(length) - 1);
    buffer.sink().put(replaying ? directory_of_recorded_run(at) : at);
    buffer.sink().put('/');
  }
  buffer.sink().put(Text(path));
  if (buffer.overflowed()) return {};
  // "//" and "/./" are "/".
  size_t size = 0;
  for (size_t i = 0; i < buffer.text().size; ++i) {
    if (bytes[i] == '/' && bytes[i + 1 == buffer.text().size ? i : i + 1] == '/' && i + 1 < buffer.text().size)
      continue;
    if (bytes[i] == '/' && Text(bytes + i, buffer.text().size - i).starts_with("/./")) {
      ++i;
      continue;
    }
    bytes[size++] = bytes[i];
  }
  bytes[size] = '\0';
  return {bytes, size};
}

bool is_of_the_moment(Text path) {
  if (path.starts_with("/dev/")) return true;
  return path.starts_with("/proc/self/") || path.starts_with("/proc/thread-self/") ||
         (path.starts_with("/proc/") && path.size > 6 && path[6] >= '0' && path[6] <= '9');
}

Path::Path(int directory, const char* path, int flags) : text_(path), flags_(flags) {
  if (!is_concerned()) return;
  const int before = errno;
  const Text known = absolute_path(directory, path, absolute_, kRoom);
  if (!known.empty() && !is_of_the_moment(known)) {
    size_ = known.size;
    if (replaying) text_ = replayed_path({absolute_, size_}, path, flags, own_, sizeof(own_));
  }
  errno = before;
}

void Path::opened(int fd) const {
  if (!is_concerned()) return;
  const int before = errno;
  closed(fd);
  if (size_ == 0) return;
  if (recording) record_opened({absolute_, size_}, flags_, fd, before);
  if (replaying && fd >= 0) note_opened({absolute_, size_}, flags_, text_ == own_);
  errno = before;
}

void Path::looked_at(bool is_there) const {
  if (size_ == 0 || !recording) return;
  const int before = errno;
  record_looked_at({absolute_, size_}, is_there, before);
  errno = before;
}

int Path::flags_of(const char* mode) {
  if (mode == nullptr) return O_WRONLY;
  bool both = false;
  for (const char c : Text(mode)) both = both || c == '+';
  if (mode[0] == 'r') return both ? O_RDWR : O_RDONLY;
  return (both ? O_RDWR : O_WRONLY) | O_CREAT | (mode[0] == 'w' ? O_TRUNC : O_APPEND);
}

}  // namespace norn::rt::inputs
