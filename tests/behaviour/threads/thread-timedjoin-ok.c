// Joins with a deadline, on either clock, and by trying, are joins when they succeed.
// NORACE
// RUN: %check %s

#include <sched.h>
#include <time.h>

#include "order.h"

int x;

static void* adds(void* unused) {
  x++;
  return unused;
}

int main(void) {
  pthread_t thread;
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 60;
  pthread_create(&thread, NULL, adds, NULL);
  if (pthread_timedjoin_np(thread, NULL, &deadline) != 0) return 1;
  x++;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += 60;
  pthread_create(&thread, NULL, adds, NULL);
  if (pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &deadline) != 0) return 1;
  x++;
  pthread_create(&thread, NULL, adds, NULL);
  while (pthread_tryjoin_np(thread, NULL) != 0) sched_yield();
  x++;
  return x != 6;
}
