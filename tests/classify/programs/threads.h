// What the programs share: threads that run and are joined, and a way to let others go first.
#pragma once

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void* (*Body)(void*);

static inline void run_both(Body one, Body other) {
  pthread_t first, second;
  pthread_create(&first, 0, one, 0);
  pthread_create(&second, 0, other, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
}

static inline void run_three(Body one, Body other, Body third) {
  pthread_t thread;
  pthread_create(&thread, 0, one, 0);
  run_both(other, third);
  pthread_join(thread, 0);
}

// The others go first, nearly always: a run that nobody controls goes well then.
static inline void later(void) { usleep(20000); }
