// Both count under the lock, and neither looks at the count: who came first is an accident.
// RUN: %check %s

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
struct {
  int hits;
  int bytes;
} counts;
int x;

static void count(int bytes) {
  pthread_mutex_lock(&mutex);
  counts.hits++;
  counts.bytes = counts.bytes + bytes;
  pthread_mutex_unlock(&mutex);
}

static void first(void) {
  x = 1;  // RACE: predicted x
  count(3);
  end_turn();
}

static void second(void) {
  await_turn(1);
  count(4);
  x = 2;  // RACE: predicted x
}

int main(void) { run_two(first, second); }
