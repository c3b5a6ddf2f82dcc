// Hands blocks over by the queue of an uninstrumented library; the consumer always waits before the producer puts.
#include <stdlib.h>

#include "order.h"

enum { kItems = 20 };
void queue_put(void* item);
void* queue_get(void (*before_wait)(void));
int sum;

static void produces(void) {
  for (int i = 0; i < kItems; i++) {
    int* item = malloc(sizeof *item);
    *item = i;
    await_turn(i + 1);
    queue_put(item);
  }
}

static void waits_now(void) { end_turn(); }

static void consumes(void) {
  for (int i = 0; i < kItems; i++) {
    int* item = queue_get(waits_now);
    sum += *item;
    free(item);
  }
}

int main(void) {
  run_two(produces, consumes);
  return sum != kItems * (kItems - 1) / 2;
}
