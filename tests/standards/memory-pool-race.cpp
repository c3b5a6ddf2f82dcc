// Two threads cut buffers out of one std::pmr::monotonic_buffer_resource, which is meant for one thread at a time
// ([mem.res.monotonic.buffer]: "not intended for concurrent access"): both move its position.
// The allocation is code of the C++ library that norn does not see (docs/accuracy.md).
// XFAIL: *
// RUN: %check %s

#include <cstddef>
#include <memory_resource>
#include <thread>

alignas(std::max_align_t) std::byte storage[4096];
std::pmr::monotonic_buffer_resource pool(storage, sizeof storage);
void* pieces[2][10];

static void cut(int self) {
  for (void*& piece : pieces[self]) piece = pool.allocate(16);  // RACE: observed <pool>
}

int main() {
  std::thread a(cut, 0);
  std::thread b(cut, 1);
  a.join();
  b.join();
  return pieces[0][9] == nullptr || pieces[1][9] == nullptr;
}
