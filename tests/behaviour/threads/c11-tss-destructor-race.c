// C11: the destructors of two threads touch the same variable.
// RUN: %check %s

#include <threads.h>

#include "order.h"

tss_t key;
int x;

static void destroy(void* value) {
  if (value == &x) await_turn(1);
  x++;  // RACE: observed x
  end_turn();
}

static int first(void* unused) {
  (void)unused;
  tss_set(key, &key);
  return 0;
}

static int second(void* unused) {
  (void)unused;
  tss_set(key, &x);
  return 0;
}

int main(void) {
  thrd_t a, b;
  tss_create(&key, destroy);
  thrd_create(&a, first, NULL);
  thrd_create(&b, second, NULL);
  thrd_join(a, NULL);
  thrd_join(b, NULL);
}
