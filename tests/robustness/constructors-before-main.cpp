// Threads that race before main has begun.
// STDOUT: main
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

struct Begins {
  Begins() { run_two(first, second); }
} begins;

int main() { std::puts("main"); }
