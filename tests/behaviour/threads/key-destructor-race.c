// The destructors of two threads touch the same variable.
// RUN: %check %s

#include "order.h"

pthread_key_t key;
int x;

static void destroy(void* value) {
  if (value == &x) await_turn(1);
  x++;  // RACE: observed x
  end_turn();
}

static void first(void) { pthread_setspecific(key, &key); }

static void second(void) { pthread_setspecific(key, &x); }

int main(void) {
  pthread_key_create(&key, destroy);
  run_two(first, second);
}
