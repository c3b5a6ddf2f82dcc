// A timed wait that got through is a wait.
// NORACE
// RUN: %check %s

#include <semaphore.h>
#include <time.h>

#include "order.h"

sem_t filled;
int x;

static void produces(void) {
  x = 1;
  sem_post(&filled);
}

static void consumes(void) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 60;
  if (sem_timedwait(&filled, &deadline) == 0) x++;
}

int main(void) {
  sem_init(&filled, 0, 0);
  run_two(produces, consumes);
  return x != 2;
}
