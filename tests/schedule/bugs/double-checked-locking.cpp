// Double-checked locking whose flag is set before the instance is: who comes then finds a null pointer.
// BUG: kind=double-checked-locking preemptions=1 threads=2 shows=crash finding=race:ready
// RUN: %show %s
#include <mutex>
#include <thread>

#include "bug.h"

namespace {

struct Instance {
  int uses = 0;
};

std::mutex mutex;
bool ready;
Instance* instance;

Instance* get() {
  if (!ready) {
    std::lock_guard<std::mutex> guard(mutex);
    if (!ready) {
      Instance* made = new Instance;
      ready = true;
      step(0);
      step(2);
      instance = made;
    }
  }
  return instance;
}

void use(bool first) {
  if (!first) step(1);
  Instance* got = get();
  got->uses = 1;
}

}  // namespace

int main() {
  std::thread one(use, true), other(use, false);
  one.join();
  other.join();
  delete instance;
}
