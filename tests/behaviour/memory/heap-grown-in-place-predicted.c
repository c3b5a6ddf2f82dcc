// A block that grows where it is stays known to others: what is written to it then is not the first that is done to it.
// (malloc rounds the size up: there is room.) What the second thread reads under the lock is what was written there
// last, but it may as well be the same from before.
// OPTIONS: --handover=off
// RUN: %check %s

#include "order.h"

enum { kOld = 64, kNew = 72 };

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
char* published;
char seen;

static void first(void) {
  char* block = malloc(kOld);
  block[0] = 1;
  pthread_mutex_lock(&mutex);
  published = block;
  pthread_mutex_unlock(&mutex);
  block = realloc(block, kNew);  // RACE: predicted <block>
  block[0] = 2;                  // MAYBE: <block>
  pthread_mutex_lock(&mutex);
  published = block;
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void second(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  char* block = published;
  pthread_mutex_unlock(&mutex);
  seen = block[0];  // RACE: predicted <block>
}

int main(void) { run_two(first, second); }
