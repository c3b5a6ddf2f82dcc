// What a controlled run wrote, stream by stream, in a file that the program and whoever started it have mapped: it is
// there however the program ends.
//
//   Capture                 the header
//   CapturedStream[kMost]   what is known of each stream, in the order of their first writes
//   bytes[kMost][kKept]     the beginnings of what was written to each; the file is sparse
//
// A stream is what a descriptor leads to, named so that the same stream of another run has the same name: a path,
// `standard output`, `connection 3` (the third that was accepted). What goes from thread to thread (a pipe with both
// ends inside) is no stream. Removing, renaming or resizing a file is a line in a stream of its own: `changes of PATH`.
#pragma once

#include <stdint.h>

#include "base/text_hash.h"

namespace norn::schedule {

struct CapturedStream {
  static constexpr uint64_t kMostKept = uint64_t{1} << 18;  // bytes

  char name[232] = {};       // ends with a zero; a longer one is cut, and its hash makes it another name
  uint64_t length = 0;       // of all that was written
  uint64_t hash = kNoBytes;  // of all that was written (FNV-1a): text_hash of the bytes, one write after the other
  uint64_t kept = 0;         // bytes
};

struct Capture {
  static constexpr uint64_t kMagic = 0x3170'6163'6e72'6f6e;  // "norncap1"
  static constexpr uint32_t kMost = 256;

  uint64_t magic = kMagic;
  uint32_t pid = 0;      // the process whose writes they are; 0: it did not come to capture anything
  uint32_t streams = 0;  // how many there are
  uint32_t lost = 0;     // writes to streams that found no room
  uint32_t padding = 0;
  uint64_t reserved[4] = {};

  static constexpr uint64_t offset_of_bytes(uint32_t stream) {
    return sizeof(Capture) + kMost * sizeof(CapturedStream) + stream * CapturedStream::kMostKept;
  }
  static constexpr uint64_t file_size() { return offset_of_bytes(kMost); }
};
static_assert(sizeof(CapturedStream) == 256 && sizeof(Capture) == 56);

}  // namespace norn::schedule
