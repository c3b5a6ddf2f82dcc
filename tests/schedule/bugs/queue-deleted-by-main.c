// main tells the consumers that all is read, and deletes the queue; a consumer still has to unlock the queue's mutex.
// After pbzip2 0.9.4, in Yu and Narayanasamy, "A Case for an Interleaving Constrained Shared-Memory Multi-Processor"
// (ISCA 2009).
// BUG: kind=order preemptions=1 threads=3 shows=crash finding=none
// RUN: %show %s
#include <stdatomic.h>
#include <stdlib.h>

#include "bug.h"

typedef struct {
  atomic_int blocks;
} Queue;

static _Atomic(Queue*) queue;
static atomic_int all_done;

static void* consume(void* self) {
  (void)self;
  for (;;) {
    step(0);
    after_step(2);
    if (atomic_load(&atomic_load(&queue)->blocks) == 0) break;
    if (atomic_fetch_sub(&atomic_load(&queue)->blocks, 1) == 1) {
      atomic_store(&all_done, 1);
      step(1);
      step(3);
    }
  }
  return NULL;
}

int main(void) {
  Queue* made = malloc(sizeof(Queue));
  atomic_init(&made->blocks, 2);
  atomic_store(&queue, made);
  pthread_t one, other;
  pthread_create(&one, NULL, consume, NULL);
  pthread_create(&other, NULL, consume, NULL);
  step(1);
  while (!atomic_load(&all_done)) sched_yield();
  atomic_store(&queue, NULL);  // so that what comes late shows
  step(2);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  free(made);
}
