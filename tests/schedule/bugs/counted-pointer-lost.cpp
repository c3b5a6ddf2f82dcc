// A counted pointer that one thread replaces while another copies it: the copy is of an object that is gone.
// BUG: kind=data-race preemptions=1 threads=2 shows=status finding=race:current
// FOUND-BY: race-directed
// RUN: %show %s
// RUN: %found %s
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

// The count stands beside the object, as in std::shared_ptr.
struct Counted {
  std::atomic<int> owners{1};
  std::atomic<bool> gone{false};
};

Counted first, second;
Counted* current = &first;
std::atomic<bool> used_gone{false};

void copy() {
  Counted* mine = current;
  step(0);
  step(3);
  ++mine->owners;
  if (mine->gone) used_gone = true;
}

void replace() {
  step(1);
  Counted* old = current;
  current = &second;
  if (--old->owners == 0) old->gone = true;
  step(2);
}

}  // namespace

int main() {
  std::thread copying(copy), replacing(replace);
  copying.join();
  replacing.join();
  return used_gone ? 3 : 0;
}
