// Which files a controlled run wrote to, in a file that the program and whoever started it have mapped: their names are
// there however the program ends. What was written stands in the files themselves when the run is over; of one that is
// gone by then, what it had in it when it was closed last is known by its length and hash.
#pragma once

#include <stdint.h>

namespace norn::schedule {

struct CapturedFile {
  char name[488] = {};  // a path from the root; it ends with a zero, and is there once
  uint64_t length = 0;  // when it was closed last
  uint64_t hash = 0;    // likewise: text_hash of its bytes
  uint64_t kept = 0;    // of its bytes, the first ones
  char bytes[512] = {};
};

struct Capture {
  static constexpr uint64_t kMagic = 0x3370'6163'6e72'6f6e;  // "norncap3"
  static constexpr uint32_t kMost = 256;

  uint64_t magic = kMagic;
  uint32_t count = 0;  // of files
  uint32_t lost = 0;   // how many found no room, by their number or by their names
  CapturedFile files[kMost];
};
static_assert(sizeof(CapturedFile) == 1024);

}  // namespace norn::schedule
