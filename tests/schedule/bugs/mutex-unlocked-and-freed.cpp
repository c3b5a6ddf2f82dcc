// The last user of an object unlocks its mutex; another one that gets it then frees the object, while the unlocking
// thread still reads the mutex's kind.
// After glibc bug 13690, "pthread_mutex_unlock potentially cause invalid access".
// BUG: kind=order preemptions=1 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

struct Object {
  std::atomic<int> locked{0}, kind{0}, users{2};
  std::atomic<bool> freed{false};
} object;

void unlock(bool slow) {
  object.locked.store(0);
  if (slow) step(0), step(3);
  assert(!object.freed.load());
  if (object.kind.load() != 0) object.locked.notify_all();
}

void drop(bool slow) {
  while (object.locked.exchange(1) != 0) sched_yield();
  const bool last = object.users.fetch_sub(1) == 1;
  unlock(slow);
  if (last) object.freed.store(true);
}

}  // namespace

int main() {
  std::thread one([] { drop(true); });
  std::thread other([] {
    step(1);
    drop(false);
    step(2);
  });
  one.join();
  other.join();
}
