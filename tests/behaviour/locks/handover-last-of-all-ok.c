// Who counts last goes on, and reads what the others did.
// NORACE
// RUN: %check %s

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int done;
int results[2];
int sum;

static void finish(int which) {
  results[which] = 1;
  pthread_mutex_lock(&mutex);
  const int last = ++done == 2;
  pthread_mutex_unlock(&mutex);
  if (last) sum = results[0]++ + results[1]++;
}

static void first(void) {
  finish(0);
  end_turn();
}

static void second(void) {
  await_turn(1);
  finish(1);
}

int main(void) { run_two(first, second); }
