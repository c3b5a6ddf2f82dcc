// The writer keeps its pointer and writes once more when others know the block: the reader may be there by then.
// RUN: %check %s

#include "order.h"

struct Thing {
  int made;
  int changed;
};

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
struct Thing* published;
int seen;

static void first(void) {
  struct Thing* thing = malloc(sizeof *thing);
  thing->made = 1;
  thing->changed = 1;
  pthread_mutex_lock(&mutex);
  published = thing;
  pthread_mutex_unlock(&mutex);
  thing->changed = 2;  // RACE: predicted <changed>
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void second(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  struct Thing* thing = published;
  pthread_mutex_unlock(&mutex);
  seen = thing->made;
  seen += thing->changed;  // RACE: predicted <changed>
}

int main(void) { run_two(first, second); }
