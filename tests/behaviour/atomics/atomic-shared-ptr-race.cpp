// What an atomic shared pointer points to is not protected by it.
// RUN: %check %s

#include <atomic>
#include <memory>

#include "order.h"

struct Config {
  int number;
};

std::atomic<std::shared_ptr<Config>> config;

static void writes() {
  std::shared_ptr<Config> made = std::make_shared<Config>(1);
  config.store(made);
  made->number = 2;  // RACE: observed number
  end_turn();
  await_turn(2);  // giving up its part would order the two
}

static void reads() {
  await_turn(1);
  std::shared_ptr<Config> seen = config.load();
  seen->number++;  // RACE: observed number
  end_turn();
}

int main() { run_two(writes, reads); }
