// A callback is copied under the mutex and the copy is called, while another thread replaces it under the mutex
// ([thread.mutex.requirements.mutex]).
// NORACE
// RUN: %check %s

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

std::mutex mutex;
std::function<int(int)> on_event = [](int event) { return event; };
std::atomic<bool> called;
int handled;

static void raises(int event) {
  std::function<int(int)> callback;
  {
    std::lock_guard lock(mutex);
    callback = on_event;
  }
  handled = callback(event);
  called.store(true, std::memory_order_relaxed);
}

static void replaces() {
  // The call comes first, so that it is harmless; relaxed, so this orders nothing.
  while (!called.load(std::memory_order_relaxed)) std::this_thread::yield();
  std::lock_guard lock(mutex);
  on_event = [](int event) { return 2 * event; };
}

int main() {
  std::thread loop(raises, 21);
  std::thread settings(replaces);
  loop.join();
  settings.join();
  return handled != 21 || on_event(21) != 42;
}
