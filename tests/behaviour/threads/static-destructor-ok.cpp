// An object that lives as long as the program is made by a thread that nobody joins: it was made before it is
// destroyed.
// NORACE
// RUN: %check %s

#include <string>
#include <thread>

#include "order.h"

struct Log {
  std::string text = "made by a thread, and long enough to lie in the heap";
  int lines = 1;
  ~Log() { lines = 0; }
};

static Log& the_log() {
  static Log log;
  return log;
}

int main() {
  std::thread([] {
    the_log();
    end_turn();
  }).detach();
  await_turn(1);
}
