// The state is read under another lock than it was written under: that hands nothing over, and is a race itself.
// RUN: %check %s

#include "order.h"

pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
int state;
int x;

static void first(void) {
  x = 1;  // RACE: predicted x
  pthread_mutex_lock(&one);
  state = 1;  // RACE: predicted state
  pthread_mutex_unlock(&one);
  pthread_mutex_lock(&other);
  pthread_mutex_unlock(&other);
  end_turn();
}

static void second(void) {
  await_turn(1);
  pthread_mutex_lock(&other);
  const int seen = state;  // RACE: predicted state
  pthread_mutex_unlock(&other);
  if (seen) x = 2;  // RACE: predicted x
}

int main(void) { run_two(first, second); }
