// One thread sets a status line and another copies it, both under the mutex ([thread.mutex.requirements.mutex]).
// NORACE
// RUN: %check %s

#include <mutex>
#include <string>
#include <thread>

std::mutex mutex;
std::string status = "starting";

static void sets(const char* text) {
  std::lock_guard lock(mutex);
  status = text;
}

static std::string status_line() {
  std::lock_guard lock(mutex);
  return "server: " + status;
}

int main() {
  std::string line;
  std::thread server([] { sets("draining"); });
  std::thread monitor([&line] { line = status_line(); });
  server.join();
  monitor.join();
  return line.size() != 16;
}
