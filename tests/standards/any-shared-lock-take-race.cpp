// Waiters share a lock by condition_variable_any, and count while they only share it. Two who share ownership are not
// ordered: lock_shared synchronizes with an earlier unlock only, not with unlock_shared
// ([thread.sharedmutex.requirements]), so the two increments race ([intro.races]).
// RUN: %check %s

#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_mutex mutex;
std::condition_variable_any changed;
bool ready;
int value;
int taken;

static void takes(int* copy) {
  std::shared_lock lock(mutex);
  changed.wait(lock, [] { return ready; });
  *copy = value;
  taken++;  // RACE: observed taken
}

int main() {
  int first = 0, second = 0;
  std::thread a(takes, &first);
  std::thread b(takes, &second);
  {
    std::unique_lock lock(mutex);
    value = 42;
    ready = true;
  }
  changed.notify_all();
  a.join();
  b.join();
  return first != 42 || second != 42 || taken < 1;
}
