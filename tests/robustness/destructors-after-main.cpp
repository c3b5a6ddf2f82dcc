// Threads that race after main has ended.
// STDOUT: main
// STDOUT: after main
// EXIT: 8
// RUN: %check %s

#include <cstdio>

#include "order.h"

int x;

static void first() {
  x = 1;  // RACE: observed x
  end_turn();
}

static void second() {
  await_turn(1);
  x = 2;  // RACE: observed x
}

struct Ends {
  ~Ends() {
    run_two(first, second);
    std::puts("after main");
  }
} ends;

int main() {
  std::puts("main");
  return 8;
}
