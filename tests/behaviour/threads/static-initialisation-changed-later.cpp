// The static is initialised safely and then changed without care.
// RUN: %check %s

#include "order.h"

struct Settings {
  Settings() : level(1) {}
  int level;
};

static Settings& settings() {
  static Settings instance;
  return instance;
}

static void first() {
  settings().level = 2;  // RACE: observed level
  end_turn();
}

static void second() {
  await_turn(1);
  settings().level = 3;  // RACE: observed level
}

int main() {
  run_two(first, second);
  return settings().level != 3;
}
