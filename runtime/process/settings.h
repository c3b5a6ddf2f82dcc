// What the options say (options/options.h), and what the runtime remembers of its start.
#pragma once

#include "options/run_settings.h"

namespace norn::rt {

struct Start {
  options::Settings settings;
  Text program;    // its path
  Text directory;  // where it was started
  Text command[64];
  size_t command_count = 0;
  uint64_t time = 0;  // sys::now()
  uint32_t pid = 0;   // of the process the events belong to; changes in a forked child
  uint32_t parent = 0;
  bool is_child = false;  // forked from the program that was started
  bool colour = false;
};
extern constinit Start start;

// Reads NORN_OPTIONS and TSAN_OPTIONS. Misuse ends the process with one line and status 2.
void read_settings(char** environment);
[[noreturn]] void refuse(Text what, Text detail = {});

}  // namespace norn::rt
