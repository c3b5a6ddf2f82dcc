// A consumer that finds nothing says that it sleeps and sleeps; the producer posts only if it saw that. What comes
// between the look and the word is never told.
// BUG: kind=lost-wakeup preemptions=1 threads=2 shows=hang finding=none
// RUN: %show %s
#include <atomic>
#include <semaphore>
#include <thread>

#include "bug.h"

namespace {

std::atomic<int> items{0};
std::atomic<bool> sleeping{false};
std::binary_semaphore wake{0};

void consume() {
  while (items.load() == 0) {
    step(0);
    step(3);
    sleeping.store(true);
    wake.acquire();
  }
  items.fetch_sub(1);
}

void produce() {
  step(1);
  items.fetch_add(1);
  if (sleeping.exchange(false)) wake.release();
  step(2);
}

}  // namespace

int main() {
  std::thread producer(produce), consumer(consume);
  producer.join();
  consumer.join();
}
