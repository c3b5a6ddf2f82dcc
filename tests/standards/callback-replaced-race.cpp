// A callback is called in place while another thread replaces it under the mutex, which the caller does not hold. The
// call reads the std::function that the assignment writes, and library objects are not safe for that
// ([res.on.data.races]): nothing orders the two ([intro.races]).
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
  handled = on_event(event);  // RACE: observed <on_event>
  called.store(true, std::memory_order_relaxed);
}

static void replaces() {
  // The call comes first, so that it is harmless; relaxed, so this orders nothing.
  while (!called.load(std::memory_order_relaxed)) std::this_thread::yield();
  std::lock_guard lock(mutex);
  on_event = [](int event) { return 2 * event; };  // RACE: observed <on_event>
}

int main() {
  std::thread loop(raises, 21);
  std::thread settings(replaces);
  loop.join();
  settings.join();
  return handled != 21 || on_event(21) != 42;
}
