// What is changed after call_once is not protected by it.
// RUN: %check %s

#include <mutex>

#include "order.h"

std::once_flag once;
int x;
int seen;

static void changes() {
  std::call_once(once, [] { x = 7; });
  x = 8;  // RACE: observed x
  end_turn();
}

static void reads() {
  await_turn(1);
  std::call_once(once, [] { x = 7; });
  seen = x;  // RACE: observed x
}

int main() { run_two(changes, reads); }
