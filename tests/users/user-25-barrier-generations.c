// Line 25: the generations of a barrier are not one.
// RUN: %check %s

#include "order.h"

pthread_barrier_t barrier;
int x;

static void writes_before(void) {
  x = 1;  // RACE: observed x
  pthread_barrier_wait(&barrier);
  end_turn();
}

static void meets(void) {
  pthread_barrier_wait(&barrier);
  end_turn();
  await_turn(4);
}

static void meets_later(void) {
  await_turn(2);
  pthread_barrier_wait(&barrier);
  end_turn();
}

static void writes_after(void) {
  await_turn(2);
  pthread_barrier_wait(&barrier);
  x = 2;  // RACE: observed x
  end_turn();
}

int main(void) {
  void (*bodies[4])(void) = {writes_before, meets, meets_later, writes_after};
  pthread_t threads[4];
  pthread_barrier_init(&barrier, NULL, 2);
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, norn_test_call, (void*)bodies[i]);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}
