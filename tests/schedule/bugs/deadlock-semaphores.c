// Producers take the mutex before they wait for room. One that looked for room before another took it waits with the
// mutex in hand, and the consumer never gets it.
// BUG: kind=semaphore-order preemptions=1 threads=3 shows=hang finding=none
// FOUND-BY: random pos
// RUN: %show %s
// RUN: %found %s
#include <semaphore.h>

#include "bug.h"

static sem_t mutex, room, items;
static int stock;

static void* produce(void* self) {
  int left;
  if (self != NULL) step(1);
  sem_getvalue(&room, &left);
  if (left == 0) return NULL;
  if (self == NULL) step(0), step(3);
  sem_wait(&mutex);
  if (self == NULL) step(4);
  sem_wait(&room);
  ++stock;
  sem_post(&mutex);
  if (self != NULL) step(2);
  sem_post(&items);
  return NULL;
}

static void* consume(void* unused) {
  sem_wait(&items);
  after_step(5);
  sem_wait(&mutex);
  --stock;
  sem_post(&mutex);
  sem_post(&room);
  return unused;
}

int main(void) {
  sem_init(&mutex, 0, 1);
  sem_init(&room, 0, 1);
  sem_init(&items, 0, 0);
  RUN(produce, produce, consume);
}
