// A log is written out by a function that atexit has registered, while the thread that logs was detached. exit calls
// the function in main's thread ([support.start.term]) and waits for nobody; the relaxed flag that main has seen
// synchronizes with nothing ([atomics.order]), so the function's read is not ordered after the thread's write
// ([intro.races]).
// RUN: %check %s

#include <atomic>
#include <cstdlib>
#include <thread>

int lines_logged;
int lines_written;
std::atomic<bool> logged;

static void write_out() {
  lines_written = lines_logged;  // RACE: observed lines_logged
}

static void logs() {
  lines_logged = 3;  // RACE: observed lines_logged
  logged.store(true, std::memory_order_relaxed);
}

int main() {
  std::atexit(write_out);
  std::thread logger(logs);
  logger.detach();
  while (!logged.load(std::memory_order_relaxed)) std::this_thread::yield();
}
