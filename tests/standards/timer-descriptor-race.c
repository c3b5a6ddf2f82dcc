// A thread waits for a timer by its descriptor (Linux, timerfd_create(2)); another arms the timer, and writes what is
// to be done then: nothing orders that and who saw the timer expire.
// RUN: %check %s

#include <pthread.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

int timer;
int task;

static void* performer(void* done) {
  uint64_t expirations;
  if (read(timer, &expirations, sizeof expirations) != (ssize_t)sizeof expirations) return done;
  *(int*)done = task;  // RACE: observed task
  return NULL;
}

int main(void) {
  pthread_t thread;
  struct itimerspec soon = {.it_value = {.tv_nsec = 1000000}};
  int done = 0;
  timer = timerfd_create(CLOCK_MONOTONIC, 0);
  if (timer < 0) return 1;
  pthread_create(&thread, NULL, performer, &done);
  timerfd_settime(timer, 0, &soon, NULL);
  task = 3;  // RACE: observed task
  pthread_join(thread, NULL);
  return done > 3;
}
