// Flag: two threads take turns, several times.
// NORACE
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

volatile int turn;
int x;

static void play(int me) {
  for (int i = 0; i < 5; ++i) {
    while (turn != me) {
    }
    compiler_barrier();
    x++;
    compiler_barrier();
    turn = 1 - me;
  }
}

static void ping(void) { play(0); }
static void pong(void) { play(1); }
int main(void) { run_two(ping, pong); }
