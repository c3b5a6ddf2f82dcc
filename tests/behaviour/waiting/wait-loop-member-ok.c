// The condition variable is a member of something on the heap.
// NORACE
// RUN: %check-loops %s

#include <stdlib.h>

#include "order.h"

struct Queue {
  pthread_mutex_t mutex;
  int length;
  pthread_cond_t filled;
};
struct Queue* queue;
int x;

static void puts_in(struct Queue* q) {
  pthread_mutex_lock(&q->mutex);
  ++q->length;
  pthread_cond_signal(&q->filled);
  pthread_mutex_unlock(&q->mutex);
}

static void takes_out(struct Queue* q) {
  pthread_mutex_lock(&q->mutex);
  while (q->length == 0) pthread_cond_wait(&q->filled, &q->mutex);
  --q->length;
  pthread_mutex_unlock(&q->mutex);
}

static void produces(void) {
  x = 1;
  puts_in(queue);
  end_turn();
}

static void consumes(void) {
  await_turn(1);
  takes_out(queue);
  x = 2;
}

int main(void) {
  queue = calloc(1, sizeof(*queue));
  pthread_mutex_init(&queue->mutex, NULL);
  pthread_cond_init(&queue->filled, NULL);
  run_two(produces, consumes);
  free(queue);
}
