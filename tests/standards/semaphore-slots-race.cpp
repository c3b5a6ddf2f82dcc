// A counting semaphore lets two threads in at once, and what they share is taken for protected by it. release comes
// before an acquire that observes it ([thread.sema.cnt]); both threads are inside before either has released, so
// nothing orders their increments ([intro.races]).
// RUN: %check %s

#include <atomic>
#include <semaphore>
#include <thread>

std::counting_semaphore<2> slots(2);
std::atomic<int> inside;
int connections;

static void connects() {
  slots.acquire();
  // Both are let in before one leaves; relaxed, so this orders nothing.
  inside.fetch_add(1, std::memory_order_relaxed);
  while (inside.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
  {
    connections++;  // RACE: observed connections
  }
  slots.release();
}

int main() {
  std::thread a(connects);
  std::thread b(connects);
  a.join();
  b.join();
  return connections < 1;
}
