// A weak pointer is made strong: the count is asked and raised in two steps, and the last owner lets go in between.
// After the requirement on std::weak_ptr::lock ("executed atomically", C++11 [util.smartptr.weak.obs]), which early
// implementations did not meet.
// BUG: kind=check-then-act preemptions=1 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

std::atomic<int> owners{1};
std::atomic<bool> alive{true};

void let_go() {
  if (owners.fetch_sub(1) == 1) alive.store(false);
}

void raise() {
  if (owners.load() == 0) return;
  step(0);
  step(3);
  owners.fetch_add(1);
  assert(alive.load());
  let_go();
}

}  // namespace

int main() {
  std::thread weak(raise);
  std::thread owner([] {
    step(1);
    let_go();
    step(2);
  });
  weak.join();
  owner.join();
}
