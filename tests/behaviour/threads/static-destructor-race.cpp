// A thread that nobody waits for uses an object that is destroyed at the program's end.
// RUN: %check %s

#include <thread>

#include "order.h"

struct Log {
  int lines = 1;
  ~Log() {
    lines = 0;  // RACE: observed log
  }
};

static Log log;

int main() {
  std::thread([] {
    log.lines++;  // RACE: observed log
    end_turn();
  }).detach();
  await_turn(1);
}
