// C11: one thread initialises by call_once, the other does not ask.
// RUN: %check %s

#include <threads.h>

#include "order.h"

once_flag once = ONCE_FLAG_INIT;
int x;

static void initialise(void) {
  x = 7;  // RACE: observed x
}

static int asks(void* unused) {
  (void)unused;
  call_once(&once, initialise);
  end_turn();
  return 0;
}

static int does_not_ask(void* unused) {
  (void)unused;
  await_turn(1);
  return x;  // RACE: observed x
}

int main(void) {
  thrd_t a, b;
  thrd_create(&a, asks, NULL);
  thrd_create(&b, does_not_ask, NULL);
  thrd_join(a, NULL);
  thrd_join(b, NULL);
}
