// Nodes with a count of references, as in Valois' lists: a reader takes its reference behind its read of the pointer,
// when the node may have been given back and taken out for something else.
// After Michael and Scott, "Correction of a Memory Management Method for Lock-Free Data Structures" (TR 599, University
// of Rochester, 1995).
// BUG: kind=order preemptions=1 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <array>
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

std::array<std::atomic<int>, 2> references = {1, 0};
std::array<std::atomic<int>, 2> frees;
std::atomic<int> current{0};

void release(int node) {
  if (references[node].fetch_sub(1) == 1) assert(frees[node].fetch_add(1) == 0);
}

void look() {
  const int node = current.load();
  step(0);
  step(3);
  references[node].fetch_add(1);
  release(node);
}

void replace() {
  step(1);
  references[1].store(1);
  release(current.exchange(1));
  step(2);
}

}  // namespace

int main() {
  std::thread reader(look), writer(replace);
  reader.join();
  writer.join();
}
