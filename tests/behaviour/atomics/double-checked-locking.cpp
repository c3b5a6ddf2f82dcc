// The pointer is looked at without the mutex first: the classic.
// RUN: %check %s

#include <mutex>

#include "order.h"

struct Config {   // MAYBE: level
  int level = 3;  // MAYBE: level
};
Config* config;
std::mutex mutex;
int levels;

static Config* get() {
  if (!config) {  // RACE: observed config
    std::lock_guard guard(mutex);
    if (!config) config = new Config;  // RACE: observed config  MAYBE: level
  }
  return config;  // MAYBE: config
}

static void first() {
  get();
  end_turn();
}

static void second() {
  await_turn(1);
  levels = get()->level;  // RACE: observed level
}

int main() { run_two(first, second); }
