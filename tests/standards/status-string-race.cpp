// One thread sets a status line and another copies it without the mutex. Functions of the library may read what they
// are given as const and write what is not ([res.on.data.races]): the copy reads the string that the assignment writes,
// and the reader holds no lock that would order them ([intro.races]).
// RUN: %check %s

#include <mutex>
#include <string>
#include <thread>

std::mutex mutex;
std::string status = "starting";

static void sets(const char* text) {
  std::lock_guard lock(mutex);
  status = text;  // RACE: observed <status>
}

static std::string status_line() {
  return "server: " + status;  // RACE: observed <status>
}

int main() {
  std::string line;
  std::thread server([] { sets("draining"); });
  std::thread monitor([&line] { line = status_line(); });
  server.join();
  monitor.join();
  return line.size() != 16;
}
