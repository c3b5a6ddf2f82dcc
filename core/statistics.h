// What a detector has counted (Detector::statistics()).
#pragma once

#include <stdint.h>

namespace norn {

struct Statistics {
  uint64_t accesses = 0;
  uint64_t sync_events = 0;
  uint64_t threads = 0;
  uint64_t collections = 0;
  uint64_t full_collections = 0;
  uint64_t histories = 0;
  uint64_t accesses_forgotten = 0;   // because of Options::history_cap
  uint64_t histories_forgotten = 0;  // words whose history went because memory was short
  uint64_t arena_bytes = 0;
};

}  // namespace norn
