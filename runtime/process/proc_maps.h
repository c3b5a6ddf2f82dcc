// What the process has mapped, as the system tells it (man 5 proc_pid_maps).
#pragma once

#include <fcntl.h>

#include "base/text.h"
#include "core/ids.h"
#include "runtime/process/syscalls.h"

namespace norn::rt {

struct Mapping {
  Address begin = 0;
  Address end = 0;
  bool readable = false;
  bool writable = false;
  bool shared = false;
  Text path;  // of its file, or a name in brackets; the beginning of a very long one
};

// In the order of their addresses, until visit(mapping) says false.
template <class Visit>
void visit_mappings(Visit visit) {
  const int fd = sys::open_file("/proc/self/maps", O_RDONLY);
  if (fd < 0) return;
  // A line is "BEGIN-END rwxp OFFSET DEVICE INODE   PATH".
  enum class Part : uint8_t { kBegin, kEnd, kKind, kNumbers, kPath };
  Part part = Part::kBegin;
  unsigned at = 0;
  Mapping mapping;
  char path[512];
  char bytes[1024];
  bool goes_on = true;
  for (long size = 0; goes_on && (size = sys::read_some(fd, bytes, sizeof(bytes))) > 0;) {
    for (long i = 0; i < size && goes_on; ++i) {
      const char c = bytes[i];
      if (c == '\n') {
        if (part == Part::kPath) mapping.path = {path, at};
        goes_on = visit(mapping);
        part = Part::kBegin;
        at = 0;
        mapping = {};
      } else if (part == Part::kBegin || part == Part::kEnd) {
        Address& number = part == Part::kBegin ? mapping.begin : mapping.end;
        if (c == '-' || c == ' ') {
          part = part == Part::kBegin ? Part::kEnd : Part::kKind;
        } else {
          number = number << 4 | static_cast<Address>(c <= '9' ? c - '0' : c - 'a' + 10);
        }
      } else if (part == Part::kKind) {
        if (at == 0) mapping.readable = c == 'r';
        if (at == 1) mapping.writable = c == 'w';
        if (++at == 4) {
          part = Part::kNumbers;
          mapping.shared = c == 's';
        }
      } else if (part == Part::kNumbers && (c == '/' || c == '[')) {
        part = Part::kPath;
        path[0] = c;
        at = 1;
      } else if (part == Part::kPath && at < sizeof(path)) {
        path[at++] = c;
      }
    }
  }
  sys::close_file(fd);
}

}  // namespace norn::rt
