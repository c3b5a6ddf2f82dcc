// The loop waits for a flag that somebody else set.
// RUN: %check-loops %s

#include "order.h"

volatile int right, wrong;
int x;

static void sets_wrong(void) {
  x = 1;  // RACE: observed x
  wrong = 1;
  end_turn();
}

static void sets_right(void) {
  await_turn(1);
  right = 1;
  end_turn();
}

static void waits(void) {
  await_turn(2);
  while (!right) {
  }
  x = 2;  // RACE: observed x
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, NULL, norn_test_call, (void*)sets_wrong);
  pthread_create(&b, NULL, norn_test_call, (void*)sets_right);
  pthread_create(&c, NULL, norn_test_call, (void*)waits);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
}
