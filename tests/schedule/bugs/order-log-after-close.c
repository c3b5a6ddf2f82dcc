// Four workers count themselves out and then say good-bye in the log, which is closed when the count is zero.
// BUG: kind=order preemptions=1 threads=5 shows=crash finding=race:log_file
// FOUND-BY: random race-directed pct pos
// RUN: %show %s
// RUN: %found %s
#include <semaphore.h>
#include <stdatomic.h>

#include "bug.h"

enum { kWorkers = 4 };

static char text[64];
static char* log_file = text;
static sem_t all_out;
static atomic_int working = kWorkers;

static void* work(void* self) {
  if ((size_t)self == 0) after_step(1);
  if (atomic_fetch_sub(&working, 1) == 1) sem_post(&all_out);
  if ((size_t)self != 0) {
    log_file[(size_t)self] = 'x';
    if ((size_t)self == 3) step(0);
    return NULL;
  }
  step(2);
  log_file[0] = 'x';
  return NULL;
}

int main(void) {
  pthread_t workers[kWorkers];
  sem_init(&all_out, 0, 0);
  for (size_t i = 0; i < kWorkers; ++i) pthread_create(&workers[i], NULL, work, (void*)i);
  sem_wait(&all_out);
  compute();
  log_file = NULL;
  step(1);
  for (size_t i = 0; i < kWorkers; ++i) pthread_join(workers[i], NULL);
}
