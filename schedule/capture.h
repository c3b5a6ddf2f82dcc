// Which files a controlled run wrote to, in a file that the program and whoever started it have mapped: their names are
// there however the program ends. What was written stands in the files themselves when the run is over.
#pragma once

#include <stdint.h>

namespace norn::schedule {

struct Capture {
  static constexpr uint64_t kMagic = 0x3270'6163'6e72'6f6e;  // "norncap2"
  static constexpr uint32_t kMost = 256;
  static constexpr uint32_t kLongest = 512;

  uint64_t magic = kMagic;
  uint32_t files = 0;                // how many there are
  uint32_t lost = 0;                 // how many found no room, by their number or by their names
  char names[kMost][kLongest] = {};  // paths from the root; each ends with a zero, and is there once
};

}  // namespace norn::schedule
