// The variable is written after the eventfd.
// RUN: %check %s

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "order.h"

int event;
int x;

static void sends(void) {
  uint64_t one = 1;
  if (write(event, &one, sizeof one) != sizeof one) return;
  x = 1;  // RACE: observed x
  end_turn();
}

static void receives(void) {
  uint64_t got;
  if (read(event, &got, sizeof got) != sizeof got) return;
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) {
  event = eventfd(0, 0);
  run_two(sends, receives);
}
