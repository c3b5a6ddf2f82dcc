// A semaphore that is on the stack of who waits: the poster looks whether somebody sleeps after it has given the value,
// and the waiter has taken it and left by then.
// After glibc bug 12674, "sem_post/sem_wait race causing sem_post to return EINVAL".
// BUG: kind=order preemptions=1 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

struct Semaphore {
  std::atomic<int> value{0}, sleepers{0};
  std::atomic<bool> gone{false};
};
Semaphore request;  // "gone" stands for the end of its life

void post() {
  request.value.fetch_add(1);
  step(0);
  step(2);
  assert(!request.gone.load());
  if (request.sleepers.load() != 0) request.value.notify_one();
}

void wait() {
  step(1);
  int value = request.value.load();
  while (value == 0 || !request.value.compare_exchange_weak(value, value - 1)) {
    request.sleepers.fetch_add(1);
    request.value.wait(0);
    request.sleepers.fetch_sub(1);
    value = request.value.load();
  }
  request.gone.store(true);
}

}  // namespace

int main() {
  std::thread poster(post);
  std::thread waiter([] {
    wait();
    step(2);
  });
  poster.join();
  waiter.join();
}
