// Locks of two files do not keep two threads apart.
// RUN: %check %s

#include <sys/file.h>
#include <unistd.h>

#include "order.h"

int x;

static void locks(int file, int turn) {
  await_turn(turn);
  flock(file, LOCK_EX);
  x++;  // RACE: observed x
  flock(file, LOCK_UN);
  end_turn();
}

static void first(void) { locks(memfd_create("one", 0), 0); }
static void second(void) { locks(memfd_create("other", 0), 1); }

int main(void) { run_two(first, second); }
