// A buffer belongs to whoever the state says, and the state is under a lock. Three threads take turns.
// NORACE
// RUN: %check %s

#include "order.h"

enum State { kEmpty, kFull, kDone };

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
enum State state;
int buffer[4];

static enum State look(void) {
  pthread_mutex_lock(&mutex);
  const enum State seen = state;
  pthread_mutex_unlock(&mutex);
  return seen;
}

static void set(enum State next) {
  pthread_mutex_lock(&mutex);
  state = next;
  pthread_mutex_unlock(&mutex);
}

static void fills(void) {
  if (look() == kEmpty) {
    buffer[0] = 1;
    set(kFull);
  }
  end_turn();
}

static void works(void) {
  await_turn(1);
  if (look() == kFull) {
    buffer[0] = 2;
    set(kDone);
  }
  end_turn();
}

static void* prints(void* none) {
  await_turn(2);
  if (look() == kDone) buffer[0] = 3;
  return none;
}

int main(void) {
  pthread_t third;
  pthread_create(&third, NULL, prints, NULL);
  run_two(fills, works);
  pthread_join(third, NULL);
}
