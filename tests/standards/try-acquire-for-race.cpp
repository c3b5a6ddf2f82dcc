// A binary semaphore is used as a lock with a time-out, and what try_acquire_for returns is not looked at. It returned
// false, and has observed no release ([thread.sema.cnt]): the owner keeps the semaphore until then, so nothing orders
// the two writes ([intro.races]).
// RUN: %check %s

#include <atomic>
#include <chrono>
#include <semaphore>
#include <thread>

std::binary_semaphore lock(1);
std::atomic<bool> held, gave_up;
int entries;

static void owns() {
  lock.acquire();
  held.store(true, std::memory_order_relaxed);
  // Keeps it until the other's time is over; relaxed, so this orders nothing.
  while (!gave_up.load(std::memory_order_relaxed)) std::this_thread::yield();
  entries++;  // RACE: observed entries
  lock.release();
}

static void tries() {
  while (!held.load(std::memory_order_relaxed)) std::this_thread::yield();
  bool acquired = lock.try_acquire_for(std::chrono::milliseconds(1));
  gave_up.store(true, std::memory_order_relaxed);
  entries++;  // RACE: observed entries
  if (acquired) lock.release();
}

int main() {
  std::thread owner(owns);
  std::thread other(tries);
  owner.join();
  other.join();
  return entries < 1;
}
