// Who brings the count to zero, under a lock, frees the object: after all who gave their reference up.
// NORACE
// RUN: %check %s

#include "order.h"

struct Table {
  int references;
  int value;
};

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
struct Table* table;
int seen;

static void release(struct Table* used) {
  pthread_mutex_lock(&mutex);
  if (--used->references == 0) free(used);
  pthread_mutex_unlock(&mutex);
}

static void first(void) {
  seen = table->value;
  release(table);
  end_turn();
}

static void second(void) {
  await_turn(1);
  release(table);
}

int main(void) {
  table = malloc(sizeof *table);
  table->references = 2;
  table->value = 42;
  run_two(first, second);
}
