// A log is written out by a function that atexit has registered; the thread that logs was joined before main returns.
// Its end synchronizes with the return from join ([thread.thread.member]), which comes before exit and the function.
// NORACE
// RUN: %check %s

#include <atomic>
#include <cstdlib>
#include <thread>

int lines_logged;
int lines_written;
std::atomic<bool> logged;

static void write_out() { lines_written = lines_logged; }

static void logs() {
  lines_logged = 3;
  logged.store(true, std::memory_order_relaxed);
}

int main() {
  std::atexit(write_out);
  std::thread logger(logs);
  logger.join();
  while (!logged.load(std::memory_order_relaxed)) std::this_thread::yield();
}
