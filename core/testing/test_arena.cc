#include "core/testing/test_arena.h"

#include <sched.h>
#include <sys/mman.h>

#include <mutex>
#include <vector>

#include "core/storage/arena.h"

namespace {

struct Mapping {
  void* memory;
  size_t bytes;
};
std::mutex mutex;
std::vector<Mapping> mappings;
size_t limit = 0;
size_t mapped_bytes = 0;

}  // namespace

extern "C" void* norn_arena_map(size_t bytes) {
  const std::lock_guard lock(mutex);
  if (limit != 0 && mapped_bytes + bytes > limit) return nullptr;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  mappings.push_back({memory, bytes});
  mapped_bytes += bytes;
  return memory;
}

namespace norn {

TestingArena::TestingArena(size_t limit_bytes) {
  limit = limit_bytes;
  core_yield = [] { sched_yield(); };
}

TestingArena::~TestingArena() {
  const std::lock_guard lock(mutex);
  for (const Mapping& mapping : mappings) munmap(mapping.memory, mapping.bytes);
  mappings.clear();
  mapped_bytes = 0;
  limit = 0;
}

size_t TestingArena::mapped() {
  const std::lock_guard lock(mutex);
  return mapped_bytes;
}

}  // namespace norn
