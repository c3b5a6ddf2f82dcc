// A counting semaphore lets two threads in at once, and what they share is under a mutex of its own
// ([thread.mutex.requirements.mutex]); the semaphore itself need not order them.
// NORACE
// RUN: %check %s

#include <atomic>
#include <mutex>
#include <semaphore>
#include <thread>

std::counting_semaphore<2> slots(2);
std::mutex mutex;
std::atomic<int> inside;
int connections;

static void connects() {
  slots.acquire();
  // Both are let in before one leaves; relaxed, so this orders nothing.
  inside.fetch_add(1, std::memory_order_relaxed);
  while (inside.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
  {
    std::lock_guard lock(mutex);
    connections++;
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
