// A relaxed store tells others where the block is; what its maker writes after that is not done before they come,
// though here a lock happens to order the two.
// RUN: %check %s

#include <stdatomic.h>

#include "order.h"

struct Thing {
  int made;
  int changed;
};

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
struct Thing* _Atomic published;
int seen;

static void first(void) {
  struct Thing* thing = malloc(sizeof *thing);
  thing->made = 1;
  atomic_store_explicit(&published, thing, memory_order_relaxed);
  thing->changed = 2;  // RACE: predicted <changed>
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void second(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  struct Thing* thing = atomic_load_explicit(&published, memory_order_relaxed);
  seen = thing->changed;  // RACE: predicted <changed>
}

int main(void) { run_two(first, second); }
