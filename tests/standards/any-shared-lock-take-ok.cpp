// Waiters share a lock by condition_variable_any, and take turns with an exclusive lock to count. unlock_shared and
// unlock synchronize with the exclusive lock that comes later ([thread.sharedmutex.requirements]).
// NORACE
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
  lock.unlock();
  std::unique_lock exclusive(mutex);
  taken++;
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
