// The arena's memory for tests, tools and benchmarks: mapped from the system, given back at the end of a scope.
#pragma once

#include <stddef.h>

namespace norn {

// While one exists, what the core maps is remembered and unmapped in the end, and at most `limit` bytes are given
// (0: no limit). One at a time in a process; the core may run on any threads meanwhile.
class TestingArena {
 public:
  explicit TestingArena(size_t limit = 0);
  ~TestingArena();
  TestingArena(const TestingArena&) = delete;
  TestingArena& operator=(const TestingArena&) = delete;

  [[nodiscard]] static size_t mapped();
};

}  // namespace norn
