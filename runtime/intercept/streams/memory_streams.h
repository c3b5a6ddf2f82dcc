// Streams in memory (open_memstream): fflush and fclose put the buffer and its size where the program said.
#pragma once

#include <stdio.h>

#include "norn/site.h"

namespace norn::rt {

// Around the flushing or closing of any stream, with the stream's lock held.
class MemoryStreamUse {
 public:
  MemoryStreamUse(FILE* file, const norn_site& site);
  MemoryStreamUse(const MemoryStreamUse&) = delete;
  MemoryStreamUse& operator=(const MemoryStreamUse&) = delete;
  ~MemoryStreamUse();

  // The stream is closed with this: its lock goes with it.
  void closes();

 private:
  FILE* file_;  // null: no stream in memory
};

}  // namespace norn::rt
